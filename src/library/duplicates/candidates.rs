//! Pairs of recordings that are worth a comparison: those with some equal words at one offset.

use std::collections::HashMap;

/// A word that more sounds have says nothing.
const MOST_SOUNDS: usize = 200;
/// Equal words on one difference of offsets, or its neighbours.
const LEAST_EQUAL: usize = 5;

/// Indices of pairs, in order. Of each sound so many words are compared.
pub fn candidate_pairs(sounds: &[(usize, &[u32])], n_words: usize) -> Vec<(usize, usize)> {
    let mut index: Vec<(u32, u32, u32)> = Vec::new();
    for (at, (_, words)) in sounds.iter().enumerate() {
        let telling = words.iter().take(n_words).enumerate().filter(|(_, word)| !matches!(**word, 0 | u32::MAX));
        index.extend(telling.map(|(offset, &word)| (word, at as u32, offset as u32)));
    }
    index.sort_unstable();
    let mut equal: HashMap<(u32, u32), Vec<i64>> = HashMap::new();
    for run in index.chunk_by(|a, b| a.0 == b.0) {
        let n_sounds = run.chunk_by(|a, b| a.1 == b.1).count();
        if !(2..=MOST_SOUNDS).contains(&n_sounds) {
            continue;
        }
        for (at, &(_, first, first_offset)) in run.iter().enumerate() {
            for &(_, second, second_offset) in run[at + 1..].iter().filter(|other| other.1 != first) {
                let difference = i64::from(first_offset) - i64::from(second_offset);
                equal.entry((first, second)).or_default().push(difference);
            }
        }
    }
    let mut pairs: Vec<(usize, usize)> = equal
        .into_iter()
        .filter_map(|((a, b), differences)| has_common_offset(differences).then_some((a as usize, b as usize)))
        .collect();
    pairs.sort_unstable();
    pairs
}

/// Whether enough differences lie side by side.
fn has_common_offset(mut differences: Vec<i64>) -> bool {
    differences.sort_unstable();
    differences.windows(LEAST_EQUAL).any(|run| run[LEAST_EQUAL - 1] - run[0] <= 2)
}
