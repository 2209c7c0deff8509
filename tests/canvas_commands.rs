//! Commands of the canvas, in the whole studio: given by key, label or typed value, seen on document and pixels.

use crate::support::studio::{Bench, Drawing, NONE, SHIFT, has_gpu};
use egui::{Event, Key, Rect};
use egui_kittest::kittest::Queryable;
use sonobrush::workbench::{ChannelView, View};

fn view(bench: &Bench) -> View {
    bench.studio().document().unwrap().view().clone()
}

fn shot(bench: &mut Bench, rect: Rect) -> Vec<u8> {
    let image = bench.harness.render().unwrap();
    let (left, top) = (rect.left().ceil() as u32 + 6, rect.top().ceil() as u32);
    let rows = top..rect.bottom() as u32;
    rows.flat_map(|y| (left..rect.right() as u32).map(move |x| (x, y)))
        .flat_map(|(x, y)| image.get_pixel(x, y).0)
        .collect()
}

/// The part of the pixels that differ.
fn differing_part(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.chunks(4).zip(b.chunks(4)).filter(|(a, b)| a != b).count() as f64 / (a.len() / 4) as f64
}

fn bench() -> Bench {
    let mut bench = Bench::with_clip(Drawing::Wgpu, "guitar_chord_44k_stereo.flac");
    bench.harness.event(Event::PointerGone);
    bench.settle();
    bench
}

#[test]
fn the_range_of_levels_is_fitted_reset_and_locked_by_command() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    let rect = bench.studio().picture_rect().unwrap();
    let usual = shot(&mut bench, rect);
    assert_eq!((view(&bench).range_db, view(&bench).range_locked), (View::RANGE_DB, true));
    bench.key(SHIFT, Key::F);
    let fitted = view(&bench).range_db;
    assert!(fitted != View::RANGE_DB && fitted[1] < 0.0 && fitted[1] - fitted[0] >= 40.0, "{fitted:?}");
    assert!(differing_part(&usual, &shot(&mut bench, rect)) > 0.3, "other colours");
    bench.click("Lock range");
    assert!(!view(&bench).range_locked);
    bench.click("Lock range");
    assert!(view(&bench).range_locked);
    // By the palette: there is no key for it.
    let ctx = bench.harness.ctx.clone();
    let reset = sonobrush::workbench::commands::ViewCommand::ResetRange;
    bench.harness.state_mut().apply(&ctx, reset);
    bench.settle();
    assert_eq!(view(&bench).range_db, View::RANGE_DB);
    bench.harness.event(Event::PointerGone);
    bench.settle();
    assert_eq!(differing_part(&usual, &shot(&mut bench, rect)), 0.0);
}

#[test]
fn channels_are_stacked_and_the_waveform_drawn_by_command() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    let rect = bench.studio().picture_rect().unwrap();
    let plain = shot(&mut bench, rect);
    bench.key(SHIFT, Key::W);
    assert_eq!(view(&bench).waveform, View::WAVEFORM);
    let part = differing_part(&plain, &shot(&mut bench, rect));
    assert!(part > 0.02, "{part}");
    bench.key(SHIFT, Key::W);
    assert_eq!(differing_part(&plain, &shot(&mut bench, rect)), 0.0);
    bench.click("Stacked channels");
    assert_eq!((view(&bench).channels, view(&bench).stacked), (ChannelView::All, true));
    assert_eq!(bench.studio().panes().len(), 2);
    bench.harness.event(Event::PointerGone);
    bench.settle();
    assert!(differing_part(&plain, &shot(&mut bench, rect)) > 0.3);
    bench.click("Left channel");
    assert_eq!((view(&bench).channels, view(&bench).stacked), (ChannelView::One(0), false));
    assert_eq!(bench.studio().panes().len(), 1);
    assert!(bench.harness.query_by_label("Waveform opacity").is_some(), "it can be typed");
}

#[test]
fn large_cells_are_blended_or_bare_by_key_and_in_the_panel() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    let rect = bench.studio().picture_rect().unwrap();
    bench.set_view(|view| (view.secs, view.hz) = ([1.0, 1.2], [200.0, 900.0]));
    bench.settle();
    let smooth = shot(&mut bench, rect);
    bench.key(SHIFT, Key::B);
    assert!(!view(&bench).smooth);
    let bare = shot(&mut bench, rect);
    assert!(differing_part(&smooth, &bare) > 0.5, "{}", differing_part(&smooth, &bare));
    // Of one colour far into the next column of pixels, where they are bare.
    let n_steps = |shot: &[u8]| shot.chunks(4).zip(shot[4..].chunks(4)).filter(|(a, b)| a != b).count();
    assert!(n_steps(&smooth) > 2 * n_steps(&bare), "{} {}", n_steps(&smooth), n_steps(&bare));
    bench.click("Smooth");
    assert!(view(&bench).smooth);
    bench.harness.event(Event::PointerGone);
    bench.settle();
    assert_eq!(differing_part(&smooth, &shot(&mut bench, rect)), 0.0);
}

#[test]
fn the_loupe_is_there_while_its_key_is_held() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench();
    let rect = bench.studio().picture_rect().unwrap();
    bench.key(NONE, Key::H);
    bench.harness.event(Event::PointerMoved(rect.center()));
    bench.settle();
    let plain = shot(&mut bench, rect);
    bench.harness.key_down(Key::Slash);
    bench.settle();
    assert!(differing_part(&plain, &shot(&mut bench, rect)) > 0.03, "there");
    bench.harness.key_up(Key::Slash);
    bench.settle();
    assert_eq!(differing_part(&plain, &shot(&mut bench, rect)), 0.0, "gone");
}
