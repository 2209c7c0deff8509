//! The pyramid of a sound: levels 2 and up in memory, made piece by piece.

use super::analysis::{Analysis, ChannelView};
use super::footprint::Level;
use super::half::{PEAK_SCALE, half_from_f32};
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::dsp::{Grid, StftParams};
use std::ops::Range;

/// Frames of a piece: one entry of level 6, 256 of level 2.
pub const PIECE_FRAMES: usize = 4096;

/// The finest level in memory.
pub const FINEST: u32 = 2;

/// The level at which a piece is one entry.
const COARSEST: u32 = 6;

/// Which pyramid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PyramidKey {
    /// Identifier of the document.
    pub document: u64,
    /// The grid of cells.
    pub stft: StftParams,
    /// Which channels.
    pub channels: ChannelView,
}

/// The levels of a run of frames, as 16-bit peaks, entry by entry.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The sound that it was made from.
    pub snapshot: Snapshot,
    levels: Vec<Vec<u16>>,
}

impl Piece {
    /// Analyses piece `index` of a view.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled), and those of reading.
    pub fn compute(analysis: &Analysis, index: usize, progress: &Progress) -> Result<Piece> {
        let finest = Level { index: FINEST, grid: *analysis.grid() };
        let first = index * PIECE_FRAMES / finest.frames_per_entry();
        let end = (first + PIECE_FRAMES / finest.frames_per_entry()).min(finest.n_entries());
        let n_rows = finest.n_rows();
        let mut peaks = analysis.peaks(&finest, first..end, progress)?;
        let halves = |peaks: &[f32]| peaks.iter().map(|peak| half_from_f32(peak * PEAK_SCALE)).collect::<Vec<_>>();
        let mut levels = vec![halves(&peaks)];
        for _ in FINEST..COARSEST {
            peaks = peaks.chunks(4 * n_rows).flat_map(|group| maxima(group, n_rows)).collect();
            levels.push(halves(&peaks));
        }
        Ok(Piece { snapshot: analysis.snapshot().clone(), levels })
    }
}

/// The maxima of several entries.
fn maxima<T: Copy + PartialOrd>(entries: &[T], n_rows: usize) -> Vec<T> {
    let mut rows = entries[..n_rows].to_vec();
    for entry in entries[n_rows..].chunks(n_rows) {
        for (most, value) in rows.iter_mut().zip(entry) {
            if *value > *most {
                *most = *value;
            }
        }
    }
    rows
}

/// What there is of a pyramid.
#[derive(Debug)]
pub struct Pyramid {
    grid: Grid,
    pieces: Vec<Option<Piece>>,
    fresh: Vec<bool>,
}

impl Pyramid {
    /// Without any piece.
    pub fn new(grid: Grid) -> Pyramid {
        let n_pieces = grid.n_frames().div_ceil(PIECE_FRAMES);
        Pyramid { grid, pieces: vec![None; n_pieces], fresh: vec![false; n_pieces] }
    }

    /// The grid below.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Adds a piece; `fresh` says that it shows the sound as it is.
    pub fn insert(&mut self, index: usize, piece: Piece, fresh: bool) {
        if let Some(place) = self.pieces.get_mut(index) {
            *place = Some(piece);
            self.fresh[index] = fresh;
        }
    }

    /// Says for every piece whether it shows the sound as it is, given the sound that it was made from and its frames.
    pub fn judge(&mut self, mut is_fresh: impl FnMut(&Snapshot, Range<usize>) -> bool) {
        for (index, piece) in self.pieces.iter().enumerate() {
            let frames = index * PIECE_FRAMES..(index + 1) * PIECE_FRAMES;
            self.fresh[index] = piece.as_ref().is_some_and(|piece| is_fresh(&piece.snapshot, frames));
        }
    }

    /// The piece to make next: the first that is missing or stale, and not taken, among `wanted`.
    pub fn next_piece(&self, wanted: Range<usize>, is_taken: impl Fn(usize) -> bool) -> Option<usize> {
        let n = self.pieces.len();
        let mut wanted = wanted.start.min(n)..wanted.end.min(n);
        wanted.find(|&index| !self.fresh[index] && !is_taken(index))
    }

    /// Whether every piece is there, fresh or not.
    pub fn is_complete(&self) -> bool {
        self.pieces.iter().all(Option::is_some)
    }

    /// Whether every piece under a run of entries is there and as fresh as can be.
    pub fn is_fresh(&self, level: u32, entries: Range<usize>) -> bool {
        self.pieces_under(level, entries).all(|index| self.fresh[index])
    }

    /// Whether every piece under a run of entries is there, fresh or not.
    pub fn is_there(&self, level: u32, entries: Range<usize>) -> bool {
        self.pieces_under(level, entries).all(|index| self.pieces[index].is_some())
    }

    fn pieces_under(&self, level: u32, entries: Range<usize>) -> Range<usize> {
        let frames_per_entry = 1usize << (2 * level);
        let first = entries.start * frames_per_entry / PIECE_FRAMES;
        first..(entries.end * frames_per_entry).div_ceil(PIECE_FRAMES).min(self.pieces.len())
    }

    /// The entries of a level, row by row; 0 where a piece is missing.
    pub fn rows(&self, level: u32, entries: Range<usize>) -> Vec<u16> {
        let n_rows = Level { index: level, grid: self.grid }.n_rows();
        let mut rows = Vec::with_capacity(entries.len() * n_rows);
        for entry in entries {
            let pieces = self.pieces_under(level, entry..entry + 1);
            let of_level = |index: usize| {
                let levels = &self.pieces[index].as_ref()?.levels;
                levels.get((level.min(COARSEST) - FINEST) as usize)
            };
            if level <= COARSEST {
                let per_piece = 1usize << (2 * (COARSEST - level));
                let start = entry % per_piece * n_rows;
                match of_level(entry / per_piece).and_then(|values| values.get(start..start + n_rows)) {
                    Some(values) => rows.extend_from_slice(values),
                    None => rows.resize(rows.len() + n_rows, 0),
                }
            } else {
                let parts: Vec<u16> = pieces.filter_map(of_level).flatten().copied().collect();
                if parts.is_empty() { rows.resize(rows.len() + n_rows, 0) } else { rows.extend(maxima(&parts, n_rows)) }
            }
        }
        rows
    }
}
