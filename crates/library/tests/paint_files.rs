//! Runs over many files, without the program: existing files are kept, and failed runs leave nothing behind.

use base::{ErrorKind, Folders, Progress};
use document::Delivery;
use document::labels::{NamePattern, NamedFiles};
use document::session::{SampleStorage, SourceSearch};
use engine::Engine;
use library::paint_files::{
    PaintFilesOrder, PaintOutputs, PaintPlan, PaintRun, PaintScript, PaintStatus, PaintWork, paint_files,
};
use media::OpenOptions;
use std::path::Path;
use std::time::Duration;
use support::made_audio::{riff, wav};

/// A run over a folder `in` of two sounds into the folder `out`, whose parents don't exist yet.
fn order(place: &Path, edits: &str) -> PaintFilesOrder {
    std::fs::create_dir_all(place.join("in/deep")).unwrap();
    let samples: Vec<u8> = (0..2_000u16).flat_map(|n| (n * 16).to_le_bytes()).collect();
    for name in ["in/a.wav", "in/deep/b.wav"] {
        std::fs::write(place.join(name), wav(&riff::format(1, 1, 8_000, 16), &samples)).unwrap();
    }
    let text = format!(r#"{{"version": 1, "edits": [{edits}]}}"#);
    let script = PaintScript::parse(text.as_bytes(), Path::new("s.json"), &Folders::in_folder(place)).unwrap();
    PaintFilesOrder {
        inputs: vec![place.join("in")],
        script,
        labels: None,
        outputs: PaintOutputs {
            folder: place.join("made/out"),
            name: NamePattern::parse(NamePattern::RELATIVE, NamedFiles::Outputs).unwrap(),
            container: None,
            delivery: Delivery::default(),
            overwrites: false,
        },
        report: None,
        is_resumed: false,
        work: PaintWork {
            jobs: 2,
            memory_bytes: Some(64 << 20),
            room: SampleStorage { budget_bytes: 1 << 20, folder: place.to_owned(), sound: OpenOptions::default() },
            finding: SourceSearch::default(),
            uses_damaged: false,
        },
    }
}

fn run(order: &PaintFilesOrder, plan: &PaintPlan) -> PaintRun {
    paint_files(plan, order, &Engine::cpu(), &Progress::new(), Duration::from_secs(1), &mut |_| ()).unwrap()
}

#[test]
fn what_another_run_wrote_meanwhile_stays() {
    let folder = tempfile::tempdir().unwrap();
    let order = order(folder.path(), "");
    let plan = PaintPlan::of(&order, &Progress::new()).unwrap();
    // Another run with the same plan has written one of the outputs in the meantime.
    let output = order.outputs.folder.join("a.wav");
    std::fs::create_dir_all(&order.outputs.folder).unwrap();
    std::fs::write(&output, "theirs").unwrap();
    let ran = run(&order, &plan);
    assert_eq!((ran.totals.done, ran.totals.failed), (1, 1));
    let (line, _) = ran.lines.iter().find(|(line, _)| line.status == PaintStatus::Failed).unwrap();
    let why = &line.error.as_ref().unwrap().sentence;
    assert!(why.ends_with("a.wav: is already there; choose another folder, or add --overwrite"), "{why}");
    assert_eq!(std::fs::read(&output).unwrap(), b"theirs");
    let written = std::fs::read(order.outputs.folder.join("deep/b.wav")).unwrap();
    assert!(written == std::fs::read(folder.path().join("in/deep/b.wav")).unwrap());
    let names = std::fs::read_dir(&order.outputs.folder).unwrap().count();
    assert_eq!(names, 2, "something is left beside the outputs");

    let refused = PaintPlan::of(&order, &Progress::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Usage);
    let mut order = order;
    order.outputs.overwrites = true;
    let ran = run(&order, &PaintPlan::of(&order, &Progress::new()).unwrap());
    assert_eq!((ran.totals.done, ran.totals.failed), (2, 0));
    assert_ne!(std::fs::read(&output).unwrap(), b"theirs");
}

#[test]
fn no_folder_is_left_where_every_file_failed() {
    let folder = tempfile::tempdir().unwrap();
    let order = order(folder.path(), r#"{"brush": {"kind": "insert_silence", "at": 9, "secs": 1}}"#);
    let ran = run(&order, &PaintPlan::of(&order, &Progress::new()).unwrap());
    assert_eq!((ran.totals.done, ran.totals.failed), (0, 2));
    assert!(!folder.path().join("made").exists());
    // An output folder that existed before the run is kept, even if it is empty.
    std::fs::create_dir_all(&order.outputs.folder).unwrap();
    run(&order, &PaintPlan::of(&order, &Progress::new()).unwrap());
    assert_eq!(std::fs::read_dir(&order.outputs.folder).unwrap().count(), 0);
}

#[test]
fn an_edit_that_no_file_can_hold_is_named_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    for edit in [
        r#"{"brush": {"kind": "insert_silence", "at": 0, "secs": 1e9}}"#,
        r#"{"brush": {"kind": "lengthen", "secs": 1e308}}"#,
    ] {
        let order = order(folder.path(), &format!(r#"{{"brush": {{"kind": "gain", "gain_db": -1}}}}, {edit}"#));
        let ran = run(&order, &PaintPlan::of(&order, &Progress::new()).unwrap());
        for (line, _) in &ran.lines {
            let error = line.error.as_ref().unwrap();
            assert_eq!(error.sentence, "edits[1]: a file cannot hold a sound this long; add less");
            assert_eq!((error.place.as_deref(), &*error.kind), (Some("edits[1]"), "limit"));
        }
    }
}

#[test]
fn damaged_labels_end_a_run_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut order = order(folder.path(), "");
    let labels = folder.path().join("l.csv");
    order.labels = Some(labels.clone());
    for (text, what) in [
        ("file,start_s,end_s,label\na.wav,1,x,a\n", "2:9: expected an end in seconds, found \"x\""),
        ("hello\n", "is no file of labels that is known"),
        ("", "is empty"),
    ] {
        std::fs::write(&labels, text).unwrap();
        let error = PaintPlan::of(&order, &Progress::new()).unwrap_err();
        assert!(error.message().starts_with(what) && error.path() == Some(labels.as_path()), "{error}");
    }
    assert!(!folder.path().join("made").exists());
    std::fs::write(&labels, "file,start_s,end_s,label\nb.wav,0,0.1,a\n").unwrap();
    assert!(PaintPlan::of(&order, &Progress::new()).is_ok());
}
