//! The sequence of layer parts that make up a sound.

use super::layer::{Base, Layer};
use crate::document::sound::store::BLOCK_SAMPLES;
use crate::engine::PAGE_SAMPLES;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// A layer's number: 0 is based on the source, 1 on silence, and all others on the source.
pub(crate) type LayerId = u32;

/// The only layer of an opened sound.
pub(crate) const SOURCE_LAYER: LayerId = 0;
/// The layer of all added sound.
pub(crate) const ADDED_LAYER: LayerId = 1;

/// A part of a layer: samples `first..first + n` in its own coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LayerPiece {
    pub layer: LayerId,
    pub first: u64,
    pub n: u64,
}

impl LayerPiece {
    pub fn window(&self) -> Range<u64> {
        self.first..self.first + self.n
    }
}

/// The base of a layer.
pub(super) fn base_of(layer: LayerId) -> Base {
    if layer == ADDED_LAYER { Base::Silence } else { Base::Source }
}

/// A piece and its position in the sound.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub at: u64,
    pub piece: LayerPiece,
}

impl Placed {
    /// The rest of it after `n` samples; `None` if nothing is left.
    pub fn behind(self, n: u64) -> Option<Placed> {
        let LayerPiece { layer, first, n: all } = self.piece;
        (n < all).then(|| Placed { at: self.at + n, piece: LayerPiece { layer, first: first + n, n: all - n } })
    }
}

/// Maximum number of pieces in a sound.
pub(crate) const MAX_PIECES: usize = 1 << 16;
/// Maximum number of pieces in a run.
const MAX_RUN_PIECES: usize = 512;

/// Consecutive pieces. Sounds that differ by an edit share most runs.
#[derive(Debug, Clone)]
struct Run {
    at: u64,
    pieces: Arc<[LayerPiece]>,
}

/// The pieces of a sound in order. No two contain the same sample of a layer, so that an edit of one sample changes no
/// other.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    pub layers: BTreeMap<LayerId, Arc<Layer>>,
    runs: Vec<Run>,
    n_samples: u64,
    /// Position of the next added sound in its layer.
    next_added: u64,
}

impl Timeline {
    pub fn new(n_samples: u64, n_channels: usize) -> Timeline {
        let layer = |id| (id, Arc::new(Layer::new(base_of(id), n_channels)));
        let mut timeline = Timeline {
            layers: BTreeMap::from([layer(SOURCE_LAYER), layer(ADDED_LAYER)]),
            runs: Vec::new(),
            n_samples: 0,
            next_added: 0,
        };
        timeline.set(vec![LayerPiece { layer: SOURCE_LAYER, first: 0, n: n_samples }]);
        timeline
    }

    pub fn n_samples(&self) -> u64 {
        self.n_samples
    }

    pub fn pieces(&self) -> impl Iterator<Item = LayerPiece> + '_ {
        self.runs.iter().flat_map(|run| run.pieces.iter().copied())
    }

    /// Sets the pieces; drops layers no longer used, and creates new ones unchanged.
    pub fn set(&mut self, pieces: Vec<LayerPiece>) {
        let n_channels = self.layers.get(&SOURCE_LAYER).map_or(0, |layer| layer.n_channels());
        let mut joined: Vec<LayerPiece> = Vec::with_capacity(pieces.len());
        for piece in pieces.into_iter().filter(|piece| piece.n > 0) {
            if piece.layer == ADDED_LAYER {
                self.next_added = self.next_added.max(piece.window().end.next_multiple_of(BLOCK_SAMPLES as u64));
            }
            self.layers.entry(piece.layer).or_insert_with(|| Arc::new(Layer::new(base_of(piece.layer), n_channels)));
            match joined.last_mut() {
                // Joins pieces that are adjacent in their layer.
                Some(last) if last.layer == piece.layer && last.window().end == piece.first => last.n += piece.n,
                _ => joined.push(piece),
            }
        }
        let shown: BTreeSet<LayerId> = joined.iter().map(|piece| piece.layer).collect();
        self.layers.retain(|id, _| *id <= ADDED_LAYER || shown.contains(id));
        self.set_runs(&joined);
    }

    /// Splits pieces into runs and reuses existing ones. Whether a run ends at a piece depends on a hash of that piece,
    /// so edits elsewhere do not move the boundaries.
    fn set_runs(&mut self, pieces: &[LayerPiece]) {
        let before = std::mem::take(&mut self.runs);
        let known: BTreeMap<(LayerId, u64), &Arc<[LayerPiece]>> = before
            .iter()
            .filter_map(|run| run.pieces.first().map(|first| ((first.layer, first.first), &run.pieces)))
            .collect();
        self.n_samples = 0;
        let mut start = 0;
        for (i, piece) in pieces.iter().enumerate() {
            let is_end = piece.first.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57 == 0;
            if !is_end && i + 1 - start < MAX_RUN_PIECES && i + 1 < pieces.len() {
                continue;
            }
            let run = &pieces[start..=i];
            let same = known.get(&(run[0].layer, run[0].first)).filter(|known| ****known == *run);
            let run: Arc<[LayerPiece]> = same.map_or_else(|| Arc::from(run), |known| Arc::clone(known));
            let n: u64 = run.iter().map(|piece| piece.n).sum();
            self.runs.push(Run { at: self.n_samples, pieces: run });
            self.n_samples += n;
            start = i + 1;
        }
    }

    /// The pieces over a range of the sound, cut to it.
    pub fn over(&self, samples: &Range<u64>) -> impl Iterator<Item = Placed> + '_ {
        let (start, end) = (samples.start, samples.end.min(self.n_samples));
        let first = self.runs.partition_point(|run| run.at <= start).saturating_sub(1);
        let placed = self.runs.get(first..).unwrap_or_default().iter().flat_map(|run| {
            run.pieces.iter().scan(run.at, |at, piece| {
                let placed = Placed { at: *at, piece: *piece };
                *at += piece.n;
                Some(placed)
            })
        });
        let placed = placed.skip_while(move |placed| placed.at + placed.piece.n <= start);
        placed.take_while(move |placed| placed.at < end && start < end).map(move |placed| {
            let from = start.max(placed.at);
            let to = end.min(placed.at + placed.piece.n);
            let piece = LayerPiece { first: placed.piece.first + (from - placed.at), n: to - from, ..placed.piece };
            Placed { at: from, piece }
        })
    }

    /// New silence in the added layer, starting at a block boundary.
    pub fn added(&self, n: u64) -> LayerPiece {
        LayerPiece { layer: ADDED_LAYER, first: self.next_added, n }
    }

    /// Copies the samples of some pieces, including their blocks.
    pub fn copied(&mut self, pieces: &[LayerPiece]) -> Vec<LayerPiece> {
        pieces.iter().map(|piece| self.copy_of(*piece)).collect()
    }

    fn copy_of(&mut self, piece: LayerPiece) -> LayerPiece {
        let Some(layer) = self.layers.get(&piece.layer).cloned() else { return piece };
        match layer.base {
            Base::Silence => {
                // At the same offset within a page, so that the copy shares its blocks, and its pages on a device.
                let page = PAGE_SAMPLES as u64;
                let first = self.next_added + (piece.first + page - self.next_added % page) % page;
                let by = ((first - piece.first) / BLOCK_SAMPLES as u64) as usize;
                let mut all = (*layer).clone();
                layer.copy_into(&mut all, &piece.window(), by);
                self.layers.insert(ADDED_LAYER, Arc::new(all));
                self.next_added = (first + piece.n).next_multiple_of(BLOCK_SAMPLES as u64);
                LayerPiece { first, ..piece }
            }
            Base::Source => {
                let id = self.layers.keys().next_back().map_or(ADDED_LAYER, |last| (*last).max(ADDED_LAYER)) + 1;
                let mut copy = Layer::new(Base::Source, layer.n_channels());
                layer.copy_into(&mut copy, &piece.window(), 0);
                self.layers.insert(id, Arc::new(copy));
                LayerPiece { layer: id, ..piece }
            }
        }
    }
}
