//! Rules for results that follow the display (`Latest`).

use super::{TestBench, selection};
use document::Edit;
use document::brushes::Gain;
use dsp::StftParams;
use workbench::commands::{PlayCommand, ToolCommand};
use workbench::{Act, BenchEvent, ClippingShown, DocumentAct, LabelAct, Tool, ViewAct};

type Show = fn(&mut TestBench);
type Answer = fn(&TestBench) -> Option<String>;

const PITCH_LINE: &str = "pitch line";

/// A result that follows the display: how to request it, and its text.
struct Follower {
    name: &'static str,
    /// Sets the state that `show` requires.
    prepare: Show,
    /// Changes the display so that the next frame requests a result that no earlier frame has requested.
    show: Show,
    answer: Answer,
    /// Whether it follows the selection.
    is_of_selection: bool,
}

fn followers() -> Vec<Follower> {
    let follower =
        |name, show: Show, answer: Answer| Follower { name, prepare: |_| {}, show, answer, is_of_selection: false };
    let select: Show = |desk| desk.bench.act(DocumentAct::Select(Some(selection([1.25, 1.5]))));
    let of_selection = |name, answer: Answer| Follower { is_of_selection: true, ..follower(name, select, answer) };
    let show_label: Show = |desk| {
        let id = desk.document().and_then(|document| document.history().labels().iter().next()).unwrap().id;
        desk.bench.act(LabelAct::GoTo(id));
    };
    let edit: Show =
        |desk| desk.act(DocumentAct::Edit(Box::new(Edit::of(Gain { gain_db: -6.0 }, StftParams::default()))));
    let show_difference: Show = |desk| desk.bench.act(PlayCommand::Delta);
    let difference: Answer = |desk| desk.bench.monitor().difference().map(|level| format!("{level:?}"));
    let clipping: Answer = |desk| match desk.bench.export_shown(desk.document()).clipping {
        ClippingShown::Known(clipping) => Some(format!("{clipping:?}")),
        ClippingShown::Pending | ClippingShown::Refused(_) => None,
    };
    let classes: Answer = |desk| {
        let classes = desk.bench.labels().suggested_classes();
        (!classes.is_empty()).then(|| format!("{classes:?}"))
    };
    vec![
        of_selection("figures", |desk| desk.document()?.figures().map(|figures| format!("{figures:?}"))),
        of_selection("extent of the spectrum", |desk| desk.bench.extent().map(|extent| format!("{extent:?}"))),
        follower(
            "slice of the spectrum",
            |desk| desk.spectrum_secs = 0.75,
            |desk| desk.bench.slice().map(|slice| format!("{slice:?}")),
        ),
        follower(
            PITCH_LINE,
            |desk| desk.bench.act(ViewAct::PitchLine(true)),
            |desk| desk.document()?.pitch_line().map(|line| format!("{line:?}")),
        ),
        follower("forecast of an export", |desk| desk.export.is_selection = true, clipping),
        follower("measures of a label", show_label, |desk| {
            desk.bench.labels().measures().map(|measures| format!("{measures:?}"))
        }),
        follower("classes of labels", |desk| desk.bench.act(ToolCommand::Pick(Tool::Label)), classes),
        Follower { prepare: edit, ..follower("level of a difference", show_difference, difference) },
    ]
}

#[test]
fn stale_an_answer_is_that_of_what_is_shown_now() {
    for follower in followers().into_iter().filter(|follower| follower.is_of_selection) {
        let name = follower.name;
        let shown = |secs: &[[f64; 2]]| {
            let mut desk = TestBench::new();
            (follower.show)(&mut desk);
            for secs in secs {
                // The frame queues a job, which does not run before `settle`.
                desk.bench.act(DocumentAct::Select(Some(selection(*secs))));
                desk.frame();
            }
            desk.settle();
            (follower.answer)(&desk).unwrap_or_else(|| panic!("{name}: no answer"))
        };
        let [first, second] = [[0.5, 0.75], [1.0, 1.5]];
        assert_eq!(shown(&[first, second]), shown(&[second]), "{name}");
        assert_ne!(shown(&[first]), shown(&[second]), "{name}: the control");
    }
}

#[test]
fn cancelled_what_nobody_looks_at_any_more_says_nothing() {
    for follower in followers() {
        let (mut desk, name) = (TestBench::new(), follower.name);
        (follower.prepare)(&mut desk);
        (follower.show)(&mut desk);
        desk.frame();
        desk.close();
        desk.settle();
        assert!(desk.n_errors() == 0 && !desk.bench.is_working(), "{name}: {:?}", desk.messages());
    }
}

#[test]
fn unreadable_what_has_no_answer_is_not_asked_for_again() {
    for follower in followers() {
        let name = follower.name;
        let shown = |is_broken: bool| {
            let mut desk = TestBench::new();
            (follower.prepare)(&mut desk);
            if is_broken {
                desk.break_sound();
            }
            (follower.show)(&mut desk);
            let n_run = desk.settle();
            (desk, n_run)
        };
        let (desk, _) = shown(false);
        assert!((follower.answer)(&desk).is_some(), "{name}: the control");
        let (mut desk, n_requested) = shown(true);
        let n_again: usize = (0..3).map(|_| desk.settle()).sum();
        assert!(n_requested > 0 && n_again == 0, "{name}: {n_requested} jobs, then {n_again}");
        assert!(desk.n_errors() <= 1, "{name}: {:?}", desk.messages());
        if follower.is_of_selection {
            assert_eq!((follower.answer)(&desk), None, "{name}");
        }
    }
}

#[test]
fn escape_stops_nothing_that_follows_what_is_shown_but_the_pitch_line() {
    for follower in followers() {
        let (mut desk, name) = (TestBench::new(), follower.name);
        (follower.prepare)(&mut desk);
        (follower.show)(&mut desk);
        desk.frame();
        desk.bench.take_events();
        desk.bench.act(Act::Cancel);
        let is_nothing = desk.bench.take_events().iter().any(|event| matches!(event, BenchEvent::NothingToCancel));
        desk.settle();
        let is_pitch = name == PITCH_LINE;
        // Escape hides the pitch line: otherwise its slow computation would restart at once.
        assert_eq!((is_nothing, (follower.answer)(&desk).is_some()), (!is_pitch, !is_pitch), "{name}");
    }
}
