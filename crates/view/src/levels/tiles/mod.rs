//! Tile cache: runs of entries of a view on the device, within a budget.
//!
//! Level 0 tiles hold both planes of full cells, other tiles 16-bit peaks, with phases while a pane shows them. Tiles
//! of levels in the pyramid (from 2 on; coarser for long sounds) are written from it, those of finer levels are
//! analysed on demand. A tile whose sound has changed is kept, marked stale, until it is rewritten, so that the canvas
//! never goes blank.

mod carried;
mod keys;

pub use keys::{TILE_ENTRIES, TileKey, TileSet};

use super::footprint::Level;
use super::peaks::Peaks;
use super::pyramid::{PIECE_FRAMES, Piece, Pyramid, PyramidKey, finest};
use crate::analysis::{Analysis, ChannelView};
use crate::base::{Error, ErrorKind, Progress, Result, trace};
use crate::document::Snapshot;
use crate::dsp::{AmplitudeScale, CellRect, Grid, Region};
use crate::engine::{Engine, EngineRegion};
use crate::gpu::{Display, DisplayTile, GpuRegion};
use crate::half::PEAK_SCALE;
use crate::moved::Moved;
use crate::pyramid_cache::UncachedPyramid;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// The scale from stored peaks to amplitudes.
const PEAK_AMPLITUDES: AmplitudeScale = AmplitudeScale { sine: 1.0 / PEAK_SCALE, ends: 1.0 / PEAK_SCALE, last_bin: 0 };

/// An analysed tile of a level finer than the pyramid, in memory.
#[derive(Debug)]
pub struct TileData {
    key: TileKey,
    snapshot: Snapshot,
    cells: Cells,
    /// Scale from stored values to amplitudes, where 1 is 0 dB.
    scale: AmplitudeScale,
}

#[derive(Debug, Clone)]
enum Cells {
    Full(Arc<Region>),
    OnDevice(Arc<GpuRegion>),
    Peaks(CellRect, Arc<Peaks<u16>>),
}

impl TileData {
    /// Analyses a tile of a level finer than the pyramid on an engine, whose device, if it has one, must be that of the
    /// cache.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled), read errors, and errors of the engine.
    pub fn compute(analysis: &Analysis, engine: &Engine, key: TileKey, progress: &Progress) -> Result<TileData> {
        progress.check()?;
        let _span = trace::span("analyse a tile");
        let entries = key.entries(analysis.grid());
        let level = Level { index: key.set.level, grid: analysis.grid().clone() };
        let (cells, scale) = if key.set.level == 0 {
            let cells = match analysis.region_on(engine, entries)? {
                EngineRegion::Cpu(region) => Cells::Full(Arc::new(region)),
                EngineRegion::Gpu(region) => Cells::OnDevice(Arc::new(region)),
            };
            (cells, analysis.amplitude_scale())
        } else {
            let analysis = analysis.clone().with_phases(key.set.has_phases);
            let peaks = analysis.peaks_on(engine, &level, entries.clone(), progress)?.halves();
            (Cells::Peaks(CellRect::new(entries, 0..level.n_rows()), Arc::new(peaks)), PEAK_AMPLITUDES)
        };
        Ok(TileData { key, snapshot: analysis.snapshot().clone(), cells, scale })
    }
}

#[derive(Debug)]
struct Tile {
    tile: DisplayTile,
    grid: Grid,
    /// The snapshot it shows; `None` for pyramid tiles, whose pieces track this.
    snapshot: Option<Snapshot>,
    fresh: bool,
    /// Whether it was completely written at least once; for pyramid tiles, whether it was created.
    ready: bool,
    /// For each entry of a pyramid tile, whether all pieces under it were present when it was written.
    filled: Vec<bool>,
    /// The peaks that an analysed peak tile was written from; a stroke's preview starts from them.
    peaks: Option<Arc<Peaks<u16>>>,
    used: u64,
}

#[derive(Debug)]
struct Upload {
    key: TileKey,
    what: TileContents,
    /// Entries still to be written.
    left: Range<usize>,
}

#[derive(Debug)]
enum TileContents {
    Cells(Cells, Snapshot),
    /// Rows read from the pyramid when the tile is written.
    Pyramid,
}

/// The tiles on the device and the pyramids in memory.
#[derive(Debug)]
pub struct TileCache {
    display: Display,
    budget_bytes: u64,
    tiles: HashMap<TileKey, Tile>,
    pyramids: HashMap<PyramidKey, Pyramid>,
    uploads: VecDeque<Upload>,
    /// Entries written since the last [`take_written`](TileCache::take_written).
    written: Vec<(TileKey, Range<usize>)>,
    failed: Vec<(TileKey, Error)>,
    clock: u64,
    /// Number of tiles analysed.
    n_analysed: usize,
    /// Document id and snapshot of the last [`follow`](TileCache::follow).
    shown: Option<(u64, Snapshot)>,
}

impl TileCache {
    /// An empty cache. Tiles in use are kept even beyond the budget.
    pub fn new(display: Display, budget_bytes: u64) -> TileCache {
        TileCache {
            display,
            budget_bytes,
            tiles: HashMap::new(),
            pyramids: HashMap::new(),
            uploads: VecDeque::new(),
            written: Vec::new(),
            failed: Vec::new(),
            clock: 0,
            n_analysed: 0,
            shown: None,
        }
    }

    /// The tile, if it was completely written.
    pub fn get(&self, key: &TileKey) -> Option<&DisplayTile> {
        self.tiles.get(key).filter(|tile| tile.ready).map(|tile| &tile.tile)
    }

    /// The peaks of a tile from level 1 on, with their entries and rows.
    pub fn peaks(&self, key: &TileKey) -> Option<(CellRect, Arc<Peaks<u16>>)> {
        let tile = self.tiles.get(key)?;
        let rect = tile.tile.rect().clone();
        if let Some(peaks) = &tile.peaks {
            return Some((rect, peaks.clone()));
        }
        let pyramid = self.pyramids.get(&key.set.pyramid())?;
        Some((rect.clone(), Arc::new(pyramid.rows(key.set.level, rect.frames))))
    }

    /// Whether a tile is present and fresh.
    pub fn is_fresh(&self, key: &TileKey) -> bool {
        let Some(tile) = self.tiles.get(key) else { return false };
        if key.set.level < finest(&tile.grid) {
            return tile.ready && tile.fresh;
        }
        let waiting = self.uploads.iter().any(|upload| upload.key == *key);
        let pyramid = self.pyramids.get(&key.set.pyramid());
        !waiting && pyramid.is_some_and(|pyramid| pyramid.is_fresh(key.set.level, tile.tile.rect().frames.clone()))
    }

    /// Whether these entries of a tile can be drawn: always for levels finer than the pyramid, for others once they
    /// were written from present pieces.
    pub fn has_entries(&self, key: &TileKey, entries: Range<usize>) -> bool {
        let is_filled = |tile: &Tile| {
            let first = tile.tile.rect().frames.start;
            let held = entries.start.saturating_sub(first)..entries.end.saturating_sub(first);
            tile.filled.get(held).is_some_and(|filled| filled.iter().all(|&is_filled| is_filled))
        };
        self.tiles.get(key).is_some_and(|tile| key.set.level < finest(&tile.grid) || is_filled(tile))
    }

    /// Whether a tile needs analysis: it is missing or stale, and no data is waiting to be written to it.
    pub fn wants_analysis(&self, key: &TileKey, grid: &Grid) -> bool {
        key.set.level < finest(grid) && !self.is_fresh(key) && !self.uploads.iter().any(|upload| upload.key == *key)
    }

    /// Marks tiles as in use, creates missing pyramid tiles in the given order, and evicts the least recently used
    /// tiles beyond the budget.
    pub fn use_tiles(&mut self, first: &[(TileKey, Grid)], then: &[(TileKey, Grid)]) {
        self.clock += 1;
        for (key, grid) in first.iter().chain(then) {
            if key.set.level >= finest(grid) && !self.tiles.contains_key(key) {
                if let Err(error) = self.add_tile_somehow(key, grid, PEAK_AMPLITUDES) {
                    tracing::warn!(%error, "no texture for a tile");
                    continue;
                }
                self.uploads.push_back(Upload {
                    key: key.clone(),
                    what: TileContents::Pyramid,
                    left: key.entries(grid),
                });
            }
            if let Some(tile) = self.tiles.get_mut(key) {
                tile.used = self.clock;
            }
        }
        let mut held_bytes = self.held_bytes();
        while held_bytes > self.budget_bytes {
            let idle = self.tiles.iter().filter(|(_, tile)| tile.used < self.clock);
            let Some((key, tile)) = idle.min_by_key(|(_, tile)| tile.used) else { break };
            let key = key.clone();
            held_bytes -= tile.tile.size_bytes() as u64;
            self.tiles.remove(&key);
            self.uploads.retain(|upload| upload.key != key);
        }
    }

    /// Bytes of the textures of all tiles.
    pub fn held_bytes(&self) -> u64 {
        self.tiles.values().map(|tile| tile.tile.size_bytes() as u64).sum()
    }

    /// Adds a tile; if memory runs out, evicts tiles that are not in use.
    fn add_tile_somehow(&mut self, key: &TileKey, grid: &Grid, scale: AmplitudeScale) -> Result<()> {
        match self.add_tile(key, grid, scale) {
            Err(error) if error.kind() == ErrorKind::GpuMemory => {
                tracing::warn!("{error}: tiles out of sight are dropped");
                let clock = self.clock;
                self.tiles.retain(|_, tile| tile.used >= clock);
                let tiles = &self.tiles;
                self.uploads.retain(|upload| tiles.contains_key(&upload.key));
                self.add_tile(key, grid, scale)
            }
            result => result,
        }
    }

    fn add_tile(&mut self, key: &TileKey, grid: &Grid, scale: AmplitudeScale) -> Result<()> {
        let level = Level { index: key.set.level, grid: grid.clone() };
        let n_rows = level.n_rows().min(self.display.max_rows());
        let rect = CellRect::new(key.entries(grid), 0..n_rows);
        let tile = if key.set.level == 0 {
            self.display.full_tile(&rect, scale, grid.frames_per_turn())
        } else {
            self.display.peak_tile(&rect, scale.sine, key.set.has_phases)
        }?;
        let ready = key.set.level >= finest(grid);
        let filled = vec![false; if ready { rect.frames.len() } else { 0 }];
        let tile = Tile {
            tile,
            grid: grid.clone(),
            snapshot: None,
            fresh: false,
            ready,
            filled,
            peaks: None,
            used: self.clock,
        };
        self.tiles.insert(key.clone(), tile);
        Ok(())
    }

    /// Accepts an analysed tile, to be written over the next frames.
    ///
    /// # Errors
    /// [`GpuMemory`](crate::base::ErrorKind::GpuMemory) if the device is still out of memory after evicting idle tiles.
    pub fn insert(&mut self, data: TileData, grid: &Grid) -> Result<()> {
        let TileData { key, snapshot, cells, scale } = data;
        if !self.tiles.contains_key(&key) {
            self.add_tile_somehow(&key, grid, scale)?;
        }
        self.n_analysed += 1;
        self.uploads.retain(|upload| upload.key != key);
        let left = key.entries(grid);
        self.uploads.push_back(Upload { key, what: TileContents::Cells(cells, snapshot), left });
        Ok(())
    }

    /// Accepts a piece of a pyramid and writes it to the tiles that show it.
    pub fn insert_piece(&mut self, key: &PyramidKey, index: usize, piece: Piece, shown: &Snapshot) {
        let Some(pyramid) = self.pyramids.get_mut(key) else { return };
        let frames = index * PIECE_FRAMES..(index + 1) * PIECE_FRAMES;
        let fresh = !differs(&piece.snapshot, shown, key.channels, pyramid.grid(), &frames);
        pyramid.insert(index, piece, fresh);
        for (tile_key, tile) in &self.tiles {
            if tile_key.set.level < finest(&tile.grid) || tile_key.set.pyramid() != *key {
                continue;
            }
            let per_entry = 1usize << (2 * tile_key.set.level);
            let held = &tile.tile.rect().frames;
            let start = (frames.start / per_entry).max(held.start);
            let end = frames.end.div_ceil(per_entry).min(held.end);
            if start < end {
                self.uploads.push_back(Upload { key: tile_key.clone(), what: TileContents::Pyramid, left: start..end });
            }
        }
    }

    /// Drops all pyramids except these.
    pub fn keep_pyramids(&mut self, keys: &[PyramidKey]) {
        self.pyramids.retain(|held, _| keys.contains(held));
    }

    /// A complete pyramid of an unedited file, for the disk cache.
    pub fn to_keep(&self, key: &PyramidKey, original: &Snapshot) -> Option<UncachedPyramid> {
        UncachedPyramid::of(self.pyramids.get(key)?, key.clone(), original)
    }

    /// Whether a pyramid is complete, fresh or not.
    pub fn is_complete(&self, key: &PyramidKey) -> bool {
        self.pyramids.get(key).is_some_and(Pyramid::is_complete)
    }

    /// The pyramid of a set, created if missing. One with phases also serves sets without.
    pub fn pyramid(&mut self, key: PyramidKey, grid: Grid) -> &mut Pyramid {
        let with_phases = self.pyramids.get(&PyramidKey { has_phases: true, ..key.clone() });
        let known = with_phases.filter(|known| !key.has_phases && *known.grid() == grid).map(Pyramid::without_phases);
        self.pyramids.entry(key).or_insert_with(|| known.unwrap_or_else(|| Pyramid::new(grid)))
    }

    /// Marks tiles that show `shown` as fresh and others as stale. Drops tiles and pyramids of other documents. If time
    /// was cut or added, pyramids and tiles move with it where possible.
    pub fn follow(&mut self, document: u64, shown: &Snapshot) {
        self.tiles.retain(|key, _| key.set.document == document);
        self.pyramids.retain(|key, _| key.document == document);
        let before = self.shown.replace((document, shown.clone()));
        if let Some((_, before)) = before.filter(|(id, before)| *id == document && !before.is_same(shown)) {
            self.move_with(&before, shown);
        }
        let tiles = &self.tiles;
        self.uploads.retain(|upload| tiles.contains_key(&upload.key));
        for (key, tile) in &mut self.tiles {
            let per_entry = 1usize << (2 * key.set.level);
            let entries = &tile.tile.rect().frames;
            let frames = entries.start * per_entry..entries.end * per_entry;
            let Some(snapshot) = &mut tile.snapshot else { continue };
            tile.fresh = !differs(snapshot, shown, key.set.channels, &tile.grid, &frames);
            if tile.fresh {
                *snapshot = shown.clone();
            }
        }
        for (key, pyramid) in &mut self.pyramids {
            let grid = pyramid.grid().clone();
            pyramid.judge(|snapshot, frames| !differs(snapshot, shown, key.channels, &grid, &frames));
        }
    }

    fn move_with(&mut self, before: &Snapshot, shown: &Snapshot) {
        let moved = Moved::between(before, shown);
        if moved.is_none() && before.n_samples() == shown.n_samples() {
            return;
        }
        let carried = moved.as_ref().map_or_else(Vec::new, |moved| self.carried(before, shown, moved));
        for (key, pyramid) in &mut self.pyramids {
            *pyramid = pyramid.moved(shown.grid(key.transform.clone()), moved.as_ref());
        }
        self.uploads.clear();
        let uploads = &mut self.uploads;
        self.tiles.retain(|key, tile| {
            let grid = shown.grid(key.set.transform.clone());
            let entries = key.entries(&grid);
            // The last tile of a longer or shorter sound contains other entries. Tiles to be analysed again are drawn
            // from the pyramid meanwhile.
            let frames = entries.start << (2 * key.set.level)..entries.end << (2 * key.set.level);
            let is_of_pyramid = key.set.level >= finest(&grid) && key.set.level >= finest(&tile.grid);
            let is_kept = tile.tile.rect().frames == entries
                && (is_of_pyramid
                    || tile
                        .snapshot
                        .as_ref()
                        .is_some_and(|held| !differs(held, shown, key.set.channels, &grid, &frames)));
            if is_kept && is_of_pyramid {
                uploads.push_back(Upload { key: key.clone(), what: TileContents::Pyramid, left: entries });
            }
            tile.grid = grid;
            is_kept
        });
        for (key, tile) in carried {
            self.tiles.entry(key).or_insert(tile);
        }
    }

    /// Writes entries of the queued tiles: at most `budget_bytes` of uploads but at least one entry, and all cells that
    /// are already on the device. A queued tile may be written in part. `shown` is the current sound. Returns the
    /// number of bytes uploaded.
    pub fn upload(&mut self, budget_bytes: usize, shown: &Snapshot) -> usize {
        let _span = trace::span("write tiles");
        let mut written_bytes = 0;
        while let Some(upload) = self.uploads.front_mut() {
            let Some(tile) = self.tiles.get_mut(&upload.key) else {
                self.uploads.pop_front();
                continue;
            };
            let rect = tile.tile.rect();
            let is_uploaded = !matches!(upload.what, TileContents::Cells(Cells::OnDevice(_), _));
            let entry_bytes = if is_uploaded { rect.bins.len() * upload.key.set.cell_bytes() } else { 0 };
            let n_left = budget_bytes.saturating_sub(written_bytes).checked_div(entry_bytes).unwrap_or(usize::MAX);
            if n_left == 0 && written_bytes > 0 {
                break;
            }
            let end = upload.left.end.min(upload.left.start.saturating_add(n_left.max(1)));
            let entries = upload.left.start..end;
            let cells = CellRect::new(entries.clone(), rect.bins.clone());
            match &upload.what {
                TileContents::Cells(Cells::Full(region), _) => {
                    self.display.write_full(&tile.tile, &region.rect, [&region.magnitude, &region.phase], &cells);
                }
                TileContents::Cells(Cells::OnDevice(region), _) => {
                    if let Err(error) = scatter(&self.display, &tile.tile, region, &cells) {
                        self.failed.push((upload.key.clone(), error));
                        self.uploads.pop_front();
                        continue;
                    }
                }
                TileContents::Cells(Cells::Peaks(held, peaks), _) => {
                    write_peaks(&self.display, &tile.tile, (held, peaks), &cells);
                }
                TileContents::Pyramid => {
                    if let Some(pyramid) = self.pyramids.get(&upload.key.set.pyramid()) {
                        let rows = pyramid.rows(upload.key.set.level, entries.clone());
                        write_peaks(&self.display, &tile.tile, (&cells, &rows), &cells);
                        let first = rect.frames.start;
                        for entry in entries.clone() {
                            let is_there = pyramid.is_there(upload.key.set.level, entry..entry + 1);
                            if let Some(filled) = tile.filled.get_mut(entry - first) {
                                *filled |= is_there;
                            }
                        }
                    }
                }
            }
            written_bytes += entries.len() * entry_bytes;
            self.written.push((upload.key.clone(), entries));
            upload.left.start = end;
            if !upload.left.is_empty() {
                continue;
            }
            if let Some(Upload { key, what: TileContents::Cells(cells, snapshot), .. }) = self.uploads.pop_front() {
                let per_entry = 1usize << (2 * key.set.level);
                let held = &tile.tile.rect().frames;
                let frames = held.start * per_entry..held.end * per_entry;
                tile.fresh = !differs(&snapshot, shown, key.set.channels, &tile.grid, &frames);
                tile.snapshot = Some(snapshot);
                tile.ready = true;
                if let Cells::Peaks(_, peaks) = cells {
                    tile.peaks = Some(peaks);
                }
            }
        }
        written_bytes
    }

    /// The tiles that could not be written since the last call, and why.
    pub fn take_failed(&mut self) -> Vec<(TileKey, Error)> {
        std::mem::take(&mut self.failed)
    }

    /// Number of tiles analysed.
    pub fn n_analysed(&self) -> usize {
        self.n_analysed
    }

    /// Number of uploads waiting to be written.
    pub fn n_waiting(&self) -> usize {
        self.uploads.len()
    }

    /// The entries written since the last call.
    pub fn take_written(&mut self) -> Vec<(TileKey, Range<usize>)> {
        std::mem::take(&mut self.written)
    }
}

/// Writes `cells` of a level 0 tile from a region on the device.
fn scatter(display: &Display, tile: &DisplayTile, region: &GpuRegion, cells: &CellRect) -> Result<()> {
    let Some(planes) = tile.planes() else { return Ok(()) };
    let gpu = display.gpu();
    gpu.in_batch(|batch| gpu.scatter(batch, region, cells, &planes))
}

/// Writes the cells `cells` from peaks of a larger rectangle.
fn write_peaks(display: &Display, tile: &DisplayTile, (rect, peaks): (&CellRect, &Peaks<u16>), cells: &CellRect) {
    display.write_peaks(tile, rect, &peaks.values, cells);
    if let Some(phases) = &peaks.phases {
        display.write_phase_steps(tile, rect, phases, cells);
    }
}

/// Whether two snapshots may differ under `frames`.
fn differs(a: &Snapshot, b: &Snapshot, channels: ChannelView, grid: &Grid, frames: &Range<usize>) -> bool {
    if a.is_same(b) {
        return false;
    }
    let channels = match channels {
        ChannelView::One(channel) => channel..channel + 1,
        _ => 0..a.n_channels(),
    };
    channels.flat_map(|channel| a.differing(b, channel)).any(|samples| {
        let under = grid.frames_over(&samples);
        under.start < frames.end && under.end > frames.start
    })
}
