//! Saving back over the file that was opened, as an external editor does: the file is the old or the new one at any
//! moment, its original is kept beside it once, and the history goes on with that.

use crate::support::program::Place;
use crate::support::sessions::{self, room, write_wav};
use crate::support::studio::{Bench, Drawing, NONE, bits, clip, samples};
use egui::Key;
use sonobrush::base::Progress;
use sonobrush::document::Snapshot;
use sonobrush::document::session::{SourceSearch, find_sessions, open_session};
use sonobrush::media::Source;
use sonobrush::workbench::commands::{Command, EditCommand, FileCommand};
use sonobrush::workbench::{FileAct, ProjectSaveOptions, Purpose, Reply, Severity, Then};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn give(bench: &mut Bench, command: impl Into<Command>) {
    let ctx = bench.harness.ctx.clone();
    bench.harness.state_mut().apply(&ctx, command);
    bench.settle();
}

/// The session is written by a thread of its own.
fn settle(bench: &mut Bench) {
    let until = Instant::now() + Duration::from_secs(60);
    let is_settled = |bench: &Bench| {
        let document = bench.studio().document();
        document.is_none_or(|document| document.session().writer().is_some_and(|writer| writer.is_settled()))
    };
    bench.settle();
    while !is_settled(bench) {
        assert!(Instant::now() < until, "the session is not written");
        std::thread::sleep(Duration::from_millis(5));
        bench.settle();
    }
}

fn save_back(bench: &mut Bench) {
    settle(bench);
    give(bench, FileCommand::SaveBack);
    settle(bench);
}

fn last(bench: &Bench) -> (Severity, String) {
    bench.notices().last().cloned().unwrap()
}

/// A bench that may save back, with a copy of a clip open in a folder of the user's; the copy.
fn with_copy(name: &str) -> (Bench, PathBuf) {
    let mut bench = Bench::new(Drawing::None);
    let folder = bench.out("user");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join(name);
    std::fs::copy(clip(name), &file).unwrap();
    open(&mut bench, &file);
    (bench, file)
}

fn open(bench: &mut Bench, file: &Path) {
    bench.act(FileAct::AllowSavingBack);
    bench.open(file.to_path_buf());
    settle(bench);
    let path = bench.studio().document().unwrap().path().map(|path| std::fs::canonicalize(path).unwrap());
    assert_eq!(path, Some(std::fs::canonicalize(file).unwrap()));
}

fn erase(bench: &mut Bench, secs: [f64; 2]) {
    bench.select(Some(secs), None);
    give(bench, EditCommand::EraseSelection);
}

fn sound_of(file: &Path) -> Vec<Vec<f32>> {
    let source = Source::open(file, &Progress::new()).unwrap().source;
    let snapshot = Snapshot::new(source);
    (0..snapshot.n_channels()).map(|channel| samples(&snapshot, channel)).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn it_is_offered_only_where_it_is_switched_on() {
    let place = Place::new();
    let shown = place.done(&["config"]);
    let row = shown.lines().find(|line| line.starts_with("save_back")).unwrap();
    assert!(row.contains("false") && row.contains("SONOBRUSH_SAVE_BACK"), "{row}");
    let mut bench = Bench::with_clip(Drawing::None, "speech_16k_mono.wav");
    let is_listed = |bench: &Bench| Command::from(FileCommand::SaveBack).is_listed(&bench.studio().facts());
    assert!(!is_listed(&bench));
    bench.click("File");
    assert!(bench.has("Save project as\u{2026}") && !bench.has("Save back to file"));
    bench.key(NONE, Key::Escape);
    bench.act(FileAct::AllowSavingBack);
    bench.settle();
    assert!(is_listed(&bench));
    bench.click("File");
    assert!(bench.has("Save back to file"));
    // One file, and no command.
    for arguments in [&["--edit"][..], &["--edit", "a.wav", "b.wav"], &["--edit", "info", "a.wav"]] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_file_is_replaced_at_its_own_depth_and_undo_gives_the_bits_of_the_original() {
    for name in ["speech_16k_mono.wav", "crow_44k_mono.flac", "choir_44k_stereo_float64.wav"] {
        let (mut bench, file) = with_copy(name);
        let old = std::fs::read(&file).unwrap();
        let original = sound_of(&file);
        erase(&mut bench, [0.1, 0.3]);
        save_back(&mut bench);
        let (level, what) = last(&bench);
        assert!(level == Severity::Info && what.starts_with(&format!("Saved back to {name} (")), "{what}");
        let ending = file.extension().unwrap().to_str().unwrap();
        let beside = file.with_extension(format!("original.{ending}"));
        assert_eq!(names_in(file.parent().unwrap()).len(), 2, "nothing else is left there");
        assert!(std::fs::read(&beside).unwrap() == old, "{name}");
        // The same format, and the sound that was heard.
        let info = |path: &Path| Source::open(path, &Progress::new()).unwrap().source.info().clone();
        assert_eq!((info(&file).format, info(&file).description), (info(&beside).format, info(&beside).description));
        let now = sound_of(&file);
        assert!(now != original && now[0].len() == original[0].len(), "{name}");
        let document = bench.studio().document().unwrap();
        assert!(!document.has_unsaved_edits() && document.path() == Some(&*std::fs::canonicalize(&file).unwrap()));
        // Undo gives the bits of the original; the second time the first original stays.
        give(&mut bench, EditCommand::Undo);
        assert_eq!(bits(&bench.samples(0)), bits(&original[0]), "{name}");
        erase(&mut bench, [0.4, 0.5]);
        save_back(&mut bench);
        assert!(std::fs::read(&beside).unwrap() == old, "{name}");
        assert!(sound_of(&file) != now && names_in(file.parent().unwrap()).len() == 2, "{name}");
        // A project of it opens, its whole history with it.
        settle(&mut bench);
        let project = file.with_file_name("made.sonobrush");
        let options = ProjectSaveOptions::default();
        bench.act(Reply::Path {
            purpose: Purpose::Project(options),
            path: project.clone(),
            replaces: Some(project.clone()),
        });
        settle(&mut bench);
        assert!(project.exists(), "{:?}", bench.notices());
        let now = bench.samples(0);
        let (restored, _) = sessions::open(&project, &SourceSearch::default()).unwrap();
        assert_eq!(bits(&samples(restored.history.current(), 0)), bits(&now));
        assert_eq!(bits(&samples(restored.history.original(), 0)), bits(&original[0]));
    }
}

#[test]
fn a_project_of_before_finds_the_original() {
    let (mut bench, file) = with_copy("speech_16k_mono.wav");
    let original = sound_of(&file);
    erase(&mut bench, [0.1, 0.3]);
    let project = file.with_file_name("before.sonobrush");
    let options = ProjectSaveOptions::default();
    bench.act(Reply::Path {
        purpose: Purpose::Project(options),
        path: project.clone(),
        replaces: Some(project.clone()),
    });
    settle(&mut bench);
    save_back(&mut bench);
    let (restored, _) = sessions::open(&project, &SourceSearch::default()).unwrap();
    assert_eq!(bits(&samples(restored.history.original(), 0)), bits(&original[0]));
}

#[test]
fn another_day_the_first_original_stays_and_undo_gives_what_was_opened() {
    let (mut bench, file) = with_copy("speech_16k_mono.wav");
    let old = std::fs::read(&file).unwrap();
    erase(&mut bench, [0.1, 0.3]);
    save_back(&mut bench);
    let document = bench.studio().document().unwrap().id();
    bench.act(Reply::Discard { document, then: Then::Close(document) });
    settle(&mut bench);
    open(&mut bench, &file);
    let opened = bench.samples(0);
    erase(&mut bench, [0.5, 0.6]);
    save_back(&mut bench);
    assert!(std::fs::read(file.with_extension("original.wav")).unwrap() == old);
    assert_eq!(names_in(file.parent().unwrap()).len(), 2);
    // Killed now, the session holds what was opened.
    let now = bench.samples(0);
    let folder = bench.into_folder();
    // Its thread lets go of it a moment later.
    let until = Instant::now() + Duration::from_secs(60);
    let mut found = find_sessions(&folder.path().join("state"));
    while found.is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
        found = find_sessions(&folder.path().join("state"));
    }
    assert_eq!((found.len(), found[0].name.as_str()), (1, "speech_16k_mono.wav"));
    let session = found.pop().unwrap().folder;
    let restored = open_session(&session, &SourceSearch::default(), &room(folder.path()), &Progress::new()).unwrap();
    assert_eq!(bits(&samples(restored.history.original(), 0)), bits(&opened));
    assert_eq!(bits(&samples(restored.history.current(), 0)), bits(&now));
    assert_eq!(session.saved_back().unwrap().file, std::fs::canonicalize(&file).unwrap());
}

#[test]
fn a_recovered_session_is_about_the_file_and_saves_back_again() {
    let (mut bench, file) = with_copy("speech_16k_mono.wav");
    let old = std::fs::read(&file).unwrap();
    erase(&mut bench, [0.1, 0.3]);
    save_back(&mut bench);
    erase(&mut bench, [0.5, 0.6]);
    settle(&mut bench);
    let mut bench = Bench::in_folder(Drawing::None, bench.into_folder());
    bench.act(FileAct::AllowSavingBack);
    bench.act(FileAct::LookForSessions { agreed: Some(true), files: Vec::new() });
    settle(&mut bench);
    let document = bench.studio().document().unwrap();
    assert_eq!((document.history().position(), document.name().as_str()), (2, "speech_16k_mono.wav (recovered)"));
    assert_eq!(document.path(), Some(&*std::fs::canonicalize(&file).unwrap()));
    let before = sound_of(&file);
    save_back(&mut bench);
    let (level, what) = last(&bench);
    assert!(level == Severity::Info && sound_of(&file) != before, "{what}");
    assert!(std::fs::read(file.with_extension("original.wav")).unwrap() == old);
}

#[test]
fn what_cannot_be_saved_back_is_one_sentence_and_changes_nothing() {
    // Another format.
    let mp3 = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found3/genre_17.mp3");
    let mut bench = Bench::new(Drawing::None);
    let file = bench.out("song.mp3");
    std::fs::copy(mp3, &file).unwrap();
    open(&mut bench, &file);
    erase(&mut bench, [0.0, 0.01]);
    let folder = names_in(file.parent().unwrap());
    save_back(&mut bench);
    let (level, what) = last(&bench);
    assert!(level == Severity::Error && what.contains("only WAV and FLAC files are saved back; use Export"), "{what}");
    assert_eq!(names_in(file.parent().unwrap()), folder);
    // A sound of no file.
    bench.act(FileAct::Show(Snapshot::new(Source::silence(1000, 8000, 1).unwrap())));
    save_back(&mut bench);
    assert!(last(&bench).1.contains("in no file of its own; use Export"), "{:?}", last(&bench));
    // A kept original.
    let (mut bench, file) = with_copy("speech_16k_mono.wav");
    let kept = file.with_file_name("x.original.wav");
    std::fs::copy(&file, &kept).unwrap();
    open(&mut bench, &kept);
    erase(&mut bench, [0.1, 0.2]);
    save_back(&mut bench);
    assert!(last(&bench).1.contains("is a kept original, which is never overwritten"), "{:?}", last(&bench));
    // A file that was changed meanwhile stays as it was changed.
    let (mut bench, file) = with_copy("speech_16k_mono.wav");
    erase(&mut bench, [0.1, 0.2]);
    settle(&mut bench);
    std::fs::copy(clip("choir_44k_stereo_float64.wav"), &file).unwrap();
    let theirs = std::fs::read(&file).unwrap();
    save_back(&mut bench);
    let (level, what) = last(&bench);
    assert!(level == Severity::Error && what.contains("was changed by another program"), "{what}");
    assert!(std::fs::read(&file).unwrap() == theirs && names_in(file.parent().unwrap()).len() == 1);
}

#[cfg(unix)]
#[test]
fn links_are_resolved_and_mode_and_attributes_stay() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let (mut bench, file) = with_copy("speech_16k_mono.wav");
    let document = bench.studio().document().unwrap().id();
    bench.act(Reply::Discard { document, then: Then::Close(document) });
    let link = bench.out("link.wav");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    // As root, the file is given to another user.
    let is_given = std::os::unix::fs::chown(&file, Some(1234), Some(4321)).is_ok();
    let before = std::fs::metadata(&file).unwrap();
    open(&mut bench, &link);
    erase(&mut bench, [0.1, 0.2]);
    save_back(&mut bench);
    assert_eq!(last(&bench).0, Severity::Info, "{:?}", last(&bench));
    let after = std::fs::metadata(&file).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(before.ino(), after.ino(), "it is another file");
    assert_eq!((after.mode() & 0o7777, after.uid(), after.gid()), (0o640, before.uid(), before.gid()), "{is_given}");
    assert_eq!(names_in(file.parent().unwrap()), ["speech_16k_mono.original.wav", "speech_16k_mono.wav"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_may_not_be_written_keeps_everything_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let is_root = std::process::Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let (mut bench, file) = with_copy("speech_16k_mono.wav");
    let folder = file.parent().unwrap().to_path_buf();
    let old = std::fs::read(&file).unwrap();
    erase(&mut bench, [0.1, 0.2]);
    settle(&mut bench);
    // Root may write everything except immutable folders, where the file system has these.
    let immutable = |how: &str| std::process::Command::new("chattr").arg(how).arg(&folder).output();
    let is_locked = match is_root {
        true => immutable("+i").is_ok_and(|output| output.status.success()),
        false => std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).is_ok(),
    };
    if !is_locked {
        return crate::support::program::skipped("no folder can be made read-only here");
    }
    save_back(&mut bench);
    let reported = last(&bench);
    match is_root {
        true => immutable("-i").map(drop).unwrap(),
        false => std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap(),
    }
    assert_eq!(reported.0, Severity::Error, "{reported:?}");
    assert!(std::fs::read(&file).unwrap() == old && names_in(&folder).len() == 1);
    // Nothing is lost: now it works.
    save_back(&mut bench);
    assert_eq!((last(&bench).0, names_in(&folder).len()), (Severity::Info, 2));
}

const N_EDITS: usize = 12;
const BACK_EVERY: usize = 4;

fn script(n: usize) -> String {
    let edit = |i: usize| {
        let at = 0.02 + 0.03 * i as f64;
        format!(r#"{{"brush": {{"kind": "erase"}}, "select": {{"time": [{at:.3}, {:.3}]}}}}"#, at + 0.02)
    };
    let edits: Vec<String> = (0..n).map(edit).collect();
    format!(r#"{{"version": 1, "edits": [{}]}}"#, edits.join(","))
}

#[cfg(target_os = "linux")]
#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new_file_and_the_original_whole() {
    let n_kills = if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 20 } else { 5 };
    let place = Place::new();
    write_wav(&place.path("first.wav"));
    let first = place.read("first.wav");
    let original = sound_of(&place.path("first.wav"));
    place.write("s.json", script(N_EDITS));
    // What each save gives is what paint gives.
    let mut whole = vec![first.clone()];
    for n in (BACK_EVERY..=N_EDITS).step_by(BACK_EVERY) {
        place.write("part.json", script(n));
        place.done(&["paint", "first.wav", "--script", "part.json", "-o", "part.wav"]);
        whole.push(place.read("part.wav"));
    }
    let every = BACK_EVERY.to_string();
    let arguments =
        ["run-session", "in.wav", "--script", "s.json", "--undo-every", "1000", "--back-every", every.as_str()];
    let renew = || {
        std::fs::remove_dir_all(place.path(".local")).ok();
        std::fs::remove_file(place.path("in.original.wav")).ok();
        std::fs::remove_file(place.path("in.wav")).ok();
        place.write("in.wav", &first);
    };
    renew();
    let began = Instant::now();
    let said = place.done(&arguments);
    let lasts = began.elapsed();
    assert_eq!(said.matches("saved back").count(), N_EDITS / BACK_EVERY, "{said}");
    assert!(place.read("in.wav") == whole[N_EDITS / BACK_EVERY], "the control: left alone, all of it is there");
    for round in 1..=n_kills {
        renew();
        let mut child = place.command(&arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
        std::thread::sleep(lasts.mul_f64(f64::from(round) / f64::from(n_kills + 1)));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let n_reported = String::from_utf8_lossy(&output.stdout).matches("saved back").count();
        let now = place.read("in.wav");
        let at = whole.iter().position(|one| *one == now);
        let at = at.unwrap_or_else(|| panic!("round {round}: the file is neither an old nor a new one"));
        assert!(at >= n_reported, "round {round}: {n_reported} were told, {at} are there");
        let beside = place.path("in.original.wav");
        assert!(!beside.exists() && at == 0 || std::fs::read(&beside).unwrap() == first, "round {round}");
        let Some(found) = find_sessions(&place.state()).pop() else {
            assert_eq!(at, 0, "round {round}: saved back without a session");
            continue;
        };
        let restored =
            open_session(&found.folder, &SourceSearch::default(), &room(place.folder.path()), &Progress::new())
                .unwrap_or_else(|lost| panic!("round {round}: {lost:?}"));
        assert_eq!(restored.damage, None, "round {round}");
        let bits_of = |snapshot: &Snapshot| bits(&samples(snapshot, 0));
        assert_eq!(bits_of(restored.history.original()), bits(&original[0]), "round {round}");
        assert!(restored.history.entries().len() > at * BACK_EVERY, "round {round}: edits are missing");
    }
}

#[test]
fn a_window_that_closes_offers_to_save_back_first() {
    let (mut bench, file) = with_copy("speech_16k_mono.wav");
    let old = std::fs::read(&file).unwrap();
    erase(&mut bench, [0.1, 0.3]);
    give(&mut bench, FileCommand::Close);
    bench.click("Save back to file");
    settle(&mut bench);
    assert!(bench.studio().document().is_none(), "{:?}", bench.notices());
    assert!(std::fs::read(&file).unwrap() != old);
}
