//! Creates all buffers and textures, except the buffers for timestamps, and reports running out of memory as an error.

use crate::base::{Error, ErrorKind, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Allocator of buffers and textures of one device.
#[derive(Debug)]
pub(in crate::gpu) struct Memory {
    device: wgpu::Device,
    n_requested: AtomicU64,
    /// Number of buffers and textures created.
    n_created: AtomicU64,
    /// Numbers of the allocations to fail, for tests.
    #[cfg(feature = "hooks")]
    failing: std::sync::Mutex<std::ops::Range<u64>>,
}

impl Memory {
    pub fn new(device: &wgpu::Device) -> Arc<Memory> {
        Arc::new(Memory {
            device: device.clone(),
            n_requested: AtomicU64::new(0),
            n_created: AtomicU64::new(0),
            #[cfg(feature = "hooks")]
            failing: std::sync::Mutex::new(0..0),
        })
    }

    /// The device that owns the memory.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Creates a buffer.
    ///
    /// # Errors
    /// [`GpuMemory`](ErrorKind::GpuMemory).
    pub fn buffer(&self, descriptor: &wgpu::BufferDescriptor<'_>) -> Result<wgpu::Buffer> {
        self.ask(|device| device.create_buffer(descriptor)).inspect(|_| self.count())
    }

    /// Creates a texture.
    ///
    /// # Errors
    /// [`GpuMemory`](ErrorKind::GpuMemory).
    pub fn texture(&self, descriptor: &wgpu::TextureDescriptor<'_>) -> Result<wgpu::Texture> {
        self.ask(|device| device.create_texture(descriptor)).inspect(|_| self.count())
    }

    /// Writes to the start of a buffer; the values reach it before the commands of the next submission.
    ///
    /// # Errors
    /// [`GpuMemory`](ErrorKind::GpuMemory) if there is no memory to stage them.
    pub fn write(&self, queue: &wgpu::Queue, buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<()> {
        self.ask(|_| queue.write_buffer(buffer, 0, bytes))
    }

    /// Bytes of all the driver's allocations for this device, including buffers and textures of the window; `None` if
    /// the driver does not report them.
    pub fn held_bytes(&self) -> Option<u64> {
        self.device.generate_allocator_report().map(|report| report.total_reserved_bytes)
    }

    /// Number of buffers and textures created so far.
    pub fn n_created(&self) -> u64 {
        self.n_created.load(Relaxed)
    }

    fn count(&self) {
        self.n_created.fetch_add(1, Relaxed);
    }

    /// Number of allocations requested so far, granted or not.
    pub fn n_requested(&self) -> u64 {
        self.n_requested.load(Relaxed)
    }

    #[cfg(feature = "hooks")]
    /// Makes the allocations with these numbers, counted from this call, fail.
    pub fn fail(&self, numbers: std::ops::Range<u64>) {
        let now = self.n_requested();
        let range = now.saturating_add(numbers.start)..now.saturating_add(numbers.end);
        *crate::base::lock(&self.failing) = range;
    }

    #[cfg(feature = "hooks")]
    fn must_fail(&self, number: u64) -> bool {
        crate::base::lock(&self.failing).contains(&number)
    }

    #[cfg(not(feature = "hooks"))]
    fn must_fail(&self, _number: u64) -> bool {
        false
    }

    fn ask<T>(&self, make: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        let number = self.n_requested.fetch_add(1, Relaxed);
        if self.must_fail(number) {
            return Err(out_of_memory());
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let made = make(&self.device);
        // The scope's error is available once the call has returned, so this does not wait.
        match pollster::block_on(scope.pop()) {
            None => Ok(made),
            Some(_) => Err(out_of_memory()),
        }
    }
}

pub(in crate::gpu) fn out_of_memory() -> Error {
    Error::new(ErrorKind::GpuMemory, "the graphics device is out of memory")
}
