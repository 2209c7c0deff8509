//! The library in the window: folders are added, sounds found, heard, compared and put onto the canvas. Driven by acts
//! and keys; what is exported is looked at.

use crate::support::heard::peak;
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, has_gpu};
use crate::support::wav::{Format, Wav};
use egui::{Key, Role, pos2};
use egui_kittest::kittest::{NodeT, Queryable};
use sonobrush::base::{Folders, Progress};
use sonobrush::document::Snapshot;
use sonobrush::library::batches::BatchOrder;
use sonobrush::library::identity::null_test::null_test;
use sonobrush::library::store::{AddOrder, LibraryLock, LibraryPlace, LibraryStore};
use sonobrush::media::Source;
use sonobrush::workbench::commands::{BrowseCommand, ClipboardCommand, LayoutCommand};
use sonobrush::workbench::{
    Act, Browser, CHIPS, EntryNote, FileAct, Jobs, LibraryAct, LibraryMode, LibraryQuery, OpenDocument, Picked,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const RATE: u32 = 48_000;

fn write(path: &Path, samples: &[f32], rate: u32) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let bits = samples.iter().map(|sample| i64::from(sample.to_bits())).collect();
    Wav { format: Format::F32, rate, channels: vec![bits] }.write(path);
}

/// A tone of half a second with a level that swells and dies away.
fn note(hz: f64, level: f64) -> Vec<f32> {
    let n = 24_000;
    let fade = |at: usize| (std::f64::consts::PI * at as f64 / n as f64).sin() as f32;
    tone(n, f64::from(RATE), hz, level).iter().enumerate().map(|(at, sample)| sample * fade(at)).collect()
}

fn hits(seed: u64) -> Vec<f32> {
    noise(12_000, 0.2, seed).iter().enumerate().map(|(at, sample)| sample * (-(at as f32) / 900.0).exp()).collect()
}

/// Three notes and a hit, in a folder with a subfolder.
fn folder(bench: &Bench) -> PathBuf {
    let folder = bench.out("sounds");
    write(&folder.join("Notes/low note.wav"), &note(220.0, 0.5), RATE);
    write(&folder.join("Notes/middle note.wav"), &note(440.0, 0.05), RATE);
    write(&folder.join("Notes/high note.wav"), &note(1_760.0, 0.3), RATE);
    write(&folder.join("drum hit.wav"), &hits(5), RATE);
    folder
}

/// A bench with these in its library, and four seconds of silence in front.
pub fn bench(drawing: Drawing) -> Bench {
    let mut bench = Bench::new(drawing);
    let silence = vec![0.0; 4 * RATE as usize];
    bench.act(FileAct::Show(Snapshot::new(Source::from_channels(vec![silence], RATE).unwrap())));
    bench.settle();
    let folder = folder(&bench);
    bench.act(FileAct::Open(vec![folder]));
    bench.settle();
    bench
}

fn browser(bench: &Bench) -> &Browser {
    bench.studio().workbench().browser()
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

/// Names of the files that are listed, in the list's order.
fn names(bench: &Bench) -> Vec<String> {
    let browser = browser(bench);
    let name = |id: i64| browser.row(id).map_or_else(|| format!("sound {id}"), |row| row.name());
    browser.entries().iter().map(|entry| name(entry.id)).collect()
}

fn id_of(bench: &Bench, name: &str) -> i64 {
    let at = names(bench).iter().position(|listed| listed == name).unwrap_or_else(|| panic!("{name} is not listed"));
    browser(bench).entries()[at].id
}

fn find(bench: &mut Bench, text: &str, chips: &[(&str, &str)]) -> Vec<String> {
    let mut query = LibraryQuery { text: text.into(), ..LibraryQuery::default() };
    for (name, label) in chips {
        let at = CHIPS.iter().position(|chip| chip.name == *name).unwrap();
        query.chips[at] = Some(CHIPS[at].choices.iter().position(|choice| choice.label == *label).unwrap());
    }
    bench.act(LibraryAct::Find(query));
    bench.settle();
    let mut found = names(bench);
    found.sort();
    found
}

/// The amplitude of a tone between two times.
fn level(samples: &[f32], [from, to]: [f64; 2], hz: f64) -> f64 {
    let rate = f64::from(RATE);
    crate::support::heard::amplitude(&samples[(from * rate) as usize..(to * rate) as usize], hz)
}

#[test]
fn a_dropped_folder_is_listed_searched_and_filtered() {
    let mut bench = bench(Drawing::None);
    assert!(bench.studio().layout().has_library(), "a folder shows the panel");
    let all = ["drum hit.wav", "high note.wav", "low note.wav", "middle note.wav"];
    assert_eq!(find(&mut bench, "", &[]), all);
    assert!(!browser(&bench).added().is_running);
    assert_eq!(browser(&bench).added().report.analysed, 4);
    let row = browser(&bench).row(id_of(&bench, "low note.wav")).unwrap().clone();
    assert!((row.duration_secs - 0.5).abs() < 1e-9 && row.lufs.is_some());
    assert!((row.pitch_hz.unwrap() / 220.0).log2().abs() < 0.05, "{:?}", row.pitch_hz);
    let hit = browser(&bench).row(id_of(&bench, "drum hit.wav")).unwrap();
    assert_eq!((hit.pitch_hz, &hit.key), (None, &None), "a hit has neither pitch nor key");
    let key = row.key.clone().unwrap();
    let of_key = find(&mut bench, "", &[("Key", &key)]);
    assert!(of_key.iter().any(|name| name == "low note.wav") && !of_key.contains(&"drum hit.wav".into()), "{of_key:?}");
    find(&mut bench, "", &[]);
    let picture = browser(&bench).picture(row.id).unwrap();
    assert!(picture.height() == 64 && picture.pixels().iter().any(|&grey| grey > 200));
    // Words, chips, both, and neither.
    assert_eq!(find(&mut bench, "notes hi", &[]), ["high note.wav"]);
    assert_eq!(find(&mut bench, "", &[("Duration", "Up to 0.5 s"), ("Format", "WAV")]), all);
    assert_eq!(find(&mut bench, "", &[("Format", "FLAC")]), Vec::<String>::new());
    assert_eq!(find(&mut bench, "", &[("Channels", "Stereo")]), Vec::<String>::new());
    let loud = find(&mut bench, "note", &[("Loudness", "Above \u{2212}18 LUFS")]);
    assert!(loud.contains(&"low note.wav".to_owned()) && !loud.contains(&"middle note.wav".to_owned()), "{loud:?}");
    assert_eq!(find(&mut bench, "nowhere", &[]), Vec::<String>::new());
    assert!(bench.has("Nothing found. Remove a word or a filter."));
    // Typed, chip by chip, and hidden.
    find(&mut bench, "", &[]);
    bench.harness.get_by_label("Search the library").click();
    bench.settle();
    bench.harness.get_by_label("Search the library").type_text("drum");
    bench.settle();
    assert_eq!(names(&bench), ["drum hit.wav"]);
    bench.act(LayoutCommand::Library);
    bench.settle();
    assert!(!bench.has("Search the library"));
    // A file that is dropped is opened as ever, and every chip's conditions are right.
    let file = bench.out("sounds/drum hit.wav");
    bench.act(FileAct::Open(vec![file.clone()]));
    bench.settle();
    assert_eq!(document(&bench).path(), Some(file.as_path()));
    bench.act(BrowseCommand::All);
    for chip in &CHIPS {
        chip.choices.iter().for_each(|choice| drop(find(&mut bench, "", &[(chip.name, choice.label)])));
    }
    assert_eq!(browser(&bench).trouble(), None);
}

#[test]
fn every_condition_of_a_chip_tells_sounds_apart() {
    use sonobrush::library::search::SoundFilter;
    for choice in CHIPS.iter().flat_map(|chip| chip.choices) {
        SoundFilter::parse(choice.condition).unwrap_or_else(|error| panic!("{}: {error}", choice.label));
    }
}

#[test]
fn adding_is_paused_and_goes_on() {
    let mut bench = Bench::new(Drawing::None);
    let folder = folder(&bench);
    bench.act(LayoutCommand::Library);
    bench.settle();
    assert!(browser(&bench).is_absent());
    bench.act(LibraryAct::Add(vec![folder]));
    bench.harness.step();
    bench.act(BrowseCommand::Pause);
    bench.settle();
    assert!(browser(&bench).added().is_paused && names(&bench).is_empty());
    bench.click("Pause adding");
    assert!(!browser(&bench).added().is_paused);
    assert_eq!(names(&bench).len(), 4);
    // By a path that is typed.
    write(&bench.out("more/other.wav"), &note(500.0, 0.2), RATE);
    let path = bench.out("more").to_string_lossy().into_owned();
    bench.act(BrowseCommand::AddFolderPath);
    bench.settle();
    bench.harness.get_by_label("Path").type_text(&path);
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!(names(&bench).len(), 5);
    // A file that cannot be analysed is named with the reason, and tried again on request or after a change.
    let damaged = bench.out("more/damaged.wav");
    std::fs::write(&damaged, b"RIFF....WAVE and no more").unwrap();
    bench.act(LibraryAct::Add(vec![bench.out("more")]));
    bench.settle();
    let added = browser(&bench).added().clone();
    assert!(added.report.failed == 1 && added.failures.len() == 1, "{added:?}");
    assert!(added.failures[0].path.to_string().ends_with("damaged.wav") && !added.failures[0].error.is_empty());
    bench.click("Retry failed files");
    assert_eq!(browser(&bench).added().report.failed, 1, "it is still damaged");
    write(&damaged, &note(600.0, 0.2), RATE);
    bench.act(LibraryAct::Add(vec![bench.out("more")]));
    bench.settle();
    assert_eq!((browser(&bench).added().report.failed, names(&bench).len()), (0, 6));
    assert!(!bench.has("Retry failed files"));
}

/// What is heard of a sound that is chosen in the list.
fn heard(bench: &mut Bench, name: &str) -> f32 {
    let id = id_of(bench, name);
    let at = browser(bench).entries().iter().position(|entry| entry.id == id).unwrap();
    bench.recorder.forget();
    bench.act(LibraryAct::Choose { at, is_audible: true });
    bench.settle();
    assert!(bench.studio().workbench().transport().is_auditioning());
    pull(bench, 16_000);
    // Without the end of what was heard before.
    peak(&bench.recorder.samples()[2 * 2_400..])
}

/// Frames of the window and buffers of the device in turn, as long as anything comes.
fn pull(bench: &mut Bench, n_frames: usize) {
    for _ in 0..n_frames.div_ceil(512) {
        bench.harness.step();
        bench.jobs.run_until_idle();
        if !bench.recorder.pull_ready(512, std::time::Duration::from_millis(500)) {
            return;
        }
    }
}

#[test]
fn sounds_are_heard_equally_loud_and_the_list_is_played_by_keys() {
    let mut bench = bench(Drawing::None);
    let [low, middle] = ["low note.wav", "middle note.wav"].map(|name| heard(&mut bench, name));
    // Loudness weighs 220 Hz a little less than 440 Hz.
    let apart_db = 20.0 * (low / middle).log10();
    assert!(apart_db.abs() < 2.0, "{low} and {middle}");
    let transport = bench.studio().workbench().transport();
    assert!(!transport.status.playing && transport.playhead_secs().is_none(), "the document does not play");
    // To its end: then nothing is heard any more.
    let until = std::time::Instant::now() + crate::support::heard::TIMEOUT;
    while bench.studio().workbench().transport().is_auditioning() {
        assert!(std::time::Instant::now() < until, "it never ends");
        pull(&mut bench, 4_096);
    }
    // As they are.
    bench.act(BrowseCommand::MatchLoudness);
    let [low, middle] = ["low note.wav", "middle note.wav"].map(|name| heard(&mut bench, name));
    assert!((20.0 * (low / middle).log10() - 20.0).abs() < 1.0, "{low} and {middle}");
    // From the search field down into the list, along it, silent again, opened.
    bench.act(LibraryAct::Choose { at: 0, is_audible: false });
    bench.harness.get_by_label("Search the library").focus();
    bench.settle();
    bench.key(NONE, Key::ArrowDown);
    assert_eq!(browser(&bench).chosen().unwrap().0, 0);
    bench.key(NONE, Key::ArrowDown);
    let (at, id) = browser(&bench).chosen().unwrap();
    assert_eq!(at, 1);
    assert!(bench.studio().workbench().transport().is_auditioning());
    bench.key(NONE, Key::Space);
    assert!(!bench.studio().workbench().transport().is_auditioning());
    let path = browser(&bench).row(id).unwrap().path.clone();
    bench.key(NONE, Key::Enter);
    assert_eq!(document(&bench).path(), Some(path.as_path()));
    bench.harness.get_by_label("4 sounds of the library").focus();
    bench.settle();
    bench.key(SHIFT, Key::ArrowDown);
    assert_eq!(browser(&bench).chosen().unwrap().0, 3);
}

#[test]
fn a_sound_floats_at_its_time_and_pitch_and_the_export_holds_it() {
    let mut bench = bench(Drawing::None);
    let low = id_of(&bench, "low note.wav");
    bench.act(LibraryAct::Paste { id: low, at: [1.0, 440.0] });
    bench.settle();
    let floating = document(&bench).floating().cloned().unwrap();
    assert_eq!(floating.offset[0], 1.0);
    assert!((floating.offset[1] - 1.0).abs() < 0.05, "an octave up: {:?}", floating.offset);
    bench.act(Act::Cancel);
    bench.settle();
    assert!(document(&bench).floating().is_none() && document(&bench).history().position() == 0, "Esc undoes it");
    bench.act(LibraryAct::Paste { id: low, at: [1.0, 440.0] });
    bench.settle();
    bench.act(ClipboardCommand::LandPaste);
    bench.settle();
    let out = bench.out("out.wav");
    bench.dialogs.answer(Picked::File(out.clone()));
    bench.key(CTRL, Key::E);
    bench.click("Save as\u{2026}");
    let exported = crate::support::studio::open(&out);
    let samples = crate::support::studio::samples(&exported, 0);
    let middle = [1.15, 1.35];
    let hz = 220.0 * floating.offset[1].exp2();
    assert!(level(&samples, middle, hz) > 0.25, "{}", level(&samples, middle, hz));
    assert!(level(&samples, middle, 220.0) < 0.02, "not at its own pitch");
    assert!(level(&samples, [0.2, 0.8], hz) < 1e-3 && level(&samples, [1.8, 2.4], hz) < 1e-3);
    // What has no pitch stays as it is, wherever it is let go.
    let hit = id_of(&bench, "drum hit.wav");
    bench.act(LibraryAct::Paste { id: hit, at: [2.0, 440.0] });
    bench.settle();
    assert_eq!(document(&bench).floating().unwrap().offset, [2.0, 0.0]);
    bench.act(Act::Cancel);
    bench.settle();
    // At the cursor and its own pitch, by key.
    bench.act(LibraryAct::Choose { at: 0, is_audible: false });
    let (_, id) = browser(&bench).chosen().unwrap();
    bench.put_cursor(2.5);
    bench.key(CTRL, Key::J);
    let floating = document(&bench).floating().unwrap();
    assert_eq!(floating.offset, [2.5, 0.0]);
    assert_eq!(floating.secs()[1], browser(&bench).row(id).unwrap().duration_secs);
    bench.act(Act::Cancel);
    // One of another rate is resampled.
    write(&bench.out("more/other rate.wav"), &note(440.0, 0.5), 44_100);
    let more = bench.out("more");
    bench.act(LibraryAct::Add(vec![more]));
    bench.settle();
    let other = id_of(&bench, "other rate.wav");
    bench.act(LibraryAct::Paste { id: other, at: [0.5, f64::NAN] });
    bench.settle();
    let clip = document(&bench).floating().unwrap().clip().unwrap().clone();
    assert_eq!(clip.sample_rate_hz, 48_000.0);
    // Up to a sample more at each end, where the other rate has none.
    assert!(clip.n_samples().abs_diff(24_000 * 480 / 441) <= 2, "{}", clip.n_samples());
    // No place is no paste.
    bench.act(Act::Cancel);
    bench.act(LibraryAct::Paste { id, at: [f64::NAN, 440.0] });
    bench.settle();
    assert!(document(&bench).floating().is_none());
}

#[test]
fn a_row_is_dragged_onto_the_canvas() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    let row = bench.harness.get_by_label_contains("low note.wav").rect().center();
    let viewport = bench.studio().viewport().unwrap();
    let at = pos2(viewport.x_from_secs(2.0) as f32, viewport.y_from_hz(880.0) as f32);
    bench.drag(&[row, row + egui::vec2(12.0, 3.0), at]);
    let floating = document(&bench).floating().cloned().unwrap();
    assert!((floating.offset[0] - 2.0).abs() <= 2.0 * viewport.secs_per_pixel(), "{:?}", floating.offset);
    assert_eq!(floating.offset[1], 0.0, "at its own pitch");
    assert!(document(&bench).selection().is_none(), "no tool of the canvas took part in it");
    bench.key(NONE, Key::Escape);
    // With Shift its pitch is moved to the pointer's.
    bench.harness.event(egui::Event::ModifiersChanged(SHIFT));
    bench.drag(&[row, row + egui::vec2(12.0, 3.0), at]);
    bench.harness.event(egui::Event::ModifiersChanged(NONE));
    let floating = document(&bench).floating().cloned().unwrap();
    assert!((floating.offset[1] - 2.0).abs() < 0.1, "{:?}", floating.offset);
    bench.key(NONE, Key::Escape);
    assert!(document(&bench).floating().is_none());
    // Enter places it, though the list had the keyboard.
    let n_open = bench.studio().workbench().documents().iter().count();
    bench.drag(&[row, row]);
    bench.drag(&[row, row + egui::vec2(12.0, 3.0), at]);
    bench.key(NONE, Key::Enter);
    assert!(document(&bench).floating().is_none());
    assert_eq!(bench.studio().workbench().documents().iter().count(), n_open);
    assert_eq!(document(&bench).history().position(), 1);
    // Let go beside the canvas it is nothing.
    bench.drag(&[row, row + egui::vec2(12.0, 3.0), row + egui::vec2(20.0, 80.0)]);
    assert!(document(&bench).floating().is_none());
}

#[test]
fn every_control_of_the_panel_is_named_large_enough_and_inside_it() {
    let mut bench = bench(Drawing::None);
    bench.act(LibraryAct::Choose { at: 1, is_audible: false });
    bench.select(Some([1.0, 1.5]), None);
    for command in [BrowseCommand::All, BrowseCommand::Similar, BrowseCommand::Duplicates] {
        bench.act(command);
        bench.settle();
        let close = bench.harness.get_by_label("Library").rect();
        let (right, canvas) = (close.right() + 9.0, bench.studio().canvas_rect());
        assert!(right <= canvas.left() + 1.0 && canvas.width() > 400.0, "{right} {canvas:?}");
        let nodes = bench.harness.root().children_recursive();
        let roles = [Role::Button, Role::TextInput, Role::ComboBox, Role::SpinButton];
        let controls = nodes.filter(|node| roles.contains(&node.accesskit_node().role()));
        let inside: Vec<_> = controls
            .map(|node| (node.accesskit_node().label().unwrap_or_default(), node.rect()))
            .filter(|(_, rect)| rect.top() > 80.0 && rect.bottom() < 720.0 && rect.left() > 48.0 && rect.left() < right)
            .collect();
        assert!(inside.len() >= 7, "{command:?}: {inside:?}");
        for (name, rect) in inside {
            assert!(!name.trim().is_empty(), "{command:?}: {rect:?} has no name");
            assert!(rect.width() >= 23.9 && rect.height() >= 23.9, "{command:?}: {name} is small: {rect:?}");
            assert!(rect.right() <= right, "{command:?}: {name} leaves the panel: {rect:?}");
        }
    }
}

fn best(bench: &Bench) -> (String, f32) {
    let EntryNote::Alike(score) = browser(bench).entries()[0].note else { panic!("no score") };
    (names(bench)[0].clone(), score)
}

#[test]
fn what_is_like_the_selection_follows_it_once_it_rests() {
    let mut bench = bench(Drawing::None);
    let mut sound = vec![0.0; 4 * RATE as usize];
    let put = |sound: &mut Vec<f32>, at: usize, what: &[f32]| sound[at..at + what.len()].copy_from_slice(what);
    put(&mut sound, 48_000, &note(1_760.0, 0.1));
    put(&mut sound, 2 * 48_000, &hits(6));
    bench.act(FileAct::Show(Snapshot::new(Source::from_channels(vec![sound], RATE).unwrap())));
    bench.settle();
    // Nothing selected: the panel says what to do, and there is no notice.
    bench.act(BrowseCommand::Similar);
    bench.settle();
    assert_eq!(browser(&bench).mode(), LibraryMode::All, "it needs a selection");
    bench.select(Some([1.0, 1.5]), None);
    bench.key(CTRL, Key::U);
    assert_eq!(browser(&bench).mode(), LibraryMode::Similar);
    let (name, score) = best(&bench);
    assert!(name == "high note.wav" && score > 10.0 && score < 100.0, "{name} {score}");
    assert_eq!(browser(&bench).entries().len(), 4);
    // Another selection: not before it has rested.
    bench.select(Some([2.0, 2.25]), None);
    assert_eq!(best(&bench).0, "high note.wav");
    bench.clock.advance(0.2);
    bench.settle();
    assert_eq!(best(&bench).0, "high note.wav");
    bench.clock.advance(0.15);
    bench.settle();
    assert_eq!(best(&bench).0, "drum hit.wav");
    // Dials and chips count.
    let before = best(&bench).1;
    let mut dials = browser(&bench).dials();
    (dials.timbre, dials.texture) = (4.0, f32::NAN);
    bench.act(LibraryAct::Dials(dials));
    bench.settle();
    assert!(best(&bench).1 < before && browser(&bench).dials().texture == 1.0);
    assert_eq!(find(&mut bench, "low", &[]), ["low note.wav"]);
    find(&mut bench, "", &[]);
    // Silence is like nothing: the panel says so.
    bench.select(Some([0.0, 0.5]), None);
    bench.clock.advance(0.4);
    bench.settle();
    assert!(browser(&bench).trouble().unwrap().contains("silent"), "{:?}", browser(&bench).trouble());
    assert!(bench.notices().iter().all(|(_, what)| !what.contains("silent")));
    // Sounds similar to one of the library, without itself.
    bench.act(BrowseCommand::All);
    bench.settle();
    bench.act(LibraryAct::Choose { at: 0, is_audible: false });
    let (_, id) = browser(&bench).chosen().unwrap();
    bench.act(BrowseCommand::SimilarToSound);
    bench.settle();
    assert!(browser(&bench).entries().len() == 3 && browser(&bench).entries().iter().all(|entry| entry.id != id));
}

#[test]
fn duplicates_stand_side_by_side_and_their_null_test_has_a_level() {
    let mut bench = Bench::new(Drawing::None);
    let folder = bench.out("copies");
    let quiet: Vec<f32> = hits(5).iter().map(|sample| sample * 0.5).collect();
    write(&folder.join("hit.wav"), &hits(5), RATE);
    write(&folder.join("quieter.wav"), &quiet, RATE);
    write(&folder.join("note.wav"), &note(1_760.0, 0.3), RATE);
    bench.act(LibraryAct::Add(vec![folder]));
    bench.settle();
    bench.act(BrowseCommand::Duplicates);
    bench.settle();
    let mut listed = names(&bench);
    listed.sort();
    assert_eq!(listed, ["hit.wav", "quieter.wav"]);
    let EntryNote::Copy { keep, .. } = browser(&bench).entries()[0].note else { panic!("no copy") };
    assert_eq!(keep, browser(&bench).entries()[0].id, "the one to keep is first");
    assert!(bench.has("Null test"));
    bench.act(LibraryAct::Choose { at: 1, is_audible: false });
    bench.settle();
    bench.click("Null test");
    let test = browser(&bench).null_pair().unwrap().test.unwrap();
    let sum: f64 = quiet.iter().map(|sample| f64::from(sample * sample)).sum();
    let wanted_db = 10.0 * (sum / quiet.len() as f64).log10();
    assert!((test.rms_db.unwrap() - wanted_db).abs() < 1e-3, "{test:?}, not {wanted_db}");
    assert!(test.matched_db.is_none_or(|db| db < -150.0) && test.offset_secs == 0.0, "{test:?}");
    assert!((test.gain_db.abs() - 6.0206).abs() < 1e-3, "{test:?}");
    assert!(bench.harness.query_all_by_label_contains("with levels matched").next().is_some());
}

/// Two recordings of a minute that share fifteen seconds: none is marked as the one to keep.
#[test]
fn recordings_that_overlap_say_by_how_much() {
    let mut bench = Bench::new(Drawing::None);
    let folder = bench.out("overlap");
    std::fs::create_dir_all(&folder).unwrap();
    let files = ["overlap_first.mp3", "overlap_second.mp3"];
    for name in files {
        let found = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found3").join(name);
        std::fs::copy(found, folder.join(name)).unwrap();
    }
    bench.act(LibraryAct::Add(vec![folder]));
    bench.settle();
    bench.act(BrowseCommand::Duplicates);
    bench.settle();
    let mut listed = names(&bench);
    listed.sort();
    assert_eq!(listed, files);
    let says = |what: &str| bench.harness.query_all_by_label_contains(what).next().is_some();
    assert!(says("which others overlap") && says("overlaps by 15.") && !says("the one to keep"));
}

#[test]
fn the_null_test_finds_the_offset_and_what_was_changed() {
    let sound = noise(2 * RATE as usize, 0.2, 3);
    let source = |samples: &[f32]| Source::from_channels(vec![samples.to_vec()], RATE).unwrap();
    let test = |other: &[f32], offset_secs: f64| {
        null_test([&source(&sound), &source(other)], offset_secs, &Progress::new()).unwrap()
    };
    // The same from sample 700 on, near where it is said to be.
    let found = test(&sound[700..], 0.02);
    assert_eq!((found.rms_db, found.offset_secs), (None, 700.0 / f64::from(RATE)));
    let later: Vec<f32> = [vec![0.0; 500], sound.clone()].concat();
    assert_eq!((test(&later, 0.0).rms_db, test(&later, 0.0).offset_secs), (None, -500.0 / f64::from(RATE)));
    // One sample that differs has its own level.
    let mut changed = sound.clone();
    changed[40_000] += 0.25;
    let left = test(&changed, 0.0);
    assert!((left.peak_db.unwrap() + 12.04).abs() < 0.01, "{left:?}");
    assert!((left.rms_db.unwrap() - (-12.04 - 10.0 * (sound.len() as f64).log10())).abs() < 0.01, "{left:?}");
    // Control: what has nothing in common leaves as much as there was.
    let left = test(&noise(sound.len(), 0.2, 4), 0.0);
    let sum: f64 = sound.iter().map(|sample| f64::from(sample * sample)).sum();
    let own_db = 10.0 * (sum / sound.len() as f64).log10();
    assert!(left.matched_db.unwrap() > own_db - 1.0, "{left:?} of {own_db} dB");
    let far = null_test([&source(&sound), &source(&sound)], 90.0, &Progress::new()).unwrap_err();
    assert!(far.message().contains("do not overlap"), "{far}");
}

#[test]
fn a_list_of_any_length_draws_the_rows_in_view() {
    const MORE: i64 = 30_000;
    let mut bench = bench(Drawing::None);
    let database = bench.out("state/library/library.db");
    let connection = rusqlite::Connection::open(database).unwrap();
    connection
        .execute_batch(&format!(
            "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < {MORE})
             INSERT INTO sound(file_hash, kind, duration_secs, first_seen_ns) SELECT randomblob(32), 'sound', k, k FROM n;
             INSERT INTO folder(id, path, watched) VALUES (2, CAST('/gone' AS BLOB), 0);
             INSERT INTO file(folder, path, name, bytes, modified_ns, sound)
               SELECT 2, CAST('gone/' || id AS BLOB), 'gone', 1, 1, id FROM sound WHERE file_hash NOT IN
                 (SELECT file_hash FROM sound JOIN file ON file.sound = sound.id);"
        ))
        .unwrap();
    drop(connection);
    bench.act(BrowseCommand::All);
    bench.settle();
    let n = MORE as usize + 4;
    assert_eq!(browser(&bench).entries().len(), n);
    let n_rows = |bench: &Bench| {
        let is_row = |name: &str| name.contains("\u{2009}s");
        let labels = bench.harness.root().children_recursive();
        labels.filter(|node| node.accesskit_node().label().is_some_and(|name| is_row(&name))).count()
    };
    assert!((8..60).contains(&n_rows(&bench)), "{}", n_rows(&bench));
    // The last one is reached by keys, comes into view, and is read.
    bench.act(LibraryAct::Choose { at: n - 2, is_audible: false });
    bench.settle();
    bench.harness.get_by_label(&format!("{n} sounds of the library")).focus();
    bench.settle();
    bench.key(NONE, Key::ArrowDown);
    let (at, id) = browser(&bench).chosen().unwrap();
    assert_eq!(at, n - 1);
    assert!(browser(&bench).row(id).is_some());
    // A sound whose file is gone is one notice, and nothing else happens.
    assert_eq!(bench.notices().iter().filter(|(_, what)| what.starts_with("No file ")).count(), 1);
    assert_eq!(document(&bench).history().position(), 0);
}

#[test]
fn what_is_wrong_with_a_library_is_one_sentence_and_the_document_is_untouched() {
    let mut bench = bench(Drawing::None);
    let before = bench.samples(0);
    let reported = |bench: &Bench| -> Vec<String> { bench.notices().into_iter().map(|(_, what)| what).collect() };
    // A folder that is gone.
    let gone = bench.out("gone");
    bench.act(LibraryAct::Add(vec![gone]));
    bench.settle();
    assert!(reported(&bench).last().unwrap().contains("gone"), "{:?}", reported(&bench));
    assert_eq!(names(&bench).len(), 4, "the list stays");
    // A newer library, one that cannot be read, and what is none.
    let newer = bench.out("newer.db");
    std::fs::copy(bench.out("state/library/library.db"), &newer).unwrap();
    let mut bytes = std::fs::read(&newer).unwrap();
    bytes[60..64].copy_from_slice(&9u32.to_be_bytes());
    std::fs::write(&newer, &bytes).unwrap();
    let folder = bench.out("a folder.db");
    std::fs::create_dir(&folder).unwrap();
    let other = bench.out("other.db");
    std::fs::write(&other, [&b"RIFF....WAVEfmt "[..], &[1; 200]].concat()).unwrap();
    for (path, words) in [(&newer, "newer Sonobrush"), (&folder, "a folder.db"), (&other, "other.db")] {
        let n_before = bench.studio().notices().log().count();
        bench.act(LibraryAct::Use(path.clone()));
        bench.settle();
        let log = bench.studio().notices().log();
        let n_new = bench.studio().notices().log().count() - n_before;
        let said: Vec<String> = log.take(n_new).map(|one| one.what.clone()).collect();
        assert!(said.len() == 1 && said[0].contains(words), "{path:?}: {said:?}");
        assert!(browser(&bench).trouble().is_some() && browser(&bench).entries().is_empty());
        bench.act(LibraryAct::Add(vec![bench.out("sounds")]));
        bench.settle();
        assert!(!browser(&bench).added().is_running);
    }
    assert_eq!(std::fs::read(&newer).unwrap(), bytes, "what is newer is not touched");
    assert_eq!(bench.samples(0), before);
    assert_eq!(document(&bench).history().entries().len(), 1);
    // A library that does not exist yet gives no notice.
    let n_before = bench.studio().notices().log().count();
    bench.act(LibraryAct::Use(bench.out("new.db")));
    bench.settle();
    assert!(browser(&bench).is_absent() && bench.studio().notices().log().count() == n_before);
}

/// Each chip is as wide as what it says, with nothing chosen and with the longest of each.
#[test]
fn no_chip_of_the_library_cuts_its_words() {
    let mut bench = bench(Drawing::None);
    let longest = CHIPS.map(|chip| (0..chip.choices.len()).max_by_key(|&at| chip.choices[at].label.chars().count()));
    for chips in [[None; CHIPS.len()], longest] {
        bench.act(LibraryAct::Find(LibraryQuery { chips, ..LibraryQuery::default() }));
        bench.settle();
        let panel = bench.harness.get_by_label("Search the library").rect();
        let mut places: Vec<egui::Rect> = Vec::new();
        for (chip, chosen) in CHIPS.iter().zip(chips) {
            let place = bench.harness.get_by_role_and_label(Role::ComboBox, chip.name).rect();
            let words = chosen.map_or(chip.name, |at| chip.choices[at].label);
            let font = egui::FontId::proportional(13.0);
            let layout = |fonts: &mut egui::epaint::FontsView<'_>| {
                fonts.layout_no_wrap(words.to_owned(), font.clone(), egui::Color32::WHITE).size().x
            };
            let needed = bench.harness.ctx.fonts_mut(layout);
            assert!(place.width() >= needed + 30.0, "{words} has {} points of {needed}", place.width());
            assert!(place.left() >= panel.left() - 1.0 && place.right() <= panel.right() + 1.0, "{words}: {place:?}");
            assert!(places.iter().all(|other| !other.shrink(0.5).intersects(place)), "{words} lies over another");
            places.push(place);
        }
    }
}

/// Queues what is in a folder, as `library add --no-wait` does; the library of a studio in `home`.
fn queued(home: &Path, sounds: &Path) -> LibraryPlace {
    let place = LibraryPlace::new(&Folders::in_folder(home), None);
    let lock = LibraryLock::try_take(&place).unwrap().unwrap();
    let store = LibraryStore::open_to_write(&place, &lock, &mut Vec::new()).unwrap();
    let order = AddOrder {
        folders: vec![sounds.to_path_buf()],
        jobs: 1,
        memory_bytes: None,
        only_queues: true,
        leaves_young: false,
        gives_way: false,
        status_every: Duration::from_secs(60),
        batches: BatchOrder::cpu(),
    };
    let report = store.add(&order, &lock, &Progress::new(), &mut |_| ()).unwrap();
    assert!(report.queued > 0 && report.analysed == 0, "{report:?}");
    place
}

fn n_waiting(place: &LibraryPlace) -> i64 {
    let status = LibraryStore::open_to_read(place).unwrap().status().unwrap();
    status.waiting + status.running
}

/// Frames, with time for the threads beside them, until something is so.
fn wait_until(bench: &mut Bench, what: &str, is_so: impl Fn(&Bench) -> bool) {
    let began = Instant::now();
    while !is_so(bench) {
        assert!(began.elapsed() < Duration::from_secs(60), "never came: {what}");
        bench.harness.step();
        bench.jobs.run_until_idle();
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What another process queued and left is analysed while the studio is open, whether or not the panel is shown; not
/// while another process works on it.
#[test]
fn what_waits_in_the_queue_is_analysed_in_the_background() {
    let home = tempfile::tempdir().unwrap();
    let sounds = tempfile::tempdir().unwrap();
    let write_some = |hz: [f64; 2]| {
        hz.iter().for_each(|&hz| write(&sounds.path().join(format!("{hz}.wav")), &note(hz, 0.3), RATE));
    };
    write_some([200.0, 300.0]);
    let at = home.path().to_path_buf();
    let place = queued(&at, sounds.path());
    let mut bench = Bench::in_folder(Drawing::None, home);
    assert!(!bench.studio().layout().has_library());
    assert_eq!(n_waiting(&place), 0);
    let added = browser(&bench).added();
    assert!(added.is_background && added.report.analysed == 2 && !added.is_running, "{added:?}");
    assert!(bench.notices().is_empty(), "{:?}", bench.notices());
    // More comes while it is open: it waits for the process that holds the lock.
    write_some([400.0, 500.0]);
    queued(&at, sounds.path());
    let lock = LibraryLock::try_take(&place).unwrap();
    if let Some(lock) = lock {
        let began = Instant::now();
        wait_until(&mut bench, "three seconds", |_| began.elapsed() > Duration::from_secs(3));
        assert_eq!(n_waiting(&place), 2, "another process has it");
        drop(lock);
    }
    wait_until(&mut bench, "an empty queue", |_| n_waiting(&place) == 0);
    bench.settle();
    assert!(bench.notices().is_empty(), "{:?}", bench.notices());
}

/// The panel says how far it is, and pauses it.
#[test]
fn the_analysis_of_the_queue_is_told_and_paused() {
    const N: usize = 30;
    let home = tempfile::tempdir().unwrap();
    let sounds = tempfile::tempdir().unwrap();
    for at in 0..N {
        write(&sounds.path().join(format!("{at}.wav")), &note(200.0 + 10.0 * at as f64, 0.3), RATE);
    }
    let place = queued(home.path(), sounds.path());
    let mut bench = Bench::with_jobs(Drawing::None, home, Jobs::threads(|| ()));
    bench.act(LayoutCommand::Library);
    let of_all = format!(" of {N}");
    let says = |bench: &Bench, start: &str| {
        let labels = bench.harness.root().children_recursive();
        let mut labels = labels.filter_map(|node| node.accesskit_node().value());
        labels.any(|label| label.starts_with(start) && label.ends_with(&of_all))
    };
    wait_until(&mut bench, "how far it is", |bench| says(bench, "Analysing "));
    bench.act(BrowseCommand::Pause);
    wait_until(&mut bench, "a pause", |bench| says(bench, "Paused at "));
    // What is in hand ends; then nothing goes on, though the queue is free.
    wait_until(&mut bench, "the lock", |_| LibraryLock::try_take(&place).unwrap().is_some());
    let (n_left, began) = (n_waiting(&place), Instant::now());
    assert!(n_left > 0);
    wait_until(&mut bench, "three seconds", |_| began.elapsed() > Duration::from_secs(3));
    assert_eq!(n_waiting(&place), n_left);
    bench.act(BrowseCommand::Pause);
    wait_until(&mut bench, "an empty queue", |_| n_waiting(&place) == 0);
    wait_until(&mut bench, "its end", |bench| !browser(bench).added().is_running);
    assert!(!says(&bench, "Analysing ") && !says(&bench, "Paused at "));
}
