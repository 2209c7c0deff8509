//! The beat grid without a window: tapped, found in a sound, and kept with the document.

use super::services::services;
use document::{BeatGrid, Snapshot};
use dsp::{Axis, Selection};
use engine::Engine;
use media::Source;
use std::path::Path;
use workbench::commands::{BeatCommand, EditCommand, FileCommand};
use workbench::{
    BeatAnswer, BeatOptions, BeatTaps, BenchEvent, DocumentAct, FileAct, FoundBeat, Jobs, ProjectSaveOptions, Purpose,
    Question, Reply, Workbench,
};

const RATE: f64 = 22_050.0;

struct TestBench {
    bench: Workbench,
    jobs: Jobs,
}

impl TestBench {
    fn in_folder(folder: &Path) -> TestBench {
        let services = services(folder);
        let jobs = services.jobs.clone();
        TestBench { bench: Workbench::new(services, Engine::cpu()), jobs }
    }

    fn settle(&mut self) {
        for _ in 0..2000 {
            self.bench.advance();
            self.bench.play();
            if self.jobs.run_until_idle() == 0 && self.bench.is_idle() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("the workbench does not settle");
    }

    fn show(&mut self, sound: Vec<f32>) -> u64 {
        let source = Source::from_channels(vec![sound], RATE as u32).unwrap();
        self.bench.act(FileAct::Show(Snapshot::new(source)));
        self.settle();
        self.bench.documents().active_id().unwrap()
    }

    /// Opens the card of the beat grid; returns its options.
    fn requested(&mut self) -> BeatOptions {
        self.bench.take_events();
        self.bench.act(BeatCommand::Grid);
        let mut events = self.bench.take_events();
        let Some(BenchEvent::Ask(Question::Beat(options))) = events.pop() else { panic!("{events:?}") };
        options
    }

    fn grid(&self) -> Option<BeatGrid> {
        self.bench.document().unwrap().beat().copied()
    }
}

fn series(from_secs: f64, interval_secs: f64, n: usize) -> Vec<f64> {
    (0..n).map(|k| from_secs + k as f64 * interval_secs).collect()
}

fn tapped(taps: &[f64]) -> Option<f64> {
    let mut all = BeatTaps::default();
    taps.iter().fold(None, |_, &at| all.tap(at))
}

#[test]
fn a_tempo_is_tapped_by_a_hand_that_wavers_slips_and_pauses() {
    assert_eq!(tapped(&[1.0]), None, "one tap has no tempo");
    assert!((tapped(&series(1.0, 0.5, 4)).unwrap() - 120.0).abs() < 1e-9);
    let wavering: Vec<f64> = series(0.0, 0.6, 9)
        .iter()
        .zip([0.0, 0.02, -0.015, 0.01, -0.02, 0.018, -0.01, 0.0, 0.005])
        .map(|(a, b)| a + b)
        .collect();
    assert!((tapped(&wavering).unwrap() - 100.0).abs() < 1.0, "{:?}", tapped(&wavering));
    // A missed tap, and an accidental double tap.
    let left_out: Vec<f64> =
        series(0.0, 0.5, 8).into_iter().enumerate().filter(|(k, _)| *k != 4).map(|(_, at)| at).collect();
    assert!((tapped(&left_out).unwrap() - 120.0).abs() < 1e-6, "{:?}", tapped(&left_out));
    let mut slipped = series(0.0, 0.5, 8);
    slipped.insert(4, 1.56);
    assert!((tapped(&slipped).unwrap() - 120.0).abs() < 4.0, "{:?}", tapped(&slipped));
    // A pause of 2 s or more starts a new series.
    let again = [series(0.0, 0.5, 6), series(4.6, 0.75, 4)].concat();
    assert!((tapped(&again).unwrap() - 80.0).abs() < 1e-6, "{:?}", tapped(&again));
    // Only the most recent taps count, and the tempo is clamped to its range.
    let slower = [series(0.0, 0.3, 20), series(6.2, 0.5, 13)].concat();
    assert!((tapped(&slower).unwrap() - 120.0).abs() < 1e-6, "{:?}", tapped(&slower));
    assert_eq!(tapped(&series(0.0, 0.05, 8)), Some(BeatGrid::TEMPO_BPM[1]));
}

fn noise(n: usize, level: f32) -> Vec<f32> {
    let mut state = 1u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 9) as f32 / (1 << 22) as f32 - 1.0) * level
    };
    (0..n).map(|_| next()).collect()
}

/// Decaying noise bursts at `bpm` beats per minute, the first at `first_secs`, in a sound of `secs` seconds.
fn strokes(bpm: f64, first_secs: f64, secs: f64) -> Vec<f32> {
    let (mut sound, burst) = (vec![0.0; (secs * RATE) as usize], noise(4_000, 0.5));
    let mut beat = 0.0;
    while first_secs + beat * 60.0 / bpm < secs - 0.2 {
        let first = ((first_secs + beat * 60.0 / bpm) * RATE) as usize;
        for (k, sample) in burst.iter().enumerate() {
            sound[first + k] += sample * (-(k as f32) / 700.0).exp();
        }
        beat += 1.0;
    }
    sound
}

#[test]
fn tempo_and_first_beat_are_found_in_a_sound_and_none_where_there_is_no_beat() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestBench::in_folder(folder.path());
    let id = desk.show(strokes(100.0, 0.4, 12.0));
    desk.requested();
    assert_eq!(desk.bench.found_beat(), FoundBeat::Unasked);
    desk.bench.act(Reply::Beat(BeatAnswer::Find(id)));
    assert_eq!(desk.bench.found_beat(), FoundBeat::Pending, "in a job");
    desk.settle();
    let FoundBeat::Found { tempo_bpm, first_secs } = desk.bench.found_beat() else {
        panic!("{:?}", desk.bench.found_beat())
    };
    assert!((tempo_bpm - 100.0).abs() < 0.5 && (first_secs - 0.4).abs() < 0.005, "{tempo_bpm} {first_secs}");
    assert_eq!(desk.grid(), None, "it is only found");
    for sound in [noise(200_000, 0.3), vec![0.0; 200_000], strokes(100.0, 0.4, 2.0)] {
        let id = desk.show(sound);
        desk.requested();
        desk.bench.act(Reply::Beat(BeatAnswer::Find(id)));
        desk.settle();
        assert_eq!(desk.bench.found_beat(), FoundBeat::None);
    }
}

#[test]
fn a_grid_is_set_moved_and_removed_beside_the_history() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestBench::in_folder(folder.path());
    desk.show(strokes(100.0, 0.4, 4.0));
    let options = desk.requested();
    assert_eq!((options.tempo_bpm, options.beats_a_bar, options.has_grid), (120.0, 4, false));
    desk.bench.act(Reply::Beat(BeatAnswer::Set(BeatOptions {
        tempo_bpm: 100.0,
        beats_a_bar: 3,
        is_shown: false,
        ..options
    })));
    assert_eq!(desk.grid(), Some(BeatGrid::new(100.0, 3, 0.0).unwrap()));
    assert!(desk.bench.document().unwrap().shown_beat().is_none());
    desk.bench.act(BeatCommand::Lines);
    assert!(desk.bench.document().unwrap().shown_beat().is_some());
    desk.bench.act(DocumentAct::Cursor(0.4));
    desk.bench.act(BeatCommand::FirstBar);
    let moved = Some(BeatGrid::new(100.0, 3, 0.4).unwrap());
    assert_eq!(desk.grid(), moved);
    // Deleting time and undoing that do not move the grid.
    desk.bench.act(DocumentAct::Select(Some(Selection::rectangle(Some([0.0, 0.3]), None, [0.0; 2], Axis::Linear))));
    desk.bench.act(EditCommand::DeleteTime);
    desk.settle();
    assert_eq!((desk.bench.document().unwrap().history().position(), desk.grid()), (1, moved));
    desk.bench.act(EditCommand::Undo);
    assert_eq!(desk.grid(), moved);
    assert!(desk.requested().has_grid);
    desk.bench.act(BeatCommand::Remove);
    assert_eq!((desk.grid(), desk.bench.document().unwrap().history().entries().len()), (None, 2));
}

#[test]
fn the_grid_survives_a_kill_and_comes_with_the_project_and_its_copy() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestBench::in_folder(folder.path());
    let id = desk.show(strokes(100.0, 0.4, 2.0));
    let early = Selection::rectangle(Some([0.4, 0.5]), None, [0.0; 2], Axis::Linear);
    desk.bench.act(DocumentAct::Select(Some(early)));
    desk.bench.act(EditCommand::EraseSelection);
    desk.settle();
    let options = desk.requested();
    desk.bench.act(Reply::Beat(BeatAnswer::Set(BeatOptions {
        tempo_bpm: 87.25,
        beats_a_bar: 7,
        first_bar_secs: 0.125,
        ..options
    })));
    let grid = desk.grid();
    desk.settle();
    assert!(desk.bench.document().unwrap().session().writer().unwrap().flush(std::time::Duration::from_secs(30)));
    // The grid is saved without the usual delay of 1 s: the test's clock has not advanced.
    let [first, second] = ["a.sonobrush", "b.sonobrush"].map(|name| folder.path().join(name));
    let save = |desk: &mut TestBench, path: &Path| {
        let options = ProjectSaveOptions { document: Some(id), is_embedded: true, then: None };
        desk.bench.act(Reply::Path { purpose: Purpose::Project(options), path: path.to_path_buf(), replaces: None });
        desk.settle();
        assert!(path.exists(), "{:?}", desk.bench.notices());
    };
    save(&mut desk, &first);
    assert!(!desk.bench.document().unwrap().has_unsaved_edits());
    // A changed grid counts as an unsaved change of the project, and the next save includes it.
    let options = desk.requested();
    desk.bench.act(Reply::Beat(BeatAnswer::Set(BeatOptions { tempo_bpm: 90.0, ..options })));
    let later = desk.grid();
    assert!(desk.bench.document().unwrap().has_unsaved_edits());
    save(&mut desk, &second);
    assert!(!desk.bench.document().unwrap().has_unsaved_edits());
    let options = desk.requested();
    desk.bench.act(Reply::Beat(BeatAnswer::Set(BeatOptions { tempo_bpm: 91.0, ..options })));
    let last = desk.grid();
    desk.settle();
    assert!(desk.bench.document().unwrap().session().writer().unwrap().flush(std::time::Duration::from_secs(30)));
    // Dropped without ending, as if the process were killed.
    drop(desk);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let mut desk = TestBench::in_folder(folder.path());
    desk.bench.act(FileAct::LookForSessions { agreed: Some(true), files: Vec::new() });
    desk.settle();
    assert_eq!(desk.bench.documents().len(), 1, "{:?}", desk.bench.notices());
    assert_eq!(desk.grid(), last);
    assert!(desk.bench.document().unwrap().has_unsaved_edits());
    for (path, wanted) in [(first, grid), (second, later)] {
        desk.bench.act(FileAct::Open(vec![path]));
        desk.settle();
        assert_eq!(desk.grid(), wanted);
        desk.bench.act(FileCommand::Close);
        desk.settle();
    }
}
