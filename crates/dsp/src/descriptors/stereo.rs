//! Stereo width of a sound.

/// Width and correlation of a sound's first two channels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StereoDescriptors {
    /// Energy of the side signal, `(L - R) / 2`, as a fraction of that of mid and side: 0 for mono, 1 for inverted
    /// channels.
    pub stereo_width: f64,
    /// `sum LR / sqrt(sum L^2 sum R^2)`; 1 for mono, and if a channel is silent.
    pub phase_correlation: f64,
}

/// Accumulates energies and correlation of two channels.
#[derive(Debug, Clone, Default)]
pub struct StereoMeter {
    /// Sums of `L^2`, `R^2`, `LR`, `M^2` and `S^2`.
    left: f64,
    right: f64,
    product: f64,
    mid: f64,
    side: f64,
}

impl StereoMeter {
    /// Processes the next samples of both channels.
    pub fn push(&mut self, left: &[f32], right: &[f32]) {
        for (&left, &right) in left.iter().zip(right) {
            let [left, right] = [left, right].map(f64::from);
            let [mid, side] = [(left + right) / 2.0, (left - right) / 2.0];
            self.left += left * left;
            self.right += right * right;
            self.product += left * right;
            self.mid += mid * mid;
            self.side += side * side;
        }
    }

    /// The result; silence counts as mono.
    pub fn finish(&self) -> StereoDescriptors {
        let energy = self.mid + self.side;
        let level = (self.left * self.right).sqrt();
        StereoDescriptors {
            stereo_width: if energy > 0.0 { self.side / energy } else { 0.0 },
            phase_correlation: if level > 0.0 { (self.product / level).clamp(-1.0, 1.0) } else { 1.0 },
        }
    }
}
