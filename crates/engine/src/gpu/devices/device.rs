//! Adapters and devices, their errors, and waiting for their results.

use super::needs::NEEDS;
use super::pause::Pause;
use super::turns::{Turn, Turns};
use crate::base::{Error, ErrorKind, Result, contained, trace};
use crate::gpu::buffers::heaps::memory_bytes;
use crate::gpu::buffers::memory::out_of_memory;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// An adapter as the user sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct AdapterSummary {
    /// Name given by the driver.
    pub name: String,
    /// `Vulkan`, `Metal`, `Dx12`, `Gl`.
    pub backend: String,
    /// Driver name and version.
    pub driver: String,
    /// `DiscreteGpu`, `IntegratedGpu`, `VirtualGpu`, `Cpu`, `Other`.
    pub device_type: String,
    /// Maximum side of a texture, in texels.
    pub max_texture: u32,
    /// Maximum size of a storage buffer binding, in bytes.
    pub max_storage_buffer: u64,
    /// Whether it has compute shaders and read-write `r32float` textures, which the GPU engine needs.
    pub computes: bool,
    /// Size of its largest device-local heap in bytes; `None` if the interface does not report it.
    pub memory_bytes: Option<u64>,
    /// Kind of that memory.
    pub memory_kind: MemoryKind,
    /// PCI address, such as `0000:01:00.0`; empty if unknown.
    pub pci: String,
    /// Maximum number of threads per workgroup.
    pub threads: u32,
    /// Workgroup memory in bytes.
    pub workgroup_bytes: u32,
    /// Whether it supports timestamp queries, which time passes.
    pub timestamps: bool,
}

/// The kind of memory that an adapter uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryKind {
    /// Dedicated memory of the device.
    Device,
    /// Memory shared with the processor.
    Shared,
    /// Unknown.
    Unknown,
}

impl MemoryKind {
    /// `device`, `shared`, `unknown`.
    pub fn name(self) -> &'static str {
        match self {
            MemoryKind::Device => "device",
            MemoryKind::Shared => "shared",
            MemoryKind::Unknown => "unknown",
        }
    }

    fn of(device_type: wgpu::DeviceType) -> MemoryKind {
        match device_type {
            wgpu::DeviceType::DiscreteGpu => MemoryKind::Device,
            wgpu::DeviceType::IntegratedGpu | wgpu::DeviceType::Cpu => MemoryKind::Shared,
            wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => MemoryKind::Unknown,
        }
    }
}

impl AdapterSummary {
    pub(in crate::gpu) fn new(adapter: &wgpu::Adapter) -> AdapterSummary {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        let compute = adapter.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
        let r32float = adapter.get_texture_format_features(wgpu::TextureFormat::R32Float);
        let computes = compute
            && NEEDS.fit(&limits)
            && r32float.allowed_usages.contains(wgpu::TextureUsages::STORAGE_BINDING)
            && r32float.flags.contains(wgpu::TextureFormatFeatureFlags::STORAGE_READ_WRITE);
        AdapterSummary {
            memory_bytes: memory_bytes(adapter),
            memory_kind: MemoryKind::of(info.device_type),
            pci: info.device_pci_bus_id,
            threads: limits.max_compute_invocations_per_workgroup,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            timestamps: adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY),
            name: info.name,
            backend: format!("{:?}", info.backend),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
            device_type: format!("{:?}", info.device_type),
            max_texture: limits.max_texture_dimension_2d,
            max_storage_buffer: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
            computes,
        }
    }

    /// Whether it is hardware that can run the GPU engine, not a software renderer. OpenGL, which only one thread can
    /// use at a time, is used only for drawing unless the user selects it.
    pub fn is_real(&self) -> bool {
        let is_processor = ["DiscreteGpu", "IntegratedGpu", "VirtualGpu"].contains(&self.device_type.as_str());
        self.computes && is_processor && !self.is_gl()
    }

    /// Whether it is accessed through OpenGL.
    pub fn is_gl(&self) -> bool {
        self.backend == "Gl"
    }

    /// Sort key, better adapters first: computing, kind of device, native interface before GL, amount of memory,
    /// largest buffer.
    pub fn rank(&self) -> impl Ord + use<> {
        let kinds = ["DiscreteGpu", "IntegratedGpu", "VirtualGpu", "Cpu"];
        let kind = kinds.iter().position(|kind| *kind == self.device_type).unwrap_or(kinds.len());
        let memory_bytes = self.memory_bytes.unwrap_or(0);
        (!self.computes, kind, self.is_gl(), u64::MAX - memory_bytes, u64::MAX - self.max_storage_buffer)
    }
}

/// Sort key of an adapter, better adapters first; see [`AdapterSummary::rank`].
pub fn adapter_rank(adapter: &wgpu::Adapter) -> impl Ord + use<> {
    AdapterSummary::new(adapter).rank()
}

/// Memory limit for new buffers and textures: 80 % of the driver's budget. Exceeding it is an error; otherwise the
/// driver might move memory to system RAM.
pub fn memory_budget() -> wgpu::MemoryBudgetThresholds {
    wgpu::MemoryBudgetThresholds { for_resource_creation: Some(80), for_device_loss: None }
}

/// Optional features that are requested if available: timestamps, which the profiler and `bench` read.
pub fn wanted_features(adapter: &wgpu::Adapter) -> wgpu::Features {
    adapter.features() & wgpu::Features::TIMESTAMP_QUERY
}

/// An adapter that was chosen but has no device yet.
#[derive(Debug)]
pub struct Candidate {
    pub(in crate::gpu) adapter: wgpu::Adapter,
    /// Summary of the adapter.
    pub summary: AdapterSummary,
}

impl Candidate {
    /// The adapter that matches (by number or part of the name), or the best.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] if there is none, or none matches.
    pub fn choose(wanted: Option<&str>) -> Result<Candidate> {
        let mut all = candidates();
        if all.is_empty() {
            return Err(Error::new(
                ErrorKind::Gpu,
                "no graphics adapter was found; install a Vulkan driver, or use the CPU engine",
            ));
        }
        let Some(wanted) = wanted else {
            all.sort_by_key(|candidate| candidate.summary.rank());
            return Ok(all.swap_remove(0));
        };
        let matches = |(number, candidate): &(usize, Candidate)| match wanted.parse::<usize>() {
            Ok(requested) => requested == *number,
            Err(_) => candidate.summary.name.to_lowercase().contains(&wanted.to_lowercase()),
        };
        let names: Vec<String> =
            all.iter().enumerate().map(|(number, candidate)| format!("{number}: {}", candidate.summary.name)).collect();
        let mut matching: Vec<Candidate> =
            all.into_iter().enumerate().filter(matches).map(|(_, candidate)| candidate).collect();
        // The whole name of one may be a part of another's.
        let is_other = |candidate: &Candidate| candidate.summary.name.to_lowercase() != wanted.to_lowercase();
        matching.sort_by_key(|candidate| (is_other(candidate), candidate.summary.rank()));
        if matching.is_empty() {
            let message = format!("no graphics adapter matches \"{wanted}\"; choose one of: {}", names.join(", "));
            return Err(Error::new(ErrorKind::Gpu, message));
        }
        Ok(matching.swap_remove(0))
    }
}

/// All adapters of this machine, in the order of their numbers: those with a native interface, or else those of GL.
pub(in crate::gpu) fn candidates() -> Vec<Candidate> {
    let wanted = wgpu::InstanceDescriptor::new_without_display_handle_from_env().backends;
    let native = adapters(wanted.difference(wgpu::Backends::GL));
    if native.is_empty() { adapters(wanted.intersection(wgpu::Backends::GL)) } else { native }
}

fn adapters(backends: wgpu::Backends) -> Vec<Candidate> {
    if backends.is_empty() {
        return Vec::new();
    }
    let descriptor = wgpu::InstanceDescriptor {
        backends,
        memory_budget_thresholds: memory_budget(),
        ..wgpu::InstanceDescriptor::new_without_display_handle_from_env()
    };
    let adapters = pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
    adapters.into_iter().map(|adapter| Candidate { summary: AdapterSummary::new(&adapter), adapter }).collect()
}

/// A device, its queue, and how to wait for it.
#[derive(Debug)]
pub(in crate::gpu) struct Device {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    /// The window polls the device itself; no thread waits for it.
    is_shared: bool,
    is_lost: Arc<AtomicBool>,
    /// Turns at an OpenGL device, which only one thread can use at a time.
    turns: Option<Arc<Turns>>,
    pause: Pause,
}

/// Time after which a driver that does not answer counts as hung.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Polling interval while waiting for an answer.
const POLL_INTERVAL: Duration = Duration::from_micros(200);

fn turns_if(is_gl: bool) -> Option<Arc<Turns>> {
    is_gl.then(Arc::default)
}

impl Device {
    /// Opens a device with the adapter's limits and the [wanted](wanted_features) features.
    pub fn open(adapter: &wgpu::Adapter, is_gl: bool) -> Result<Device> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("sonobrush"),
            required_features: wanted_features(adapter),
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| gpu_error("the graphics device could not be opened", &error))?;
        let is_lost = Arc::new(AtomicBool::new(false));
        device.on_uncaptured_error(Arc::new(|error: wgpu::Error| tracing::error!("graphics device: {error}")));
        let lost = is_lost.clone();
        device.set_device_lost_callback(move |reason, message| {
            tracing::error!("graphics device lost ({reason:?}): {message}");
            lost.store(true, Relaxed);
        });
        Ok(Device { device, queue, is_shared: false, is_lost, turns: turns_if(is_gl), pause: Pause::default() })
    }

    /// The device of a window, which owns its callbacks.
    pub fn shared(device: &wgpu::Device, queue: &wgpu::Queue, is_gl: bool) -> Device {
        let (device, queue) = (device.clone(), queue.clone());
        let (is_lost, turns, pause) = (Arc::default(), turns_if(is_gl), Pause::default());
        Device { device, queue, is_shared: true, is_lost, turns, pause }
    }

    /// The turns at the device, if threads must take turns.
    pub fn turns(&self) -> Option<&Arc<Turns>> {
        self.turns.as_ref()
    }

    /// Waits until this thread may use the device.
    pub fn turn(&self) -> Option<Turn<'_>> {
        self.turns.as_ref().map(|turns| turns.take())
    }

    /// The pause that a window may make in the submissions of other threads.
    pub fn pause(&self) -> &Pause {
        &self.pause
    }

    /// Submits commands and pending writes, after a [pause](Device::pause) in progress.
    pub fn submit(&self, commands: Option<wgpu::CommandBuffer>) -> wgpu::SubmissionIndex {
        // The window may need the turn that this thread holds.
        if self.turns.is_none() {
            self.pause.wait();
        }
        self.queue.submit(commands)
    }

    /// Whether the device is known to be lost.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Relaxed)
    }

    /// Waits until all submitted work is done.
    pub fn finish(&self) {
        let Some(turns) = &self.turns else {
            // Polling fails only if the device is lost, and then nothing remains to wait for.
            self.device.poll(wgpu::PollType::wait_indefinitely()).ok();
            return;
        };
        let is_done = || {
            let _turn = turns.take();
            self.device.poll(wgpu::PollType::Poll).map_or(true, |status| status.is_queue_empty())
        };
        while !is_done() {
            turns.away(|| std::thread::sleep(POLL_INTERVAL));
        }
    }

    fn lost() -> Error {
        Error::new(ErrorKind::Gpu, "the graphics device was lost")
    }

    /// Runs `work`, which creates or submits, and turns the device's messages about it into an error. If memory runs
    /// out, calls `make_room` and retries once.
    pub fn guarded<T>(&self, make_room: impl Fn(), mut work: impl FnMut() -> Result<T>) -> Result<T> {
        match self.watched(&mut work) {
            Err(Failure::OutOfMemory) => {
                tracing::warn!("graphics device out of memory: dropping what is cached, and once more");
                let turn = self.turn();
                make_room();
                drop(turn);
                self.watched(&mut work).map_err(Failure::into_error)
            }
            result => result.map_err(Failure::into_error),
        }
    }

    /// Runs `work`; if the driver's wrapper panics, the device is lost but the program continues.
    fn watched<T>(&self, work: impl FnMut() -> Result<T>) -> std::result::Result<T, Failure> {
        if self.is_lost() {
            return Err(Failure::Other(Device::lost()));
        }
        contained(|| self.scoped(work)).unwrap_or_else(|_| {
            self.is_lost.store(true, Relaxed);
            Err(Failure::Other(Device::lost()))
        })
    }

    fn scoped<T>(&self, mut work: impl FnMut() -> Result<T>) -> std::result::Result<T, Failure> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        let _turn = self.turn();
        // Each thread has its own stack of error scopes.
        let outer = self.device.push_error_scope(OutOfMemory);
        let middle = self.device.push_error_scope(Internal);
        let inner = self.device.push_error_scope(Validation);
        let result = work();
        let said = [pollster::block_on(inner.pop()), pollster::block_on(middle.pop()), pollster::block_on(outer.pop())];
        if !self.is_shared {
            // The callback that reports a loss runs during a poll; other errors have been popped above.
            self.device.poll(wgpu::PollType::Poll).ok();
        }
        if self.is_lost() {
            return Err(Failure::Other(Device::lost()));
        }
        let mut failure = None;
        for error in said.into_iter().flatten() {
            match error {
                wgpu::Error::OutOfMemory { .. } => return Err(Failure::OutOfMemory),
                error => failure = Some(Failure::Other(gpu_error("the graphics device failed", &error))),
            }
        }
        match failure {
            Some(failure) => Err(failure),
            None => result.map_err(|error| match error.kind() {
                ErrorKind::GpuMemory => Failure::OutOfMemory,
                _ => Failure::Other(error),
            }),
        }
    }

    /// Waits until `answer` receives the result of a mapping requested in `submission`.
    pub fn wait(
        &self,
        submission: wgpu::SubmissionIndex,
        answer: &mpsc::Receiver<std::result::Result<(), wgpu::BufferAsyncError>>,
    ) -> Result<()> {
        let _span = trace::span("wait for the GPU");
        let start = Instant::now();
        loop {
            let poll = if self.is_shared || self.turns.is_some() {
                wgpu::PollType::Poll
            } else {
                wgpu::PollType::Wait {
                    submission_index: Some(submission.clone()),
                    timeout: Some(Duration::from_secs(1)),
                }
            };
            let polled = {
                let _turn = self.turn();
                self.device.poll(poll)
            };
            match polled {
                Ok(_) | Err(wgpu::PollError::Timeout) => {}
                Err(error) => return Err(gpu_error("the graphics device failed", &error)),
            }
            // On a shared device, another thread's poll may deliver the answer.
            let look = || answer.recv_timeout(POLL_INTERVAL);
            match self.turns.as_ref().map_or_else(look, |turns| turns.away(look)) {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(_)) | Err(mpsc::RecvTimeoutError::Disconnected) => return Err(Device::lost()),
                Err(mpsc::RecvTimeoutError::Timeout) if start.elapsed() > TIMEOUT => {
                    return Err(Error::new(ErrorKind::Gpu, "the graphics device does not respond"));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

enum Failure {
    OutOfMemory,
    Other(Error),
}

impl Failure {
    fn into_error(self) -> Error {
        match self {
            Failure::OutOfMemory => out_of_memory(),
            Failure::Other(error) => error,
        }
    }
}

/// An error with the driver's message on one line.
fn gpu_error(what: &str, error: &dyn std::fmt::Display) -> Error {
    let words: Vec<String> = error.to_string().split_whitespace().map(str::to_string).collect();
    Error::new(ErrorKind::Gpu, format!("{what}: {}", words.join(" ")))
}
