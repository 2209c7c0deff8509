//! Projects and sessions in the window: saved, opened, asked about, given back after a crash.

use crate::support::sessions::{assert_same, bits, room};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, clip};
use egui::Key;
use egui_kittest::kittest::Queryable;
use sonobrush::base::Progress;
use sonobrush::document::History;
use sonobrush::document::session::{SourceSearch, verify_project};
use sonobrush::workbench::Picked;
use sonobrush::workbench::{FileAct, Severity};
use std::path::{Path, PathBuf};
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(30);

fn history(bench: &Bench) -> History {
    bench.studio().document().unwrap().history().clone()
}

fn erase(bench: &mut Bench, secs: [f64; 2]) {
    bench.select(Some(secs), None);
    bench.key(NONE, Key::Delete);
}

/// Until the session holds all of it.
fn keep(bench: &mut Bench) {
    bench.settle();
    bench.clock.advance(2.0);
    bench.settle();
    bench.clock.advance(2.0);
    bench.settle();
    assert!(bench.studio().session().unwrap().flush(TIMEOUT), "{:?}", bench.notices());
}

/// A copy of a clip that tests may move, opened and painted on twice.
fn painted() -> Bench {
    let mut bench = Bench::new(Drawing::None);
    let file = bench.out("crow.flac");
    std::fs::copy(clip("crow_44k_mono.flac"), &file).unwrap();
    open(&mut bench, &file);
    erase(&mut bench, [0.05, 0.1]);
    erase(&mut bench, [0.2, 0.25]);
    bench
}

fn open(bench: &mut Bench, file: &Path) {
    bench.dialogs.answer(Picked::File(file.to_path_buf()));
    bench.key(CTRL, Key::O);
}

/// Saves through card and dialog.
fn save_as(bench: &mut Bench, name: &str) -> PathBuf {
    let project = bench.out(name);
    bench.dialogs.answer(Picked::File(project.clone()));
    bench.key(CTRL | SHIFT, Key::S);
    bench.click("Save as\u{2026}");
    project
}

fn n_edits(project: &Path) -> usize {
    let folder = project.parent().unwrap();
    let contained = folder.join("contained by the verified");
    verify_project(project, &SourceSearch::default(), &room(folder), &contained, &Progress::new()).unwrap().n_edits
}

#[test]
fn a_project_is_saved_and_opened_with_its_whole_history() {
    let mut bench = painted();
    assert!(bench.studio().document().unwrap().has_unsaved_edits());
    // The name gets its ending.
    bench.dialogs.answer(Picked::File(bench.out("take 2.1")));
    bench.key(CTRL, Key::S);
    bench.click("Save as\u{2026}");
    let project = bench.out("take 2.1.sonobrush");
    assert_eq!(n_edits(&project), 2, "{:?}", bench.notices());
    let document = bench.studio().document().unwrap();
    assert_eq!((document.name(), document.has_unsaved_edits()), ("take 2.1.sonobrush".into(), false));
    // From now on without asking.
    erase(&mut bench, [0.3, 0.35]);
    assert!(bench.studio().document().unwrap().has_unsaved_edits());
    bench.key(CTRL, Key::S);
    assert_eq!(n_edits(&project), 3);
    bench.key(CTRL, Key::Z);
    bench.set_view(|view| view.secs = [0.1, 0.3]);
    keep(&mut bench);
    bench.key(CTRL, Key::S);
    let before = history(&bench);
    bench.key(CTRL, Key::W);
    assert!(bench.studio().document().is_none(), "nothing to ask");
    open(&mut bench, &project);
    assert_same(&history(&bench), &before);
    let document = bench.studio().document().unwrap();
    assert_eq!((document.view().secs, document.has_unsaved_edits()), ([0.1, 0.3], false));
    assert_eq!(document.selected_secs(), Some([0.3, 0.35]));
    assert_eq!(bench.studio().recent()[0].path, project);
    bench.key(CTRL | SHIFT, Key::Z);
    assert_eq!(bench.studio().document().unwrap().history().position(), 3, "what was undone can be redone");
}

#[test]
fn closing_asks_and_saving_there_goes_on() {
    let mut bench = painted();
    bench.key(CTRL, Key::W);
    assert!(bench.has("Save project"));
    bench.dialogs.answer(Picked::File(bench.out("p.sonobrush")));
    bench.click("Save project");
    bench.click("Save as\u{2026}");
    assert!(bench.studio().document().is_none(), "{:?}", bench.notices());
    assert_eq!(n_edits(&bench.out("p.sonobrush")), 2);
    let project = bench.out("p.sonobrush");
    open(&mut bench, &project);
    erase(&mut bench, [0.3, 0.35]);
    bench.key(CTRL, Key::W);
    bench.click("Save project");
    assert!(bench.studio().document().is_none(), "a project is not asked where to");
    assert_eq!(n_edits(&bench.out("p.sonobrush")), 3);
}

#[test]
fn a_save_that_fails_is_told_and_nothing_is_lost() {
    let mut bench = painted();
    let project = bench.out("no folder/p.sonobrush");
    bench.dialogs.answer(Picked::File(project));
    bench.key(CTRL, Key::S);
    bench.click("Save as\u{2026}");
    let notices = bench.notices();
    assert!(
        notices.iter().any(|(level, what)| *level == Severity::Error && what.contains("Cannot save p.sonobrush")),
        "{notices:?}"
    );
    assert!(bench.studio().document().unwrap().has_unsaved_edits());
    save_as(&mut bench, "p.sonobrush");
    assert!(!bench.studio().document().unwrap().has_unsaved_edits());
    assert!(!bench.notices().iter().any(|(level, _)| *level == Severity::Error));
}

#[test]
fn an_export_is_not_a_save_of_the_project() {
    let mut bench = painted();
    save_as(&mut bench, "p.sonobrush");
    erase(&mut bench, [0.3, 0.35]);
    bench.dialogs.answer(Picked::File(bench.out("mix.wav")));
    bench.key(CTRL, Key::E);
    bench.click("Save as\u{2026}");
    assert!(bench.out("mix.wav").exists(), "{:?}", bench.notices());
    assert!(bench.studio().document().unwrap().has_unsaved_edits(), "the third step is in no project");
    bench.key(CTRL, Key::W);
    assert!(bench.has("Save project"), "so closing asks");
}

/// Changes a byte of the newest log of a left session.
fn damage_log(state: &Path, at: usize) -> bool {
    let logs = walk(state).into_iter().filter(|path| path.to_string_lossy().ends_with(".db-wal"));
    let Some(log) = logs.max_by_key(|path| std::fs::metadata(path).unwrap().len()) else { return false };
    let mut bytes = std::fs::read(&log).unwrap();
    let is_there = at < bytes.len();
    if is_there {
        bytes[at] ^= 4;
        std::fs::write(&log, bytes).unwrap();
    }
    is_there
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn a_damaged_log_of_a_session_is_told_and_kept() {
    for at in [20, 100, 20_000, 60_000] {
        let mut bench = painted();
        keep(&mut bench);
        // As a killed process leaves it: the log still beside its database.
        let session = bench.studio().session_folder().unwrap();
        let left = bench.out("left");
        let copy = left.join("sessions").join(session.file_name().unwrap());
        std::fs::create_dir_all(&copy).unwrap();
        for file in walk(&session) {
            std::fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
        }
        assert!(damage_log(&left, at), "{at}");
        let found = sonobrush::document::session::find_sessions(&left);
        assert_eq!(found.len(), 1, "byte {at}: not thrown away");
        assert!(walk(&left).iter().any(|path| path.to_string_lossy().ends_with(".damaged")), "byte {at}: kept");
    }
}

#[test]
fn a_sound_that_was_removed_while_open_is_saved_in_the_project() {
    let mut bench = painted();
    std::fs::remove_file(bench.out("crow.flac")).unwrap();
    save_as(&mut bench, "p.sonobrush");
    let notices = bench.notices();
    assert!(notices.iter().any(|(_, what)| what.contains("include the audio in the project")), "{notices:?}");
    let project = bench.out("p.sonobrush");
    bench.dialogs.answer(Picked::File(project.clone()));
    bench.key(CTRL | SHIFT, Key::S);
    bench.click("Include the audio in the project");
    bench.click("Save as\u{2026}");
    let before = history(&bench);
    assert!(!bench.studio().document().unwrap().has_unsaved_edits(), "{:?}", bench.notices());
    bench.key(CTRL, Key::W);
    open(&mut bench, &project);
    assert_same(&history(&bench), &before);
}

#[test]
fn a_project_changed_by_another_program_is_not_replaced() {
    let mut bench = painted();
    let project = save_as(&mut bench, "p.sonobrush");
    std::fs::write(&project, "another's").unwrap();
    erase(&mut bench, [0.3, 0.35]);
    bench.key(CTRL, Key::S);
    assert_eq!(std::fs::read(&project).unwrap(), b"another's");
    assert!(bench.notices().iter().any(|(_, what)| what.contains("another program")), "{:?}", bench.notices());
}

#[test]
fn work_is_given_back_after_a_crash() {
    let mut bench = painted();
    keep(&mut bench);
    assert_eq!(bench.studio().n_kept(), 2);
    let before = history(&bench);
    // Without any notification, as if it were killed.
    let mut bench = started_again(bench);
    assert!(bench.has("Recover"));
    bench.click("Recover");
    assert_same(&history(&bench), &before);
    let document = bench.studio().document().unwrap();
    assert_eq!(document.name(), "crow.flac (recovered)");
    assert!(document.has_unsaved_edits() && document.project().is_none());
    // It goes on, and is given back again.
    erase(&mut bench, [0.3, 0.35]);
    bench.clock.advance(6.0);
    keep(&mut bench);
    let before = history(&bench);
    let mut bench = started_again(bench);
    bench.click("Recover");
    assert_same(&history(&bench), &before);
    bench.clock.advance(6.0);
    keep(&mut bench);
    // A window closed without a question, as at the end of the desktop session, loses nothing.
    eframe::App::on_exit(bench.harness.state_mut());
    let mut bench = started_again(bench);
    bench.click("Recover");
    assert_same(&history(&bench), &before);
    // Closed as the user wants it, nothing is left.
    bench.key(CTRL, Key::Q);
    bench.click("Discard edits");
    eframe::App::on_exit(bench.harness.state_mut());
    let bench = started_again(bench);
    assert!(!bench.has("Recover") && !bench.has("Try again"));
}

/// The window is gone without a word, and a new one looks for what it left.
pub fn started_again(bench: Bench) -> Bench {
    let session = bench.studio().session_folder();
    let folder = bench.into_folder();
    // The writer of the window that is gone lets go a moment later.
    if let Some(session) = session.filter(|session| session.exists()) {
        let began = std::time::Instant::now();
        while sonobrush::document::session::SessionFolder::adopt(&session).is_err() {
            assert!(began.elapsed() < TIMEOUT, "it is never let go");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let mut bench = Bench::in_folder(Drawing::None, folder);
    bench.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
    bench.settle();
    bench
}

#[test]
fn a_recovery_that_ended_the_program_is_not_tried_again_unasked() {
    let mut bench = painted();
    keep(&mut bench);
    let mut bench = started_again(bench);
    bench.click("Recover");
    // Before it has stood for a while, the program ends again.
    let mut bench = started_again(bench);
    assert!(bench.has("Open last saved version") && bench.has("Try again"));
    bench.click("Open last saved version");
    assert_eq!(history(&bench).entries().len(), 1, "the file as it is on the disk");
    assert_eq!(bench.studio().document().unwrap().name(), "crow.flac");
    // A session that survived its trial gives no notice.
    let mut bench = started_again(bench);
    bench.click("Try again");
    bench.clock.advance(6.0);
    keep(&mut bench);
    let bench = started_again(bench);
    assert!(bench.has("Recover") && !bench.has("Try again"));
}

#[test]
fn a_recovery_that_is_closed_at_once_is_not_taken_for_one_that_ended_the_program() {
    let mut bench = painted();
    keep(&mut bench);
    let before = history(&bench);
    let mut bench = started_again(bench);
    bench.click("Recover");
    // The end of the user's session, before the recovery has stood for a while.
    bench.settle();
    eframe::App::on_exit(bench.harness.state_mut());
    let mut bench = started_again(bench);
    assert!(bench.has("Recover") && !bench.has("Try again"));
    bench.click("Recover");
    assert_same(&history(&bench), &before);
    // The control: one that is gone without a word was tried.
    let bench = started_again(bench);
    assert!(bench.has("Try again"));
}

#[test]
fn left_work_can_wait_and_be_thrown_away() {
    let mut bench = painted();
    keep(&mut bench);
    let mut bench = started_again(bench);
    bench.key(NONE, Key::Escape);
    assert!(bench.studio().document().is_none() && !bench.has("Recover"));
    let mut bench = started_again(bench);
    bench.click("Discard");
    let mut bench = started_again(bench);
    assert!(!bench.has("Recover"));
    // Files named on the command line are opened after that.
    let file = bench.out("crow.flac");
    bench.act(FileAct::LookForSessions { agreed: None, files: vec![file] });
    bench.settle();
    assert_eq!(bench.studio().document().unwrap().name(), "crow.flac");
}

#[test]
fn a_session_goes_on_in_a_new_process_as_it_was() {
    let mut bench = painted();
    let project = save_as(&mut bench, "p.sonobrush");
    erase(&mut bench, [0.3, 0.35]);
    keep(&mut bench);
    let (session, before) = (bench.studio().session_folder().unwrap(), history(&bench));
    let folder = bench.into_folder();
    std::thread::sleep(Duration::from_millis(200));
    let mut bench = Bench::in_folder(Drawing::None, folder);
    bench.act(FileAct::Resume(session));
    bench.settle();
    assert_same(&history(&bench), &before);
    let document = bench.studio().document().unwrap();
    assert_eq!((document.name(), document.has_unsaved_edits()), ("p.sonobrush".into(), true));
    bench.key(CTRL, Key::S);
    assert_eq!(n_edits(&project), 3, "{:?}", bench.notices());
}

#[test]
fn a_sound_that_moved_is_asked_for() {
    let mut bench = painted();
    let project = save_as(&mut bench, "p.sonobrush");
    let before = history(&bench);
    bench.key(CTRL, Key::W);
    let moved = bench.out("moved.flac");
    std::fs::rename(bench.out("crow.flac"), &moved).unwrap();
    open(&mut bench, &project);
    assert!(bench.has("Where is crow.flac?"), "{:?}", bench.notices());
    bench.dialogs.answer(Picked::File(moved.clone()));
    bench.click("Locate\u{2026}");
    assert_same(&history(&bench), &before);
    bench.key(CTRL, Key::W);
    // Now it is another.
    let mut bytes = std::fs::read(&moved).unwrap();
    bytes.extend([0; 16]);
    std::fs::write(bench.out("crow.flac"), bytes).unwrap();
    open(&mut bench, &project);
    assert!(bench.has("crow.flac has changed"));
    bench.click("Use it anyway");
    assert!(bits(history(&bench).current()) == bits(before.current()));
    assert!(
        bench.notices().iter().any(|(_, what)| what.contains("has changed. Edited parts")),
        "{:?}",
        bench.notices()
    );
}

#[test]
fn a_second_window_gets_a_copy() {
    let mut bench = painted();
    let project = save_as(&mut bench, "p.sonobrush");
    let mut second = Bench::new(Drawing::None);
    open(&mut second, &project);
    assert_same(&history(&second), &history(&bench));
    assert_eq!(second.studio().document().unwrap().name(), "p.sonobrush (copy)");
    assert!(second.notices().iter().any(|(_, what)| what.contains("another window")));
    // Neither it nor a save under that name touches what the first has open.
    second.dialogs.answer(Picked::File(project.clone()));
    erase(&mut second, [0.3, 0.35]);
    second.key(CTRL, Key::S);
    second.click("Save as\u{2026}");
    assert!(second.notices().iter().any(|(level, _)| *level == Severity::Error), "{:?}", second.notices());
    assert_eq!(n_edits(&project), 2);
    save_as(&mut second, "q.sonobrush");
    assert_eq!(n_edits(&second.out("q.sonobrush")), 3);
}

#[test]
fn a_damaged_project_opens_as_far_as_it_goes_and_is_not_saved_over() {
    let mut bench = painted();
    let project = save_as(&mut bench, "p.sonobrush");
    bench.key(CTRL, Key::W);
    let mut bytes = std::fs::read(&project).unwrap();
    let at = bytes.windows(4).rposition(|window| window == b"0.25").unwrap();
    bytes[at + 3] = b'6';
    std::fs::write(&project, &bytes).unwrap();
    open(&mut bench, &project);
    assert_eq!(history(&bench).entries().len(), 2, "{:?}", bench.notices());
    assert!(bench.notices().iter().any(|(_, what)| what.contains("damaged")), "{:?}", bench.notices());
    bench.key(CTRL, Key::S);
    assert!(bench.has("Save as\u{2026}"), "it asks for a name");
    assert_eq!(std::fs::read(&project).unwrap(), bytes);
}

#[test]
fn where_nothing_can_be_kept_it_is_said_once_and_work_goes_on() {
    let mut bench = Bench::new(Drawing::None);
    let sessions = bench.out("state/sessions");
    std::fs::create_dir_all(bench.out("state")).unwrap();
    std::fs::write(&sessions, "in the way").unwrap();
    open(&mut bench, &clip("crow_44k_mono.flac"));
    erase(&mut bench, [0.05, 0.1]);
    assert!(!bench.studio().session().unwrap().flush(TIMEOUT));
    bench.settle();
    let reported =
        |bench: &Bench| bench.notices().iter().filter(|(_, what)| what.contains("for crash recovery")).count();
    assert_eq!((reported(&bench), bench.studio().n_kept()), (1, 0), "{:?}", bench.notices());
    assert!(bench.has("Step 1: Erase, selection"));
    save_as(&mut bench, "p.sonobrush");
    assert_eq!(n_edits(&bench.out("p.sonobrush")), 1);
    std::fs::remove_file(&sessions).unwrap();
    let began = std::time::Instant::now();
    while bench.studio().n_kept() < 1 {
        assert!(began.elapsed() < TIMEOUT);
        std::thread::sleep(Duration::from_millis(20));
    }
    bench.settle();
    assert_eq!(reported(&bench), 0, "it is taken down when it is kept");
    bench.harness.get_by_label("Step 1: Erase, selection");
}
