//! The document's sound at one moment: an immutable source and a sparse set of changed blocks.

use crate::base::Result;
use crate::media::Source;
use std::ops::Range;
use std::sync::Arc;

/// 4,096 samples = 16 KiB: a stroke of a second touches a dozen a channel.
pub const BLOCK_SAMPLES: usize = 4096;

/// Changed samples of one channel.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// `BLOCK_SAMPLES` values; only those in `changed` count.
    pub samples: Vec<f32>,
    /// Ascending, disjoint ranges inside the block that edits touched; elsewhere readers take the source.
    pub changed: Vec<Range<u32>>,
}

/// An immutable value; display, playback, export, command line and undo all read `&Snapshot`. Clones are cheap.
#[derive(Debug, Clone)]
pub struct Snapshot {
    source: Source,
    pages: Arc<()>,
}

impl Snapshot {
    /// The source as it is.
    pub fn new(source: Source) -> Snapshot {
        Snapshot { source, pages: Arc::new(()) }
    }

    /// The file below.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Samples per channel.
    pub fn n_samples(&self) -> u64 {
        self.source.info().n_samples
    }

    /// Samples per second.
    pub fn sample_rate_hz(&self) -> f64 {
        f64::from(self.source.info().sample_rate_hz)
    }

    /// Number of channels.
    pub fn n_channels(&self) -> usize {
        self.source.info().n_channels
    }

    /// Samples of one channel from `first` on; 0 beyond the ends.
    pub fn read(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()> {
        self.source.read(channel, first, out)
    }

    /// A snapshot in which `samples` stand from `first` on in one channel.
    pub fn with_samples(&self, channel: usize, first: u64, samples: &[f32]) -> Snapshot {
        let _ = (channel, first, samples);
        unimplemented!()
    }

    /// The block of a channel that starts at `index * BLOCK_SAMPLES`, if an edit touched it.
    pub fn block(&self, channel: usize, index: usize) -> Option<&Arc<Block>> {
        let _ = (channel, index);
        unimplemented!()
    }

    /// The sample ranges of a channel in which two snapshots of one source may differ (blocks that are not the same
    /// allocation), ascending, disjoint. Cheap: compares pointers.
    pub fn differing(&self, other: &Snapshot, channel: usize) -> Vec<Range<u64>> {
        let _ = (other, channel);
        unimplemented!()
    }

    /// Whether both are the same value without looking at samples.
    pub fn is_same(&self, other: &Snapshot) -> bool {
        Arc::ptr_eq(&self.pages, &other.pages)
    }
}
