//! Candidate pairs of recordings: those with several equal words at one offset.

use crate::base::{Progress, Result};
use crate::library::identity::words::distinctive_words;
use rayon::prelude::*;

/// Maximum number of sounds that share a word; more common words do not distinguish sounds.
const MAX_SOUNDS: usize = 200;
/// Maximum number of positions of a word considered per sound, since loops and wavering tones repeat their words.
const MAX_PLACES: usize = 16;
/// Minimum number of equal words at one offset, or at neighbouring ones.
const MIN_EQUAL_WORDS: usize = 5;

/// Position of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WordPlace {
    word: u32,
    sound: u32,
    offset: u32,
}

/// Index pairs of candidates, in order. Compares the first `n_words` of each sound. Memory holds an index of these
/// words, and the words that one sound shares with others.
///
/// # Errors
/// Cancelled.
pub fn candidate_pairs(sounds: &[&[u32]], n_words: usize, progress: &Progress) -> Result<Vec<(usize, usize)>> {
    let mut index = Vec::new();
    for (sound, words) in sounds.iter().enumerate() {
        progress.check()?;
        index.extend(places(words, n_words, sound));
    }
    index.par_sort_unstable();
    let mut pairs = Vec::new();
    let mut shared = Vec::new();
    for (first, words) in sounds.iter().enumerate() {
        progress.check()?;
        shared.clear();
        let own = places(words, n_words, first);
        for equal in own.chunk_by(|a, b| a.word == b.word) {
            let others = later_places(&index, equal[0]);
            for place in equal {
                let difference = |other: &WordPlace| i64::from(place.offset) - i64::from(other.offset);
                shared.extend(others.iter().map(|other| (other.sound, difference(other))));
            }
        }
        shared.sort_unstable();
        let alike = shared.chunk_by(|a, b| a.0 == b.0).filter(|shared| has_common_offset(shared));
        pairs.extend(alike.map(|shared| (first, shared[0].0 as usize)));
    }
    Ok(pairs)
}

/// The positions of a sound's distinctive words, sorted by word.
fn places(words: &[u32], n_words: usize, sound: usize) -> Vec<WordPlace> {
    let words = distinctive_words(words).into_iter().take(n_words).enumerate();
    let place = |(offset, word): (usize, Option<u32>)| {
        Some(WordPlace { word: word?, sound: sound as u32, offset: offset as u32 })
    };
    let mut all: Vec<WordPlace> = words.filter_map(place).collect();
    all.sort_unstable();
    let first = all.chunk_by(|a, b| a.word == b.word).flat_map(|places| places.iter().take(MAX_PLACES));
    first.copied().collect()
}

/// The positions of the word of `place` in later sounds; empty if too many sounds share the word.
fn later_places(index: &[WordPlace], place: WordPlace) -> &[WordPlace] {
    let from = &index[index.partition_point(|other| other.word < place.word)..];
    let all = &from[..from.partition_point(|other| other.word == place.word)];
    let is_rare = all.len() <= MAX_SOUNDS * MAX_PLACES && all.chunk_by(|a, b| a.sound == b.sound).count() <= MAX_SOUNDS;
    if is_rare { &all[all.partition_point(|other| other.sound <= place.sound)..] } else { &[] }
}

/// Whether enough of the sorted offsets are adjacent.
fn has_common_offset(shared: &[(u32, i64)]) -> bool {
    shared.windows(MIN_EQUAL_WORDS).any(|run| run[MIN_EQUAL_WORDS - 1].1 - run[0].1 <= 2)
}
