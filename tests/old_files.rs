//! Files that commit 1d031be wrote, before the workspace, mean the same today. All of `golden/1d031be` was made by
//! running that program: settings by its window, the rest by its commands with `--engine cpu`.

use super::support::program::Place;
use super::support::wav::{Format, Wav, clip};
use serde_json::Value;
use sonobrush::base::{Folders, Progress};
use sonobrush::media::{Original, Source};
use sonobrush::workbench::SavedState;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

fn golden(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/1d031be")).join(name)
}

/// The first channel of a 16-bit file.
fn integers(path: &Path) -> Vec<i32> {
    let source = Source::open(path, &Progress::new()).unwrap().source;
    match source.read_original(0, 0, source.info().n_samples as usize).unwrap() {
        Original::Integers(values) => values,
        other => panic!("{}: {other:?}", path.display()),
    }
}

/// Most units of 16 bits between two files of one length, and how many samples differ.
fn difference(a: &Path, b: &Path) -> (i32, usize) {
    let (a, b) = (integers(a), integers(b));
    assert_eq!(a.len(), b.len());
    let by = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
    (by.clone().max().unwrap(), by.filter(|by| *by > 0).count())
}

#[test]
fn scripts_sound_as_they_did() {
    let place = Place::new();
    let crow = clip("crow_44k_mono.flac");
    for name in ["strokes", "selections", "rows", "samples", "pitch"] {
        let script = golden(&format!("scripts/{name}.json"));
        let arguments = ["paint", crow.to_str().unwrap(), "--script", script.to_str().unwrap(), "--engine", "cpu"];
        place.done_with_notices(&[&arguments[..], &["-o", &format!("{name}.wav")]].concat());
        let (max, n) = difference(&place.path(&format!("{name}.wav")), &golden(&format!("scripts/{name}.flac")));
        match name {
            // Resampled with another filter since then: 15 units, 66 dB below full scale.
            "pitch" => assert!(max <= 24, "{name}: {max}"),
            // The last bit of a sine differs between C libraries.
            _ => assert!(max <= 1 && n <= 20, "{name}: {n} samples by up to {max}"),
        }
    }
    let (max, n) = difference(&golden("scripts/strokes.flac"), &golden("scripts/rows.flac"));
    assert!(max > 100 && n > 1_000, "the comparison can fail");
}

#[test]
fn a_project_opens_with_its_sound_and_its_history() {
    let place = Place::new();
    for name in ["project.sonobrush", "short.wav"] {
        std::fs::copy(golden("project").join(name), place.path(name)).unwrap();
    }
    let reported = place.done(&["verify", "project.sonobrush", "--source", "short.wav", "--changed-source"]);
    assert!(reported.contains("3, at 3"), "{reported}");
    let source = ["--source", "short.wav", "--changed-source"];
    place.done_with_notices(&[&["export", "project.sonobrush"][..], &source, &["-o", "out.wav"]].concat());
    assert_eq!(integers(&place.path("out.wav")), integers(&golden("project/project.wav")));
}

#[test]
fn settings_of_its_window_are_read() {
    let place = Place::new();
    let folders = Folders::in_folder(place.folder.path());
    std::fs::create_dir_all(folders.settings_file().parent().unwrap()).unwrap();
    std::fs::copy(golden("settings.json"), folders.settings_file()).unwrap();
    let (read, notice) = SavedState::load(&folders);
    assert_eq!(notice, None);
    let written: Value = serde_json::from_str(&std::fs::read_to_string(golden("settings.json")).unwrap()).unwrap();
    let written = &written["studio"];
    let sections = [
        ("window", serde_json::to_value(&read.window)),
        ("layout", serde_json::to_value(&read.layout)),
        ("view", serde_json::to_value(&read.view)),
    ];
    for (name, section) in sections {
        let (section, first) = (section.unwrap(), serde_json::to_value(SavedState::default()).unwrap());
        let fields = written[name].as_object().unwrap();
        fields.iter().for_each(|(field, value)| assert_eq!(&section[field], value, "{name}.{field}"));
        assert!(fields.iter().any(|(field, value)| &first[name][field] != value), "{name}: the comparison can fail");
    }
    assert_eq!(read.recent[0].path, Path::new("/home/ada/crow.flac"));
    // Its fields are those that `old_settings` reads one by one.
    assert_eq!(serde_json::to_value(read.tools.active()).unwrap(), written["tools"]["active"]);
    let by_hand: Value = serde_json::from_str(include_str!("golden/tools_0_1.json")).unwrap();
    for (field, value) in by_hand.as_object().unwrap().iter().filter(|(field, _)| *field != "active") {
        assert_eq!(&written["tools"][field], value, "{field}");
    }
}

/// 150 sounds of 0.1 to 0.3 s, as they were when the golden files were made.
fn sounds(place: &Place) {
    std::fs::create_dir(place.path("in")).unwrap();
    let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    for number in 1..=150 {
        let samples = (0..800 * (1 + number % 3)).map(|k| (k * 37 * number) % 2_001 - 1_000).collect();
        let path = place.path(&format!("in/{number:03}.wav"));
        Wav { format: Format::Pcm(16), rate: 8_000, channels: vec![samples] }.write(&path);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    }
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => copied(&entry.path(), &to.join(entry.file_name())),
            false => _ = std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap(),
        }
    }
}

/// Two of three tasks were in its log when it was killed, and half a line of the third.
#[test]
fn a_run_of_features_goes_on_and_shards_are_merged() {
    let place = Place::new();
    sounds(&place);
    copied(&golden("features/part.partial"), &place.path("part.partial"));
    let started = String::from_utf8(place.read("part.partial/begun.json")).unwrap();
    let folder = place.path("in").canonicalize().unwrap();
    place.write("part.partial/begun.json", started.replace("/home/ada/sounds/in", folder.to_str().unwrap()));
    let options = ["--secs", "0.5", "--mels", "4", "--long", "512,256", "--short", "512,256", "--mapping", "none"];
    let run = [&["features", "in", "-o", "part", "--engine", "cpu"], &options[..]].concat();
    let refused = place.failed(&run);
    assert!(refused.contains("--resume"), "{refused}");
    place.done_with_notices(&[&run[..], &["--resume"]].concat());
    let (whole, resumed) = (std::fs::read(golden("features/whole.npy")).unwrap(), place.read("part/features.npy"));
    assert_eq!(resumed.len(), whole.len());
    // What the first task computed is kept as it was; the last task of a log is computed again.
    let first_task = 128..128 + 64 * 7 * 4 * 2;
    assert!(resumed[first_task.clone()] == whole[first_task]);
    copied(&golden("features/shards"), &place.path("shards"));
    place.done_with_notices(&["features", "--merge", "shards", "-o", "merged"]);
    assert!(place.read("merged/features.npy") == whole);
}
