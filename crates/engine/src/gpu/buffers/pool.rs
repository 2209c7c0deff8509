//! Pooled buffers, so that a stroke in progress allocates none. Their contents are left over from the previous user.

use super::memory::Memory;
use crate::base::{Error, ErrorKind, Result, lock};
use crate::gpu::devices::turns::{Turn, Turns};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};

/// Purposes of buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::gpu) enum BufferKind {
    /// Read and written by shaders, copied from and to.
    Storage,
    /// Parameters.
    Uniform,
    /// Mapped to be read.
    ReadBack,
    /// A page of a sound, written once and copied from.
    Page,
}

impl BufferKind {
    fn usage(self) -> wgpu::BufferUsages {
        use wgpu::BufferUsages as Usage;
        match self {
            BufferKind::Storage => Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST,
            BufferKind::Uniform => Usage::UNIFORM | Usage::COPY_DST,
            BufferKind::ReadBack => Usage::MAP_READ | Usage::COPY_DST,
            BufferKind::Page => Usage::COPY_SRC | Usage::COPY_DST,
        }
    }
}

/// The unused buffers of one device.
#[derive(Debug)]
pub(in crate::gpu) struct Pool {
    memory: Arc<Memory>,
    largest_bytes: u64,
    free: Mutex<Free>,
    created: AtomicU64,
    /// With OpenGL, buffers are freed only within a turn.
    turns: Option<Arc<Turns>>,
}

#[derive(Debug, Default)]
struct Free {
    /// Free buffers by purpose and size, of each those that were returned last at the end.
    buffers: HashMap<(BufferKind, u64), FreeBuffers>,
    /// Number of leases and returns.
    clock: u64,
    bytes: u64,
    used_bytes: u64,
    /// Bytes of pages in use, which have a budget of their own.
    page_bytes: u64,
    /// Buffers dropped outside a turn, to be freed in the next one.
    ended: Vec<wgpu::Buffer>,
}

/// Free buffers of one purpose and size.
#[derive(Debug, Default)]
struct FreeBuffers {
    buffers: Vec<wgpu::Buffer>,
    /// When one of them was last leased or returned.
    used: u64,
}

/// Maximum total size of the buffers, apart from pages in use; free ones beyond it are returned to the driver.
const MAX_BYTES: u64 = 192 << 20;
const MIN_BYTES: u64 = 4 << 10;

impl Free {
    /// Bytes in use for a purpose.
    fn used_by(&mut self, kind: BufferKind) -> &mut u64 {
        if kind == BufferKind::Page { &mut self.page_bytes } else { &mut self.used_bytes }
    }

    /// The free buffers of a purpose and size, which counts as their use.
    fn buffers_of(&mut self, kind: BufferKind, class: u64) -> &mut Vec<wgpu::Buffer> {
        self.clock += 1;
        let of_class = self.buffers.entry((kind, class)).or_default();
        of_class.used = self.clock;
        &mut of_class.buffers
    }

    /// Takes free buffers of the purposes and sizes used longest ago until `class` more bytes fit; none if they cannot
    /// fit beside those in use. A returned buffer is more likely to be leased again than they are: otherwise, a pool
    /// that is full of other sizes would create a buffer for each lease.
    fn make_room(&mut self, class: u64) -> Vec<wgpu::Buffer> {
        let mut taken = Vec::new();
        let can_fit = self.used_bytes + class <= MAX_BYTES;
        while can_fit && self.bytes + self.used_bytes + class > MAX_BYTES {
            let oldest = self.buffers.iter_mut().filter(|(_, of_class)| !of_class.buffers.is_empty());
            let Some(((_, bytes), oldest)) = oldest.min_by_key(|(_, of_class)| of_class.used) else { break };
            self.bytes -= bytes;
            taken.extend(oldest.buffers.pop());
        }
        taken
    }
}

impl Pool {
    pub fn new(memory: &Arc<Memory>, turns: Option<&Arc<Turns>>) -> Arc<Pool> {
        let limits = memory.device().limits();
        let largest_bytes = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size) & !3;
        let (created, turns) = (AtomicU64::new(0), turns.cloned());
        Arc::new(Pool { memory: memory.clone(), largest_bytes, free: Mutex::default(), created, turns })
    }

    /// Maximum size of a buffer, in bytes.
    pub fn largest_bytes(&self) -> u64 {
        self.largest_bytes
    }

    /// Number of buffers created so far, apart from pages.
    pub fn created(&self) -> u64 {
        self.created.load(Relaxed)
    }

    /// A buffer of at least `bytes`, with undefined contents. Size classes are quarters of a power of two, so that
    /// slowly growing regions reuse a buffer.
    pub fn lease(self: &Arc<Pool>, kind: BufferKind, bytes: u64) -> Result<Lease> {
        if bytes > self.largest_bytes {
            let message = format!(
                "the graphics device allocates at most {} MB at once, and this needs {} MB",
                self.largest_bytes >> 20,
                bytes >> 20
            );
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let _turn = self.turns.as_ref().map(|turns| turns.take());
        self.end_those_given_up();
        let step = (bytes.next_power_of_two() / 8).max(MIN_BYTES);
        let class = bytes.max(1).next_multiple_of(step).min(self.largest_bytes);
        let reused = {
            let mut free = self.free();
            let buffer = free.buffers_of(kind, class).pop();
            if buffer.is_some() {
                free.bytes -= class;
            }
            buffer
        };
        let buffer = match reused {
            Some(buffer) => buffer,
            None => self.create(kind, class)?,
        };
        *self.free().used_by(kind) += class;
        Ok(Lease(Arc::new(Leased { buffer, kind, class, pool: self.clone() })))
    }

    fn create(&self, kind: BufferKind, bytes: u64) -> Result<wgpu::Buffer> {
        if kind != BufferKind::Page {
            self.created.fetch_add(1, Relaxed);
        }
        self.memory.buffer(&wgpu::BufferDescriptor {
            label: Some(match kind {
                BufferKind::Storage => "storage",
                BufferKind::Uniform => "parameters",
                BufferKind::ReadBack => "read back",
                BufferKind::Page => "page",
            }),
            size: bytes,
            usage: kind.usage(),
            mapped_at_creation: false,
        })
    }

    /// Bytes of all buffers, used or free.
    pub fn held_bytes(&self) -> u64 {
        let free = self.free();
        free.bytes + free.used_bytes + free.page_bytes
    }

    /// Returns every free buffer to the driver.
    pub fn trim(&self) {
        let _turn = self.turns.as_ref().map(|turns| turns.take());
        let mut free = self.free();
        free.buffers.clear();
        free.ended.clear();
        free.bytes = 0;
    }

    /// Frees the buffers that were dropped outside a turn. Call it within one.
    fn end_those_given_up(&self) {
        let ended = std::mem::take(&mut self.free().ended);
        drop(ended);
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        lock(&self.free)
    }
}

/// A buffer from the pool, returned when its last clone is dropped. Work already submitted precedes that of the next
/// user, since both use one queue.
#[derive(Debug, Clone)]
pub(in crate::gpu) struct Lease(Arc<Leased>);

#[derive(Debug)]
struct Leased {
    buffer: wgpu::Buffer,
    kind: BufferKind,
    class: u64,
    pool: Arc<Pool>,
}

impl Lease {
    /// Waits until this thread may use the device, if threads take turns.
    pub fn turn(&self) -> Option<Turn<'_>> {
        self.0.pool.turns.as_ref().map(|turns| turns.take())
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.0.buffer
    }

    /// Whether both are clones of one lease.
    pub fn is_same(&self, other: &Lease) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Drop for Leased {
    fn drop(&mut self) {
        let mut free = self.pool.free();
        let used = free.used_by(self.kind);
        *used = used.saturating_sub(self.class);
        let mut ended = free.make_room(self.class);
        if free.bytes + free.used_bytes + self.class <= MAX_BYTES {
            free.bytes += self.class;
            let buffer = self.buffer.clone();
            free.buffers_of(self.kind, self.class).push(buffer);
        } else {
            ended.push(self.buffer.clone());
        }
        if self.pool.turns.is_some() {
            free.ended.append(&mut ended);
        }
    }
}
