//! Recording: the file contains the input bit for bit and survives any failure.

use audio::playback::CallbackTimeouts as DevicePatience;
use audio::recording::{
    Capture, CaptureEnd, CapturePhase, Captured, Dropout, InputRequest, Microphone, PlantedInput, RecordingSpace,
};
use base::{ErrorKind, Space};
use media::{GrowingWav, OpenOptions, Source};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::heap::heap_calls;
use support::snapshots::{bits, open, samples};

const RATE: u32 = 8_000;
const TIMEOUT: Duration = Duration::from_secs(20);

/// A recorder on an open planted device, and a folder for its file.
struct TestRecorder {
    capture: Capture,
    microphone: Microphone,
    folder: tempfile::TempDir,
}

/// Sample `i` of the test sound: never 0, exact in 32 bits, and different from the 8,190 samples before it.
fn sound(i: u64) -> f32 {
    ((i % 8_191) as f32 + 1.0) / 16_384.0
}

/// `n` interleaved frames of the test sound from frame `first`; the samples of a frame differ between channels.
fn frames(first: u64, n: u64, n_channels: u64) -> Vec<f32> {
    (first * n_channels..(first + n) * n_channels).map(sound).collect()
}

fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !holds() {
        assert!(Instant::now() < deadline, "never came: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl TestRecorder {
    fn new(n_device_channels: usize, request: InputRequest) -> TestRecorder {
        let (input, microphone) = PlantedInput::new(RATE, n_device_channels);
        let capture = Capture::new(Box::new(input));
        capture.listen(request);
        assert!(capture.wait(TIMEOUT));
        assert_eq!(capture.status().phase, CapturePhase::Listening);
        TestRecorder { capture, microphone, folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("a.wav")
    }

    fn record(&self, room: RecordingSpace) {
        self.capture.record(self.path(), room);
        assert!(self.capture.wait(TIMEOUT));
    }

    fn captured(&self) -> Captured {
        let mut found = Vec::new();
        wait_for("the end of the recording", || {
            found.extend(self.capture.take_captured());
            !found.is_empty()
        });
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    fn stopped(&self) -> Captured {
        self.capture.stop();
        self.captured()
    }
}

fn assert_holds(path: &Path, channel: usize, wanted: impl Iterator<Item = f32>) {
    let (found, wanted): (Vec<f32>, Vec<f32>) = (samples(&open(path), channel), wanted.collect());
    assert_eq!(found.len(), wanted.len());
    let wrong = bits(&found).iter().zip(bits(&wanted)).position(|(found, wanted)| *found != wanted);
    assert_eq!(wrong, None, "channel {channel}");
}

#[test]
fn what_comes_in_is_in_the_file_to_the_bit() {
    let desk = TestRecorder::new(3, InputRequest { n_channels: Some(2), ..InputRequest::default() });
    assert!(desk.microphone.speak(&frames(5_000, 700, 3)), "before the recording");
    desk.record(RecordingSpace::default());
    let mut n = 0;
    // Blocks of uneven lengths; 8,000 frames are one second.
    for length in [1, 1_023, 0, 8_000, 64, 17, 8_000, 333] {
        assert!(desk.microphone.speak(&frames(n, length, 3)));
        n += length;
    }
    let captured = desk.stopped();
    assert_eq!((captured.n_frames, captured.end.clone()), (n, CaptureEnd::Stopped));
    assert_eq!(captured.notices(), [""; 0]);
    assert_eq!((captured.format.rate_hz, captured.format.n_channels), (RATE, 2));
    for channel in 0..2 {
        assert_holds(&captured.path, channel, (0..n).map(|i| sound(3 * i + channel as u64)));
    }
    // The device stays open. The next recording contains no frames from before its start.
    std::fs::remove_file(&captured.path).unwrap();
    desk.microphone.speak(&frames(100, 50, 3));
    desk.record(RecordingSpace::default());
    desk.microphone.speak(&frames(200, 50, 3));
    assert_holds(&desk.stopped().path, 0, (200..250).map(|i| sound(3 * i)));
    desk.capture.close();
    wait_for("the device closed", || !desk.microphone.is_open());
    assert_eq!(desk.capture.status().phase, CapturePhase::Closed);
}

#[test]
fn lost_samples_are_silence_of_their_length_and_told() {
    let desk = TestRecorder::new(1, InputRequest::default());
    desk.record(RecordingSpace::default());
    desk.microphone.speak(&frames(0, 100, 1));
    // The ring holds 8 s, or 64,000 frames, so 100,000 frames at once overflow it.
    desk.microphone.speak(&frames(100, 100_000, 1));
    wait_for("an empty ring", || {
        desk.capture.wait(TIMEOUT);
        desk.capture.status().n_frames >= 60_000
    });
    desk.microphone.speak(&frames(100_100, 300, 1));
    wait_for("the rest", || {
        desk.capture.wait(TIMEOUT);
        desk.capture.status().n_lost > 0
    });
    // Overflows the ring again at the end of the recording.
    desk.microphone.speak(&frames(100_400, 70_000, 1));
    let captured = desk.stopped();
    assert_eq!(captured.n_frames, 170_400, "none is missing, none doubled");
    let [first, last] = captured.dropouts[..] else { panic!("{:?}", captured.dropouts) };
    assert!(first.n_frames >= 36_000 && first.at + first.n_frames == 100_100, "{first:?}");
    assert!(last.n_frames >= 5_900 && last.at + last.n_frames == 170_400, "{last:?}");
    let is_lost = |i: u64| [first, last].iter().any(|Dropout { at, n_frames }| (*at..at + n_frames).contains(&i));
    assert_holds(&captured.path, 0, (0..170_400).map(|i| if is_lost(i) { 0.0 } else { sound(i) }));
    let [notice] = &captured.notices()[..] else { panic!("{:?}", captured.notices()) };
    let n_lost = first.n_frames + last.n_frames;
    assert!(notice.contains(&format!("{n_lost} samples were lost")), "{notice}");
    let at = [first, last].map(|dropout| base::clock_from_secs(dropout.at as f64 / 8_000.0));
    assert!(at.iter().all(|at| notice.contains(&format!("{at} ("))), "{notice}: {at:?}");
}

#[test]
fn gaps_that_the_system_reports_are_told() {
    let desk = TestRecorder::new(1, InputRequest::default());
    desk.microphone.report_gap();
    desk.record(RecordingSpace::default());
    desk.microphone.speak(&frames(0, 10, 1));
    desk.microphone.report_gap();
    let captured = desk.stopped();
    assert_eq!((captured.n_reported, captured.notices().len()), (1, 1), "the one from before does not count");
}

#[test]
fn a_full_disk_stops_the_recording_and_keeps_what_there_is() {
    let desk = TestRecorder::new(2, InputRequest::default());
    let room = |free: u64| RecordingSpace {
        reserve_bytes: Some(1_000_000),
        max_frames: None,
        is_private: false,
        pretended: Some(Space { size: 1 << 40, free: 1_000_000 + free }),
    };
    // Space for less than one second (64,000 bytes), so the recording does not start.
    desk.record(room(60_000));
    let fault = desk.capture.status().fault.unwrap();
    assert_eq!(fault.kind(), ErrorKind::DiskFull);
    assert!(!desk.path().exists());

    desk.capture.listen(InputRequest::default());
    desk.record(room(100_000));
    for second in 0..4 {
        desk.microphone.speak(&frames(4_000 * second, 4_000, 2));
        desk.capture.wait(TIMEOUT);
    }
    let captured = desk.captured();
    let CaptureEnd::Disk(why) = &captured.end else { panic!("{:?}", captured.end) };
    assert_eq!(why.kind(), ErrorKind::DiskFull);
    assert_eq!(captured.n_frames, 12_000, "96,000 of 100,000 bytes");
    assert_holds(&captured.path, 1, (0..12_000).map(|i| sound(2 * i + 1)));
    // The worker answers a wait before it publishes its status, so only after a second wait is the status up to date.
    assert!((0..2).all(|_| desk.capture.wait(TIMEOUT)));
    assert_eq!(desk.capture.status().phase, CapturePhase::Listening, "the device is still there");
}

#[test]
fn a_lost_device_keeps_what_there_is() {
    let desk = TestRecorder::new(1, InputRequest::default());
    desk.record(RecordingSpace::default());
    desk.microphone.speak(&frames(0, 5_000, 1));
    desk.microphone.set_present(false);
    let captured = desk.captured();
    assert!(matches!(captured.end, CaptureEnd::Lost(_)), "{:?}", captured.end);
    assert_holds(&captured.path, 0, (0..5_000).map(sound));
    wait_for("the end of the device", || desk.capture.status().phase == CapturePhase::Closed);
    assert!(desk.capture.status().fault.unwrap().message().contains("disconnected"));
    // The device is connected again.
    desk.microphone.set_present(true);
    desk.capture.listen(InputRequest::default());
    assert!(desk.capture.wait(TIMEOUT) && desk.microphone.is_open());
}

#[test]
fn a_device_that_stops_answering_keeps_what_there_is() {
    let (input, microphone) = PlantedInput::new(RATE, 1);
    microphone.set_timeouts(Some(DevicePatience::always(Duration::from_millis(200))));
    let capture = Capture::new(Box::new(input));
    let folder = tempfile::tempdir().unwrap();
    capture.listen(InputRequest::default());
    capture.record(folder.path().join("a.wav"), RecordingSpace::default());
    assert!(capture.wait(TIMEOUT));
    microphone.speak(&frames(0, 500, 1));
    let desk = TestRecorder { capture, microphone, folder };
    let captured = desk.captured();
    assert!(matches!(&captured.end, CaptureEnd::Lost(why) if why.message().contains("stopped responding")));
    assert_eq!(captured.n_frames, 500);
}

#[test]
fn errors_that_pass_do_not_end_a_recording_and_those_that_stay_do() {
    let desk = TestRecorder::new(1, InputRequest::default());
    desk.record(RecordingSpace::default());
    let began = Instant::now();
    let mut n = 0;
    while began.elapsed() < Duration::from_millis(800) {
        desk.microphone.report_trouble();
        assert!(desk.microphone.speak(&frames(n, 10, 1)));
        n += 10;
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(desk.capture.status().phase, CapturePhase::Recording);
    wait_for("the failure", || {
        desk.microphone.report_trouble();
        desk.capture.status().phase == CapturePhase::Closed
    });
    let captured = desk.captured();
    assert!(matches!(&captured.end, CaptureEnd::Lost(why) if why.message().contains("was disconnected")));
    assert_eq!(captured.n_frames, n);
}

#[test]
fn the_input_callback_neither_allocates_nor_frees() {
    let desk = TestRecorder::new(2, InputRequest::default());
    desk.record(RecordingSpace::default());
    let input = frames(0, 20_000, 2);
    // Enough frames to overflow the ring, since the callback must not allocate in that case either.
    for _ in 0..8 {
        let n = desk.microphone.speak_watched(&input, |run| heap_calls(run)).unwrap();
        assert_eq!(n, 0);
    }
    desk.stopped();
}

#[test]
fn levels_and_clips_are_those_of_what_came_in() {
    let desk = TestRecorder::new(2, InputRequest::default());
    desk.microphone.speak(&[0.25, -0.5, 0.125, 1.0]);
    let mut levels = desk.capture.take_levels();
    wait_for("the levels", || {
        levels.join(&desk.capture.take_levels());
        levels.peaks.iter().any(|peak| *peak > 0.0)
    });
    assert_eq!((levels.peaks, levels.clipped), (vec![0.25, 1.0], vec![false, true]));
}

#[test]
fn a_file_that_was_not_finished_holds_all_that_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wav");
    let mut wav = GrowingWav::create(&path, 44_100, 3).unwrap();
    wav.append(&frames(0, 1_000, 3)).unwrap();
    wav.append_silence(7).unwrap();
    drop(wav);
    let wanted = |i: u64| if i < 1_000 { sound(3 * i + 2) } else { 0.0 };
    assert_holds(&path, 2, (0..1_007).map(wanted));
    // Simulates a file that ends within a frame: 9 of 12 bytes.
    let mut file = std::fs::File::options().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut file, &[1; 9]).unwrap();
    let left = GrowingWav::left(&path).unwrap();
    assert_eq!(left.n_frames(), 1_007);
    left.finish().unwrap();
    assert_holds(&path, 2, (0..1_007).map(wanted));
    let opened = Source::open(&path, &base::Progress::new()).unwrap();
    assert_eq!(opened.notices, [""; 0]);
    assert!(GrowingWav::create(&path, 44_100, 3).is_err(), "a recording replaces nothing");
    std::fs::write(&path, b"RIFF is not all that it takes to be a recording of ours, it needs much more than this")
        .unwrap();
    assert_eq!(GrowingWav::left(&path).unwrap_err().kind(), ErrorKind::Malformed);
}

#[test]
fn a_recording_over_4_gib_is_whole_finished_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wav");
    let mut wav = GrowingWav::create(&path, 48_000, 2).unwrap();
    wav.append(&frames(0, 10, 2)).unwrap();
    // Extends the file by a hole, which takes no disk space.
    let n_frames = (5u64 << 30) / 8;
    let head = wav.handle().unwrap().metadata().unwrap().len() - 80;
    wav.handle().unwrap().set_len(head + 8 * n_frames).unwrap();
    drop(wav);
    let check = || {
        let options = OpenOptions { memory_bytes: 1 << 20, ..OpenOptions::default() };
        let source = Source::open_with(&path, &options, &|_| (), &base::Progress::new()).unwrap();
        assert_eq!((source.source.info().n_samples, source.notices.len()), (n_frames, 0));
        let mut out = [1.0; 12];
        source.source.read(1, 5, &mut out).unwrap();
        assert_eq!(out[..5], [11, 13, 15, 17, 19].map(sound));
        assert_eq!(out[5..], [0.0; 7]);
    };
    check();
    GrowingWav::left(&path).unwrap().finish().unwrap();
    let mut start = [0; 4];
    std::io::Read::read_exact(&mut std::fs::File::open(&path).unwrap(), &mut start).unwrap();
    assert_eq!(&start, b"RF64");
    check();
}
