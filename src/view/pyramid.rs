//! The pyramid of a sound: levels 2 and up in memory (of many hours, coarser ones), made piece by piece.

use super::analysis::{Analysis, ChannelView};
use super::footprint::Level;
use super::half::{PEAK_SCALE, half_from_f32};
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::dsp::{Grid, Transform};
use std::ops::Range;
use std::sync::Arc;

/// Frames of a piece: one entry of level 6, 256 of level 2.
pub const PIECE_FRAMES: usize = 4096;

/// The finest level in memory, of sounds of a few hours and less.
const FINEST: u32 = 2;

/// What the levels in memory may take: the finest of longer sounds is coarser.
const MOST_BYTES: usize = 100 << 20;

/// The level at which a piece is one entry.
const COARSEST: u32 = 6;

/// The finest level in memory of a grid; finer ones are analysed where they are seen.
pub fn finest(grid: &Grid) -> u32 {
    let bytes = |index: u32| {
        let level = Level { index, grid: grid.clone() };
        // Each level has a fourth of the entries of the one below.
        level.n_entries() * level.n_rows() * size_of::<u16>() / 3 * 4
    };
    (FINEST..COARSEST).find(|&index| bytes(index) <= MOST_BYTES).unwrap_or(COARSEST)
}

/// The level that a sketch has an entry of for each frame that it looks at.
const SKETCHED: u32 = 4;

/// Which pyramid.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PyramidKey {
    /// Identifier of the document.
    pub document: u64,
    /// The grid of cells.
    pub stft: Transform,
    /// Which channels.
    pub channels: ChannelView,
}

/// The levels of a run of frames, as 16-bit peaks, entry by entry. Clones share them.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The sound that it was made from.
    pub snapshot: Snapshot,
    levels: Arc<Vec<Vec<u16>>>,
    is_sketch: bool,
}

impl Piece {
    /// Analyses piece `index` of a view.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled), and those of reading.
    pub fn compute(analysis: &Analysis, index: usize, progress: &Progress) -> Result<Piece> {
        let finest = Level { index: finest(analysis.grid()), grid: analysis.grid().clone() };
        let first = index * PIECE_FRAMES / finest.frames_per_entry();
        let end = (first + PIECE_FRAMES / finest.frames_per_entry()).min(finest.n_entries());
        let n_rows = finest.n_rows();
        let mut peaks = analysis.peaks(&finest, first..end, progress)?;
        let mut levels = vec![halves(&peaks)];
        for _ in finest.index..COARSEST {
            peaks = peaks.chunks(4 * n_rows).flat_map(|group| maxima(group, n_rows)).collect();
            levels.push(halves(&peaks));
        }
        Ok(Piece { snapshot: analysis.snapshot().clone(), levels: Arc::new(levels), is_sketch: false })
    }

    /// A first idea of a piece, from one frame in 256: something to see of an hour at once. It never counts as fresh.
    ///
    /// # Errors
    /// As [`compute`](Piece::compute).
    pub fn sketch(analysis: &Analysis, index: usize, progress: &Progress) -> Result<Piece> {
        let grid = analysis.grid();
        let of = |level: u32| Level { index: level, grid: grid.clone() };
        let (first, end) = (index * PIECE_FRAMES, ((index + 1) * PIECE_FRAMES).min(grid.n_frames()));
        let sketched = SKETCHED.max(finest(grid));
        let per_probe = of(sketched).frames_per_entry();
        let frames: Vec<usize> =
            (first..end).step_by(per_probe).map(|frame| (frame + per_probe / 2).min(end - 1)).collect();
        let n_rows = of(sketched).n_rows();
        let mut peaks = analysis.probes(&of(sketched), &frames, progress)?;
        let probed = halves(&peaks);
        let mut levels = Vec::new();
        for level in finest(grid)..sketched {
            let per_entry = of(level).frames_per_entry();
            let entries = (first..end).step_by(per_entry).map(|frame| (frame - first) / per_probe * n_rows);
            levels.push(entries.flat_map(|start| probed[start..start + n_rows].iter().copied()).collect());
        }
        levels.push(probed);
        for _ in sketched..COARSEST {
            peaks = peaks.chunks(4 * n_rows).flat_map(|group| maxima(group, n_rows)).collect();
            levels.push(halves(&peaks));
        }
        Ok(Piece { snapshot: analysis.snapshot().clone(), levels: Arc::new(levels), is_sketch: true })
    }

    /// Its levels, the finest first.
    pub(super) fn levels(&self) -> &[Vec<u16>] {
        &self.levels
    }

    /// A piece that was kept, of a sound as it was opened; none where it is not as large as it should be.
    pub(super) fn kept(snapshot: &Snapshot, grid: &Grid, index: usize, levels: Vec<Vec<u16>>) -> Option<Piece> {
        let sizes = Piece::sizes(grid, index);
        let is_whole = levels.iter().map(Vec::len).eq(sizes);
        is_whole.then(|| Piece { snapshot: snapshot.clone(), levels: Arc::new(levels), is_sketch: false })
    }

    /// Values of each level of a piece, the finest first.
    pub(super) fn sizes(grid: &Grid, index: usize) -> impl Iterator<Item = usize> + '_ {
        let (first, end) = (index * PIECE_FRAMES, ((index + 1) * PIECE_FRAMES).min(grid.n_frames()));
        (finest(grid)..=COARSEST).map(move |index| {
            let level = Level { index, grid: grid.clone() };
            end.saturating_sub(first).div_ceil(level.frames_per_entry()) * level.n_rows()
        })
    }
}

fn halves(peaks: &[f32]) -> Vec<u16> {
    peaks.iter().map(|peak| half_from_f32(peak * PEAK_SCALE)).collect()
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
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Adds a piece; `fresh` says that it shows the sound as it is. A sketch takes no other's place.
    pub fn insert(&mut self, index: usize, piece: Piece, fresh: bool) {
        if let Some(place) = self.pieces.get_mut(index)
            && !(piece.is_sketch && place.is_some())
        {
            self.fresh[index] = fresh && !piece.is_sketch;
            *place = Some(piece);
        }
    }

    /// How many pieces there are in all.
    pub fn n_pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The next `n` pieces of which there is nothing yet, among the first `n_ready`.
    pub fn next_missing(&self, n: usize, n_ready: usize) -> Vec<usize> {
        let missing = self.pieces.iter().take(n_ready).enumerate().filter(|(_, piece)| piece.is_none());
        missing.map(|(index, _)| index).take(n).collect()
    }

    /// All pieces, if each of them is there and shows `original`, which nobody has edited.
    pub(super) fn of_original(&self, original: &Snapshot) -> Option<Vec<Piece>> {
        let is_original = |piece: &Piece| {
            !piece.is_sketch && piece.snapshot.source().is_same(original.source()) && !piece.snapshot.is_edited()
        };
        self.pieces.iter().map(|piece| piece.clone().filter(is_original)).collect()
    }

    /// Says for every piece whether it shows the sound as it is, given the sound that it was made from and its frames.
    pub fn judge(&mut self, is_fresh: impl Fn(&Snapshot, Range<usize>) -> bool) {
        for (index, piece) in self.pieces.iter().enumerate() {
            let frames = index * PIECE_FRAMES..(index + 1) * PIECE_FRAMES;
            let shows_it = |piece: &Piece| !piece.is_sketch && is_fresh(&piece.snapshot, frames.clone());
            self.fresh[index] = piece.as_ref().is_some_and(shows_it);
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
        let n_rows = Level { index: level, grid: self.grid.clone() }.n_rows();
        let mut rows = Vec::with_capacity(entries.len() * n_rows);
        for entry in entries {
            let pieces = self.pieces_under(level, entry..entry + 1);
            let of_level = |index: usize| {
                let levels = &self.pieces[index].as_ref()?.levels;
                levels.get(level.min(COARSEST).checked_sub(finest(&self.grid))? as usize)
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
