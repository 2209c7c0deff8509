//! Sessions: everything reported as saved survives any end of the process.

use base::Progress;
use document::session::{
    Place, Restored, SessionFolder, SessionStart, SessionWriter, SourceError, SourceRef, SourceSearch, find_sessions,
    open_session,
};
use document::{Edit, History, Snapshot, apply};
use engine::Engine;
use media::Source;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::sessions::{assert_same, bits, desk, open, painted, room, write_wav};

const TIMEOUT: Duration = Duration::from_secs(30);

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        write_wav(&folder.path().join("in.wav"));
        Bench { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn state(&self) -> PathBuf {
        self.path("state")
    }

    fn source(&self) -> Source {
        Source::open(&self.path("in.wav"), &Progress::new()).unwrap().source
    }

    fn begin(&self, history: &History, place: Place) -> SessionWriter {
        let source = SourceRef::of(history.original().source());
        let begin = SessionStart { place, history: history.clone(), desk: desk(), source, project: None };
        SessionWriter::start(begin, || ())
    }

    fn begin_new(&self, history: &History) -> SessionWriter {
        self.begin(history, Place::New(self.state()))
    }

    /// The session that the next start of the program finds, restored.
    fn recover(&self) -> Restored {
        let found = wait_for(|| find_sessions(&self.state()).pop());
        assert!(["in.wav", "p.sonobrush"].contains(&&found.name[..]), "{}", found.name);
        assert_eq!(found.damage, None);
        restore(&found.folder, self.folder.path()).unwrap()
    }
}

fn restore(folder: &SessionFolder, scratch: &Path) -> Result<Restored, SourceError> {
    open_session(folder, &SourceSearch::default(), &room(scratch), &Progress::new())
}

fn edits() -> Vec<Edit> {
    document::Script::parse(support::sessions::SCRIPT).unwrap().edits
}

fn paint(history: &mut History, edit: &Edit) {
    let applied = apply(history.current(), edit, &Engine::cpu(), &Progress::new()).unwrap();
    history.push(edit.clone(), applied.snapshot);
}

#[test]
fn a_session_that_was_left_gives_every_step_back() {
    let place = Bench::new();
    let mut history = History::new(Snapshot::new(place.source()));
    let mut writer = place.begin_new(&history);
    for edit in edits() {
        paint(&mut history, &edit);
        writer.follow(&history);
    }
    history.go_to(3);
    writer.follow(&history);
    assert!(writer.flush(TIMEOUT), "{:?}", writer.take_fault());
    assert!((0..history.entries().len()).all(|step| writer.is_saved(step)));
    drop(writer);
    let restored = place.recover();
    assert_same(&restored.history, &history);
    assert_eq!((restored.desk, restored.damage), (desk(), None));
}

/// Polls until `look` returns a value, since the writer's thread ends a moment after its owner.
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let began = std::time::Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < TIMEOUT, "it never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_replaces_undone_steps_is_what_stays() {
    let place = Bench::new();
    let mut history = painted(place.source());
    let mut writer = place.begin_new(&history);
    assert!(writer.flush(TIMEOUT));
    history.go_to(2);
    writer.follow(&history);
    paint(&mut history, &edits()[4]);
    writer.follow(&history);
    assert!(writer.flush(TIMEOUT));
    drop(writer);
    let restored = place.recover();
    assert_same(&restored.history, &history);
    assert_eq!(restored.history.entries().len(), 4);
}

#[test]
fn a_session_goes_on_where_another_process_left_it() {
    let place = Bench::new();
    let mut history = painted(place.source());
    let writer = place.begin_new(&history);
    assert!(writer.flush(TIMEOUT));
    let path = writer.folder().unwrap();
    assert!(SessionFolder::adopt(&path).is_err(), "it is held");
    assert!(find_sessions(&place.state()).is_empty(), "what is held is not offered");
    drop(writer);
    let folder = wait_for(|| SessionFolder::adopt(&path).ok());
    let restored = restore(&folder, place.folder.path()).unwrap();
    let mut again = restored.history;
    let mut writer = place.begin(&again, Place::Adopted(folder));
    for history in [&mut history, &mut again] {
        history.go_to(6);
        paint(history, &edits()[0]);
    }
    writer.follow(&again);
    assert!(writer.flush(TIMEOUT), "{:?}", writer.take_fault());
    drop(writer);
    let restored = place.recover();
    assert!(bits(restored.history.current()) == bits(history.current()));
    assert_eq!(restored.history.entries().len(), 8);
}

#[test]
fn a_session_that_ends_leaves_nothing_and_one_without_edits_is_not_offered() {
    let place = Bench::new();
    let writer = place.begin_new(&painted(place.source()));
    assert!(writer.flush(TIMEOUT));
    let path = writer.folder().unwrap();
    writer.end();
    assert!(!path.exists());
    let writer = place.begin_new(&History::new(Snapshot::new(place.source())));
    assert!(writer.flush(TIMEOUT));
    let path = writer.folder().unwrap();
    drop(writer);
    wait_for(|| {
        assert!(find_sessions(&place.state()).is_empty());
        (!path.exists()).then_some(())
    });
}

#[test]
fn a_project_is_saved_from_a_session() {
    let place = Bench::new();
    let history = painted(place.source());
    let writer = place.begin_new(&history);
    for is_embedded in [false, true, false] {
        let project = place.path("p.sonobrush");
        let saved = writer.save(&project, is_embedded, None).wait(&Progress::new()).unwrap();
        assert!(saved.check_unchanged().is_ok());
        drop(saved);
        let (restored, _) = open(&project, &SourceSearch::default()).unwrap();
        assert_same(&restored.history, &history);
        assert_eq!((restored.damage, restored.source.is_embedded(), restored.project), (None, is_embedded, None));
        let names: Vec<_> =
            std::fs::read_dir(place.folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
        assert!(!names.iter().any(|name| name.contains("-wal") || name.contains(".sonobrush-")), "{names:?}");
    }
    writer.end();
}

#[test]
fn a_state_folder_that_cannot_be_written_is_told_and_costs_neither_edits_nor_projects() {
    let place = Bench::new();
    // A file where the folder should be, in which not even root can make a folder.
    std::fs::write(place.state(), "").unwrap();
    let mut history = painted(place.source());
    let mut writer = place.begin_new(&history);
    paint(&mut history, &edits()[0]);
    writer.follow(&history);
    assert!(!writer.flush(TIMEOUT));
    assert!(writer.is_failing() && writer.take_fault().is_some());
    assert!(!writer.is_saved(1));
    let project = place.path("p.sonobrush");
    writer.save(&project, false, None).wait(&Progress::new()).unwrap();
    assert_same(&open(&project, &SourceSearch::default()).unwrap().0.history, &history);
    // Once the folder is writable again, the writer saves everything by itself.
    std::fs::remove_file(place.state()).unwrap();
    wait_for(|| (writer.is_settled() && writer.is_saved(history.position())).then_some(()));
    assert!(!writer.is_failing());
    drop(writer);
    let restored = place.recover();
    assert_same(&restored.history, &history);
}

#[test]
fn a_project_that_another_program_changed_is_noticed() {
    let place = Bench::new();
    let history = painted(place.source());
    let writer = place.begin_new(&history);
    let project = place.path("p.sonobrush");
    let saved = writer.save(&project, false, None).wait(&Progress::new()).unwrap();
    assert!(saved.check_unchanged().is_ok());
    std::fs::write(&project, "another program's").unwrap();
    let again = writer.save(&project, false, Some(&saved)).wait(&Progress::new());
    assert!(again.is_err_and(|error| error.message().contains("another program")));
    assert_eq!(std::fs::read(&project).unwrap(), b"another program's");
    writer.end();
}
