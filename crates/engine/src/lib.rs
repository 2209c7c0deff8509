//! One set of functions on two devices, GPU and CPU, and the choice between them.

extern crate base;
extern crate dsp;
extern crate self as engine;

mod analyses;
mod choice;
mod descriptions;
pub mod gpu;
mod hashes;
mod mels;
mod notes;
mod noting;
mod open_submission;
mod planes;
mod plans;
mod pools;
mod row_moves;
mod submission;
mod voices;

pub use crate::gpu::{
    BLOCKS_PER_PAGE, EnginePass, PAGE_SAMPLES, PageBase, SignalMix, StoredPage, StoredRun, StoredSamples, StoredSound,
};
pub use choice::{Chosen, Verdict, judge};
pub use plans::{PlannedGrid, Plans};
pub use voices::VoiceRendering;

use crate::base::{Error, ErrorKind, Result, trace};
use crate::dsp::{CellRect, GridPlan, Kernel, Mask, Region, SampleDifference, Transform, kernels};
use crate::gpu::{Gpu, GpuRegion};
use notes::EngineNotes;
use open_submission::OpenSubmission;
use pools::VoicePools;
use std::borrow::Cow;
use std::sync::Arc;

/// Computes edits on the GPU or the CPU, and holds the plans of their transforms. Clones share the device and the
/// plans.
#[derive(Debug, Clone)]
pub struct Engine {
    device: ComputeDevice,
    plans: Plans,
    pools: VoicePools,
    notes: Option<EngineNotes>,
    /// The submission that this engine records for.
    submission: Option<Arc<OpenSubmission>>,
}

#[derive(Debug, Clone)]
enum ComputeDevice {
    Gpu(Arc<Gpu>),
    Cpu,
}

/// A region in its engine's memory.
#[derive(Debug)]
pub enum EngineRegion {
    /// On the GPU.
    Gpu(GpuRegion),
    /// In main memory.
    Cpu(Region),
}

/// Cells per piece on the CPU engine: 32 MB of planes.
const CPU_CELLS: usize = 4 << 20;

impl Engine {
    /// An engine on the CPU without plans.
    pub fn cpu() -> Engine {
        Engine::with(ComputeDevice::Cpu)
    }

    /// An engine on a graphics device without plans.
    pub fn on(gpu: Arc<Gpu>) -> Engine {
        Engine::with(ComputeDevice::Gpu(gpu))
    }

    fn with(device: ComputeDevice) -> Engine {
        Engine { device, plans: Plans::default(), pools: VoicePools::default(), notes: None, submission: None }
    }

    /// The CPU engine that shares this one's plans.
    #[must_use]
    pub fn on_cpu(&self) -> Engine {
        Engine { device: ComputeDevice::Cpu, ..self.clone() }
    }

    /// The device; `None` on the CPU.
    pub fn gpu(&self) -> Option<&Arc<Gpu>> {
        match &self.device {
            ComputeDevice::Gpu(gpu) => Some(gpu),
            ComputeDevice::Cpu => None,
        }
    }

    /// The plans of transforms, which all clones share.
    pub fn plans(&self) -> &Plans {
        &self.plans
    }

    /// Number of plans, windows and weight tables created for this engine, on the CPU and on the device.
    pub fn n_tables_made(&self) -> u64 {
        self.plans.n_made() + self.gpu().map_or(0, |gpu| gpu.n_tables_made())
    }

    /// Name of the engine: `gpu` or `cpu`.
    pub fn name(&self) -> &'static str {
        match &self.device {
            ComputeDevice::Gpu(_) => "gpu",
            ComputeDevice::Cpu => "cpu",
        }
    }

    /// Name of the adapter; `None` on the CPU.
    pub fn adapter(&self) -> Option<&str> {
        self.gpu().map(|gpu| gpu.summary().name.as_str())
    }

    /// Runs `work`, which receives an engine and the maximum number of cells per piece. If the device runs out of
    /// memory, retries with pieces of half the size; if the device fails, falls back to the CPU, unless that is
    /// disabled, and also returns the device's error. Later calls start on this engine again.
    ///
    /// # Errors
    /// Errors of `work`, and of the device if falling back is disabled.
    pub fn attempt<T>(&self, mut work: impl FnMut(&Engine, usize) -> Result<T>) -> Result<(T, Option<Error>)> {
        let max_cells = self.max_cells();
        let noted = self.passes();
        let give_up = || self.notes.iter().for_each(|notes| notes.passes.restore(noted.clone()));
        let mut failed = match (work(self, max_cells), &self.device) {
            (Err(error), ComputeDevice::Gpu(gpu)) if error.is_of_gpu() => (error, gpu),
            (result, _) => return result.map(|done| (done, None)),
        };
        if failed.0.kind() == ErrorKind::GpuMemory {
            failed.1.note_halved(&failed.0);
            give_up();
            match work(self, max_cells / 2) {
                Err(error) if error.is_of_gpu() => failed.0 = error,
                result => return result.map(|done| (done, None)),
            }
        }
        let (error, gpu) = failed;
        gpu.leave_to_cpu(&error)?;
        give_up();
        let on_cpu = self.on_cpu_for("the device failed");
        let done = work(&on_cpu, on_cpu.max_cells())?;
        Ok((done, Some(error)))
    }

    /// Bytes of device memory in use: of everything on the device, or, if the driver does not report it, of what was
    /// allocated for computing. `None` on the CPU.
    pub fn device_bytes(&self) -> Option<u64> {
        self.gpu().map(|gpu| gpu.device_bytes().unwrap_or_else(|| gpu.held_bytes()))
    }

    /// Sets whether to fall back to the CPU if this engine fails; the CPU engine itself never fails.
    pub fn set_may_fall_back(&self, may: bool) {
        if let Some(gpu) = self.gpu() {
            gpu.set_may_fall_back(may);
        }
    }

    /// Maximum number of cells per piece for one call.
    pub fn max_cells(&self) -> usize {
        match &self.device {
            ComputeDevice::Gpu(gpu) => gpu.max_cells(),
            ComputeDevice::Cpu => CPU_CELLS,
        }
    }

    /// See [`Kernel::run`]. Blocks for a kernel that runs [on the CPU](Kernel::why_on_cpu), so never call it on a UI
    /// thread.
    ///
    /// # Errors
    /// See [`Gpu::run`]; an internal error for a region of the other engine.
    pub fn run(&self, kernel: &Kernel, before: &EngineRegion, mask: &Mask) -> Result<EngineRegion> {
        let _span = trace::span(kernel.name());
        let _notes = self.taking_notes();
        match (&self.device, before) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(on_device)) => match kernel.why_on_cpu() {
                None => self.recorded(gpu, |batch| gpu.run(batch, kernel, on_device, mask)).map(EngineRegion::Gpu),
                Some(why) => {
                    let cells = self.read(before)?;
                    self.upload(self.here(kernel.name(), why, || kernel.run_with(self.plans.ffts(), &cells, mask)))
                }
            },
            (ComputeDevice::Cpu, EngineRegion::Cpu(before)) => {
                let run = || kernel.run_with(self.plans.ffts(), before, mask);
                Ok(EngineRegion::Cpu(self.noted(kernel.name(), run)))
            }
            _ => Err(elsewhere()),
        }
    }

    /// See [`GridPlan::difference`]. Blocks on the GPU, so never call it on a UI thread.
    ///
    /// # Errors
    /// See [`Gpu::difference`], [`Gpu::rows_difference`] and [`Gpu::download`]; on the CPU, a region of the other
    /// engine.
    pub fn difference(&self, plan: &GridPlan, before: &EngineRegion, after: &EngineRegion) -> Result<SampleDifference> {
        let _span = trace::span("difference");
        let _notes = self.taking_notes();
        match (&self.device, before, after) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(before), EngineRegion::Gpu(after)) => {
                self.submit_recorded(gpu)?;
                match plan {
                    GridPlan::Stft(stft) => gpu.difference(stft, before, after),
                    GridPlan::Rows(rows) => match Gpu::why_not_synthesised(rows, &after.rect) {
                        None => gpu.rows_difference(rows, before, after),
                        Some(why) => {
                            let (before, after) = (gpu.download(before)?, gpu.download(after)?);
                            Ok(self.here("row_synthesis", why, || plan.difference(&before, &after)))
                        }
                    },
                }
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(before), EngineRegion::Cpu(after)) => {
                let pass = if plan.rows().is_some() { "row_synthesis" } else { "stft_synthesis" };
                Ok(self.noted(pass, || plan.difference(before, after)))
            }
            _ => Err(elsewhere()),
        }
    }

    /// See [`retarget`](kernels::retarget).
    ///
    /// # Errors
    /// See [`Gpu::retarget`]; an internal error for a region of the other engine.
    pub fn retarget(&self, now: &EngineRegion, painted: &EngineRegion, mask: &Mask) -> Result<EngineRegion> {
        let _span = trace::span("retarget");
        let _notes = self.taking_notes();
        match (&self.device, now, painted) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(now), EngineRegion::Gpu(painted)) => {
                self.recorded(gpu, |batch| gpu.retarget(batch, [now, painted], mask)).map(EngineRegion::Gpu)
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(now), EngineRegion::Cpu(painted)) => {
                Ok(EngineRegion::Cpu(self.noted("retarget", || kernels::retarget(now, painted, mask))))
            }
            _ => Err(elsewhere()),
        }
    }

    /// See [`distance_squares`](kernels::distance_squares). Blocks on the GPU, so never call it on a UI thread.
    ///
    /// # Errors
    /// See [`Gpu::distance_squares`]; an internal error for a region of the other engine.
    pub fn distance_squares(
        &self,
        before: &EngineRegion,
        painted: &EngineRegion,
        now: &EngineRegion,
        mask: &Mask,
    ) -> Result<[f64; 2]> {
        let _span = trace::span("distance");
        let _notes = self.taking_notes();
        match (&self.device, before, painted, now) {
            (
                ComputeDevice::Gpu(gpu),
                EngineRegion::Gpu(before),
                EngineRegion::Gpu(painted),
                EngineRegion::Gpu(now),
            ) => {
                self.submit_recorded(gpu)?;
                gpu.distance_squares(before, painted, now, mask)
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(before), EngineRegion::Cpu(painted), EngineRegion::Cpu(now)) => {
                Ok(self.noted("distance", || kernels::distance_squares(before, painted, now, mask)))
            }
            _ => Err(elsewhere()),
        }
    }

    /// See [`combine`](kernels::combine).
    ///
    /// # Errors
    /// See [`Gpu::combine`]; an internal error for a region of the other engine.
    pub fn combine(&self, before: &EngineRegion, other: &EngineRegion, mask: &Mask, kept: f32) -> Result<EngineRegion> {
        let _span = trace::span("combine");
        let _notes = self.taking_notes();
        match (&self.device, before, other) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(before), EngineRegion::Gpu(other)) => {
                self.recorded(gpu, |batch| gpu.combine(batch, [before, other], mask, kept)).map(EngineRegion::Gpu)
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(before), EngineRegion::Cpu(other)) => {
                Ok(EngineRegion::Cpu(self.noted("combine", || kernels::combine(before, other, mask, kept))))
            }
            _ => Err(elsewhere()),
        }
    }

    /// See [`Region::crop`].
    ///
    /// # Errors
    /// See [`Gpu::crop`]; an internal error for a region of the other engine.
    pub fn crop(&self, region: &EngineRegion, rect: &CellRect) -> Result<EngineRegion> {
        let _span = trace::span("crop");
        match (&self.device, region) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(region)) => {
                self.recorded(gpu, |batch| gpu.crop(batch, region, rect)).map(EngineRegion::Gpu)
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(region)) => Ok(EngineRegion::Cpu(region.crop(rect))),
            _ => Err(elsewhere()),
        }
    }

    /// See [`Region::paste`].
    ///
    /// # Errors
    /// See [`Gpu::paste`]; an internal error for a region of the other engine.
    pub fn paste(&self, into: &mut EngineRegion, other: &EngineRegion) -> Result<()> {
        let _span = trace::span("paste");
        match (&self.device, into, other) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(into), EngineRegion::Gpu(other)) => {
                self.recorded(gpu, |batch| gpu.paste(batch, into, other))
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(into), EngineRegion::Cpu(other)) => {
                into.paste(other);
                Ok(())
            }
            _ => Err(elsewhere()),
        }
    }

    /// See [`Region::keep_louder`].
    ///
    /// # Errors
    /// See [`Gpu::keep_louder`]; an internal error for a region of the other engine.
    pub fn keep_louder(&self, all: &mut EngineRegion, other: &EngineRegion) -> Result<()> {
        let _span = trace::span("keep louder");
        match (&self.device, all, other) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(all), EngineRegion::Gpu(other)) => {
                self.recorded(gpu, |batch| gpu.keep_louder(batch, all, other))
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(all), EngineRegion::Cpu(other)) => {
                all.keep_louder(other);
                Ok(())
            }
            _ => Err(elsewhere()),
        }
    }

    /// See [`Region::every_frame`].
    ///
    /// # Errors
    /// See [`Gpu::every_frame`]; an internal error for a region of the other engine.
    pub fn every_frame(&self, fine: &EngineRegion, every: usize) -> Result<EngineRegion> {
        let _span = trace::span("every frame");
        match (&self.device, fine) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(fine)) => {
                self.recorded(gpu, |batch| gpu.every_frame(batch, fine, every)).map(EngineRegion::Gpu)
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(fine)) => Ok(EngineRegion::Cpu(fine.every_frame(every))),
            _ => Err(elsewhere()),
        }
    }

    /// Creates plans in advance, and on the GPU everything that [`Gpu::warm_up`] or, for a transform on rows,
    /// [`Gpu::warm_up_rows`] prepares.
    ///
    /// # Errors
    /// Those of the method called on the GPU.
    pub fn warm_up(&self, transform: &Transform) -> Result<()> {
        self.plans.ready(transform);
        match (&self.device, transform) {
            (ComputeDevice::Gpu(gpu), Transform::Stft(params)) => gpu.warm_up(params),
            (ComputeDevice::Gpu(gpu), Transform::Rows(_)) => gpu.warm_up_rows(),
            (ComputeDevice::Cpu, _) => Ok(()),
        }
    }

    /// Waits until all submitted work is done, for measurements.
    pub fn finish(&self) {
        let _span = trace::span("wait for the GPU");
        if let Some(gpu) = self.gpu() {
            gpu.finish();
        }
    }

    /// Copies a region to this engine's memory.
    ///
    /// # Errors
    /// See [`Gpu::upload`]; none on the CPU.
    pub fn upload(&self, region: Region) -> Result<EngineRegion> {
        let _span = trace::span("upload");
        match &self.device {
            ComputeDevice::Gpu(gpu) => gpu.upload(&region).map(EngineRegion::Gpu),
            ComputeDevice::Cpu => Ok(EngineRegion::Cpu(region)),
        }
    }

    /// The cells of a region in main memory, copied there if needed. Blocks on the GPU, so never call it on a UI
    /// thread.
    ///
    /// # Errors
    /// See [`Gpu::download`]; an internal error for a region of the other engine.
    pub fn read<'r>(&self, region: &'r EngineRegion) -> Result<Cow<'r, Region>> {
        let _span = trace::span("download");
        match (&self.device, region) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(region)) => {
                self.submit_recorded(gpu)?;
                gpu.download(region).map(Cow::Owned)
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(region)) => Ok(Cow::Borrowed(region)),
            _ => Err(elsewhere()),
        }
    }

    /// Copies a region to main memory. Blocks on the GPU, so never call it on a UI thread.
    ///
    /// # Errors
    /// See [`Gpu::download`]; an internal error for a region of the other engine.
    pub fn download(&self, region: EngineRegion) -> Result<Region> {
        let _span = trace::span("download");
        match (&self.device, region) {
            (ComputeDevice::Gpu(gpu), EngineRegion::Gpu(region)) => {
                self.submit_recorded(gpu)?;
                gpu.download(&region)
            }
            (ComputeDevice::Cpu, EngineRegion::Cpu(region)) => Ok(region),
            _ => Err(elsewhere()),
        }
    }
}

impl EngineRegion {
    /// The rectangle of cells.
    pub fn rect(&self) -> &CellRect {
        match self {
            EngineRegion::Gpu(region) => &region.rect,
            EngineRegion::Cpu(region) => &region.rect,
        }
    }
}

fn elsewhere() -> Error {
    Error::new(ErrorKind::Internal, "a region was passed to the wrong engine")
}
