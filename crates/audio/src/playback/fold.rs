//! Mixes the channels of a file to those of a device.

/// A mixing matrix of gains, with one row per device channel.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelFold {
    n_from: usize,
    n_to: usize,
    /// `n_to` rows of `n_from` gains; `None` if both numbers are equal, and samples are only copied.
    gains: Option<Vec<f32>>,
}

const HALF_POWER: f32 = std::f32::consts::FRAC_1_SQRT_2;

impl ChannelFold {
    /// A matrix from the file's channels to the device's. Mono and stereo go to the first two channels. If the file has
    /// more channels than the device, they are mixed down (front left and right, centre, and surround channels in WAV
    /// order), with a sum of gains of at most 1 per row.
    pub fn new(n_from: usize, n_to: usize) -> ChannelFold {
        if n_from == n_to {
            return ChannelFold { n_from, n_to, gains: None };
        }
        let mut gains = vec![0.0; n_from * n_to];
        if n_from == 1 {
            (0..n_to.min(2)).for_each(|to| gains[to] = 1.0);
        } else if n_from < n_to {
            (0..n_from).for_each(|channel| gains[channel * n_from + channel] = 1.0);
        } else if n_to == 1 {
            gains.fill(1.0 / n_from as f32);
        } else {
            for from in 0..n_from {
                for (to, gain) in ChannelFold::sides(from, n_from).into_iter().enumerate() {
                    gains[to * n_from + from] = gain;
                }
            }
            for row in gains.chunks_exact_mut(n_from) {
                let sum: f32 = row.iter().sum();
                if sum > 1.0 {
                    row.iter_mut().for_each(|gain| *gain /= sum);
                }
            }
        }
        ChannelFold { n_from, n_to, gains: Some(gains) }
    }

    /// The gains of a file's channel to the left and to the right.
    fn sides(channel: usize, n_channels: usize) -> [f32; 2] {
        match (channel, n_channels) {
            (0, _) => [1.0, 0.0],
            (1, _) => [0.0, 1.0],
            // The centre, in layouts that have one; the LFE channel is omitted.
            (2, 3 | 5..=8) => [HALF_POWER, HALF_POWER],
            (3, 6..=8) => [0.0, 0.0],
            // Surround pairs: left ones come first.
            (_, 4 | 6 | 8) if channel.is_multiple_of(2) => [HALF_POWER, 0.0],
            (_, 4 | 6 | 8) => [0.0, HALF_POWER],
            (_, 5 | 7) if !channel.is_multiple_of(2) => [HALF_POWER, 0.0],
            (_, 5 | 7) => [0.0, HALF_POWER],
            _ if channel.is_multiple_of(2) => [HALF_POWER, 0.0],
            _ => [0.0, HALF_POWER],
        }
    }

    /// Mixes interleaved frames of the file and appends the device's frames.
    pub fn append(&self, from: &[f32], to: &mut Vec<f32>) {
        let Some(gains) = &self.gains else {
            to.extend_from_slice(from);
            return;
        };
        for frame in from.chunks_exact(self.n_from) {
            for row in gains.chunks_exact(self.n_from) {
                to.push(frame.iter().zip(row).map(|(sample, gain)| sample * gain).sum());
            }
        }
    }

    pub(super) fn n_to(&self) -> usize {
        self.n_to
    }
}
