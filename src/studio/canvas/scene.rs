//! What is drawn in the panes: tiles of the wanted look over those of the one before, previews of strokes over both.
//! Asks for what is missing, in view first.

use super::super::jobs::{Job, Jobs};
use super::super::state::View;
use crate::base::{Error, ErrorKind};
use crate::document::Snapshot;
use crate::dsp::{CellRect, Grid, Region};
use crate::gpu::{Colours, Display, DisplayTile, DrawnPlane, GpuRegion, Pane, TileDraw};
use crate::view::{
    Analysis, Level, PIECE_FRAMES, Piece, Plane, Plans, PyramidKey, SILENT_PHASE_BRIGHTNESS, TILE_ENTRIES, TileCache,
    TileData, TileKey, TileSet, grid_of, phase_texels,
};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Most bytes that one frame sends to the device.
pub const UPLOAD_BYTES_PER_FRAME: usize = 4 << 20;

/// Tiles that are analysed at once.
const TILE_JOBS: usize = 2;

/// Pieces of the pyramid that are analysed at once.
const PIECE_JOBS: usize = 2;

/// Finished tiles that may wait to be sent before another is begun.
const WAITING_UPLOADS: usize = 4;

/// Tiles kept for the previews of the next stroke.
const SPARE_TILES: usize = 8;

/// Layers of a pane.
const BEFORE: usize = 0;
const WANTED: usize = 1;

/// A look at a document: which cells its columns of pixels show.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Of which tiles.
    pub set: TileSet,
    /// Their level.
    pub level: Level,
    /// Entries of each column of pixels.
    pub columns: Vec<[u32; 2]>,
    /// The tiles in view with the columns of pixels that each draws.
    pub tiles: Vec<(TileKey, Range<u32>)>,
}

impl Look {
    /// The look of a view that is so many pixels wide; at the level of `set` if there is one.
    fn new(document: u64, grid: Grid, view: &View, width_px: usize, set: Option<TileSet>) -> Look {
        let own = || TileSet {
            document,
            stft: view.stft,
            channels: view.channels,
            level: Level::for_view(grid, view.secs, width_px as f64).index,
        };
        let set = set.unwrap_or_else(own);
        let level = Level { index: set.level, grid: Grid { stft: set.stft, ..grid } };
        let columns = level.columns(view.secs, width_px);
        let mut tiles: Vec<(TileKey, Range<u32>)> = Vec::new();
        for (x, column) in (0..).zip(&columns) {
            let index = column[0] as usize / TILE_ENTRIES;
            match tiles.last_mut() {
                Some((key, pixels)) if key.index == index => pixels.end = x + 1,
                _ => tiles.push((TileKey { set, index }, x..x + 1)),
            }
        }
        Look { set, level, columns, tiles }
    }

    fn entries(&self) -> Range<usize> {
        match (self.columns.first(), self.columns.last()) {
            (Some(first), Some(last)) => first[0] as usize..last[1] as usize,
            _ => 0..0,
        }
    }
}

/// One thing drawn in a pane.
#[derive(Debug, Clone, PartialEq)]
struct Drawn {
    layer: usize,
    key: TileKey,
    preview: bool,
    pixels: Range<u32>,
}

/// What a pane was drawn by.
#[derive(Debug, Clone, PartialEq)]
struct PaneKey {
    size: [u32; 2],
    colours: Colours,
    view: View,
    sets: [Option<TileSet>; 2],
}

#[derive(Debug)]
struct DrawnPane {
    pane: Pane,
    key: Option<PaneKey>,
    drawn: Vec<Drawn>,
}

/// The panes and everything that they are drawn from.
pub struct Scene {
    display: Display,
    cache: TileCache,
    jobs: Jobs,
    plans: Plans,
    tile_jobs: Vec<(TileKey, Job<TileData>)>,
    piece_jobs: Vec<(PyramidKey, usize, Job<Piece>)>,
    /// Copies of tiles that a stroke writes.
    previews: HashMap<TileKey, DisplayTile>,
    /// Textures of previews that are no longer needed.
    spare: Vec<DisplayTile>,
    /// What could not be analysed is not asked for again until the sound changes.
    failed: HashSet<TileKey>,
    failed_pieces: HashSet<(PyramidKey, usize)>,
    notice: Option<Error>,
    shown: Option<(u64, Snapshot)>,
    /// The last look that was seen whole.
    before: Option<TileSet>,
    look: Option<Look>,
    panes: HashMap<Plane, DrawnPane>,
    changed: Vec<(TileKey, Range<usize>)>,
}

impl Scene {
    /// Nothing to see.
    pub fn new(display: Display, jobs: Jobs, budget_bytes: u64) -> Scene {
        Scene {
            cache: TileCache::new(display.clone(), budget_bytes),
            display,
            jobs,
            plans: Plans::default(),
            tile_jobs: Vec::new(),
            piece_jobs: Vec::new(),
            previews: HashMap::new(),
            spare: Vec::new(),
            failed: HashSet::new(),
            failed_pieces: HashSet::new(),
            notice: None,
            shown: None,
            before: None,
            look: None,
            panes: HashMap::new(),
            changed: Vec::new(),
        }
    }

    /// Transforms that are planned already.
    pub fn plans(&self) -> &Plans {
        &self.plans
    }

    /// Whether anything is being analysed.
    pub fn has_jobs(&self) -> bool {
        !self.tile_jobs.is_empty() || !self.piece_jobs.is_empty()
    }

    /// The sound shown.
    pub fn shown(&self) -> Option<&Snapshot> {
        self.shown.as_ref().map(|(_, snapshot)| snapshot)
    }

    /// What is drawn now.
    pub fn look(&self) -> Option<&Look> {
        self.look.as_ref()
    }

    /// The peaks that a tile shows.
    pub fn peaks(&self, key: &TileKey) -> Option<(CellRect, std::sync::Arc<Vec<u16>>)> {
        self.cache.peaks(key)
    }

    /// An error that has not been told yet.
    pub fn take_notice(&mut self) -> Option<Error> {
        self.notice.take()
    }

    /// Takes answers of jobs, and sends what waits to the device, within what is left of the frame's budget.
    /// Returns whether the sound shown is another than before.
    pub fn follow(&mut self, document: u64, shown: &Snapshot, budget_bytes: usize) -> bool {
        let is_new = self.shown.as_ref().is_none_or(|(id, snapshot)| *id != document || !snapshot.is_same(shown));
        if is_new {
            let n_samples = shown.n_samples();
            if self.shown.as_ref().is_none_or(|(id, before)| *id != document || before.n_samples() != n_samples) {
                self.tile_jobs.clear();
                self.piece_jobs.clear();
                self.previews.clear();
                self.before = None;
                self.look = None;
            }
            self.failed.clear();
            self.failed_pieces.clear();
            self.cache.follow(document, shown);
            self.shown = Some((document, shown.clone()));
        }
        let mut answers = Vec::new();
        self.tile_jobs.retain_mut(|(key, job)| match job.poll() {
            None => true,
            Some(answer) => {
                answers.push((*key, answer));
                false
            }
        });
        for (key, answer) in answers {
            if let Err(error) = answer.and_then(|data| self.cache.insert(data, grid_of(shown, key.set.stft))) {
                self.failed.insert(key);
                self.tell(error);
            }
        }
        let mut pieces = Vec::new();
        self.piece_jobs.retain_mut(|(key, index, job)| match job.poll() {
            None => true,
            Some(answer) => {
                pieces.push((*key, *index, answer));
                false
            }
        });
        for (key, index, answer) in pieces {
            match answer {
                Ok(piece) => self.cache.insert_piece(key, index, piece, shown),
                Err(error) => {
                    self.failed_pieces.insert((key, index));
                    self.tell(error);
                }
            }
        }
        self.cache.upload(budget_bytes, shown);
        self.changed.extend(self.cache.take_written());
        is_new
    }

    fn tell(&mut self, error: Error) {
        if error.kind() != ErrorKind::Cancelled {
            self.notice = Some(error);
        }
    }

    /// Lays out a view over panes of so many pixels across, and asks for what is missing. True while there is more to
    /// do at once than waiting for jobs.
    pub fn lay_out(&mut self, view: &View, width_px: usize) -> bool {
        let Some((document, shown)) = self.shown.clone() else { return false };
        let grid = grid_of(&shown, view.stft);
        let look = Look::new(document, grid, view, width_px, None);
        let mut keys: Vec<TileKey> = look.tiles.iter().map(|(key, _)| *key).collect();
        let n_tiles = look.level.n_entries().div_ceil(TILE_ENTRIES);
        if let (Some(first), Some(last)) = (keys.first().copied(), keys.last().copied()) {
            // The neighbours are next when the view moves.
            keys.extend(first.index.checked_sub(1).map(|index| TileKey { index, ..first }));
            keys.extend((last.index + 1 < n_tiles).then_some(TileKey { index: last.index + 1, ..last }));
        }
        let before = self.before.filter(|set| *set != look.set);
        let before = before.map(|set| Look::new(document, grid, view, width_px, Some(set)));
        let kept: Vec<TileKey> = before.iter().flat_map(|look| &look.tiles).map(|(key, _)| *key).collect();
        self.cache.use_tiles(&keys, &kept, grid);
        self.tile_jobs.retain(|(key, _)| keys.contains(key));
        for key in keys {
            let busy = self.tile_jobs.len() >= TILE_JOBS || self.cache.n_waiting() >= WAITING_UPLOADS;
            let running = self.tile_jobs.iter().any(|(running, _)| *running == key);
            if busy || running || self.failed.contains(&key) || !self.cache.wants_analysis(&key) {
                continue;
            }
            let (plans, snapshot) = (self.plans.clone(), shown.clone());
            let job = self.jobs.spawn("tile", move |progress| {
                let stft = plans.get(key.set.stft);
                TileData::compute(&Analysis::new(&snapshot, key.set.channels, stft)?, key, progress)
            });
            self.tile_jobs.push((key, job));
        }
        self.ask_for_pieces(&look, grid, &shown);
        self.look = Some(look);
        self.cache.n_waiting() > 0
    }

    /// Fills the pyramid, in view first; everywhere else once the tiles in view are there.
    fn ask_for_pieces(&mut self, look: &Look, grid: Grid, shown: &Snapshot) {
        let key = look.set.pyramid();
        self.piece_jobs.retain(|(running, ..)| *running == key);
        let per_entry = look.level.frames_per_entry();
        let entries = look.entries();
        let seen = entries.start * per_entry / PIECE_FRAMES..(entries.end * per_entry).div_ceil(PIECE_FRAMES);
        let running: Vec<usize> = self.piece_jobs.iter().map(|(_, index, _)| *index).collect();
        if look.set.level < 2 && !self.tile_jobs.is_empty() || running.len() >= PIECE_JOBS {
            return;
        }
        let failed = &self.failed_pieces;
        let pyramid = self.cache.pyramid(key, grid);
        let is_taken = |index| running.contains(&index) || failed.contains(&(key, index));
        let Some(index) = pyramid.next_piece(seen, is_taken) else { return };
        let (plans, snapshot) = (self.plans.clone(), shown.clone());
        let job = self.jobs.spawn("pyramid", move |progress| {
            Piece::compute(&Analysis::new(&snapshot, key.channels, plans.get(key.stft))?, index, progress)
        });
        self.piece_jobs.push((key, index, job));
    }

    /// Whether everything in view shows the sound as it is.
    pub fn is_settled(&self) -> bool {
        let Some(look) = &self.look else { return true };
        self.changed.is_empty()
            && (!self.failed_pieces.is_empty()
                || look.tiles.iter().all(|(key, _)| self.failed.contains(key) || self.cache.is_fresh(key)))
    }

    /// Draws the pane of a plane, as far as it has changed, and gives what paints it into the window.
    pub fn draw(&mut self, view: &View, plane: Plane, size: [u32; 2], silence: [f64; 3]) -> Option<&mut Pane> {
        let look = self.look.as_ref()?;
        let document = look.set.document;
        let is_whole = look.tiles.iter().all(|(key, pixels)| {
            self.runs(look, key, pixels).iter().len() == 1 && { self.runs(look, key, pixels)[0] == *pixels }
        });
        let before =
            if is_whole { None } else { self.before.filter(|set| *set != look.set && set.document == document) };
        let before = before.map(|set| Look::new(document, look.level.grid, view, size[0] as usize, Some(set)));
        let mut drawn = Vec::new();
        for (layer, look) in [(BEFORE, before.as_ref()), (WANTED, Some(look))] {
            for (key, pixels) in look.iter().flat_map(|look| &look.tiles) {
                let Some(look) = look else { continue };
                for pixels in self.runs(look, key, pixels) {
                    let preview = self.previews.contains_key(key);
                    drawn.push(Drawn { layer, key: *key, preview, pixels });
                }
            }
        }
        let colours = Colours {
            range_db: view.range_db,
            plane: match plane {
                Plane::Magnitude => DrawnPlane::Magnitude,
                Plane::Phase if view.raw_phase => DrawnPlane::RawPhase,
                Plane::Phase => DrawnPlane::Phase,
            },
            silent_brightness: SILENT_PHASE_BRIGHTNESS,
            texels: if plane == Plane::Phase { phase_texels() } else { view.colormap.texels() },
        };
        let sets = [before.as_ref().map(|look| look.set), Some(look.set)];
        let key = PaneKey { size, colours: colours.clone(), view: view.clone(), sets };
        if self.panes.get(&plane).is_none_or(|drawn| drawn.pane.size() != size) {
            match self.display.pane(size, 2) {
                Ok(pane) => _ = self.panes.insert(plane, DrawnPane { pane, key: None, drawn: Vec::new() }),
                Err(error) => {
                    self.notice = Some(error);
                    return None;
                }
            }
        }
        let entry = self.panes.get_mut(&plane)?;
        let tile_of = |drawn: &Drawn| {
            if drawn.preview { self.previews.get(&drawn.key) } else { self.cache.get(&drawn.key) }
        };
        let as_draw = |drawn: &Drawn, pixels: Range<u32>| {
            tile_of(drawn).map(|tile| TileDraw { layer: drawn.layer, tile, columns: pixels })
        };
        let is_dirty = |drawn: &Drawn| self.changed.iter().any(|(key, _)| *key == drawn.key);
        let whole = entry.key.as_ref() != Some(&key)
            || drawn.iter().any(|new| new.layer == BEFORE && (is_dirty(new) || !entry.drawn.contains(new)));
        if whole {
            entry.pane.set_colours(&colours);
            for (layer, look) in [(BEFORE, before.as_ref()), (WANTED, Some(look))] {
                if let Some(look) = look {
                    entry.pane.set_tables(layer, &look.columns, &look.level.rows(view.hz, view.axis, size[1] as usize));
                }
            }
            let draws: Vec<_> = drawn.iter().filter_map(|drawn| as_draw(drawn, drawn.pixels.clone())).collect();
            entry.pane.draw(&draws, Some(silence));
        } else {
            let mut draws = Vec::new();
            for new in &drawn {
                if !entry.drawn.contains(new) {
                    draws.extend(as_draw(new, new.pixels.clone()));
                    continue;
                }
                for (_, entries) in self.changed.iter().filter(|(key, _)| *key == new.key) {
                    draws.extend(as_draw(new, touched_pixels(look, &new.pixels, entries)));
                }
            }
            if !draws.is_empty() {
                entry.pane.draw(&draws, None);
            }
        }
        entry.key = Some(key);
        entry.drawn = drawn;
        if is_whole {
            self.before = Some(look.set);
        }
        Some(&mut entry.pane)
    }

    /// To be called once both panes are drawn.
    pub fn end_frame(&mut self) {
        self.changed.clear();
    }

    /// The columns of pixels of a tile that can be drawn.
    fn runs(&self, look: &Look, key: &TileKey, pixels: &Range<u32>) -> Vec<Range<u32>> {
        if self.previews.contains_key(key) {
            return vec![pixels.clone()];
        }
        if self.cache.get(key).is_none() {
            return Vec::new();
        }
        if key.set.level < 2 {
            return vec![pixels.clone()];
        }
        let mut runs: Vec<Range<u32>> = Vec::new();
        for x in pixels.clone() {
            let [first, end] = look.columns[x as usize];
            if self.cache.has_entries(key, first as usize..end as usize) {
                match runs.last_mut() {
                    Some(run) if run.end == x => run.end = x + 1,
                    _ => runs.push(x..x + 1),
                }
            }
        }
        runs
    }

    /// Writes full cells of a stroke in progress over the tiles that hold them. Returns the bytes sent.
    pub fn preview_cells(&mut self, set: TileSet, region: &Region) -> usize {
        self.preview(set, &region.rect, |display, tile, cells| {
            display.write_full(tile, &region.rect, [&region.magnitude, &region.phase], cells);
            cells.n_cells() * 8
        })
    }

    /// Writes full cells of a stroke in progress that are on the device already.
    pub fn preview_device(&mut self, set: TileSet, region: &GpuRegion) {
        self.preview(set, &region.rect, |display, tile, cells| {
            let written = tile.planes().map(|planes| display.gpu().scatter(region, cells, &planes));
            if let Some(Err(error)) = written {
                tracing::warn!(%error, "a preview could not be drawn");
            }
            0
        });
    }

    /// Writes peaks of a stroke in progress over the tiles that hold them. Returns the bytes sent.
    pub fn preview_peaks(&mut self, set: TileSet, rect: &CellRect, peaks: &[u16]) -> usize {
        self.preview(set, rect, |display, tile, cells| {
            display.write_peaks(tile, rect, peaks, cells);
            cells.n_cells() * 2
        })
    }

    fn preview(
        &mut self,
        set: TileSet,
        rect: &CellRect,
        write: impl Fn(&Display, &DisplayTile, &CellRect) -> usize,
    ) -> usize {
        let mut sent_bytes = 0;
        // A tile shares its first entries with the one before.
        let first = (rect.frames.start / TILE_ENTRIES).saturating_sub(1);
        for index in first..=rect.frames.end / TILE_ENTRIES {
            let key = TileKey { set, index };
            let Some(original) = self.cache.get(&key) else { continue };
            let cells = rect.intersect(original.rect());
            if cells.is_empty() {
                continue;
            }
            if !self.previews.contains_key(&key) {
                match self.display.copy_of(original, &mut self.spare) {
                    Ok(copy) => _ = self.previews.insert(key, copy),
                    Err(error) => {
                        self.tell(error);
                        continue;
                    }
                }
            }
            if let Some(tile) = self.previews.get(&key) {
                sent_bytes += write(&self.display, tile, &cells);
                self.changed.push((key, cells.frames));
            }
        }
        sent_bytes
    }

    /// Drops all previews: what they covered is seen again.
    pub fn drop_previews(&mut self) {
        let dropped = self.previews.drain().map(|(_, tile)| tile);
        self.spare.extend(dropped);
        self.spare.truncate(SPARE_TILES);
    }

    /// Drops the previews of tiles that show the sound as it is.
    pub fn drop_shown_previews(&mut self) {
        let cache = &self.cache;
        let shown = self.previews.extract_if(|key, _| cache.is_fresh(key) || cache.get(key).is_none());
        self.spare.extend(shown.map(|(_, tile)| tile));
        self.spare.truncate(SPARE_TILES);
    }
}

/// The columns of pixels among `pixels` that show one of `entries`.
fn touched_pixels(look: &Look, pixels: &Range<u32>, entries: &Range<usize>) -> Range<u32> {
    let columns = &look.columns[pixels.start as usize..pixels.end as usize];
    let first = columns.partition_point(|column| column[1] as usize <= entries.start) as u32;
    let end = columns.partition_point(|column| (column[0] as usize) < entries.end) as u32;
    pixels.start + first..pixels.start + end.max(first)
}
