//! What is fuzzed: bytes that came from anywhere, through our own doors. Neither may panic, hang, or take memory that
//! its bytes do not pay for; what it makes is finite. `cargo fuzz` and the tests call the same functions.

use sonobrush::base::{ErrorKind, Progress};
use sonobrush::document::session::{SampleStorage, SourceError, SourceSearch, open_project, verify_project};
use sonobrush::document::{Script, Snapshot, apply};
use sonobrush::engine::Engine;
use sonobrush::media::{OpenOptions, Source};
use std::path::Path;

const RATE_HZ: u32 = 8000;
const N_SAMPLES: usize = 800;

/// A script, and then its edits on a short sound. Returns how many edits were applied.
pub fn script(bytes: &[u8]) -> usize {
    let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
    let script = match Script::parse(text) {
        Ok(script) => script,
        Err(error) => {
            assert!(error.kind() == ErrorKind::Script && !error.to_string().contains('\n'), "{error}");
            return 0;
        }
    };
    let again = Script::parse(&script.to_json()).expect("what is written can be read");
    assert_eq!(again, script);
    let samples: Vec<f32> = (0..N_SAMPLES).map(|at| (at as f32 * 0.31).sin() * 0.5).collect();
    let source = Source::from_channels(vec![samples.clone(), samples], RATE_HZ).expect("a sound");
    let mut sound = Snapshot::new(source);
    let mut n_applied = 0;
    for edit in script.edits.iter().take(4) {
        match apply(&sound, edit, &Engine::cpu(), &Progress::new()) {
            Ok(applied) => sound = applied.snapshot,
            Err(error) => assert_ne!(error.kind(), ErrorKind::Internal, "{error}"),
        }
        n_applied += 1;
        assert_finite(&sound);
        if sound.n_samples() > 100 * N_SAMPLES as u64 {
            break;
        }
    }
    n_applied
}

/// Writes `bytes` as a file of any container to `path`, opens it and reads it. Returns whether it opened.
pub fn container(bytes: &[u8], path: &Path) -> bool {
    std::fs::write(path, bytes).expect("room for a temporary file");
    match Source::open(path, &Progress::new()) {
        Ok(opened) => {
            let info = opened.source.info();
            assert!(info.n_samples > 0 && (1..=32).contains(&info.n_channels), "{info:?}");
            assert_finite(&Snapshot::new(opened.source));
            true
        }
        Err(error) => {
            assert!(!error.to_string().contains('\n') && error.kind() != ErrorKind::Internal, "{error}");
            false
        }
    }
}

/// A project, written to a folder and opened there. Returns whether it opened whole.
pub fn project(bytes: &[u8], folder: &Path) -> bool {
    let path = folder.join("input.sonobrush");
    std::fs::write(&path, bytes).expect("room for a temporary file");
    let finding = SourceSearch::default();
    let room = SampleStorage {
        budget_bytes: 16 << 20,
        folder: folder.to_path_buf(),
        sound: OpenOptions { memory_bytes: 16 << 20, scratch_folder: folder.to_path_buf(), ..OpenOptions::default() },
    };
    let verified = verify_project(&path, &finding, &room, &folder.join("verified sound"), &Progress::new());
    let reported = |lost: SourceError| {
        let error = sonobrush::base::Error::from(lost);
        assert!(!error.to_string().contains('\n') && error.kind() != ErrorKind::Internal, "{error}");
    };
    match open_project(&path, &finding, &room, &folder.join("sound"), &Progress::new()) {
        Ok((restored, _)) => {
            let is_whole = restored.damage.is_none();
            assert_eq!(verified.is_ok(), is_whole, "what a check says, and what is found: {verified:?}");
            restored.history.entries().iter().for_each(|entry| assert_finite(&entry.snapshot));
            is_whole
        }
        Err(lost) => {
            assert!(verified.is_err(), "it was said to be whole");
            reported(lost);
            false
        }
    }
}

fn assert_finite(sound: &Snapshot) {
    let mut samples = vec![0.0f32; 4096];
    for channel in 0..sound.n_channels() {
        for first in [0, sound.n_samples() as i64 - 4096] {
            sound.read(channel, first, &mut samples).expect("it can be read");
            assert!(samples.iter().all(|sample| sample.is_finite()));
        }
    }
}
