//! Malformed, hostile and odd files: each opens as sound or fails with one clear sentence, and none hangs.

use base::{Progress, Result};
use serde_json::Value;
use sonobrush_media::FileInfo;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use support::bad_inputs::{make_bad_inputs, path_of};

/// Opening takes a few milliseconds, but tests share two cores.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Whether the manifest allows this outcome.
fn agrees(entry: &Value, outcome: &Result<FileInfo>) -> bool {
    let number = |key: &str| entry[key].as_u64();
    let expect = entry["expect"].as_str().unwrap();
    let Ok(info) = outcome else { return expect != "opens" };
    let accepted =
        entry["accept_frames"].as_array().map(|frames| frames.iter().any(|n| n.as_u64() == Some(info.frames)));
    if expect == "error" {
        return accepted == Some(true);
    }
    let exact = number("frames").map(|frames| frames == info.frames);
    let in_range = number("frames_min").is_none_or(|min| min <= info.frames)
        && number("frames_max").is_none_or(|max| info.frames <= max);
    let frames = match (accepted, exact) {
        (None, None) => in_range,
        (accepted, exact) => accepted == Some(true) || exact == Some(true),
    };
    frames
        && number("rate").is_none_or(|rate| rate == u64::from(info.sample_rate))
        && number("channels").is_none_or(|channels| channels == info.channels as u64)
}

/// Opens a file on a separate thread, to detect hangs.
fn outcome_of(path: &Path) -> Result<FileInfo> {
    let (send, receive) = channel();
    let requested = path.to_path_buf();
    std::thread::spawn(move || send.send(FileInfo::of(&requested, &Progress::new())));
    match receive.recv_timeout(TIMEOUT) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => panic!("opening {} hangs", path.display()),
        Err(RecvTimeoutError::Disconnected) => panic!("opening {} panics", path.display()),
    }
}

#[test]
fn every_bad_input_opens_or_gives_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let entries = make_bad_inputs(folder.path());
    assert_eq!(entries.len(), 205);
    let mut differ = Vec::new();
    for entry in &entries {
        let path = path_of(folder.path(), entry);
        let outcome = outcome_of(&path);
        match &outcome {
            Ok(info) => {
                assert!(info.frames > 0 && (4_000..=768_000).contains(&info.sample_rate), "{path:?}: {info:?}");
                assert!((1..=32).contains(&info.channels), "{path:?}: {info:?}");
                let lines = info.notices.iter().all(|notice| !notice.is_empty() && !notice.contains('\n'));
                assert!(lines && info.notices.len() <= 4, "{path:?}: {info:?}");
                assert!(entry["warn"] != true || !info.notices.is_empty(), "{path:?} opens without a word: {info:?}");
                let control = entry["group"] == "control";
                assert!(!control || info.notices.is_empty(), "{path:?} is as it should be: {info:?}");
            }
            Err(error) => {
                let said = error.to_string();
                assert_eq!(error.path(), Some(path.as_path()), "{said}");
                assert_eq!(said.lines().count(), 1, "{said}");
                assert!(said.starts_with(&base::shown_path(&path)), "{said}");
                assert!((10..=300).contains(&error.message().len()), "{said}");
                assert!(!error.message().ends_with('.') && !said.contains("os error"), "{said}");
            }
        }
        // Root can read files of mode 000.
        if entry["name"] != "no_permission.wav" && !agrees(entry, &outcome) {
            differ.push(format!("{}: {outcome:?}", entry["name"]));
        }
    }
    assert!(differ.is_empty(), "{} outcomes differ from the manifest: {differ:#?}", differ.len());
}

/// Problem files from earlier reviews: each opens or is refused with one sentence, and none hangs.
#[test]
fn every_file_that_was_found_opens_or_gives_one_sentence() {
    let tests = support::root().join("tests");
    let folders = std::fs::read_dir(tests).unwrap().flatten().map(|entry| entry.path());
    let is_found =
        |folder: &PathBuf| folder.is_dir() && folder.file_name().unwrap().to_string_lossy().starts_with("found");
    let mut counts = [0, 0];
    for folder in folders.filter(is_found) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().extension().is_some_and(|ending| ["md", "json", "sh"].iter().any(|text| ending == *text)) {
                continue;
            }
            match outcome_of(&entry.path()) {
                Ok(info) => {
                    let lines = info.notices.iter().all(|notice| !notice.is_empty() && !notice.contains('\n'));
                    assert!(info.frames > 0 && lines, "{entry:?}: {info:?}");
                    counts[0] += 1;
                }
                Err(error) => {
                    assert!(error.to_string().lines().count() == 1 && error.message().len() <= 300, "{error}");
                    counts[1] += 1;
                }
            }
        }
    }
    assert!(counts[0] >= 20, "{counts:?}");
}

/// Checks the comparison with the manifest: a wrong frame count, rate, channel count or kind of outcome fails.
#[test]
fn the_manifest_is_compared_with_care() {
    let entry: Value = serde_json::json!({"expect": "opens", "frames": 1000, "rate": 44100, "channels": 1});
    let info = FileInfo {
        frames: 1000,
        sample_rate: 44_100,
        channels: 1,
        format: String::new(),
        duration_secs: 0.0,
        notices: Vec::new(),
    };
    assert!(agrees(&entry, &Ok(info.clone())));
    assert!(!agrees(&entry, &Ok(FileInfo { frames: 999, ..info.clone() })));
    assert!(!agrees(&entry, &Ok(FileInfo { sample_rate: 48_000, ..info.clone() })));
    assert!(!agrees(&entry, &Ok(FileInfo { channels: 2, ..info.clone() })));
    assert!(!agrees(&entry, &FileInfo::of(Path::new("/nowhere"), &Progress::new())));
    assert!(!agrees(&serde_json::json!({"expect": "error"}), &Ok(info)));
}

/// Random damage to good files: bytes overwritten, removed and inserted.
#[test]
fn damaged_bytes_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    make_bad_inputs(folder.path());
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below
    };
    let names = ["ok_stereo24.wav", "wavex_20in24.wav", "rf64_ok.wav", "ima_adpcm.wav", "ok.flac", "ok.ogg", "ok.mp3"];
    let path = folder.path().join("damaged");
    let (mut n_opened, mut n_refused) = (0, 0);
    for name in names {
        let good = std::fs::read(folder.path().join(name)).unwrap();
        for _ in 0..200 {
            let mut bytes = good.clone();
            for _ in 0..1 + random(4) {
                // Half of the damage is to the first 100 bytes, the headers, where a single byte matters most.
                let end = if random(2) == 0 { bytes.len().min(100) } else { bytes.len() };
                let at = random(end);
                match random(6) {
                    0 => drop(bytes.drain(at..(at + 1 + random(40)).min(end))),
                    1 => bytes.insert(at, random(256) as u8),
                    2 => bytes[at] = 0xff,
                    _ => bytes[at] = random(256) as u8,
                }
            }
            std::fs::write(&path, &bytes).unwrap();
            match outcome_of(&path) {
                Ok(info) => {
                    assert!(info.frames > 0, "{name}: {info:?}");
                    n_opened += 1;
                }
                Err(_) => n_refused += 1,
            }
        }
    }
    assert!(n_opened > 300 && n_refused > 100, "{n_opened} opened, {n_refused} refused: not what damage does");
}
