//! Turns of `library/peers.py`.

use super::millis;
use divan::black_box;
use serde_json::{Value, json};
use sonobrush::base::Progress;
use sonobrush::dsp::comparison::hamming::{PairSearch, pairs_within};
use sonobrush::library::identity::words::words;
use sonobrush::library::similar::{N_DIMENSIONS, SimilarDials, SimilarTo, SoundVector, VectorScale, VectorTable};
use sonobrush::media::Source;
use std::path::Path;

const N_SOUNDS: i64 = 500_000;

/// Half a million sounds, made on first use.
#[derive(Default)]
pub struct Library {
    vectors: Option<VectorTable>,
}

impl Library {
    /// What a name answers; `None` for a name of others.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let scale = VectorScale::shipped();
        if name == "library_similar" {
            let table = self.vectors.get_or_insert_with(|| vectors(&scale));
            let query = SimilarTo { vector: vector(17), f0_hz: None };
            let mut found = Vec::new();
            let ours = millis(|| found = black_box(table.nearest(&query, &scale, &SimilarDials::default(), 20)));
            return Some(json!({"ours": ours, "first": found[0].0}));
        }
        if let Some(requested) = name.strip_prefix("library_hamming ") {
            let (max, path) = requested.split_once(' ').unwrap();
            let bytes = std::fs::read(path).unwrap();
            let hashes: Vec<u64> =
                bytes.chunks_exact(8).map(|hash| u64::from_le_bytes(hash.try_into().unwrap())).collect();
            let mut n_pairs = 0;
            let ours =
                millis(|| n_pairs = pairs_within(black_box(&hashes), max.parse().unwrap(), PairSearch::Auto).len());
            return Some(json!({"ours": ours, "pairs": n_pairs}));
        }
        // Decoding and resampling are part of it, as they are of fpcalc.
        let path = name.strip_prefix("library_words ")?;
        let mut n_words = 0;
        let ours = millis(|| {
            let source = Source::open(Path::new(path), &Progress::new()).unwrap().source;
            n_words = words(&source, &Progress::new()).unwrap().len();
        });
        Some(json!({"ours": ours, "words": n_words}))
    }
}

/// Numbers of a made-up sound, some deviations around what is usual.
fn vector(id: i64) -> SoundVector {
    let mut state = (id as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    std::array::from_fn(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 40) as f32 / (1u64 << 24) as f32 - 0.5) * N_DIMENSIONS as f32
    })
}

fn vectors(scale: &VectorScale) -> VectorTable {
    let mut table = VectorTable::default();
    for id in 0..N_SOUNDS {
        table.push(id, &vector(id), None, scale);
    }
    table
}
