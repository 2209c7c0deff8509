//! The pyramid of a sound: levels 2 and up in memory (for sounds of many hours, coarser ones only), computed piece by
//! piece.

use super::footprint::Level;
use super::peaks::{Peaks, PhaseSteps};
use crate::analysis::{Analysis, ChannelView};
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::dsp::{Grid, Transform};
use crate::engine::Engine;
use crate::moved::Moved;
use std::ops::Range;
use std::sync::Arc;

/// Frames per piece: one entry of level 6, 256 of level 2.
pub const PIECE_FRAMES: usize = 4096;

/// The finest level in memory for sounds of up to a few hours.
const FINEST: u32 = 2;

/// Memory budget of the levels without phases: longer sounds start at a coarser level.
const MAX_BYTES: usize = 100 << 20;

/// The level at which a piece is one entry.
const COARSEST: u32 = 6;

/// The finest level in memory for a grid; finer ones are analysed on demand.
pub fn finest(grid: &Grid) -> u32 {
    let bytes = |index: u32| {
        let level = Level { index, grid: grid.clone() };
        // Each level has a quarter of the entries of the next finer one.
        level.n_entries() * level.n_rows() * size_of::<u16>() / 3 * 4
    };
    (FINEST..COARSEST).find(|&index| bytes(index) <= MAX_BYTES).unwrap_or(COARSEST)
}

/// The level at which a sketch of an STFT has one entry per analysed frame.
const SKETCH_LEVEL: u32 = 4;
/// The same level for a row transform, whose frames are closer together.
const SKETCHED_ROWS: u32 = 5;

/// Identity of a pyramid.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PyramidKey {
    /// Identifier of the document.
    pub document: u64,
    /// The transform that the cells belong to.
    pub transform: Transform,
    /// The displayed channels.
    pub channels: ChannelView,
    /// Whether its cells have phases, which doubles the memory: only while a pane shows them.
    pub has_phases: bool,
}

/// The levels of a run of frames as 16-bit peaks, entry-major. Clones share them.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The snapshot that it was computed from.
    pub snapshot: Snapshot,
    levels: Arc<Vec<Vec<u16>>>,
    phases: Option<Arc<Vec<Vec<PhaseSteps>>>>,
    is_sketch: bool,
}

impl Piece {
    /// Analyses piece `index` of a view on an engine.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled), read errors, and errors of the engine.
    pub fn compute(analysis: &Analysis, engine: &Engine, index: usize, progress: &Progress) -> Result<Piece> {
        let finest = Level { index: finest(analysis.grid()), grid: analysis.grid().clone() };
        let first = index * PIECE_FRAMES / finest.frames_per_entry();
        let end = (first + PIECE_FRAMES / finest.frames_per_entry()).min(finest.n_entries());
        let n_rows = finest.n_rows();
        let mut peaks = analysis.peaks_on(engine, &finest, first..end, progress)?;
        let mut levels = vec![peaks.halves()];
        for _ in finest.index..COARSEST {
            peaks = peaks.pooled(4, n_rows);
            levels.push(peaks.halves());
        }
        Ok(Piece::new(analysis.snapshot(), levels, false))
    }

    fn new(snapshot: &Snapshot, levels: Vec<Peaks<u16>>, is_sketch: bool) -> Piece {
        let (levels, phases): (Vec<_>, Vec<_>) = levels.into_iter().map(|level| (level.values, level.phases)).unzip();
        let phases = phases.into_iter().collect::<Option<Vec<_>>>().map(Arc::new);
        Piece { snapshot: snapshot.clone(), levels: Arc::new(levels), phases, is_sketch }
    }

    /// A rough piece from one frame in 256 (in 1,024 for row transforms; fewer for long sounds), so that an hour is
    /// visible at once. It never counts as fresh.
    ///
    /// # Errors
    /// As [`compute`](Piece::compute).
    pub fn sketch(analysis: &Analysis, engine: &Engine, index: usize, progress: &Progress) -> Result<Piece> {
        let grid = analysis.grid();
        let of = |level: u32| Level { index: level, grid: grid.clone() };
        let (first, end) = (index * PIECE_FRAMES, ((index + 1) * PIECE_FRAMES).min(grid.n_frames()));
        let wanted = if grid.row_table().is_none() { SKETCH_LEVEL } else { SKETCHED_ROWS };
        let sketched = wanted.max(finest(grid));
        let per_probe = of(sketched).frames_per_entry();
        let last = (end - 1) / grid.frames_per_turn() * grid.frames_per_turn();
        let frames: Vec<usize> =
            (first..end).step_by(per_probe).map(|frame| (frame + per_probe / 2).min(last)).collect();
        let n_rows = of(sketched).n_rows();
        let mut peaks = analysis.probes_on(engine, &of(sketched), &frames, progress)?;
        let probed = peaks.halves();
        let mut levels = Vec::new();
        for level in finest(grid)..sketched {
            let per_entry = of(level).frames_per_entry();
            let mut entries = Peaks::default();
            for start in (first..end).step_by(per_entry).map(|frame| (frame - first) / per_probe * n_rows) {
                entries.extend_from(&probed, start..start + n_rows);
            }
            levels.push(entries);
        }
        levels.push(probed);
        for _ in sketched..COARSEST {
            peaks = peaks.pooled(4, n_rows);
            levels.push(peaks.halves());
        }
        Ok(Piece::new(analysis.snapshot(), levels, true))
    }

    /// The same piece without phases; the levels are shared.
    fn without_phases(&self) -> Piece {
        Piece { phases: None, ..self.clone() }
    }

    /// The levels, finest first.
    pub(crate) fn levels(&self) -> &[Vec<u16>] {
        &self.levels
    }

    /// The phases of [`levels`](Piece::levels); empty if the piece has none.
    pub(crate) fn phases(&self) -> &[Vec<PhaseSteps>] {
        self.phases.as_deref().map_or(&[], Vec::as_slice)
    }

    /// A cached piece of an unedited sound; `None` if its size is wrong.
    pub(crate) fn kept(snapshot: &Snapshot, grid: &Grid, index: usize, levels: Vec<Peaks<u16>>) -> Option<Piece> {
        let sizes = Piece::sizes(grid, index);
        let is_whole = levels.iter().map(|level| level.values.len()).eq(sizes);
        is_whole.then(|| Piece::new(snapshot, levels, false))
    }

    /// Number of values of each level of a piece, finest first.
    pub(crate) fn sizes(grid: &Grid, index: usize) -> impl Iterator<Item = usize> + '_ {
        let (first, end) = (index * PIECE_FRAMES, ((index + 1) * PIECE_FRAMES).min(grid.n_frames()));
        (finest(grid)..=COARSEST).map(move |index| {
            let level = Level { index, grid: grid.clone() };
            end.saturating_sub(first).div_ceil(level.frames_per_entry()) * level.n_rows()
        })
    }
}

/// A pyramid with the pieces computed so far.
#[derive(Debug)]
pub struct Pyramid {
    grid: Grid,
    pieces: Vec<Option<Piece>>,
    fresh: Vec<bool>,
}

impl Pyramid {
    /// An empty pyramid.
    pub fn new(grid: Grid) -> Pyramid {
        let n_pieces = grid.n_frames().div_ceil(PIECE_FRAMES);
        Pyramid { grid, pieces: vec![None; n_pieces], fresh: vec![false; n_pieces] }
    }

    /// A pyramid for a sound in which time was cut or added: unmoved pieces are kept, and the others are filled with
    /// the nearest former entries of each level until they are analysed. `moved` is `None` if only the end differs.
    pub fn moved(&self, grid: Grid, moved: Option<&Moved>) -> Pyramid {
        let mut pyramid = Pyramid::new(grid);
        if finest(&pyramid.grid) != finest(&self.grid) {
            return pyramid;
        }
        for index in 0..pyramid.pieces.len() {
            let is_in_place = moved.is_none_or(|moved| pyramid.is_in_place(index, moved));
            let same = self.pieces.get(index).and_then(Option::as_ref).filter(|piece| {
                is_in_place && piece.levels.iter().map(Vec::len).eq(Piece::sizes(&pyramid.grid, index))
            });
            pyramid.pieces[index] = match same {
                Some(piece) => Some(piece.clone()),
                None => self.moved_piece(&pyramid.grid, index, moved),
            };
        }
        pyramid
    }

    /// The same pyramid without phases; the levels are shared.
    pub fn without_phases(&self) -> Pyramid {
        let pieces = self.pieces.iter().map(|piece| piece.as_ref().map(Piece::without_phases)).collect();
        Pyramid { grid: self.grid.clone(), pieces, fresh: self.fresh.clone() }
    }

    /// Whether neither end of a piece has moved.
    fn is_in_place(&self, index: usize, moved: &Moved) -> bool {
        let last = ((index + 1) * PIECE_FRAMES).min(self.grid.n_frames()).saturating_sub(1);
        let is_in_place = |frame: usize| {
            let sample = self.grid.centre_sample(frame).max(0) as u64;
            moved.place_before(sample) == sample
        };
        is_in_place(index * PIECE_FRAMES) && is_in_place(last)
    }

    /// A piece on another grid, from the nearest entries of this one; `None` if there are none.
    fn moved_piece(&self, grid: &Grid, index: usize, moved: Option<&Moved>) -> Option<Piece> {
        let (first, end) = (index * PIECE_FRAMES, ((index + 1) * PIECE_FRAMES).min(grid.n_frames()));
        let mut snapshot = None;
        let mut levels = Vec::new();
        for level in finest(grid)..=COARSEST {
            let per_entry = 1usize << (2 * level);
            let mut entries = Peaks::default();
            for frame in (first..end).step_by(per_entry) {
                let middle = grid.centre_sample(frame) + grid.samples_in_frames(per_entry as i64 / 2);
                let sample = middle.max(0) as u64;
                let before = moved.map_or(sample, |moved| moved.place_before(sample));
                let frames_before =
                    self.grid.frames_in_samples(before as usize).min(self.grid.n_frames().saturating_sub(1));
                let entry = frames_before / per_entry;
                let piece = self.pieces.get(entry * per_entry / PIECE_FRAMES)?.as_ref()?;
                snapshot.get_or_insert_with(|| piece.snapshot.clone());
                let rows = self.rows(level, entry..entry + 1);
                entries.extend(&rows.values, rows.phases.as_deref());
            }
            levels.push(entries);
        }
        Some(Piece::new(&snapshot?, levels, true))
    }

    /// The grid of level 0.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Adds a piece; `fresh` means that it shows the current sound. A sketch never replaces a piece.
    pub fn insert(&mut self, index: usize, piece: Piece, fresh: bool) {
        if let Some(place) = self.pieces.get_mut(index)
            && !(piece.is_sketch && place.is_some())
        {
            self.fresh[index] = fresh && !piece.is_sketch;
            *place = Some(piece);
        }
    }

    /// Total number of pieces.
    pub fn n_pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The indices of the first `n` missing pieces, among the first `n_ready`.
    pub fn next_missing(&self, n: usize, n_ready: usize) -> Vec<usize> {
        let missing = self.pieces.iter().take(n_ready).enumerate().filter(|(_, piece)| piece.is_none());
        missing.map(|(index, _)| index).take(n).collect()
    }

    /// All pieces, if none is missing and all show the unedited `original`.
    pub(crate) fn of_original(&self, original: &Snapshot) -> Option<Vec<Piece>> {
        let is_original = |piece: &Piece| {
            !piece.is_sketch && piece.snapshot.source().is_same(original.source()) && !piece.snapshot.is_edited()
        };
        let is_whole = self.grid.n_samples == original.n_samples();
        self.pieces.iter().map(|piece| piece.clone().filter(|piece| is_whole && is_original(piece))).collect()
    }

    /// Updates which pieces are fresh: `is_fresh` gets the snapshot that a piece was computed from and its frames.
    pub fn judge(&mut self, is_fresh: impl Fn(&Snapshot, Range<usize>) -> bool) {
        for (index, piece) in self.pieces.iter().enumerate() {
            let frames = index * PIECE_FRAMES..(index + 1) * PIECE_FRAMES;
            let shows_it = |piece: &Piece| !piece.is_sketch && is_fresh(&piece.snapshot, frames.clone());
            self.fresh[index] = piece.as_ref().is_some_and(shows_it);
        }
    }

    /// The piece to compute next: the first of `wanted` that is missing or stale, and not in progress.
    pub fn next_piece(&self, wanted: Range<usize>, is_taken: impl Fn(usize) -> bool) -> Option<usize> {
        let n = self.pieces.len();
        let mut wanted = wanted.start.min(n)..wanted.end.min(n);
        wanted.find(|&index| !self.fresh[index] && !is_taken(index))
    }

    /// Whether no piece is missing, fresh or not.
    pub fn is_complete(&self) -> bool {
        self.pieces.iter().all(Option::is_some)
    }

    /// Whether every piece under a run of entries is present and shows the current sound.
    pub fn is_fresh(&self, level: u32, entries: Range<usize>) -> bool {
        self.pieces_under(level, entries).all(|index| self.fresh[index])
    }

    /// Whether every piece under a run of entries is present, fresh or not.
    pub fn is_there(&self, level: u32, entries: Range<usize>) -> bool {
        self.pieces_under(level, entries).all(|index| self.pieces[index].is_some())
    }

    fn pieces_under(&self, level: u32, entries: Range<usize>) -> Range<usize> {
        let frames_per_entry = 1usize << (2 * level);
        let first = entries.start * frames_per_entry / PIECE_FRAMES;
        first..(entries.end * frames_per_entry).div_ceil(PIECE_FRAMES).min(self.pieces.len())
    }

    /// The entries of a level, entry-major; silence where a piece is missing.
    pub fn rows(&self, level: u32, entries: Range<usize>) -> Peaks<u16> {
        let n_rows = Level { index: level, grid: self.grid.clone() }.n_rows();
        let held = level.min(COARSEST).checked_sub(finest(&self.grid)).map(|index| index as usize);
        let of_piece = |index: usize, cells: Option<Range<usize>>| {
            let (piece, level) = (self.pieces.get(index)?.as_ref()?, held?);
            let values = piece.levels.get(level)?;
            let cells = cells.unwrap_or(0..values.len());
            let phases = piece.phases().get(level).and_then(|phases| phases.get(cells.clone()));
            Some((values.get(cells)?, phases))
        };
        let mut rows = Peaks::default();
        for entry in entries {
            let mut found = Peaks::default();
            if level <= COARSEST {
                let per_piece = 1usize << (2 * (COARSEST - level));
                let start = entry % per_piece * n_rows;
                if let Some((values, phases)) = of_piece(entry / per_piece, Some(start..start + n_rows)) {
                    found.extend(values, phases);
                }
            } else {
                let parts = self.pieces_under(level, entry..entry + 1).filter_map(|index| of_piece(index, None));
                parts.for_each(|(values, phases)| found.extend(values, phases));
                found = found.pooled(found.values.len().div_ceil(n_rows).max(1), n_rows);
            }
            if found.values.is_empty() {
                found = Peaks::silent(n_rows, false);
            }
            rows.extend(&found.values, found.phases.as_deref());
        }
        rows
    }
}
