//! Words that identify a recording in another file: Chromaprint's, about eight per second.

use crate::base::{Error, ErrorKind, Progress, Result, trace};
use crate::media::Source;
use crate::mono::MonoSound;
use rusty_chromaprint::{Configuration, Fingerprinter};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Sample rate for words. At other rates the Chromaprint crate resamples internally, and a quarter of the words differ.
const RATE_HZ: u32 = 11_025;
/// Number of samples between words: a third of a frame of 4,096.
const WORD_SAMPLES: u32 = 4_096 / 3;
/// Minimum number of equal words at one offset for a pair to be compared.
const MIN_EQUAL_WORDS: usize = 5;
/// Minimum number of positions in an overlap at which both recordings have distinctive words: three seconds.
const MIN_OVERLAP: usize = 24;
/// Maximum length of a run of equal words that is still distinctive. A ringing chord has as many; a steady tone or a
/// hum has more.
const MAX_RUN_WORDS: usize = 4;
/// Number of slots of the sieve, as a power of two: an hour has 29,000 words, which leaves 97 % of a million slots
/// free.
const SLOT_BITS: u32 = 20;
/// Maximum fraction of differing bits in the overlap of two copies of a recording.
const MAX_BIT_ERROR_RATE: f64 = 0.15;
/// Minimum fraction of the shorter recording's distinctive words that must be in that overlap.
const MIN_SHARE: f64 = 0.5;
/// Number of samples in the first word, which is longer than the following ones: 19 steps and a frame of 4,096.
const FIRST_WORD_SAMPLES: u32 = 19 * WORD_SAMPLES + 4_096;

/// The word of silence, as the crate computes it: it treats frames below about -72 dBFS as silent.
static SILENT_WORD: LazyLock<Option<u32>> = LazyLock::new(|| {
    let mut printer = started().ok()?;
    printer.consume(&vec![0; 3 * RATE_HZ as usize]);
    printer.finish();
    printer.fingerprint().first().copied()
});

/// Position of one recording in another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordingMatch {
    /// Start of the second in the first, in seconds; negative if the first begins later.
    pub offset_secs: f64,
    /// Fraction of differing bits where both have distinctive words.
    pub error_rate: f64,
    /// Length of the overlap in seconds.
    pub overlap_secs: f64,
    /// Whether the overlap contains at least half of the shorter recording's distinctive words.
    pub is_same: bool,
}

/// The words of a sound, empty if it is shorter than 2.8 s: those of `fpcalc` for the same samples.
///
/// # Errors
/// Read errors; cancelled.
pub fn words(source: &Source, progress: &Progress) -> Result<Vec<u32>> {
    let _span = trace::span("words");
    let mut printer = started()?;
    let mut integers = Vec::new();
    MonoSound::passing(source, RATE_HZ).each_block(progress, &mut |block| {
        integers.clear();
        integers.extend(block.iter().map(|sample| (sample * 32_768.0).round().clamp(-32_768.0, 32_767.0) as i16));
        printer.consume(&integers);
    })?;
    printer.finish();
    Ok(printer.fingerprint().to_vec())
}

fn started() -> Result<Fingerprinter> {
    let mut printer = Fingerprinter::new(&Configuration::preset_test2());
    printer
        .start(RATE_HZ, 1)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("words could not be made: {error:?}")))?;
    Ok(printer)
}

/// The number of words that `secs` of sound make, rounded down.
pub fn words_in(secs: u32) -> usize {
    (u64::from(secs) * u64::from(RATE_HZ) / u64::from(WORD_SAMPLES)) as usize
}

/// Finds the second recording, or a part of it, in the first, at any level and bit rate; `None` if they share too
/// little.
pub fn match_recordings(first: &[u32], second: &[u32]) -> Option<RecordingMatch> {
    WordIndex::of(second).find_in(first)
}

/// A recording to search for in many others.
#[derive(Debug)]
pub struct WordIndex {
    /// Distinctive words, from [`distinctive_words`].
    words: Vec<Option<u32>>,
    /// Positions of each distinctive word.
    places: HashMap<u32, Vec<usize>>,
    /// A bit per hash slot of words: quickly rejects most words of other recordings, which occur nowhere in this one.
    sieve: Vec<u64>,
}

impl WordIndex {
    /// The index of a recording.
    pub fn of(words: &[u32]) -> WordIndex {
        let words = distinctive_words(words);
        let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut sieve = vec![0u64; 1 << (SLOT_BITS - u64::BITS.ilog2())];
        for (at, word) in words.iter().enumerate().filter_map(|(at, word)| Some((at, (*word)?))) {
            places.entry(word).or_default().push(at);
            let slot = slot_of(word);
            sieve[slot / 64] |= 1 << (slot % 64);
        }
        WordIndex { words, places, sieve }
    }

    /// Position of the recording in another; offsets are seconds into the other.
    pub fn find_in(&self, other: &[u32]) -> Option<RecordingMatch> {
        let passes = |word: u32| {
            let slot = slot_of(word);
            self.sieve[slot / 64] >> (slot % 64) & 1 == 1
        };
        let passing = other.iter().enumerate().filter(|(_, word)| passes(**word));
        let equal: Vec<(usize, &[usize])> =
            passing.filter_map(|(at, word)| Some((at, self.places.get(word)?.as_slice()))).collect();
        if equal.iter().map(|(_, places)| places.len()).sum::<usize>() < MIN_EQUAL_WORDS {
            return None;
        }
        // Few recordings get this far.
        let other = distinctive_words(other);
        // Number of equal words per offset, shifted by `n` so that no index is negative; one more element at both
        // ends, for the neighbours.
        let n = self.words.len();
        let mut counts = vec![0u32; other.len() + n + 2];
        for (at, places) in equal.into_iter().filter(|(at, _)| other[*at].is_some()) {
            places.iter().for_each(|place| counts[at + n - place] += 1);
        }
        let n_telling = |words: &[Option<u32>]| words.iter().flatten().count();
        let shorter = if n < other.len() { n_telling(&self.words) } else { n_telling(&other) };
        let shorter = if n == other.len() { shorter.min(n_telling(&self.words)) } else { shorter };
        // A loop also matches itself a few bars later, so a match over more of it takes precedence.
        let mut best: Option<(bool, f64, i64)> = None;
        for (at, near) in counts.windows(3).enumerate() {
            if near[1] > 0 && near.iter().sum::<u32>() as usize >= MIN_EQUAL_WORDS {
                let offset = at as i64 + 1 - n as i64;
                let Some((errors, n_words)) = error_rate(&other, &self.words, offset) else { continue };
                let found = ((n_words as f64) < MIN_SHARE * shorter as f64, errors, offset);
                let is_better = best.is_none_or(|best| (found.0, found.1) < (best.0, best.1));
                if errors <= MAX_BIT_ERROR_RATE && is_better {
                    best = Some(found);
                }
            }
        }
        let (is_overlap, error_rate, offset) = best?;
        let secs = |n_words: i64| n_words as f64 * f64::from(WORD_SAMPLES) / f64::from(RATE_HZ);
        let n_shared = (other.len() as i64).min(offset + n as i64) - offset.max(0);
        let overlap_secs = secs(n_shared - 1) + f64::from(FIRST_WORD_SAMPLES) / f64::from(RATE_HZ);
        Some(RecordingMatch { offset_secs: secs(offset), error_rate, overlap_secs, is_same: !is_overlap })
    }
}

/// The sieve's slot for a word: the highest bits of a product.
fn slot_of(word: u32) -> usize {
    (word.wrapping_mul(0x9e37_79b9) >> (u32::BITS - SLOT_BITS)) as usize
}

/// The distinctive words of a recording, with `None` in place of others. Words of silence and of clipping occur
/// everywhere, and a steady tone repeats one word.
pub(crate) fn distinctive_words(words: &[u32]) -> Vec<Option<u32>> {
    let silent = *SILENT_WORD;
    let is_distinctive =
        |run: &[u32]| run.len() <= MAX_RUN_WORDS && !matches!(run[0], 0 | u32::MAX) && Some(run[0]) != silent;
    let runs = words.chunk_by(|a, b| a == b);
    runs.flat_map(|run| std::iter::repeat_n(is_distinctive(run).then_some(run[0]), run.len())).collect()
}

/// The fraction of differing bits where both have distinctive words, the second shifted by `offset` words, and the
/// number of these words; `None` if there are too few.
fn error_rate(first: &[Option<u32>], second: &[Option<u32>], offset: i64) -> Option<(f64, usize)> {
    let [skip_first, skip_second] = [offset, -offset].map(|skip| usize::try_from(skip).unwrap_or(0));
    let pairs = first.get(skip_first..)?.iter().zip(second.get(skip_second..)?).filter_map(|(a, b)| a.zip(*b));
    let (n_words, n_bits) = pairs.fold((0usize, 0u32), |(n, bits), (a, b)| (n + 1, bits + (a ^ b).count_ones()));
    (n_words >= MIN_OVERLAP).then(|| (f64::from(n_bits) / (32.0 * n_words as f64), n_words))
}
