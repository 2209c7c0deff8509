//! Several documents on one workbench, without a window: each keeps its own edits.

use super::services::services;
use document::brushes::Gain;
use document::{Edit, Snapshot, apply, erasing};
use dsp::{Axis, Selection, StftParams};
use engine::Engine;
use std::path::PathBuf;
use std::sync::Arc;
use support::wav::clip;
use view::Colormap;
use workbench::commands::{Command, EditCommand, FileCommand, WindowCommand};
use workbench::{
    Act, BenchEvent, ChannelView, DocumentAct, FileAct, Jobs, OpenDocument, Panes, Purpose, Question, Readout, Reply,
    Services, SetClock, TabAct, Then, Tool, View, ViewAct, Workbench,
};

struct TestBench {
    bench: Workbench,
    jobs: Jobs,
    clock: SetClock,
    folder: tempfile::TempDir,
}

impl TestBench {
    fn new() -> TestBench {
        TestBench::in_folder(tempfile::tempdir().unwrap())
    }

    fn in_folder(folder: tempfile::TempDir) -> TestBench {
        let clock = SetClock::default();
        let services = Services { clock: Arc::new(clock.clone()), ..services(folder.path()) };
        let jobs = services.jobs.clone();
        TestBench { bench: Workbench::new(services, Engine::cpu()), jobs, clock, folder }
    }

    /// Kills the program and starts it again.
    fn restarted(self) -> TestBench {
        let TestBench { bench, folder, .. } = self;
        drop(bench);
        // Waits until the sessions' threads have released the locks of their folders.
        std::thread::sleep(std::time::Duration::from_millis(500));
        TestBench::in_folder(folder)
    }

    /// Advances until idle.
    fn settle(&mut self) {
        for _ in 0..1000 {
            self.bench.advance();
            self.bench.play();
            if self.jobs.run_until_idle() == 0 && self.bench.is_idle() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("the workbench does not settle");
    }

    fn open(&mut self, name: &str) -> u64 {
        self.bench.act(FileAct::Open(vec![clip(name)]));
        self.settle();
        self.bench.documents().active_id().unwrap()
    }

    fn document(&self, id: u64) -> &OpenDocument {
        self.bench.documents().get(id).unwrap()
    }

    fn order(&mut self, id: u64, edit: &Edit) {
        self.bench.act(TabAct::Activate(id));
        self.bench.act(DocumentAct::Edit(Box::new(edit.clone())));
    }
}

fn erase(document: &OpenDocument, secs: [f64; 2]) -> Edit {
    let selection = Selection::rectangle(Some(secs), None, [0.0, 0.0], Axis::Linear);
    erasing(selection, document.view().channels.edited(), document.view().transform.clone())
}

fn bits(snapshot: &Snapshot) -> Vec<u32> {
    let mut samples = vec![0.0f32; snapshot.n_samples() as usize];
    let read = |channel| {
        snapshot.read(channel, 0, &mut samples).unwrap();
        samples.iter().map(|sample| sample.to_bits()).collect::<Vec<u32>>()
    };
    (0..snapshot.n_channels()).flat_map(read).collect()
}

/// The sound after some edits, computed without a workbench.
fn expected(document: &OpenDocument, edits: &[&Edit]) -> Vec<u32> {
    let progress = base::Progress::new();
    let after = edits.iter().fold(document.history().original().clone(), |snapshot, edit| {
        apply(&snapshot, edit, &Engine::cpu(), &progress).unwrap().snapshot
    });
    bits(&after)
}

#[test]
fn two_documents_are_edited_by_turns_and_each_has_its_own_edits() {
    let mut desk = TestBench::new();
    let hiss = desk.open("vinyl_hiss_44k_stereo.flac");
    let drums = desk.open("drum_break_44k_stereo.flac");
    let edits: Vec<Edit> = (0..4)
        .map(|i| {
            let at_secs = 0.1 + 0.2 * f64::from(i);
            erase(desk.document(if i % 2 == 0 { hiss } else { drums }), [at_secs, at_secs + 0.1])
        })
        .collect();
    // Both have edits in flight before any is applied.
    for (i, edit) in edits.iter().enumerate() {
        desk.order(if i % 2 == 0 { hiss } else { drums }, edit);
    }
    desk.bench.advance();
    assert!(desk.document(hiss).edits().is_busy() && desk.document(drums).edits().is_busy());
    desk.settle();
    for (id, own) in [(hiss, [&edits[0], &edits[2]]), (drums, [&edits[1], &edits[3]])] {
        let document = desk.document(id);
        assert_eq!(document.history().position(), 2);
        assert_eq!(bits(document.history().current()), expected(document, &own));
    }
    // Undo in one document leaves the other unchanged.
    let mine = bits(desk.document(drums).history().current());
    desk.bench.act(TabAct::Activate(hiss));
    desk.bench.act(EditCommand::Undo);
    desk.settle();
    assert_eq!(bits(desk.document(hiss).history().current()), expected(desk.document(hiss), &[&edits[0]]));
    assert_eq!(bits(desk.document(drums).history().current()), mine);
    // Control: the two differ.
    assert_ne!(bits(desk.document(hiss).history().current()), mine);
}

/// The sound that an edit is computed for is still current when the edit is done: any other change waits or cancels the
/// edit.
#[test]
fn the_history_stays_where_it_is_while_an_edit_is_in_progress() {
    let mut desk = TestBench::new();
    let id = desk.open("drum_break_44k_stereo.flac");
    let [first, second, third] = [0.1, 0.3, 0.5].map(|at_secs| erase(desk.document(id), [at_secs, at_secs + 0.1]));
    desk.order(id, &first);
    desk.settle();
    desk.bench.act(EditCommand::Undo);
    desk.settle();
    desk.order(id, &second);
    desk.bench.advance();
    for act in [Act::from(EditCommand::Redo), DocumentAct::GoTo(1).into(), EditCommand::Redo.into()] {
        desk.bench.act(act);
        desk.bench.advance();
        assert_eq!(desk.document(id).history().position(), 0);
    }
    desk.settle();
    let history = &desk.document(id).history();
    assert_eq!((history.position(), history.entries().len()), (1, 2), "what was undone is gone");
    assert_eq!(bits(history.current()), expected(desk.document(id), &[&second]));
    // Undo cancels the edit in progress.
    desk.order(id, &third);
    desk.bench.advance();
    desk.bench.act(EditCommand::Undo);
    desk.settle();
    assert_eq!(desk.document(id).history().position(), 1);
    assert_eq!(bits(desk.document(id).history().current()), expected(desk.document(id), &[&second]));
    let messages: Vec<&str> = desk.bench.notices().all().iter().map(|notice| notice.what.as_str()).collect();
    assert!(!messages.iter().any(|what| what.contains("in the meantime")), "{messages:?}");
}

#[test]
fn a_document_closes_while_its_edit_runs_and_the_other_is_saved() {
    let mut desk = TestBench::new();
    let crow = desk.open("crow_44k_mono.flac");
    let speech = desk.open("speech_16k_mono.wav");
    let (ours, theirs) = (erase(desk.document(speech), [0.5, 0.6]), erase(desk.document(crow), [0.1, 0.2]));
    desk.order(crow, &theirs);
    desk.settle();
    assert!(desk.document(crow).history().original().store().ram_bytes() > 0);
    let theirs = erase(desk.document(crow), [0.3, 0.4]);
    desk.order(speech, &ours);
    desk.order(crow, &theirs);
    desk.bench.advance();
    // Closing the document would lose an edit in progress, so the user is asked about it.
    desk.bench.act(TabAct::Close(crow));
    let requested =
        desk.bench.take_events().into_iter().any(|event| matches!(event, BenchEvent::Ask(Question::Unsaved { .. })));
    assert!(requested && desk.bench.documents().active_id() == Some(crow));
    let history = desk.document(crow).history().original().store().clone();
    desk.bench.act(Reply::Discard { document: crow, then: Then::Close(crow) });
    assert!(desk.bench.documents().get(crow).is_none());
    desk.settle();
    assert_eq!(desk.bench.documents().len(), 1);
    assert_eq!((history.ram_bytes(), history.disk_bytes()), (0, 0), "the blocks of the closed document are freed");

    let project: PathBuf = desk.folder.path().join("speech.sonobrush");
    let options = workbench::ProjectSaveOptions::default();
    let (purpose, replaces) = (Purpose::Project(options), Some(project.clone()));
    desk.bench.act(Reply::Path { purpose, path: project.clone(), replaces });
    desk.settle();
    let document = desk.document(speech);
    assert!(project.exists() && !document.has_unsaved_edits());
    assert_eq!(bits(document.history().current()), expected(document, &[&ours]));
}

#[test]
fn sessions_bring_every_document_back_and_one_that_is_damaged_does_not_take_the_others_along() {
    let mut desk = TestBench::new();
    let names = ["crow_44k_mono.flac", "speech_16k_mono.wav"];
    let ids = names.map(|name| desk.open(name));
    for id in ids {
        let edit = erase(desk.document(id), [0.1, 0.2]);
        desk.order(id, &edit);
    }
    desk.settle();
    let saved = |desk: &TestBench| {
        ids.iter().all(|&id| desk.document(id).session().writer().is_some_and(|writer| writer.is_saved(1)))
    };
    wait(&mut desk, saved);
    let after = ids.map(|id| bits(desk.document(id).history().current()));
    let folders = ids.map(|id| desk.document(id).session().folder().unwrap());
    assert_ne!(folders[0], folders[1], "a folder each");
    let mut desk = desk.restarted();
    desk.bench.act(FileAct::LookForSessions { agreed: Some(true), files: Vec::new() });
    desk.settle();
    let mut found: Vec<(String, Vec<u32>)> =
        desk.bench.documents().iter().map(|one| (one.name(), bits(one.history().current()))).collect();
    found.sort();
    assert_eq!(found.len(), 2);
    for ((name, samples), (own, wanted)) in found.iter().zip(names.iter().zip(&after)) {
        assert!(name.starts_with(own) && samples == wanted, "{name}");
    }
    // If one session is damaged, the other is still restored.
    desk.clock.advance(10.0);
    desk.settle();
    wait(&mut desk, |desk| desk.bench.documents().iter().all(|one| one.session().folder().is_some()));
    let folders: Vec<PathBuf> = desk.bench.documents().iter().filter_map(|one| one.session().folder()).collect();
    let mut desk = desk.restarted();
    for file in std::fs::read_dir(&folders[0]).unwrap() {
        let file = file.unwrap().path();
        if file.is_file() && std::fs::metadata(&file).unwrap().len() > 4096 {
            std::fs::write(&file, vec![0x5a; 8192]).unwrap();
        }
    }
    desk.bench.act(FileAct::LookForSessions { agreed: Some(true), files: Vec::new() });
    desk.settle();
    assert_eq!(desk.bench.documents().len(), 1);
    assert!(desk.bench.notices().log().any(|one| one.what.contains("was moved to")));
}

#[test]
fn the_end_asks_about_each_document_and_keeping_one_keeps_all() {
    let mut desk = TestBench::new();
    let ids = ["vinyl_hiss_44k_stereo.flac", "drum_break_44k_stereo.flac"].map(|name| desk.open(name));
    for id in ids {
        let edit = erase(desk.document(id), [0.1, 0.2]);
        desk.order(id, &edit);
    }
    desk.settle();
    let requested = |desk: &mut TestBench| {
        desk.bench.take_events().into_iter().find_map(|event| match event {
            BenchEvent::Ask(Question::Unsaved { document, .. }) => Some(document),
            _ => None,
        })
    };
    desk.bench.take_events();
    desk.bench.act(FileCommand::Quit);
    assert_eq!(requested(&mut desk), Some(ids[0]));
    // A file opened meanwhile comes to the front, but the answer still applies to the first document.
    desk.open("crow_44k_mono.flac");
    desk.bench.act(Reply::Discard { document: ids[0], then: Then::Quit });
    assert_eq!(requested(&mut desk), Some(ids[1]));
    desk.bench.act(Reply::KeepEditing);
    assert!(ids.iter().all(|&id| !desk.document(id).session().is_discarded()), "a signal that ends it loses nothing");
    // Quitting again asks about the first document again.
    desk.bench.act(FileCommand::Quit);
    assert_eq!(requested(&mut desk), Some(ids[0]));
    for id in ids {
        desk.bench.act(Reply::Discard { document: id, then: Then::Quit });
    }
    let has_ended = desk.bench.take_events().into_iter().any(|event| matches!(event, BenchEvent::Quit));
    assert!(has_ended, "both were agreed to be lost");
}

#[test]
fn what_only_a_window_can_do_comes_back_and_what_is_disabled_does_nothing() {
    let mut desk = TestBench::new();
    desk.bench.act(WindowCommand::Palette);
    desk.bench.act(EditCommand::Undo);
    desk.bench.act(Act::Cancel);
    let events = desk.bench.take_events();
    let palette = Command::Window(WindowCommand::Palette);
    let [BenchEvent::Perform(command), BenchEvent::NothingToCancel] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(*command, palette);
}

#[test]
fn a_view_and_settings_are_set_value_by_value() {
    let mut desk = TestBench::new();
    let id = desk.open("crow_44k_mono.flac");
    let before = desk.document(id).view().clone();
    // Lists every field, so that a new field of `View` must be added here to compile.
    let after = View {
        secs: [0.1, 0.2],
        hz: [100.0, 200.0],
        axis: Axis::Mel,
        panes: Panes::Both,
        channels: ChannelView::One(0),
        transform: StftParams { n_fft: 512, hop: 128, ..StftParams::default() }.into(),
        colormap: Colormap::Magma,
        range_db: [-90.0, -10.0],
        raw_phase: true,
        smooth: false,
        stacked: true,
        range_locked: false,
        waveform: 0.25,
        time_of_day: true,
        beat_lines: false,
        pitch_line: true,
    };
    let acts = ViewAct::between(&before, &after);
    assert_eq!(acts.len(), 16);
    acts.into_iter().for_each(|act| desk.bench.act(act));
    assert_eq!(*desk.document(id).view(), after);
    assert_eq!(ViewAct::between(&after, &after), []);
    desk.bench.act(ViewAct::Channels(ChannelView::One(7)));
    assert_eq!(*desk.document(id).view(), after, "there is no such channel");

    let mut settings = desk.bench.tools().settings().clone();
    settings.keep(Gain { gain_db: 3.0 }.into());
    desk.bench.act(Act::Tools(Box::new(settings)));
    assert_eq!(
        (desk.bench.tools().brush(), desk.bench.tools().active()),
        (Some(Gain { gain_db: 3.0 }.into()), Tool::GAIN)
    );
}

fn wait(desk: &mut TestBench, holds: impl Fn(&TestBench) -> bool) {
    for _ in 0..2000 {
        if holds(desk) {
            return;
        }
        desk.settle();
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    panic!("it does not come");
}

/// Dropped files belong at the pointer's position when dropped, not when they are read.
#[test]
fn what_is_dropped_floats_from_where_it_was_let_go() {
    let mut desk = TestBench::new();
    let point = |desk: &mut TestBench, secs: f64| {
        let readout = Readout { secs, hz: 1_000.0, peak_hz: None, level_db: None, phase_turns: None };
        desk.bench.act(DocumentAct::Point(Some(readout)));
    };
    let drums = desk.open("drum_break_44k_stereo.flac");
    let (score, picture) = (desk.folder.path().join("note.json"), desk.folder.path().join("white.png"));
    let note = r#"{"version": 1, "timbre": "organ", "notes": [{"pitch": "A4", "start": 0, "duration": 0.1}]}"#;
    std::fs::write(&score, note).unwrap();
    image::GrayImage::from_pixel(4, 4, image::Luma([255])).save(&picture).unwrap();
    for file in [&score, &picture] {
        point(&mut desk, 0.25);
        desk.bench.act(FileAct::Open(vec![file.clone()]));
        point(&mut desk, 0.75);
        desk.settle();
        let floating = desk.document(drums).floating().unwrap();
        let begins = floating.selection().extent()[0].unwrap()[0];
        assert!((begins - 0.25).abs() < 1e-3, "{begins} s, {}", file.display());
        desk.bench.act(Act::Cancel);
    }
    // If a sound dropped together with notes comes to the front, the notes float over it, at its cursor.
    point(&mut desk, 0.25);
    desk.bench.act(FileAct::Open(vec![clip("vinyl_hiss_44k_stereo.flac"), score]));
    desk.settle();
    let hiss = desk.bench.document().unwrap();
    assert!(hiss.id() != drums && hiss.floating().unwrap().offset[0] == hiss.cursor_secs());
}
