//! The state folder with sessions, recordings and generated sounds: private to this user, and cleaned
//! up without following links.
#![cfg(unix)]

use base::Progress;
use document::session::{
    GeneratedSound, Place, SessionFolder, SessionStart, SessionWriter, SoundFolder, SourceRef, find_recordings,
    find_sessions,
};
use document::{History, Snapshot};
use media::{GrowingWav, Source};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use support::sessions::{desk, painted, write_wav};

const TIMEOUT: Duration = Duration::from_secs(30);

/// Every folder and file in a folder, with its permissions.
fn modes(folder: &Path) -> Vec<(PathBuf, bool, u32)> {
    let found = std::fs::symlink_metadata(folder).unwrap();
    let mut all = vec![(folder.to_path_buf(), found.is_dir(), found.permissions().mode() & 0o777)];
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        all.extend(modes(&entry.path()));
    }
    all
}

fn assert_private(folder: &Path, min: usize) {
    let modes = modes(folder);
    assert!(modes.len() >= min, "{modes:?}");
    for (path, is_folder, mode) in modes {
        assert_eq!(mode, if is_folder { 0o700 } else { 0o600 }, "{} has {mode:o}", path.display());
    }
}

/// Folders that everybody can read, as an older version created them, become private, regardless of the umask.
#[test]
fn sessions_and_recordings_are_for_this_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    for name in ["sessions", "recordings", "resampled"] {
        std::fs::create_dir_all(state.join(name)).unwrap();
        std::fs::set_permissions(state.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    write_wav(&folder.path().join("in.wav"));
    let file = Source::open(&folder.path().join("in.wav"), &Progress::new()).unwrap().source;
    // A session of a file, and one of a generated sound, which is stored in the session's folder.
    let samples: Vec<f32> = (0..24_000).map(|i| (i as f32 * 0.013).sin() * 0.3).collect();
    let made = Source::from_channels(vec![samples.clone(), samples], 48_000).unwrap();
    for source in [file, made] {
        let history = painted(source);
        let source = SourceRef::of(history.original().source());
        let is_contained = source.is_none();
        let begin = SessionStart { place: Place::New(state.clone()), history, desk: desk(), source, project: None };
        let writer = SessionWriter::start(begin, || ());
        assert!(writer.flush(TIMEOUT), "{:?}", writer.take_fault());
        let path = writer.folder().unwrap();
        // Folder, lock, database, write-ahead log and its index; and the sound, if it is contained.
        assert_private(&path, if is_contained { 6 } else { 5 });
        assert_eq!(path.join("source").exists(), is_contained);
        assert_private(&state.join("sessions"), 6);
        writer.end();
    }
    let session = SessionFolder::create(&state).unwrap();
    session.note_trial().unwrap();
    assert_private(session.path(), 3);
    for what in [GeneratedSound::Recording, GeneratedSound::Resampled, GeneratedSound::DraggedOut] {
        let sounds = SoundFolder::create(&state, what).unwrap();
        let path = sounds.join("a.wav");
        match what {
            GeneratedSound::Recording => drop(GrowingWav::create_private(&path, 48_000, 2).unwrap()),
            GeneratedSound::Resampled | GeneratedSound::DraggedOut => {
                assert_eq!(sounds.create_file("a.wav").unwrap(), path);
                let snapshot = Snapshot::new(Source::silence(4_800, 48_000, 1).unwrap());
                let format = media::ExportFormat::Float32;
                document::export(&snapshot, &path, format, None, &Progress::new()).unwrap();
            }
        }
        assert_private(path.parent().unwrap().parent().unwrap(), 4);
    }
    // Control: files that the user saves elsewhere have the usual permissions.
    let path = folder.path().join("shared.wav");
    drop(GrowingWav::create(&path, 48_000, 2).unwrap());
    assert_ne!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o444, 0o400, "the control");
}

/// Makes everything in a folder an hour old.
fn age(folder: &Path) {
    let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
    for (path, ..) in modes(folder) {
        if !path.is_symlink() {
            std::fs::File::open(path).unwrap().set_modified(hour_ago).unwrap();
        }
    }
}

fn bytes(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = modes(folder).into_iter().filter(|(_, is_folder, _)| !is_folder);
    files.map(|(path, ..)| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// Links in the state folder to the user's own folders are not followed, even if these look like generated ones.
#[test]
fn what_links_in_the_state_folder_lead_to_is_not_tidied_away() {
    let folder = tempfile::tempdir().unwrap();
    let (state, mine) = (folder.path().join("state"), folder.path().join("mine"));
    let finished = {
        let path = folder.path().join("take.wav");
        let mut wav = GrowingWav::create(&path, 48_000, 1).unwrap();
        wav.append(&[0.5; 480]).unwrap();
        drop(wav);
        std::fs::read(path).unwrap()
    };
    for name in ["sessions", "recordings", "resampled"] {
        let mine = mine.join(name);
        std::fs::create_dir_all(&mine).unwrap();
        std::fs::create_dir_all(state.join(name)).unwrap();
        std::fs::write(mine.join("lock"), "").unwrap();
        std::fs::write(mine.join(if name == "sessions" { "session-1.db" } else { "song.wav" }), &finished).unwrap();
        // A link with a generated name, and one named by the user.
        for link in ["1700000000-1-0", "mine"] {
            std::os::unix::fs::symlink(&mine, state.join(name).join(link)).unwrap();
        }
        // A generated folder whose file is a link, and a folder of the user's.
        for own in ["1700000000-2-0", "album"] {
            let own = state.join(name).join(own);
            std::fs::create_dir(&own).unwrap();
            std::fs::write(own.join("lock"), "").unwrap();
            match own.ends_with("album") {
                true => std::fs::write(own.join("song.wav"), &finished).unwrap(),
                false => std::os::unix::fs::symlink(mine.join("song.wav"), own.join("song.wav")).unwrap(),
            }
        }
        // A generated folder whose lock is a link.
        let own = state.join(name).join("1700000000-3-0");
        std::fs::create_dir(&own).unwrap();
        std::os::unix::fs::symlink(mine.join("lock"), own.join("lock")).unwrap();
        std::fs::write(own.join("song.wav"), &finished).unwrap();
    }
    age(folder.path());
    let before = bytes(&mine);
    let albums: Vec<_> =
        ["sessions", "recordings", "resampled"].map(|name| state.join(name).join("album/song.wav")).into();
    assert_eq!(before.len(), 6);
    assert_eq!(find_sessions(&state).len(), 0);
    assert_eq!(find_recordings(&state, &[]).len(), 0);
    assert!(bytes(&mine) == before, "what links lead to was changed");
    assert!(albums.iter().all(|song| std::fs::read(song).unwrap() == finished), "a folder of the user's was tidied");
    // Control: generated folders are removed.
    for what in [GeneratedSound::Resampled, GeneratedSound::DraggedOut] {
        let sounds = SoundFolder::create(&state, what).unwrap();
        let path = sounds.join("a.wav");
        std::fs::write(&path, &finished).unwrap();
        drop(sounds);
        find_recordings(&state, &[]);
        assert!(!path.exists());
    }
}

/// A folder that the user has put on another disk: its contents are offered, and nothing there is removed.
#[test]
fn a_folder_of_recordings_that_is_a_link_is_read_and_not_tidied() {
    let folder = tempfile::tempdir().unwrap();
    let (state, disk) = (folder.path().join("state"), folder.path().join("disk"));
    std::fs::create_dir_all(&state).unwrap();
    for name in ["sessions", "recordings", "resampled"] {
        std::fs::create_dir_all(disk.join(name)).unwrap();
        std::os::unix::fs::symlink(disk.join(name), state.join(name)).unwrap();
    }
    for what in [GeneratedSound::Recording, GeneratedSound::Resampled] {
        let sounds = SoundFolder::create(&state, what).unwrap();
        let mut wav = GrowingWav::create_private(&sounds.join("a.wav"), 48_000, 1).unwrap();
        wav.append(&[0.5; 480]).unwrap();
    }
    drop(SessionFolder::create(&state).unwrap());
    age(&disk);
    let before = bytes(&disk);
    let found = find_recordings(&state, &[]);
    assert_eq!(found.len(), 1);
    assert_eq!(Source::open(&found[0].path, &Progress::new()).unwrap().source.info().n_samples, 480);
    assert!(find_sessions(&state).is_empty());
    assert!(bytes(&disk) == before);
}

/// Marking a session as tried does not write through a link.
#[test]
fn a_trial_is_noted_without_changing_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let session = SessionFolder::create(&folder.path().join("state")).unwrap();
    std::fs::write(folder.path().join("mine"), "notes").unwrap();
    std::os::unix::fs::symlink(folder.path().join("mine"), session.path().join("tried")).unwrap();
    session.note_trial().unwrap();
    assert!(session.was_tried());
    assert_eq!(std::fs::read(folder.path().join("mine")).unwrap(), b"notes");
}

/// A writer whose files are removed, for example by a cleanup tool, saves the whole document again.
#[test]
fn a_session_whose_files_were_removed_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    write_wav(&folder.path().join("in.wav"));
    let source = Source::open(&folder.path().join("in.wav"), &Progress::new()).unwrap().source;
    let whole = painted(source);
    let mut history = History::new(whole.original().clone());
    let begin = SessionStart {
        place: Place::New(state.clone()),
        history: history.clone(),
        desk: desk(),
        source: SourceRef::of(whole.original().source()),
        project: None,
    };
    let mut writer = SessionWriter::start(begin, || ());
    for (step, entry) in whole.entries().iter().enumerate().skip(1) {
        assert!(writer.flush(TIMEOUT), "{:?}", writer.take_fault());
        let path = writer.folder().unwrap();
        match step {
            2 => std::fs::remove_file(path.join("session-1.db")).unwrap(),
            4 => std::fs::remove_dir_all(&path).unwrap(),
            _ => {}
        }
        history.push(entry.edit.clone().unwrap(), entry.snapshot.clone());
        writer.follow(&history);
    }
    assert!(writer.flush(TIMEOUT), "{:?}", writer.take_fault());
    let path = writer.folder().unwrap();
    drop(writer);
    let began = std::time::Instant::now();
    let found = loop {
        if let Some(found) = find_sessions(&state).pop() {
            break found;
        }
        assert!(began.elapsed() < TIMEOUT, "{} is not there", path.display());
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(found.n_edits, whole.entries().len() - 1);
}
