//! Every brush in an edit.

use document::brushes::{
    Blur, Brush, CloneSource, Contrast, Erase, Gain, ModulationFilter, Noise, RebuildPhase, Sharpen, Smudge, Warp,
};
use document::{Channels, Edit};
use dsp::repair::heal::Heal;
use dsp::strokes::brush::{Along, Butterworth, HarmonicPercussive, Pass, Tone, WarpMode};
use dsp::{Axis, Denoise, NoiseSource, Point, StftParams, Stroke};

/// Every brush over a second of sound.
pub fn every_edit() -> Vec<Edit> {
    let low = |cutoff| Butterworth { pass: Pass::Low, cutoff: vec![cutoff], order: 4 };
    let tone = Tone {
        level_db: -20.0,
        harmonics: 2,
        spacing: 1.0,
        inharmonicity: 0.0,
        slope_db: -6.0,
        pan: 0.0,
        fade_secs: 0.0,
    };
    let brushes = [
        Brush::Gain(Gain { gain_db: -6.0 }),
        Brush::Erase(Erase),
        Brush::Blur(Blur { sigma: [0.01, 60.0], sigma_axis: Axis::Linear, rebuild_phase: true }),
        Brush::Sharpen(Sharpen { sigma: [0.01, 60.0], sigma_axis: Axis::Linear, amount: 1.0 }),
        Brush::Contrast(Contrast { amount: 2.0, pivot_db: -40.0 }),
        Brush::BandFilter(low(4000.0)),
        Brush::ModulationFilter(ModulationFilter {
            along: Along::Both,
            filters: vec![low(8.0), low(2.0)],
            rebuild_phase: false,
        }),
        Brush::Warp(Warp { mode: WarpMode::Push, peak_locking: true }),
        Brush::Smudge(Smudge),
        Brush::Clone(CloneSource { offset: [0.1, 200.0] }),
        Brush::Noise(Noise { level_db: -40.0, seed: 0 }),
        Brush::Tone(tone),
        Brush::Tone(Tone { fade_secs: 0.005, ..tone }),
        Brush::RebuildPhase(RebuildPhase { steps: 2 }),
    ];
    let point = |secs, hz| Point { secs, hz, pressure: 1.0 };
    let stroke = Stroke {
        points: vec![point(0.5, 1000.0), point(0.7, 1500.0)],
        axis: Axis::Linear,
        radius: [0.1, 300.0],
        hardness: 0.5,
        strength: 1.0,
        build_up: false,
    };
    let edit = |brush| Edit {
        brush,
        stroke: Some(stroke.clone()),
        select: None,
        channels: Channels::All,
        transform: StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into(),
        strength: 1.0,
        consistency_steps: Some(1),
    };
    brushes.map(edit).to_vec()
}

/// Every brush that takes a stroke, and each that builds up a second time, so.
pub fn every_brush() -> Vec<Edit> {
    let mut edits = every_edit();
    let one = edits[0].clone();
    // It acts where the scribble is.
    for edit in &mut edits {
        if let Brush::BandFilter(filter) = &mut edit.brush {
            filter.cutoff = vec![1_200.0];
        }
    }
    let parts = HarmonicPercussive { harmonic_db: 3.0, percussive_db: -30.0, reach: [0.05, 200.0] };
    let noise = Denoise { margin_db: -6.0, ..Denoise::of(NoiseSource::Range { secs: [0.0, 1.0], hz: None }) };
    let more = [
        Brush::HarmonicPercussive(parts),
        Brush::Heal(Heal::default()),
        Brush::Clone(CloneSource { offset: [0.05, 0.0] }),
        Brush::Denoise(noise),
    ];
    // Brushes of cells that are not named here follow from the list of brushes.
    let is_there = |brush: &Brush| edits.iter().any(|edit| edit.brush.kind() == brush.kind());
    let cells: Vec<Brush> = Brush::cell_trials([0.02, 100.0]).into_iter().filter(|brush| !is_there(brush)).collect();
    edits.extend(more.into_iter().chain(cells).map(|brush| Edit { brush, ..one.clone() }));
    let built_up = |edit: &Edit| {
        let stroke = edit.stroke.clone().map(|stroke| Stroke { build_up: true, ..stroke });
        Edit { stroke, ..edit.clone() }
    };
    let more: Vec<Edit> = edits.iter().filter(|edit| edit.brush.builds_up()).map(built_up).collect();
    edits.extend(more);
    edits
}

pub fn with_points(edit: &Edit, points: &[Point]) -> Edit {
    let stroke = edit.stroke.clone().map(|stroke| Stroke { points: points.to_vec(), radius: [0.04, 250.0], ..stroke });
    Edit { stroke, ..edit.clone() }
}
