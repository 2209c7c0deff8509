//! Sessions and projects of the previous version, and tables of later versions.

use base::{ErrorKind, Progress};
use document::brushes::DeleteTime;
use document::labels::formats::chunks_with_labels;
use document::labels::{Label, LabelSet};
use document::session::{
    Place, SessionFolder, SessionStart, SessionState, SessionWriter, SourceSearch, open_session, save_new_project,
};
use document::{Edit, ExportReport, History, Snapshot, apply, export, export_as};
use dsp::{Axis, Selection, StftParams};
use engine::Engine;
use media::{Encoding, ExportFormat};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::opened::folder;
use support::sessions::{assert_same, desk, open, painted, room, write_wav};

const TIMEOUT: Duration = Duration::from_secs(30);

fn golden(name: &str) -> PathBuf {
    support::root().join("tests/golden").join(name)
}

fn written(snapshot: &Snapshot, path: &Path) -> Vec<u8> {
    let _: ExportReport = export(snapshot, path, ExportFormat::Source, None, &Progress::new()).unwrap();
    std::fs::read(path).unwrap()
}

fn cut() -> Edit {
    let select = Selection::rectangle(Some([0.1, 0.3]), None, [0.0; 2], Axis::Linear);
    Edit { select: Some(select), ..Edit::of(DeleteTime { fade_secs: 0.005 }, StftParams::default()) }
}

/// A window of version 0.1 (commit 1d031be) was killed after a stroke, a second of silence at the end, and a reversal
/// of all; `expected.wav` is what that version's `paint` made of the same edits.
#[test]
fn a_session_of_version_1_is_recovered_and_goes_on_as_version_2() {
    let place = folder();
    let kept = place.path().join("sessions/left");
    std::fs::create_dir_all(&kept).unwrap();
    for name in ["lock", "session-1.db", "session-1.db-wal"] {
        std::fs::copy(golden("session_1").join(name), kept.join(name)).unwrap();
    }
    let finding = SourceSearch { source: Some(golden("session_1/bell.wav")), ..SourceSearch::default() };
    let folder = SessionFolder::adopt(&kept).unwrap();
    let restored = open_session(&folder, &finding, &room(place.path()), &Progress::new()).unwrap();
    assert_eq!((restored.version, restored.damage, restored.notices.len()), (1, None, 0));
    assert_eq!((restored.history.entries().len(), restored.history.position()), (4, 3));
    let expected = std::fs::read(golden("session_1/expected.wav")).unwrap();
    let out = place.path().join("out.wav");
    assert!(written(restored.history.current(), &out) == expected);

    // The session continues in a database of the current version, which contains every step.
    let mut history = restored.history;
    let begin = SessionStart {
        place: Place::Adopted(folder),
        history: history.clone(),
        desk: restored.desk,
        source: Some(restored.source),
        project: None,
    };
    let mut writer = SessionWriter::start(begin, || ());
    let next = apply(history.current(), &cut(), &Engine::cpu(), &Progress::new()).unwrap();
    history.push(cut(), next.snapshot);
    writer.follow(&history);
    assert!(writer.flush(TIMEOUT));
    // As after a crash: copied while it is open.
    let copy = place.path().join("sessions/copy");
    std::fs::create_dir_all(&copy).unwrap();
    for entry in std::fs::read_dir(&kept).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    let again = open_session(&SessionFolder::adopt(&copy).unwrap(), &finding, &room(place.path()), &Progress::new());
    let again = again.unwrap();
    assert_eq!((again.version, again.damage), (2, None));
    assert_same(&again.history, &history);
    writer.end();
}

/// Version 1 did not store the cues of a file in its sessions; they become labels when such a session is restored.
#[test]
fn the_cues_of_a_file_are_labels_of_an_old_session_too() {
    let place = folder();
    let (kept, cued) = (place.path().join("sessions/left"), place.path().join("bell.wav"));
    std::fs::create_dir_all(&kept).unwrap();
    for name in ["lock", "session-1.db", "session-1.db-wal"] {
        std::fs::copy(golden("session_1").join(name), kept.join(name)).unwrap();
    }
    let bell = media::Source::open(&golden("session_1/bell.wav"), &Progress::new()).unwrap().source;
    let n_samples = bell.info().n_samples;
    let labels = LabelSet::of(vec![Label::new([0.01; 2], "strike")]).unwrap();
    let chunks = chunks_with_labels(bell.chunks(), &labels, bell.info().sample_rate_hz).unwrap();
    let encoding = Encoding { chunks: Some(&chunks), ..Encoding::default() };
    export_as(&Snapshot::new(bell), 0..n_samples, &cued, &encoding, &Progress::new()).unwrap();
    let finding = SourceSearch { source: Some(cued), may_have_changed: true };
    let folder = SessionFolder::adopt(&kept).unwrap();
    let restored = open_session(&folder, &finding, &room(place.path()), &Progress::new()).unwrap();
    let texts = |labels: &LabelSet| labels.iter().map(|label| label.text.to_string()).collect::<Vec<_>>();
    assert!(restored.history.entries().iter().all(|entry| texts(&entry.labels).contains(&"strike".to_owned())));
}

/// A copy of the project of version 1.
fn project_of_version_1(place: &Path) -> PathBuf {
    let path = place.join("old.sonobrush");
    std::fs::copy(golden("version_1.sonobrush"), &path).unwrap();
    path
}

#[test]
fn the_first_save_of_an_old_project_keeps_it_beside_and_later_ones_keep_none() {
    let place = folder();
    let path = project_of_version_1(place.path());
    let before = std::fs::read(&path).unwrap();
    let kept = place.path().join("old.version1.sonobrush");
    let (restored, project) = open(&path, &SourceSearch::default()).unwrap();
    assert_eq!(restored.version, 1);
    let begin = SessionStart {
        place: Place::New(place.path().join("state")),
        history: restored.history.clone(),
        desk: restored.desk,
        source: Some(restored.source),
        project: Some((path.clone(), 0)),
    };
    let writer = SessionWriter::start(begin, || ());
    let save = |path: &Path, old| writer.save(path, true, old).wait(&Progress::new()).unwrap();
    // A save under another name replaces nothing, so no copy is kept.
    save(&place.path().join("other.sonobrush"), None);
    assert!(!place.path().join("other.version1.sonobrush").exists() && !kept.exists());
    let project = save(&path, Some(&project));
    assert!(std::fs::read(&kept).unwrap() == before, "byte for byte");
    let (again, _) = open(&place.path().join("other.sonobrush"), &SourceSearch::default()).unwrap();
    assert_eq!(again.version, 2);
    assert_same(&again.history, &restored.history);
    // A later save does not overwrite the kept copy.
    std::fs::write(&kept, b"mine").unwrap();
    save(&path, Some(&project));
    assert_eq!(std::fs::read(&kept).unwrap(), b"mine");
    writer.end();
}

/// A project with tables of a later version in it.
fn later(path: &Path, tables: &str) -> History {
    let source = path.with_file_name("in.wav");
    write_wav(&source);
    let history = painted(media::Source::open(&source, &Progress::new()).unwrap().source);
    save_new_project(path, &history, &desk(), None, false, &Progress::new()).unwrap();
    Connection::open(path).unwrap().execute_batch(tables).unwrap();
    history
}

const TABLES: &str = "
    CREATE TABLE opt_layers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, gain REAL, data BLOB) STRICT;
    CREATE INDEX opt_layers_by_name ON opt_layers (name);
    INSERT INTO opt_layers VALUES (3, 'voice', 0.1, x'00ff10'), (7, 'b', NULL, NULL);
    CREATE TABLE opt_pins (a, b UNIQUE);
    INSERT INTO opt_pins VALUES ('x', 9223372036854775807), (2.5, NULL);";

fn rows(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut all = Vec::new();
    for query in [
        "SELECT coalesce(sql, name) FROM sqlite_schema WHERE tbl_name LIKE 'opt%' ORDER BY name",
        "SELECT quote(id) || quote(name) || quote(gain) || quote(data) FROM opt_layers ORDER BY id",
        "SELECT quote(a) || quote(b) FROM opt_pins ORDER BY rowid",
    ] {
        let mut statement = connection.prepare(query).unwrap();
        all.extend(statement.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap));
    }
    all
}

#[test]
fn tables_of_a_later_version_are_kept_and_named() {
    let place = folder();
    let path = place.path().join("p.sonobrush");
    let history = later(&path, TABLES);
    let (restored, project) = open(&path, &SourceSearch::default()).unwrap();
    assert_same(&restored.history, &history);
    let reason = restored.notices.iter().find(|notice| notice.contains("newer Sonobrush")).unwrap();
    assert!(reason.contains("opt_layers, opt_pins") && reason.contains("kept"), "{reason}");
    drop(project);
    let wanted = rows(&path);
    assert_eq!(wanted.len(), 4 + 2 + 2, "{wanted:?}");
    // They survive a save under another name, and a session and its save.
    let copy = place.path().join("copy.sonobrush");
    save_new_project(&copy, &restored.history, &restored.desk, None, false, &Progress::new()).unwrap();
    assert_eq!(rows(&copy), wanted);
    let begin = SessionStart {
        place: Place::New(place.path().join("state")),
        history: restored.history,
        desk: restored.desk,
        source: Some(restored.source),
        project: None,
    };
    let writer = SessionWriter::start(begin, || ());
    assert!(writer.flush(TIMEOUT));
    writer.save(&place.path().join("third.sonobrush"), false, None).wait(&Progress::new()).unwrap();
    assert_eq!(rows(&place.path().join("third.sonobrush")), wanted);
    writer.end();
}

#[test]
fn tables_that_are_not_plain_are_refused_or_left_behind() {
    let place = folder();
    // Views and triggers, which could run SQL, and tables without the prefix are not accepted as
    // tables of a later version.
    for (name, tables) in [
        ("view", "CREATE VIEW opt_view AS SELECT * FROM edits"),
        (
            "trigger",
            "CREATE TABLE opt_t (a); CREATE TRIGGER opt_run AFTER INSERT ON opt_t BEGIN DELETE FROM edits; END",
        ),
        ("other", "CREATE TABLE option (a)"),
    ] {
        let path = place.path().join(format!("{name}.sonobrush"));
        later(&path, tables);
        let error: base::Error = open(&path, &SourceSearch::default()).unwrap_err().into();
        assert_eq!(error.kind(), ErrorKind::Malformed, "{name}");
        assert!(error.message().contains("tables"), "{name}: {error}");
    }
    // A table that cannot be copied, such as one with a computed column, is named in a notice;
    // everything else is saved.
    let path = place.path().join("computed.sonobrush");
    let history = later(&path, "CREATE TABLE opt_sum (a, b AS (a + 1)); INSERT INTO opt_sum VALUES (1)");
    let (restored, _) = open(&path, &SourceSearch::default()).unwrap();
    assert!(restored.notices.iter().any(|notice| notice.contains("cannot be kept: opt_sum")), "{:?}", restored.notices);
    assert_same(&restored.history, &history);
    let copy = place.path().join("copy.sonobrush");
    save_new_project(&copy, &restored.history, &restored.desk, None, false, &Progress::new()).unwrap();
    assert!(open(&copy, &SourceSearch::default()).is_ok());
    let _: SessionState = restored.desk;
}
