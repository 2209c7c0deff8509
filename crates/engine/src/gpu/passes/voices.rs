//! Renders voices on the device. Chunks in flight share no buffer, so that one can be uploaded while another is
//! rendered or read.

use crate::base::{Error, ErrorKind, Result, trace};
use crate::dsp::voices::{ControlPoint, VoiceChunk, VoiceRun};
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, Bind, uniform, words};
use crate::gpu::buffers::pool::{BufferKind, Lease};
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::layout::VoiceSizes;
use crate::gpu::shaders::Program;
use std::sync::mpsc::{self, Receiver};

/// Samples per workgroup, as in the shader.
const GROUP_SAMPLES: usize = 64;

type Mapped = std::result::Result<(), wgpu::BufferAsyncError>;

/// A chunk being rendered on the device, and its samples once available.
#[derive(Debug)]
pub struct VoicesInFlight {
    staging: Lease,
    /// Buffers of voices, control points and samples, held until the chunk is dropped, so that the next chunk uses
    /// other buffers and need not wait for this one.
    _on_device: [Lease; 3],
    submission: wgpu::SubmissionIndex,
    answer: Receiver<Mapped>,
    mapping: MappingState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MappingState {
    Asked,
    Mapped,
    Failed,
}

impl VoicesInFlight {
    /// Whether its samples have [arrived](Gpu::await_voices).
    pub fn is_there(&self) -> bool {
        self.mapping == MappingState::Mapped
    }

    /// Copies available samples, starting at `first`: as many as fit into `left`, and into `right`, which is empty for
    /// mono.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] if they have not arrived.
    pub fn copy(&self, first: usize, left: &mut [f32], right: &mut [f32]) -> Result<()> {
        let range = sample_bytes(first)..sample_bytes(first + left.len());
        let mapped = self.staging.buffer().slice(range).get_mapped_range();
        let mapped = mapped.map_err(|_| Error::new(ErrorKind::Gpu, "the graphics device was lost"))?;
        let samples: &[[f32; 2]] = bytemuck::cast_slice(&mapped);
        left.iter_mut().zip(samples).for_each(|(out, sample)| *out = sample[0]);
        right.iter_mut().zip(samples).for_each(|(out, sample)| *out = sample[1]);
        Ok(())
    }
}

impl Drop for VoicesInFlight {
    /// Unmaps the buffer for its next user, even if no caller waited for it.
    fn drop(&mut self) {
        let is_refused = self.mapping == MappingState::Failed || matches!(self.answer.try_recv(), Ok(Err(_)));
        if !is_refused {
            let _turn = self.staging.turn();
            self.staging.buffer().unmap();
        }
    }
}

impl Gpu {
    /// Maximum number of samples that one dispatch renders.
    pub const MAX_VOICE_SAMPLES: usize = 1 << 18;

    /// Starts rendering a chunk of at most [`MAX_VOICE_SAMPLES`](Gpu::MAX_VOICE_SAMPLES). Submits without waiting;
    /// the caller may refill the chunk at once.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] for a chunk that is too long, [`ErrorKind::Gpu`] when the device fails.
    pub fn submit_voices(&self, chunk: &VoiceChunk) -> Result<VoicesInFlight> {
        let _span = trace::span("voices.upload");
        let n_samples = chunk.n_samples();
        if n_samples > Gpu::MAX_VOICE_SAMPLES {
            let what = format!("GPU engine: {n_samples} samples of voices are more than one dispatch renders");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        // A buffer cannot be empty, so empty lists are replaced by one unused element; `sizes` has the actual numbers.
        let voices = if chunk.voices().is_empty() { &[VoiceRun::default()] } else { chunk.voices() };
        let points = if chunk.points().is_empty() { &[ControlPoint::default()] } else { chunk.points() };
        let sizes = VoiceSizes { n_voices: chunk.voices().len() as u32, n_samples: n_samples as u32 };
        self.guarded(|| {
            let on_device = [self.uploaded(voices)?, self.uploaded(points)?];
            let samples = self.lease(2 * n_samples)?;
            let staging = self.pool.lease(BufferKind::ReadBack, sample_bytes(n_samples))?;
            let mut batch = Batch::new(self)?;
            batch.dispatch(
                Program::file("voices", "render_voices"),
                &[
                    (0, uniform(&sizes)),
                    (1, Bind::Buffer(&on_device[0], size_of_val(voices) as u64)),
                    (2, Bind::Buffer(&on_device[1], size_of_val(points) as u64)),
                    (3, words(&samples, 2 * n_samples)),
                ],
                [n_samples.div_ceil(GROUP_SAMPLES) as u32, 1],
            )?;
            batch.copy(&samples, 0, &staging, 0, sample_bytes(n_samples));
            let submission = batch.submit();
            self.reads.add(ReadBack::Samples, sample_bytes(n_samples));
            let (sender, answer) = mpsc::channel();
            let slice = staging.buffer().slice(..sample_bytes(n_samples));
            // Sending fails only if the chunk has been dropped.
            slice.map_async(wgpu::MapMode::Read, move |result| drop(sender.send(result)));
            let [voices, points] = on_device;
            let _on_device = [voices, points, samples];
            Ok(VoicesInFlight { staging, _on_device, submission, answer, mapping: MappingState::Asked })
        })
    }

    /// Waits for the samples of a chunk.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] when the device fails.
    pub fn await_voices(&self, chunk: &mut VoicesInFlight) -> Result<()> {
        let _span = trace::span("voices.read");
        let done = self.guarded(|| self.device.wait(chunk.submission.clone(), &chunk.answer));
        chunk.mapping = if done.is_ok() { MappingState::Mapped } else { MappingState::Failed };
        done
    }
}

fn sample_bytes(n_samples: usize) -> u64 {
    (n_samples * size_of::<[f32; 2]>()) as u64
}
