//! Work recorded for the device and submitted in bounded pieces.

use super::Gpu;
use super::buffers::memory::out_of_memory;
use super::buffers::pool::{BufferKind, Lease};
use super::shaders::Program;
use super::timing::Passes;
use crate::base::Result;
use bytemuck::Pod;
use std::num::NonZeroU64;
use std::sync::atomic::Ordering::Relaxed;

/// Bindings of a shader.
pub(super) enum Bind<'a> {
    /// Parameters of this dispatch.
    Uniform(&'a [u8]),
    /// A buffer, and the number of bytes to bind, from its start.
    Buffer(&'a Lease, u64),
    /// A texture.
    View(&'a wgpu::TextureView),
}

/// The parameters of a dispatch as a binding.
pub(super) fn uniform<T: Pod>(parameters: &T) -> Bind<'_> {
    Bind::Uniform(bytemuck::bytes_of(parameters))
}

/// The first `n` four-byte values of a leased buffer.
pub(super) fn words(lease: &Lease, n: usize) -> Bind<'_> {
    Bind::Buffer(lease, 4 * n as u64)
}

const UNIFORM_BYTES: usize = 256 << 10;
/// Maximum number of workgroups along x; more are laid out along y.
const MAX_GROUPS: u32 = 32_768;

/// Maximum number of cells times taps per submission, so that no submission keeps the device from drawing for long.
pub(super) const BATCH_WORK: usize = 1 << 26;

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

/// Recorded commands, the buffers that they use, and their parameters.
#[derive(Debug)]
pub(crate) struct Commands {
    encoder: wgpu::CommandEncoder,
    uniforms: Vec<u8>,
    uniform_buffer: Lease,
    passes: Option<Passes>,
    /// Buffers used by the commands: the pool must not lease them again before the submission, since writes to a buffer
    /// precede all commands submitted after them.
    held: Vec<Lease>,
    /// Cells times taps of the commands.
    work: usize,
    n_commands: usize,
}

/// Commands not yet submitted. They run in the order in which they are recorded.
#[derive(Debug)]
pub struct Batch<'a> {
    gpu: &'a Gpu,
    commands: Commands,
}

impl Gpu {
    /// Runs `record`, which receives an empty batch, and submits what it has recorded. If memory runs out, frees unused
    /// buffers and runs it once more.
    ///
    /// # Errors
    /// Errors of `record`; [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn in_batch<T>(&self, mut record: impl FnMut(&mut Batch<'_>) -> Result<T>) -> Result<T> {
        self.guarded(|| {
            let mut batch = Batch::new(self)?;
            let done = record(&mut batch)?;
            batch.submit_rest();
            Ok(done)
        })
    }

    /// Runs `record`, which continues `commands`, and submits nothing unless they grow too large.
    ///
    /// # Errors
    /// As [`in_batch`](Gpu::in_batch).
    pub(crate) fn record<T>(
        &self,
        commands: &mut Option<Commands>,
        mut record: impl FnMut(&mut Batch<'_>) -> Result<T>,
    ) -> Result<T> {
        self.guarded(|| {
            let mut batch = match commands.take() {
                Some(commands) => Batch { gpu: self, commands },
                None => Batch::new(self)?,
            };
            let done = record(&mut batch);
            *commands = Some(batch.commands);
            done
        })
    }

    /// Submits recorded commands.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub(crate) fn submit(&self, commands: Commands) -> Result<()> {
        let mut commands = Some(commands);
        self.guarded(|| {
            // Commands cannot be submitted a second time.
            let commands = commands.take().ok_or_else(out_of_memory)?;
            Batch { gpu: self, commands }.submit_rest();
            Ok(())
        })
    }
}

impl Commands {
    fn hold(&mut self, lease: &Lease) {
        // Consecutive commands mostly use the same buffers.
        if !self.held.iter().rev().take(8).any(|held| held.is_same(lease)) {
            self.held.push(lease.clone());
        }
    }
}

impl<'a> Batch<'a> {
    pub(super) fn new(gpu: &'a Gpu) -> Result<Batch<'a>> {
        let commands = Commands {
            encoder: Batch::encoder(gpu),
            uniforms: Vec::new(),
            uniform_buffer: gpu.pool.lease(BufferKind::Uniform, UNIFORM_BYTES as u64)?,
            passes: gpu.timing.begin(),
            held: Vec::new(),
            work: 0,
            n_commands: 0,
        };
        Ok(Batch { gpu, commands })
    }

    fn encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
        gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Records one dispatch with these numbered bindings.
    pub(super) fn dispatch(&mut self, program: Program, bindings: &[(u32, Bind<'_>)], groups: [u32; 2]) -> Result<()> {
        if groups.contains(&0) {
            return Ok(());
        }
        let alignment = self.gpu.device().limits().min_uniform_buffer_offset_alignment as usize;
        let needed: usize = bindings
            .iter()
            .map(|(_, bind)| if let Bind::Uniform(bytes) = bind { bytes.len().next_multiple_of(alignment) } else { 0 })
            .sum();
        let is_full = self.commands.passes.as_ref().is_some_and(Passes::is_full);
        if self.commands.uniforms.len() + needed > UNIFORM_BYTES || is_full {
            self.submit();
        }
        let pipeline = self.gpu.pipelines.get(self.gpu.device(), program)?;
        let commands = &mut self.commands;
        for (_, bind) in bindings {
            if let Bind::Buffer(lease, _) = bind {
                commands.hold(lease);
            }
        }
        let mut entries = Vec::with_capacity(bindings.len());
        for (binding, bind) in bindings {
            let resource = match bind {
                Bind::Uniform(bytes) => {
                    let offset = commands.uniforms.len() as u64;
                    commands.uniforms.extend_from_slice(bytes);
                    commands.uniforms.resize(commands.uniforms.len().next_multiple_of(alignment), 0);
                    buffer_binding(commands.uniform_buffer.buffer(), offset, bytes.len() as u64)
                }
                Bind::Buffer(lease, bytes) => buffer_binding(lease.buffer(), 0, *bytes),
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
        let mut pass = commands.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(&label),
            timestamp_writes: commands.passes.as_mut().and_then(|passes| passes.of_compute(label.clone())),
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(groups[0], groups[1], 1);
        drop(pass);
        commands.n_commands += 1;
        Ok(())
    }

    /// Adds the cells times taps of the commands that follow. If the sum would exceed [`BATCH_WORK`], submits the
    /// earlier commands first.
    pub(super) fn add_work(&mut self, work: usize) {
        if self.commands.work + work > BATCH_WORK && self.commands.work > 0 {
            self.submit();
        }
        self.commands.work += work;
    }

    /// Sets the first `n` four-byte values to 0.
    pub(super) fn clear(&mut self, lease: &Lease, n: usize) {
        self.clear_from(lease, 0, n);
    }

    /// Sets `n` four-byte values from value `first` on to 0.
    pub(super) fn clear_from(&mut self, lease: &Lease, first: usize, n: usize) {
        self.commands.hold(lease);
        self.commands.encoder.clear_buffer(lease.buffer(), 4 * first as u64, Some(4 * n as u64));
        self.commands.n_commands += 1;
    }

    /// Copies a byte range of one buffer into another.
    pub(super) fn copy(&mut self, from: &Lease, from_offset: u64, to: &Lease, to_offset: u64, bytes: u64) {
        let commands = &mut self.commands;
        commands.hold(from);
        commands.hold(to);
        commands.encoder.copy_buffer_to_buffer(from.buffer(), from_offset, to.buffer(), to_offset, Some(bytes));
        commands.n_commands += 1;
    }

    /// Submits the recorded commands; recording may continue.
    pub(super) fn submit(&mut self) -> wgpu::SubmissionIndex {
        let commands = &mut self.commands;
        self.gpu.queue().write_buffer(commands.uniform_buffer.buffer(), 0, &commands.uniforms);
        commands.uniforms.clear();
        let encoder = std::mem::replace(&mut commands.encoder, Batch::encoder(self.gpu));
        let passes = std::mem::replace(&mut commands.passes, self.gpu.timing.begin());
        let submission = self.gpu.timing.submit(&self.gpu.device, encoder, passes);
        self.gpu.n_submitted.fetch_add(1, Relaxed);
        commands.held.clear();
        (commands.work, commands.n_commands) = (0, 0);
        submission
    }

    /// Submits the recorded commands, if any.
    pub(super) fn submit_rest(mut self) {
        if self.commands.n_commands > 0 {
            self.submit();
        }
    }
}

fn buffer_binding(buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(bytes) })
}
