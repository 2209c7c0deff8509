//! Recording in the window: the card, the finished recording, and recovery after a crash.

use super::support::studio::{Bench, CTRL, Drawing, bits};
use egui::Key;
use egui_kittest::kittest::Queryable;
use sonobrush::document::session::{GeneratedSound, SoundFolder};
use sonobrush::recording::CapturePhase;
use sonobrush::workbench::commands::FileCommand;
use sonobrush::workbench::{FileAct, Picked, RecordAnswer, Reply};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Frames until something holds.
fn wait(bench: &mut Bench, what: &str, holds: impl Fn(&Bench) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        bench.settle();
        if holds(bench) {
            return;
        }
        assert!(Instant::now() < deadline, "never came: {what}: {:?}", bench.notices());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn sound(i: usize) -> f32 {
    (i % 4_093 + 1) as f32 / 8_192.0
}

fn frames(n: usize) -> Vec<f32> {
    (0..2 * n).map(sound).collect()
}

fn phase(bench: &Bench) -> CapturePhase {
    bench.studio().workbench().recording().status.phase
}

/// The card is open, and so is the device.
fn requested(bench: &mut Bench) {
    bench.key(CTRL, Key::R);
    wait(bench, "the open input", |bench| phase(bench) == CapturePhase::Listening);
}

/// Something is being recorded.
pub fn recording(bench: &mut Bench, n_frames: usize) {
    requested(bench);
    bench.harness.get_all_by_label("Record").last().unwrap().click();
    wait(bench, "the beginning", |bench| phase(bench) == CapturePhase::Recording);
    assert!(bench.microphone.speak(&frames(n_frames)));
    let is_written = |bench: &Bench| bench.studio().workbench().recording().status.n_frames == n_frames as u64;
    wait(bench, "the sound on the disk", is_written);
}

/// Something was recorded, and is the document in front.
fn recorded(bench: &mut Bench, n_frames: usize) {
    recording(bench, n_frames);
    // The transport has one, too.
    bench.harness.get_all_by_label("Stop").last().unwrap().click();
    wait(bench, "the document", |bench| bench.studio().document().is_some());
}

/// The sounds of ours in the state folder.
fn own_sounds(state: &Path) -> Vec<PathBuf> {
    let of = |name: &str| std::fs::read_dir(state.join(name)).into_iter().flatten().flatten();
    of("recordings").chain(of("resampled")).map(|entry| entry.path()).collect()
}

fn assert_recorded(bench: &Bench, n_frames: usize) {
    for channel in 0..2 {
        let wanted: Vec<f32> = (0..n_frames).map(|i| sound(2 * i + channel)).collect();
        assert!(bits(&bench.samples(channel)) == bits(&wanted), "channel {channel}");
    }
}

#[test]
fn what_is_recorded_becomes_a_document_that_is_kept_until_it_is_given_up() {
    let mut bench = Bench::new(Drawing::None);
    let state = bench.out("state");
    requested(&mut bench);
    assert!(bench.has("Channels") && bench.has("Sample rate") && bench.has("System default"));
    bench.microphone.speak(&[0.5, 1.0, -0.25, 0.0]);
    wait(&mut bench, "the meters", |bench| {
        let meters = &bench.studio().workbench().recording().meters.channels;
        meters.len() == 2 && !meters[0].clipped && meters[1].clipped
    });
    bench.key(CTRL, Key::R);
    bench.key(egui::Modifiers::NONE, Key::Escape);
    wait(&mut bench, "the closed input", |bench| !bench.microphone.is_open());

    recorded(&mut bench, 9_600);
    assert_recorded(&bench, 9_600);
    wait(&mut bench, "the closed input", |bench| !bench.microphone.is_open());
    let document = bench.studio().document().unwrap();
    assert!(!document.name().contains("UTC"), "{}", document.name());
    assert!(document.name().starts_with("Recording 20") && document.has_unsaved_edits(), "{}", document.name());
    assert!(bench.notices().iter().any(|(_, what)| what.starts_with("Recorded 0:00.2")), "{:?}", bench.notices());
    assert!(bench.studio().recent().is_empty(), "a file of ours is none of the user's");
    assert_eq!(own_sounds(&state).len(), 1);
    bench.key(CTRL, Key::W);
    assert!(bench.has("Closing the file would lose the recording."));
    bench.click("Keep editing");
    assert_recorded(&bench, 9_600);
    bench.key(CTRL, Key::W);
    bench.click("Discard recording");
    assert!(bench.studio().document().is_none());
    assert!(own_sounds(&state).is_empty(), "its file went with it");
}

#[test]
fn an_exported_recording_is_closed_without_a_question_and_a_project_contains_it() {
    let mut bench = Bench::new(Drawing::None);
    let state = bench.out("state");
    recorded(&mut bench, 4_800);
    let project = bench.out("a.sonobrush");
    bench.dialogs.answer(Picked::File(project.clone()));
    bench.key(CTRL, Key::S);
    bench.click("Save as\u{2026}");
    assert!(project.exists() && !bench.studio().document().unwrap().has_unsaved_edits());
    bench.key(CTRL, Key::W);
    assert!(bench.studio().document().is_none());
    assert!(own_sounds(&state).is_empty());
    bench.open(project);
    bench.settle();
    assert_recorded(&bench, 4_800);
}

#[test]
fn a_window_that_is_closed_while_it_records_asks() {
    let mut bench = Bench::new(Drawing::None);
    recording(&mut bench, 4_800);
    bench.click("Hide");
    assert!(bench.has("Stop the recording"), "the status line says that it runs");
    bench.key(CTRL, Key::Q);
    assert!(bench.has("A recording is running"));
    bench.click("Keep recording");
    assert_eq!(phase(&bench), CapturePhase::Recording);
    // The card of the recording does not stand in the way of a click on the window's cross.
    bench.key(CTRL, Key::R);
    assert!(bench.has("Hide"));
    bench.act(FileCommand::Quit);
    bench.settle();
    assert!(bench.has("A recording is running") && !bench.has("Hide"));
    bench.click("Keep recording");
    bench.key(CTRL, Key::Q);
    bench.click("Stop and quit");
    wait(&mut bench, "the question about the recording", |bench| {
        bench.has("Closing the window would lose the recording.")
    });
    assert_recorded(&bench, 4_800);
}

#[test]
fn a_recording_that_a_crash_left_is_offered_and_comes_back() {
    let mut bench = Bench::new(Drawing::None);
    recording(&mut bench, 7_000);
    let crash = |bench: Bench| {
        // The process is gone, and its locks with it: their holders end a moment later.
        let folder = bench.into_folder();
        let state = folder.path().join("state");
        let deadline = Instant::now() + Duration::from_secs(20);
        while own_sounds(&state).iter().any(|path| SoundFolder::of(&path.join("a.wav"), &state).is_none()) {
            assert!(Instant::now() < deadline, "still held");
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut bench = Bench::in_folder(Drawing::None, folder);
        bench.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
        bench.settle();
        bench
    };
    let mut bench = crash(bench);
    assert!(bench.has("Sonobrush quit unexpectedly"));
    bench.click("Not now");
    assert!(bench.studio().document().is_none());
    // It stays until it is taken or thrown away.
    let mut bench = crash(bench);
    bench.click("Recover");
    assert_recorded(&bench, 7_000);
    assert!(bench.studio().document().unwrap().has_unsaved_edits());
    // Finished, and left once more: also by a window that is closed without a question.
    eframe::App::on_exit(bench.harness.state_mut());
    let mut bench = crash(bench);
    bench.click("Discard");
    let state = bench.out("state");
    assert!(own_sounds(&state).is_empty());
    let bench = crash(bench);
    assert!(!bench.has("Sonobrush quit unexpectedly"));
}

#[test]
fn input_channels_and_rate_are_those_chosen_last() {
    let mut bench = Bench::new(Drawing::None);
    requested(&mut bench);
    let untouched = bench.microphone.request().unwrap();
    assert_eq!((untouched.device, untouched.n_channels, untouched.rate_hz), (None, None, None));
    bench.click("Line in");
    bench.harness.get_by_role_and_label(egui::Role::ComboBox, "Channels").click();
    bench.settle();
    bench.click("Mono");
    bench.harness.get_by_role_and_label(egui::Role::ComboBox, "Sample rate").click();
    bench.settle();
    bench.click("44.1 kHz");
    let mut bench = bench.restarted(Drawing::None);
    requested(&mut bench);
    let request = bench.microphone.request().unwrap();
    assert_eq!(
        (request.device.as_deref(), request.n_channels, request.rate_hz),
        (Some("Line in"), Some(1), Some(44_100))
    );
    // What the input has is chosen again, too.
    bench.harness.get_by_role_and_label(egui::Role::ComboBox, "Channels").click();
    bench.settle();
    bench.harness.get_all_by_label("All").last().unwrap().click();
    bench.settle();
    let mut bench = bench.restarted(Drawing::None);
    requested(&mut bench);
    let request = bench.microphone.request().unwrap();
    assert_eq!((request.n_channels, request.rate_hz), (None, Some(44_100)));
}

#[test]
fn a_lost_device_is_told_and_its_recording_opens() {
    let mut bench = Bench::new(Drawing::None);
    recording(&mut bench, 3_000);
    bench.microphone.set_present(false);
    wait(&mut bench, "the document", |bench| bench.studio().document().is_some());
    assert_recorded(&bench, 3_000);
    assert!(bench.notices().iter().any(|(_, what)| what.contains("disconnected")), "{:?}", bench.notices());
}

#[test]
fn resampled_sounds_go_with_their_documents() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let state = bench.out("state");
    bench.act(Reply::Resample(48_000));
    bench.settle();
    assert_eq!(own_sounds(&state).len(), 1);
    assert!(bench.studio().document().unwrap().name().starts_with("crow_44k_mono 48 kHz"));
    bench.act(FileCommand::Close);
    bench.settle();
    assert!(own_sounds(&state).is_empty());
    // One that a crash left is removed at the next start, as it can be made again.
    let folder = SoundFolder::create(&state, GeneratedSound::Resampled).unwrap();
    std::fs::write(folder.join("b.wav"), b"anything").unwrap();
    bench.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
    bench.settle();
    assert_eq!(own_sounds(&state).len(), 1, "held by someone");
    drop(folder);
    bench.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
    bench.settle();
    assert!(own_sounds(&state).is_empty());
}

#[test]
fn a_disk_without_room_does_not_begin_a_recording() {
    let mut bench = Bench::new(Drawing::None);
    bench.limit(|budgets| budgets.reserve_bytes = Some(u64::MAX / 2));
    requested(&mut bench);
    bench.act(Reply::Record(RecordAnswer::Start));
    wait(&mut bench, "the refusal", |bench| bench.notices().iter().any(|(_, what)| what.starts_with("Cannot record")));
    assert!(!bench.studio().workbench().recording().is_recording);
    assert!(own_sounds(&bench.out("state")).is_empty());
}
