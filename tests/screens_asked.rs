//! Cards that come of what happened rather than of a command alone, and the library, in the windows that people have:
//! no word is cut or lies over another, with names as long as those that users give.

use crate::screens::{Look, assert_fits, bench, look, looks};
use crate::studio_library;
use crate::studio_projects::started_again;
use crate::studio_recording::recording;
use crate::studio_sizes::{appeared, assert_apart, nodes_in};
use crate::support::studio::{Bench, Drawing, NONE, clip};
use egui::{Key, Rect};
use egui_kittest::kittest::Queryable;
use sonobrush::workbench::commands::{
    BrowseCommand, Command, EditCommand, FileCommand, FindCommand, LabelCommand, PresetCommand, SelectCommand,
};
use sonobrush::workbench::{
    ExportOptions, FileAct, LibraryAct, NoticeAct, Picked, Purpose, Reply, RunFilesOptions, RunFilesOrder,
};
use std::path::PathBuf;
use std::time::Duration;

/// A name such as a field recorder and its user make.
const LONG: &str = "interview_with_the_restorer_of_the_organ_2026-11-27_take_12";

fn give(bench: &mut Bench, command: impl Into<Command>) {
    let ctx = bench.harness.ctx.clone();
    bench.harness.state_mut().apply(&ctx, command);
    bench.settle();
}

/// Opens a card at each look, which says `title`, and looks at it.
fn at_each_look(bench: &mut Bench, title: &str, begin: impl Fn(&mut Bench)) {
    for at in looks() {
        look(bench, at);
        card_at(bench, at, title, &begin);
    }
}

fn card_at(bench: &mut Bench, at: Look, title: &str, begin: impl Fn(&mut Bench)) {
    // A card lies over them.
    bench.act(NoticeAct::CloseAll);
    bench.settle();
    let before = nodes_in(bench, Rect::EVERYTHING);
    begin(bench);
    bench.settle();
    let says = bench.harness.query_all_by_label_contains(title).next().is_some();
    let seen = || appeared(bench, &before).into_iter().map(|(name, ..)| name).collect::<Vec<_>>();
    assert!(says && bench.has("Close dialog"), "no {title} at {at:?}: {:?}, {:?}", bench.notices(), seen());
    let what = format!("{title} at {at:?}");
    assert_apart(&appeared(bench, &before), 3, at.0.into(), &what);
    assert_fits(bench, &what);
    bench.key(NONE, Key::Escape);
    assert!(!bench.has("Close dialog"), "{title}");
}

/// A file of a long name, opened and edited.
fn long_named(bench: &mut Bench) -> PathBuf {
    let file = bench.out(&format!("{LONG}.flac"));
    std::fs::copy(clip("crow_44k_mono.flac"), &file).unwrap();
    bench.open(file.clone());
    bench.settle();
    bench.select(Some([0.05, 0.1]), None);
    bench.key(NONE, Key::Delete);
    file
}

#[test]
fn cards_about_names_that_are_kept_or_there_already() {
    let mut bench = bench(Drawing::None);
    at_each_look(&mut bench, "Insert silence", |bench| give(bench, EditCommand::InsertSilence));
    for name in ["Tape hiss", LONG] {
        give(&mut bench, FindCommand::LearnNoise);
        give(&mut bench, PresetCommand::SaveNoise);
        bench.fill("Name", name);
        bench.key(NONE, Key::Enter);
        give(&mut bench, PresetCommand::SavePreset);
        bench.fill("Name", name);
        bench.key(NONE, Key::Enter);
        bench.clock.advance(1.0);
    }
    give(&mut bench, SelectCommand::Nothing);
    at_each_look(&mut bench, "which would be replaced", |bench| {
        give(bench, PresetCommand::SavePreset);
        bench.fill("Name", LONG);
    });
    for (title, command) in [
        ("Save noise profile", PresetCommand::SaveNoise),
        ("Use noise profile", PresetCommand::UseNoise),
        ("Remove noise profile", PresetCommand::RemoveNoise),
        ("Use preset", PresetCommand::UsePreset),
        ("Remove preset", PresetCommand::RemovePreset),
    ] {
        at_each_look(&mut bench, title, |bench| give(bench, command));
    }
    let file = bench.out(&format!("{LONG}.wav"));
    let document = bench.studio().document().unwrap().id();
    let options = ExportOptions { document: Some(document), ..ExportOptions::default() };
    let purposes = [Purpose::Picture(document), Purpose::Cells(document), Purpose::Export(options)];
    for purpose in purposes {
        let ending = if matches!(purpose, Purpose::Export(_)) { "wav" } else { "png" };
        let path = file.with_extension(ending);
        for ending in [ending, "ch1.level.png"] {
            std::fs::write(file.with_extension(ending), "there").unwrap();
        }
        at_each_look(&mut bench, "would be replaced.", |bench| {
            bench.act(Reply::Path { purpose: purpose.clone(), path: path.clone(), replaces: None });
        });
    }
}

#[test]
fn cards_that_ask_for_a_path() {
    let mut bench = bench(Drawing::None);
    long_named(&mut bench);
    give(&mut bench, LabelCommand::Add);
    bench.key(NONE, Key::Enter);
    for (title, command) in [
        ("Open picture by path", Command::from(FileCommand::OpenPicture)),
        ("Add folder to the library", BrowseCommand::AddFolder.into()),
        ("Import labels by path", LabelCommand::Import.into()),
        ("Export labels by path", LabelCommand::Export.into()),
        ("Save picture by path", FileCommand::SavePicture.into()),
        ("Save cells by path", FileCommand::SaveCells.into()),
    ] {
        at_each_look(&mut bench, title, |bench| {
            bench.dialogs.answer(Picked::Unavailable);
            give(bench, command);
        });
    }
    for (title, command) in [
        ("has unsaved edits", FileCommand::Close),
        ("as a project", FileCommand::SaveProjectAs),
        ("Export interview", FileCommand::Export),
        ("Run on files", FileCommand::RunOnFiles),
    ] {
        at_each_look(&mut bench, title, |bench| give(bench, command));
    }
}

#[test]
fn cards_about_a_sound_that_is_gone_and_work_that_was_left() {
    let mut bench = Bench::new(Drawing::None);
    let file = long_named(&mut bench);
    let project = bench.out(&format!("{LONG}.sonobrush"));
    bench.dialogs.answer(Picked::File(project.clone()));
    give(&mut bench, FileCommand::SaveProjectAs);
    bench.click("Save as\u{2026}");
    give(&mut bench, FileCommand::Close);
    std::fs::rename(&file, bench.out("moved.flac")).unwrap();
    at_each_look(&mut bench, "Where is interview", |bench| bench.open(project.clone()));
    let mut bytes = std::fs::read(bench.out("moved.flac")).unwrap();
    bytes.extend([0; 16]);
    std::fs::write(&file, bytes).unwrap();
    at_each_look(&mut bench, "has changed", |bench| bench.open(project.clone()));

    let mut bench = Bench::new(Drawing::None);
    long_named(&mut bench);
    for _ in 0..3 {
        bench.clock.advance(2.0);
        bench.settle();
    }
    assert!(bench.studio().session().unwrap().flush(Duration::from_secs(30)));
    let mut bench = started_again(bench);
    bench.key(NONE, Key::Escape);
    at_each_look(&mut bench, "was saved", |bench| {
        bench.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
    });
    // One that has ended the program before has an answer more.
    bench.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
    bench.settle();
    bench.click("Recover");
    let mut bench = started_again(bench);
    bench.key(NONE, Key::Escape);
    at_each_look(&mut bench, "quit unexpectedly", |bench| {
        bench.act(FileAct::LookForSessions { agreed: None, files: Vec::new() });
    });
}

#[test]
fn cards_about_a_recording_that_runs() {
    let mut bench = Bench::new(Drawing::None);
    recording(&mut bench, 9_600);
    at_each_look(&mut bench, "A recording is running", |bench| give(bench, FileCommand::Quit));
    at_each_look(&mut bench, "Recording", |bench| give(bench, FileCommand::Record));
    give(&mut bench, FileCommand::StopRecording);
}

#[test]
fn the_card_of_what_came_of_a_run() {
    let mut bench = bench(Drawing::None);
    let folder = bench.out("takes");
    std::fs::create_dir_all(&folder).unwrap();
    for n in 0..3 {
        std::fs::copy(clip("crow_44k_mono.flac"), folder.join(format!("{LONG}_{n}.flac"))).unwrap();
    }
    std::fs::write(folder.join(format!("{LONG}_3.wav")), "no sound").unwrap();
    let document = Some(bench.studio().document().unwrap().id());
    let options = RunFilesOptions {
        document,
        uses_history: true,
        overwrites: true,
        name: "{relative}".into(),
        ..RunFilesOptions::default()
    };
    let output = bench.out("painted");
    at_each_look(&mut bench, "3 of 4 files painted", |bench| {
        let (options, inputs, output) = (options.clone(), vec![folder.clone()], output.clone());
        bench.act(Reply::RunFiles(Box::new(RunFilesOrder { options, inputs, script: None, output })));
    });
}

#[test]
fn no_word_of_the_library_is_cut() {
    let mut bench = studio_library::bench(Drawing::None);
    bench.act(LibraryAct::Choose { at: 1, is_audible: false });
    bench.select(Some([1.0, 1.5]), None);
    for at in looks() {
        look(&mut bench, at);
        for command in [BrowseCommand::All, BrowseCommand::Similar, BrowseCommand::Duplicates, BrowseCommand::Folders] {
            bench.act(command);
            bench.settle();
            assert!(bench.has("Library"), "{command:?} at {at:?}");
            assert_fits(&bench, &format!("{command:?} at {at:?}"));
        }
        // The folders are shown no longer.
        bench.act(BrowseCommand::Folders);
        bench.settle();
    }
}
