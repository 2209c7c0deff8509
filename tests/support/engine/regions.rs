//! Cells by chance.

use dsp::{CellRect, Mask, Region};

/// Seeded numbers in [0, 1).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn within(&mut self, low: i32, high: i32) -> i32 {
        low + (self.next() * f64::from(high - low + 1)) as i32
    }
}

/// Magnitudes over 80 dB and any phases.
pub fn random_region(random: &mut Random, rect: &CellRect) -> Region {
    let mut region = Region::zeros(rect.clone());
    for (magnitude, phase) in region.magnitude.iter_mut().zip(&mut region.phase) {
        *magnitude = 10f64.powf(4.0 * random.next() - 2.0) as f32;
        *phase = (random.next() - 0.5) as f32;
    }
    region
}

/// A third each of 0, 1 and between.
pub fn random_mask(random: &mut Random, rect: &CellRect) -> Mask {
    let values = (0..rect.n_cells()).map(|_| (3.0 * random.next() - 1.0).clamp(0.0, 1.0) as f32).collect();
    Mask { rect: rect.clone(), values }
}

pub fn random_samples(random: &mut Random, n: usize) -> Vec<f32> {
    (0..n).map(|_| (2.0 * random.next() - 1.0) as f32).collect()
}
