//! The GPU: device, textures, WGSL pipelines. Independent of egui.
//!
//! Every function here can be called from any thread. Functions that wait for the device say so; the others only
//! submit, in bounded batches. A device that is lost or out of memory is an [`Error`] of kind [`ErrorKind::Gpu`], never
//! a panic.

mod batch;
mod buffers;
mod device_fft;
mod devices;
mod display;
pub mod fft;
mod fft_text;
mod layout;
mod notes;
mod passes;
mod pipelines;
pub mod shaders;
mod stored;
mod timing;
mod warm;

pub use crate::dsp::kernels::StructLayout;
pub use batch::Batch;
pub(crate) use batch::Commands;
pub use buffers::arena::PageCounts;
pub use buffers::planes::PlaneTextures;
pub use buffers::reads::ReadBack;
pub use devices::device::{AdapterSummary, Candidate, MemoryKind, adapter_rank, memory_budget, wanted_features};
pub use devices::faults::FaultCounts;
pub use devices::needs::{NEEDS, Needs};
pub use display::{Colours, Display, DisplayTile, DrawnPlane, Pane, PanePainter, TileDraw};
pub use layout::{PixelCells, layouts};
pub use notes::{EnginePass, NoteScope, PassNotes, taking};
pub use passes::level_peaks::{PeakPooling, RegionPeaks};
pub use passes::voices::VoicesInFlight;
pub use stored::{
    BLOCKS_PER_PAGE, PAGE_SAMPLES, PageBase, SampleSource, SignalMix, StoredPage, StoredRun, StoredSamples, StoredSound,
};

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::CellRect;
use crate::dsp::transforms::rows::RowBlur;
use buffers::arena::Arena;
use buffers::memory::Memory;
use buffers::pool::{BufferKind, Lease, Pool};
use buffers::reads::ReadCounts;
use buffers::row_tables::{RecentTables, RowTableKey, RowTables, RowTapTables};
use buffers::tables::{Table, Tables};
use devices::device::Device;
use devices::faults::Faults;
use pipelines::Pipelines;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use timing::GpuTiming;

/// A device with its pipelines, tables and buffers.
#[derive(Debug)]
pub struct Gpu {
    device: Device,
    summary: AdapterSummary,
    memory: Arc<Memory>,
    timing: Arc<GpuTiming>,
    faults: Faults,
    pool: Arc<Pool>,
    arena: Arena,
    reads: ReadCounts,
    pipelines: Pipelines,
    tables: Tables,
    row_tables: RecentTables<RowTableKey, RowTables>,
    row_taps: RecentTables<Arc<RowBlur>, RowTapTables>,
    n_submitted: AtomicU64,
    n_sample_bytes: AtomicU64,
}

/// A region in storage buffers on the device.
#[derive(Debug)]
pub struct GpuRegion {
    /// Cells of the grid.
    pub rect: CellRect,
    magnitude: Lease,
    phase: Lease,
}

/// Upper limit of [`Gpu::max_cells`], on every device.
const MAX_CELLS: usize = 4 << 20;

impl Gpu {
    /// Opens a device without a window, on the adapter that matches (by number or part of the name), or the best.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] if there is no such adapter, it cannot compute, or its driver refuses.
    pub fn headless(adapter: Option<&str>) -> Result<Arc<Gpu>> {
        Gpu::open(Candidate::choose(adapter)?)
    }

    /// Opens a device without a window, on a chosen adapter.
    ///
    /// # Errors
    /// As [`headless`](Gpu::headless).
    pub fn open(candidate: Candidate) -> Result<Arc<Gpu>> {
        let device = Device::open(&candidate.adapter, candidate.summary.is_gl())?;
        Gpu::new(candidate.summary, device)
    }

    /// Wraps the device of an existing window, which installs its error and lost callbacks. A device that cannot
    /// compute still draws: its [`summary`](Gpu::summary) says so, and the engine is chosen accordingly.
    pub fn shared(adapter: &wgpu::Adapter, device: &wgpu::Device, queue: &wgpu::Queue) -> Arc<Gpu> {
        let mut summary = AdapterSummary::new(adapter);
        summary.computes &= NEEDS.fit(&device.limits());
        let device = Device::shared(device, queue, summary.is_gl());
        Gpu::with(summary, device)
    }

    fn new(summary: AdapterSummary, device: Device) -> Result<Arc<Gpu>> {
        if !summary.computes || !NEEDS.fit(&device.device.limits()) {
            let message =
                format!("the graphics adapter \"{}\" does not support the compute shaders needed", summary.name);
            return Err(Error::new(ErrorKind::Gpu, message));
        }
        Ok(Gpu::with(summary, device))
    }

    fn with(summary: AdapterSummary, device: Device) -> Arc<Gpu> {
        let memory = Memory::new(&device.device);
        let timing = GpuTiming::new(&device.device, &device.queue);
        let pool = Pool::new(&memory, device.turns());
        let (pipelines, tables) = (Pipelines::default(), Tables::default());
        let (row_tables, row_taps) = (RecentTables::default(), RecentTables::default());
        let (faults, reads) = (Faults::default(), ReadCounts::default());
        let [n_submitted, n_sample_bytes] = [0; 2].map(AtomicU64::new);
        Arc::new(Gpu {
            device,
            summary,
            memory,
            timing,
            faults,
            pool,
            arena: Arena::default(),
            reads,
            pipelines,
            tables,
            row_tables,
            row_taps,
            n_submitted,
            n_sample_bytes,
        })
    }

    /// All adapters of this machine, in the order of their numbers.
    pub fn adapters() -> Vec<AdapterSummary> {
        devices::device::candidates().into_iter().map(|candidate| candidate.summary).collect()
    }

    /// The adapter in use.
    pub fn summary(&self) -> &AdapterSummary {
        &self.summary
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        &self.device.device
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.device.queue
    }

    /// Pauses the submissions of all other threads for half a second at most, so that this one can configure a window's
    /// surface: wgpu reports an error if another thread submits meanwhile. On OpenGL they don't pause.
    pub fn pause_submissions(&self) {
        self.device.pause().begin();
    }

    /// Ends the pause of [`pause_submissions`](Gpu::pause_submissions).
    pub fn resume_submissions(&self) {
        self.device.pause().end();
    }

    /// Maximum buffer size of the device, in bytes.
    pub fn largest_buffer_bytes(&self) -> u64 {
        self.pool.largest_bytes()
    }

    /// Maximum number of cells per piece for one call.
    pub fn max_cells(&self) -> usize {
        // Displacements take 24 bytes a cell.
        ((self.pool.largest_bytes() / 32) as usize).min(MAX_CELLS)
    }

    /// Number of buffers created so far, apart from pages; continuing a stroke creates none.
    pub fn buffers_created(&self) -> u64 {
        self.pool.created()
    }

    /// Number of buffers and textures created so far, with those of pages, of tiles and of transfers.
    pub fn allocations_made(&self) -> u64 {
        self.memory.n_created()
    }

    /// Number of pipelines compiled so far; after [`warm_up`](Gpu::warm_up) a stroke compiles none.
    pub fn pipelines_compiled(&self) -> u64 {
        self.pipelines.n_compiled()
    }

    /// Number of submissions of recorded commands so far. A step of a stroke takes one.
    pub fn submissions(&self) -> u64 {
        self.n_submitted.load(Relaxed)
    }

    /// Waits until all submitted work is done. For measurements; never call it on a window's device.
    pub fn finish(&self) {
        self.device.finish();
    }

    /// Whether the device is known to be lost; nothing is executed from then on.
    pub fn is_lost(&self) -> bool {
        self.device.is_lost()
    }

    /// Bytes of the compute buffers and pages, used or free.
    pub fn held_bytes(&self) -> u64 {
        self.pool.held_bytes()
    }

    /// Bytes of all memory allocated on the device; `None` if the driver does not report it.
    pub fn device_bytes(&self) -> Option<u64> {
        self.memory.held_bytes()
    }

    /// Whether the device supports timestamp queries, which time passes.
    pub fn has_timestamps(&self) -> bool {
        self.timing.has_timestamps()
    }

    /// Sets whether passes are timed for [notes](PassNotes) too, rather than for a trace only.
    pub fn set_times_passes(&self, are_timed: bool) {
        self.timing.set_always(are_timed);
    }

    /// Returns unused buffers and all pages to the driver.
    pub fn trim(&self) {
        self.arena.clear();
        self.pool.trim();
    }

    /// A region with undefined contents.
    fn region(&self, rect: CellRect) -> Result<GpuRegion> {
        let n_cells = rect.n_cells();
        Ok(GpuRegion { rect, magnitude: self.lease(n_cells)?, phase: self.lease(n_cells)? })
    }

    /// A buffer of `n` four-byte values with undefined contents.
    fn lease(&self, n: usize) -> Result<Lease> {
        self.pool.lease(BufferKind::Storage, 4 * n as u64)
    }

    /// The table on the device, created on first use.
    fn table(&self, table: Table) -> Result<Lease> {
        self.tables.get(table, &self.pool, self.queue())
    }

    /// Runs `work` that creates or submits; see [`Device::guarded`].
    fn guarded<T>(&self, work: impl FnMut() -> Result<T>) -> Result<T> {
        let make_room = || {
            self.faults.n_trimmed.fetch_add(1, Relaxed);
            self.trim();
        };
        self.device.guarded(make_room, work)
    }
}
