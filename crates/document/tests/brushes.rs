//! A property of each brush beyond the first six, of building up, and of consistency: on every engine of this machine,
//! against f64 references computed here.

use base::Progress;
use document::brushes::{Blur, Brush, CloneSource, Contrast, Erase, Gain, ModulationFilter, Noise, Sharpen, Smudge};
use document::{Applied, Edit, Snapshot, apply, apply_live};
use dsp::strokes::brush::{Along, Butterworth, Pass, Tone};
use dsp::warps::displacement::dabs;
use dsp::{Axis, Grid, Point, Selection, StftParams, Stroke, Window};
use engine::Engine;
use media::Source;
use std::f64::consts::TAU;
use support::engines::engines;
use support::fourier::{Complex, Stft64};
use support::measure::{changed, f64s, snr_db, strongest_tone};
use support::naive::{centre, profile};
use support::signals::{busy, noise, tone};

const RATE: u32 = 22_050;
const N: usize = 1024;
const HOP: usize = 256;

fn sound(samples: &[f32]) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![samples.to_vec()], RATE).unwrap())
}

fn read(snapshot: &Snapshot) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(0, 0, &mut samples).unwrap();
    samples
}

fn edit(brush: Brush) -> Edit {
    let transform = StftParams { n_fft: N, hop: HOP, window: Window::Hann };
    Edit::of(brush, transform)
}

fn stroke(points: &[(f64, f64)], radius: [f64; 2]) -> Stroke {
    let points = points.iter().map(|&(secs, hz)| Point { secs, hz, pressure: 1.0 }).collect();
    Stroke { points, axis: Axis::Linear, radius, hardness: 0.5, strength: 1.0, build_up: false }
}

fn run(before: &Snapshot, edit: &Edit, engine: &Engine) -> Applied {
    apply(before, edit, engine, &Progress::new()).unwrap_or_else(|e| panic!("{edit:?}: {e}"))
}

fn grid(n_samples: usize) -> Grid {
    let stft = StftParams { n_fft: N, hop: HOP, window: Window::Hann };
    Grid::new(stft, f64::from(RATE), n_samples as u64)
}

fn stft64() -> Stft64 {
    Stft64 { window: Window::Hann.samples(N), hop: HOP }
}

fn secs(frame: f64) -> f64 {
    frame * HOP as f64 / f64::from(RATE)
}

fn hz(bin: f64) -> f64 {
    bin * f64::from(RATE) / N as f64
}

/// A selection of exactly these frames and bins.
fn cells(frames: [usize; 2], bins: [usize; 2]) -> Option<Selection> {
    let frames = [secs(frames[0] as f64 - 0.01), secs(frames[1] as f64 + 0.01)];
    let bins = [hz(bins[0] as f64 - 0.01), hz(bins[1] as f64 + 0.01)];
    Some(Selection::rectangle(Some(frames), Some(bins), [0.0; 2], Axis::Linear))
}

fn square(z: Complex) -> f64 {
    z[0] * z[0] + z[1] * z[1]
}

// ---------------------------------------------------------------------------------------------------- consistency

/// The consistency by section 6 of the design, for an erased box, from samples alone.
fn consistency64(x: &[f32], y: &[f32], frames: [usize; 2], bins: [usize; 2]) -> f64 {
    let (before, now) = (stft64().analyse(&f64s(x)), stft64().analyse(&f64s(y)));
    let (mut off, mut painted) = (0.0, 0.0);
    for frame in frames[0]..=frames[1] {
        for bin in bins[0]..=bins[1] {
            // The target is 0.
            off += square(now[frame][bin]);
            painted += square(before[frame][bin]);
        }
    }
    10.0 * (off / painted).log10()
}

#[test]
fn the_number_of_an_edit_is_the_one_of_the_definition() {
    let x = busy(30_000, f64::from(RATE), 31);
    let before = sound(&x);
    for (frames, bins, steps) in [([40, 60], [50, 80], 0), ([40, 42], [50, 52], 3)] {
        let erase = Edit { select: cells(frames, bins), consistency_steps: Some(steps), ..edit(Brush::Erase(Erase)) };
        for engine in engines() {
            let applied = run(&before, &erase, engine);
            let ours = applied.report.consistency_db.unwrap();
            let expected = consistency64(&x, &read(&applied.snapshot), frames, bins);
            assert!((ours - expected).abs() < 1e-3, "{}: {ours} dB, not {expected}", engine.name());
            // Control: a box with one bin less has another value.
            let other = consistency64(&x, &read(&applied.snapshot), frames, [bins[0], bins[1] - 1]);
            assert!((ours - other).abs() > 1e-3, "{ours} and {other}");
            // The sound while the stroke is drawn takes no consistency steps, and its consistency is not measured.
            let live = apply_live(&before, &erase, engine, &Progress::new()).unwrap();
            assert_eq!(live.report.consistency_db, None);
            assert_eq!(read(&live.snapshot) == read(&applied.snapshot), steps == 0);
        }
    }
    // Without a change there is no value. A gain of the whole file is consistent up to rounding.
    assert_eq!(run(&before, &edit(Brush::Gain(Gain { gain_db: 0.0 })), &Engine::cpu()).report.consistency_db, None);
    let louder = run(&before, &edit(Brush::Gain(Gain { gain_db: 6.0 })), &Engine::cpu()).report.consistency_db.unwrap();
    assert!(louder < -100.0, "{louder}");
}

#[test]
fn small_holes_stay_empty_with_steps() {
    let x = noise(40_000, 0.2, 32);
    let before = sound(&x);
    let holes = [([60, 62], [100, 102]), ([40, 90], [100, 100]), ([60, 60], [3, N / 2 - 3])];
    for (frames, bins) in holes {
        let erase = |steps| Edit { select: cells(frames, bins), consistency_steps: steps, ..edit(Brush::Erase(Erase)) };
        for engine in engines() {
            let with = |steps| run(&before, &erase(steps), engine);
            let [none, sixteen] = [with(Some(0)), with(Some(16))];
            let db = |applied: &Applied| applied.report.consistency_db.unwrap();
            assert!(db(&sixteen) <= -15.0, "{} {frames:?} {bins:?}: {} dB", engine.name(), db(&sixteen));
            assert!(db(&none) > -15.0, "without steps it is filled again: {} dB", db(&none));
            let heard = consistency64(&x, &read(&sixteen.snapshot), frames, bins);
            assert!(heard <= -15.0, "{heard} dB in the samples themselves");
            // Nothing outside the touched frames is changed.
            let [first, end] = [frames[0] * HOP - N / 2, frames[1] * HOP + N / 2];
            for applied in [&none, &sixteen] {
                let differing = changed(&x, &read(&applied.snapshot));
                assert!(differing.iter().all(|i| (first..end).contains(i)), "{frames:?} {bins:?}");
                assert!(differing.len() > (end - first) / 2);
                assert_eq!(applied.report.touched_samples, (end - first) as u64);
            }
            // By default, such a hole gets eight consistency steps.
            assert_eq!(read(&with(None).snapshot), read(&with(Some(8)).snapshot));
            assert_ne!(read(&with(None).snapshot), read(&none.snapshot));
        }
    }
    // A hole of four bins and a window's length gets none, nor does an edit that makes the sound louder.
    let [wide, louder] = [Brush::Erase(Erase), Brush::Gain(Gain { gain_db: 6.0 })].map(edit);
    for other in
        [Edit { select: cells([60, 63], [100, 103]), ..wide }, Edit { select: cells([60, 60], [9, 9]), ..louder }]
    {
        let none = Edit { consistency_steps: Some(0), ..other.clone() };
        assert_eq!(
            read(&run(&before, &other, &Engine::cpu()).snapshot),
            read(&run(&before, &none, &Engine::cpu()).snapshot)
        );
    }
}

// ----------------------------------------------------------------------------------------------------- building up

/// `M` of each dab at a cell, dabs as the definition places them: every eighth of a radius, the last at the end.
fn dab_masks(stroke: &Stroke, at_secs: f64, at_hz: f64) -> Vec<f64> {
    let place = |secs: f64, hz: f64| [secs / stroke.radius[0], hz / stroke.radius[1]];
    let (a, b) = (&stroke.points[0], stroke.points.last().unwrap());
    let ([x0, y0], [x1, y1]) = (place(a.secs, a.hz), place(b.secs, b.hz));
    let length = (x1 - x0).hypot(y1 - y0);
    let steps = (length * 8.0).floor() as usize;
    let mut parts: Vec<f64> = (0..=steps).map(|k| k as f64 / 8.0 / length).collect();
    parts.push(1.0);
    let [x, y] = place(at_secs, at_hz);
    let m =
        |u: &f64| stroke.strength * profile((x - x0 - u * (x1 - x0)).hypot(y - y0 - u * (y1 - y0)), stroke.hardness);
    parts.iter().map(m).collect()
}

#[test]
fn a_brush_that_builds_up_acts_once_per_dab() {
    let x = busy(20_011, f64::from(RATE), 33);
    let before = sound(&x);
    let mut line = stroke(&[(0.3, 1500.0), (0.55, 2900.0)], [0.05, 500.0]);
    (line.strength, line.build_up) = (0.1, true);
    let grid = grid(x.len());
    let expected = |factor: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let mut cells = stft64().analyse(&f64s(&x));
        for (frame, row) in cells.iter_mut().enumerate() {
            for (bin, cell) in row.iter_mut().enumerate() {
                let (secs, hz) = centre(&grid, frame, bin);
                let all: f64 = dab_masks(&line, secs, hz).into_iter().map(factor).product();
                *cell = cell.map(|part| part * (all - 1.0));
            }
        }
        stft64().synthesise(&cells, x.len())
    };
    type Factor = fn(f64) -> f64;
    let brushes: [(Brush, Factor); 2] =
        [(Brush::Gain(Gain { gain_db: -12.0 }), |m| 10f64.powf(-12.0 * m / 20.0)), (Brush::Erase(Erase), |m| 1.0 - m)];
    for (brush, factor) in brushes {
        let change = expected(&factor);
        for engine in engines() {
            let heard = |stroke: &Stroke| -> Vec<f64> {
                let applied = run(&before, &Edit { stroke: Some(stroke.clone()), ..edit(brush.clone()) }, engine);
                read(&applied.snapshot).iter().zip(&x).map(|(y, x)| f64::from(*y) - f64::from(*x)).collect()
            };
            let snr = snr_db(&heard(&line), &change);
            assert!(snr > 90.0, "{} {brush:?}: {snr} dB of the change", engine.name());
            let once = heard(&Stroke { build_up: false, ..line.clone() });
            assert!(snr_db(&once, &change) < 10.0, "a brush that does not build up does less");
        }
    }
    assert!(dabs(&line).len() > 20);
}

#[test]
fn every_brush_that_paints_by_mask_builds_up() {
    let x = busy(20_011, f64::from(RATE), 34);
    let before = sound(&x);
    let low = |cutoff| Butterworth { pass: Pass::Low, cutoff: vec![cutoff], order: 2 };
    let brushes = [
        Brush::Gain(Gain { gain_db: 3.0 }),
        Brush::Erase(Erase),
        Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }),
        Brush::Sharpen(Sharpen { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, amount: 0.5 }),
        Brush::Contrast(Contrast { amount: 1.2, pivot_db: -40.0 }),
        Brush::BandFilter(low(1500.0)),
        Brush::ModulationFilter(ModulationFilter {
            along: Along::Both,
            filters: vec![low(6.0), low(3.0)],
            rebuild_phase: false,
        }),
        Brush::Noise(Noise { level_db: -40.0, seed: 5 }),
        Brush::Clone(CloneSource { offset: [0.1, 300.0] }),
    ];
    for brush in brushes {
        let mut line = stroke(&[(0.3, 1500.0), (0.4, 1900.0)], [0.05, 500.0]);
        line.strength = 0.2;
        let change = |build_up, engine: &Engine| -> Vec<f64> {
            let stroke = Some(Stroke { build_up, ..line.clone() });
            let y = read(&run(&before, &Edit { stroke, ..edit(brush.clone()) }, engine).snapshot);
            y.iter().zip(&x).map(|(y, x)| f64::from(*y) - f64::from(*x)).collect()
        };
        let power = |change: &[f64]| change.iter().map(|d| d * d).sum::<f64>();
        let [once, often] = [false, true].map(|build_up| change(build_up, &Engine::cpu()));
        assert!(power(&often) > 1.5 * power(&once), "{brush:?}: {} and {}", power(&often), power(&once));
        for engine in engines() {
            let snr = snr_db(&change(true, engine), &often);
            assert!(snr >= 95.0, "{} {brush:?}: {snr} dB of the change", engine.name());
        }
    }
}

// ---------------------------------------------------------------------------------------------------- new brushes

/// Mean power of cells well inside a box, in dB on the scale of the spectrogram.
fn level_db(y: &[f32], frames: [usize; 2], bins: [usize; 2]) -> f64 {
    let cells = stft64().analyse(&f64s(y));
    let inside = (frames[0]..=frames[1]).flat_map(|frame| cells[frame][bins[0]..=bins[1]].iter());
    let n = inside.clone().count() as f64;
    let half_sum: f64 = Window::Hann.samples(N).iter().sum::<f64>() / 2.0;
    10.0 * (inside.map(|&z| square(z)).sum::<f64>() / n / (half_sum * half_sum)).log10()
}

#[test]
fn noise_has_the_level_asked_for_and_stays_in_its_shape() {
    let before = sound(&vec![0.0; 60_000]);
    let select = Some(Selection::rectangle(Some([0.5, 2.2]), Some([2000.0, 6000.0]), [0.02, 200.0], Axis::Linear));
    for level in [-60.0, -20.0] {
        let paint = |seed| Edit { select: select.clone(), ..edit(Brush::Noise(Noise { level_db: level, seed })) };
        let mut heard = Vec::new();
        for engine in engines() {
            let y = read(&run(&before, &paint(1), engine).snapshot);
            let inside = level_db(&y, [50, 180], [110, 260]);
            assert!((inside - level).abs() < 0.5, "{}: {inside} dB, not {level}", engine.name());
            // Control: 0.9 dB more is out of tolerance.
            let louder: Vec<f32> = y.iter().map(|y| y * 10f32.powf(0.9 / 20.0)).collect();
            assert!((level_db(&louder, [50, 180], [110, 260]) - level).abs() > 0.5);
            assert!(level_db(&y, [50, 180], [320, 500]) < level - 60.0, "nothing above the box");
            heard.push(f64s(&y));
        }
        // All engines make the same noise; another seed makes another.
        heard.iter().for_each(|y| assert!(snr_db(y, &heard[0]) > 100.0));
        let other = f64s(&read(&run(&before, &paint(2), &Engine::cpu()).snapshot));
        assert!(snr_db(&other, &heard[0]) < 0.0);
    }
}

#[test]
fn a_clone_by_whole_cells_is_the_shifted_sound() {
    // Twelve frames later, eight bins higher.
    let (n, shift_secs, shift_hz) = (50_000, secs(12.0), hz(8.0));
    let partials = [(440.3, 0.3), (1333.0, 0.2), (2817.7, 0.1), (5000.0, 0.05)];
    let sine = |t: f64, moved: f64| -> f64 {
        let cycles = |f: f64| f * (t - moved * shift_secs) + moved * shift_hz * t;
        partials.iter().map(|&(f, a)| a * (TAU * cycles(f).fract()).sin()).sum()
    };
    let at = |moved: f64| (0..n).map(|i| sine(i as f64 / f64::from(RATE), moved)).collect::<Vec<f64>>();
    let x: Vec<f32> = at(0.0).iter().map(|&s| s as f32).collect();
    let truth = at(1.0);
    let before = sound(&x);
    let clone = |offset| edit(Brush::Clone(CloneSource { offset }));
    let inside = 2 * N + 12 * HOP..n - 2 * N;
    for engine in engines() {
        let y = f64s(&read(&run(&before, &clone([-shift_secs, -shift_hz]), engine).snapshot));
        let snr = snr_db(&y[inside.clone()], &truth[inside.clone()]);
        assert!(snr >= 35.0, "{}: {snr} dB", engine.name());
        let y = f64s(&read(&run(&before, &clone([-shift_secs, -shift_hz * 1.05]), engine).snapshot));
        assert!(snr_db(&y[inside.clone()], &truth[inside.clone()]) < 35.0, "a twentieth too far is noticed");
        // A clone shifted in time alone copies the samples themselves, even by a fraction of a frame.
        let y = read(&run(&before, &clone([-1000.0 / f64::from(RATE), 0.0]), engine).snapshot);
        let snr = snr_db(&f64s(&y[inside.clone()]), &f64s(&x[inside.start - 1000..inside.end - 1000]));
        assert!(snr > 110.0, "{}: {snr} dB", engine.name());
    }
    // With a stroke, everything outside it stays unchanged.
    let stroke = Some(stroke(&[(1.0, 1500.0)], [0.1, 400.0]));
    let y = read(&run(&before, &Edit { stroke, ..clone([0.2, 0.0]) }, &Engine::cpu()).snapshot);
    assert!(changed(&x, &y).iter().all(|&i| (i as f64 / f64::from(RATE) - 1.0).abs() < 0.1 + 0.5 * secs(4.0) + 1e-3));
    assert!(!changed(&x, &y).is_empty());
}

/// Residual of samples after subtracting the best fitting sine, relative to it in decibels, and the sine's amplitude.
fn residual_db(samples: &[f32], at_hz: f64) -> (f64, f64) {
    let turn = |i: usize| (TAU * (at_hz * i as f64 / f64::from(RATE)).fract()).sin_cos();
    let [mut ss, mut sc, mut cc, mut ys, mut yc] = [0.0; 5];
    for (i, &y) in samples.iter().enumerate() {
        let (s, c) = turn(i);
        let y = f64::from(y);
        (ss, sc, cc, ys, yc) = (ss + s * s, sc + s * c, cc + c * c, ys + y * s, yc + y * c);
    }
    let det = ss * cc - sc * sc;
    let (a, b) = ((ys * cc - yc * sc) / det, (yc * ss - ys * sc) / det);
    let (mut off, mut all) = (0.0, 0.0);
    for (i, &y) in samples.iter().enumerate() {
        let (s, c) = turn(i);
        let fit = a * s + b * c;
        (off, all) = (off + (f64::from(y) - fit).powi(2), all + fit * fit);
    }
    (10.0 * (all / off).log10(), a.hypot(b))
}

fn plain_tone(level_db: f64) -> Tone {
    Tone { level_db, harmonics: 1, spacing: 1.0, inharmonicity: 0.0, slope_db: -6.0, pan: 0.0, fade_secs: 0.0 }
}

#[test]
fn a_tone_is_a_sine_of_its_frequency_and_level() {
    let before = sound(&vec![0.0; 60_000]);
    for (window, n_fft, hop, at_hz) in [
        (Window::Hann, 1024, 256, 1000.37),
        (Window::Hann, 2048, 512, 97.3),
        (Window::Hann, 1024, 128, 10_950.0),
        (Window::BlackmanHarris, 1024, 128, 1000.37),
        (Window::Kaiser, 1024, 128, 3210.9),
        (Window::Hamming, 1024, 256, 2345.6),
    ] {
        let draw = Edit {
            stroke: Some(stroke(&[(0.3, at_hz), (2.4, at_hz)], [0.05, 50.0])),
            transform: StftParams { n_fft, hop, window }.into(),
            ..edit(Brush::Tone(plain_tone(-12.0)))
        };
        for engine in engines() {
            let y = read(&run(&before, &draw, engine).snapshot);
            let middle = &y[12_000..44_000];
            let (snr, amplitude) = residual_db(middle, at_hz);
            let what = format!("{} {window:?} {n_fft} {at_hz} Hz", engine.name());
            assert!(snr >= 59.0, "{what}: {snr} dB");
            let off_db = 20.0 * amplitude.log10() + 12.0;
            assert!(off_db.abs() <= 0.1, "{what}: {off_db} dB off");
            // Within a cent: for a sine a cent higher, the residual is larger than allowed.
            assert!(residual_db(middle, at_hz * (1.0f64 / 1200.0).exp2()).0 < 59.0, "{what}");
            let found = strongest_tone(middle, f64::from(RATE), at_hz * 0.97, at_hz * 1.03);
            assert!(1200.0 * (found.hz / at_hz).log2().abs() <= 1.0, "{what}: {} Hz", found.hz);
            assert!(y[..3000].iter().all(|&s| s == 0.0), "silence before it");
        }
    }
}

#[test]
fn a_tone_has_its_harmonics_and_glides_along_its_stroke() {
    let before = sound(&vec![0.0; 60_000]);
    let harmonic = Tone { harmonics: 3, slope_db: -6.0, ..plain_tone(-12.0) };
    let odd = Tone { spacing: 2.0, ..harmonic };
    let stiff = Tone { inharmonicity: 0.01, ..harmonic };
    let steady = stroke(&[(0.3, 700.0), (2.4, 700.0)], [0.05, 50.0]);
    let ratio = |h: f64, b: f64| h * ((1.0 + b * h * h) / (1.0 + b)).sqrt();
    for (tone, ratios) in
        [(harmonic, [1.0, 2.0, 3.0]), (odd, [1.0, 3.0, 5.0]), (stiff, [1.0, ratio(2.0, 0.01), ratio(3.0, 0.01)])]
    {
        for engine in engines() {
            let paint = Edit { stroke: Some(steady.clone()), ..edit(Brush::Tone(tone)) };
            let y = read(&run(&before, &paint, engine).snapshot);
            for ratio in ratios {
                let hz = 700.0 * ratio;
                let found = strongest_tone(&y[12_000..44_000], f64::from(RATE), hz - 30.0, hz + 30.0);
                let level = -12.0 - 6.0 * ratio.log2();
                assert!(1200.0 * (found.hz / hz).log2().abs() <= 1.0, "{hz}: {}", found.hz);
                assert!((20.0 * found.level.log10() - level).abs() <= 0.1, "{hz}: {}", 20.0 * found.level.log10());
            }
            let between = strongest_tone(&y[12_000..44_000], f64::from(RATE), 900.0, 1200.0);
            assert!(20.0 * between.level.log10() < -80.0, "nothing between");
        }
    }
    let glide = Edit {
        stroke: Some(stroke(&[(0.3, 1000.0), (2.3, 2000.0)], [0.05, 50.0])),
        ..edit(Brush::Tone(plain_tone(-12.0)))
    };
    for engine in engines() {
        let y = read(&run(&before, &glide, engine).snapshot);
        for t in [0.8, 1.3, 1.9] {
            let at = (t * f64::from(RATE)) as usize;
            let found = strongest_tone(&y[at - 512..at + 512], f64::from(RATE), 800.0, 2300.0);
            let hz = 1000.0 + 500.0 * (t - 0.3);
            assert!((found.hz - hz).abs() < 4.0, "{t} s: {} Hz, not {hz}", found.hz);
        }
    }
}

#[test]
fn a_smudge_by_nothing_changes_nothing_and_one_by_something_drags() {
    let x = busy(40_000, f64::from(RATE), 35);
    for points in [&[(0.8, 2000.0)][..], &[(0.8, 2000.0), (0.8, 2000.0)], &[(0.8, 2000.0), (0.8001, 2000.1)]] {
        for engine in engines() {
            let still = Edit { stroke: Some(stroke(points, [0.2, 800.0])), ..edit(Brush::Smudge(Smudge)) };
            let applied = run(&sound(&x), &still, engine);
            assert_eq!(read(&applied.snapshot), x, "{}", engine.name());
            assert_eq!((applied.report.touched_frames, applied.report.consistency_db), (0, None));
        }
    }
    // A click dragged by thirty frames of the fine grid arrives there.
    let mut click = vec![0.0; 40_000];
    click[16_000] = 0.9;
    let end = 16_000 + 30 * 128;
    let at = |i: usize| i as f64 / f64::from(RATE);
    let mut line = stroke(&[(at(16_000), 5000.0), (at(end), 5000.0)], [0.04, 40_000.0]);
    line.hardness = 0.9;
    for engine in engines() {
        let drag = Edit { stroke: Some(line.clone()), ..edit(Brush::Smudge(Smudge)) };
        let y = read(&run(&sound(&click), &drag, engine).snapshot);
        let loudest = (18_000..y.len()).max_by(|&a, &b| y[a].abs().total_cmp(&y[b].abs())).unwrap();
        assert!(loudest.abs_diff(end) <= 16 && y[loudest] > 0.5, "{}: {loudest} {}", engine.name(), y[loudest]);
        // And a tone dragged up by ten bins sounds there.
        let steady = tone(40_000, f64::from(RATE), hz(60.0), 0.5);
        let mut up = stroke(&[(0.9, hz(60.0)), (0.9, hz(70.0))], [0.3, 200.0]);
        up.hardness = 0.9;
        let y = read(&run(&sound(&steady), &Edit { stroke: Some(up), ..edit(Brush::Smudge(Smudge)) }, engine).snapshot);
        let found = strongest_tone(&y[18_000..22_000], f64::from(RATE), hz(67.0), hz(73.0));
        assert!((found.hz - hz(70.0)).abs() < 4.0 && found.level > 0.3, "{}: {found:?}", engine.name());
    }
}

#[test]
fn brushes_that_do_not_build_up_or_lack_a_stroke_say_so() {
    let before = sound(&noise(20_000, 0.1, 36));
    let refuse = |edit: Edit, says: &str| {
        let error = apply(&before, &edit, &Engine::cpu(), &Progress::new()).expect_err(says);
        assert!(error.message().contains(says), "{error}");
    };
    refuse(edit(Brush::Smudge(Smudge)), "smudge needs a stroke");
    refuse(edit(Brush::Tone(plain_tone(-20.0))), "tone needs a stroke");
    let line = Stroke { build_up: true, ..stroke(&[(0.2, 900.0), (0.4, 900.0)], [0.05, 100.0]) };
    refuse(Edit { stroke: Some(line), ..edit(Brush::Tone(plain_tone(-20.0))) }, "tone does not build up");
}

#[test]
fn a_tone_stands_where_it_is_panned() {
    let silence = Source::from_channels(vec![vec![0.0; 60_000]; 2], RATE).unwrap();
    let before = Snapshot::new(silence);
    for (pan, gains) in [(0.0, [1.0, 1.0]), (-1.0, [1.0, 0.0]), (0.5, [0.5, 1.0])] {
        let line = stroke(&[(0.3, 700.0), (2.4, 700.0)], [0.05, 50.0]);
        let draw = Edit { stroke: Some(line), ..edit(Brush::Tone(Tone { pan, ..plain_tone(-12.0) })) };
        for engine in engines() {
            let after = run(&before, &draw, engine).snapshot;
            for (channel, gain) in gains.into_iter().enumerate() {
                let mut y = vec![0.0; 60_000];
                after.read(channel, 0, &mut y).unwrap();
                if gain == 0.0 {
                    assert!(y.iter().all(|&y| y == 0.0), "{}", engine.name());
                } else {
                    let (_, amplitude) = residual_db(&y[12_000..44_000], 700.0);
                    let off_db = 20.0 * (amplitude / gain).log10() + 12.0;
                    assert!(off_db.abs() <= 0.1, "{} {pan} channel {channel}: {off_db} dB off", engine.name());
                }
            }
        }
        // A mono sound has the tone at its full level, regardless of the pan.
        let mono = read(&run(&sound(&vec![0.0; 60_000]), &draw, &Engine::cpu()).snapshot);
        assert!((20.0 * residual_db(&mono[12_000..44_000], 700.0).1.log10() + 12.0).abs() <= 0.1);
    }
}
