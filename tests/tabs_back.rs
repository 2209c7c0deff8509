//! After a crash all tabs that were open come back: in their order, with the same one in front, the edited ones with
//! their edits.

use crate::support::studio::{Bench, Drawing, NONE, clip};
use egui::Key;
use sonobrush::document::session::SessionFolder;
use sonobrush::workbench::commands::FileCommand;
use sonobrush::workbench::{FileAct, NewCanvas, OpenDocument, Reply, TabAct};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(30);

fn documents(bench: &Bench) -> impl Iterator<Item = &OpenDocument> {
    bench.studio().workbench().documents().iter()
}

/// Names and numbers of edits, from the left.
fn tabs(bench: &Bench) -> Vec<(String, usize)> {
    documents(bench).map(|document| (document.name(), document.history().position())).collect()
}

fn front(bench: &Bench) -> String {
    bench.studio().document().unwrap().name()
}

fn id(bench: &Bench, name: &str) -> u64 {
    documents(bench).find(|document| document.name() == name).unwrap_or_else(|| panic!("no tab {name}")).id()
}

fn activate(bench: &mut Bench, name: &str) {
    let id = id(bench, name);
    bench.act(TabAct::Activate(id));
    bench.settle();
}

fn erase(bench: &mut Bench, secs: [f64; 2]) {
    bench.select(Some(secs), None);
    bench.key(NONE, Key::Delete);
}

/// Until the sessions hold all of it, as they do a moment after the hand rests.
fn keep(bench: &mut Bench) {
    for _ in 0..3 {
        bench.settle();
        bench.clock.advance(2.0);
    }
    bench.settle();
    for document in documents(bench) {
        assert!(document.session().writer().unwrap().flush(TIMEOUT), "{:?}", bench.notices());
    }
}

/// The window is gone without a word, and a new one looks for what it left.
fn crashed(bench: Bench) -> Bench {
    let sessions: Vec<PathBuf> = documents(&bench).filter_map(|document| document.session().folder()).collect();
    let folder = bench.into_folder();
    // The writers of the window that is gone let go a moment later.
    let began = Instant::now();
    for session in sessions.iter().filter(|session| session.exists()) {
        while SessionFolder::adopt(session).is_err() {
            assert!(began.elapsed() < TIMEOUT, "it is never let go");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let mut bench = Bench::in_folder(Drawing::None, folder);
    bench.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
    bench.settle();
    bench
}

fn recovered(bench: Bench) -> Bench {
    let mut bench = crashed(bench);
    bench.click("Recover");
    bench
}

/// Files of these names, opened in this order.
fn opened(names: &[&str]) -> Bench {
    let mut bench = Bench::new(Drawing::None);
    for name in names {
        let file = bench.out(name);
        std::fs::copy(clip("crow_44k_mono.flac"), &file).unwrap();
        bench.open(file);
        bench.settle();
    }
    bench
}

fn pairs(tabs: &[(&str, usize)]) -> Vec<(String, usize)> {
    tabs.iter().map(|(name, n_edits)| ((*name).to_owned(), *n_edits)).collect()
}

#[test]
fn all_tabs_come_back_in_their_order_with_the_same_one_in_front() {
    let mut bench = opened(&["a.flac", "b.flac", "c.flac", "d.flac"]);
    // The edited ones are neither the first nor the last, and the older edit is at the right.
    activate(&mut bench, "c.flac");
    erase(&mut bench, [0.1, 0.2]);
    activate(&mut bench, "b.flac");
    erase(&mut bench, [0.1, 0.2]);
    erase(&mut bench, [0.3, 0.4]);
    activate(&mut bench, "d.flac");
    bench.select(Some([0.25, 0.4]), None);
    activate(&mut bench, "a.flac");
    keep(&mut bench);

    let bench = recovered(bench);
    let wanted = [("a.flac", 0), ("b.flac (recovered)", 2), ("c.flac (recovered)", 1), ("d.flac", 0)];
    assert_eq!((tabs(&bench), front(&bench)), (pairs(&wanted), "a.flac".into()), "{:?}", bench.notices());
    let unsaved: Vec<bool> = documents(&bench).map(OpenDocument::has_unsaved_edits).collect();
    assert_eq!(unsaved, [false, true, true, false], "what was only open is a file as before");
    let selected = documents(&bench).last().unwrap().selected_secs();
    assert_eq!(selected, Some([0.25, 0.4]), "as it was looked at");

    // A second crash, at once: nothing was done in between.
    let mut bench = crashed(bench);
    bench.click("Try again");
    assert_eq!((tabs(&bench), front(&bench)), (pairs(&wanted), "a.flac".into()), "{:?}", bench.notices());
    // And one after tabs were moved, edited, closed and opened.
    let [a, d] = ["a.flac", "d.flac"].map(|name| id(&bench, name));
    bench.act(TabAct::Move { id: d, place: 0 });
    bench.act(TabAct::Close(a));
    bench.settle();
    let new = bench.out("e.flac");
    std::fs::copy(clip("crow_44k_mono.flac"), &new).unwrap();
    bench.open(new);
    bench.settle();
    activate(&mut bench, "c.flac (recovered)");
    erase(&mut bench, [0.3, 0.4]);
    bench.clock.advance(6.0);
    keep(&mut bench);
    let (before, in_front) = (tabs(&bench), front(&bench));
    assert_eq!((before.len(), &*in_front), (4, "c.flac (recovered)"));
    let bench = recovered(bench);
    assert_eq!((tabs(&bench), front(&bench)), (before, in_front), "{:?}", bench.notices());
}

#[test]
fn what_was_only_open_comes_back_with_work_alone() {
    // It loses nothing, so it closes without a question.
    let mut bench = opened(&["a.flac", "b.flac"]);
    keep(&mut bench);
    let mut bench = crashed(bench);
    assert!(!bench.has("Recover") && bench.studio().document().is_none());
    // An empty canvas and a file beside an edited one.
    let file = bench.out("a.flac");
    bench.open(file);
    bench.settle();
    erase(&mut bench, [0.1, 0.2]);
    bench.act(Reply::New { canvas: NewCanvas::default(), has_picture: false });
    bench.settle();
    let file = bench.out("b.flac");
    bench.open(file);
    bench.settle();
    let wanted = [("a.flac (recovered)", 1), ("Untitled", 0), ("b.flac", 0)];
    keep(&mut bench);
    let mut bench = crashed(bench);
    assert!(bench.has("2 more documents were kept, and come back with it."));
    // Not now: all of it waits. Another window opens one of the files meanwhile, and crashes, too.
    bench.click("Not now");
    let file = bench.out("b.flac");
    bench.open(file);
    keep(&mut bench);
    let mut bench = recovered(bench);
    assert_eq!(tabs(&bench), pairs(&wanted), "{:?}", bench.notices());
    bench.clock.advance(6.0);
    keep(&mut bench);
    // With the work thrown away, nothing is left.
    let mut bench = crashed(bench);
    bench.click("Discard");
    assert!(!bench.has("Recover"));
    let bench = crashed(bench);
    assert!(!bench.has("Recover"));
    let left = std::fs::read_dir(bench.out("state/sessions")).unwrap().count();
    assert_eq!(left, 0, "and no folder");
}

#[test]
fn a_file_that_is_gone_or_changed_keeps_no_other_from_coming_back() {
    let mut bench = opened(&["a.flac", "b.flac", "c.flac", "d.flac"]);
    activate(&mut bench, "c.flac");
    erase(&mut bench, [0.1, 0.2]);
    keep(&mut bench);
    std::fs::remove_file(bench.out("a.flac")).unwrap();
    std::fs::copy(clip("drum_break_44k_stereo.flac"), bench.out("b.flac")).unwrap();
    let bench = recovered(bench);
    // b is opened as it is now, where it was.
    let wanted = [("b.flac", 0), ("c.flac (recovered)", 1), ("d.flac", 0)];
    assert_eq!((tabs(&bench), front(&bench)), (pairs(&wanted), "c.flac (recovered)".into()), "{:?}", bench.notices());
    assert!(
        bench.notices().iter().any(|(_, what)| what == "a.flac was open, too, and was not found."),
        "{:?}",
        bench.notices()
    );
}

#[test]
fn a_window_that_the_system_closes_keeps_all_tabs_where_it_keeps_any() {
    let mut bench = opened(&["a.flac", "b.flac"]);
    activate(&mut bench, "a.flac");
    erase(&mut bench, [0.1, 0.2]);
    activate(&mut bench, "b.flac");
    keep(&mut bench);
    eframe::App::on_exit(bench.harness.state_mut());
    let mut bench = recovered(bench);
    let wanted = [("a.flac (recovered)", 1), ("b.flac", 0)];
    assert_eq!((tabs(&bench), front(&bench)), (pairs(&wanted), "b.flac".into()));
    // A user who discards the edits wants none of it.
    bench.act(FileCommand::Quit);
    bench.settle();
    bench.click("Discard edits");
    eframe::App::on_exit(bench.harness.state_mut());
    let bench = crashed(bench);
    assert!(!bench.has("Recover"));
}
