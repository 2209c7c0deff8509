//! Adds an edit's difference to samples, with notices about the resulting levels.

/// Statistics of the samples that an edit added to.
#[derive(Debug, Clone, Copy, Default)]
pub struct SampleSums {
    /// Samples left unchanged because the sum overflows 32-bit float.
    n_too_large: u64,
    /// Peak of the sums.
    peak: f32,
}

impl SampleSums {
    /// Adds to a sample. Keeps a sample whose sum would overflow: a file must never contain an infinity.
    pub fn add(&mut self, sample: &mut f32, added: f32) {
        let sum = *sample + added;
        if sum.is_finite() {
            self.peak = self.peak.max(sum.abs());
            *sample = sum;
        } else {
            self.n_too_large += 1;
        }
    }

    /// Merges the statistics of other samples of the same edit.
    pub fn join(&mut self, other: SampleSums) {
        self.n_too_large += other.n_too_large;
        self.peak = self.peak.max(other.peak);
    }

    /// A notice about samples left unchanged.
    pub fn too_large_notice(&self) -> Option<String> {
        let n = self.n_too_large;
        (n > 0).then(|| format!("{n} samples are too large to edit and were left unchanged"))
    }

    /// A notice about sums over full scale.
    pub fn peak_notice(&self) -> Option<String> {
        let over_db = 20.0 * f64::from(self.peak).log10();
        let notice = || format!("the peak is {over_db:.1} dB over full scale; lower the level by at least that");
        (self.peak > 1.0).then(notice)
    }
}
