//! Work recorded for the device and submitted in bounded pieces.

use super::Gpu;
use super::buffers::pool::{BufferKind, Lease};
use super::shaders::Program;
use super::timing::Passes;
use crate::base::Result;
use bytemuck::Pod;
use std::num::NonZeroU64;

/// Bindings of a shader.
pub(super) enum Bind<'a> {
    /// Parameters of this dispatch.
    Uniform(&'a [u8]),
    /// A buffer, and the number of bytes to bind, from its start.
    Buffer(&'a wgpu::Buffer, u64),
    /// A texture.
    View(&'a wgpu::TextureView),
}

/// The parameters of a dispatch as a binding.
pub(super) fn uniform<T: Pod>(parameters: &T) -> Bind<'_> {
    Bind::Uniform(bytemuck::bytes_of(parameters))
}

/// The first `n` four-byte values of a leased buffer.
pub(super) fn words(lease: &Lease, n: usize) -> Bind<'_> {
    Bind::Buffer(lease.buffer(), 4 * n as u64)
}

const UNIFORM_BYTES: usize = 64 << 10;
/// Maximum number of workgroups along x; more are laid out along y.
const MAX_GROUPS: u32 = 32_768;

/// Workgroups of 256 threads for `n_invocations`, for shaders that number invocations with `number_of`.
pub(super) fn groups_of_256(n_invocations: usize) -> [u32; 2] {
    groups(n_invocations.div_ceil(256))
}

/// At least `n` workgroups, for shaders that count them along x and then along y.
pub(super) fn groups(n: usize) -> [u32; 2] {
    let n = n as u32;
    let x = n.clamp(1, MAX_GROUPS);
    [x, n.div_ceil(x)]
}

/// Commands not yet submitted. They run in the order in which they are recorded.
pub(super) struct Batch<'a> {
    gpu: &'a Gpu,
    encoder: wgpu::CommandEncoder,
    uniforms: Vec<u8>,
    uniform_buffer: Lease,
    passes: Option<Passes>,
}

impl<'a> Batch<'a> {
    pub fn new(gpu: &'a Gpu) -> Result<Batch<'a>> {
        let uniform_buffer = gpu.pool.lease(BufferKind::Uniform, UNIFORM_BYTES as u64)?;
        let passes = gpu.timing.begin();
        Ok(Batch { gpu, encoder: Batch::encoder(gpu), uniforms: Vec::new(), uniform_buffer, passes })
    }

    fn encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
        gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Records one dispatch with these numbered bindings.
    pub fn dispatch(&mut self, program: Program, bindings: &[(u32, Bind<'_>)], groups: [u32; 2]) -> Result<()> {
        if groups.contains(&0) {
            return Ok(());
        }
        let alignment = self.gpu.device().limits().min_uniform_buffer_offset_alignment as usize;
        let needed: usize = bindings
            .iter()
            .map(|(_, bind)| if let Bind::Uniform(bytes) = bind { bytes.len().next_multiple_of(alignment) } else { 0 })
            .sum();
        let is_full = self.passes.as_ref().is_some_and(Passes::is_full);
        if self.uniforms.len() + needed > UNIFORM_BYTES || is_full {
            self.flush();
        }
        let pipeline = self.gpu.pipelines.get(self.gpu.device(), program)?;
        let mut entries = Vec::with_capacity(bindings.len());
        for (binding, bind) in bindings {
            let resource = match bind {
                Bind::Uniform(bytes) => {
                    let offset = self.uniforms.len() as u64;
                    self.uniforms.extend_from_slice(bytes);
                    self.uniforms.resize(self.uniforms.len().next_multiple_of(alignment), 0);
                    buffer_binding(self.uniform_buffer.buffer(), offset, bytes.len() as u64)
                }
                Bind::Buffer(buffer, bytes) => buffer_binding(buffer, 0, *bytes),
                Bind::View(view) => wgpu::BindingResource::TextureView(view),
            };
            entries.push(wgpu::BindGroupEntry { binding: *binding, resource });
        }
        let bind_group = self.gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let label = program.label();
        let mut pass = self.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(&label),
            timestamp_writes: self.passes.as_mut().and_then(|passes| passes.of_compute(label.clone())),
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(groups[0], groups[1], 1);
        Ok(())
    }

    /// Sets the first `n` four-byte values to 0.
    pub fn clear(&mut self, lease: &Lease, n: usize) {
        self.encoder.clear_buffer(lease.buffer(), 0, Some(4 * n as u64));
    }

    /// Copies a byte range of one buffer into another.
    pub fn copy(&mut self, from: &wgpu::Buffer, from_offset: u64, to: &wgpu::Buffer, to_offset: u64, bytes: u64) {
        self.encoder.copy_buffer_to_buffer(from, from_offset, to, to_offset, Some(bytes));
    }

    /// Submits the recorded commands; recording may continue.
    pub fn flush(&mut self) -> wgpu::SubmissionIndex {
        self.gpu.queue().write_buffer(self.uniform_buffer.buffer(), 0, &self.uniforms);
        self.uniforms.clear();
        let encoder = std::mem::replace(&mut self.encoder, Batch::encoder(self.gpu));
        let passes = std::mem::replace(&mut self.passes, self.gpu.timing.begin());
        self.gpu.timing.submit(self.gpu.queue(), encoder, passes)
    }
}

fn buffer_binding(buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(bytes) })
}
