//! Gaps in the input while recording: detected from the times of callbacks even if the system does not report them, and
//! filled with silence of the same length.

use audio::recording::{
    Capture, CapturePhase, Captured, Dropout, InputMoment, InputRequest, Microphone, PlantedInput, RecordingSpace,
};
use std::time::Duration;
use support::snapshots::{open, samples};

const RATE: u32 = 8_000;
const TIMEOUT: Duration = Duration::from_secs(20);
/// Frames per callback: 50 ms.
const BLOCK: u64 = 400;

/// A recorder on a simulated device whose clock is controlled by the test.
struct Line {
    capture: Capture,
    microphone: Microphone,
    folder: tempfile::TempDir,
    /// Number of frames that the device has captured, including lost ones.
    captured: u64,
    /// Seconds of the machine's clock per second of the device's clock.
    pace: f64,
    /// Actual and reported latency of the server, in seconds.
    latency_secs: [f64; 2],
    n_calls: u64,
}

fn sound(frame: u64) -> f32 {
    ((frame % 8_191) as f32 + 1.0) / 16_384.0
}

impl Line {
    fn new() -> Line {
        let (input, microphone) = PlantedInput::new(RATE, 1);
        let capture = Capture::new(Box::new(input));
        capture.listen(InputRequest::default());
        assert!(capture.wait(TIMEOUT));
        let folder = tempfile::tempdir().unwrap();
        Line { capture, microphone, folder, captured: 0, pace: 1.0, latency_secs: [0.03; 2], n_calls: 0 }
    }

    fn record(&self, max_frames: Option<u64>) {
        let room = RecordingSpace { max_frames, ..RecordingSpace::default() };
        self.capture.record(self.folder.path().join("a.wav"), room);
        assert!(self.capture.wait(TIMEOUT) && self.capture.status().phase == CapturePhase::Recording);
    }

    /// Runs the callback with the next block, late by `late_secs` and a jitter of 0 to 2.7 ms that varies between
    /// calls.
    fn call(&mut self, late_secs: f64) {
        let frames: Vec<f32> = (self.captured..self.captured + BLOCK).map(sound).collect();
        let secs = |frame: u64| frame as f64 / f64::from(RATE) * self.pace;
        let jitter_secs = 0.003 * (self.n_calls * 7 % 10) as f64 / 10.0;
        let called_secs = secs(self.captured + BLOCK) + self.latency_secs[0] + late_secs + jitter_secs;
        let captured_secs = secs(self.captured) + self.latency_secs[0] - self.latency_secs[1];
        assert!(self.microphone.speak_at(&frames, InputMoment { called_secs, captured_secs }));
        self.captured += BLOCK;
        self.n_calls += 1;
        // Every 3 s, waits until the recorder has emptied the ring, which holds 8 s.
        if self.n_calls.is_multiple_of(60) {
            assert!(self.capture.wait(TIMEOUT) && self.capture.wait(TIMEOUT));
        }
    }

    fn calls(&mut self, n: usize) {
        (0..n).for_each(|_| self.call(0.0));
    }

    /// Simulates frames that the device captured but never delivered.
    fn lose(&mut self, frames: u64) {
        self.captured += frames;
    }

    fn stopped(&self) -> Captured {
        self.capture.stop();
        assert!(self.capture.wait(TIMEOUT));
        let mut all = self.capture.take_captured();
        assert_eq!(all.len(), 1);
        all.remove(0)
    }
}

fn silent_from(captured: &Captured, first_frame: u64) {
    let found = samples(&open(&captured.path), 0);
    let is_lost = |at: u64| captured.gaps.iter().any(|gap| (gap.at..gap.at + gap.n_frames).contains(&at));
    let wanted = |at: u64| if is_lost(at) { 0.0 } else { sound(first_frame + at) };
    let wrong = found.iter().enumerate().position(|(at, found)| *found != wanted(at as u64));
    assert_eq!(wrong, None, "{:?}", captured.gaps);
    assert_eq!(found.len() as u64, captured.n_frames);
}

#[test]
fn what_the_system_loses_is_silence_of_its_length_and_told() {
    let mut line = Line::new();
    line.calls(20);
    line.record(None);
    let first = line.captured;
    line.calls(60);
    line.lose(2_000);
    line.calls(60);
    line.lose(777);
    line.calls(60);
    let captured = line.stopped();
    let gaps = [Dropout { at: 60 * BLOCK, n_frames: 2_000 }, Dropout { at: 2_000 + 120 * BLOCK, n_frames: 777 }];
    assert_eq!(captured.gaps, gaps);
    assert_eq!((captured.n_frames, captured.dropouts.len()), (180 * BLOCK + 2_777, 0));
    silent_from(&captured, first);
    let [notice] = &captured.notices()[..] else { panic!("{:?}", captured.notices()) };
    assert!(notice.starts_with("347 ms of the input were lost by the sound system"), "{notice}");
    assert!(notice.contains("they are silence at 0:03.000 (250 ms) and 0:06.250 (97 ms), and everything"), "{notice}");
}

#[test]
fn sound_that_comes_late_is_not_lost() {
    let late_and_burst = |line: &mut Line| {
        // No callbacks for 1.5 s, then all of them at once. Later, ten callbacks with a delay that grows to 0.45 s.
        (0..30).for_each(|k| line.call(1.5 - 0.05 * f64::from(k)));
        line.calls(20);
        (0..10).for_each(|k| line.call(0.05 * f64::from(k)));
        line.calls(20);
    };
    type Happens<'a> = &'a dyn Fn(&mut Line);
    let cases: [(&str, Happens<'_>); 5] = [
        ("late", &late_and_burst),
        ("another client makes the server hold back 0.4 s", &|line| {
            line.latency_secs = [0.43; 2];
            line.calls(60);
            line.latency_secs = [0.03; 2];
            line.calls(60);
        }),
        ("the server reports another latency", &|line| {
            line.latency_secs[1] = -0.4;
            line.calls(60);
            line.latency_secs[1] = 0.9;
            line.calls(60);
        }),
        ("a device that is slow by 500 ppm", &|line| line.calls(1_200)),
        ("less than a callback", &|line| {
            line.lose(100);
            line.calls(60);
        }),
    ];
    for (name, happens) in cases {
        let mut line = Line::new();
        line.pace = if name.contains("ppm") { 1.0005 } else { 1.0 };
        line.record(None);
        line.calls(30);
        happens(&mut line);
        line.calls(30);
        let captured = line.stopped();
        assert_eq!((&captured.gaps[..], captured.n_frames), (&[][..], line.n_calls * BLOCK), "{name}");
        assert_eq!(captured.notices(), [""; 0], "{name}");
    }
    // Control: the same delays, but with a loss in between, which must be detected.
    let mut line = Line::new();
    line.record(None);
    line.calls(30);
    late_and_burst(&mut line);
    line.lose(1_000);
    late_and_burst(&mut line);
    line.calls(30);
    let captured = line.stopped();
    assert_eq!(captured.gaps.len(), 1);
    assert!(captured.gaps[0].n_frames.abs_diff(1_000) < 30, "{:?}", captured.gaps);
}

#[test]
fn losses_before_near_the_end_and_within_a_length_are_told_rightly() {
    // A loss before the recording starts is not part of it.
    let mut line = Line::new();
    line.calls(30);
    line.lose(2_000);
    line.record(None);
    let first = line.captured;
    line.calls(60);
    let captured = line.stopped();
    assert_eq!((&captured.gaps[..], captured.n_frames), (&[][..], 60 * BLOCK));
    silent_from(&captured, first);
    // A loss half a second before the end.
    let mut line = Line::new();
    line.record(None);
    line.calls(60);
    line.lose(2_000);
    line.calls(10);
    let captured = line.stopped();
    assert_eq!(captured.gaps, [Dropout { at: 60 * BLOCK, n_frames: 2_000 }]);
    silent_from(&captured, 0);
    // A recording with a maximum length is not extended by the inserted silence.
    let mut line = Line::new();
    line.record(Some(100 * BLOCK));
    line.calls(60);
    line.lose(2_000);
    line.calls(60);
    let mut all = Vec::new();
    while all.is_empty() {
        assert!(line.capture.wait(TIMEOUT));
        all = line.capture.take_captured();
    }
    assert_eq!(all[0].n_frames, 100 * BLOCK);
    assert_eq!(all[0].gaps, [Dropout { at: 60 * BLOCK, n_frames: 2_000 }]);
    silent_from(&all[0], 0);
}

#[test]
fn a_loss_that_was_measured_is_not_told_as_one_of_unknown_length() {
    let mut line = Line::new();
    line.record(None);
    line.calls(60);
    line.lose(2_000);
    line.microphone.report_gap();
    line.calls(60);
    let captured = line.stopped();
    assert_eq!((captured.gaps.len(), captured.n_reported, captured.notices().len()), (1, 1, 1));
    assert!(captured.notices()[0].contains("250 ms"), "{:?}", captured.notices());
}

/// A reported gap that is too short to be measured is listed with its position in the file, which includes the silence
/// inserted for an earlier, measured gap.
#[test]
fn a_loss_that_is_too_short_to_measure_is_told_with_its_place() {
    let mut line = Line::new();
    line.calls(20);
    line.microphone.report_gap();
    line.record(None);
    line.calls(60);
    line.lose(2_000);
    line.microphone.report_gap();
    line.calls(60);
    // 5 ms: too short to be measured.
    line.lose(40);
    line.microphone.report_gap();
    line.calls(40);
    let captured = line.stopped();
    assert_eq!(captured.gaps, [Dropout { at: 60 * BLOCK, n_frames: 2_000 }]);
    assert_eq!((captured.n_reported, &captured.reported_at[1..]), (2, &[120 * BLOCK + 2_000][..]));
    let [measured, unmeasured] = &captured.notices()[..] else { panic!("{:?}", captured.notices()) };
    assert!(measured.contains("silence at 0:03.000, and"), "{measured}");
    assert!(unmeasured.contains("lost input once, at 0:06.250; what follows"), "{unmeasured}");
}

/// A notice names the first of many places and counts the rest.
#[test]
fn the_places_of_losses_are_named() {
    let dropout = |k: u64| Dropout { at: 8_000 * k, n_frames: 8 * k };
    let format = audio::recording::InputFormat { rate_hz: RATE, n_device_channels: 1, n_channels: 1 };
    let of = |n: u64| Captured {
        path: "a.wav".into(),
        format,
        n_frames: 1_000_000,
        dropouts: Vec::new(),
        gaps: (1..=n).map(dropout).collect(),
        n_reported: 0,
        reported_at: Vec::new(),
        end: audio::recording::CaptureEnd::Stopped,
    };
    for (n, places) in [
        (1, "1.0 ms of the input were lost by the sound system; they are silence at 0:01.000, and"),
        (3, "silence at 0:01.000 (1.0 ms), 0:02.000 (2.0 ms) and 0:03.000 (3.0 ms), and"),
        (6, "0:04.000 (4.0 ms), 0:05.000 (5.0 ms) and 1 more place, and"),
        (9, "0:05.000 (5.0 ms) and 4 more places, and"),
    ] {
        let notices = of(n).notices();
        assert!(notices.len() == 1 && notices[0].contains(places), "{notices:?}");
    }
}
