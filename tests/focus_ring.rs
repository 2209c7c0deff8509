//! What has the keyboard is seen to have it: a ring on every kind of widget, in both themes, as WCAG 2 asks of it
//! (1.4.11, 2.4.7).

use crate::support::studio::{Bench, CTRL, Drawing, NONE};
use egui::epaint::{ClippedShape, RectShape};
use egui::{Color32, Key, Rect, Shape, Theme};
use sonobrush::studio::widgets::theme;
use sonobrush::studio::widgets::theme::contrast;
use sonobrush::workbench::LabelAct;
use sonobrush::workbench::commands::{Command, EditCommand, FileCommand, PlayCommand, WindowCommand};
use std::collections::BTreeSet;

/// WCAG 2.2, success criterion 1.4.11.
const MIN_CONTRAST: f64 = 3.0;

/// All rectangles that were painted, in the order in which they cover each other.
fn rectangles(shapes: &[ClippedShape]) -> Vec<(Rect, RectShape)> {
    fn collect(clip: Rect, shape: &Shape, all: &mut Vec<(Rect, RectShape)>) {
        match shape {
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(clip, shape, all)),
            Shape::Rect(rect) => all.push((clip, rect.clone())),
            _ => {}
        }
    }
    let mut all = Vec::new();
    shapes.iter().for_each(|clipped| collect(clipped.clip_rect, &clipped.shape, &mut all));
    all
}

/// The colour at a place, of what is painted in rectangles over the window's own.
fn face_at(painted: &[(Rect, RectShape)], at: egui::Pos2, window: Color32) -> Color32 {
    let covers =
        |(clip, shape): &&(Rect, RectShape)| clip.contains(at) && shape.rect.contains(at) && shape.fill.a() == 255;
    painted.iter().rfind(covers).map_or(window, |(_, shape)| shape.fill)
}

/// Why the ring around a widget is not seen; none where it is.
fn fault(bench: &Bench, widget: Rect) -> Option<String> {
    let palette = theme::palette(&bench.harness.ctx);
    let all = rectangles(&bench.harness.output().shapes);
    let is_around = |shape: &RectShape| {
        let [grown, shrunk] = [widget.expand(4.0), widget.shrink(4.0)];
        shape.stroke.width >= 1.0 && grown.contains_rect(shape.rect) && shape.rect.contains_rect(shrunk)
    };
    let rings: Vec<usize> = (0..all.len()).filter(|&i| is_around(&all[i].1)).collect();
    // Its two lines are painted last.
    let &[.., outer, inner] = &rings[..] else { return Some("there is none".into()) };
    let lines = [outer, inner].map(|i| all[i].1.stroke.color);
    if lines != [palette.accent, palette.on_accent] {
        return Some(format!("its lines are {lines:?}"));
    }
    let below = &all[..outer];
    let face = face_at(below, widget.center(), palette.window);
    let ring = all[outer].1.rect;
    // Beside the longer side, where the window goes on there.
    let beside = [ring.left_center() - egui::vec2(1.5, 0.0), ring.right_center() + egui::vec2(1.5, 0.0)];
    let window = bench.harness.ctx.content_rect();
    let ground =
        beside.into_iter().find(|at| window.contains(*at)).map_or(face, |at| face_at(below, at, palette.window));
    let is_seen = |line: Color32, on: Color32| contrast(line, on) >= MIN_CONTRAST;
    let inside = is_seen(lines[0], face) || is_seen(lines[1], face) && is_seen(lines[0], lines[1]);
    match (is_seen(lines[0], ground), inside) {
        (true, true) => None,
        (false, _) => Some(format!("{:?} on {ground:?}: {:.1}", lines[0], contrast(lines[0], ground))),
        (true, false) => Some(format!("on its own face {face:?}")),
    }
}

/// Goes through a window or card with Tab; the widgets that had the keyboard, and the faults of their rings.
fn walk(bench: &mut Bench, n_most: usize) -> (usize, Vec<String>) {
    let (mut seen, mut faults) = (BTreeSet::new(), Vec::new());
    for _ in 0..n_most {
        bench.harness.key_press(Key::Tab);
        bench.harness.step();
        bench.harness.step();
        let ctx = &bench.harness.ctx;
        let Some(id) = ctx.memory(|memory| memory.focused()) else { continue };
        if !seen.insert(format!("{id:?}")) {
            break;
        }
        let Some(widget) = ctx.read_response(id) else { continue };
        // Scrolled out of view.
        if !widget.interact_rect.is_positive() {
            continue;
        }
        if let Some(fault) = fault(bench, widget.rect) {
            faults.push(format!("{:?}: {fault}", widget.rect));
        }
    }
    (seen.len(), faults)
}

#[test]
fn the_ring_stands_out_from_every_face() {
    for palette in [theme::DARK, theme::LIGHT] {
        let faces = [
            palette.window,
            palette.panel,
            palette.raised,
            palette.field,
            palette.hover,
            palette.active,
            palette.accent_soft,
            palette.well,
        ];
        for face in faces {
            let found = contrast(palette.accent, face);
            assert!(found >= MIN_CONTRAST, "{face:?}: {found:.2}");
        }
        // On a filled button, whose face is the outer line's colour.
        assert!(contrast(palette.on_accent, palette.accent) >= MIN_CONTRAST);
    }
}

#[test]
fn every_widget_of_the_cards_shows_that_it_has_the_keyboard() {
    let cards: [Command; 13] = [
        FileCommand::New.into(),
        FileCommand::Export.into(),
        FileCommand::ExportByLabel.into(),
        FileCommand::SaveProjectAs.into(),
        FileCommand::OpenPath.into(),
        FileCommand::Resample.into(),
        FileCommand::Record.into(),
        EditCommand::Lengthen.into(),
        EditCommand::Normalise.into(),
        EditCommand::PitchShift.into(),
        EditCommand::TimeStretch.into(),
        PlayCommand::Output.into(),
        WindowCommand::About.into(),
    ];
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.act(LabelAct::Draw { secs: [0.3, 0.4], hz: None });
    bench.select(Some([0.1, 0.2]), None);
    let mut n_all = 0;
    for theme in [Theme::Dark, Theme::Light] {
        bench.harness.ctx.set_theme(theme);
        for card in cards {
            bench.act(card);
            bench.settle();
            let (n, faults) = walk(&mut bench, 40);
            assert!(n >= 2, "{theme:?}, {card:?}: Tab reached {n}");
            assert_eq!(faults, Vec::<String>::new(), "{theme:?}, {card:?}");
            n_all += n;
            bench.key(NONE, Key::Escape);
            bench.key(NONE, Key::Escape);
        }
        // About edits that would be lost.
        bench.key(NONE, Key::Delete);
        bench.key(CTRL, Key::W);
        assert!(bench.has("Discard edits"));
        let (n, faults) = walk(&mut bench, 40);
        assert_eq!((n >= 5, faults), (true, Vec::new()), "{theme:?}");
        bench.key(NONE, Key::Escape);
    }
    assert!(n_all > 100, "{n_all}");
}

#[test]
fn every_widget_of_the_window_shows_that_it_has_the_keyboard() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.act(sonobrush::workbench::commands::LayoutCommand::Library);
    bench.settle();
    for theme in [Theme::Dark, Theme::Light] {
        bench.harness.ctx.set_theme(theme);
        let (n, faults) = walk(&mut bench, 200);
        assert!(n > 40, "{theme:?}: Tab reached {n}");
        assert_eq!(faults, Vec::<String>::new(), "{theme:?}");
    }
}
