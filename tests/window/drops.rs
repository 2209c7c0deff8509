//! Files dropped on the window by other programs, on Wayland (in Weston) and on X11.

use super::rig::Rig;
use super::signals::{read_floats, write_floats};
use super::studio::{Studio, is_at_rest, notices};
use super::weston::{Giver, InWeston, Weston, pointer_of};
use serde_json::Value;
use std::path::{Path, PathBuf};

const RATE_HZ: f64 = 48_000.0;
const LIST: &str = "text/uri-list";
/// Names that an address has to encode.
const NAMES: [&str; 3] = ["two words.wav", "Grüße 音 #1?.wav", "100%.wav"];
const SCORE: &str = r#"{"version": 1, "timbre": "organ", "notes": [{"pitch": "A4", "start": 0, "duration": 0.5}]}"#;
/// A melody of one note: format 0, 480 ticks a beat, on at 0, off after a beat.
const MIDI: &[u8] = b"MThd\0\0\0\x06\0\0\0\x01\x01\xe0MTrk\0\0\0\x0d\0\x90\x45\x60\x83\x60\x80\x45\x40\0\xff\x2f\0";

/// What drops come from, and the window that they go to.
trait Ground {
    fn studio(&self) -> &Studio<'_>;
    /// Drags files to a place in pixels of the window and lets them go.
    fn drop(&mut self, files: &[PathBuf], at: [i64; 2]);
    /// Drags files to a place and leaves it there, with Escape.
    fn escape(&mut self, files: &[PathBuf], at: [i64; 2]);
    /// Whether a place in pixels of the window cannot be dropped on.
    fn is_hidden(&mut self, at: [i64; 2]) -> bool;
    fn key(&mut self, name: &str);
}

struct OnX11<'a>(Studio<'a>);

impl Ground for OnX11<'_> {
    fn studio(&self) -> &Studio<'_> {
        &self.0
    }

    fn drop(&mut self, files: &[PathBuf], at: [i64; 2]) {
        self.0.drop_files(files, at);
    }

    fn escape(&mut self, files: &[PathBuf], at: [i64; 2]) {
        self.0.leave_with_files(files, at);
    }

    fn is_hidden(&mut self, _: [i64; 2]) -> bool {
        false
    }

    fn key(&mut self, name: &str) {
        self.0.key(name);
    }
}

struct OnWeston<'a> {
    window: InWeston<'a>,
    /// There while it is needed: a press on it takes the keyboard.
    giver: Option<Giver<'a>>,
}

impl<'a> OnWeston<'a> {
    fn giver(&mut self) -> &mut Giver<'a> {
        let weston = self.window.weston;
        self.giver.get_or_insert_with(|| weston.giver())
    }

    /// The other program ends, and the window has the keyboard.
    fn end_giver(&mut self) {
        self.giver.take().into_iter().for_each(Giver::kill);
    }

    /// Takes something to a place in pixels of the window, and waits until the window has seen it there.
    fn hold(&mut self, types: &[&str], list: Option<&[u8]>, at: [i64; 2]) {
        let place = self.window.place(at);
        self.giver().give(types, list);
        self.giver().drag_to(place);
        self.studio().wait("what is held over the window", |state| {
            let (seen, wanted) = (pointer_of(state)?, self.window.points_of(place, state)?);
            let is_there = (0..2).all(|axis| (seen[axis] - wanted[axis]).abs() < 1.0);
            (is_there && state["input"]["is_file_over"] == types.contains(&LIST)).then_some(())
        });
    }

    fn drop_list(&mut self, list: &[u8], at: [i64; 2]) {
        self.hold(&[LIST, "text/plain"], Some(list), at);
        self.window.weston.press(false);
        self.giver().wait_for("finished");
    }
}

impl Ground for OnWeston<'_> {
    fn studio(&self) -> &Studio<'_> {
        &self.window.studio
    }

    fn drop(&mut self, files: &[PathBuf], at: [i64; 2]) {
        self.drop_list(list_of(files).as_bytes(), at);
    }

    fn escape(&mut self, files: &[PathBuf], at: [i64; 2]) {
        self.hold(&[LIST], Some(list_of(files).as_bytes()), at);
        self.giver().escape();
        self.window.weston.press(false);
    }

    fn is_hidden(&mut self, at: [i64; 2]) -> bool {
        let place = self.window.place(at);
        self.giver().hides(place)
    }

    fn key(&mut self, name: &str) {
        self.end_giver();
        self.window.key(name);
    }
}

/// As file managers write it: all but letters, digits and a few signs as codes.
fn list_of(files: &[PathBuf]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let encoded = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let line =
        |file: &PathBuf| format!("file://{}\r\n", file.to_str().unwrap().bytes().map(encoded).collect::<String>());
    files.iter().map(line).collect()
}

fn write_silence(file: &Path, secs: f64) {
    write_floats(file, RATE_HZ, &[vec![0.0; (secs * RATE_HZ) as usize]]);
}

fn tabs(state: &Value) -> Vec<String> {
    let names = state["tabs"].as_array().into_iter().flatten();
    names.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
}

/// A place in the picture that can be dropped on, in pixels of the window.
fn free_place(ground: &mut impl Ground) -> [i64; 2] {
    let [left, top, width, height] = ground.studio().pane().rect;
    let parts = [[0.31, 0.4], [0.63, 0.4], [0.31, 0.8], [0.63, 0.8]];
    let places = parts.map(|[x, y]| [(left + x * width).round() as i64, (top + y * height).round() as i64]);
    places.into_iter().find(|place| !ground.is_hidden(*place)).expect("somewhere is free")
}

/// How much time a point of the window is, and what lies at a place in its pixels.
fn secs_at(studio: &Studio<'_>, at: [i64; 2]) -> [f64; 2] {
    let (pane, pixels) = (studio.pane(), studio.wait("the scale", |state| state["pixels_per_point"].as_f64()));
    [pane.secs_at(at[0]), (pane.secs[1] - pane.secs[0]) / pane.rect[2] * pixels]
}

/// Where what floats begins, in seconds.
fn floats_at(studio: &Studio<'_>) -> f64 {
    studio.wait("what floats", |state| {
        let at = state["document"]["floating"][0].as_f64()?;
        is_at_rest(state).then_some(at)
    })
}

fn is_dropped_and_opened(ground: &mut impl Ground, folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    // One file, then three.
    let one = folder.join("one.wav");
    let three = NAMES.map(|name| folder.join(name));
    std::iter::once(&one).chain(&three).for_each(|file| write_silence(file, 0.5));
    let before = ground.studio().wait("the tabs", |state| Some(tabs(state)));
    let at = free_place(ground);
    ground.drop(&[one], at);
    let names = |more: &[&str]| [&before[..], &more.iter().map(ToString::to_string).collect::<Vec<_>>()].concat();
    ground.studio().wait("one file", |state| (tabs(state) == names(&["one.wav"]) && is_at_rest(state)).then_some(()));
    let at = free_place(ground);
    ground.drop(&three, at);
    let all = names(&["one.wav", NAMES[0], NAMES[1], NAMES[2]]);
    ground.studio().wait("three more", |state| (tabs(state) == all && is_at_rest(state)).then_some(()));
    // Left with Escape, nothing comes.
    let never = folder.join("never.wav");
    write_silence(&never, 0.5);
    let at = free_place(ground);
    ground.escape(&[never], at);
    let drops = ground.studio().wait("nothing over the window", |state| {
        (state["input"]["is_file_over"] == false).then(|| state["input"]["drops"].as_u64())
    });
    assert_eq!(drops, Some(4));
    (0..4).for_each(|_| ground.key("ctrl+w"));
    ground.studio().wait("the first file", |state| (tabs(state) == before && is_at_rest(state)).then_some(()));
    // Where it was let go, to a point.
    let score = folder.join("score.json");
    std::fs::write(&score, SCORE).unwrap();
    let at = free_place(ground);
    let [wanted, point_secs] = secs_at(ground.studio(), at);
    ground.drop(&[score], at);
    let found = floats_at(ground.studio());
    println!("  it floats {:+.2} points from where it was let go", (found - wanted) / point_secs);
    assert!((found - wanted).abs() <= point_secs, "{found} instead of {wanted} s");
    ground.key("Escape");
    // A folder last: its sounds are looked at from then on.
    let sounds = folder.join("a folder");
    std::fs::create_dir_all(&sounds).unwrap();
    (0..3).for_each(|number| write_silence(&sounds.join(format!("{number}.wav")), 0.2 + 0.1 * f64::from(number)));
    let at = free_place(ground);
    ground.drop(&[sounds], at);
    ground.studio().wait("its sounds", |state| (state["library"]["n_listed"] == 3).then_some(()));
    let events =
        ground.studio().wait("what was told", |state| Some(notices(state).any(|what| what.contains("never.wav"))));
    assert!(!events, "what was left with Escape was opened");
}

pub fn on_x11_files_are_dropped_where_the_pointer_is(rig: &Rig) {
    let file = rig.path("ten seconds.wav");
    write_silence(&file, 10.0);
    let studio = rig.open(&file);
    let folder = studio.path("dropped");
    let mut ground = OnX11(studio);
    is_dropped_and_opened(&mut ground, &folder);
    // What is no file here is named, and takes nothing from what is one.
    let list = list_of(&[file]);
    let at = free_place(&mut ground);
    let before = ground.studio().wait("drops", |state| state["input"]["drops"].as_u64());
    ground.0.drop_lines(&[], &["https://example.org/a.wav", list.trim_end(), "file://elsewhere/b.wav"], at);
    ground.studio().wait("the notice", |state| {
        let names = "https://example.org/a.wav, file://elsewhere/b.wav";
        let is_reported = notices(state).any(|what| what == format!("These are no files on this computer: {names}"));
        (is_reported && state["input"]["drops"] == before + 1).then_some(())
    });
    // A program that ends before it says what it dropped.
    ground.0.drop_lines(&["--end"], &[list.trim_end()], at);
    ground.studio().wait("the notice", |state| {
        notices(state).any(|what| what.contains("ended before it said which files")).then_some(())
    });
    // One that knows of no proxies drops on winit, which takes files.
    ground.0.drop_lines(&["--no-proxy"], &[list.trim_end()], at);
    ground.studio().wait("the file", |state| (state["input"]["drops"] == before + 2).then_some(()));
    ground.studio().wait("nothing over it", |state| (state["input"]["is_file_over"] == false).then_some(()));
}

pub fn on_weston_files_are_dropped_where_the_pointer_is(rig: &Rig) {
    let file = rig.path("ten seconds.wav");
    write_silence(&file, 10.0);
    let weston = Weston::start(rig);
    let window = weston.open(&file);
    let folder = window.studio.path("dropped");
    let mut ground = OnWeston { window, giver: None };
    is_dropped_and_opened(&mut ground, &folder);
    // What is no file here is named, and takes nothing from what is one.
    let list = format!("https://example.org/a.wav\r\n{}", list_of(&[file]));
    let before = ground.studio().wait("drops", |state| state["input"]["drops"].as_u64());
    let at = free_place(&mut ground);
    ground.drop_list(list.as_bytes(), at);
    ground.studio().wait("the notice", |state| {
        let is_reported = notices(state).any(|what| what.contains("https://example.org/a.wav"));
        (is_reported && state["input"]["drops"] == before + 1).then_some(())
    });
    // Text is not taken.
    let at = free_place(&mut ground);
    ground.hold(&["text/plain"], Some(b"text"), at);
    ground.window.weston.press(false);
    ground.giver().wait_for("cancelled");
}

/// They open in the order of the list.
fn drops_a_hundred_files(ground: &mut impl Ground, folder: &Path) -> Vec<PathBuf> {
    let files: Vec<PathBuf> = (0..100).map(|number| folder.join(format!("{number} of many.wav"))).collect();
    files.iter().for_each(|file| write_silence(file, 0.2));
    let before = ground.studio().wait("the tabs", |state| Some(tabs(state)));
    let at = free_place(ground);
    ground.drop(&files, at);
    ground
        .studio()
        .wait("a hundred files", |state| (tabs(state).len() == before.len() + 100 && is_at_rest(state)).then_some(()));
    let names: Vec<String> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(ground.studio().wait("the tabs", |state| Some(tabs(state)))[before.len()..], names);
    files
}

pub fn on_x11_anything_may_be_dropped(rig: &Rig) {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() {
        return println!("  in the long form alone");
    }
    let file = rig.path("ten seconds.wav");
    write_silence(&file, 10.0);
    let studio = rig.open(&file);
    let folder = studio.path("dropped");
    std::fs::create_dir_all(&folder).unwrap();
    let mut ground = OnX11(studio);
    // More than a megabyte, piece by piece.
    let long = format!("file://{}", "x".repeat(1_000));
    let at = free_place(&mut ground);
    ground.0.drop_lines(&["--times=1100"], &[&long], at);
    ground.studio().wait("the notice", |state| {
        notices(state).any(|what| what.contains("Too many files were dropped at once")).then_some(())
    });
    let files = drops_a_hundred_files(&mut ground, &folder);
    // Pieces of what is not too long make one list: comments are no files.
    let before = ground.studio().wait("drops", |state| state["input"]["drops"].as_u64());
    let line = list_of(&files[..1]);
    let comment = format!("#{}", "x".repeat(100_000));
    ground.0.drop_lines(&[], &[&comment, line.trim_end()], at);
    ground.studio().wait("the file", |state| (state["input"]["drops"] == before + 1).then_some(()));
}

pub fn on_weston_anything_may_be_dropped(rig: &Rig) {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() {
        return println!("  in the long form alone");
    }
    let file = rig.path("ten seconds.wav");
    write_silence(&file, 10.0);
    let weston = Weston::start(rig);
    let window = weston.open(&file);
    let folder = window.studio.path("dropped");
    std::fs::create_dir_all(&folder).unwrap();
    let mut ground = OnWeston { window, giver: None };
    floats_where_it_was_dropped(&mut ground, &folder);
    let events = |ground: &OnWeston<'_>, words: &str| {
        ground.studio().wait(words, |state| notices(state).any(|what| what.contains(words)).then_some(()));
    };
    // A list of 2 MiB.
    let line = list_of(&[folder.join("one of too many.wav")]);
    let list = line.repeat((2 << 20) / line.len() + 1);
    let at = free_place(&mut ground);
    ground.hold(&[LIST], Some(list.as_bytes()), at);
    weston.press(false);
    events(&ground, "Too many files were dropped at once");
    // A source that does not answer; one that ends before it does; one that ends while it is over the window.
    let at = free_place(&mut ground);
    ground.hold(&[LIST], None, at);
    weston.press(false);
    ground.giver().wait_for("asked text/uri-list");
    events(&ground, "did not say which files");
    let at = free_place(&mut ground);
    ground.hold(&[LIST], None, at);
    weston.press(false);
    ground.giver().wait_for("asked text/uri-list");
    ground.end_giver();
    events(&ground, "the list is empty");
    let at = free_place(&mut ground);
    ground.hold(&[LIST], None, at);
    ground.end_giver();
    ground.studio().wait("nothing over it", |state| (state["input"]["is_file_over"] == false).then_some(()));
    weston.press(false);
    // A browser's link.
    let link: Vec<u8> = "https://example.org/page\nA page".encode_utf16().flat_map(u16::to_ne_bytes).collect();
    ground.giver().give(&["text/x-moz-url", "text/plain"], Some(&link));
    let at = free_place(&mut ground);
    let place = ground.window.place(at);
    ground.giver().drag_to(place);
    ground.giver().wait_for("accepted text/x-moz-url");
    weston.press(false);
    ground.giver().wait_for("finished");
    events(&ground, "https://example.org/page");
    copies_after_fifty_drops(&mut ground, &folder);
    drops_a_hundred_files(&mut ground, &folder);
}

/// A picture and a MIDI file.
fn floats_where_it_was_dropped(ground: &mut OnWeston<'_>, folder: &Path) {
    let (picture, midi) = (folder.join("white.png"), folder.join("one note.mid"));
    image::GrayImage::from_pixel(48, 32, image::Luma([255])).save(&picture).unwrap();
    std::fs::write(&midi, MIDI).unwrap();
    let at = free_place(ground);
    let [wanted, point_secs] = secs_at(ground.studio(), at);
    ground.drop(&[midi], at);
    let found = floats_at(ground.studio());
    assert!((found - wanted).abs() <= point_secs, "the notes float at {found} instead of {wanted} s");
    ground.key("Escape");
    ground.studio().wait("nothing to float", |state| state["document"]["floating"].is_null().then_some(()));
    ground.drop(&[picture], at);
    ground
        .studio()
        .wait("the picture", |state| (state["document"]["floating"].is_array() && is_at_rest(state)).then_some(()));
    ground.key("Return");
    ground.studio().wait_position(1);
    let samples = read_floats(&export(ground, folder)).remove(0);
    let peak = samples.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    let first = samples.iter().position(|x| x.abs() > 0.1 * peak).unwrap() as f64 / RATE_HZ;
    assert!(peak > 0.0 && (first - wanted).abs() < 0.1, "the picture sounds from {first} instead of {wanted} s");
    ground.key("ctrl+z");
    ground.studio().wait_position(0);
}

fn export(ground: &mut OnWeston<'_>, folder: &Path) -> PathBuf {
    let path = folder.join("exported.wav");
    ground.key("ctrl+e");
    ground.studio().wait("the card", |state| (state["card"] == "export" && state["is_typing"] == true).then_some(()));
    ground.key("ctrl+a");
    ground.window.type_text(path.to_str().unwrap());
    ground.key("Return");
    ground.studio().wait("the export", |state| {
        let is_reported = notices(state).any(|what| what.starts_with("Exported exported.wav"));
        (is_reported && is_at_rest(state)).then_some(())
    });
    path
}

/// Text and sound go over the clipboard as before.
fn copies_after_fifty_drops(ground: &mut OnWeston<'_>, folder: &Path) {
    let file = folder.join("fifty times.wav");
    write_silence(&file, 0.5);
    let before = ground.studio().wait("drops", |state| state["input"]["drops"].as_u64());
    for number in 1..=50 {
        let at = free_place(ground);
        ground.drop(std::slice::from_ref(&file), at);
        ground.studio().wait("the drop", |state| (state["input"]["drops"] == before + number).then_some(()));
    }
    ground.studio().wait("the file", |state| {
        (state["document"]["path"] == file.to_str().unwrap() && is_at_rest(state)).then_some(())
    });
    // A path is cut out of the card that asks for one and pasted again.
    let other = folder.join("pasted.wav");
    // Silence is not copied.
    let tone = (0..24_000).map(|n| 0.1 * (0.05 * n as f32).sin()).collect();
    write_floats(&other, RATE_HZ, &[tone]);
    ground.key("ctrl+shift+o");
    ground.studio().wait("the card", |state| (state["card"] == "path").then_some(()));
    ground.end_giver();
    ground.window.type_text(other.to_str().unwrap());
    ["ctrl+a", "ctrl+x", "ctrl+v", "Return"].into_iter().for_each(|key| ground.key(key));
    ground.studio().wait("the file whose path was pasted", |state| {
        (state["document"]["path"] == other.to_str().unwrap() && is_at_rest(state)).then_some(())
    });
    ["ctrl+a", "ctrl+c", "ctrl+shift+v"].into_iter().for_each(|key| ground.key(key));
    ground.studio().wait("the sound to float", |state| {
        (state["document"]["floating"].is_array() && is_at_rest(state)).then_some(())
    });
    ground.key("Return");
    ground.studio().wait_position(1);
    ground.key("ctrl+z");
    ground.studio().wait_position(0);
}
