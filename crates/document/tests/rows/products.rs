//! Edits on rows at every rate, with one, two and six channels. The default run tests one rate, and with
//! `SONOBRUSH_LONG_TESTS` every combination.

use super::{is_long, rates, sound, transforms};
use base::Progress;
use document::brushes::{Blur, Brush, CloneSource, Contrast, Erase, Gain, ModulationFilter, Sharpen, Warp};
use document::{Applied, Channels, Edit, Snapshot, apply};
use dsp::repair::heal::{Direction, Heal, Surroundings};
use dsp::strokes::brush::{Along, Butterworth, HarmonicPercussive, Pass, WarpMode};
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, Denoise, NoiseSource, Selection};
use media::Source;
use support::engines::cpu;
use support::measure::{changed, snr_db_f32, strongest_tone};
use support::signals::tone;

const HALF: Gain = Gain { gain_db: -6.020_599_913_279_624 };

fn snapshot(channels: Vec<Vec<f32>>, rate: f64) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, rate as u32).unwrap())
}

fn read(snapshot: &Snapshot, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(channel, 0, &mut samples).unwrap();
    samples
}

fn edit(brush: impl Into<Brush>, params: RowsParams, select: Option<Selection>) -> Edit {
    Edit {
        brush: brush.into(),
        stroke: None,
        select,
        channels: Channels::All,
        transform: params.into(),
        strength: 1.0,
        consistency_steps: Some(0),
    }
}

fn log_box(secs: [f64; 2], hz: [f64; 2]) -> Option<Selection> {
    Some(Selection::rectangle(Some(secs), Some(hz), [0.0; 2], Axis::Log))
}

fn run(sound: &Snapshot, edit: &Edit) -> Applied {
    apply(sound, edit, &cpu(), &Progress::new()).unwrap()
}

/// Halving all cells halves all samples, for all rates, transforms, lengths and numbers of channels.
#[test]
fn all_cells_halved_are_all_samples_halved() {
    // Many channels are tested on short sounds only; longer ones would cover nothing new.
    let sounds: &[(usize, f64)] = if is_long() {
        &[(1, 0.1), (1, 2.003), (1, 10.0), (2, 0.311), (2, 2.003), (6, 0.1), (6, 0.311)]
    } else {
        &[(6, 0.1)]
    };
    for &rate in rates(&[8_000.0]) {
        for (name, params, min_db) in transforms() {
            let Ok(params) = params.validated_at(rate) else { continue };
            if !is_long() && !["log 24 erb", "mel 128"].contains(&name) {
                continue;
            }
            for &(n_channels, secs) in sounds {
                // Odd, so that it is no multiple of a hop.
                let n = (secs * rate) as usize | 1;
                let channels: Vec<Vec<f32>> = (0..n_channels as u64).map(|seed| sound(n, seed + 1)).collect();
                let before = snapshot(channels.clone(), rate);
                let after = run(&before, &edit(HALF, params.clone(), None)).snapshot;
                for (channel, samples) in channels.iter().enumerate() {
                    let halved: Vec<f32> = samples.iter().map(|x| x * 0.5).collect();
                    let db = snr_db_f32(&read(&after, channel), &halved);
                    let what = format!("{name}, {rate} Hz, {secs} s, channel {channel} of {n_channels}");
                    println!("{what}: {db:.1} dB");
                    assert!(db >= min_db - 6.0, "{what}: {db:.1} dB");
                }
            }
        }
    }
}

/// The brushes that work on rows, except those that add sound.
fn brushes() -> Vec<Brush> {
    let filter = |along, n| ModulationFilter {
        along,
        filters: vec![Butterworth { pass: Pass::Low, cutoff: vec![4.0], order: 4 }; n],
        rebuild_phase: false,
    };
    let around = Surroundings { direction: Direction::Time, ..Surroundings::default() };
    vec![
        HALF.into(),
        Erase.into(),
        Contrast { amount: 1.5, pivot_db: -40.0 }.into(),
        Butterworth { pass: Pass::Notch, cutoff: vec![500.0, 900.0], order: 4 }.into(),
        Blur { sigma: [0.01, 0.05], sigma_axis: Axis::Log, rebuild_phase: false }.into(),
        Sharpen { sigma: [0.01, 0.05], sigma_axis: Axis::Log, amount: 1.0 }.into(),
        filter(Along::Time, 1).into(),
        filter(Along::Frequency, 1).into(),
        HarmonicPercussive { harmonic_db: 0.0, percussive_db: -40.0, reach: [0.1, 300.0] }.into(),
        Denoise::of(NoiseSource::Range { secs: [0.0, 0.5], hz: None }).into(),
        Heal::Attenuate(around).into(),
        Heal::INTERPOLATE.into(),
        CloneSource { offset: [0.1, 0.25] }.into(),
        Warp { mode: WarpMode::Grab { shift: [0.0, 0.25] }, peak_locking: true }.into(),
    ]
}

/// Each of six channels, and of two, equals the edit of that channel alone, bit-exactly, and is unchanged outside the
/// reported ranges.
#[test]
fn channels_are_edited_as_if_each_were_alone() {
    for &rate in rates(&[16_000.0]) {
        let n = (0.6 * rate) as usize | 1;
        let channels: Vec<Vec<f32>> = (0..6).map(|seed| sound(n, seed + 11)).collect();
        for brush in brushes() {
            let edit = edit(brush, RowsParams::music(), log_box([0.2, 0.4], [400.0, 1_600.0]));
            let kind = edit.brush.kind();
            let alone: Vec<Vec<f32>> = channels
                .iter()
                .map(|samples| {
                    let applied = run(&snapshot(vec![samples.clone()], rate), &edit);
                    let after = read(&applied.snapshot, 0);
                    let differing = changed(&after, samples);
                    let is_reported = |i: &usize| applied.changed.iter().any(|range| range.contains(&(*i as u64)));
                    assert!(!differing.is_empty() && differing.iter().all(is_reported), "{kind} at {rate} Hz");
                    after
                })
                .collect();
            for n_channels in [2, 6] {
                let together = run(&snapshot(channels[..n_channels].to_vec(), rate), &edit).snapshot;
                for (channel, alone) in alone[..n_channels].iter().enumerate() {
                    let differing = changed(&read(&together, channel), alone);
                    assert!(differing.is_empty(), "{kind} at {rate} Hz: channel {channel} of {n_channels}");
                }
            }
        }
    }
}

/// A tone moved by an interval has its pitch and level, at every rate; a band filter scales a tone by its response.
#[test]
fn tones_are_moved_and_filtered_alike_at_every_rate() {
    for &rate in rates(&[8_000.0]) {
        let n = rate as usize | 1;
        let hz = 660.0;
        let before = snapshot(vec![tone(n, rate, hz, 0.3)], rate);
        let level = |samples: &[f32], hz: f64| {
            let middle = &samples[n / 2 - n / 5..n / 2 + n / 5];
            strongest_tone(middle, rate, hz * 0.97, hz * 1.03)
        };
        for semitones in [3.37, -5.0] {
            let grab = Warp { mode: WarpMode::Grab { shift: [0.0, semitones / 12.0] }, peak_locking: true };
            let select = Some(Selection::rectangle(None, Some([350.0, 2_500.0]), [0.0; 2], Axis::Log));
            let after = read(&run(&before, &edit(grab, RowsParams::music(), select)).snapshot, 0);
            let target_hz = hz * 2f64.powf(semitones / 12.0);
            let found = level(&after, target_hz);
            let (cents, db) = (1200.0 * (found.hz / target_hz).log2(), 20.0 * (found.level / 0.3).log10());
            println!("{rate} Hz, {semitones} semitones: {cents:.2} cents, {db:.2} dB");
            assert!(cents.abs() < 1.0 && db.abs() < 0.7, "{rate} Hz by {semitones}: {cents} cents, {db} dB");
        }
        let low = Butterworth { pass: Pass::Low, cutoff: vec![500.0], order: 2 };
        let expected = 20.0 * low.response(hz).log10();
        let after = read(&run(&before, &edit(low, RowsParams::music(), None)).snapshot, 0);
        let db = 20.0 * (level(&after, hz).level / 0.3).log10();
        println!("{rate} Hz, low pass: {db:.2} dB, where its response is {expected:.2} dB");
        assert!((db - expected).abs() < 0.3, "{rate} Hz: {db:.2} dB, not {expected:.2}");
    }
}
