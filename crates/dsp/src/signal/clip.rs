//! Clips: the samples of a selection, for the clipboard and pastes.

use std::sync::Arc;

/// The samples of a selection: added to silence, they sound like the selection alone. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Clip {
    /// Samples per second.
    pub sample_rate_hz: f64,
    /// Position of its first sample in the original sound.
    pub first_sample: i64,
    /// Samples of at least one channel, all of equal length.
    pub channels: Arc<[Vec<f32>]>,
}

impl PartialEq for Clip {
    fn eq(&self, other: &Clip) -> bool {
        let is_same_place = self.sample_rate_hz == other.sample_rate_hz && self.first_sample == other.first_sample;
        // Clips usually share one allocation.
        is_same_place && (Arc::ptr_eq(&self.channels, &other.channels) || self.channels == other.channels)
    }
}

impl Clip {
    /// Samples per channel.
    pub fn n_samples(&self) -> usize {
        self.channels.first().map_or(0, Vec::len)
    }

    /// Start and end in the original sound, in seconds.
    pub fn secs(&self) -> [f64; 2] {
        let first = self.first_sample as f64;
        [first, first + self.n_samples() as f64].map(|at| at / self.sample_rate_hz)
    }

    /// The part between two times of the original sound, at least one sample.
    #[must_use]
    pub fn between(&self, secs: [f64; 2]) -> Clip {
        let n = self.n_samples();
        let place = |secs: f64| ((secs * self.sample_rate_hz).round() as i64).saturating_sub(self.first_sample);
        let start = (place(secs[0]).max(0) as usize).min(n.saturating_sub(1));
        let end = (place(secs[1]).max(0) as usize).clamp((start + 1).min(n), n);
        if start == 0 && end == n {
            return self.clone();
        }
        let channels = self.channels.iter().map(|samples| samples[start..end].to_vec()).collect();
        Clip { first_sample: self.first_sample + start as i64, channels, ..*self }
    }

    /// Samples of one channel from `first` on, counted from the clip's own start; 0 beyond its ends.
    pub fn read(&self, channel: usize, first: i64, out: &mut [f32]) {
        out.fill(0.0);
        let Some(samples) = self.channels.get(channel) else { return };
        let start = first.max(0);
        let end = first.saturating_add(out.len() as i64).min(samples.len() as i64);
        if start < end {
            let to = (start - first) as usize..(end - first) as usize;
            out[to].copy_from_slice(&samples[start as usize..end as usize]);
        }
    }
}
