//! A sound to play: a snapshot, the difference of two, or a single channel.

use crate::base::Result;
use crate::document::Snapshot;

/// A sound with the length, channels and rate of a snapshot. Clones are cheap.
#[derive(Debug, Clone)]
pub struct Sound {
    /// The sound being played.
    pub snapshot: Snapshot,
    /// Snapshot with the same length, channels and rate that is subtracted, if any.
    pub less: Option<Snapshot>,
    /// The only channel to play, in its own position; `None` for all.
    pub solo: Option<usize>,
}

impl From<&Snapshot> for Sound {
    fn from(snapshot: &Snapshot) -> Sound {
        Sound { snapshot: snapshot.clone(), less: None, solo: None }
    }
}

impl Sound {
    /// Samples per channel.
    pub fn n_samples(&self) -> u64 {
        self.snapshot.n_samples()
    }

    /// Number of channels.
    pub fn n_channels(&self) -> usize {
        self.snapshot.n_channels()
    }

    /// Samples per second.
    pub fn sample_rate_hz(&self) -> f64 {
        self.snapshot.sample_rate_hz()
    }

    /// Fills `out` with samples of a channel from `first` on; 0 before the start and after the end.
    ///
    /// # Errors
    /// Read errors of a source on disk.
    pub fn read(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()> {
        if self.solo.is_some_and(|solo| solo != channel) {
            out.fill(0.0);
            return Ok(());
        }
        self.snapshot.read(channel, first, out)?;
        if let Some(less) = &self.less {
            let mut taken = vec![0.0; out.len()];
            less.read(channel, first, &mut taken)?;
            out.iter_mut().zip(&taken).for_each(|(sample, taken)| *sample -= taken);
        }
        Ok(())
    }

    /// Whether both have the same snapshots and solo channel; compares pointers, not samples.
    pub fn is_same(&self, other: &Sound) -> bool {
        let is_same_less = match (&self.less, &other.less) {
            (None, None) => true,
            (Some(a), Some(b)) => a.is_same(b),
            _ => false,
        };
        self.snapshot.is_same(&other.snapshot) && is_same_less && self.solo == other.solo
    }

    /// Whether both have the same length, channels and rate, so that one can replace the other during playback.
    pub(super) fn has_shape_of(&self, other: &Sound) -> bool {
        let shape = |sound: &Sound| (sound.n_samples(), sound.n_channels(), sound.sample_rate_hz());
        shape(self) == shape(other)
    }
}
