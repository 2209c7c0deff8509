//! A path opened for reading may be any kind of file: a pipe without a writer, a device without an end. Its type is
//! checked before it is read.
#![cfg(unix)]

use super::support::program::{Place, failure};
use super::support::sessions::{desk, painted, write_wav};
use super::support::sources::sources;
use sonobrush::base::Progress;
use sonobrush::document::session::{
    GeneratedSound, Place as SessionPlace, SessionFolder, SessionStart, SessionWriter, SoundFolder, SourceRef,
    find_recordings, find_sessions, save_new_project,
};
use sonobrush::media::Source;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(30);

/// Puts something there that is no file; what it is.
fn put(kind: &str, path: &Path) {
    std::fs::remove_file(path).ok();
    match kind {
        "pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        _ => std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
    }
}

/// The one line of a command that must fail, with no more than half a gigabyte, and soon.
fn refused(place: &Place, arguments: &[&str]) -> String {
    let mut command = place.other("bash");
    command.args(["-c", "ulimit -v 4000000; exec \"$@\"", "bash"]).arg(super::support::program::program());
    let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > TIMEOUT {
            child.kill().unwrap();
            panic!("{arguments:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    failure(&child.wait_with_output().unwrap())
}

/// Work that must end.
fn ends<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(work()).ok());
    receive.recv_timeout(TIMEOUT).unwrap_or_else(|_| panic!("{what} hangs"))
}

#[test]
fn pipes_and_devices_in_the_place_of_files_are_told_at_once() {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    place.done(&["features", "in.wav", "-o", "out"]);
    place.write("s.json", super::support::sessions::SCRIPT);
    place.done(&["save", "in.wav", "-o", "p.sonobrush"]);
    let commands: [(&str, &[&str]); 9] = [
        ("m.json", &["library", "--library", "l/lib.db", "add", "--manifest", "m.json", "--shard", "0/1"]),
        ("m.json", &["features", "--manifest", "m.json", "--shard", "0/1", "-o", "part"]),
        ("out/features.json", &["features", "--verify", "out"]),
        ("out/files.parquet", &["features", "--verify", "out"]),
        ("out/features.npy", &["features", "--verify", "out"]),
        ("out/features.npy", &["features", "--merge", "out", "-o", "merged"]),
        ("p.sonobrush", &["verify", "p.sonobrush"]),
        ("s.json", &["paint", "in.wav", "--script", "s.json", "-o", "o.wav"]),
        ("q.sonobrush", &["save", "in.wav", "-o", "q.sonobrush"]),
    ];
    for kind in ["pipe", "device"] {
        for (name, arguments) in commands {
            let kept = std::fs::read(place.path(name));
            put(kind, &place.path(name));
            let line = refused(&place, arguments);
            // The length of files written before is known, and is checked first.
            let is_reported =
                line.contains("regular file") || line.contains("bytes instead of") || line.contains("no shard");
            assert!(is_reported, "{kind} {arguments:?}: {line}");
            std::fs::remove_file(place.path(name)).unwrap();
            if let Ok(bytes) = kept {
                place.write(name, bytes);
            }
        }
    }
}

/// What lies in the state folder, where nothing but files of ours should be.
#[test]
fn pipes_in_the_state_folder_stop_nothing() {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    let state = place.path("state");
    let session = SessionFolder::create(&state).unwrap();
    let path = session.path().to_path_buf();
    drop(session);
    for name in ["session-1.db", "session-1.db-wal", "source", "tried"] {
        put("pipe", &path.join(name));
    }
    let sounds: Vec<_> = [GeneratedSound::Recording, GeneratedSound::Resampled]
        .map(|what| SoundFolder::create(&state, what).unwrap())
        .into();
    sounds.iter().for_each(|folder| put("pipe", &folder.join("a.wav")));
    drop(sounds);
    // A lock that is none.
    let odd = state.join("sessions/1-2-3");
    std::fs::create_dir(&odd).unwrap();
    put("pipe", &odd.join("lock"));
    let found = ends("the look for sessions", {
        let state = state.clone();
        move || (find_sessions(&state).len(), find_recordings(&state, &[]).len())
    });
    assert_eq!(found, (0, 0));
    assert!(odd.join("lock").symlink_metadata().is_ok(), "what is not ours stays");
    // The control: with files there, a session is found.
    let source = Source::open(&place.path("in.wav"), &Progress::new()).unwrap().source;
    let history = painted(source);
    let begin = SessionStart {
        place: SessionPlace::New(state.clone()),
        source: SourceRef::of(history.original().source()),
        history,
        desk: desk(),
        project: None,
    };
    let writer = SessionWriter::start(begin, || ());
    assert!(writer.flush(TIMEOUT));
    let folder = writer.folder().unwrap();
    drop(writer);
    let began = Instant::now();
    while SessionFolder::adopt(&folder).is_err() {
        assert!(began.elapsed() < TIMEOUT, "it is held");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(find_sessions(&state).len(), 1);
}

/// Saving over a pipe, in the place of a project that is open, ends too.
#[test]
fn a_project_is_not_saved_into_a_pipe() {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    let source = Source::open(&place.path("in.wav"), &Progress::new()).unwrap().source;
    let (history, path) = (painted(source), place.path("p.sonobrush"));
    put("pipe", &path);
    let saved =
        ends("the save", move || save_new_project(&path, &history, &desk(), None, false, &Progress::new()).map(drop));
    assert!(saved.is_err_and(|error| error.message().contains("not a regular file")));
}

/// Calls that open a file for reading without looking what it is.
const OPENING: [&str; 4] = ["File::open(", "fs::read(", "read_to_string(", "fs::copy("];
/// A source file, and why such a call is safe there. This list may only shrink.
const EXCEPTIONS: [(&str, &str); 7] = [
    ("base/files/atomic_file.rs", "its kind was looked at just before"),
    ("cli/bench/report.rs", "/proc/cpuinfo"),
    ("document/session/log.rs", "a log that was read just before"),
    ("library/store/work/workers.rs", "a test's own file"),
    ("playback/devices.rs", "/proc/asound"),
    ("playback/system.rs", "/proc/asound"),
    ("workbench/services/dialogs.rs", "a test's own file"),
];

#[test]
fn every_reader_looks_what_it_opens() {
    let mut found = Vec::new();
    for (file, text) in sources() {
        if file.starts_with("base/platform") || EXCEPTIONS.iter().any(|(known, _)| *known == file) {
            continue;
        }
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            // A name that only ends like one, such as `ArrayFile::open`, is another.
            let is_whole = |place: usize| !code[..place].ends_with(|letter: char| letter.is_alphanumeric());
            if OPENING.iter().any(|call| code.match_indices(call).any(|(place, _)| is_whole(place))) {
                found.push(format!("{file}:{}: {}", at + 1, line.trim()));
            }
        }
    }
    assert_eq!(found, [""; 0], "use base::open_regular, or what is built on it");
}
