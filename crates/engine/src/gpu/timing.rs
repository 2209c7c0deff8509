//! Durations of passes by the device's own timestamps, recorded for listeners of [`trace`] and for [`notes`].
//!
//! Without either, nothing is allocated or recorded; notes contain only names unless durations are requested.
//! Timestamps are read from pooled mapped buffers at the next poll of the device.

use super::devices::device::Device;
use super::notes::{self, PassNotes};
use crate::base::lock;
use crate::base::trace::{self, Lane};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Maximum number of passes per query set; a batch with more is submitted in parts.
const MAX_PASSES: usize = 1024;
const TIMESTAMP_BYTES: u64 = 8;
const SET_BYTES: u64 = 2 * MAX_PASSES as u64 * TIMESTAMP_BYTES;

/// The timestamps of one device.
#[derive(Debug)]
pub(super) struct GpuTiming {
    device: wgpu::Device,
    /// Length of one tick in nanoseconds; `None` if the device has no timestamps.
    nanos_per_tick: Option<f64>,
    free: Mutex<Vec<QuerySet>>,
    /// Nanoseconds to add to the device's clock. Each submission gives a lower bound, since no pass begins before its
    /// submission. This is the largest so far, which is exact once a pass has begun immediately.
    offset_nanos: Mutex<Option<i64>>,
    /// Whether passes are timed for notes without a trace.
    is_always: AtomicBool,
}

#[derive(Debug)]
struct QuerySet {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    mapped: wgpu::Buffer,
}

/// Passes being recorded.
#[derive(Debug)]
pub(super) struct Passes {
    /// The timer; `None` if names are enough.
    timing: Option<Arc<GpuTiming>>,
    /// Query set of the device, from the first pass on.
    set: Option<QuerySet>,
    names: Vec<Cow<'static, str>>,
    notes: Option<Arc<PassNotes>>,
    /// Number of the recording thread.
    thread: u32,
}

impl GpuTiming {
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Arc<GpuTiming> {
        let has_timestamps = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        Arc::new(GpuTiming {
            device: device.clone(),
            nanos_per_tick: has_timestamps.then(|| f64::from(queue.get_timestamp_period())),
            free: Mutex::default(),
            offset_nanos: Mutex::default(),
            is_always: AtomicBool::default(),
        })
    }

    /// Whether the device has timestamps.
    pub fn has_timestamps(&self) -> bool {
        self.nanos_per_tick.is_some()
    }

    /// Sets whether passes are also timed when there is no trace but this thread takes notes.
    pub fn set_always(&self, is_always: bool) {
        self.is_always.store(is_always, Relaxed);
    }

    /// Starts recording passes, if [`trace`] has a listener or this thread takes notes.
    pub fn begin(self: &Arc<GpuTiming>) -> Option<Passes> {
        let notes = notes::taken();
        let is_timed = trace::is_on() || notes.is_some() && self.is_always.load(Relaxed);
        if !is_timed && notes.is_none() {
            return None;
        }
        let (timing, thread) = (is_timed.then(|| self.clone()), trace::thread_number());
        Some(Passes { timing, set: None, names: Vec::new(), notes, thread })
    }

    /// Timestamps for up to [`MAX_PASSES`]; `None` if the device has none.
    fn take_set(&self) -> Option<QuerySet> {
        self.nanos_per_tick.map(|_| {
            let free = lock(&self.free).pop();
            free.unwrap_or_else(|| self.make_set())
        })
    }

    /// Creates a query set and its buffers, which do not count towards the device's memory.
    fn make_set(&self) -> QuerySet {
        let buffer = |label, usage| {
            let descriptor =
                wgpu::BufferDescriptor { label: Some(label), size: SET_BYTES, usage, mapped_at_creation: false };
            self.device.create_buffer(&descriptor)
        };
        use wgpu::BufferUsages as Usage;
        QuerySet {
            queries: self.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("passes"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * MAX_PASSES as u32,
            }),
            resolved: buffer("timestamps", Usage::QUERY_RESOLVE | Usage::COPY_SRC),
            mapped: buffer("timestamps read back", Usage::COPY_DST | Usage::MAP_READ),
        }
    }

    /// Submits the recorded commands; the durations of passes are recorded once the device is done.
    pub fn submit(
        self: &Arc<GpuTiming>,
        device: &Device,
        mut encoder: wgpu::CommandEncoder,
        passes: Option<Passes>,
    ) -> wgpu::SubmissionIndex {
        let Some(passes) = passes else { return device.submit(Some(encoder.finish())) };
        passes.end(&mut encoder);
        let submitted_nanos = trace::now_nanos();
        let submission = device.submit(Some(encoder.finish()));
        if let Some(notes) = &passes.notes {
            passes.names.iter().for_each(|name| notes.note_submitted(name.clone()));
        }
        if passes.timing.is_some() {
            self.follow(passes, &device.queue, submitted_nanos);
        }
        submission
    }

    fn follow(self: &Arc<GpuTiming>, passes: Passes, queue: &wgpu::Queue, submitted_nanos: u64) {
        let Passes { set, names, notes, thread, .. } = passes;
        let work: Cow<'static, str> = match (names.first(), names.len()) {
            (Some(first), 1) => first.clone(),
            (Some(first), n) => format!("{first} and {} more", n - 1).into(),
            (None, _) => "copy".into(),
        };
        if trace::is_on() {
            queue.on_submitted_work_done(move || {
                let nanos = trace::now_nanos().saturating_sub(submitted_nanos);
                trace::record_gpu(work, Lane::GpuWork, thread, [submitted_nanos, nanos]);
            });
        }
        let Some(set) = set else { return };
        let timing = self.clone();
        let mapped = set.mapped.clone();
        let bytes = names.len() as u64 * 2 * TIMESTAMP_BYTES;
        mapped.slice(..bytes).map_async(wgpu::MapMode::Read, move |result| {
            // A lost device reports no times, and its set cannot be used again.
            if result.is_err() {
                return;
            }
            let ticks: Vec<u64> = match set.mapped.slice(..bytes).get_mapped_range() {
                Ok(view) => view.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect(),
                Err(_) => return,
            };
            set.mapped.unmap();
            timing.report(&names, &ticks, submitted_nanos, thread, notes.as_deref());
            timing.give_back(set);
        });
    }

    fn give_back(&self, set: QuerySet) {
        lock(&self.free).push(set);
    }

    fn report(
        &self,
        names: &[Cow<'static, str>],
        ticks: &[u64],
        submitted_nanos: u64,
        thread: u32,
        notes: Option<&PassNotes>,
    ) {
        let Some(nanos_per_tick) = self.nanos_per_tick else { return };
        let nanos = |ticks: u64| (ticks as f64 * nanos_per_tick) as i64;
        let Some(first) = ticks.first().map(|&ticks| nanos(ticks)) else { return };
        let min = submitted_nanos as i64 - first;
        let offset = {
            let mut offset = lock(&self.offset_nanos);
            let latest = offset.map_or(min, |offset| offset.max(min));
            *offset = Some(latest);
            latest
        };
        for (name, pair) in names.iter().zip(ticks.chunks_exact(2)) {
            // The end time of an empty pass may be missing or not after its start.
            let [start, end] = [nanos(pair[0]), nanos(pair[1]).max(nanos(pair[0]))];
            let start_nanos = start.saturating_add(offset).max(0) as u64;
            let nanos = (end - start) as u64;
            trace::record_gpu(name.clone(), Lane::GpuPass, thread, [start_nanos, nanos]);
            if let Some(notes) = notes {
                notes.note_time(name, nanos);
            }
        }
    }
}

impl Passes {
    /// Whether the recorded passes must be submitted before another can be recorded.
    pub fn is_full(&self) -> bool {
        self.timing.is_some() && self.names.len() == MAX_PASSES
    }

    fn next(&mut self, name: Cow<'static, str>) -> Option<(&wgpu::QuerySet, u32)> {
        if self.is_full() {
            return None;
        }
        let index = 2 * self.names.len() as u32;
        self.names.push(name);
        if self.set.is_none() {
            self.set = self.timing.as_ref().and_then(|timing| timing.take_set());
        }
        self.set.as_ref().map(|set| (&set.queries, index))
    }

    /// Timestamp writes of the next compute pass.
    pub fn of_compute(&mut self, name: Cow<'static, str>) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        self.next(name).map(|(query_set, index)| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(index),
            end_of_pass_write_index: Some(index + 1),
        })
    }

    /// Timestamp writes of the next render pass.
    pub fn of_render(&mut self, name: Cow<'static, str>) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        self.next(name).map(|(query_set, index)| wgpu::RenderPassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(index),
            end_of_pass_write_index: Some(index + 1),
        })
    }

    /// Records the last commands before the submission.
    fn end(&self, encoder: &mut wgpu::CommandEncoder) {
        let Some(set) = self.set.as_ref() else { return };
        let n = 2 * self.names.len() as u32;
        encoder.resolve_query_set(&set.queries, 0..n, &set.resolved, 0);
        let bytes = Some(u64::from(n) * TIMESTAMP_BYTES);
        encoder.copy_buffer_to_buffer(&set.resolved, 0, &set.mapped, 0, bytes);
    }
}
