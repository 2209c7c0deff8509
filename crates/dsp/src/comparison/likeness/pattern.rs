//! Scores of a pattern at each position of a spectrogram.

use rayon::prelude::*;

/// Range of levels that counts, in decibels below the pattern's loudest cell.
pub const RANGE_DB: f32 = 60.0;

/// Maximum number of bands of grouped bins, enough to distinguish patterns.
pub const MAX_BANDS: usize = 64;

/// Levels in decibels of `magnitude` (frame-major, `n_bins` per frame), at least `floor_db`; averaged over groups of
/// `group` neighbouring bins.
pub fn levels_db(magnitude: &[f32], n_bins: usize, group: usize, floor_db: f32) -> Vec<f32> {
    let level = |m: f32| (20.0 * m.max(1e-12).log10()).max(floor_db);
    let rows = magnitude.chunks_exact(n_bins.max(1));
    rows.flat_map(|row| {
        row.chunks(group.max(1)).map(|bins| bins.iter().map(|&m| level(m)).sum::<f32>() / bins.len() as f32)
    })
    .collect()
}

/// The mean of each `group` of neighbouring values, row by row, grouped as in [`levels_db`].
pub fn grouped(values: &[f32], n_bins: usize, group: usize) -> Vec<f32> {
    let rows = values.chunks_exact(n_bins.max(1));
    rows.flat_map(|row| row.chunks(group.max(1)).map(|bins| bins.iter().sum::<f32>() / bins.len() as f32)).collect()
}

/// Number of bins per group that leaves at most [`MAX_BANDS`] groups.
pub fn group_of(n_bins: usize) -> usize {
    n_bins.div_ceil(MAX_BANDS).max(1)
}

/// The pattern to search for.
#[derive(Debug, Clone)]
pub struct Pattern {
    n_frames: usize,
    n_bands: usize,
    weights: Vec<f32>,
    /// Weighted levels minus their mean.
    differences: Vec<f32>,
    weight: f64,
    /// Square root of the weighted sum of squared differences.
    norm: f64,
}

impl Pattern {
    /// A pattern of levels, `n_bands` per frame, and their weights; `None` if all weighted levels are nearly equal,
    /// which makes a correlation meaningless.
    pub fn new(levels: &[f32], weights: &[f32], n_bands: usize) -> Option<Pattern> {
        let weight: f64 = weights.iter().map(|&w| f64::from(w)).sum();
        if n_bands == 0 || levels.len() != weights.len() || weight <= 0.0 {
            return None;
        }
        let pairs = || levels.iter().zip(weights).map(|(&level, &w)| (f64::from(level), f64::from(w)));
        let mean = pairs().map(|(level, w)| level * w).sum::<f64>() / weight;
        let square: f64 = pairs().map(|(level, w)| w * (level - mean) * (level - mean)).sum();
        // A standard deviation of at most 0.1 dB.
        if square <= 0.01 * weight {
            return None;
        }
        Some(Pattern {
            n_frames: levels.len() / n_bands,
            n_bands,
            weights: weights.to_vec(),
            differences: pairs().map(|(level, w)| (w * (level - mean)) as f32).collect(),
            weight,
            norm: square.sqrt(),
        })
    }

    /// Length in frames.
    pub fn n_frames(&self) -> usize {
        self.n_frames
    }

    /// Similarity, -1 to 1, to the passage starting at each row of `levels` (`n_bands` values per row), except those
    /// too close to the end.
    pub fn scores(&self, levels: &[f32]) -> Vec<f64> {
        let n_rows = levels.len() / self.n_bands;
        let n = (n_rows + 1).saturating_sub(self.n_frames);
        (0..n).into_par_iter().map(|row| self.score(&levels[row * self.n_bands..][..self.weights.len()])).collect()
    }

    fn score(&self, levels: &[f32]) -> f64 {
        let (mut product, mut sum, mut square) = (0.0f64, 0.0f64, 0.0f64);
        let rows = self.n_bands.max(1);
        let (weights, differences) = (self.weights.chunks(rows), self.differences.chunks(rows));
        for ((levels, weights), differences) in levels.chunks(rows).zip(weights).zip(differences) {
            // Sums within a row are in f32, sums over rows in f64, which is precise enough.
            let (mut row_product, mut row_sum, mut row_square) = (0.0f32, 0.0f32, 0.0f32);
            for ((&level, &w), &difference) in levels.iter().zip(weights).zip(differences) {
                row_product += difference * level;
                row_sum += w * level;
                row_square += w * level * level;
            }
            product += f64::from(row_product);
            sum += f64::from(row_sum);
            square += f64::from(row_square);
        }
        let spread = square - sum * sum / self.weight;
        if spread <= 0.01 * self.weight { 0.0 } else { (product / (self.norm * spread.sqrt())).clamp(-1.0, 1.0) }
    }
}

/// The first index at which a score is at least `threshold` and the maximum within `apart` on either side.
pub fn first_peak(scores: &[f64], threshold: f64, apart: usize) -> Option<usize> {
    (0..scores.len()).find(|&at| {
        let around = at.saturating_sub(apart)..(at + apart + 1).min(scores.len());
        scores[at] >= threshold && scores[around].iter().all(|&score| score <= scores[at])
    })
}
