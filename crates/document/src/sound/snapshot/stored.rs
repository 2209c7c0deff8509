//! Signals of snapshots as an engine reads them: by what is stored, so that samples at another time are the same.

use super::layer::{Base, Layer};
use super::timeline::{LayerId, LayerPiece, Placed, base_of};
use crate::Snapshot;
use crate::base::Result;
use crate::document::{BLOCK_SAMPLES, Signal};
use crate::engine::{
    BLOCKS_PER_PAGE, PAGE_SAMPLES, PageBase, SignalMix, StoredPage, StoredRun, StoredSamples, StoredSound,
};
use std::ops::Range;

const _: () = assert!(PAGE_SAMPLES == BLOCKS_PER_PAGE * BLOCK_SAMPLES);

/// A signal of a snapshot, for an engine to analyse.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotSignal<'a> {
    snapshot: &'a Snapshot,
    signal: Signal,
    samples_later: i64,
}

impl Snapshot {
    /// A signal of it.
    pub fn signal(&self, signal: Signal) -> SnapshotSignal<'_> {
        SnapshotSignal { snapshot: self, signal, samples_later: 0 }
    }
}

impl SnapshotSignal<'_> {
    /// The signal with its sample `n` as the first.
    #[must_use]
    pub fn later(self, n: i64) -> Self {
        Self { samples_later: self.samples_later.saturating_add(n), ..self }
    }

    /// The runs of a part of a layer, a page at a time.
    fn runs_of_piece(&self, channel: usize, piece: LayerPiece, runs: &mut Vec<StoredRun>) {
        let (window, layer) = (piece.window(), self.snapshot.timeline.layers.get(&piece.layer));
        let mut first = window.start;
        while first < window.end {
            let index = first / PAGE_SAMPLES as u64;
            let end = ((index + 1) * PAGE_SAMPLES as u64).min(window.end);
            let (n, from) = ((end - first) as usize, (first % PAGE_SAMPLES as u64) as usize);
            let samples = if self.is_silent(channel, piece.layer, first..end) {
                StoredSamples::Silence
            } else {
                let page = self.page(channel, piece.layer, layer.map(|layer| &**layer), index);
                page.map_or(StoredSamples::Unsettled, |page| StoredSamples::Page(page, from))
            };
            runs.push(StoredRun { n, samples });
            first = end;
        }
    }

    /// Whether a window of a layer is known to be silent without reading samples.
    fn is_silent(&self, channel: usize, id: LayerId, window: Range<u64>) -> bool {
        let is_base_silent = match base_of(id) {
            Base::Source => self.snapshot.source.silent_until(window.start) >= window.end,
            Base::Silence => true,
        };
        let layer = self.snapshot.timeline.layers.get(&id);
        is_base_silent && layer.is_none_or(|layer| layer.first_change(channel, window).is_none())
    }

    /// Page `index` of a layer; `None` while its samples may still change.
    fn page(&self, channel: usize, id: LayerId, layer: Option<&Layer>, index: u64) -> Option<StoredPage> {
        let base = match base_of(id) {
            Base::Silence => PageBase::Silence,
            Base::Source => {
                let serial = self.snapshot.source.serial_before((index + 1) * PAGE_SAMPLES as u64)?;
                PageBase::Source { serial, channel, index }
            }
        };
        let first_block = index as usize * BLOCKS_PER_PAGE;
        let serial_of = |block| layer.and_then(|layer| layer.block(channel, block)).map_or(0, |block| block.serial);
        let blocks = std::array::from_fn(|place| serial_of(first_block + place));
        Some(StoredPage { base, blocks, place: (id, index) })
    }
}

impl StoredSound for SnapshotSignal<'_> {
    fn read(&self, first: i64, out: &mut [f32]) -> Result<()> {
        self.signal.read(self.snapshot, first.saturating_add(self.samples_later), out)
    }

    fn mix(&self) -> SignalMix {
        match self.signal {
            Signal::Channel(channel) => SignalMix::Channel(channel),
            Signal::Mid => SignalMix::Halves { sign: 1.0 },
            Signal::Side => SignalMix::Halves { sign: -1.0 },
        }
    }

    fn runs(&self, channel: usize, samples: Range<i64>) -> Vec<StoredRun> {
        let shifted = |at: i64| at.saturating_add(self.samples_later);
        let (first, end) = (shifted(samples.start), shifted(samples.end));
        let mut runs = Vec::new();
        let silence = |from: i64, to: i64| {
            let n = usize::try_from(to - from).unwrap_or(0);
            (n > 0).then_some(StoredRun { n, samples: StoredSamples::Silence })
        };
        let mut at = first;
        for Placed { at: start, piece } in self.snapshot.timeline.over(&(first.max(0) as u64..end.max(0) as u64)) {
            runs.extend(silence(at, start as i64));
            self.runs_of_piece(channel, piece, &mut runs);
            at = (start + piece.n) as i64;
        }
        runs.extend(silence(at, end));
        runs
    }

    fn read_channel(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()> {
        self.snapshot.read(channel, first.saturating_add(self.samples_later), out)
    }

    fn read_page(&self, channel: usize, page: &StoredPage, out: &mut [f32]) -> Result<bool> {
        let (layer, index) = page.place;
        let first = index * PAGE_SAMPLES as u64;
        self.snapshot.read_piece(channel, LayerPiece { layer, first, n: PAGE_SAMPLES as u64 }, out)?;
        Ok(match page.base {
            PageBase::Silence => true,
            PageBase::Source { serial, .. } => {
                self.snapshot.source.serial_before(first + PAGE_SAMPLES as u64) == Some(serial)
            }
        })
    }
}
