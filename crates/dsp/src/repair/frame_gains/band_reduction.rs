//! Lowers a band in some frames.

use super::frames::{FrameCells, FrameEdit, GainFrames};

/// The reduction of each frame in dB, and the fraction of it applied to each bin.
pub struct BandReduction {
    down_db: Vec<f64>,
    shares: Vec<f64>,
    /// The number of the next frame.
    at: i64,
}

impl BandReduction {
    /// A reduction by `down_db` in each frame; `share` maps a frequency in hertz to the fraction applied, limited to 0
    /// to 1.
    pub fn new(frames: &GainFrames, down_db: Vec<f64>, share: impl Fn(f64) -> f64) -> BandReduction {
        let shares = (0..frames.n_bins()).map(|bin| share(frames.bin_hz(bin)).clamp(0.0, 1.0)).collect();
        BandReduction { down_db, shares, at: 0 }
    }

    /// The largest reduction of a frame, in dB.
    pub fn max_db(&self) -> f64 {
        self.down_db.iter().copied().fold(0.0, f64::max)
    }

    /// Number of attenuated runs of frames.
    pub fn n_runs(&self) -> usize {
        let begins = |i: &usize| self.down_db[*i] > 0.0 && (*i == 0 || self.down_db[i - 1] <= 0.0);
        (0..self.down_db.len()).filter(begins).count()
    }
}

impl FrameEdit for BandReduction {
    fn next(&mut self, mut frame: FrameCells) -> Option<FrameCells> {
        let at = usize::try_from(self.at).ok();
        self.at += 1;
        let down_db = at.and_then(|at| self.down_db.get(at)).copied().filter(|down_db| *down_db > 0.0)?;
        for channel in &mut frame {
            for (cell, share) in channel.iter_mut().zip(&self.shares) {
                *cell *= (10f64.powf(-down_db * share / 20.0) - 1.0) as f32;
            }
        }
        Some(frame)
    }
}
