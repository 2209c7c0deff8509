//! The fundamental of a recorded tone.

use crate::dsp::yin::Yin;
use std::f64::consts::TAU;

/// Fundamentals that are found.
const RANGE_HZ: [f64; 2] = [20.0, 5000.0];

/// Seconds of sound whose period is compared with itself.
const WINDOW_SECS: f64 = 0.05;

/// Frames that repeat less exactly do not count.
const MOST_APERIODICITY: f64 = 0.2;

/// Most samples of which a spectrum is taken.
const MOST_SAMPLES: usize = 1 << 15;

/// Frequencies that are tried for each bin of the spectrum.
const TRIED_PER_BIN: f64 = 4.0;

/// The fundamental of a tone in mono `samples`, in hertz: the loudest frequency of a band of an octave or less, else the
/// period that most of it repeats with. `None` if nothing repeats.
pub fn fundamental(samples: &[f32], rate_hz: f64, band_hz: Option<[f64; 2]>) -> Option<f64> {
    let [low, high] = band_hz.unwrap_or(RANGE_HZ);
    let (low, high) = (low.max(RANGE_HZ[0]), high.min(RANGE_HZ[1]).min(rate_hz / 4.0));
    if low >= high || samples.is_empty() {
        None
    } else if high <= 2.0 * low {
        Some(loudest(&samples[..samples.len().min(MOST_SAMPLES)], rate_hz, [low, high]))
    } else {
        repeated(samples, rate_hz, [low, high])
    }
}

/// The loudest frequency of a band, under a Hann window.
fn loudest(samples: &[f32], rate_hz: f64, [low, high]: [f64; 2]) -> f64 {
    let n = samples.len() as f64;
    let hann = |k: usize| 0.5 - 0.5 * (TAU * k as f64 / n).cos();
    let windowed: Vec<f64> = samples.iter().enumerate().map(|(k, sample)| f64::from(*sample) * hann(k)).collect();
    let power = |hz: f64| {
        // Goertzel's sum: a resonator at the frequency.
        let turn = 2.0 * (TAU * hz / rate_hz).cos();
        let (last, before) = windowed.iter().fold((0.0, 0.0), |(a, b), sample| (sample + turn * a - b, a));
        last * last + before * before - turn * last * before
    };
    let best = |tried: &mut dyn Iterator<Item = f64>| {
        let rated = tried.map(|hz| (hz, power(hz)));
        rated.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(low, |(hz, _)| hz)
    };
    let mut step = rate_hz / n / TRIED_PER_BIN;
    let n_tried = ((high - low) / step).ceil().max(1.0) as usize;
    let mut hz = best(&mut (0..=n_tried).map(|i| (low + i as f64 * step).min(high)));
    while step > 1e-3 {
        step /= 2.0;
        hz = best(&mut [hz - step, hz, hz + step].into_iter());
    }
    hz.clamp(low, high)
}

/// The median of the periods of all frames that repeat.
fn repeated(samples: &[f32], rate_hz: f64, [low, high]: [f64; 2]) -> Option<f64> {
    let n_window = (WINDOW_SECS.max(2.0 / low) * rate_hz) as usize;
    let n_frame = (n_window + (rate_hz / low).ceil() as usize + 2).next_power_of_two();
    let mut yin = Yin::new(rate_hz, n_frame, n_window, [low, high]);
    let frames = samples.windows(n_frame).step_by(n_window);
    let readings = frames.map(|frame| yin.read(frame)).filter(|reading| reading.aperiodicity < MOST_APERIODICITY);
    let mut hz: Vec<f64> = readings.map(|reading| reading.hz).collect();
    hz.sort_by(f64::total_cmp);
    hz.get(hz.len() / 2).copied()
}
