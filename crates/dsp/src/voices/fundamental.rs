//! The fundamental of a recorded tone.

use crate::dsp::pitch::yin::{Yin, vertex};
use crate::dsp::{FftPlans, Window};
use rustfft::num_complex::Complex32;

/// Search range of fundamentals.
const RANGE_HZ: [f64; 2] = [20.0, 5000.0];

/// Minimum length of YIN's window, which is compared with the samples one period later.
const WINDOW_SECS: f64 = 0.05;

/// Aperiodicity below which a frame is used.
const MAX_APERIODICITY: f64 = 0.2;

/// Samples per spectrum.
const WINDOW_SAMPLES: usize = 1 << 15;

/// Minimum ratio of the zero-padded FFT's length to the window's.
const FINER: usize = 4;

/// The fundamental of a tone in mono `samples`, in hertz: the loudest frequency of a band of an octave or less, else
/// the median of the periods of its frames. `None` if it is not periodic.
pub fn fundamental(samples: &[f32], rate_hz: f64, band_hz: Option<[f64; 2]>, ffts: &FftPlans) -> Option<f64> {
    let [low, high] = band_hz.unwrap_or(RANGE_HZ);
    let (low, high) = (low.max(RANGE_HZ[0]), high.min(RANGE_HZ[1]).min(rate_hz / 4.0));
    if low >= high || samples.is_empty() {
        None
    } else if high <= 2.0 * low {
        Some(loudest(samples, rate_hz, [low, high], ffts))
    } else {
        repeated(samples, rate_hz, [low, high])
    }
}

/// The frequency in a band with the most power, in hertz. Power is summed over half-overlapping Hann windows of all
/// samples, since the strings of a chord may start long after one another.
fn loudest(samples: &[f32], rate_hz: f64, [low, high]: [f64; 2], ffts: &FftPlans) -> f64 {
    let n_window = samples.len().min(WINDOW_SAMPLES);
    // Zero-padding makes bins close enough for a parabola to locate the peak between them.
    let size = (FINER * n_window).next_power_of_two();
    let hz_per_bin = rate_hz / size as f64;
    let [first, last] = [(low / hz_per_bin).floor().max(1.0) as usize, (high / hz_per_bin).ceil() as usize];
    let window = Window::Hann.samples(n_window);
    let forward = ffts.get(size).forward;
    let (mut frame, mut spectrum) = (vec![0.0f32; size], vec![Complex32::default(); size / 2 + 1]);
    let mut scratch = forward.make_scratch_vec();
    let mut power = vec![0.0f64; last + 2 - first];
    for part in samples.windows(n_window).step_by(n_window.div_ceil(2)) {
        frame.fill(0.0);
        frame.iter_mut().zip(part.iter().zip(&window)).for_each(|(out, (x, w))| *out = (f64::from(*x) * w) as f32);
        // Cannot fail: the buffers have the plan's lengths.
        forward.process_with_scratch(&mut frame, &mut spectrum, &mut scratch).ok();
        let bins = spectrum[first - 1..].iter().map(|cell| f64::from(cell.norm_sqr()));
        power.iter_mut().zip(bins).for_each(|(sum, value)| *sum += value);
    }
    let Some(top) = (1..power.len() - 1).max_by(|a, b| power[*a].total_cmp(&power[*b])) else { return low };
    let around = [top - 1, top, top + 1].map(|at| power[at].max(f64::MIN_POSITIVE).ln());
    (((first - 1 + top) as f64 + vertex(around)) * hz_per_bin).clamp(low, high)
}

/// The median fundamental of all periodic frames, in hertz.
fn repeated(samples: &[f32], rate_hz: f64, [low, high]: [f64; 2]) -> Option<f64> {
    let n_window = (WINDOW_SECS.max(2.0 / low) * rate_hz) as usize;
    let n_frame = (n_window + (rate_hz / low).ceil() as usize + 4).next_power_of_two();
    let mut yin = Yin::new(rate_hz, [n_frame, n_window, n_window], [low, high]);
    let frames = samples.windows(n_frame).step_by(n_window);
    let readings = frames.filter_map(|frame| yin.read(frame)).filter(|reading| reading.aperiodicity < MAX_APERIODICITY);
    let mut hz: Vec<f64> = readings.map(|reading| reading.hz).collect();
    hz.sort_by(f64::total_cmp);
    hz.get(hz.len() / 2).copied()
}
