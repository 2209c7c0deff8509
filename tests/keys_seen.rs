//! What a user sees after the first keys of a session: Ctrl+H, B, Space and Ctrl+Z. And none of them is given by Alt,
//! which window managers own.

use crate::previews;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu};
use egui::{Event, Key, Modifiers, Shape};
use sonobrush::workbench::commands::{COMMANDS, PlayCommand};

/// The texts that are painted.
fn texts(bench: &Bench) -> Vec<String> {
    fn collect(shape: &Shape, all: &mut Vec<String>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, all)),
            Shape::Text(text) => all.push(text.galley.text().to_owned()),
            _ => {}
        }
    }
    let mut all = Vec::new();
    bench.harness.output().shapes.iter().for_each(|clipped| collect(&clipped.shape, &mut all));
    all
}

fn says(bench: &Bench, words: &str) -> bool {
    texts(bench).iter().any(|text| text == words)
}

/// The upper part of the picture of the sound: notices and words over each channel lie below.
fn picture(bench: &mut Bench) -> image::RgbaImage {
    let whole = bench.harness.render().unwrap();
    let canvas = bench.studio().canvas_rect();
    let [left, top] = [canvas.left(), canvas.top()].map(|edge| edge as u32);
    let (width, height) = (canvas.width() as u32, canvas.height() as u32 / 6);
    image::imageops::crop_imm(&whole, left, top, width, height).to_image()
}

/// Pixels that differ to the eye.
fn n_unlike(a: &image::RgbaImage, b: &image::RgbaImage) -> usize {
    assert_eq!(a.dimensions(), b.dimensions());
    a.pixels().zip(b.pixels()).filter(|(a, b)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 24)).count()
}

#[test]
fn what_the_first_keys_do_is_on_the_screen() {
    if !has_gpu() {
        return;
    }
    // A hit of noise lies within it.
    let mut bench = previews::bench_on(Drawing::Wgpu);
    bench.select(Some([1.49, 1.53]), None);
    let before = picture(&mut bench);

    bench.key(CTRL, Key::H);
    let healed = picture(&mut bench);
    assert!(n_unlike(&before, &healed) > 20, "a heal is seen");
    let mode = bench.tools().settings().heal.mode.label();
    assert!(says(&bench, &format!("Healed by {mode}.")) && says(&bench, "Other modes"), "{:?}", texts(&bench));

    bench.key(NONE, Key::B);
    assert!(says(&bench, "Original"), "written across the canvas");
    let seen = picture(&mut bench);
    assert!(n_unlike(&before, &seen) < n_unlike(&healed, &seen), "the sound of before is seen");
    bench.key(NONE, Key::B);
    let seen = picture(&mut bench);
    assert!(n_unlike(&healed, &seen) < n_unlike(&before, &seen), "and the heal again");

    let is_pause_offered = |bench: &Bench| bench.has(PlayCommand::Pause.row().name);
    assert!(!is_pause_offered(&bench));
    bench.harness.key_press(Key::Space);
    (0..4).for_each(|_| bench.harness.step());
    assert!(is_pause_offered(&bench), "Space plays");
    bench.harness.key_press(Key::Space);
    bench.settle();
    assert!(!is_pause_offered(&bench), "and stops");

    bench.key(CTRL, Key::Z);
    let seen = picture(&mut bench);
    assert!(n_unlike(&before, &seen) < n_unlike(&healed, &seen), "the heal is gone");
}

#[test]
fn no_key_of_a_command_has_alt() {
    for command in COMMANDS {
        for key in command.row().keys {
            assert!(!key.to_string().contains("Alt"), "{}: {key}", command.row().id);
        }
    }
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), None);
    bench.key(NONE, Key::Delete);
    let state = |bench: &Bench| {
        let document = bench.studio().document().unwrap();
        let (view, position) = (document.view().clone(), document.history().position());
        let tools = (bench.tools().active(), bench.tools().settings().clone());
        format!("{view:?} {position} {:?} {tools:?} {:?}", document.selection(), nodes(bench))
    };
    let before = state(&bench);
    let keys = Key::ALL.iter().filter(|key| !matches!(key, Key::Tab | Key::Copy | Key::Cut | Key::Paste));
    for &key in keys {
        for modifiers in [Modifiers::ALT, Modifiers::ALT | Modifiers::SHIFT] {
            for pressed in [true, false] {
                bench.harness.event(Event::Key { key, physical_key: None, pressed, repeat: false, modifiers });
            }
        }
    }
    bench.settle();
    assert_eq!(state(&bench), before);
    // The control: without it the same keys change much.
    bench.key(NONE, Key::E);
    bench.key(NONE, Key::B);
    assert_ne!(state(&bench), before);
}

fn nodes(bench: &Bench) -> Vec<String> {
    crate::studio_sizes::nodes_in(bench, egui::Rect::EVERYTHING).into_iter().map(|(name, ..)| name).collect()
}
