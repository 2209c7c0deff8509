//! The null test: the residual after subtracting one sound from another.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::features::ChannelChoice;
use crate::features::samples::SampleReader;
use crate::media::Source;
use serde::Serialize;

/// Maximum length of both sounds that is compared.
const MAX_SECS: f64 = 120.0;
/// Search range around the stated offset.
const REACH_SECS: f64 = 0.15;
/// Length of the piece used for alignment.
const PIECE_SECS: f64 = 0.5;
/// Number of offsets between checks for cancellation.
const CHECKED_OFFSETS: usize = 256;

/// Result of a null test. Levels are in dB, over all channels and the overlap of both sounds; 0 dB is a full-scale
/// square wave, and `None` a residual of zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NullTest {
    /// Root mean square of the difference.
    pub rms_db: Option<f64>,
    /// Peak of the difference.
    pub peak_db: Option<f64>,
    /// Root mean square of the difference after matching the level of the second to the first.
    pub matched_db: Option<f64>,
    /// Gain that matches the level of the second to the first, in dB.
    pub gain_db: f64,
    /// Start of the second sound in the first, in seconds.
    pub offset_secs: f64,
}

/// Subtracts the second sound from the first, aligned to the sample within 0.15 s of `offset_secs`, the start of the
/// second in the first. Compares channels individually if both have the same number, else their means. The second is
/// resampled to the rate of the first; only the first two minutes are compared.
///
/// # Errors
/// Read errors; sounds that do not overlap; cancelled.
pub fn null_test(sounds: [&Source; 2], offset_secs: f64, progress: &Progress) -> Result<NullTest> {
    let rate_hz = sounds[0].info().sample_rate_hz;
    let n_channels = sounds[0].info().n_channels;
    let choices: Vec<ChannelChoice> = match n_channels == sounds[1].info().n_channels {
        true => (0..n_channels).map(ChannelChoice::One).collect(),
        false => vec![ChannelChoice::Mix],
    };
    let rate = f64::from(rate_hz);
    let read = |sound: &Source, choice| samples(sound, choice, rate_hz, progress);
    let mixes = [read(sounds[0], ChannelChoice::Mix)?, read(sounds[1], ChannelChoice::Mix)?];
    let stated = (offset_secs * rate).round() as i64;
    let reach = (REACH_SECS * rate) as i64;
    let offset = aligned(&mixes, stated, reach, (PIECE_SECS * rate) as usize, progress)?;
    let mut sums = DifferenceSums::default();
    for choice in choices {
        let (first, second) = (read(sounds[0], choice)?, read(sounds[1], choice)?);
        let [first, second] = overlap(&first, &second, offset);
        if first.is_empty() {
            return Err(Error::new(ErrorKind::Script, "the two sounds do not overlap, so there is no difference"));
        }
        sums.add(first, second);
    }
    Ok(sums.finish(offset as f64 / rate))
}

fn samples(sound: &Source, choice: ChannelChoice, rate_hz: u32, progress: &Progress) -> Result<Vec<f32>> {
    progress.check()?;
    let mut samples = Vec::new();
    SampleReader::new(sound, choice, rate_hz)?.read((MAX_SECS * f64::from(rate_hz)) as usize, &mut samples)?;
    samples.iter_mut().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
    Ok(samples)
}

/// The overlapping samples if the second sound begins `offset` samples into the first.
fn overlap<'a>(first: &'a [f32], second: &'a [f32], offset: i64) -> [&'a [f32]; 2] {
    let from_first = first.get(offset.max(0) as usize..).unwrap_or_default();
    let from_second = second.get(offset.min(0).unsigned_abs() as usize..).unwrap_or_default();
    let n = from_first.len().min(from_second.len());
    [&from_first[..n], &from_second[..n]]
}

/// The offset at which the loudest piece of the second correlates best with the first; of ties the one nearest to
/// `stated`.
fn aligned(mixes: &[Vec<f32>; 2], stated: i64, reach: i64, n_piece: usize, progress: &Progress) -> Result<i64> {
    let [first, second] = mixes;
    let power = |piece: &[f32]| piece.iter().map(|sample| f64::from(sample * sample)).sum::<f64>();
    // Pieces whose start has a counterpart in the first sound.
    let starts = (0..second.len()).step_by(n_piece.max(1)).filter(|&start| {
        let there = start as i64 + stated;
        (0..first.len() as i64).contains(&there)
    });
    let loudest = starts
        .map(|start| (start, power(&second[start..second.len().min(start + n_piece)])))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((start, _)) = loudest.filter(|(_, power)| *power > 0.0) else { return Ok(stated) };
    let piece = &second[start..second.len().min(start + n_piece)];
    let mut best = (f64::NEG_INFINITY, stated);
    let distances = (0..=reach).flat_map(|away| if away == 0 { vec![0] } else { vec![away, -away] });
    for (at, away) in distances.enumerate() {
        if at % CHECKED_OFFSETS == 0 {
            progress.check()?;
        }
        let there = start as i64 + stated + away;
        let [counterpart, piece] = overlap(first, piece, there);
        let product = counterpart.iter().zip(piece).map(|(a, b)| a * b).sum::<f32>();
        if f64::from(product) > best.0 {
            best = (f64::from(product), stated + away);
        }
    }
    Ok(best.1)
}

/// Sums over pairs of samples.
#[derive(Default)]
struct DifferenceSums {
    n: u64,
    /// Sums of the products of first and first, first and second, second and second.
    products: [f64; 3],
    difference: f64,
    peak: f64,
}

impl DifferenceSums {
    fn add(&mut self, first: &[f32], second: &[f32]) {
        self.n += first.len() as u64;
        for (a, b) in first.iter().zip(second).map(|(a, b)| (f64::from(*a), f64::from(*b))) {
            let products = [a * a, a * b, b * b];
            self.products.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
            self.difference += (a - b) * (a - b);
            self.peak = self.peak.max((a - b).abs());
        }
    }

    fn finish(self, offset_secs: f64) -> NullTest {
        let db = |amplitude: f64| (amplitude > 0.0).then(|| 20.0 * amplitude.log10());
        let [aa, ab, bb] = self.products;
        let n = self.n.max(1) as f64;
        // The gain that minimises the residual; 1 for sounds without positive correlation.
        let gain = if bb > 0.0 && ab > 0.0 { ab / bb } else { 1.0 };
        // Where the sums cancel, rounding errors of about 1e-16 of them remain.
        let matched = (aa - 2.0 * gain * ab + gain * gain * bb).max(0.0);
        let matched = if matched < 1e-14 * aa { 0.0 } else { matched };
        NullTest {
            rms_db: db((self.difference / n).sqrt()),
            peak_db: db(self.peak),
            matched_db: db((matched / n).sqrt()),
            gain_db: 20.0 * gain.log10(),
            offset_secs,
        }
    }
}
