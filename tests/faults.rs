//! What goes wrong around the studio: files that are no sound, workers that stop, devices that go. What is open stays
//! as it is, and one notice says what happened.

use crate::support::bad_inputs::{make_bad_inputs, path_of};
use crate::support::sources::sources;
use crate::support::studio::{Bench, CTRL, Drawing, bits};
use serde_json::json;
use sonobrush::base::{ErrorKind, shown_path};
use sonobrush::document::{Script, Snapshot};
use sonobrush::media::Source;
use sonobrush::playback::{Player, RecordingOutput};
use sonobrush::workbench::Jobs;
use sonobrush::workbench::{DocumentAct, Severity, TabAct};
use std::path::Path;
use std::time::{Duration, Instant};

/// Far more than any takes alone.
const TIMEOUT: Duration = Duration::from_secs(30);

fn edit_with(script: serde_json::Value) -> sonobrush::document::Edit {
    Script::parse(&json!({"version": 1, "edits": [script]}).to_string()).unwrap().edits.remove(0)
}

fn paint(bench: &mut Bench, script: serde_json::Value) {
    bench.act(DocumentAct::Edit(Box::new(edit_with(script))));
    bench.settle();
}

fn open(bench: &mut Bench, path: &Path) {
    bench.open(path.to_path_buf());
    bench.settle();
}

/// Every entry of the list, opened in a window in which a document is open and edited.
#[test]
fn bad_inputs_leave_the_open_document_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let entries = make_bad_inputs(folder.path());
    let base = folder.path().join("ok_mono16.wav");
    let mut bench = Bench::new(Drawing::None);
    // Files have names that our fonts lack letters for: a window draws boxes, a bench would stop.
    bench.harness.ctx.set_missing_glyph_policy(egui::MissingGlyphPolicy::Tofu);
    open(&mut bench, &base);
    paint(&mut bench, json!({"brush": {"kind": "gain", "gain_db": -6.0}}));
    let (id, is) = (bench.studio().document().unwrap().id(), bits(&bench.samples(0)));
    let (mut n_opened, mut n_refused) = (0, 0);
    for entry in &entries {
        let path = path_of(folder.path(), entry);
        // Folders are no sound: the library takes them.
        if path.is_dir() {
            continue;
        }
        let began = Instant::now();
        bench.open(path.clone());
        bench.settle();
        assert!(began.elapsed() < TIMEOUT, "{path:?} took {:?}", began.elapsed());
        let documents = bench.studio().workbench().documents();
        let edited = documents.get(id).unwrap();
        assert_eq!(edited.history().position(), 1, "{path:?}");
        if documents.len() == 1 {
            if path == base {
                continue;
            }
            n_refused += 1;
            assert_ne!(entry["expect"], "opens", "{path:?}: {:?}", bench.notices());
            let name = shown_path(Path::new(path.file_name().unwrap()));
            let reported =
                bench.notices().iter().any(|(level, what)| *level == Severity::Error && what.contains(&name));
            assert!(reported, "{path:?}: {:?}", bench.notices());
        } else {
            n_opened += 1;
            // Root reads files of mode 000.
            let is_exempt = entry["name"] == "no_permission.wav" || !entry["accept_frames"].is_null();
            assert!(entry["expect"] != "error" || is_exempt, "{path:?}");
            assert_eq!(documents.len(), 2, "{path:?}");
            let opened = documents.active_id().unwrap();
            assert_ne!(opened, id, "{path:?} comes to the front");
            bench.act(TabAct::Close(opened));
            bench.settle();
        }
        assert_eq!(bench.studio().document().unwrap().id(), id, "{path:?}");
        assert_eq!(bits(&bench.samples(0)), is, "{path:?} changed what was open");
    }
    assert!(n_opened > 99 && n_refused > 50, "{n_opened} opened, {n_refused} were refused");
}

/// A worker that panics is an answer like any other.
#[test]
fn a_panic_in_a_job_is_an_error_of_that_job() {
    let jobs = Jobs::threads(|| ());
    let mut job = jobs.spawn::<()>("test", |_| panic!("a defect"));
    let deadline = Instant::now() + TIMEOUT;
    let answer = loop {
        if let Some(answer) = job.poll() {
            break answer;
        }
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(1));
    };
    let error = answer.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
    assert!(error.message().contains("test worker stopped unexpectedly"), "{error}");
    let mut next = jobs.spawn("test", |_| Ok(5));
    while next.poll().is_none_or(|answer| answer.unwrap() != 5) {
        assert!(Instant::now() < deadline);
    }
}

#[test]
fn a_panic_of_the_sound_worker_is_told_and_the_next_play_is_heard() {
    let (output, recorder) = RecordingOutput::new(None, 1);
    let player = Player::new(Box::new(output));
    let sound = Snapshot::new(Source::from_channels(vec![vec![0.5; 8000]], 8000).unwrap());
    player.load(Some(&sound));
    player.play(0, 0..8000, true);
    assert!(recorder.pull_ready(100, TIMEOUT));
    player.panic();
    let deadline = Instant::now() + TIMEOUT;
    let fault = loop {
        assert!(Instant::now() < deadline);
        if let Some(fault) = player.status().fault {
            break fault;
        }
    };
    assert!(fault.message().contains("was restarted"), "{fault}");
    assert!(!player.status().playing);
    while recorder.is_open() {
        assert!(Instant::now() < deadline, "the old device stays open");
    }
    player.play(0, 0..8000, true);
    assert!(recorder.pull_ready(100, TIMEOUT), "nothing is heard: {:?}", player.status());
    assert_eq!((recorder.n_opened(), player.status().fault), (2, None));
}

/// Commands queued behind a failed one are still carried out.
#[test]
fn commands_behind_a_panic_of_the_sound_worker_are_not_lost() {
    let sound = Snapshot::new(Source::from_channels(vec![vec![0.5; 8000]], 8000).unwrap());
    // Many times: whether the thread sees them together is a matter of microseconds.
    for _ in 0..50 {
        let (output, recorder) = RecordingOutput::new(None, 1);
        let player = Player::new(Box::new(output));
        player.panic();
        player.load(Some(&sound));
        player.play(0, 0..8000, true);
        assert!(recorder.pull_ready(100, TIMEOUT), "nothing is heard: {:?}", player.status());
        assert!(player.status().playing);
    }
}

#[test]
fn undoing_a_longer_sound_brings_cursor_and_view_back() {
    let folder = tempfile::tempdir().unwrap();
    make_bad_inputs(folder.path());
    let mut bench = Bench::new(Drawing::None);
    open(&mut bench, &folder.path().join("ok_mono16.wav"));
    let before_secs = bench.studio().document().unwrap().duration_secs();
    paint(&mut bench, json!({"brush": {"kind": "lengthen", "secs": 2.0}}));
    bench.put_cursor(1.9);
    bench.set_view(|view| view.secs = [1.0, 2.0]);
    bench.settle();
    assert_eq!(bench.studio().document().unwrap().cursor_secs(), 1.9);
    bench.key(CTRL, egui::Key::Z);
    let document = bench.studio().document().unwrap();
    assert_eq!((document.duration_secs(), document.cursor_secs()), (before_secs, before_secs));
    assert!(document.view().secs[1] <= before_secs && document.view().secs[0] < document.view().secs[1]);
}

/// Nothing measures time by the clock on the wall, which people and networks set.
#[test]
fn time_is_taken_from_clocks_that_nobody_sets() {
    // What people read as a date, and where there is no other clock.
    // Times of files, which others set too, say which are oldest; a test makes one old.
    let of_files = ["base/files/atomic_file.rs", "view/pyramid_cache.rs", "library/store/clock.rs"];
    let dates = ["workbench/devices/recorder/audio_recorder.rs", "base/crash/mod.rs", "base/value_folder.rs"];
    let clocks = ["base/platform/clocks.rs", "document/session", "studio/session"];
    let allowed = [&clocks[..], &dates, &of_files].concat();
    let mut found = Vec::new();
    for (name, text) in sources() {
        if text.contains("SystemTime::now") && !allowed.iter().any(|start| name.starts_with(start)) {
            found.push(name);
        }
    }
    assert_eq!(found, [""; 0]);
}
