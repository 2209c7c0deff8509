//! No brush clicks: at the edges of its mask, sound is about as smooth as before.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::Progress;
use document::brushes::{
    Blur, Brush, CloneSource, Erase, Gain, ModulationFilter, Noise, RebuildPhase, Sharpen, Smudge, Warp,
};
use document::{Edit, Snapshot, apply};
use dsp::strokes::brush::{Along, Butterworth, Pass, Tone, WarpMode};
use dsp::{Axis, Point, Selection, StftParams, Stroke};
use engine::Engine;
use std::ops::Range;
use support::opened::{clip, open};

/// The left channel of a clip within a range of seconds.
fn sound(name: &str, secs: Range<f64>) -> Vec<f32> {
    let source = open(&clip(name)).source;
    let at = |secs: f64| (secs * 44_100.0) as usize;
    let mut samples = vec![0.0; at(secs.end) - at(secs.start)];
    Snapshot::new(source).read(0, at(secs.start) as i64, &mut samples).unwrap();
    samples
}

/// The largest fourth difference around a place.
fn roughness(x: &[f32], around: Range<usize>) -> f32 {
    let fourth = |x: &[f32]| (x[0] - 4.0 * x[1] + 6.0 * x[2] - 4.0 * x[3] + x[4]).abs();
    x[around.start.saturating_sub(4)..around.end.min(x.len())].windows(5).map(fourth).fold(0.0, f32::max)
}

/// The roughness within half a window of a place, relative to that within 100 ms before the edit.
fn click(before: &[f32], after: &[f32], at: usize, n_fft: usize) -> f32 {
    let near = |reach: usize| at.saturating_sub(reach)..at + reach;
    roughness(after, near(n_fft / 2)) / roughness(before, near(4410))
}

/// Every brush, with the maximum factor by which it amplifies a cell.
fn brushes() -> Vec<(Brush, f64)> {
    let filter = |pass, cutoff: &[f64]| Butterworth { pass, cutoff: cutoff.to_vec(), order: 4 };
    let modulation =
        |along, filters| Brush::ModulationFilter(ModulationFilter { along, filters, rebuild_phase: false });
    let low = |cutoff| filter(Pass::Low, &[cutoff]);
    vec![
        (Brush::Gain(Gain { gain_db: -24.0 }), 1.0),
        (Brush::Gain(Gain { gain_db: 12.0 }), 10f64.powf(12.0 / 20.0)),
        (Brush::Erase(Erase), 1.0),
        (Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }), 1.0),
        (Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: true }), 1.0),
        (Brush::Sharpen(Sharpen { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, amount: 1.0 }), 2.0),
        (Brush::BandFilter(filter(Pass::Notch, &[500.0, 1500.0])), 1.0),
        (modulation(Along::Time, vec![low(8.0)]), 1.0),
        (modulation(Along::Both, vec![low(8.0), low(2.0)]), 1.0),
        (Brush::Warp(Warp { mode: WarpMode::Grab { shift: [0.0, 150.0] }, peak_locking: true }), 1.0),
        (Brush::Warp(Warp { mode: WarpMode::Grab { shift: [0.05, 0.0] }, peak_locking: true }), 1.0),
        (Brush::Warp(Warp { mode: WarpMode::Push, peak_locking: true }), 1.0),
        (Brush::Noise(Noise { level_db: -70.0, seed: 3 }), 1.0),
        (Brush::Clone(CloneSource { offset: [0.2, 0.0] }), 1.0),
        (Brush::Clone(CloneSource { offset: [0.1, 200.0] }), 1.0),
        (
            Brush::Tone(Tone {
                level_db: -40.0,
                harmonics: 3,
                spacing: 1.0,
                inharmonicity: 0.0,
                slope_db: -6.0,
                pan: 0.0,
                fade_secs: 0.0,
            }),
            1.0,
        ),
        (Brush::Smudge(Smudge), 1.0),
        (Brush::RebuildPhase(RebuildPhase { steps: 10 }), 1.0),
    ]
}

#[test]
fn no_brush_clicks_at_the_edges_of_its_mask() {
    const RATE: f64 = 44_100.0;
    // The guitar while it rings, the choir in full voice; times at which neither passes through 0.
    let clips = [("guitar_chord_44k_stereo.flac", 1.0..3.0), ("choir_44k_stereo_float64.wav", 0.1..1.5)];
    let mut too_rough = Vec::new();
    for (name, secs) in clips {
        let x = sound(name, secs);
        let snapshot = |x: &[f32]| Snapshot::new(media::Source::from_channels(vec![x.to_vec()], RATE as u32).unwrap());
        let loud = |from: f64| {
            let first = (from * RATE) as usize;
            (first..first + 200).max_by(|&a, &b| x[a].abs().total_cmp(&x[b].abs())).unwrap()
        };
        let edges = [loud(0.45), loud(0.85)];
        let span = edges.map(|edge| edge as f64 / RATE);
        // Control: a hard cut of the samples clicks.
        let mut cut = x.clone();
        cut[edges[0]..edges[1]].fill(0.0);
        let of_cut = edges.map(|edge| click(&x, &cut, edge, 2048));
        assert!(of_cut.iter().all(|&click| click > 1.5), "{name}: a cut {of_cut:?}");
        for (brush, gain) in brushes() {
            for hz in [None, Some([300.0, 3000.0])] {
                let select = Some(Selection::rectangle(Some(span), hz, [0.0; 2], Axis::Linear));
                let line = |points: &[(f64, f64)]| Stroke {
                    points: points.iter().map(|&(secs, hz)| Point { secs, hz, pressure: 1.0 }).collect(),
                    axis: Axis::Linear,
                    radius: [0.15, 800.0],
                    hardness: 1.0,
                    strength: 1.0,
                    build_up: false,
                };
                let stroke = match &brush {
                    Brush::Tone(_) => Some(line(&[(span[0], 660.0), (span[1], 660.0)])),
                    Brush::Smudge(Smudge) | Brush::Warp(Warp { mode: WarpMode::Push, .. }) => {
                        Some(line(&[(span[0] + 0.1, 1000.0), (span[1], 1300.0)]))
                    }
                    _ => None,
                };
                let edit = Edit { stroke, select, ..Edit::of(brush.clone(), StftParams::default()) };
                let run = |edit: &Edit| {
                    let applied = apply(&snapshot(&x), edit, &Engine::cpu(), &Progress::new()).unwrap();
                    assert!(applied.report.touched_samples > 0, "{brush:?}");
                    let mut y = vec![0.0; x.len()];
                    applied.snapshot.read(0, 0, &mut y).unwrap();
                    y
                };
                let y = run(&edit);
                // White noise is rough by itself, so it is compared with noise that has no edges in time.
                let band = Some(Selection::rectangle(None, hz, [0.0; 2], Axis::Linear));
                let is_noise = matches!(brush, Brush::Noise(_));
                let before = if is_noise { run(&Edit { select: band, ..edit.clone() }) } else { x.clone() };
                for edge in edges {
                    let ratio = f64::from(click(&before, &y, edge, 2048)) / gain;
                    println!("{name} {} {hz:?} {edge}: {ratio:.2}", brush.kind());
                    if ratio > 1.5 {
                        too_rough.push(format!("{name} {brush:?} {hz:?}: {ratio:.2}"));
                    }
                }
            }
        }
    }
    assert!(too_rough.is_empty(), "{too_rough:#?}");
}
