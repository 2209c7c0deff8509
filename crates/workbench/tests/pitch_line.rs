//! The harmonics tool on the pitch line, by acts: it follows a voice whose fundamental is missing.

use super::services::services;
use document::Snapshot;
use dsp::selections::mask;
use dsp::{CellRect, Selection, Shape};
use engine::Engine;
use media::Source;
use std::f64::consts::TAU;
use support::signals::noise;
use view::grid_of;
use workbench::{Act, DocumentAct, FileAct, Jobs, SelectRequest, ShapeSearch, ViewAct, Workbench};

const RATE: u32 = 16_000;
/// Partials of the voice; the fundamental is missing, as over a telephone.
const PARTIALS: std::ops::RangeInclusive<u32> = 2..=8;
/// Start and end of each passage in which the voice sounds, in seconds.
const VOICED_SECS: [[f64; 2]; 2] = [[0.2, 0.8], [1.1, 1.8]];

/// A pitch that glides down an octave and a half within two seconds.
fn glide_hz(secs: f64) -> f64 {
    260.0 * (-0.75 * secs).exp2()
}

/// Two seconds of a voice with the pitch `hz(secs)`, in quiet noise.
fn voice(hz: fn(f64) -> f64) -> Snapshot {
    let mut turns = 0.0;
    let mut samples = noise(2 * RATE as usize, 0.001, 3);
    for (at, sample) in samples.iter_mut().enumerate() {
        let secs = at as f64 / f64::from(RATE);
        turns += hz(secs) / f64::from(RATE);
        if VOICED_SECS.iter().any(|[start, end]| (start..end).contains(&&secs)) {
            *sample += PARTIALS.map(|k| 0.1 * (TAU * f64::from(k) * turns).sin()).sum::<f64>() as f32;
        }
    }
    Snapshot::new(Source::from_channels(vec![samples], RATE).unwrap())
}

struct TestBench {
    bench: Workbench,
    jobs: Jobs,
    _folder: tempfile::TempDir,
}

impl TestBench {
    fn on(sound: Snapshot) -> TestBench {
        let folder = tempfile::tempdir().unwrap();
        let services = services(folder.path());
        let jobs = services.jobs.clone();
        let mut desk = TestBench { bench: Workbench::new(services, Engine::cpu()), jobs, _folder: folder };
        desk.act(FileAct::Show(sound));
        desk
    }

    fn act(&mut self, act: impl Into<Act>) {
        self.bench.act(act);
        for _ in 0..1_000 {
            self.bench.advance();
            self.bench.play();
            if self.jobs.run_until_idle() == 0 && self.bench.is_idle() {
                return;
            }
        }
        panic!("the workbench does not settle");
    }

    /// The selection after a click of the harmonics tool at `at` (seconds and hertz), or after a drag from there to
    /// `until_secs`.
    fn harmonics(&mut self, at: [f64; 2], until_secs: Option<f64>) -> Option<Selection> {
        self.act(DocumentAct::Select(None));
        let near_hz = [0.96, 1.04].map(|by| by * at[1]);
        let secs = until_secs.map(|until| [at[0], until]);
        let what = ShapeSearch::Harmonics { at, near_hz, secs, count: 8, width_hz: 60.0 };
        self.act(DocumentAct::Find(SelectRequest { combine: None, what }));
        self.bench.document().unwrap().selection().cloned()
    }

    /// Fraction of the energy in a time range that a selection contains.
    fn part_inside(&self, selection: &Selection, secs: [f64; 2]) -> f64 {
        let document = self.bench.document().unwrap();
        let (sound, transform) = (document.shown(), &document.view().transform);
        let grid = grid_of(sound, transform);
        let frames = secs.map(|secs| grid.frame_from_secs(secs).round() as usize);
        let rect = CellRect::new(frames[0]..frames[1], 0..grid.n_bins());
        let inside = mask::evaluate(&grid, None, Some(selection), 1.0, &rect).values;
        let plan = Engine::cpu().plans().view(transform, f64::from(RATE)).unwrap();
        let analysis = view::Analysis::new(sound, view::ChannelView::All, plan).unwrap();
        let magnitude = analysis.region(rect.frames.clone()).unwrap().into_magnitude();
        let energy = |(cell, part): (&f32, &f32)| f64::from(*cell).powi(2) * f64::from(*part);
        let all: f64 = magnitude.iter().map(|cell| f64::from(*cell).powi(2)).sum();
        magnitude.iter().zip(&inside).map(energy).sum::<f64>() / all
    }
}

#[test]
fn harmonics_follow_the_line_of_a_voice_without_its_fundamental() {
    let mut desk = TestBench::on(voice(glide_hz));
    let at = [0.5, glide_hz(0.5)];
    let inside = |desk: &TestBench, selection: Option<Selection>, secs: [f64; 2]| {
        selection.map_or(0.0, |selection| desk.part_inside(&selection, secs))
    };
    let hidden = desk.harmonics(at, None);
    let without = inside(&desk, hidden, [0.25, 0.75]);
    assert!(without < 0.5, "at the missing fundamental nothing is found: {without}");
    desk.act(ViewAct::PitchLine(true));
    // A click selects the note at its time.
    let note = desk.harmonics(at, None).unwrap();
    let followed = desk.part_inside(&note, [0.25, 0.75]);
    assert!(followed > 0.95, "{followed}");
    let [Some([start, end]), _] = note.extent() else { panic!("{note:?}") };
    assert!((start - 0.2).abs() < 0.05 && (end - 0.8).abs() < 0.05, "{start} to {end} s");
    // A drag selects the voiced passages between its start and end, without the pause between them.
    let both = desk.harmonics(at, Some(1.6)).unwrap();
    for secs in [[0.55, 0.75], [1.15, 1.55]] {
        let followed = desk.part_inside(&both, secs);
        assert!(followed > 0.95, "{secs:?}: {followed}");
    }
    assert!(desk.part_inside(&both, [0.9, 1.0]) < 0.01 && desk.part_inside(&both, [0.25, 0.45]) < 0.01);
    // Away from the pitch line, the tool follows a partial as if no line were shown.
    let third = desk.harmonics([0.5, 3.0 * glide_hz(0.5)], None).unwrap();
    assert!(desk.part_inside(&third, [0.25, 0.75]) < 0.6);
}

#[test]
fn harmonics_on_the_line_of_a_steady_voice_are_bands_of_one_pitch() {
    let mut desk = TestBench::on(voice(|_| 187.5));
    desk.act(ViewAct::PitchLine(true));
    let found = desk.harmonics([0.5, 187.5], None).unwrap();
    let Shape::Harmonics { f0_hz, count, secs: Some(secs), .. } = found.shapes[0].1 else { panic!("{found:?}") };
    assert!((f0_hz - 187.5).abs() < 1.0 && count == 8, "{f0_hz} Hz, {count}");
    assert!((secs[0] - 0.2).abs() < 0.05 && (secs[1] - 0.8).abs() < 0.05, "{secs:?}");
}
