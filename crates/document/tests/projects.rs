//! Projects: a whole document in one file, and validation of its contents when it is opened.

use base::{ErrorKind, Progress};
use document::brushes::Isolate;
use document::session::{Restored, SourceError, SourceSearch, VerifiedProject, save_new_project, verify_project};
use document::{Edit, History, Snapshot};
use dsp::StftParams;
use media::Source;
use std::path::{Path, PathBuf};
use support::sessions::{assert_same, bits, desk, open, painted, room, write_wav};

struct Made {
    folder: tempfile::TempDir,
    history: History,
}

impl Made {
    /// A project of a painted WAV file.
    fn new(is_embedded: bool) -> Made {
        let folder = tempfile::tempdir().unwrap();
        write_wav(&folder.path().join("in.wav"));
        let source = Source::open(&folder.path().join("in.wav"), &Progress::new()).unwrap().source;
        let made = Made { history: painted(source), folder };
        made.save(is_embedded);
        made
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn save(&self, is_embedded: bool) {
        let path = self.path("p.sonobrush");
        save_new_project(&path, &self.history, &desk(), None, is_embedded, &Progress::new()).unwrap();
    }

    fn open(&self) -> Result<Restored, SourceError> {
        open(&self.path("p.sonobrush"), &SourceSearch::default()).map(|(restored, _)| restored)
    }
}

/// Verifies a project as `sonobrush verify` does.
fn verify(project: &Path) -> Result<VerifiedProject, SourceError> {
    let folder = project.parent().unwrap();
    let contained = folder.join("contained by the verified");
    verify_project(project, &SourceSearch::default(), &room(folder), &contained, &Progress::new())
}

fn error_of<T: std::fmt::Debug>(result: Result<T, SourceError>) -> base::Error {
    match result {
        Err(SourceError::Failed(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_project_holds_every_step_to_the_bit_and_all_that_lay_beside() {
    for is_embedded in [false, true] {
        let made = Made::new(is_embedded);
        if is_embedded {
            std::fs::remove_file(made.path("in.wav")).unwrap();
        }
        let restored = made.open().unwrap();
        assert_same(&restored.history, &made.history);
        assert_eq!(restored.desk, desk());
        assert_eq!((restored.damage, restored.source.is_embedded()), (None, is_embedded));
        let names: Vec<_> =
            std::fs::read_dir(made.folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().contains("-wal")), "{names:?}");
    }
}

#[test]
fn sound_of_no_file_and_silence_are_kept_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.sonobrush");
    let samples: Vec<f32> = (0..24_000).map(|i| (i as f32 * 0.013).sin() * 0.3).collect();
    let sounds = [Source::from_channels(vec![samples.clone(), samples], 48_000), Source::silence(24_000, 48_000, 2)];
    for (source, is_embedded) in sounds.into_iter().zip([true, false]) {
        let history = painted(source.unwrap());
        save_new_project(&path, &history, &desk(), None, false, &Progress::new()).unwrap();
        let (restored, _) = open(&path, &SourceSearch::default()).unwrap();
        assert_same(&restored.history, &history);
        assert_eq!(restored.source.is_embedded(), is_embedded);
    }
}

#[test]
fn an_edit_by_another_model_opens_with_its_stored_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.sonobrush");
    let sound = Source::from_channels(vec![support::signals::noise(24_000, 0.1, 3)], 48_000).unwrap();
    let mut history = History::new(Snapshot::new(sound));
    let engine = engine::Engine::cpu();
    let isolate = |model: Option<&str>| {
        Edit::of(Isolate { model: model.map(Into::into), ..Isolate::DEFAULT }, StftParams::default())
    };
    let isolated = document::apply(history.current(), &isolate(None), &engine, &Progress::new()).unwrap().snapshot;
    assert!(bits(&isolated) != bits(history.current()));
    let by_another = isolate(Some("0123"));
    history.push(by_another.clone(), isolated.clone());
    save_new_project(&path, &history, &desk(), None, false, &Progress::new()).unwrap();
    let (restored, _) = open(&path, &SourceSearch::default()).unwrap();
    assert!(bits(restored.history.current()) == bits(&isolated));
    assert_eq!(restored.history.entries()[1].edit, Some(by_another.clone()));
    assert_eq!(restored.damage, None);
    // Applied again it would be another sound, so it is refused.
    let error = document::apply(restored.history.current(), &by_another, &engine, &Progress::new()).unwrap_err();
    assert!(error.to_string().contains("another model"), "{error}");
}

#[test]
fn what_was_undone_can_be_redone_and_the_next_edit_replaces_it() {
    let made = Made::new(false);
    let mut restored = made.open().unwrap().history;
    assert!(restored.redo());
    assert!(bits(restored.current()) == bits(&made.history.entries()[5].snapshot));
    restored.go_to(2);
    let edit = made.history.entries()[6].edit.clone().unwrap();
    let engine = engine::Engine::cpu();
    let again = document::apply(restored.current(), &edit, &engine, &Progress::new()).unwrap();
    let first = document::apply(&made.history.entries()[2].snapshot, &edit, &engine, &Progress::new()).unwrap();
    assert!(
        bits(&again.snapshot) == bits(&first.snapshot),
        "what is painted on a restored sound is what it would have been"
    );
}

#[test]
fn a_sound_that_moved_is_asked_for_and_one_beside_the_project_is_found() {
    let made = Made::new(false);
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("other name.wav");
    std::fs::rename(made.path("in.wav"), &moved).unwrap();
    let Err(SourceError::Moved(path)) = made.open() else { panic!("it was found") };
    assert_eq!(path.file_name(), Some("in.wav".as_ref()));
    let finding = SourceSearch { source: Some(moved.clone()), may_have_changed: false };
    let (restored, _) = open(&made.path("p.sonobrush"), &finding).unwrap();
    assert_same(&restored.history, &made.history);
    // The project and its source are moved into the same other folder.
    std::fs::rename(&moved, elsewhere.path().join("in.wav")).unwrap();
    std::fs::rename(made.path("p.sonobrush"), elsewhere.path().join("q.sonobrush")).unwrap();
    let (restored, _) = open(&elsewhere.path().join("q.sonobrush"), &SourceSearch::default()).unwrap();
    assert_same(&restored.history, &made.history);
}

/// Different bytes with the same length and modification time.
fn change_quietly(path: &Path) {
    let at = std::fs::metadata(path).unwrap().modified().unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(path, bytes).unwrap();
    std::fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
}

#[test]
fn a_sound_that_is_gone_while_it_is_open_can_be_put_into_the_project() {
    let made = Made::new(false);
    std::fs::remove_file(made.path("in.wav")).unwrap();
    let save = |name: &str, is_embedded| {
        save_new_project(&made.path(name), &made.history, &desk(), None, is_embedded, &Progress::new())
    };
    let error = save("q.sonobrush", false).unwrap_err();
    assert!(error.message().contains("include the audio in the project"), "{error}");
    save("q.sonobrush", true).unwrap();
    let (restored, _) = open(&made.path("q.sonobrush"), &SourceSearch::default()).unwrap();
    assert_same(&restored.history, &made.history);
    assert!(restored.source.is_embedded());
}

#[test]
fn a_sound_that_changed_is_refused_unless_told_otherwise_and_one_of_another_length_always() {
    let made = Made::new(false);
    let project = made.path("p.sonobrush");
    change_quietly(&made.path("in.wav"));
    assert!(matches!(made.open(), Err(SourceError::Changed(_))));
    assert!(matches!(verify(&project), Err(SourceError::Changed(_))));
    let allowed = SourceSearch { source: None, may_have_changed: true };
    let (restored, _) = open(&project, &allowed).unwrap();
    assert!(
        restored.notices.iter().any(|notice| notice.contains("has changed; edited parts")),
        "{:?}",
        restored.notices
    );
    let mut bytes = std::fs::read(made.path("in.wav")).unwrap();
    bytes.truncate(bytes.len() - 4000);
    std::fs::write(made.path("in.wav"), bytes).unwrap();
    let error = error_of(open(&project, &allowed));
    assert!(error.message().contains("a different length"), "{error}");
}

#[test]
fn a_newer_version_is_refused_by_name() {
    let made = Made::new(false);
    let mut bytes = std::fs::read(made.path("p.sonobrush")).unwrap();
    bytes[60..64].copy_from_slice(&7u32.to_be_bytes());
    std::fs::write(made.path("p.sonobrush"), bytes).unwrap();
    let error = error_of(made.open());
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("newer Sonobrush") && error.message().contains("update"), "{error}");
}

#[test]
fn what_is_no_project_or_declares_anything_of_its_own_is_refused() {
    let made = Made::new(false);
    let project = made.path("p.sonobrush");
    let whole = std::fs::read(&project).unwrap();
    std::fs::write(&project, "not a database at all").unwrap();
    assert!(error_of(made.open()).message().contains("not a Sonobrush project"));
    // A crafted schema could run arbitrary SQL, for example by a view in place of an index. The text of the schema is
    // compared first, so that even another letter case is refused.
    let at = whole.windows(12).position(|window| window == b"CREATE TABLE").unwrap();
    let mut other = whole.clone();
    other[at + 13..at + 19].make_ascii_uppercase();
    std::fs::write(&project, &other).unwrap();
    let error = error_of(made.open());
    assert!(error.message().contains("damaged"), "{error}");
    std::fs::write(&project, &whole).unwrap();
    assert!(made.open().is_ok(), "the control: without the change it opens");
}

#[test]
fn a_log_that_someone_put_beside_a_project_is_not_read() {
    let made = Made::new(false);
    for ending in ["-wal", "-journal"] {
        std::fs::write(made.path(&format!("p.sonobrush{ending}")), vec![0x37; 70_000]).unwrap();
    }
    assert_same(&made.open().unwrap().history, &made.history);
    assert!(made.path("p.sonobrush-journal").exists());
}

#[test]
fn a_second_window_is_told() {
    let made = Made::new(false);
    let project = made.path("p.sonobrush");
    let (_, first) = open(&project, &SourceSearch::default()).unwrap();
    assert!(!first.is_held_elsewhere());
    let (restored, second) = open(&project, &SourceSearch::default()).unwrap();
    assert!(second.is_held_elsewhere());
    assert_same(&restored.history, &made.history);
    drop((first, second));
    assert!(!open(&project, &SourceSearch::default()).unwrap().1.is_held_elsewhere());
    let (_, first) = open(&project, &SourceSearch::default()).unwrap();
    let over = save_new_project(&project, &made.history, &desk(), None, false, &Progress::new());
    assert!(over.is_err_and(|error| error.message().contains("another window")));
    drop(first);
    // After a save, this window holds the project.
    let saved = save_new_project(&project, &made.history, &desk(), None, false, &Progress::new()).unwrap();
    assert!(open(&project, &SourceSearch::default()).unwrap().1.is_held_elsewhere());
    drop(saved);
}

/// The steps restored from a damaged project must be the first of those saved, in order, with an error if some are
/// missing.
fn assert_nothing_wrong(result: Result<Restored, SourceError>, made: &Made, what: &str) -> bool {
    let Ok(restored) = result else { return false };
    let (found, wanted) = (restored.history.entries(), made.history.entries());
    assert!(found.len() <= wanted.len(), "{what}");
    for (step, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert_eq!(found.edit, wanted.edit, "{what}, step {step}");
        assert!(bits(&found.snapshot) == bits(&wanted.snapshot), "{what}, step {step}");
    }
    let is_whole = found.len() == wanted.len() && restored.history.position() == made.history.position();
    assert!(is_whole || restored.damage.is_some(), "{what}: less than was saved, and nobody is told");
    if is_whole {
        assert_eq!(restored.desk, desk(), "{what}");
    }
    restored.damage.is_some()
}

#[test]
fn hundreds_of_flips_and_cuts_never_give_wrong_samples_without_a_word() {
    let n_rounds = if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 2_000 } else { 250 };
    let (mut n_reported, mut n_refused, mut n_whole) = (0, 0, 0);
    for is_embedded in [false, true] {
        let made = Made::new(is_embedded);
        let whole = std::fs::read(made.path("p.sonobrush")).unwrap();
        let mut state = 0x1234_5678_9abc_def1u64;
        let mut random = |max: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as usize) % max
        };
        for round in 0..n_rounds {
            let mut bytes = whole.clone();
            let what = if round % 10 == 9 {
                let n = random(bytes.len());
                bytes.truncate(n);
                format!("cut to {n}")
            } else {
                let (at, bit) = (random(bytes.len()), random(8));
                bytes[at] ^= 1 << bit;
                format!("bit {bit} of byte {at}")
            };
            std::fs::write(made.path("p.sonobrush"), &bytes).unwrap();
            let result = made.open();
            match &result {
                Err(SourceError::Failed(error)) => assert!(!error.message().contains('\n'), "{error}"),
                Err(SourceError::Moved(_) | SourceError::Changed(_)) => panic!("{what}: blamed on the sound"),
                Ok(_) => {}
            }
            match (result.is_ok(), assert_nothing_wrong(result, &made, &what)) {
                (false, _) => n_refused += 1,
                (true, true) => n_reported += 1,
                (true, false) => n_whole += 1,
            }
        }
    }
    // All three outcomes occur: lost edits with an error, a damaged header that is refused, and a
    // harmless flip in unused space.
    let min = n_rounds / 10;
    assert!(
        n_reported > min && n_refused > min && n_whole > 0,
        "{n_reported} told, {n_refused} refused, {n_whole} whole"
    );
}
