//! Sounds that are easy to measure, and the measuring.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex64;
use std::path::Path;

/// Writes a 16-bit mono WAV file.
pub fn write_wav(path: &Path, rate_hz: u32, samples: &[f64]) {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: rate_hz,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    for sample in samples {
        writer.write_sample((sample * 32_767.0).round() as i16).unwrap();
    }
    writer.finalize().unwrap();
}

/// The integers of a 16-bit WAV file.
pub fn read_wav(path: &Path) -> Vec<i32> {
    let mut reader = hound::WavReader::open(path).unwrap();
    assert_eq!(reader.spec().bits_per_sample, 16);
    reader.samples::<i32>().map(Result::unwrap).collect()
}

/// Writes a WAV file of 32-bit floats.
pub fn write_floats(path: &Path, rate_hz: f64, channels: &[Vec<f32>]) {
    let (bits_per_sample, sample_format) = (32, hound::SampleFormat::Float);
    let (n_channels, sample_rate) = (channels.len() as u16, rate_hz as u32);
    let spec = hound::WavSpec { channels: n_channels, sample_rate, bits_per_sample, sample_format };
    let mut writer = hound::WavWriter::create(path, spec).unwrap();
    for at in 0..channels[0].len() {
        channels.iter().for_each(|channel| writer.write_sample(channel[at]).unwrap());
    }
    writer.finalize().unwrap();
}

/// The channels of a WAV file of 32-bit floats.
pub fn read_floats(path: &Path) -> Vec<Vec<f32>> {
    let mut reader = hound::WavReader::open(path).unwrap();
    let n_channels = usize::from(reader.spec().channels);
    let samples: Vec<f32> = reader.samples::<f32>().map(Result::unwrap).collect();
    (0..n_channels).map(|channel| samples[channel..].iter().step_by(n_channels).copied().collect()).collect()
}

/// Equal tones, `spacing_hz` apart up to `top_hz`, their phases as unlike as can be.
pub fn comb(n_samples: usize, rate_hz: f64, spacing_hz: f64, top_hz: f64, level: f64) -> Vec<f64> {
    let n_tones = (top_hz / spacing_hz) as usize;
    let mut samples = vec![0.0; n_samples];
    for tone in 1..=n_tones {
        // Schroeder's phases keep the sum low.
        let phase = std::f64::consts::PI * (tone * tone) as f64 / n_tones as f64;
        let step = std::f64::consts::TAU * spacing_hz * tone as f64 / rate_hz;
        samples.iter_mut().enumerate().for_each(|(n, sample)| *sample += level * (step * n as f64 + phase).cos());
    }
    samples
}

pub fn tone(n_samples: usize, rate_hz: f64, hz: f64, level: f64) -> Vec<f64> {
    (0..n_samples).map(|n| level * (std::f64::consts::TAU * hz * n as f64 / rate_hz).sin()).collect()
}

/// Energy of each bin from DC to Nyquist, and the bins' spacing in hertz.
pub fn energies(samples: &[f64], rate_hz: f64) -> (Vec<f64>, f64) {
    let n = samples.len().next_power_of_two();
    let mut values: Vec<Complex64> = samples.iter().map(|&sample| Complex64::new(sample, 0.0)).collect();
    values.resize(n, Complex64::default());
    FftPlanner::new().plan_fft_forward(n).process(&mut values);
    (values[..n / 2 + 1].iter().map(Complex64::norm_sqr).collect(), rate_hz / n as f64)
}

/// The centre of gravity of weights, in units of their index.
pub fn centroid(weights: &[f64]) -> f64 {
    let sum: f64 = weights.iter().sum();
    weights.iter().enumerate().map(|(index, weight)| index as f64 * weight).sum::<f64>() / sum
}

/// The frequency of the strongest tone of a stretch, under a Hann window.
pub fn loudest_hz(samples: &[f64], rate_hz: f64) -> f64 {
    let n = samples.len() as f64;
    let hann = |i: usize| 0.5 - 0.5 * (std::f64::consts::TAU * i as f64 / n).cos();
    let mut windowed: Vec<f64> = samples.iter().enumerate().map(|(i, sample)| sample * hann(i)).collect();
    windowed.resize(samples.len() * 8, 0.0);
    let (energies, spacing_hz) = energies(&windowed, rate_hz);
    let loudest = (1..energies.len()).max_by(|&a, &b| energies[a].total_cmp(&energies[b])).unwrap();
    loudest as f64 * spacing_hz
}

/// The largest normalised correlation of `clip` with a stretch of `recording` of its length, and where that starts.
pub fn best_correlation(recording: &[f64], clip: &[f64]) -> (f64, usize) {
    let n = (recording.len() + clip.len()).next_power_of_two();
    let mut planner = FftPlanner::new();
    let transformed = |samples: &[f64], planner: &mut FftPlanner<f64>| {
        let mut values: Vec<Complex64> = samples.iter().map(|&sample| Complex64::new(sample, 0.0)).collect();
        values.resize(n, Complex64::default());
        planner.plan_fft_forward(n).process(&mut values);
        values
    };
    let (a, b) = (transformed(recording, &mut planner), transformed(clip, &mut planner));
    let mut product: Vec<Complex64> = a.iter().zip(&b).map(|(a, b)| a * b.conj()).collect();
    planner.plan_fft_inverse(n).process(&mut product);
    let n_places = (recording.len() + 1).saturating_sub(clip.len());
    assert!(n_places > 0, "the recording is shorter than the clip");
    let start = (0..n_places).max_by(|&i, &j| product[i].re.total_cmp(&product[j].re)).unwrap();
    let heard = &recording[start..start + clip.len()];
    let dot: f64 = heard.iter().zip(clip).map(|(a, b)| a * b).sum();
    let energy = |samples: &[f64]| samples.iter().map(|sample| sample * sample).sum::<f64>();
    (dot / (energy(heard) * energy(clip)).sqrt(), start)
}
