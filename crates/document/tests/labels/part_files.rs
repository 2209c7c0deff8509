//! A sound split into files: what remains if writing ends early.

use base::{ErrorKind, Progress};
use document::labels::{Label, LabelSet, NamePattern, NamedFiles, PartChoice};
use document::{Delivery, PartsConflict, PartsOrder, PartsPlan, PartsSound, PartsTable, PartsWriter, Snapshot};
use media::Source;
use std::path::{Path, PathBuf};
use support::opened::folder;

/// A sound of one second with five labels of 100 ms.
fn sound() -> PartsSound {
    let samples = (0..8_000).map(|k| (k as f32 * 0.05).sin() * 0.5).collect();
    let labels = (0..5).map(|n| Label::new([0.2 * f64::from(n), 0.2 * f64::from(n) + 0.1], "call")).collect();
    PartsSound {
        snapshot: Snapshot::new(Source::from_channels(vec![samples], 8_000).unwrap()),
        labels: LabelSet::of(labels).unwrap(),
        name: "crow.wav".into(),
    }
}

fn plan(sound: &PartsSound, folder: PathBuf, replaces: bool) -> PartsPlan {
    let order = PartsOrder {
        table: PartsTable::Csv(folder.join("crow-parts.csv")),
        folder,
        choice: PartChoice::default(),
        pattern: NamePattern::parse(NamePattern::DEFAULT_PATTERN, NamedFiles::Parts).unwrap(),
        fade_ms: 0.0,
        is_band_only: false,
        delivery: Delivery::default(),
        replaces,
    };
    let found = sound.parts(&order.choice).unwrap();
    PartsPlan::of(order, found, sound).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_cancelled_leaves_whole_files_no_table_and_no_empty_folder() {
    let (place, sound) = (folder(), sound());
    let to = place.path().join("new/parts");
    let plan = plan(&sound, to.clone(), false);
    let cancelled = Progress::new();
    cancelled.cancel();
    let mut writing = PartsWriter::begin(&plan, &sound, None).unwrap();
    assert!(to.is_dir());
    assert_eq!(writing.write_next(&cancelled).unwrap_err().kind(), ErrorKind::Cancelled);
    drop(writing);
    assert!(!place.path().join("new").exists());

    let mut writing = PartsWriter::begin(&plan, &sound, None).unwrap();
    for n in 0..2 {
        assert_eq!((writing.n_written(), writing.is_done()), (n, false));
        writing.write_next(&Progress::new()).unwrap();
    }
    assert_eq!(writing.write_next(&cancelled).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(writing.finish().unwrap_err().kind(), ErrorKind::Internal, "a table of some files");
    assert_eq!(names(&to), ["crow_001_call.wav", "crow_002_call.wav"]);
    for name in names(&to) {
        assert_eq!(Source::open(&to.join(name), &Progress::new()).unwrap().source.info().n_samples, 800);
    }
}

#[test]
fn what_is_in_the_way_is_known_before() {
    let (place, sound) = (folder(), sound());
    let to = place.path().join("parts");
    assert_eq!(plan(&sound, to.clone(), false).hindrance(&sound), None);
    std::fs::create_dir(&to).unwrap();
    for name in ["crow_004_call.wav", "crow-parts.csv", "another.wav"] {
        std::fs::write(to.join(name), "mine").unwrap();
    }
    let hindrance = PartsConflict::Present { first: to.join("crow_004_call.wav"), n: 2 };
    let kept = plan(&sound, to.clone(), false);
    assert_eq!(kept.hindrance(&sound), Some(hindrance));
    let error = PartsWriter::begin(&kept, &sound, None).map(drop).unwrap_err();
    assert!(
        error.path() == Some(&to.join("crow_004_call.wav")) && error.message().contains("already there"),
        "{error}"
    );
    assert_eq!(names(&to).len(), 3);
    assert_eq!(plan(&sound, to.clone(), true).hindrance(&sound), None);
    let file = to.join("another.wav");
    assert_eq!(plan(&sound, file.clone(), true).hindrance(&sound), Some(PartsConflict::NoFolder(file)));
}
