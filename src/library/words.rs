//! Words by which one recording is recognised in another file: Chromaprint's, some eight a second.

use super::mono::MonoSound;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::media::Source;
use rusty_chromaprint::{Configuration, Fingerprinter};
use std::collections::HashMap;

/// The rate that words are made at. Fed another, the crate resamples by itself, and a quarter of the words differ.
const RATE_HZ: u32 = 11_025;
/// Samples from word to word: a third of a frame of 4,096.
const WORD_SAMPLES: u32 = 4_096 / 3;
/// Equal words at one offset that make a pair worth a comparison.
const LEAST_EQUAL: usize = 5;
/// Words that two recordings must overlap by: three seconds.
const LEAST_OVERLAP: usize = 24;
/// Recordings are the same if at most this share of the overlap's bits differ.
const MOST_ERRORS: f64 = 0.15;

/// Where one recording lies in another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordingMatch {
    /// Seconds into the first at which the second begins; below 0 if the first begins later.
    pub offset_secs: f64,
    /// Share of the bits that differ where both are.
    pub error_rate: f64,
}

/// The words of a sound, none of one under 2.8 s: those of `fpcalc` for the same samples.
///
/// # Errors
/// Those of reading; cancelled.
pub fn words(source: &Source, progress: &Progress) -> Result<Vec<u32>> {
    let mut printer = Fingerprinter::new(&Configuration::preset_test2());
    printer
        .start(RATE_HZ, 1)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("words could not be made: {error:?}")))?;
    let mut integers = Vec::new();
    MonoSound::passing(source, RATE_HZ).each_block(progress, &mut |block| {
        integers.clear();
        integers.extend(block.iter().map(|sample| (sample * 32_768.0).round().clamp(-32_768.0, 32_767.0) as i16));
        printer.consume(&integers);
    })?;
    printer.finish();
    Ok(printer.fingerprint().to_vec())
}

/// Whether two sounds hold the same recording, at any level and bitrate, one perhaps longer than the other.
pub fn match_recordings(first: &[u32], second: &[u32]) -> Option<RecordingMatch> {
    let mut places: HashMap<u32, Vec<i64>> = HashMap::new();
    for (at, &word) in first.iter().enumerate().filter(|(_, word)| is_telling(**word)) {
        places.entry(word).or_default().push(at as i64);
    }
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for (at, word) in second.iter().enumerate() {
        for place in places.get(word).into_iter().flatten() {
            *counts.entry(place - at as i64).or_default() += 1;
        }
    }
    let near = |offset: i64| (offset - 1..=offset + 1).filter_map(|offset| counts.get(&offset)).sum::<usize>();
    let worth = counts.keys().copied().filter(|&offset| near(offset) >= LEAST_EQUAL);
    let judged = worth.filter_map(|offset| Some((error_rate(first, second, offset)?, offset)));
    let (error_rate, offset) = judged.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
    let offset_secs = offset as f64 * f64::from(WORD_SAMPLES) / f64::from(RATE_HZ);
    (error_rate <= MOST_ERRORS).then_some(RecordingMatch { offset_secs, error_rate })
}

/// Words of silence and of clipping are found everywhere.
fn is_telling(word: u32) -> bool {
    word != 0 && word != u32::MAX
}

/// The share of bits that differ where both are, the second moved by so many words; `None` where that is too short.
fn error_rate(first: &[u32], second: &[u32], offset: i64) -> Option<f64> {
    let [skip_first, skip_second] = [offset, -offset].map(|skip| usize::try_from(skip).unwrap_or(0));
    let pairs = first.get(skip_first..)?.iter().zip(second.get(skip_second..)?);
    let (n_words, n_bits) = pairs.fold((0usize, 0u32), |(n, bits), (a, b)| (n + 1, bits + (a ^ b).count_ones()));
    (n_words >= LEAST_OVERLAP).then(|| f64::from(n_bits) / (32.0 * n_words as f64))
}
