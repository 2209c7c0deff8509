//! Measurements of labels: laws of power, and values that follow from the signal.

use base::Progress;
use document::Snapshot;
use document::labels::{Label, LabelMeasureParams, LabelMeasures, LabelSet, MEASURE_COLUMNS, measure_labels};
use media::Source;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use support::signals::{Rng, tone};

const RATE: f64 = 48_000.0;
const N_FFT: usize = 2_048;
const HOP: usize = 512;

fn snapshot_of(channels: &[Vec<f32>], rate_hz: u32) -> Snapshot {
    Snapshot::new(Source::from_channels(channels.to_vec(), rate_hz).unwrap())
}

fn measured(channels: &[Vec<f32>], labels: Vec<Label>) -> Vec<LabelMeasures> {
    measured_in(&snapshot_of(channels, RATE as u32), labels)
}

fn measured_in(snapshot: &Snapshot, labels: Vec<Label>) -> Vec<LabelMeasures> {
    let labels = LabelSet::of(labels).unwrap();
    measure_labels(snapshot, &labels, LabelMeasureParams::default(), &Progress::new()).unwrap()
}

fn boxed(secs: [f64; 2], hz: [f64; 2]) -> Label {
    Label { low_hz: Some(hz[0]), high_hz: Some(hz[1]), ..Label::new(secs, "x") }
}

fn white(n: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng(seed);
    (0..n).map(|_| (rng.normal() * 0.1) as f32).collect()
}

/// White noise limited to a band by zeroing all other FFT bins.
fn noise_of(low_hz: f64, high_hz: f64, seed: u64) -> Vec<f32> {
    let n = 1 << 20;
    let mut planner = FftPlanner::<f64>::new();
    let mut cells: Vec<Complex<f64>> = white(n, seed).iter().map(|x| Complex::new(f64::from(*x), 0.0)).collect();
    planner.plan_fft_forward(n).process(&mut cells);
    for (bin, cell) in cells.iter_mut().enumerate() {
        let hz = bin.min(n - bin) as f64 * RATE / n as f64;
        if !(low_hz..=high_hz).contains(&hz) {
            *cell = Complex::new(0.0, 0.0);
        }
    }
    planner.plan_fft_inverse(n).process(&mut cells);
    cells.iter().map(|cell| (cell.re / n as f64) as f32).collect()
}

/// Power of a frame's bins by the definition: a separate transform with a Hann window.
fn frame_power(samples: &[f32], frame: i64) -> Vec<f64> {
    let window: Vec<f64> =
        (0..N_FFT).map(|k| 0.5 - 0.5 * (std::f64::consts::TAU * k as f64 / N_FFT as f64).cos()).collect();
    let first = frame * HOP as i64 - N_FFT as i64 / 2;
    let at = |k: usize| usize::try_from(first + k as i64).ok().and_then(|at| samples.get(at)).copied().unwrap_or(0.0);
    let mut cells: Vec<Complex<f64>> = (0..N_FFT).map(|k| Complex::new(f64::from(at(k)) * window[k], 0.0)).collect();
    FftPlanner::<f64>::new().plan_fft_forward(N_FFT).process(&mut cells);
    let squares: f64 = window.iter().map(|w| w * w).sum();
    let scale = |bin: usize| if bin == 0 || bin == N_FFT / 2 { 1.0 } else { 2.0 };
    (0..=N_FFT / 2).map(|bin| scale(bin) * cells[bin].norm_sqr() / (N_FFT as f64 * squares)).collect()
}

fn is_near(found: Option<f64>, wanted: f64, tolerance: f64) {
    let found = found.expect("measured");
    assert!((found - wanted).abs() <= tolerance, "{found} is not {wanted} +- {tolerance}");
}

#[test]
fn the_power_of_a_box_of_all_bins_is_the_mean_square() {
    let noise = white(96_000, 5);
    // One second over all bins, including 0 Hz: the power of the frames is the windowed mean square of their samples.
    let found = &measured(std::slice::from_ref(&noise), vec![boxed([0.5, 1.5], [0.0, RATE / 2.0])])[0];
    let frames = 47..141usize;
    let parseval: f64 = frames.clone().map(|frame| frame_power(&noise, frame as i64).iter().sum::<f64>()).sum();
    is_near(Some(found.cells.power), parseval / frames.len() as f64, 1e-5 * found.cells.power);
    let window: Vec<f64> =
        (0..N_FFT).map(|k| 0.5 - 0.5 * (std::f64::consts::TAU * k as f64 / N_FFT as f64).cos()).collect();
    let squares: f64 = window.iter().map(|w| w * w).sum();
    let mean_square = |frame: usize| {
        let first = frame * HOP - N_FFT / 2;
        let weighted = window.iter().zip(&noise[first..]).map(|(w, x)| (w * f64::from(*x)).powi(2));
        weighted.sum::<f64>() / squares
    };
    let expected: f64 = frames.clone().map(mean_square).sum::<f64>() / frames.len() as f64;
    is_near(Some(found.cells.power), expected, 1e-5 * expected);
    is_near(found.rms_db, 20.0 * 0.1f64.log10(), 0.1);
}

#[test]
fn a_full_scale_sine_is_0_db() {
    let hz = 100.0 * RATE / N_FFT as f64;
    let sine = tone(96_000, RATE, hz, 1.0);
    let found = &measured(&[sine], vec![boxed([0.5, 1.5], [hz - 200.0, hz + 200.0])])[0];
    is_near(found.cells.inband_db, 0.0, 1e-5);
    let [peak_hz, _, peak_db] = found.cells.peak.unwrap();
    is_near(Some(peak_hz), hz, 1e-3);
    is_near(Some(peak_db), 0.0, 1e-3);
    // A Hann window spreads the power of the sine over three bins, by 1/6, 2/3 and 1/6.
    is_near(found.cells.aggregate_entropy, 1.25, 0.01);
    is_near(found.cells.average_entropy, 1.25, 0.01);
    is_near(found.rms_db, -3.01, 0.01);
    is_near(found.true_peak_db, 0.0, 0.05);
    is_near(found.cells.centroid_hz, hz, 0.1);
    // The peak is found between two bins as well.
    let between = tone(96_000, RATE, hz + 11.0, 1.0);
    let [peak_hz, _, peak_db] =
        measured(&[between], vec![boxed([0.5, 1.5], [hz - 200.0, hz + 200.0])])[0].cells.peak.unwrap();
    is_near(Some(peak_hz), hz + 11.0, 0.1);
    is_near(Some(peak_db), 0.0, 0.01);
}

#[test]
fn the_energy_of_noise_lies_evenly_in_its_band() {
    let noise = noise_of(2_000.0, 6_000.0, 7);
    let bin_hz = RATE / N_FFT as f64;
    let found = &measured(&[noise], vec![Label::new([1.0, 20.0], "no band")])[0];
    let hz = found.cells.hz.unwrap();
    for (found, wanted) in hz.iter().zip([2_200.0, 3_000.0, 4_000.0, 5_000.0, 5_800.0]) {
        is_near(Some(*found), wanted, 0.4 * bin_hz);
    }
    let bins = (4_000.0 / bin_hz).log2();
    is_near(found.cells.aggregate_entropy, bins + 0.01, 0.02);
    let apart = found.cells.aggregate_entropy.unwrap() - found.cells.average_entropy.unwrap();
    is_near(Some(apart), 0.6, 0.05);
    let secs = found.cells.secs.unwrap();
    for (found, share) in secs.iter().zip([0.05, 0.25, 0.5, 0.75, 0.95]) {
        is_near(Some(*found), 1.0 + 19.0 * share, 0.05);
    }
    is_near(found.cells.centroid_hz, 4_000.0, 20.0);
    // In white noise, the quantiles of a box depend only on the part inside, and lie inside.
    let found = &measured(&[white(480_000, 9)], vec![boxed([1.0, 9.0], [2_000.0, 6_000.0])])[0];
    let hz = found.cells.hz.unwrap();
    for (found, wanted) in hz.iter().zip([2_200.0, 3_000.0, 4_000.0, 5_000.0, 5_800.0]) {
        is_near(Some(*found), wanted, bin_hz);
    }
}

#[test]
fn gain_moves_levels_alone() {
    let noise = white(96_000, 11);
    let half: Vec<f32> = noise.iter().map(|sample| sample * 0.5).collect();
    let label = || vec![boxed([0.5, 1.5], [1_000.0, 9_000.0])];
    let [loud, quiet] = [&noise, &half].map(|samples| measured(std::slice::from_ref(samples), label())[0].clone());
    let six = 20.0 * 0.5f64.log10();
    // Without the SNR, which noise alone does not have.
    for column in MEASURE_COLUMNS.iter().filter(|column| column.name != "snr_db") {
        let values = [&loud, &quiet].map(|of| (column.value)(of));
        let [Some(loud), Some(quiet)] = values else { panic!("{}: {values:?}", column.name) };
        let moved = if column.name.ends_with("_db") { six } else { 0.0 };
        assert!((quiet - loud - moved).abs() < 1e-5 * loud.abs().max(1.0), "{}: {loud} {quiet}", column.name);
    }
}

#[test]
fn the_energies_of_halves_add_up() {
    let noise = white(96_000, 13);
    // Cut where no frame is, so that none counts twice.
    let cut = 100.5 * HOP as f64 / RATE;
    let hz = [500.0, 12_000.0];
    let found = measured(&[noise], vec![boxed([0.5, 1.5], hz), boxed([0.5, cut], hz), boxed([cut, 1.5], hz)]);
    let energy = |of: &LabelMeasures| 10f64.powf(of.cells.energy_db.unwrap() / 10.0);
    // Labels are sorted by time.
    let [first, whole, second] = [&found[0], &found[1], &found[2]].map(energy);
    is_near(Some(first + second), whole, 1e-9 * whole);
}

/// Compares all measurements of a label with f64 references computed from their definitions.
#[test]
fn all_is_as_the_definitions_say() {
    let channels = [white(96_000, 17), noise_of(3_000.0, 5_000.0, 19)[..96_000].to_vec()];
    let found = &measured(&channels, vec![boxed([0.71, 1.11], [2_000.0, 8_000.0])])[0];
    let (hop, bin) = (HOP as f64 / RATE, RATE / N_FFT as f64);
    let frames: Vec<i64> = (0..200).filter(|m| (0.71..1.11).contains(&(*m as f64 * hop))).collect();
    let bins: Vec<usize> = (0..=N_FFT / 2).filter(|k| (2_000.0..=8_000.0).contains(&(*k as f64 * bin))).collect();
    let rows: Vec<Vec<f64>> = frames
        .iter()
        .map(|frame| {
            let [a, b] = [0, 1].map(|channel| frame_power(&channels[channel], *frame));
            bins.iter().map(|bin| (a[*bin] + b[*bin]) / 2.0).collect()
        })
        .collect();
    let total: f64 = rows.iter().flatten().sum();
    let e: Vec<f64> = (0..bins.len()).map(|k| rows.iter().map(|row| row[k]).sum()).collect();
    let t: Vec<f64> = rows.iter().map(|row| row.iter().sum()).collect();
    let cells = &found.cells;
    is_near(cells.energy_db, 10.0 * (2.0 * total * hop).log10(), 1e-5);
    is_near(cells.inband_db, 10.0 * (2.0 * total / frames.len() as f64).log10(), 1e-5);
    let bits = |values: &[f64]| {
        let sum: f64 = values.iter().sum();
        values.iter().map(|value| -(value / sum) * (value / sum).log2()).sum::<f64>()
    };
    is_near(cells.aggregate_entropy, bits(&e), 1e-5);
    is_near(cells.average_entropy, rows.iter().map(|row| bits(row)).sum::<f64>() / rows.len() as f64, 1e-5);
    let quantile = |values: &[f64], first: f64, step: f64, share: f64, within: [f64; 2]| {
        let wanted = share * values.iter().sum::<f64>();
        let mut below = 0.0;
        for (at, value) in values.iter().enumerate() {
            if below + value >= wanted {
                return ((first + at as f64 - 0.5 + (wanted - below) / value) * step).clamp(within[0], within[1]);
            }
            below += value;
        }
        within[1]
    };
    for (at, share) in [0.05, 0.25, 0.5, 0.75, 0.95].into_iter().enumerate() {
        let hz = quantile(&e, bins[0] as f64, bin, share, [2_000.0, 8_000.0]);
        is_near(Some(cells.hz.unwrap()[at]), hz, 1e-5 * hz);
        let secs = quantile(&t, frames[0] as f64, hop, share, [0.71, 1.11]);
        is_near(Some(cells.secs.unwrap()[at]), secs, 1e-5 * secs);
    }
    // Noise is measured 20 ms away from the label, over 0.4 s on each side; there are no other labels.
    let noise_frames = (0..187).filter(|m| {
        let secs = *m as f64 * hop;
        (0.29..0.69).contains(&secs) || (1.13..1.53).contains(&secs)
    });
    let mut noise: Vec<f64> = noise_frames
        .map(|frame| {
            let [a, b] = [0, 1].map(|channel| frame_power(&channels[channel], frame));
            bins.iter().map(|bin| (a[*bin] + b[*bin]) / 2.0).sum()
        })
        .collect();
    noise.sort_by(f64::total_cmp);
    let n = (noise[(noise.len() - 1) / 2] + noise[noise.len() / 2]) / 2.0;
    let s = total / frames.len() as f64;
    let expected = (s > n).then(|| 10.0 * ((s - n) / n).log10());
    match expected {
        Some(snr) => is_near(found.snr_db, snr, 1e-4),
        None => assert_eq!(found.snr_db, None),
    }
}

#[test]
fn a_tone_stands_above_the_noise_around_it() {
    let mut sound: Vec<f32> = white(96_000, 23).iter().map(|sample| sample * 0.01).collect();
    let call = tone(24_000, RATE, 4_000.0, 0.01);
    sound[36_000..60_000].iter_mut().zip(&call).for_each(|(sample, call)| *sample += call);
    let label = boxed([0.8, 1.2], [3_000.0, 5_000.0]);
    // The tone has an amplitude of 0.01, the white noise an RMS of 0.001, of which 2 of 24 kHz lie in the band.
    let expected = 10.0 * (0.01f64.powi(2) / 2.0 / (0.001f64.powi(2) * 2.0 / 24.0)).log10();
    let alone = &measured(std::slice::from_ref(&sound), vec![label.clone()])[0];
    // The call extends 50 ms beyond its label on both sides, and so into the ranges of the noise;
    // their median tolerates that.
    is_near(alone.snr_db, expected, 0.5);
    // Ranges covered by other labels are not used as noise.
    let others = vec![label, Label::new([0.0, 0.78], "a"), Label::new([1.22, 2.0], "b")];
    let found = measured(&[sound], others);
    assert_eq!(found[1].snr_db, None);
}

#[test]
fn of_silence_and_of_what_is_not_there_nothing_is_said() {
    let found = measured(
        &[vec![0.0; 96_000]],
        vec![
            Label::new([0.5, 1.0], "silence"),
            Label::new([1.0, 1.0], "a marker"),
            Label::new([-3.0, -2.0], "before"),
            Label::new([5.0, 6.0], "behind"),
            Label { channel: Some(3), ..Label::new([0.5, 1.0], "no such channel") },
        ],
    );
    for (measures, column) in
        found.iter().flat_map(|measures| MEASURE_COLUMNS.iter().map(move |column| (measures, column)))
    {
        assert_eq!((column.value)(measures), None, "{}", column.name);
    }
    // A marker or a band between two bins uses the nearest cell.
    let cell = &measured(&[white(96_000, 29)], vec![boxed([1.0, 1.0], [1_000.0, 1_001.0])])[0];
    assert!(cell.cells.energy_db.is_some() && cell.rms_db.is_some());
    is_near(cell.cells.hz.map(|hz| hz[2]), 1_000.5, 0.5);
}

#[test]
fn a_label_of_a_channel_is_measured_there() {
    let channels = [tone(96_000, RATE, 1_000.0, 0.5), tone(96_000, RATE, 5_000.0, 0.25)];
    let of = |channel: Option<u16>| Label { channel, ..Label::new([0.5, 1.5], "x") };
    let found = measured(&channels, vec![of(Some(0)), of(Some(1)), of(None)]);
    let levels: Vec<f64> = found.iter().map(|measures| measures.cells.inband_db.unwrap()).collect();
    is_near(Some(levels[0]), 20.0 * 0.5f64.log10(), 0.001);
    is_near(Some(levels[1]), 20.0 * 0.25f64.log10(), 0.001);
    // Without a channel, the powers of all channels are averaged.
    is_near(Some(levels[2]), 10.0 * ((0.25 + 0.0625) / 2.0f64).log10(), 0.001);
    is_near(found[2].true_peak_db, 20.0 * 0.5f64.log10(), 0.1);
}

/// Prints the time for 10,000 labels of 0.2 s on an hour.
#[test]
#[ignore = "a measurement: run it alone, in a release build"]
fn ten_thousand_labels_on_an_hour() {
    let snapshot = snapshot_of(&[white(3_600 * 48_000, 31)], 48_000);
    let labels =
        (0..10_000).map(|n| boxed([f64::from(n) * 0.36, f64::from(n) * 0.36 + 0.2], [2_000.0, 6_000.0])).collect();
    let start = std::time::Instant::now();
    let found = measured_in(&snapshot, labels);
    println!("{} labels in {:.2} s", found.len(), start.elapsed().as_secs_f64());
}
