//! The Help menu: first steps, keys that are searched, and what the program is.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu};
use egui::Key;
use egui_kittest::kittest::Queryable;
use sonobrush::studio::cards::help_cards::keys_matching;
use sonobrush::workbench::commands::{COMMANDS, WindowCommand};

fn rows(text: &str) -> Vec<(String, &'static str)> {
    keys_matching(text).into_iter().flat_map(|(_, rows)| rows).collect()
}

fn names(text: &str) -> Vec<&'static str> {
    rows(text).into_iter().map(|(_, name)| name).collect()
}

#[test]
fn every_key_is_listed_once_under_its_menu() {
    let all = rows("");
    for command in COMMANDS {
        let row = command.row();
        let n = all.iter().filter(|(_, name)| *name == row.name).count();
        assert_eq!(n, usize::from(!row.keys.is_empty()), "{}", row.name);
        if let Some(key) = row.keys.first() {
            let (keys, _) = all.iter().find(|(_, name)| *name == row.name).unwrap();
            assert!(keys.starts_with(&key.to_string()), "{}: {keys}", row.name);
        }
    }
    let groups: Vec<&str> = keys_matching("").into_iter().map(|(title, _)| title).collect();
    assert_eq!(groups, ["File", "Edit", "Select", "View", "Play", "Help", "Pointer and focus"]);
}

#[test]
fn keys_are_found_by_what_they_do_and_by_what_is_printed_on_them() {
    assert_eq!(names("undo"), ["Undo"]);
    assert_eq!(names("zoom in"), ["Zoom in horizontally", "Zoom in vertically"]);
    assert_eq!(names("ctrl+z"), ["Undo"]);
    assert!(names("ctrl+shift+z").contains(&"Redo"));
    assert!(names("wheel").contains(&"Zoom time at the pointer"));
    assert!(names("ndo").is_empty(), "letters within words are no words");
    assert!(names("xylophone").is_empty());
}

#[test]
fn typing_into_the_sheet_narrows_it_and_does_nothing_else() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let before = bench.tools().active();
    bench.key(NONE, Key::F1);
    bench.harness.get_by_label("Key to find").type_text("erase brush");
    bench.settle();
    assert!(bench.has("Erase brush: E, 4") && !bench.has("Undo: Ctrl+Z"));
    assert_eq!(bench.tools().active(), before);
    bench.key(NONE, Key::F1);
    assert!(!bench.has("Key to find"));
}

#[test]
fn help_explains_the_program_and_leads_to_the_demo_clip() {
    let drawing = if has_gpu() { Drawing::Wgpu } else { Drawing::None };
    let mut bench = Bench::new(drawing);
    for size in [[1280.0, 800.0], [640.0, 400.0]] {
        bench.harness.set_size(size.into());
        bench.settle();
        bench.act(WindowCommand::FirstSteps);
        bench.settle();
        for title in ["1. See", "2. Paint", "3. Hear"] {
            assert!(bench.has(title) && bench.has(&format!("Picture: {title}")));
        }
        let pictures: Vec<egui::Rect> =
            bench.harness.query_all_by_label_contains("Picture: ").map(|node| node.rect()).collect();
        for (i, one) in pictures.iter().enumerate() {
            assert!(one.width() <= size[0] && one.width() > 100.0, "{one:?}");
            assert!(pictures[..i].iter().all(|other| !other.intersects(*one)), "{pictures:?}");
        }
        bench.key(NONE, Key::Escape);
        assert!(!bench.has("1. See"));
    }
    bench.act(WindowCommand::FirstSteps);
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!(bench.studio().document().unwrap().name(), "guitar_chord_44k_stereo.flac");
}

#[test]
fn about_says_version_engine_and_licences() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.act(WindowCommand::About);
    bench.settle();
    for words in [
        concat!("Version ", env!("CARGO_PKG_VERSION")),
        "CPU engine",
        "MIT or Apache 2.0, as you choose",
        "DeepFilterNet3, the speech model",
        "SwiftF0, the pitch model",
        "Basic Pitch, the model of notes",
    ] {
        assert!(bench.has(words), "{words}");
    }
    assert!(bench.has("Copy for a bug report"));
    let texts = bench.copied(|bench| bench.harness.get_by_label("Copy LAME's licences").click_accesskit()).unwrap();
    for words in ["GNU LIBRARY GENERAL PUBLIC LICENSE", "GNU LESSER GENERAL PUBLIC LICENSE"] {
        assert!(texts.contains(words), "{words}");
    }
    bench.key(CTRL, Key::Z);
    bench.key(NONE, Key::Escape);
    assert!(!bench.has("About Sonobrush"));
}
