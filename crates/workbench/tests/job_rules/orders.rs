//! Rules for orders: work that the user starts (`JobQueue`).

use super::{SELECTED, TestBench, selection};
use document::brushes::{Brush, Gain};
use document::labels::NamePattern;
use document::{Edit, Script};
use dsp::StftParams;
use std::path::{Path, PathBuf};
use workbench::commands::{ClipboardCommand, EditCommand, FileCommand, FindCommand, SelectCommand};
use workbench::{
    Act, BenchEvent, DocumentAct, DragOutAct, Draggable, ExportOptions, FileAct, MeasuredLevels, PartsOptions,
    PresetAnswer, ProjectSaveOptions, Purpose, Reply, RunFilesOptions, RunFilesOrder, Seek, Severity, StretchOptions,
};

/// Rules for a result whose document is closed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Closed {
    /// Dropped with a notice.
    Told(&'static str),
    /// Dropped silently with its document.
    Silent,
    /// Completed without its document.
    Done,
}

/// Which of two orders Escape cancels.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Escape {
    Last,
    /// Both: each builds on the previous one, or replaces it.
    All,
    /// None: it is too short to be stopped.
    Nothing,
}

/// Cause of an order's failure.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Sound,
    Output,
    /// None: the tests of failures skip this order.
    Nothing,
}

/// An order, how to count its executions, and its rules.
struct Order {
    name: &'static str,
    /// Gives the order; the number is 0 the first time, 1 the second.
    give: Give,
    n_done: NDone,
    /// Rules for a document closed before, and after, the job starts.
    closed: [Closed; 2],
    escape: Escape,
    fault: Fault,
}

type Give = fn(&mut TestBench, usize);
type NDone = fn(&TestBench) -> usize;

fn row(name: &'static str, give: Give, n_done: NDone, rules: ([Closed; 2], Escape, Fault)) -> Order {
    let (closed, escape, fault) = rules;
    Order { name, give, n_done, closed, escape, fault }
}

fn messages(what: &'static str) -> [Closed; 2] {
    [Closed::Told(what); 2]
}

/// Rules for an order that writes the document as it was when its job started.
fn written(what: &'static str) -> [Closed; 2] {
    [Closed::Told(what), Closed::Done]
}

fn orders() -> Vec<Order> {
    [edits(), searches(), files(), files_at_once(), others()].into_iter().flatten().collect()
}

fn has_floating(desk: &TestBench) -> usize {
    usize::from(desk.document().is_some_and(|document| document.floating().is_some()))
}

fn edits() -> Vec<Order> {
    let edit: Give = |desk, n| {
        let edit = Edit::of(Gain { gain_db: -1.0 - n as f64 }, StftParams::default());
        desk.bench.act(DocumentAct::Edit(Box::new(edit)));
    };
    // Without the first edit, which added the label.
    let n_edits: NDone = |desk| desk.document().map_or(0, |document| document.history().position().saturating_sub(1));
    let stretch: Give = |desk, _| {
        desk.bench.act(Reply::Stretch(StretchOptions { percent: 150.0, replaces: false, selected_secs: 0.25 }));
    };
    let has_levels: NDone = |desk| usize::from(matches!(desk.bench.measured_levels(), MeasuredLevels::Known(_)));
    let paste: Give = |desk, _| {
        // Drags out only the first time, since the file is written once.
        if desk.n_events(|event| matches!(event, BenchEvent::DragOut(_))) == 0 {
            desk.act(DragOutAct::Begin(Draggable::Selection));
        }
        desk.bench.act(DragOutAct::Paste(1.0));
    };
    let pasted = messages("Pasting had no effect because its file was closed.");
    let copied = written("Copying had no effect because its file was closed.");
    let stretched = messages("Stretching had no effect because its file was closed.");
    let cut = messages("Cutting to float had no effect because its file was closed.");
    vec![
        row("edit", edit, n_edits, ([Closed::Silent; 2], Escape::Last, Fault::Sound)),
        row(
            "copy",
            |desk, _| desk.bench.act(ClipboardCommand::Copy),
            |desk| usize::from(desk.bench.facts().has_clip),
            (copied, Escape::All, Fault::Sound),
        ),
        row("paste what was dragged", paste, has_floating, (pasted, Escape::All, Fault::Sound)),
        row("stretch", stretch, has_floating, (stretched, Escape::All, Fault::Sound)),
        row(
            "cut to float",
            |desk, _| desk.bench.act(ClipboardCommand::CutToFloat),
            has_floating,
            (cut, Escape::All, Fault::Sound),
        ),
        row(
            "normalise",
            |desk, _| desk.bench.act(EditCommand::Normalise),
            has_levels,
            ([Closed::Done; 2], Escape::Nothing, Fault::Sound),
        ),
    ]
}

fn searches() -> Vec<Order> {
    let is_reshaped: NDone =
        |desk| usize::from(desk.document().is_some_and(|document| document.selection() != Some(&selection(SELECTED))));
    let n_speech: NDone = |desk| {
        let is_it = |messages: &&String| messages.contains("speech found") || messages.contains("found and selected");
        desk.messages().iter().filter(is_it).count()
    };
    let similar = messages("Finding similar sound had no effect because its file was closed.");
    let selected = messages("Selecting had no effect because its file was closed.");
    let speech = messages("Finding speech had no effect because its file was closed.");
    let damage = messages("Finding damage had no effect because its file was closed.");
    vec![
        row(
            "find similar",
            |desk, _| desk.bench.act(FindCommand::Next),
            is_reshaped,
            (similar, Escape::All, Fault::Sound),
        ),
        row(
            "grow",
            |desk, _| desk.bench.act(SelectCommand::Grow),
            is_reshaped,
            (selected, Escape::All, Fault::Nothing),
        ),
        row(
            "learn noise",
            |desk, _| desk.bench.act(FindCommand::LearnNoise),
            |desk| usize::from(desk.bench.tools().noise().is_some()),
            ([Closed::Done; 2], Escape::All, Fault::Sound),
        ),
        row(
            "find speech",
            |desk, _| desk.bench.act(FindCommand::Seek(Seek::Speech)),
            n_speech,
            (speech, Escape::All, Fault::Sound),
        ),
        row(
            "find damage",
            |desk, _| desk.bench.act(FindCommand::Damage),
            |desk| desk.messages().iter().filter(|messages| messages.contains("amage found")).count(),
            (damage, Escape::All, Fault::Sound),
        ),
    ]
}

const PROJECT: &str = "save a project";
/// Both orders overwrite the same file, so `left` cannot tell which of them ran.
const SAVE_BACK: &str = "save back";

/// Orders that wait until the edits of their document are applied.
fn files() -> Vec<Order> {
    let exported = written("out-0.flac was not exported because its file was closed.");
    let saved = written("out-0.sonobrush was not saved because its file was closed.");
    let drawn = written("No picture was made because its file was closed.");
    let parted = written("parts was not exported because its file was closed.");
    let parts: Give = |desk, n| {
        let document = desk.document().map_or(0, |document| document.id());
        let options = PartsOptions { document, pattern: format!("part-{n}"), ..PartsOptions::default() };
        desk.bench.act(Reply::ExportParts(Box::new(options), desk.output.join("parts")));
    };
    vec![
        row(
            "export",
            |desk, n| desk.write(|_| Purpose::Export(ExportOptions::default()), n, ".flac"),
            |desk| desk.n_written(".flac"),
            (exported, Escape::Last, Fault::Sound),
        ),
        row(
            "export by label",
            parts,
            |desk| (0..2).filter(|n| has_any(&desk.output.join("parts"), &format!("part-{n}"), ".wav")).count(),
            (parted, Escape::Last, Fault::Sound),
        ),
        row(
            PROJECT,
            |desk, n| desk.write(|_| Purpose::Project(ProjectSaveOptions::default()), n, ".sonobrush"),
            |desk| desk.n_written(".sonobrush"),
            (saved, Escape::Last, Fault::Output),
        ),
        row(
            SAVE_BACK,
            |desk, _| desk.bench.act(FileCommand::SaveBack),
            |desk| desk.n_events(|event| matches!(event, BenchEvent::SavedBack(_))),
            ([Closed::Silent, Closed::Done], Escape::Last, Fault::Sound),
        ),
        row(
            "save a picture",
            |desk, n| desk.write(Purpose::Picture, n, ".png"),
            |desk| desk.n_written(".png"),
            (drawn, Escape::Last, Fault::Output),
        ),
        row(
            "save cells",
            |desk, n| desk.write(Purpose::Cells, n, ".exr"),
            |desk| (0..2).filter(|&n| has_any(&desk.output, &format!("out-{n}"), "exr")).count(),
            (drawn, Escape::Last, Fault::Sound),
        ),
    ]
}

/// Orders that start without waiting for edits.
fn files_at_once() -> Vec<Order> {
    let n_tables: NDone = |desk| desk.n_written(".csv");
    vec![
        row(
            "export labels",
            |desk, n| desk.write(Purpose::Labels, n, ".csv"),
            n_tables,
            ([Closed::Done; 2], Escape::Last, Fault::Output),
        ),
        row(
            "measure labels",
            |desk, n| desk.write(Purpose::Measurements, n, ".csv"),
            n_tables,
            ([Closed::Done; 2], Escape::Last, Fault::Sound),
        ),
        row(
            "save the pitch line",
            |desk, n| desk.write(Purpose::Pitch, n, ".csv"),
            n_tables,
            ([Closed::Done; 2], Escape::Last, Fault::Sound),
        ),
        row(
            "drag out",
            |desk, _| desk.bench.act(DragOutAct::Begin(Draggable::Selection)),
            |desk| desk.n_events(|event| matches!(event, BenchEvent::DragOut(_))).min(1),
            ([Closed::Done; 2], Escape::All, Fault::Sound),
        ),
    ]
}

fn others() -> Vec<Order> {
    let open: Give = |desk, n| {
        let path = desk.folder.path().join(format!("note-{n}.wav"));
        if desk.output.exists() {
            std::fs::copy(desk.folder.path().join("sound.wav"), &path).unwrap();
        }
        desk.bench.act(FileAct::Open(vec![path]));
    };
    let run: Give = |desk, _| {
        let script = desk.folder.path().join("script.json");
        let edits = vec![Edit::of(Gain { gain_db: -6.0 }, StftParams::default())];
        std::fs::write(&script, Script::from(edits).to_json()).unwrap();
        let name = NamePattern::RELATIVE.into();
        let order = RunFilesOrder {
            options: RunFilesOptions { name, ..RunFilesOptions::default() },
            inputs: vec![desk.folder.path().join("sound.wav")],
            script: Some(script),
            output: desk.output.join("painted"),
        };
        desk.bench.act(Reply::RunFiles(Box::new(order)));
    };
    let keep: Give = |desk, n| {
        let answer = PresetAnswer::Keep(format!("preset {n}"), Box::default());
        desk.bench.act(Reply::Preset(answer));
    };
    let n_opened: NDone =
        |desk| desk.bench.documents().iter().filter(|document| document.name().starts_with("note")).count();
    vec![
        row("open", open, n_opened, ([Closed::Done; 2], Escape::All, Fault::Output)),
        row(
            "run on files",
            run,
            |desk| usize::from(has_any(&desk.output.join("painted"), "sound", ".wav")),
            ([Closed::Done; 2], Escape::All, Fault::Nothing),
        ),
        row(
            "keep a preset",
            keep,
            |desk| desk.messages().iter().filter(|messages| messages.starts_with("Saved the preset")).count(),
            ([Closed::Done; 2], Escape::Nothing, Fault::Nothing),
        ),
    ]
}

fn has_any(folder: &Path, stem: &str, ending: &str) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with(stem) && name.ends_with(ending)
    };
    files.into_iter().any(|path| is_it(&path))
}

#[test]
fn what_is_ordered_is_done_and_says_so_once() {
    for order in orders() {
        let mut desk = TestBench::new();
        assert_eq!((order.n_done)(&desk), 0, "{}", order.name);
        (order.give)(&mut desk, 0);
        desk.settle();
        assert_eq!((order.n_done)(&desk), 1, "{}: {:?}", order.name, desk.messages());
        assert!(desk.n_errors() == 0 && !desk.bench.is_working(), "{}: {:?}", order.name, desk.messages());
    }
}

#[test]
fn stale_an_order_whose_file_was_closed_is_told_or_needs_it_no_more() {
    for order in orders() {
        for (has_begun, closed) in [false, true].into_iter().zip(order.closed) {
            let (mut desk, name) = (TestBench::new(), order.name);
            (order.give)(&mut desk, 0);
            if has_begun {
                // The frame starts the job, which is queued but does not run yet.
                desk.frame();
            }
            desk.close();
            desk.settle();
            let (n_done, messages) = ((order.n_done)(&desk), desk.messages());
            let n_reported = |what: &str| messages.iter().filter(|messages| messages.starts_with(what)).count();
            match closed {
                Closed::Told(what) => {
                    assert_eq!((n_reported(what), n_done), (1, 0), "{name}, {has_begun}: {messages:?}")
                }
                Closed::Silent => assert_eq!((messages.len(), n_done), (0, 0), "{name}, {has_begun}: {messages:?}"),
                Closed::Done => assert_eq!(n_done, 1, "{name}, {has_begun}: {messages:?}"),
            }
            assert!(desk.n_errors() == 0 && !desk.bench.is_working(), "{name}: {messages:?}");
        }
    }
}

#[test]
fn cancelled_an_order_that_is_taken_back_does_nothing_and_says_nothing() {
    for order in orders().into_iter().filter(|order| order.escape != Escape::Nothing) {
        let (mut desk, name) = (TestBench::new(), order.name);
        (order.give)(&mut desk, 0);
        // A frame would make the session's thread write the project, possibly before Escape; the job only waits for it.
        if name != PROJECT {
            desk.frame();
        }
        let own = desk.messages();
        desk.bench.act(Act::Cancel);
        desk.settle();
        let after: Vec<String> = desk.messages().into_iter().filter(|messages| !own.contains(messages)).collect();
        // Orders that write several files may report that they were stopped, and what they wrote before.
        let sayings = ["The run over files was stopped.", "The export was stopped; no file was written."];
        let may_say = after.iter().all(|messages| sayings.iter().any(|saying| messages.starts_with(saying)));
        assert!((order.n_done)(&desk) == 0 && may_say, "{name}: {after:?}");
        assert!(desk.n_errors() == 0 && !desk.bench.is_working(), "{name}");
        // The order can be given again.
        (order.give)(&mut desk, 1);
        desk.settle();
        assert_eq!((order.n_done)(&desk), 1, "{name}: {:?}", desk.messages());
    }
}

#[test]
fn unreadable_an_order_that_cannot_be_done_is_one_error_and_the_next_goes_on() {
    for order in orders().into_iter().filter(|order| order.fault != Fault::Nothing) {
        let (mut desk, name) = (TestBench::new(), order.name);
        if order.fault == Fault::Sound {
            desk.break_sound()
        } else {
            desk.break_output()
        }
        (order.give)(&mut desk, 0);
        (order.give)(&mut desk, 1);
        desk.settle();
        let errors = desk.bench.notices().all().iter().filter(|notice| notice.severity == Severity::Error);
        let errors: Vec<String> = errors.map(|notice| notice.words()).collect();
        assert!(!errors.is_empty() && (order.n_done)(&desk) == 0, "{name}: {:?}", desk.messages());
        // At most one error per order.
        assert!(errors.len() <= 2, "{name}: {errors:?}");
        assert!(!desk.bench.is_working(), "{name}");
        // With a readable sound and an existing output folder, the order succeeds.
        desk.output = desk.folder.path().to_path_buf();
        desk.close();
        desk.open("sound-1.wav");
        (order.give)(&mut desk, 1);
        desk.settle();
        let n_done = (order.n_done)(&desk);
        assert!(n_done > 0, "{name}: {:?}", desk.messages());
    }
}

/// Numbers of the orders, 0 or 1, that left a file or a history entry.
fn left(desk: &TestBench) -> Vec<usize> {
    let is_left = |n: &usize| {
        let gain = Brush::from(Gain { gain_db: -1.0 - *n as f64 });
        let entries = desk.document().map(|document| document.history().entries());
        let mut edits = entries.into_iter().flatten().filter_map(|entry| entry.edit.as_ref());
        edits.any(|edit| edit.brush == gain)
            || has_any(&desk.output, &format!("out-{n}"), "")
            || has_any(&desk.output.join("parts"), &format!("part-{n}"), "")
    };
    (0..2).filter(is_left).collect()
}

#[test]
fn escape_takes_back_what_was_ordered_last_or_all_of_it() {
    for order in orders() {
        let (mut desk, name) = (TestBench::new(), order.name);
        (order.give)(&mut desk, 0);
        desk.frame();
        (order.give)(&mut desk, 1);
        desk.bench.take_events();
        desk.bench.act(Act::Cancel);
        let has_stopped = !desk.bench.take_events().iter().any(|event| matches!(event, BenchEvent::NothingToCancel));
        desk.settle();
        let n_done = (order.n_done)(&desk);
        let is_right = match order.escape {
            Escape::Last => has_stopped && n_done == 1 && (left(&desk) == [0] || name == SAVE_BACK),
            Escape::All => has_stopped && n_done == 0,
            Escape::Nothing => !has_stopped && n_done > 0,
        };
        assert!(
            is_right,
            "{name}: stopped {has_stopped}, {n_done} done, {:?} left, {:?}",
            left(&desk),
            desk.messages()
        );
    }
}
