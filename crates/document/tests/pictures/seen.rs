//! A picture painted as sound looks like the picture: levels of the new sound's cells against the target levels.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::{asked_brightness, brush_of, cells_of, correlation, edit_of, levels_db, silence};
use document::brushes::{PictureBrush, PictureMode, PicturePhase};
use dsp::{Axis, StftParams};
use engine::Engine;
use rayon::prelude::*;
use support::engines::{cpu, engines};
use support::is_long;
use support::pictures::{Grey, five_kinds};

const HZ: [f64; 2] = [200.0, 16_000.0];

/// Correlations of the new sound's levels with the picture's target levels, and with those of the flipped picture, both
/// clamped to the range.
fn correlations(picture: &Grey, axis: Axis, secs: f64, engine: &Engine, set: impl Fn(&mut PictureBrush)) -> [f64; 2] {
    let mut brush = brush_of(picture.png(), [0.0, secs], HZ, axis);
    set(&mut brush);
    let ([dark, white], area) = (brush.range_db, brush.area);
    let sound = super::applied(&silence(secs), &edit_of(brush), engine).snapshot;
    let grid = sound.grid(StftParams::default());
    let rect = area.cells(&grid);
    let heard = levels_db(&cells_of(&sound, 0, &grid, &rect), &grid);
    let heard: Vec<f64> = heard.iter().map(|level| level.clamp(dark, white)).collect();
    let requested = |picture: &Grey| -> Vec<f64> {
        let row = |frame: usize| {
            let level = |bin| match asked_brightness(picture, &area, &grid, frame, bin) {
                g if g > 0.0 => dark + g * (white - dark),
                _ => dark,
            };
            rect.bins.clone().map(level).collect::<Vec<f64>>()
        };
        rect.frames.clone().into_par_iter().flat_map_iter(row).collect()
    };
    [picture.clone(), picture.turned_over()].map(|picture| correlation(&requested(&picture), &heard))
}

/// Minimum results: a phase mode, steps, and the minimum correlation.
const PROMISES: [(PicturePhase, u32, f64); 4] = [
    (PicturePhase::Random, 8, 0.97),
    (PicturePhase::Random, 32, 0.99),
    (PicturePhase::Rebuild, 32, 0.99),
    (PicturePhase::Rebuild, 8, 0.97),
];

/// All promises in the long form, otherwise all but the last.
fn promises() -> &'static [(PicturePhase, u32, f64)] {
    if is_long() { &PROMISES } else { &PROMISES[..3] }
}

/// The axes on which a picture is tested: both in the long form, otherwise alternating by index.
fn axes(index: usize) -> &'static [Axis] {
    const BOTH: [Axis; 2] = [Axis::Linear, Axis::Log];
    if is_long() { &BOTH } else { &BOTH[index % 2..][..1] }
}

fn must_be_seen(pictures: &[(&'static str, Grey)], secs: f64, engine: &Engine) {
    for (index, (name, picture)) in pictures.iter().enumerate() {
        for &axis in axes(index) {
            for &(phase, steps, min) in promises() {
                let [found, turned_over] = correlations(picture, axis, secs, engine, |brush| {
                    (brush.phase, brush.steps, brush.mode) = (phase, steps, PictureMode::Replace);
                });
                let what = format!("{} {name} {} {phase:?} {steps}", engine.name(), axis.name());
                println!("{what}: {found:.4}, upside down {turned_over:.4}");
                assert!(found >= min, "{what}: {found:.4}");
                assert!(turned_over < 0.8, "{what}: upside down {turned_over:.4}");
            }
        }
    }
}

#[test]
fn pictures_are_seen_in_their_sound() {
    must_be_seen(&five_kinds(), 4.0, &cpu());
}

#[test]
fn pictures_are_seen_in_their_sound_on_every_engine() {
    let kinds = five_kinds();
    // A software adapter is slow.
    let (few, secs) = if is_long() { (&kinds[..], 4.0) } else { (&kinds[2..3], 2.0) };
    for engine in &engines()[1..] {
        must_be_seen(few, secs, engine);
    }
}

/// A picture added to silence is as visible as one that replaces it.
#[test]
fn a_picture_that_is_added_is_seen_too() {
    let [(_, picture), ..] = five_kinds();
    for phase in [PicturePhase::Random, PicturePhase::Rebuild, PicturePhase::Beneath] {
        let [found, turned_over] = correlations(&picture, Axis::Log, 2.0, &cpu(), |brush| brush.phase = phase);
        println!("added, {phase:?}, 16 steps: {found:.4}");
        assert!(found >= 0.985 && turned_over < 0.8, "{phase:?}: {found:.4}, upside down {turned_over:.4}");
    }
}

/// Without steps a picture is still visible, as far as random phases permit.
#[test]
fn a_picture_without_steps_is_seen_as_chance_allows() {
    for (index, (name, picture)) in five_kinds().into_iter().enumerate() {
        for &axis in axes(index) {
            let [random, _] = correlations(&picture, axis, 4.0, &cpu(), |brush| brush.steps = 0);
            let [rebuilt, _] = correlations(&picture, axis, 4.0, &cpu(), |brush| {
                (brush.phase, brush.steps) = (PicturePhase::Rebuild, 0);
            });
            println!("{name} {}: random {random:.3}, rebuilt {rebuilt:.3} without steps", axis.name());
            assert!((0.85..0.99).contains(&random), "{name}: {random}");
        }
    }
}
