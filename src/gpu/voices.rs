//! Voices on the device. The CPU makes the control points of the next chunk while the device renders the last one.

use super::Gpu;
use super::batch::{Batch, Bind, uniform, words};
use super::layout::VoiceSizes;
use super::pool::{BufferKind, Lease};
use super::shaders::Program;
use crate::base::{Error, ErrorKind, Result, trace};
use crate::dsp::voices::{ControlPoint, VoiceChunk, VoiceRun};
use std::sync::mpsc::{self, Receiver};

/// Samples of one workgroup, as the shader says.
const GROUP_SAMPLES: usize = 64;

type Mapped = std::result::Result<(), wgpu::BufferAsyncError>;

/// A chunk that the device renders.
pub struct VoicesInFlight {
    staging: Lease,
    submission: wgpu::SubmissionIndex,
    answer: Receiver<Mapped>,
    n_samples: usize,
}

impl Gpu {
    /// The longest chunk that one dispatch renders.
    pub const MOST_VOICE_SAMPLES: usize = 1 << 18;

    /// Begins to render a chunk of at most [`MOST_VOICE_SAMPLES`](Gpu::MOST_VOICE_SAMPLES). Submits, and does not wait;
    /// the chunk may be made anew at once.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] for a chunk that is too long, [`ErrorKind::Gpu`] when the device fails.
    pub fn submit_voices(&self, chunk: &VoiceChunk) -> Result<VoicesInFlight> {
        let _span = trace::span("voices.upload");
        let n_samples = chunk.n_samples();
        if n_samples > Gpu::MOST_VOICE_SAMPLES {
            let what = format!("GPU engine: {n_samples} samples of voices are more than one dispatch renders");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        // Buffers have at least one element; the sizes say how many there are.
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
                    (1, Bind::Buffer(on_device[0].buffer(), size_of_val(voices) as u64)),
                    (2, Bind::Buffer(on_device[1].buffer(), size_of_val(points) as u64)),
                    (3, words(&samples, 2 * n_samples)),
                ],
                [n_samples.div_ceil(GROUP_SAMPLES) as u32, 1],
            )?;
            batch.copy(samples.buffer(), 0, staging.buffer(), 0, sample_bytes(n_samples));
            let submission = batch.flush();
            let (sender, answer) = mpsc::channel();
            let slice = staging.buffer().slice(..sample_bytes(n_samples));
            // Whoever no longer listens has given up on the device.
            slice.map_async(wgpu::MapMode::Read, move |result| drop(sender.send(result)));
            Ok(VoicesInFlight { staging, submission, answer, n_samples })
        })
    }

    /// Waits for a chunk, and writes it: `left` has as many samples, `right` as well, or none for mono.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] when the device fails.
    pub fn read_voices(&self, chunk: VoicesInFlight, left: &mut [f32], right: &mut [f32]) -> Result<()> {
        let _span = trace::span("voices.read");
        self.device.wait(chunk.submission, &chunk.answer)?;
        let buffer = chunk.staging.buffer();
        let copied = buffer.slice(..sample_bytes(chunk.n_samples)).get_mapped_range().map(|mapped| {
            let samples: &[[f32; 2]] = bytemuck::cast_slice(&mapped);
            left.iter_mut().zip(samples).for_each(|(out, sample)| *out = sample[0]);
            right.iter_mut().zip(samples).for_each(|(out, sample)| *out = sample[1]);
        });
        buffer.unmap();
        copied.map_err(|_| Error::new(ErrorKind::Gpu, "the graphics device was lost"))
    }
}

fn sample_bytes(n_samples: usize) -> u64 {
    (n_samples * size_of::<[f32; 2]>()) as u64
}
