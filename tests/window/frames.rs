//! The UI thread's work and waits, frame by frame, on a file of ten minutes. Only in an optimised build.

use super::rig::Rig;
use super::studio::{Studio, is_at_rest};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the UI thread may work, and wait in our own locks and channels, on one frame.
const MAX_MILLIS: f64 = 8.0;
/// Fonts, icons and pipelines are made in the first frames.
const FRAMES_BEFORE: usize = 10;
const RATE_HZ: u32 = 44_100;
const SECS: u32 = 600;

/// One line of the file that the studio writes.
#[derive(Debug, Clone, Copy)]
struct Frame {
    logic: f64,
    ui: f64,
    waited: f64,
}

impl Frame {
    fn worked(&self) -> f64 {
        self.logic + self.ui
    }
}

/// Ten minutes in stereo: tones that come and go over noise.
fn write_long(path: &Path) {
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: RATE_HZ,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    let mut seed = 1u32;
    let period: Vec<i16> = (0..10 * RATE_HZ)
        .map(|n| {
            let secs = f64::from(n) / f64::from(RATE_HZ);
            let tone = (std::f64::consts::TAU * 200.0 * (1.0 + (secs * 7.0).floor()) * secs).sin() * 6_000.0;
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            tone as i16 + ((seed >> 20) as i16 - 2_048) / 4
        })
        .collect();
    let mut writer_16 = writer.get_i16_writer(2 * SECS * RATE_HZ);
    for n in 0..(SECS * RATE_HZ) as usize {
        writer_16.write_sample(period[n % period.len()]);
        writer_16.write_sample(period[(n + 12_345) % period.len()]);
    }
    writer_16.flush().unwrap();
    writer.finalize().unwrap();
}

pub struct Frames {
    file: PathBuf,
    n_seen: usize,
    is_short: bool,
}

impl Frames {
    pub fn of(studio: &Studio<'_>) -> Frames {
        Frames { file: studio.path("frames"), n_seen: 0, is_short: true }
    }

    /// Whether every frame that was noted was short.
    pub fn is_short(&self) -> bool {
        self.is_short
    }

    fn all(&self) -> Vec<Frame> {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let frame = |line: &str| {
            let numbers: Vec<f64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
            let [_, logic, ui, waited] = numbers.try_into().ok()?;
            Some(Frame { logic, ui, waited })
        };
        // The last line may be half written.
        let n_whole = text.matches('\n').count();
        text.lines().take(n_whole).filter_map(frame).collect()
    }

    /// What was drawn since this was asked last, under a name for the reader.
    pub fn note(&mut self, phase: &str) {
        let all = self.all();
        let first = self.n_seen.max(FRAMES_BEFORE).min(all.len());
        let frames = &all[first..];
        self.n_seen = all.len();
        let max = |figure: &dyn Fn(&Frame) -> f64| frames.iter().map(figure).fold(0.0, f64::max);
        let mut worked: Vec<f64> = frames.iter().map(Frame::worked).collect();
        worked.sort_by(f64::total_cmp);
        println!(
            "  {phase}: {} frames, median {:.2} ms, most {:.2} ms (logic {:.2}, ui {:.2}), waited {:.2} ms at most",
            frames.len(),
            worked.get(worked.len() / 2).copied().unwrap_or_default(),
            max(&Frame::worked),
            max(&|frame| frame.logic),
            max(&|frame| frame.ui),
            max(&|frame| frame.waited),
        );
        self.is_short &= is_short(frames, MAX_MILLIS);
    }
}

fn is_short(frames: &[Frame], max_millis: f64) -> bool {
    frames.iter().all(|frame| frame.worked() <= max_millis && frame.waited <= max_millis)
}

/// Turns the wheel where the pointer is, and lets each turn be seen or not, as a hand does.
fn zoom(studio: &Studio<'_>, n_notches: usize, ctrl: bool) {
    for _ in 0..n_notches {
        studio.wheel_up(ctrl);
    }
    studio.wait("the view", |state| is_at_rest(state).then_some(()));
}

pub fn no_frame_takes_long(rig: &Rig) {
    if !rig.is_optimised() {
        println!("  only in an optimised build: scripts/test --long");
        return;
    }
    let file = rig.path("ten-minutes.wav");
    write_long(&file);
    // What else runs may take the caches away; a frame that is long by itself is long each time.
    assert!((0..3).any(|_| one_session(rig, &file)), "the UI thread worked or waited more than {MAX_MILLIS} ms");
}

fn one_session(rig: &Rig, file: &Path) -> bool {
    let studio = rig.start_studio(&[file]);
    let mut frames = Frames::of(&studio);
    studio.wait("the file on the canvas", |state| (state["document"].is_object() && is_at_rest(state)).then_some(()));
    studio.take_focus();
    frames.note("opened");

    let pane = studio.pane();
    let middle = [(pane.rect[0] + pane.rect[2] / 2.0) as i64, (pane.rect[1] + pane.rect[3] / 2.0) as i64];
    studio.point(middle);
    for _ in 0..5 {
        zoom(&studio, 4, false);
        zoom(&studio, 1, true);
    }
    zoom(&studio, 12, false);
    frames.note("zoomed in");
    for key in ["2", "shift+m", "Tab"] {
        studio.key(key);
    }
    std::thread::sleep(Duration::from_millis(500));
    frames.note("keys");

    // At this scale and then at that of a hundred seconds, and over the whole file.
    for (round, key) in ["4", "3", "5"].into_iter().enumerate() {
        studio.key(key);
        let at = |step: i32| [middle[0] - 200 + 4 * i64::from(step), middle[1] - 60 + i64::from(step % 40)];
        let steps: Vec<[i64; 2]> = (0..60).map(at).collect();
        studio.drag(&steps);
        studio.wait("the edit", |state| is_at_rest(state).then_some(()));
        frames.note(&format!("painted {}", round + 1));
        studio.point(middle);
        for _ in 0..10 {
            studio.wheel_down();
        }
        studio.wait("the view", |state| is_at_rest(state).then_some(()));
        frames.note("zoomed out");
    }

    studio.key("space");
    studio.wait("the sound to begin", |state| (state["playing"] == true).then_some(()));
    std::thread::sleep(Duration::from_secs(2));
    for _ in 0..4 {
        studio.wheel_up(false);
        std::thread::sleep(Duration::from_millis(100));
    }
    studio.press(true);
    for step in 0..40 {
        studio.point([middle[0] + 3 * step, middle[1] + step]);
    }
    std::thread::sleep(Duration::from_secs(1));
    studio.press(false);
    std::thread::sleep(Duration::from_secs(2));
    studio.key("space");
    studio.wait("rest", |state| (state["playing"] == false && is_at_rest(state)).then_some(()));
    frames.note("played");

    for _ in 0..4 {
        studio.key("ctrl+z");
    }
    studio.wait("the undone", |state| (state["document"]["position"] == 0 && is_at_rest(state)).then_some(()));
    frames.note("undone");

    let all = frames.all();
    assert!(all.len() > 100, "{} frames", all.len());
    // The controls: the figures are no zeros, and a bound that is too low is broken.
    assert!(!is_short(&all[FRAMES_BEFORE..], 0.05));
    frames.is_short
}
