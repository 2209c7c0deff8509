//! Edits on rows by `apply`, on every engine.

use super::{RATE, is_long, sound, transforms};
use base::Progress;
use document::brushes::{Blur, Brush, CloneSource, Contrast, Erase, Gain, Noise, Warp};
use document::{Applied, Channels, Edit, History, Snapshot, apply};
use dsp::repair::heal::{Direction, Heal, Surroundings};
use dsp::signal::noise::{noise_samples, noise_sigma};
use dsp::strokes::brush::{Along, Butterworth, HarmonicPercussive, Pass, Tone, WarpMode};
use dsp::transforms::rows::{RowBank, RowsParams};
use dsp::{Axis, CellRect, Denoise, Grid, NoiseSource, Point, Selection, StftParams, Stroke, Transform};
use engine::Engine;
use media::Source;
use std::f64::consts::TAU;
use std::sync::Arc;
use support::engines::{cpu, engines};
use support::measure::{changed, f64s, snr_db, snr_db_f32, strongest_tone};
use support::signals::{noise, tone};

pub fn snapshot(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE as u32).unwrap())
}

pub fn read(snapshot: &Snapshot, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(channel, 0, &mut samples).unwrap();
    samples
}

pub fn edit(brush: impl Into<Brush>, transform: impl Into<Transform>) -> Edit {
    Edit {
        brush: brush.into(),
        stroke: None,
        select: None,
        channels: Channels::All,
        transform: transform.into(),
        strength: 1.0,
        consistency_steps: Some(0),
    }
}

fn log_box(secs: [f64; 2], hz: [f64; 2]) -> Option<Selection> {
    Some(Selection::rectangle(Some(secs), Some(hz), [0.0; 2], Axis::Log))
}

fn stroke(points: &[[f64; 2]], radius: [f64; 2]) -> Option<Stroke> {
    let points = points.iter().map(|&[secs, hz]| Point { secs, hz, pressure: 1.0 }).collect();
    Some(Stroke { points, axis: Axis::Log, radius, hardness: 0.9, strength: 1.0, build_up: false })
}

pub fn run(sound: &Snapshot, edit: &Edit, engine: &Engine) -> Applied {
    apply(sound, edit, engine, &Progress::new()).unwrap()
}

fn halved(samples: &[f32]) -> Vec<f32> {
    samples.iter().map(|x| x * 0.5).collect()
}

const HALF: Gain = Gain { gain_db: -6.020_599_913_279_624 };

/// Halving all cells halves all samples, with every transform, at the ends too.
#[test]
fn a_gain_of_everything_is_a_gain_of_the_samples() {
    for (name, params, min_db) in transforms() {
        if !is_long() && params == RowsParams::log(96) {
            continue;
        }
        let samples = sound(30_011, 5);
        let before = snapshot(vec![samples.clone()]);
        let after = read(&run(&before, &edit(HALF, params), &cpu()).snapshot, 0);
        let db = snr_db_f32(&after, &halved(&samples));
        println!("{name}: {db:.1} dB");
        assert!(db > min_db - 6.0, "{name}: {db:.1} dB");
    }
}

/// Halving the side signal of a long stereo sound, which is processed in several pieces, leaves no seams.
#[test]
fn pieces_and_signals_do_not_show() {
    let n = if is_long() { 60 } else { 26 } * RATE as usize;
    let (left, right) = (noise(n, 0.1, 1), noise(n, 0.1, 2));
    let before = snapshot(vec![left.clone(), right.clone()]);
    let side = Edit { channels: Channels::Side, ..edit(HALF, RowsParams::music()) };
    let applied = run(&before, &side, &cpu());
    let expected = |own: &[f32], other: &[f32]| -> Vec<f32> {
        own.iter().zip(other).map(|(a, b)| (a + b) / 2.0 + 0.5 * (a - b) / 2.0).collect()
    };
    for (channel, expected) in [expected(&left, &right), expected(&right, &left)].iter().enumerate() {
        let after = read(&applied.snapshot, channel);
        // Each second is compared, so that a bad seam is not averaged out.
        let seconds = after.chunks(RATE as usize).zip(expected.chunks(RATE as usize));
        let worst = seconds.map(|(a, b)| snr_db_f32(a, b)).fold(f64::MAX, f64::min);
        assert!(worst > 120.0, "channel {channel}: {worst:.1} dB");
    }
}

#[test]
fn both_engines_agree() {
    let samples = sound(22_050, 7);
    let before = snapshot(vec![samples.clone()]);
    let shift = [0.0, 3.0 / 12.0];
    let rms = (samples.iter().map(|x| f64::from(x * x)).sum::<f64>() / samples.len() as f64).sqrt();
    let rounding = noise(samples.len(), rms * 10f64.powf(-125.0 / 20.0), 41);
    let low = |along, n| document::brushes::ModulationFilter {
        along,
        filters: vec![Butterworth { pass: Pass::Low, cutoff: vec![4.0], order: 4 }; n],
        rebuild_phase: false,
    };
    let around = Surroundings { direction: Direction::Time, ..Surroundings::default() };
    let brushes: [Brush; 14] = [
        HALF.into(),
        Erase.into(),
        Contrast { amount: 1.5, pivot_db: -40.0 }.into(),
        Butterworth { pass: Pass::Band, cutoff: vec![500.0, 900.0], order: 4 }.into(),
        Blur { sigma: [0.01, 0.05], sigma_axis: Axis::Log, rebuild_phase: false }.into(),
        Noise { level_db: -40.0, seed: 3 }.into(),
        Warp { mode: WarpMode::Grab { shift }, peak_locking: true }.into(),
        low(Along::Time, 1).into(),
        low(Along::Frequency, 1).into(),
        low(Along::Both, 2).into(),
        HarmonicPercussive { harmonic_db: 0.0, percussive_db: -40.0, reach: [0.1, 300.0] }.into(),
        Denoise::of(NoiseSource::Range { secs: [0.0, 0.1], hz: None }).into(),
        Heal::Attenuate(around).into(),
        Heal::INTERPOLATE.into(),
    ];
    for brush in brushes {
        let edit = Edit { select: log_box([0.1, 0.4], [300.0, 3000.0]), ..edit(brush, RowsParams::music()) };
        let results: Vec<Vec<f32>> =
            engines().iter().map(|engine| read(&run(&before, &edit, engine).snapshot, 0)).collect();
        let minus = |x: &[f32], y: &[f32]| -> Vec<f32> { x.iter().zip(y).map(|(x, y)| x - y).collect() };
        let change = minus(&results[0], &samples);
        let agreement_db = |other: &[f32]| snr_db_f32(&minus(other, &samples), &change);
        let name = edit.brush.kind();
        let mut min_db = 100.0;
        if edit.brush == Heal::INTERPOLATE.into() {
            // Where a row holds tones alone, predictors fit what rounds. The control: of a sound with as much noise as a
            // transform in f32 rounds, the CPU makes something else, too.
            let rounded: Vec<f32> = samples.iter().zip(&rounding).map(|(x, noise)| x + noise).collect();
            let other = read(&run(&snapshot(vec![rounded]), &edit, &cpu()).snapshot, 0);
            assert!(agreement_db(&minus(&other, &rounding)) < 100.0, "{name}: 85 dB are no longer needed");
            min_db = 85.0;
        }
        for other in &results[1..] {
            let db = agreement_db(other);
            println!("{name}: {db:.1} dB of the change");
            assert!(db > min_db, "{name}: {db:.1} dB of the change");
            let mut late = other.clone();
            late.rotate_right(1);
            assert!(agreement_db(&late) < min_db, "{name}: a sample late is noticed");
        }
    }
}

/// Samples outside the reported ranges keep their bits, and changes stay within the reach of the painted rows.
#[test]
fn a_dab_changes_what_its_rows_reach_alone() {
    let samples = sound(66_150, 9);
    let before = snapshot(vec![samples.clone()]);
    let dab = |hz: f64| Edit { stroke: stroke(&[[0.75, hz]], [0.01, 0.1]), ..edit(Erase, RowsParams::music()) };
    let extent = |hz: f64| {
        let applied = run(&before, &dab(hz), &cpu());
        let differing = changed(&read(&applied.snapshot, 0), &samples);
        let reported = |i: &usize| applied.changed.iter().any(|range| range.contains(&(*i as u64)));
        assert!(!differing.is_empty() && differing.iter().all(reported), "{hz} Hz");
        let middle = (0.75 * RATE) as i64;
        differing.iter().map(|i| (*i as i64 - middle).abs()).max().unwrap() as f64 / RATE
    };
    // A quarter of a slice (2,048 samples at 5 kHz, 8,192 at 1 kHz), a hop, and the radius of the dab.
    let (high, low) = (extent(5_000.0), extent(1_000.0));
    println!("at 5 kHz {high:.4} s, at 1 kHz {low:.4} s to each side");
    assert!(high < 512.0 / RATE + 0.01 + 32.0 / RATE, "{high} s");
    assert!(low > 512.0 / RATE + 0.01 + 32.0 / RATE, "{low} s: the control shows that lower rows reach farther");
}

/// Two notes a semitone apart at 60 Hz: one is erased, the other is kept. On the default STFT of a view, they are one.
#[test]
fn one_of_two_low_notes_is_erased() {
    let (low_hz, high_hz) = (60.0, 60.0 * 2f64.powf(1.0 / 12.0));
    let n = 6 * RATE as usize;
    let add = |a: Vec<f32>, b: Vec<f32>| -> Vec<f32> { a.iter().zip(&b).map(|(a, b)| a + b).collect() };
    let samples = add(tone(n, RATE, low_hz, 0.2), tone(n, RATE, high_hz, 0.2));
    let before = snapshot(vec![samples]);
    let along = [[1.2, high_hz], [4.8, high_hz]];
    let erase = |transform: Transform| Edit {
        stroke: stroke(&along, [1.2, 0.045]),
        consistency_steps: None,
        ..edit(Erase, transform)
    };
    let levels = |transform: Transform| {
        let after = read(&run(&before, &erase(transform), &cpu()).snapshot, 0);
        let middle = &after[n / 2 - 65_536..n / 2 + 65_536];
        let level = |hz: f64| 20.0 * (strongest_tone(middle, RATE, hz - 0.8, hz + 0.8).level / 0.2).log10();
        [level(low_hz), level(high_hz)]
    };
    let [stays, goes] = levels(RowsParams::bass().into());
    println!("bass preset: kept {stays:.2} dB, erased {goes:.1} dB");
    assert!(stays.abs() < 1.0 && goes < -20.0, "{stays} {goes}");
    let [stays, goes] = levels(StftParams::for_rate(RATE).into());
    println!("STFT: kept {stays:.2} dB, erased {goes:.1} dB");
    assert!(stays < -1.0 || goes > -20.0, "the STFT cannot: {stays} {goes}");
}

#[test]
fn noise_over_everything_is_the_noise_itself() {
    let n = 40_000;
    let before = snapshot(vec![vec![0.0; n]]);
    let brush = Noise { level_db: -30.0, seed: 11 };
    let after = read(&run(&before, &edit(brush, RowsParams::music()), &cpu()).snapshot, 0);
    let window = StftParams::for_rate(RATE).window_samples();
    let (sum, power) = (window.iter().sum(), window.iter().map(|w| w * w).sum());
    let expected = noise_samples(11, 0, 0, n, noise_sigma(-30.0, sum, power));
    let db = snr_db_f32(&after, &expected);
    assert!(db > 115.0, "{db:.1} dB");
}

/// A tone along a stroke is exactly that tone, even when gliding from group to group. The frequency is constant within
/// a cell, so the error of a glide grows with its speed.
#[test]
fn a_drawn_tone_is_a_tone() {
    let n = 2 * RATE as usize;
    let before = snapshot(vec![vec![0.0; n]]);
    let brush = Tone {
        level_db: -12.0,
        harmonics: 1,
        spacing: 1.0,
        inharmonicity: 0.0,
        slope_db: -6.0,
        pan: 0.0,
        fade_secs: 0.0,
    };
    let level = 10f64.powf(-12.0 / 20.0);
    for [from_hz, to_hz] in [[440.0, 440.0], [360.0, 400.0]] {
        let drawn =
            Edit { stroke: stroke(&[[0.3, from_hz], [1.7, to_hz]], [0.05, 0.5]), ..edit(brush, RowsParams::music()) };
        let after = f64s(&read(&run(&before, &drawn, &cpu()).snapshot, 0));
        // The stroke is straight in octaves; phase 0 is at the first cell of the finest hop that the brush reaches.
        let rate_octaves = (to_hz / from_hz).log2() / 1.4;
        let start = (((0.3 - 0.05) * RATE / 8.0).ceil()) * 8.0 / RATE;
        let cycles = |secs: f64| {
            let held = from_hz * (secs.min(0.3) - start);
            let t = secs - 0.3;
            held + if rate_octaves == 0.0 {
                from_hz * t
            } else {
                from_hz * ((rate_octaves * t).exp2() - 1.0) / (rate_octaves * 2f64.ln())
            }
        };
        let middle = (0.4 * RATE) as usize..(1.6 * RATE) as usize;
        let expected: Vec<f64> =
            middle.clone().map(|i| level * (TAU * cycles(i as f64 / RATE).fract()).cos()).collect();
        let db = snr_db(&after[middle], &expected);
        println!("{from_hz} to {to_hz} Hz: {db:.1} dB");
        assert!(db > if rate_octaves == 0.0 { 120.0 } else { 35.0 }, "{from_hz} to {to_hz} Hz: {db:.1} dB");
    }
}

/// A clone of all rows from a quarter of a second later gives those samples.
#[test]
fn a_clone_brings_the_samples_from_elsewhere() {
    let samples = sound(66_150, 13);
    let before = snapshot(vec![samples.clone()]);
    let select = Some(Selection::rectangle(Some([0.0, 1.5]), None, [0.0; 2], Axis::Log));
    let clone = Edit { select, ..edit(CloneSource { offset: [0.25, 0.0] }, RowsParams::music()) };
    let after = read(&run(&before, &clone, &cpu()).snapshot, 0);
    let n = samples.len() - 11_025;
    let db = snr_db_f32(&after[..n], &samples[11_025..]);
    assert!(db > 110.0, "{db:.1} dB");
}

#[test]
fn a_grab_moves_a_tone_by_its_interval() {
    let n = RATE as usize;
    for hz in [660.0, 1_234.5] {
        for semitones in [2.0, 3.37, -5.0] {
            let before = snapshot(vec![tone(n, RATE, hz, 0.3)]);
            let warp = Warp { mode: WarpMode::Grab { shift: [0.0, semitones / 12.0] }, peak_locking: true };
            let select = Some(Selection::rectangle(None, Some([350.0, 2_500.0]), [0.0; 2], Axis::Log));
            let moved = Edit { select, ..edit(warp, RowsParams::music()) };
            let after = read(&run(&before, &moved, &cpu()).snapshot, 0);
            let middle = &after[n / 2 - 8_192..n / 2 + 8_192];
            let target_hz = hz * 2f64.powf(semitones / 12.0);
            let found = strongest_tone(middle, RATE, target_hz * 0.97, target_hz * 1.03);
            let (cents, db) = (1200.0 * (found.hz / target_hz).log2(), 20.0 * (found.level / 0.3).log10());
            println!("{hz} Hz by {semitones} semitones: {cents:.2} cents, {db:.2} dB");
            assert!(cents.abs() < 1.0 && db.abs() < 0.7, "{hz} Hz by {semitones}: {cents} cents, {db} dB");
        }
    }
}

/// Edits on rows and on an STFT are undone and redone one by one, bit for bit.
#[test]
fn edits_on_two_transforms_are_undone_and_done_again() {
    let samples = sound(33_075, 17);
    let within = || log_box([0.1, 0.5], [200.0, 4_000.0]);
    let brushes: [Brush; 5] = [
        HALF.into(),
        Erase.into(),
        Blur { sigma: [0.01, 0.05], sigma_axis: Axis::Log, rebuild_phase: false }.into(),
        Warp { mode: WarpMode::Grab { shift: [0.0, 0.2] }, peak_locking: true }.into(),
        Noise { level_db: -50.0, seed: 1 }.into(),
    ];
    let mut edits: Vec<Edit> =
        brushes.into_iter().map(|brush| Edit { select: within(), ..edit(brush, RowsParams::music()) }).collect();
    edits.push(Edit { select: within(), ..edit(HALF, StftParams::for_rate(RATE)) });
    for engine in engines() {
        let mut history = History::new(snapshot(vec![samples.clone()]));
        let mut states = vec![samples.clone()];
        for edit in &edits {
            let applied = run(history.current(), edit, engine);
            assert!(!applied.changed.is_empty(), "{}", edit.brush.kind());
            history.push(edit.clone(), applied.snapshot);
            states.push(read(history.current(), 0));
        }
        for state in states.iter().rev().skip(1) {
            history.undo();
            assert!(read(history.current(), 0) == *state);
        }
        for state in &states[1..] {
            history.redo();
            assert!(read(history.current(), 0) == *state);
        }
    }
}

/// Brushes that move phases of an STFT, or process samples, refuse rows with a message.
#[test]
fn brushes_that_need_an_stft_refuse_rows() {
    let before = snapshot(vec![sound(10_000, 3)]);
    let refused: [(Brush, &str); 2] = [
        (document::brushes::RebuildPhase { steps: 5 }.into(), "phases can be rebuilt on an STFT only"),
        (dsp::repair::heal::Heal::PATTERN.into(), "heal by prediction works on the samples"),
    ];
    for (brush, why) in refused {
        let edit =
            Edit { stroke: stroke(&[[0.1, 500.0], [0.15, 600.0]], [0.02, 0.2]), ..edit(brush, RowsParams::music()) };
        let error = apply(&before, &edit, &cpu(), &Progress::new()).unwrap_err();
        assert!(error.message().starts_with(why), "{}", error.message());
    }
}

/// Every other brush works, on both engines, within its selection.
#[test]
fn every_other_brush_changes_sound_within_its_selection() {
    let samples = sound(44_100, 19);
    let before = snapshot(vec![samples.clone()]);
    let filter = |along, n| document::brushes::ModulationFilter {
        along,
        filters: vec![Butterworth { pass: Pass::Low, cutoff: vec![4.0], order: 4 }; n],
        rebuild_phase: false,
    };
    let noise = NoiseSource::Range { secs: [0.0, 0.9], hz: None };
    let around = Surroundings { direction: Direction::Time, ..Surroundings::default() };
    let brushes: [Brush; 8] = [
        filter(Along::Time, 1).into(),
        filter(Along::Frequency, 1).into(),
        filter(Along::Both, 2).into(),
        HarmonicPercussive { harmonic_db: 0.0, percussive_db: -40.0, reach: [0.1, 300.0] }.into(),
        Denoise::of(noise).into(),
        Heal::Attenuate(around).into(),
        Heal::INTERPOLATE.into(),
        CloneSource { offset: [0.1, 0.25] }.into(),
    ];
    for brush in brushes {
        let edit = Edit { select: log_box([0.45, 0.55], [400.0, 1_600.0]), ..edit(brush, RowsParams::music()) };
        for engine in engines() {
            let applied = run(&before, &edit, engine);
            let differing = changed(&read(&applied.snapshot, 0), &samples);
            let (first, last) = (differing.first().unwrap(), differing.last().unwrap());
            let reach = 0.2 * RATE;
            let is_near = *first as f64 > 0.45 * RATE - reach && (*last as f64) < 0.55 * RATE + reach;
            assert!(is_near && applied.report.consistency_db.is_some(), "{}: {first} to {last}", edit.brush.kind());
        }
    }
}

/// A clone moved upwards has the source tone at its new pitch.
#[test]
fn a_clone_moves_pitch() {
    let n = 2 * RATE as usize;
    let mut samples = tone(n, RATE, 660.0, 0.3);
    samples[..n / 2].fill(0.0);
    let before = snapshot(vec![samples]);
    let octaves = -4.0 / 12.0;
    let clone = CloneSource { offset: [1.0, octaves] };
    let target_hz = 660.0 * 2f64.powf(-octaves);
    let select = log_box([0.2, 0.8], [target_hz / 1.3, target_hz * 1.3]);
    let after = read(&run(&before, &Edit { select, ..edit(clone, RowsParams::music()) }, &cpu()).snapshot, 0);
    let found = strongest_tone(&after[n / 4 - 8_192..n / 4 + 8_192], RATE, target_hz * 0.97, target_hz * 1.03);
    let (cents, db) = (1200.0 * (found.hz / target_hz).log2(), 20.0 * (found.level / 0.3).log10());
    println!("{cents:.2} cents, {db:.2} dB");
    assert!(cents.abs() < 1.0 && db.abs() < 0.7, "{cents} cents, {db} dB");
}

/// Edits outside all rows of the scale, and extreme shifts, have defined results.
#[test]
fn edits_at_the_ends_of_the_scale_and_of_numbers_are_answered() {
    let before = snapshot(vec![sound(20_000, 23)]);
    let filter = document::brushes::ModulationFilter {
        along: Along::Frequency,
        filters: vec![Butterworth { pass: Pass::Low, cutoff: vec![2.0], order: 4 }],
        rebuild_phase: false,
    };
    for hz in [[0.0, 20.0], [22_000.0, 22_050.0]] {
        let select = Some(Selection::rectangle(None, Some(hz), [0.0; 2], Axis::Linear));
        let applied = run(&before, &Edit { select, ..edit(filter.clone(), RowsParams::music()) }, &cpu());
        assert!(applied.changed.is_empty() && applied.report.notices.len() == 1, "{:?}", applied.report.notices);
    }
    for secs in [1e18, -1e18, 0.2] {
        let warp = Warp { mode: WarpMode::Grab { shift: [secs, 0.0] }, peak_locking: true };
        let moved = Edit { select: log_box([0.1, 0.3], [300.0, 600.0]), ..edit(warp, RowsParams::music()) };
        assert!(!run(&before, &moved, &cpu()).changed.is_empty(), "{secs}");
    }
}

/// A range beyond the end selects no cells of the tails there.
#[test]
fn a_range_beyond_the_end_takes_no_tail() {
    let before = snapshot(vec![sound(20_000, 23)]);
    let beyond = Some(Selection::rectangle(Some([0.4565, 0.4567]), None, [0.0; 2], Axis::Linear));
    let noise = Edit { select: beyond, ..edit(Noise { level_db: -10.0, seed: 1 }, RowsParams::music()) };
    assert!(run(&before, &noise, &cpu()).changed.is_empty());
}

/// The default reach of tonal and transient is valid at every rate.
#[test]
fn tonal_and_transient_works_at_high_rates() {
    for rate in [48_000, 96_000] {
        let before = Snapshot::new(Source::from_channels(vec![sound(9_600, 29)], rate).unwrap());
        let parts = HarmonicPercussive { harmonic_db: -6.0, percussive_db: 0.0, reach: HarmonicPercussive::REACH };
        for params in [RowsParams::music(), RowsParams::speech(), RowsParams::mel(40)] {
            assert!(!run(&before, &edit(parts, params), &cpu()).changed.is_empty(), "{rate}");
        }
    }
}

/// A part near the start that is no louder than what follows is unchanged.
#[test]
fn heal_leaves_a_steady_tone_near_the_start() {
    let samples = tone(RATE as usize, RATE, 440.0, 0.3);
    let before = snapshot(vec![samples.clone()]);
    let around = Surroundings { direction: Direction::Time, context_secs: [0.3, 0.3], ..Surroundings::default() };
    let select = log_box([0.1, 0.2], [380.0, 500.0]);
    let healed = Edit { select, ..edit(Heal::Attenuate(around), RowsParams::music()) };
    let after = read(&run(&before, &healed, &cpu()).snapshot, 0);
    let level = |samples: &[f32]| strongest_tone(&samples[4_800..8_400], RATE, 420.0, 460.0).level;
    let db = 20.0 * (level(&after) / level(&samples)).log10();
    println!("{db:.2} dB");
    assert!(db.abs() < 1.5, "{db:.2} dB");
}

/// The sound of a stroke in progress equals its release, before consistency.
#[test]
fn a_stroke_on_rows_is_heard_while_it_is_drawn() {
    let sound = snapshot(vec![sound(44_100, 31)]);
    let drawn = Edit { stroke: stroke(&[[0.3, 800.0], [0.5, 900.0]], [0.05, 0.2]), ..edit(HALF, RowsParams::music()) };
    let pen_down = document::PenDown { snapshot: sound.clone(), pending: Vec::new(), engine: cpu() };
    let mut session = document::StrokeSession::begin(pen_down, &drawn).unwrap();
    let heard = session.sound(&Progress::new()).unwrap();
    assert!(read(&heard, 0) == read(&run(&sound, &drawn, &cpu()).snapshot, 0));
    assert!(!changed(&read(&heard, 0), &read(&sound, 0)).is_empty());
}

/// Cells read around a brush lie within the sound, as the cells before and after it contain only tails; tails that it
/// writes are still read.
#[test]
fn nothing_is_read_around_cells_beyond_the_ends() {
    let bank = Arc::new(RowBank::new(&RowsParams::music(), RATE).unwrap());
    for group in bank.groups() {
        let grid = Grid::of_group(&bank, group, 40_000);
        let around = |frames| grid.cells_around(&CellRect::new(frames, group.rows())).frames;
        let middle = grid.n_frames() / 2;
        let read = around(middle..middle + 1);
        let [first, last] = [read.start, read.end - 1].map(|frame| grid.secs_from_frame(frame as f64));
        let hop = grid.hop_secs();
        assert!((0.0..hop).contains(&first) && last <= grid.duration_secs() && last > grid.duration_secs() - hop);
        assert_eq!(around(0..grid.n_frames()), 0..grid.n_frames());
    }
}
