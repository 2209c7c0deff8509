//! Strokes drawn by acts alone, without a window: cells are shown and sound is played while the pen is down, and the
//! result equals a script's.

use super::services::services;
use audio::playback::{Recorder, RecordingOutput};
use base::trace::{Event, Recording, Trace};
use document::brushes::{Brush, Gain};
use document::{Edit, Snapshot, apply};
use dsp::{Axis, Point, Region, StftParams, Stroke};
use engine::Engine;
use media::Source;
use std::sync::Arc;
use support::gpu::gpu;
use support::heard::{LEVEL, RATE, TIMEOUT, amplitude, tail};
use support::signals::tone;
use view::Analysis;
use workbench::commands::PlayCommand;
use workbench::{
    ChannelView, FileAct, Jobs, Services, SetClock, ShownCells, ShownStroke, StartedStroke, StrokeAct, StrokePlace,
    Workbench,
};

const GAIN_DB: f64 = -24.0;

struct TestBench {
    bench: Workbench,
    jobs: Jobs,
    clock: Arc<SetClock>,
    recorder: Recorder,
    engine: Engine,
    shown: Vec<ShownStroke>,
    _folder: tempfile::TempDir,
}

impl TestBench {
    fn new(engine: Engine) -> TestBench {
        let folder = tempfile::tempdir().unwrap();
        let (output, recorder) = RecordingOutput::new(None, 2);
        let clock = Arc::new(SetClock::default());
        let services = Services { audio_output: Box::new(output), clock: clock.clone(), ..services(folder.path()) };
        let jobs = services.jobs.clone();
        let mut bench = Workbench::new(services, engine.clone());
        let source = Source::from_channels(vec![tone(96_000, RATE, 1_000.0, f64::from(LEVEL))], RATE as u32).unwrap();
        bench.act(FileAct::Show(Snapshot::new(source)));
        let mut desk = TestBench { bench, jobs, clock, recorder, engine, shown: Vec::new(), _folder: folder };
        desk.frames(4);
        desk
    }

    /// Advances by `n` UI frames of 16 ms, and runs queued jobs after each.
    fn frames(&mut self, n: usize) {
        for _ in 0..n {
            self.bench.advance();
            self.bench.play();
            let (shown, fault) = self.bench.take_shown(4 << 20);
            assert!(fault.is_none(), "{fault:?}");
            self.shown.extend(shown);
            self.jobs.run_until_idle();
            self.clock.advance(0.016);
        }
    }

    fn listen(&mut self, n_frames: usize) {
        for _ in 0..n_frames / 512 {
            self.frames(1);
            assert!(self.recorder.pull_ready(512, TIMEOUT));
        }
    }

    fn left(&self) -> Vec<f32> {
        self.recorder.samples().chunks(2).map(|pair| pair[0]).collect()
    }

    fn before(&self) -> Snapshot {
        self.bench.document().unwrap().history().original().clone()
    }

    fn begin(&mut self, first: Point) {
        let edit = edit(vec![first]);
        let place = StrokePlace::of_cells(self.bench.document().unwrap(), ChannelView::All);
        self.bench.act(StrokeAct::Begin(Box::new(StartedStroke { edit, place, tiles: Vec::new() })));
    }

    fn extend(&mut self, points: &[Point]) {
        self.bench.act(StrokeAct::Extend { points: points.to_vec(), tiles: Vec::new() });
    }

    fn history(&self) -> usize {
        self.bench.document().unwrap().history().position()
    }

    /// The displayed cells: those of the sound, overlaid with all stroke previews. Downloads those on the GPU.
    fn cells(&self) -> Region {
        let document = self.bench.document().unwrap();
        let plan = self.engine.plans().view(&StftParams::default().into(), RATE).unwrap();
        let analysis = Analysis::new(&self.before(), ChannelView::All, plan).unwrap();
        let mut all = analysis.region(0..analysis.grid().n_frames()).unwrap();
        for shown in &self.shown {
            match shown {
                ShownStroke::Void => all = analysis.region(0..analysis.grid().n_frames()).unwrap(),
                ShownStroke::Over(set, cells) => {
                    assert_eq!(set.document, document.id());
                    let region = match cells {
                        ShownCells::Cells(region) => region.clone(),
                        ShownCells::OnDevice(region) => self.engine.gpu().unwrap().download(region).unwrap(),
                        ShownCells::Peaks(..) => panic!("peaks are of levels"),
                    };
                    let n_bins = region.rect.bins.len();
                    for (i, frame) in region.rect.frames.clone().enumerate() {
                        let to = frame * analysis.grid().n_bins() + region.rect.bins.start;
                        all.magnitude[to..to + n_bins].copy_from_slice(&region.magnitude[i * n_bins..][..n_bins]);
                    }
                }
            }
        }
        all
    }
}

fn edit(points: Vec<Point>) -> Edit {
    let radius = [0.1, 300.0];
    let stroke = Stroke { points, axis: Axis::Linear, radius, hardness: 1.0, strength: 1.0, build_up: false };
    let brush = Brush::Gain(Gain { gain_db: GAIN_DB });
    Edit { stroke: Some(stroke), ..Edit::of(brush, StftParams::default()) }
}

fn course(n: usize) -> Vec<Point> {
    (0..n).map(|i| Point { secs: 0.4 + 1.2 * i as f64 / (n - 1) as f64, hz: 1_000.0, pressure: 1.0 }).collect()
}

fn level_db(cells: &Region, n_bins: usize, secs: f64) -> f64 {
    let at = (secs * RATE / StftParams::default().hop as f64).round() as usize * n_bins
        + (1_000.0 / RATE * StftParams::default().n_fft as f64).round() as usize;
    20.0 * f64::from(cells.magnitude[at]).log10()
}

fn is_drawn_seen_and_heard(engine: Engine) {
    let mut desk = TestBench::new(engine.clone());
    desk.bench.act(PlayCommand::Loop);
    desk.bench.act(PlayCommand::PlayStop);
    desk.listen(96_000);
    let points = course(40);
    let n_bins = StftParams::default().n_bins();
    let untouched = desk.cells();
    desk.begin(points[0]);
    desk.frames(2);
    assert!(!desk.shown.is_empty(), "a press alone is seen");
    for pair in points[1..].chunks(3) {
        desk.extend(pair);
        desk.frames(2);
    }
    assert!(desk.bench.painting().is_up_to_date() && desk.bench.painting().is_painting());
    let drawn = desk.cells();
    for secs in [0.5, 0.8, 1.0, 1.3, 1.5] {
        let by = level_db(&drawn, n_bins, secs) - level_db(&untouched, n_bins, secs);
        assert!((by - GAIN_DB).abs() < 0.01, "{by} dB at {secs} s");
    }
    for secs in [0.1, 1.8] {
        assert_eq!(level_db(&drawn, n_bins, secs), level_db(&untouched, n_bins, secs));
    }
    // The stroke is audible while the pen is down, but not in the history yet.
    desk.listen(96_000 + 8_192);
    let left = desk.left();
    let heard = tail(&left, 96_000);
    let quiet = (0..9).map(|i| amplitude(&heard[i * 9_600..][..9_600], 1_000.0)).fold(f64::INFINITY, f64::min);
    assert!(quiet < f64::from(LEVEL) / 10.0, "20 dB less somewhere in the loop: {quiet}");
    assert_eq!(desk.history(), 0);
    // The applied stroke is bit-identical to the same edit in a script.
    desk.bench.act(StrokeAct::End);
    desk.frames(200);
    assert_eq!(desk.history(), 1, "{:?}", desk.bench.notices());
    assert!(desk.bench.painting().is_at_rest());
    let expected = apply(&desk.before(), &edit(points), &engine, &Default::default()).unwrap().snapshot;
    let document = desk.bench.document().unwrap();
    let (mut ours, mut theirs) = (vec![0.0f32; 96_000], vec![0.0f32; 96_000]);
    document.history().current().read(0, 0, &mut ours).unwrap();
    expected.read(0, 0, &mut theirs).unwrap();
    assert!(ours == theirs);
}

#[test]
fn a_stroke_without_a_window_is_seen_heard_and_applied() {
    is_drawn_seen_and_heard(Engine::cpu());
}

#[test]
fn a_stroke_without_a_window_on_a_device() {
    if let Some(gpu) = gpu() {
        is_drawn_seen_and_heard(Engine::on(gpu));
    }
}

/// While nothing plays, nothing is read back from the device between press and release.
#[test]
fn a_stroke_on_a_device_is_seen_without_reading_back() {
    let Some(gpu) = gpu() else { return };
    let mut desk = TestBench::new(Engine::on(gpu));
    let points = course(30);
    // Jobs run on this thread, and other tests run on theirs, so only waits on this thread count.
    let own = std::thread::current().name().unwrap().to_owned();
    let n_waits = |trace: Trace| {
        let is_own = |event: &&Event| event.thread > 0 && trace.threads[event.thread as usize - 1] == own;
        trace.events.iter().filter(is_own).filter(|event| event.name == "wait for the GPU").count()
    };
    let recording = Recording::start();
    desk.begin(points[0]);
    for pair in points[1..].chunks(3) {
        desk.extend(pair);
        desk.frames(2);
    }
    assert_eq!(n_waits(recording.trace()), 0);
    // Control: `cells` downloads the previews, which waits for the GPU.
    let recording = Recording::start();
    desk.cells();
    assert!(n_waits(recording.trace()) > 0);
}

#[test]
fn a_stroke_that_is_dropped_leaves_those_before_it() {
    let mut desk = TestBench::new(Engine::cpu());
    let points = course(20);
    let untouched = desk.cells();
    desk.begin(points[0]);
    desk.extend(&points[1..10]);
    desk.bench.act(StrokeAct::End);
    // The first stroke is not applied yet, since its job has not run.
    let second: Vec<Point> = points[10..].iter().map(|point| Point { hz: 4_000.0, ..*point }).collect();
    desk.begin(second[0]);
    desk.extend(&second[1..]);
    desk.bench.act(StrokeAct::Cancel);
    assert!(!desk.bench.painting().is_painting());
    desk.frames(200);
    assert_eq!(desk.history(), 1);
    assert!(matches!(desk.shown.first(), Some(ShownStroke::Void)), "what was shown is void");
    let by = level_db(&desk.cells(), StftParams::default().n_bins(), 0.6)
        - level_db(&untouched, StftParams::default().n_bins(), 0.6);
    assert!((by - GAIN_DB).abs() < 0.01, "{by} dB of the first stroke");
}

/// Invalid points are refused in a sentence, and the stroke continues.
#[test]
fn points_that_are_no_numbers_are_refused() {
    let mut desk = TestBench::new(Engine::cpu());
    let points = course(20);
    desk.begin(points[0]);
    desk.extend(&[Point { secs: f64::NAN, ..points[1] }]);
    assert!(desk.bench.notices().log().any(|logged| logged.what.contains("a point of the stroke")));
    desk.extend(&points[1..]);
    desk.bench.act(StrokeAct::End);
    desk.frames(100);
    assert_eq!(desk.history(), 1);
    let entry = desk.bench.document().unwrap().history().entries().last().unwrap();
    assert_eq!(entry.edit.as_ref().unwrap().stroke.as_ref().unwrap().points, points);
    // Without a stroke in progress, these acts do nothing.
    desk.extend(&points);
    desk.bench.act(StrokeAct::End);
    desk.bench.act(StrokeAct::Cancel);
    desk.frames(10);
    assert_eq!(desk.history(), 1);
}
