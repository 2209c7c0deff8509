//! Properties of the one function that changes sound, on every engine of this machine.
//!
//! Expected samples are computed here in f64: textbook STFT, masks cell by cell, `x + OLA(C' - C) / sum(w^2)`.

use base::{ErrorKind, Progress};
use document::brushes::{
    Blur, Brush, CloneSource, Contrast, Erase, Gain, ModulationFilter, Noise, Sharpen, Smudge, Warp,
};
use document::{Applied, Channels, Edit, History, Snapshot, apply};
use dsp::repair::heal::Heal;
use dsp::strokes::brush::{Along, Butterworth, HarmonicPercussive, Pass, Tone, WarpMode};
use dsp::{Axis, Denoise, Grid, NoiseSource, Point, Selection, StftParams, Stroke, Window};
use engine::Engine;
use media::Source;
use std::ops::Range;
use support::engines::engines;
use support::fourier::{Complex, Stft64};
use support::measure::{band_power, changed, f64s, snr_db, snr_db_f32};
use support::naive::{centre, stroke_at};
use support::signals::{busy, noise};

const RATE: u32 = 22_050;

fn sound(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE).unwrap())
}

fn read(snapshot: &Snapshot, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(channel, 0, &mut samples).unwrap();
    samples
}

fn edit(brush: Brush) -> Edit {
    let transform = StftParams { n_fft: 1024, hop: 256, window: Window::Hann };
    Edit::of(brush, transform)
}

fn stroke(points: &[(f64, f64, f64)], radius: [f64; 2]) -> Stroke {
    let points = points.iter().map(|&(secs, hz, pressure)| Point { secs, hz, pressure }).collect();
    Stroke { points, axis: Axis::Linear, radius, hardness: 0.5, strength: 0.9, build_up: false }
}

fn sloping() -> Stroke {
    stroke(&[(0.3, 900.0, 1.0), (0.7, 3000.0, 0.6)], [0.06, 500.0])
}

fn rectangle(secs: Option<[f64; 2]>, hz: Option<[f64; 2]>) -> Option<Selection> {
    Some(Selection::rectangle(secs, hz, [0.0; 2], Axis::Linear))
}

fn run(snapshot: &Snapshot, edit: &Edit, engine: &Engine) -> Applied {
    apply(snapshot, edit, engine, &Progress::new()).unwrap_or_else(|e| panic!("{edit:?}: {e}"))
}

fn low_pass(hz: f64) -> Butterworth {
    Butterworth { pass: Pass::Low, cutoff: vec![hz], order: 3 }
}

/// One edit with each brush, by the same stroke.
fn every_brush() -> Vec<Edit> {
    let brushes = [
        Brush::Gain(Gain { gain_db: -18.0 }),
        Brush::Gain(Gain { gain_db: 12.0 }),
        Brush::Erase(Erase),
        Brush::Blur(Blur { sigma: [0.03, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }),
        Brush::BandFilter(low_pass(1500.0)),
        Brush::ModulationFilter(ModulationFilter {
            along: Along::Time,
            filters: vec![low_pass(6.0)],
            rebuild_phase: false,
        }),
        Brush::ModulationFilter(ModulationFilter {
            along: Along::Both,
            filters: vec![low_pass(6.0), low_pass(3.0)],
            rebuild_phase: false,
        }),
        Brush::Warp(Warp { mode: WarpMode::Grab { shift: [0.01, 150.0] }, peak_locking: true }),
        Brush::Warp(Warp { mode: WarpMode::Push, peak_locking: true }),
        Brush::Sharpen(Sharpen { sigma: [0.03, 60.0], sigma_axis: Axis::Linear, amount: 2.0 }),
        Brush::Contrast(Contrast { amount: 2.0, pivot_db: -50.0 }),
        Brush::Noise(Noise { level_db: -30.0, seed: 7 }),
        Brush::Clone(CloneSource { offset: [0.2, 250.0] }),
        Brush::Tone(Tone {
            level_db: -20.0,
            harmonics: 4,
            spacing: 1.0,
            inharmonicity: 0.001,
            slope_db: -3.0,
            pan: 0.0,
            fade_secs: 0.0,
        }),
        Brush::Smudge(Smudge),
        Brush::Heal(Heal::default()),
        Brush::Heal(Heal::INTERPOLATE),
        Brush::Heal(Heal::Pattern { context: [0.02, 200.0], reach_secs: 2.0 }),
        Brush::Denoise(Denoise::of(NoiseSource::Range { secs: [0.0, 0.2], hz: None })),
        Brush::HarmonicPercussive(HarmonicPercussive { harmonic_db: 6.0, percussive_db: -20.0, reach: [0.1, 300.0] }),
    ];
    brushes.map(|brush| Edit { stroke: Some(sloping()), ..edit(brush) }).to_vec()
}

fn grid_of(snapshot: &Snapshot, edit: &Edit) -> Grid {
    let mut stft = *edit.transform.as_stft().unwrap();
    if matches!(edit.brush, Brush::Warp(_) | Brush::Smudge(Smudge)) {
        stft.hop = stft.hop.min(stft.n_fft / 8);
    }
    Grid::new(stft, snapshot.sample_rate_hz(), snapshot.n_samples())
}

/// The samples that a stroke's frames can write: half a window around every frame with a cell under the brush. A push
/// acts within a radius of its line too.
fn reach(grid: &Grid, stroke: &Stroke) -> Vec<bool> {
    let half = grid.transform().as_stft().unwrap().n_fft as i64 / 2;
    let mut reached = vec![false; grid.n_samples as usize];
    for frame in 0..grid.n_frames() {
        let under = (0..grid.n_bins()).any(|bin| {
            let (secs, hz) = centre(grid, frame, bin);
            stroke_at(stroke, secs, hz) > 0.0
        });
        if under {
            let middle = (frame * grid.transform().as_stft().unwrap().hop) as i64;
            let samples = (middle - half).max(0)..(middle + half).min(grid.n_samples as i64);
            samples.for_each(|i| reached[i as usize] = true);
        }
    }
    reached
}

fn ranges_hold(ranges: &[Range<u64>], samples: &[usize]) -> bool {
    samples.iter().all(|&i| ranges.iter().any(|range| range.contains(&(i as u64))))
}

// ---------------------------------------------------------------------------------------------- the edit itself

/// `x + OLA(C' - C) / sum(w^2)` for a brush that multiplies cells.
fn by_the_definition(samples: &[f32], edit: &Edit, factor: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let params = edit.transform.as_stft().unwrap();
    let stft = Stft64 { window: params.window.samples(params.n_fft), hop: params.hop };
    let samples = f64s(samples);
    let grid = Grid::new(&edit.transform, f64::from(RATE), samples.len() as u64);
    let mut cells: Vec<Vec<Complex>> = stft.analyse(&samples);
    for (frame, row) in cells.iter_mut().enumerate() {
        for (bin, cell) in row.iter_mut().enumerate() {
            let (secs, hz) = centre(&grid, frame, bin);
            let change = factor(hz, stroke_at(edit.stroke.as_ref().unwrap(), secs, hz)) - 1.0;
            *cell = [cell[0] * change, cell[1] * change];
        }
    }
    let added = stft.synthesise(&cells, samples.len());
    samples.iter().zip(added).map(|(x, d)| x + d).collect()
}

type Factor = fn(f64, f64) -> f64;

#[test]
fn an_edit_adds_what_the_definition_adds() {
    let samples = busy(20_011, f64::from(RATE), 3);
    let before = sound(vec![samples.clone()]);
    let factors: [(Brush, Factor); 4] = [
        (Brush::Gain(Gain { gain_db: -18.0 }), |_, m| 10f64.powf(-18.0 * m / 20.0)),
        (Brush::Gain(Gain { gain_db: 24.0 }), |_, m| 10f64.powf(24.0 * m / 20.0)),
        (Brush::Erase(Erase), |_, m| 1.0 - m),
        (Brush::BandFilter(low_pass(1500.0)), |hz, m| 1.0 + (1.0 / (1.0 + (hz / 1500.0).powi(6)).sqrt() - 1.0) * m),
    ];
    let change = |y: &[f64]| y.iter().zip(&samples).map(|(y, &x)| y - f64::from(x)).collect::<Vec<f64>>();
    for (brush, factor) in factors {
        for (n_fft, overlap, window) in
            [(1024, 4, Window::Hann), (512, 8, Window::BlackmanHarris), (2048, 2, Window::Sine)]
        {
            let mut edit = Edit { stroke: Some(sloping()), ..edit(brush.clone()) };
            edit.transform = StftParams { n_fft, hop: n_fft / overlap, window }.into();
            let expected = change(&by_the_definition(&samples, &edit, factor));
            for engine in engines() {
                let ours = read(&run(&before, &edit, engine).snapshot, 0);
                let snr = snr_db(&change(&f64s(&ours)), &expected);
                // The change is rounded with the samples it is added to, some 20 dB above it.
                assert!(snr > 100.0, "{} {brush:?} {n_fft}: {snr} dB of the change", engine.name());
            }
            let other = by_the_definition(&samples, &edit, |hz, m| factor(hz, m * 0.999));
            assert!(snr_db(&change(&other), &expected) < 100.0, "a mask off by a thousandth is seen");
        }
    }
}

#[test]
fn engines_agree_on_samples() {
    let [cpu, gpu] = engines() else { return };
    let before = sound(vec![busy(30_011, f64::from(RATE), 4)]);
    let x = f64s(&read(&before, 0));
    for edit in every_brush() {
        let change = |engine: &Engine, edit: &Edit| -> Vec<f64> {
            let y = f64s(&read(&run(&before, edit, engine).snapshot, 0));
            y.iter().zip(&x).map(|(y, x)| y - x).collect()
        };
        let reference = change(cpu, &edit);
        let snr = snr_db(&change(gpu, &edit), &reference);
        assert!(snr >= 100.0, "{:?}: {snr} dB of the change", edit.brush);
        let mut nudged = edit.clone();
        nudged.stroke.as_mut().unwrap().strength *= 0.9999;
        nudged.stroke.as_mut().unwrap().points[0].hz += 0.05;
        assert!(snr_db(&change(gpu, &nudged), &reference) < 100.0, "{:?}", edit.brush);
    }
}

// --------------------------------------------------------------------------------------------------- guarantees

#[test]
fn samples_outside_the_touched_frames_keep_their_bits() {
    let before = sound(vec![busy(30_011, f64::from(RATE), 5), noise(30_011, 0.2, 6)]);
    for engine in engines() {
        for edit in every_brush() {
            let applied = run(&before, &edit, engine);
            let reached = reach(&grid_of(&before, &edit), edit.stroke.as_ref().unwrap());
            assert!(reached.iter().any(|r| *r) && !reached.iter().all(|r| *r), "the stroke leaves something alone");
            for channel in 0..2 {
                let differing = changed(&read(&before, channel), &read(&applied.snapshot, channel));
                assert!(differing.len() > 3000, "{:?}: {} samples changed", edit.brush, differing.len());
                let outside = differing.iter().find(|&&i| !reached[i]);
                assert_eq!(outside, None, "{} {:?}: sample changed", engine.name(), edit.brush);
                assert!(ranges_hold(&applied.changed, &differing));
                assert!(ranges_hold(&applied.snapshot.differing(&before, channel), &differing));
            }
            let written: u64 = applied.changed.iter().map(|range| range.end - range.start).sum();
            assert_eq!(applied.report.touched_samples, 2 * written, "{:?}", edit.brush);
            assert!(written <= reached.iter().filter(|r| **r).count() as u64);
        }
    }
}

#[test]
fn two_runs_of_frames_leave_what_is_between_them() {
    let before = sound(vec![noise(40_000, 0.2, 7)]);
    let box_at = |start: f64| Selection::rectangle(Some([start, start + 0.05]), None, [0.0; 2], Axis::Linear).shapes;
    let mut both = edit(Brush::Erase(Erase));
    both.select = Some(Selection { shapes: [box_at(0.3), box_at(1.3)].concat() });
    for engine in engines() {
        let applied = run(&before, &both, engine);
        // Frames 26..=30 and 112..=116 (256 samples at 22,050 Hz), and half a window of 1,024 on either side.
        let frames =
            |start: f64, end: f64| (start * 22_050.0 / 256.0).ceil() as u64..=(end * 22_050.0 / 256.0).floor() as u64;
        let runs: Vec<Range<u64>> = [frames(0.3, 0.35), frames(1.3, 1.35)]
            .map(|frames| frames.start() * 256 - 512..frames.end() * 256 + 512)
            .to_vec();
        assert_eq!(applied.changed, runs);
        let n_frames = frames(0.3, 0.35).count() + frames(1.3, 1.35).count();
        assert_eq!(applied.report.touched_frames, n_frames as u64);
        let differing = changed(&read(&before, 0), &read(&applied.snapshot, 0));
        assert!(ranges_hold(&runs, &differing) && differing.len() > 1500);
    }
}

#[test]
fn undo_and_redo_restore_bits_and_old_snapshots_never_change() {
    let original = sound(vec![busy(25_000, f64::from(RATE), 8), noise(25_000, 0.2, 9)]);
    let both = |snapshot: &Snapshot| [read(snapshot, 0), read(snapshot, 1)].concat();
    for engine in engines() {
        let mut history = History::new(original.clone());
        let mut kept = vec![(original.clone(), both(&original))];
        for edit in every_brush() {
            let applied = run(history.current(), &edit, engine);
            history.push(edit, applied.snapshot.clone());
            kept.push((applied.snapshot.clone(), both(&applied.snapshot)));
        }
        let n = kept.len();
        for (snapshot, samples) in &kept {
            assert!(changed(&both(snapshot), samples).is_empty(), "an old snapshot changed");
        }
        for pair in kept.windows(2) {
            assert!(!changed(&pair[0].1, &pair[1].1).is_empty(), "every edit did something");
        }
        for (_, samples) in kept.iter().rev() {
            assert!(changed(&both(history.current()), samples).is_empty(), "undo to {}", history.position());
            history.undo();
        }
        assert!(!history.undo() && history.position() == 0);
        assert!(history.current().is_same(history.original()));
        for (_, samples) in &kept {
            assert!(changed(&both(history.current()), samples).is_empty(), "redo to {}", history.position());
            history.redo();
        }
        assert!(!history.redo() && history.position() == n - 1);
        // A new step after undo drops what was undone.
        history.go_to(2);
        let applied = run(history.current(), &edit(Brush::Erase(Erase)), engine);
        history.push(edit(Brush::Erase(Erase)), applied.snapshot);
        assert_eq!((history.entries().len(), history.redo()), (4, false));
        history.undo();
        assert!(changed(&both(history.current()), &kept[2].1).is_empty());
    }
}

#[test]
fn the_same_edit_gives_the_same_bits_on_any_number_of_threads() {
    let before = sound(vec![busy(30_011, f64::from(RATE), 10)]);
    for edit in every_brush() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| read(&run(&before, &edit, &Engine::cpu()).snapshot, 0))
        };
        let one = on(1);
        assert!(changed(&one, &on(3)).is_empty(), "{:?}", edit.brush);
        assert!(!changed(&one, &read(&before, 0)).is_empty());
    }
    for engine in engines() {
        let edit = &every_brush()[0];
        let once = || read(&run(&before, edit, engine).snapshot, 0);
        assert!(changed(&once(), &once()).is_empty(), "{}", engine.name());
    }
}

#[test]
fn edits_that_change_nothing_change_nothing() {
    let before = sound(vec![busy(20_000, f64::from(RATE), 11)]);
    let nothing = [
        Edit { strength: 0.0, ..edit(Brush::Erase(Erase)) },
        Edit { stroke: Some(Stroke { strength: 0.0, ..sloping() }), ..edit(Brush::Erase(Erase)) },
        Edit { stroke: Some(stroke(&[(0.4, 900.0, 0.0)], [0.1, 300.0])), ..edit(Brush::Gain(Gain { gain_db: 6.0 })) },
        Edit { stroke: Some(stroke(&[(99.0, 900.0, 1.0)], [0.1, 300.0])), ..edit(Brush::Erase(Erase)) },
        Edit { stroke: Some(stroke(&[(0.4, 40_000.0, 1.0)], [0.1, 300.0])), ..edit(Brush::Erase(Erase)) },
        // Between the centres of two cells, with a radius that reaches neither.
        Edit { stroke: Some(stroke(&[(0.404, 905.0, 1.0)], [0.001, 0.5])), ..edit(Brush::Erase(Erase)) },
        Edit { select: rectangle(Some([5.0, 6.0]), None), ..edit(Brush::Erase(Erase)) },
        Edit {
            select: rectangle(None, Some([20_000.0, 21_000.0])),
            ..edit(Brush::Blur(Blur { sigma: [0.1, 10.0], sigma_axis: Axis::Linear, rebuild_phase: false }))
        },
        Edit {
            stroke: Some(sloping()),
            select: rectangle(Some([0.8, 0.9]), Some([100.0, 200.0])),
            ..edit(Brush::Erase(Erase))
        },
        Edit {
            select: rectangle(None, Some([20_000.0, 21_000.0])),
            ..edit(Brush::ModulationFilter(ModulationFilter {
                along: Along::Time,
                filters: vec![low_pass(4.0)],
                rebuild_phase: false,
            }))
        },
        Edit {
            select: rectangle(Some([5.0, 6.0]), None),
            ..edit(Brush::Warp(Warp { mode: WarpMode::Grab { shift: [0.0, 100.0] }, peak_locking: true }))
        },
    ];
    for engine in engines() {
        for edit in &nothing {
            let applied = run(&before, edit, engine);
            assert!(applied.snapshot.is_same(&before), "{edit:?}");
            assert!(applied.changed.is_empty() && applied.report.touched_samples == 0);
            let reason = applied.report.notices.iter().any(|notice| notice.contains("no cell"));
            assert!(reason, "an edit that reaches no cell is told: {edit:?}");
        }
        // A gain of 0 dB reaches cells, so there is no notice, but it changes none of them.
        let applied = run(&before, &edit(Brush::Gain(Gain { gain_db: 0.0 })), engine);
        assert_eq!((applied.report.touched_frames, applied.report.notices.len()), (0, 0));
        assert!(applied.snapshot.is_same(&before));
    }
}

#[test]
fn channels_are_edited_each_by_itself() {
    let [left, right] = [busy(20_000, f64::from(RATE), 12), noise(20_000, 0.2, 13)];
    let stereo = sound(vec![left.clone(), right.clone()]);
    let to =
        |channels: Channels| Edit { stroke: Some(sloping()), channels, ..edit(Brush::Gain(Gain { gain_db: -9.0 })) };
    for engine in engines() {
        let alone =
            |samples: &[f32]| read(&run(&sound(vec![samples.to_vec()]), &to(Channels::All), engine).snapshot, 0);
        let all = run(&stereo, &to(Channels::All), engine).snapshot;
        assert!(changed(&read(&all, 0), &alone(&left)).is_empty());
        assert!(changed(&read(&all, 1), &alone(&right)).is_empty());
        let second = run(&stereo, &to(Channels::List(vec![1])), engine).snapshot;
        assert!(changed(&read(&second, 0), &left).is_empty());
        assert!(changed(&read(&second, 1), &alone(&right)).is_empty());

        // Mid: its change is added to both channels. Side: its change is added to left, and subtracted from right.
        for (channels, sign) in [(Channels::Mid, 1.0f32), (Channels::Side, -1.0)] {
            let signal: Vec<f32> = left.iter().zip(&right).map(|(l, r)| (l + sign * r) / 2.0).collect();
            let gained: Vec<f32> = alone(&signal).iter().zip(&signal).map(|(y, x)| y - x).collect();
            let after = run(&stereo, &to(channels), engine).snapshot;
            for (channel, (before, sign)) in [(&left, 1.0), (&right, sign)].into_iter().enumerate() {
                let ours: Vec<f32> = read(&after, channel).iter().zip(before).map(|(y, x)| y - x).collect();
                let expected: Vec<f32> = gained.iter().map(|d| sign * d).collect();
                assert!(snr_db_f32(&ours, &expected) > 90.0, "channel {channel}");
                assert!(snr_db_f32(&ours, &gained.iter().map(|d| -sign * d).collect::<Vec<_>>()) < 0.0);
            }
        }
    }
}

#[test]
fn edits_that_do_not_fit_the_sound_are_refused() {
    let mono = sound(vec![noise(20_000, 0.2, 14)]);
    let refuse = |sound: &Snapshot, edit: Edit, word: &str| {
        for engine in engines() {
            let error = apply(sound, &edit, engine, &Progress::new()).expect_err(word);
            assert_eq!(error.kind(), ErrorKind::Script);
            assert!(error.message().contains(word) && !error.message().contains('\n'), "{}", error.message());
        }
    };
    refuse(&mono, Edit { channels: Channels::Mid, ..edit(Brush::Erase(Erase)) }, "2 channels");
    refuse(&mono, Edit { channels: Channels::Side, ..edit(Brush::Erase(Erase)) }, "2 channels");
    refuse(&mono, Edit { channels: Channels::List(vec![0, 1]), ..edit(Brush::Erase(Erase)) }, "channel 1");
    // 513 cells of 21.5 Hz; 512 are allowed.
    let blur = |cells: f64| {
        Brush::Blur(Blur {
            sigma: [0.0, (cells - 0.4) / 3.0 * 22_050.0 / 1024.0],
            sigma_axis: Axis::Linear,
            rebuild_phase: false,
        })
    };
    refuse(&mono, edit(blur(513.0)), "513 cells");
    run(&mono, &Edit { select: rectangle(Some([0.1, 0.2]), None), ..edit(blur(512.0)) }, &Engine::cpu());
    let bad = StftParams { n_fft: 1000, hop: 250, window: Window::Hann };
    refuse(&mono, Edit { transform: bad.into(), ..edit(Brush::Erase(Erase)) }, "n_fft 1000");
    refuse(&mono, edit(Brush::Warp(Warp { mode: WarpMode::Push, peak_locking: true })), "stroke");
    // 18,751 frames are padded to 65,536, 2,049 bins to 8,192: over 2^26 cells.
    let long = sound(vec![vec![0.1; 4_800_000]]);
    let transform = StftParams { n_fft: 4096, hop: 256, window: Window::Hann };
    let both = Brush::ModulationFilter(ModulationFilter {
        along: Along::Both,
        filters: vec![low_pass(4.0), low_pass(1.0)],
        rebuild_phase: false,
    });
    refuse(&long, Edit { transform: transform.into(), ..edit(both) }, "too large");
}

#[test]
fn a_push_over_a_lifetime_is_refused_not_computed() {
    let mono = sound(vec![noise(20_000, 0.2, 14)]);
    for far in [1e7, 1e300] {
        let points = &[(0.1, 500.0, 1.0), (far, 900.0, 1.0), (0.2, 500.0, 1.0)];
        let push = Edit {
            stroke: Some(stroke(points, [1e-3, 10.0])),
            ..edit(Brush::Warp(Warp { mode: WarpMode::Push, peak_locking: true }))
        };
        let error = apply(&mono, &push, &Engine::cpu(), &Progress::new()).expect_err("too long");
        assert_eq!(error.kind(), ErrorKind::Script);
    }
}

#[test]
fn a_cancelled_edit_says_so() {
    let mono = sound(vec![noise(20_000, 0.2, 15)]);
    for engine in engines() {
        let progress = Progress::new();
        progress.cancel();
        let error = apply(&mono, &edit(Brush::Erase(Erase)), engine, &progress).expect_err("cancelled");
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        let progress = Progress::new();
        apply(&mono, &edit(Brush::Erase(Erase)), engine, &progress).unwrap();
        assert_eq!(progress.fraction(), 1.0);
    }
}

// --------------------------------------------------------------------------------------------- pieces, edges, levels

#[test]
fn a_long_edit_has_no_seams() {
    // 35,000 frames of 129 bins are two pieces on the CPU, more on a GPU.
    let transform = StftParams { n_fft: 256, hop: 64, window: Window::Hann };
    let samples = noise(2_240_000, 0.2, 16);
    let long = sound(vec![samples.clone()]);
    let gain = Edit { transform: transform.into(), strength: 0.5, ..edit(Brush::Gain(Gain { gain_db: -24.0 })) };
    let applied = run(&long, &gain, &Engine::cpu());
    assert_eq!(applied.changed, vec![Range { start: 0, end: 2_240_000 }]);
    let expected: Vec<f32> = samples.iter().map(|x| (f64::from(*x) * 10f64.powf(-0.6)) as f32).collect();
    let ours = read(&applied.snapshot, 0);
    let worst = |ours: &[f32]| {
        let snr = |(ours, expected): (&[f32], &[f32])| snr_db_f32(ours, expected);
        ours.chunks(64).zip(expected.chunks(64)).map(snr).fold(f64::MAX, f64::min)
    };
    assert!(worst(&ours) > 110.0, "{} dB in the worst hop", worst(&ours));
    let mut seam = ours.clone();
    seam[1_000_000] += 1e-4;
    assert!(worst(&seam) < 110.0);

    // A blur reads across the seams: the blurred second part of the file is the same as in the whole file, except near
    // the start of that part.
    let blur = Edit {
        transform: transform.into(),
        ..edit(Brush::Blur(Blur { sigma: [0.02, 100.0], sigma_axis: Axis::Linear, rebuild_phase: false }))
    };
    let whole = read(&run(&long, &blur, &Engine::cpu()).snapshot, 0);
    let first = 64 * 5001;
    let part = read(&run(&sound(vec![samples[first..].to_vec()]), &blur, &Engine::cpu()).snapshot, 0);
    let inside = 256 + 64 * 30..part.len();
    let snr = snr_db_f32(&part[inside.clone()], &whole[first..][inside]);
    assert!(snr > 120.0, "{snr} dB");
}

#[test]
fn the_first_and_last_samples_can_be_erased() {
    for n_samples in [1, 5, 255, 1024, 5000] {
        let before = sound(vec![noise(n_samples, 0.2, 17)]);
        for engine in engines() {
            let after = read(&run(&before, &edit(Brush::Erase(Erase)), engine).snapshot, 0);
            let largest = after.iter().fold(0.0f32, |max, x| max.max(x.abs()));
            assert!(largest < 1e-6, "{n_samples} samples: {largest} is left");
            let half = read(&run(&before, &edit(Brush::Gain(Gain { gain_db: 6.0 })), engine).snapshot, 0);
            let expected: Vec<f32> = read(&before, 0).iter().map(|x| x * 10f32.powf(0.3)).collect();
            assert!(snr_db_f32(&half, &expected) > 110.0);
        }
    }
}

#[test]
fn an_erased_band_of_noise_is_90_db_down_and_the_rest_untouched() {
    let (rate, n_fft) = (44_100.0, 2048);
    let samples = noise(3 * 44_100, 0.25, 18);
    let before = Snapshot::new(Source::from_channels(vec![samples.clone()], 44_100).unwrap());
    let transform = StftParams::default();
    let erase = Edit {
        transform: transform.into(),
        select: rectangle(Some([1.0, 2.0]), Some([3000.0, 5000.0])),
        ..edit(Brush::Erase(Erase))
    };
    for engine in engines() {
        let applied = run(&before, &erase, engine);
        let after = read(&applied.snapshot, 0);
        // `n_fft` samples inside the edges in time, 200 Hz inside those in frequency.
        let first = 44_100 + n_fft;
        let inside = first..first + 32_768;
        assert!(inside.end + n_fft <= 2 * 44_100);
        let level = |samples: &[f32], low, high| 10.0 * band_power(&samples[inside.clone()], rate, low, high).log10();
        let drop = level(&samples, 3200.0, 4800.0) - level(&after, 3200.0, 4800.0);
        assert!(drop >= 90.0, "{}: {drop} dB", engine.name());
        for (low, high) in [(200.0, 2800.0), (5200.0, 21_000.0)] {
            let drop = level(&samples, low, high) - level(&after, low, high);
            assert!(drop.abs() < 0.01, "{low} to {high} Hz lost {drop} dB");
        }
        // Control: a band erased by only 99.99 % is 80 dB down, which the measurement tells apart.
        let nearly = read(&run(&before, &Edit { strength: 0.9999, ..erase.clone() }, engine).snapshot, 0);
        let drop = level(&samples, 3200.0, 4800.0) - level(&nearly, 3200.0, 4800.0);
        assert!((70.0..90.0).contains(&drop), "{drop} dB");

        let frames = (44_100usize.div_ceil(512), 2 * 44_100 / 512);
        let reached = frames.0 * 512 - n_fft / 2..frames.1 * 512 + n_fft / 2;
        let differing = changed(&samples, &after);
        assert!(differing.iter().all(|i| reached.contains(i)) && differing.len() > 40_000);
        assert_eq!(applied.report.touched_frames as usize, frames.1 - frames.0 + 1);
    }
}

#[test]
fn every_brush_keeps_to_the_selection() {
    let before = sound(vec![busy(66_150, RATE.into(), 11)]);
    let was = read(&before, 0);
    let window_secs = 1024.0 / f64::from(RATE);
    let (from, to) = (0.45 - window_secs, 0.55 + window_secs);
    let is_outside = |&&i: &&usize| !(from..=to).contains(&(i as f64 / f64::from(RATE)));
    let clip = dsp::Clip { sample_rate_hz: RATE.into(), first_sample: 0, channels: vec![was.clone()].into() };
    let paste =
        dsp::strokes::brush::Paste { clip, offset: [0.0, 400.0], axis: Axis::Linear, replaces: false, stretch: None };
    for free in every_brush().into_iter().chain([edit(Brush::Paste(paste))]) {
        let kept = Edit { select: rectangle(Some([0.45, 0.55]), None), ..free.clone() };
        let of = |edit: &Edit| changed(&was, &read(&run(&before, edit, &Engine::cpu()).snapshot, 0));
        let (inside, all) = (of(&kept), of(&free));
        assert!(!inside.is_empty(), "{:?}", free.brush.kind());
        assert_eq!(inside.iter().filter(is_outside).count(), 0, "{:?}", free.brush.kind());
        assert!(all.iter().filter(is_outside).count() > 1000, "{:?} reaches farther alone", free.brush.kind());
    }
}
