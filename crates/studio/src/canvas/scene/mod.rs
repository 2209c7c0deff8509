//! Contents of the panes: tiles of the wanted look over those of the previous one, with previews of strokes on top.
//! Requests missing tiles, visible ones first.

mod draw;
mod lane;
mod long;
mod look;
mod picture_engine;
mod previews;

use crate::base::{Error, ErrorKind};
use crate::document::Snapshot;
use crate::dsp::Transform;
use crate::engine::Engine;
use crate::gpu::{Display, DisplayTile};
use crate::studio::profiler::GraphicsMemory;
use crate::view::{
    Analysis, ChannelView, PIECE_FRAMES, Piece, Plans, PyramidCache, PyramidKey, TILE_ENTRIES, TileCache, TileData,
    TileKey, finest, frames_ready, grid_of,
};
use crate::workbench::{JobQueue, Jobs, LevelTile};
use lane::{SceneLane, TOP_LAYER};
pub use look::{LaneId, LaneRequest, SceneLayout};
use look::{all_tiles, base_set};
use picture_engine::PictureEngine;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Maximum bytes uploaded to the device per frame.
pub const UPLOAD_BYTES_PER_FRAME: usize = 4 << 20;

/// Tiles analysed in parallel.
const TILE_JOBS: usize = 2;

/// Pieces of the pyramid analysed in parallel.
const PIECE_JOBS: usize = 2;

/// Maximum number of finished tiles waiting for upload before another is begun.
const WAITING_UPLOADS: usize = 4;

/// Maximum number of tile textures kept for the previews of the next stroke.
const SPARE_TILES: usize = 8;

/// All panes, and the tiles, pyramids and previews that they are drawn from.
pub struct Scene {
    display: Display,
    cache: TileCache,
    jobs: Jobs,
    /// Analyses tiles and pieces. If it runs on a GPU, this is the display's.
    engine: PictureEngine,
    tile_jobs: JobQueue<TileKey, TileData>,
    piece_jobs: JobQueue<(PyramidKey, usize), Piece>,
    long: long::LongFiles,
    /// Copies of tiles with the preview of a stroke.
    previews: HashMap<TileKey, DisplayTile>,
    /// Textures of previews that are no longer needed.
    spare: Vec<DisplayTile>,
    /// Tiles whose analysis failed; not requested again until the sound changes.
    failed: HashSet<TileKey>,
    /// Pieces of pyramids whose analysis failed; likewise not requested again.
    failed_pieces: HashSet<(PyramidKey, usize)>,
    notice: Option<Error>,
    shown: Option<(u64, Snapshot)>,
    lanes: Vec<SceneLane>,
    changed: Vec<(TileKey, Range<usize>)>,
}

impl Scene {
    /// A scene without contents.
    pub fn new(display: Display, jobs: Jobs, engine: &Engine, budget_bytes: u64) -> Scene {
        // Regions on another device cannot be copied to the display's.
        let is_of_display = engine.gpu().is_none_or(|gpu| Arc::ptr_eq(gpu, display.gpu()));
        let engine = PictureEngine::new(if is_of_display { engine.clone() } else { engine.on_cpu() });
        Scene {
            cache: TileCache::new(display.clone(), budget_bytes),
            display,
            jobs,
            engine,
            tile_jobs: JobQueue::default(),
            piece_jobs: JobQueue::default(),
            long: long::LongFiles::default(),
            previews: HashMap::new(),
            spare: Vec::new(),
            failed: HashSet::new(),
            failed_pieces: HashSet::new(),
            notice: None,
            shown: None,
            lanes: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Number of tiles of levels 0 and 1 analysed.
    pub fn n_tiles_analysed(&self) -> usize {
        self.cache.n_analysed()
    }

    /// Whether its rendering device is lost.
    pub fn is_device_lost(&self) -> bool {
        self.display.gpu().is_lost()
    }

    /// Memory of the rendering device in use.
    pub fn memory(&self) -> GraphicsMemory {
        let gpu = self.display.gpu();
        let samples_bytes = gpu.page_counts().held_bytes;
        GraphicsMemory {
            total_bytes: gpu.device_bytes(),
            adapter_bytes: gpu.summary().memory_bytes,
            parts: vec![
                ("tiles", self.cache.held_bytes()),
                ("samples", samples_bytes),
                ("kernels", gpu.held_bytes().saturating_sub(samples_bytes)),
            ],
        }
    }

    /// The shared plans of transforms.
    pub fn plans(&self) -> &Plans {
        self.engine.plans()
    }

    /// Whether anything is being analysed.
    pub fn has_jobs(&self) -> bool {
        self.tile_jobs.is_busy() || self.piece_jobs.is_busy() || self.long.has_jobs()
    }

    /// Whether the whole length of the sound can be shown, at least coarsely.
    pub fn is_seen_whole(&self) -> bool {
        self.lanes.iter().any(|lane| lane.overview.as_ref().is_some_and(|key| self.cache.is_complete(key)))
    }

    /// Stores the pyramids of long files in a folder, and looks for them there first.
    pub fn keep_pyramids(&mut self, kept: PyramidCache) {
        self.long.keep_in(kept);
    }

    /// The current look of these channels.
    pub fn look(&self, channels: ChannelView) -> Option<&SceneLayout> {
        self.lanes.iter().find(|lane| lane.id == LaneId { channels, is_loupe: false })?.look.as_ref()
    }

    /// The peaks shown by a tile.
    pub fn peaks(&self, key: &TileKey) -> Option<LevelTile> {
        self.cache.peaks(key)
    }

    /// An error that has not been reported yet.
    pub fn take_notice(&mut self) -> Option<Error> {
        self.notice.take().or_else(|| self.engine.take_notice())
    }

    /// Takes results of jobs, and uploads waiting tiles within the rest of the frame's budget. Returns whether the
    /// shown sound has changed.
    pub fn follow(&mut self, document: u64, shown: &Snapshot, budget_bytes: usize) -> bool {
        let is_new = self.shown.as_ref().is_none_or(|(id, snapshot)| *id != document || !snapshot.is_same(shown));
        if is_new {
            let n_samples = shown.n_samples();
            let is_other = self.shown.as_ref().is_none_or(|(id, _)| *id != document);
            if is_other || self.shown.as_ref().is_some_and(|(_, before)| before.n_samples() != n_samples) {
                self.tile_jobs.clear();
                self.piece_jobs.clear();
                self.long.clear();
                self.previews.clear();
            }
            if is_other {
                self.lanes.iter_mut().for_each(SceneLane::clear_layouts);
            }
            self.failed.clear();
            self.failed_pieces.clear();
            self.cache.follow(document, shown);
            self.shown = Some((document, shown.clone()));
        }
        while let Some((key, answer)) = self.tile_jobs.take_answer() {
            if let Err(error) = answer.and_then(|data| self.cache.insert(data, &grid_of(shown, &key.set.transform))) {
                self.failed.insert(key);
                self.notify(error);
            }
        }
        while let Some(((key, index), answer)) = self.piece_jobs.take_answer() {
            match answer {
                Ok(piece) => self.cache.insert_piece(&key, index, piece, shown),
                Err(error) => {
                    self.failed_pieces.insert((key, index));
                    self.notify(error);
                }
            }
        }
        if let Err(error) = self.long.take(&mut self.cache, shown, &self.jobs) {
            self.notify(error);
        }
        self.cache.upload(budget_bytes, shown);
        for (key, error) in self.cache.take_failed() {
            self.failed.insert(key);
            self.notify(error);
        }
        self.changed.extend(self.cache.take_written());
        is_new
    }

    fn notify(&mut self, error: Error) {
        if error.kind() != ErrorKind::Cancelled {
            self.notice = Some(error);
        }
    }

    /// Lays out the visible panes, and requests missing tiles and pieces. True while tiles are waiting for upload.
    pub fn lay_out(&mut self, requests: &[LaneRequest]) -> bool {
        let Some((document, shown)) = self.shown.clone() else { return false };
        let any_grid = |transform: &Transform| grid_of(&shown, transform);
        self.retain_lanes(requests);
        let (mut seen, mut beside, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let mut pyramids = Vec::new();
        for (lane, request) in self.lanes.iter_mut().zip(requests) {
            let grid = any_grid(&request.view.transform);
            let look = SceneLayout::new(document, &grid, request, None);
            seen.extend(look.tiles.iter().map(|(key, _)| key.clone()));
            let current = look.pyramid.clone();
            if self.cache.is_complete(&current) || lane.overview.is_none() {
                lane.overview = Some(current.clone());
            }
            let mut under: [Option<SceneLayout>; TOP_LAYER] = Default::default();
            // A loupe is small and quickly analysed, and needs no fallbacks.
            if let Some(pyramid) = lane.overview.clone().filter(|_| !lane.id.is_loupe) {
                let base = base_set(&pyramid, &grid);
                kept.extend(all_tiles(base.clone(), &grid));
                under[0] = Some(SceneLayout::new(document, &grid, request, Some(base)));
                let over = SceneLayout::of_pyramid(&pyramid, &grid, request);
                kept.extend(over.tiles.iter().map(|(key, _)| key.clone()));
                under[1] = Some(over);
                pyramids.push(pyramid);
                // Neighbouring tiles will be needed next when the view moves.
                let n_tiles = look.level.n_entries().div_ceil(TILE_ENTRIES);
                if let (Some((first, _)), Some((last, _))) = (look.tiles.first(), look.tiles.last()) {
                    beside.extend(first.index.checked_sub(1).map(|index| TileKey { index, ..first.clone() }));
                    let next = TileKey { index: last.index + 1, ..last.clone() };
                    beside.extend(Some(next).filter(|next| next.index < n_tiles));
                }
            }
            if let Some(set) = lane.before.clone().filter(|set| *set != look.set && set.document == document) {
                pyramids.push(set.pyramid());
                let before = SceneLayout::new(document, &grid, request, Some(set));
                kept.extend(before.tiles.iter().map(|(key, _)| key.clone()));
                under[2] = Some(before);
            }
            pyramids.push(current);
            // A fallback with the same tiles as the wanted look need not be drawn.
            for under in &mut under {
                under.take_if(|under| under.set == look.set);
            }
            lane.under = under;
            lane.look = Some(look);
        }
        self.cache.keep_pyramids(&pyramids);
        for request in requests {
            let key = request.pyramid(document);
            let grid = any_grid(&key.transform);
            self.cache.pyramid(key, grid);
        }
        seen.extend(beside);
        let with_grid =
            |keys: &[TileKey]| keys.iter().map(|key| (key.clone(), any_grid(&key.set.transform))).collect::<Vec<_>>();
        self.cache.use_tiles(&with_grid(&kept), &with_grid(&seen));
        self.request_tiles(&seen, &shown);
        self.request_pieces(&shown);
        self.cache.n_waiting() > 0
    }

    /// Keeps one lane per request, in order. A new lane starts with the contents of an existing one.
    fn retain_lanes(&mut self, requests: &[LaneRequest]) {
        if self.lanes.iter().map(|lane| lane.id).eq(requests.iter().map(|request| request.lane)) {
            return;
        }
        let mut old = std::mem::take(&mut self.lanes);
        let seen = |lane: &SceneLane| lane.look.as_ref().map(|look| look.set.clone()).or_else(|| lane.before.clone());
        let like = old.first().map(|lane| (seen(lane), lane.overview.clone()));
        for request in requests {
            let known = old.iter().position(|lane| lane.id == request.lane).map(|index| old.swap_remove(index));
            let (before, overview) = like.clone().unwrap_or_default();
            self.lanes.push(known.unwrap_or_else(|| SceneLane::new(request.lane, before, overview)));
        }
    }

    fn request_tiles(&mut self, keys: &[TileKey], shown: &Snapshot) {
        self.tile_jobs.drop_running(|key| !keys.contains(key));
        for key in keys {
            let busy = self.tile_jobs.n_running() >= TILE_JOBS || self.cache.n_waiting() >= WAITING_UPLOADS;
            let running = self.tile_jobs.running().any(|running| running == key);
            let grid = grid_of(shown, &key.set.transform);
            if busy || running || self.failed.contains(key) || !self.cache.wants_analysis(key, &grid) {
                continue;
            }
            let end = key.entries(&grid).end << (2 * key.set.level);
            if end.min(grid.n_frames()) > frames_ready(shown, &grid) {
                continue;
            }
            let (engine, snapshot, theirs) = (self.engine.clone(), shown.clone(), key.clone());
            let job = self.jobs.spawn("tile", move |progress| {
                let plan = engine.plans().view(&theirs.set.transform, snapshot.sample_rate_hz())?;
                let analysis = Analysis::new(&snapshot, theirs.set.channels, plan)?;
                engine.attempt(|engine| TileData::compute(&analysis, engine, theirs.clone(), progress))
            });
            self.tile_jobs.run_unseen(key.clone(), job);
        }
    }

    /// Fills the pyramids, visible parts first; the rest once the visible tiles are complete.
    fn request_pieces(&mut self, shown: &Snapshot) {
        let looks: Vec<(&SceneLayout, bool)> =
            self.lanes.iter().filter_map(|lane| Some((lane.look.as_ref()?, lane.id.is_loupe))).collect();
        self.piece_jobs.drop_running(|(key, _)| !looks.iter().any(|(look, _)| look.pyramid == *key));
        let mut wanted = Vec::new();
        for everywhere in [false, true] {
            for &(look, is_loupe) in &looks {
                let is_of_pyramid = look.set.level >= finest(&look.level.grid);
                let is_needed = is_of_pyramid || !self.tile_jobs.is_busy();
                if is_needed && !(is_loupe && (everywhere || !is_of_pyramid)) {
                    let per_entry = look.level.frames_per_entry();
                    let entries = look.entries();
                    let seen =
                        entries.start * per_entry / PIECE_FRAMES..(entries.end * per_entry).div_ceil(PIECE_FRAMES);
                    let all = if everywhere { 0..usize::MAX } else { seen };
                    wanted.push((look.pyramid.clone(), look.level.grid.clone(), all));
                }
            }
        }
        for (key, grid, pieces) in wanted {
            let n_ready = match frames_ready(shown, &grid) {
                all if all == grid.n_frames() => usize::MAX,
                some => some / PIECE_FRAMES,
            };
            let pyramid = self.cache.pyramid(key.clone(), grid.clone());
            if self.long.comes_first(&key, pyramid, (shown, n_ready), (&self.jobs, &self.engine)) {
                continue;
            }
            let pieces = pieces.start..pieces.end.min(n_ready);
            while self.piece_jobs.n_running() < PIECE_JOBS {
                let (failed, jobs) = (&self.failed_pieces, &self.piece_jobs);
                let is_taken = |index| {
                    let piece = (key.clone(), index);
                    failed.contains(&piece) || jobs.running().any(|running| *running == piece)
                };
                let pyramid = self.cache.pyramid(key.clone(), grid.clone());
                let Some(index) = pyramid.next_piece(pieces.clone(), is_taken) else { break };
                let (engine, snapshot, theirs) = (self.engine.clone(), shown.clone(), key.clone());
                let job = self.jobs.spawn("pyramid", move |progress| {
                    let plan = engine.plans().view(&theirs.transform, snapshot.sample_rate_hz())?;
                    let analysis = Analysis::new(&snapshot, theirs.channels, plan)?.with_phases(theirs.has_phases);
                    engine.attempt(|engine| Piece::compute(&analysis, engine, index, progress))
                });
                self.piece_jobs.run_unseen((key.clone(), index), job);
            }
        }
    }

    /// Whether everything visible shows the current sound, except tiles whose analysis failed. Also true once the
    /// analysis of any pyramid piece has failed.
    pub fn is_settled(&self) -> bool {
        let is_fresh = |key: &TileKey| self.failed.contains(key) || self.cache.is_fresh(key);
        let mut looks = self.lanes.iter().filter_map(|lane| lane.look.as_ref());
        self.changed.is_empty()
            && (!self.failed_pieces.is_empty() || looks.all(|look| look.tiles.iter().all(|(key, _)| is_fresh(key))))
    }

    /// Ends the frame, after all panes are drawn.
    pub fn end_frame(&mut self) {
        self.changed.clear();
    }
}
