//! Audio pasted or cloned at another pitch keeps the level, steadiness and timing of its partials.

#![allow(clippy::print_stdout, reason = "the figures of docs/quality.md are read off what the tests print")]

use base::Progress;
use document::brushes::{Brush, CloneSource};
use document::{Edit, EditReport, Snapshot, apply};
use dsp::strokes::brush::Paste;
use dsp::transforms::rows::RowsParams;
use dsp::warps::displacement::Displacement;
use dsp::{Axis, CellRect, Clip, Grid, Kernel, Mask, Selection, Stft, StftParams, Window};
use engine::Engine;
use media::Source;
use std::f64::consts::TAU;
use support::engines::engines;
use support::measure::{f64s, snr_db_f32, strongest_tone};

const RATE: f64 = 22_050.0;
const STFT: StftParams = StftParams { n_fft: 1024, hop: 256, window: Window::Hann };
const N: usize = 33_000;
/// Samples more than a window away from both ends.
const STEADY: std::ops::Range<usize> = 6_000..27_000;

fn tones(partials: &[(f64, f64)]) -> Vec<f32> {
    let at = |k: usize| partials.iter().map(|(hz, a)| a * (TAU * hz * k as f64 / RATE + hz).sin()).sum::<f64>() as f32;
    (0..N).map(at).collect()
}

fn snapshot(samples: Vec<f32>) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![samples], RATE as u32).unwrap())
}

fn run(before: &Snapshot, brush: Brush, select: Option<Selection>, engine: &Engine) -> (Vec<f32>, EditReport) {
    run_with(STFT, before, brush, select, engine)
}

fn run_with(
    transform: StftParams,
    before: &Snapshot,
    brush: Brush,
    select: Option<Selection>,
    engine: &Engine,
) -> (Vec<f32>, EditReport) {
    let edit = Edit { select, ..Edit::of(brush, transform) };
    let applied = apply(before, &edit, engine, &Progress::new()).unwrap();
    let mut samples = vec![0.0; applied.snapshot.n_samples() as usize];
    applied.snapshot.read(0, 0, &mut samples).unwrap();
    (samples, applied.report)
}

/// A sound pasted onto silence, `units` of an axis higher.
fn pasted(x: &[f32], axis: Axis, units: f64, engine: &Engine) -> (Vec<f32>, EditReport) {
    pasted_with(STFT, x, axis, units, engine)
}

fn pasted_with(stft: StftParams, x: &[f32], axis: Axis, units: f64, engine: &Engine) -> (Vec<f32>, EditReport) {
    let clip = Clip { sample_rate_hz: RATE, first_sample: 0, channels: vec![x.to_vec()].into() };
    let nothing = snapshot(vec![0.0; x.len()]);
    run_with(
        stft,
        &nothing,
        Brush::Paste(Paste { clip, offset: [0.0, units], axis, replaces: false, stretch: None }),
        None,
        engine,
    )
}

/// Control: shifts each row of cells on its own, with the phase advance of its own shift, instead of by partials.
fn row_by_row(params: StftParams, x: &[f32], axis: Axis, units: f64) -> Vec<f32> {
    let grid = Grid::new(params, RATE, x.len() as u64);
    let stft = Stft::new(params);
    let rect = CellRect::new(0..grid.n_frames(), 0..grid.n_bins());
    let first = params.n_fft / 2;
    let mut padded = vec![0.0; stft.n_samples_under(grid.n_frames())];
    padded[first..first + x.len()].copy_from_slice(x);
    let before = stft.analyse(&padded, &rect);
    let mask = Mask { rect: rect.clone(), values: vec![1.0; rect.n_cells()] };
    let displacement = Displacement::shift(&grid, &mask, axis, -units, 0);
    let kernel = Kernel::Resample { displacement, overlap: 4, nyquist_bin: params.n_fft as u32 / 2 };
    let after = kernel.run(&before, &mask);
    let mut out = stft.difference(&dsp::Region::zeros(rect), &after).samples;
    stft.divide_by_weight(&mut out, -(first as i64), grid.n_frames());
    out[first..first + x.len()].to_vec()
}

/// Maximum over minimum level of a tone near `hz`, in steps of 10 ms, in decibels.
fn ripple_db(y: &[f32], hz: f64) -> f64 {
    let levels: Vec<f64> =
        (STEADY.start..STEADY.end - 441).step_by(220).map(|start| amplitude(y, start, 441, hz)).collect();
    let [min, max] = levels.iter().fold([f64::MAX, 0.0f64], |[a, b], &l| [a.min(l), b.max(l)]);
    20.0 * (max / min).log10()
}

/// The amplitude of a tone of known frequency under a Hann window.
fn amplitude(y: &[f32], start: usize, n: usize, hz: f64) -> f64 {
    let (mut re, mut im, mut sum) = (0.0, 0.0, 0.0);
    for (k, sample) in y[start..start + n].iter().enumerate() {
        let w = 0.5 - 0.5 * (TAU * k as f64 / n as f64).cos();
        let (sin, cos) = (TAU * hz * k as f64 / RATE).sin_cos();
        (re, im, sum) = (re + w * cos * f64::from(*sample), im + w * sin * f64::from(*sample), sum + w);
    }
    2.0 * re.hypot(im) / sum
}

fn cents(found: f64, wanted: f64) -> f64 {
    (1200.0 * (found / wanted).log2()).abs()
}

fn off_db(found: f64, wanted: f64) -> f64 {
    (20.0 * (found / wanted).log10()).abs()
}

fn check_tone(y: &[f32], hz: f64, level: f64, limits: [f64; 2], what: &str) {
    let tone = strongest_tone(&y[STEADY], RATE, hz * 0.96, hz * 1.04);
    let (cents, off) = (cents(tone.hz, hz), off_db(tone.level, level));
    println!("{what}: {hz:.1} Hz off by {cents:.2} cents, {off:.2} dB");
    assert!(cents < limits[0] && off < limits[1], "{what}: {} Hz, {}, not {hz}, {level}", tone.hz, tone.level);
}

#[test]
fn a_pasted_sine_is_a_sine_at_the_new_pitch() {
    let x = tones(&[(590.0, 0.25)]);
    for semitones in [12.0, 1.0, -12.0, 7.3] {
        let hz = 590.0 * f64::exp2(semitones / 12.0);
        let all: Vec<_> = engines().iter().map(|engine| pasted(&x, Axis::Log, semitones / 12.0, engine)).collect();
        let (y, report) = &all[0];
        let ripple = ripple_db(y, hz);
        println!("{semitones}: ripple {ripple:.2} dB, consistency {:?}", report.consistency_db);
        check_tone(y, hz, 0.25, [2.0, 0.5], "sine");
        assert!(ripple < 1.0, "{semitones}: {ripple} dB");
        assert!(report.consistency_db.is_some_and(|db| db < -20.0), "{:?}", report.consistency_db);
        assert!(all.iter().all(|(other, _)| snr_db_f32(other, y) > 90.0), "engines agree");
    }
    // Shifted row by row, the level of the tone fluctuates.
    let ripple = ripple_db(&row_by_row(STFT, &x, Axis::Log, 1.0), 1180.0);
    assert!(ripple > 6.0, "{ripple}");
    // The control itself is correct: a shift by constant hertz stays steady.
    assert!(ripple_db(&row_by_row(STFT, &x, Axis::Linear, 590.0), 1180.0) < 2.0);
}

#[test]
fn every_partial_of_a_chord_goes_its_own_interval() {
    let partials = [(590.0, 0.25), (885.0, 0.1)];
    let x = tones(&partials);
    for axis in [Axis::Log, Axis::Mel, Axis::Bark] {
        let units = axis.units_from_hz(1180.0) - axis.units_from_hz(590.0);
        let y = pasted(&x, axis, units, &Engine::cpu()).0;
        for (hz, level) in partials {
            check_tone(&y, axis.hz_from_units(axis.units_from_hz(hz) + units), level, [3.0, 1.0], axis.name());
        }
    }
}

/// Notes whose partials are at least a main lobe apart in windows of 93 ms; closer partials would move together.
const NOTES: [f64; 2] = [196.0, 457.5];
const LONGER: StftParams = StftParams { n_fft: 2048, hop: 512, window: Window::Hann };

/// The phase of a note with vibrato in turns, at `times` times its pitch.
fn note_turns(note: usize, times: f64) -> Vec<f64> {
    let hz = |k: usize| times * NOTES[note] * (1.0 + 0.003 * (TAU * 5.1 * k as f64 / RATE + note as f64).sin());
    let step = |turns: &mut f64, k: usize| {
        *turns += hz(k) / RATE;
        Some(*turns)
    };
    (0..N).scan(0.0, step).collect()
}

/// The amplitude of a partial of the chord.
fn partial_level(h: f64) -> f64 {
    0.15 * (-0.25 * h).exp()
}

/// Notes of six partials with vibrato.
fn vibrato_chord() -> Vec<f32> {
    let turns = [note_turns(0, 1.0), note_turns(1, 1.0)];
    let note = |turns: f64| {
        let partial = |h: f64| partial_level(h) * (TAU * h * turns + 2.1 * h * h).sin();
        (1..=6).map(|h| partial(f64::from(h))).sum::<f64>()
    };
    (0..N).map(|k| (note(turns[0][k]) + note(turns[1][k])) as f32).collect()
}

/// The amplitude of the component that follows a phase, under a Hann window, and its frequency offset in hertz.
fn along(y: &[f32], turns: impl Fn(usize) -> f64) -> [f64; 2] {
    let mean = |range: std::ops::Range<usize>| {
        let (mut re, mut im, mut sum) = (0.0, 0.0, 0.0);
        for k in range.clone() {
            let w = 0.5 - 0.5 * (TAU * (k - range.start) as f64 / range.len() as f64).cos();
            let (sin, cos) = (TAU * turns(k)).sin_cos();
            (re, im, sum) = (re + w * cos * f64::from(y[k]), im - w * sin * f64::from(y[k]), sum + w);
        }
        [2.0 * re / sum, 2.0 * im / sum]
    };
    let half = STEADY.len() / 2;
    let [a, b] = [STEADY.start, STEADY.start + half].map(|start| mean(start..start + half));
    let drift = (b[1] * a[0] - b[0] * a[1]).atan2(a[0] * b[0] + a[1] * b[1]) / TAU;
    let all = mean(STEADY);
    [all[0].hypot(all[1]), drift / (half as f64 / RATE)]
}

#[test]
fn a_chord_with_vibrato_keeps_its_partials() {
    let x = vibrato_chord();
    let worst = |y: &[f32], times: f64| {
        let mut worst = [0.0f64; 2];
        for (note, note_hz) in NOTES.into_iter().enumerate() {
            let turns = note_turns(note, times);
            for h in 1..=6 {
                let h = f64::from(h);
                let [level, hz] = along(y, |k| h * turns[k]);
                let wanted_hz = h * note_hz * times;
                let now = [cents(wanted_hz + hz, wanted_hz), off_db(level, partial_level(h))];
                worst = [worst[0].max(now[0]), worst[1].max(now[1])];
            }
        }
        worst
    };
    for semitones in [12.0, 5.0, -5.0] {
        let times = f64::exp2(semitones / 12.0);
        let [cents, off] = worst(&pasted_with(LONGER, &x, Axis::Log, semitones / 12.0, &Engine::cpu()).0, times);
        println!("vibrato chord by notes, {semitones}: off by {cents:.2} cents, {off:.2} dB at most");
        assert!(cents < 3.0 && off < 1.0, "{semitones}: {cents} cents, {off} dB");
        assert!(
            worst(&row_by_row(LONGER, &x, Axis::Log, semitones / 12.0), times)[1] > 3.0,
            "row by row they are lost"
        );
    }
}

#[test]
fn a_click_train_stays_a_click_train() {
    let places: Vec<usize> = (1..12).map(|i| i * 2600).collect();
    let mut x = vec![0.0; N];
    places.iter().for_each(|&i| x[i] = 0.5);
    for semitones in [12.0, 3.0, -12.0] {
        let y = f64s(&pasted(&x, Axis::Log, semitones / 12.0, &Engine::cpu()).0);
        let energy = |range: std::ops::Range<usize>| y[range].iter().map(|y| y * y).sum::<f64>();
        let (all, n_fft) = (energy(0..N), STFT.n_fft);
        let near = |far: usize| places.iter().map(|&i| energy(i - far..i + far)).sum::<f64>() / all;
        println!("{semitones}: {:.5} within a window, {:.3} within a sixteenth", near(n_fft / 2), near(n_fft / 32));
        assert!(near(n_fft / 2) > 0.999, "{semitones}");
        assert!(near(n_fft / 32) > 0.7, "{semitones}: {}", near(n_fft / 32));
    }
}

#[test]
fn a_clone_from_another_pitch_sounds_as_its_source() {
    let x = tones(&[(590.0, 0.25)]);
    let before = snapshot(x);
    // Selects 900 to 1,500 Hz, an octave above the source and without it, over several processing bands.
    let select = Selection::rectangle(Some([0.0, 1.5]), Some([900.0, 1500.0]), [0.0, 0.2], Axis::Log);
    let all: Vec<_> = engines()
        .iter()
        .map(|engine| run(&before, Brush::Clone(CloneSource { offset: [0.0, -1.0] }), Some(select.clone()), engine))
        .collect();
    let (y, _) = &all[0];
    check_tone(y, 1180.0, 0.25, [2.0, 0.5], "clone");
    check_tone(y, 590.0, 0.25, [2.0, 0.1], "source");
    assert!(ripple_db(y, 1180.0) < 1.0);
    assert!(all.iter().all(|(other, _)| snr_db_f32(other, y) > 90.0), "engines agree");
}

#[test]
fn pieces_make_no_seam() {
    // A sound processed in pieces of 64 frames has the same cells as in one piece.
    use dsp::warps::partials::{TrackState, shift};
    let x = vibrato_chord();
    let stft = Stft::new(STFT);
    let grid = Grid::new(STFT, RATE, N as u64);
    let rect = CellRect::new(0..120, 0..grid.n_bins());
    let whole = stft.analyse(&x[..stft.n_samples_under(120)], &rect);
    let moved = |carried: &mut TrackState, frames: std::ops::Range<usize>| {
        let rect = CellRect::new(frames, 3..400);
        let mask = Mask { values: vec![1.0; rect.n_cells()], rect };
        let source = whole.crop(&CellRect::new(mask.rect.frames.clone(), 0..grid.n_bins()));
        shift(&grid, &stft, Axis::Log, 0.4, &source, &mask, carried)
    };
    let one = moved(&mut TrackState::default(), 0..120);
    let mut carried = TrackState::default();
    for frames in [0..64, 64..120] {
        let piece = moved(&mut carried, frames);
        assert_eq!(piece, one.crop(&piece.rect));
    }
    let recomputed = moved(&mut TrackState::default(), 64..120);
    assert_ne!(recomputed, one.crop(&recomputed.rect), "what is carried counts");
}

/// A burst of 64 samples on constant-Q rows, moved up by a quarter of an octave: the rows of each octave are moved on
/// a grid of their own. On a single grid of all rows, the edit touched 65,552 frames and took 16 s with 24 rows per
/// octave, and was refused with 48.
#[test]
fn a_short_sound_is_moved_through_rows_octave_by_octave() {
    let (rate, hz) = (44_100.0, 2_000.0);
    let burst: Vec<f32> = (0..64)
        .map(|k| f64::from(k) + 0.5)
        .map(|k| (0.5 * (TAU * hz * k / rate).sin() * (0.5 - 0.5 * (TAU * k / 64.0).cos())) as f32)
        .collect();
    let clip = Clip { sample_rate_hz: rate, first_sample: 20_000, channels: vec![burst.clone()].into() };
    let paste = Paste { clip, offset: [0.0, 0.25], axis: Axis::Log, replaces: false, stretch: None };
    let silence = Snapshot::new(Source::from_channels(vec![vec![0.0; 60_000]], rate as u32).unwrap());
    let edit = Edit::of(Brush::Paste(paste), RowsParams::log(48).with_gamma_hz(0.0));
    let applied = apply(&silence, &edit, &Engine::cpu(), &Progress::new()).unwrap();
    let frames = applied.report.touched_frames;
    assert!((1..8_000).contains(&frames), "{frames} frames");
    let mut heard = vec![0.0f32; 60_000];
    applied.snapshot.read(0, 0, &mut heard).unwrap();
    let power = |samples: &[f32]| samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
    let near = power(&heard[20_032 - 96..20_032 + 96]);
    println!("{frames} frames; {:.3} of the power within 96 samples", near / power(&heard));
    assert!(near > 0.9 * power(&heard), "{near} of {}", power(&heard));
    let loudest = |samples: &[f32]| {
        let level = |hz: f64| {
            let turns = |k: usize| TAU * hz * k as f64 / rate;
            let [re, im] = samples.iter().enumerate().fold([0.0, 0.0], |[re, im], (k, x)| {
                [re + f64::from(*x) * turns(k).cos(), im + f64::from(*x) * turns(k).sin()]
            });
            re.hypot(im)
        };
        (0..400).map(|i| 1_000.0 + 10.0 * f64::from(i)).max_by(|a, b| level(*a).total_cmp(&level(*b))).unwrap()
    };
    let [before, after] = [loudest(&burst), loudest(&heard[20_032 - 256..20_032 + 256])];
    assert!((1200.0 * (after / before).log2() - 300.0).abs() < 60.0, "{before} to {after} Hz");
}
