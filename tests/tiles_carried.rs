//! Pictures that move by whole hops with their sound are copied, not analysed again, and show the same.

use crate::support::canvas::{App, harness_of, pixels, settle};
use egui_kittest::Harness;
use sonobrush::base::Progress;
use sonobrush::document::{Edit, Script, Snapshot, apply};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::Panes;

const RATE: u32 = 16_000;
const HOP: u64 = 256;

/// Sound whose every moment looks otherwise, in two channels.
fn sound() -> Snapshot {
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.5
    };
    let channel = |hz: f64, noise: &mut dyn FnMut() -> f64| -> Vec<f32> {
        let at = |n: usize| {
            let secs = n as f64 / f64::from(RATE);
            let glide = (std::f64::consts::TAU * (hz + 3.0 * secs) * secs).sin();
            (0.2 * glide + 0.05 * noise() * (1.0 + (secs * 0.7).sin())) as f32
        };
        (0..60 * RATE as usize).map(at).collect()
    };
    let channels = vec![channel(400.0, &mut noise), channel(700.0, &mut noise)];
    Snapshot::new(Source::from_channels(channels, RATE).unwrap())
}

fn cut(sound: &Snapshot, from: u64, n: u64) -> (Edit, Snapshot) {
    let [start, end] = [from, from + n].map(|sample| sample as f64 / f64::from(RATE));
    let script = format!(
        r#"{{"version": 1, "edits": [{{"brush": {{"kind": "delete_time"}}, "select": {{"time": [{start:?}, {end:?}]}}}}]}}"#
    );
    let edit = Script::parse(&script).unwrap().edits.remove(0);
    let applied = apply(sound, &edit, &Engine::cpu(), &Progress::new()).unwrap();
    (edit, applied.snapshot)
}

fn at(harness: &mut Harness<'static, App>, secs: [f64; 2]) {
    harness.state_mut().document.change_view(|view| (view.secs, view.panes) = (secs, Panes::Both));
    settle(harness);
}

/// Tiles that were analysed for a view after a cut of `n` samples, and whether it looks like the cut sound shown by
/// itself.
fn after_cut(n: u64, secs: [f64; 2]) -> (usize, bool) {
    let before = sound();
    let mut harness = harness_of(before.clone(), false, [900.0, 500.0], 1.0);
    // What comes into view was seen before.
    let by_secs = n as f64 / f64::from(RATE);
    for start in [secs[0] - 6.0, secs[0] + by_secs + 4.0, secs[0] + by_secs] {
        at(&mut harness, [start, start + secs[1] - secs[0]]);
    }
    let n_before = harness.state().canvas.n_tiles_analysed();
    let (edit, after) = cut(&before, 10 * u64::from(RATE), n);
    harness.state_mut().document.commit(edit, after.clone());
    at(&mut harness, secs);
    let n_analysed = harness.state().canvas.n_tiles_analysed() - n_before;
    let shown = pixels(&mut harness);
    let mut fresh = harness_of(after, false, [900.0, 500.0], 1.0);
    fresh.state_mut().document.set_cursor(harness.state().document.cursor_secs());
    at(&mut fresh, secs);
    (n_analysed, pixels(&mut fresh).rgb == shown.rgb)
}

#[test]
fn what_moves_by_whole_hops_is_not_analysed_again() {
    if !crate::support::canvas::has_gpu() {
        return;
    }
    let view = [28.0, 34.0];
    let (n_moved, is_same) = after_cut(130 * HOP, view);
    assert!(is_same, "it looks as it would if all of it were analysed");
    let (n_other, is_same) = after_cut(130 * HOP + 1, view);
    assert!(is_same);
    assert!(n_moved == 0 && n_other >= 2, "{n_moved} tiles are analysed, {n_other} where nothing can be copied");
    // Around the join only what lies within a window of it, in tiles of 256 frames.
    let (n_joined, is_same) = after_cut(130 * HOP, [8.0, 14.0]);
    assert!(is_same);
    assert!((1..=2).contains(&n_joined), "{n_joined}");
}
