//! Voices on either engine.

use super::{ComputeDevice, Engine};
use crate::base::Result;
use crate::dsp::voices::{CHUNK, VoicePool, VoiceStream};
use crate::gpu::{Gpu, VoicesInFlight};

/// From so many oscillators at once on, a GPU is worth its way there and back.
const WORTH_GPU: usize = 2048;

/// A chunk in flight, and where its samples go.
struct PendingVoices {
    in_flight: VoicesInFlight,
    half: usize,
    first: usize,
    n_samples: usize,
}

impl Engine {
    /// Whether a GPU renders so many oscillators at once faster than the CPU.
    pub fn gpu_is_worth(most_oscillators: usize) -> bool {
        most_oscillators >= WORTH_GPU
    }

    /// The engine that renders so many oscillators: this one, or the CPU where that is faster and was not ruled out.
    #[must_use]
    pub fn for_voices(&self, most_oscillators: usize) -> Engine {
        match &self.device {
            ComputeDevice::Gpu(gpu) if gpu.may_fall_back() && !Engine::gpu_is_worth(most_oscillators) => self.on_cpu(),
            _ => self.clone(),
        }
    }

    /// Calls with memory to render voices with. It is kept for the next call, of any clone of this engine.
    pub fn with_voices<T>(&self, call: impl FnOnce(&mut VoicePool) -> T) -> T {
        let mut pool = self.pools.take();
        let done = call(&mut pool);
        self.pools.put(pool);
        done
    }

    /// Renders the next samples of a stream: as many as `left` has, and `right` as well, or none for mono. Blocks on
    /// the GPU, so never call it on a UI thread. If the device fails, the CPU renders the rest, with a notice, unless
    /// that is disabled.
    ///
    /// # Errors
    /// [`Gpu`](crate::base::ErrorKind::Gpu) when the device fails and falling back is disabled.
    pub fn render_voices(
        &self,
        stream: &mut VoiceStream<'_>,
        left: &mut [f32],
        right: &mut [f32],
    ) -> Result<Option<String>> {
        match &self.device {
            ComputeDevice::Cpu => {
                stream.render(left, right);
                Ok(None)
            }
            ComputeDevice::Gpu(gpu) => render_on(gpu, stream, left, right),
        }
    }
}

/// Chunks grow, so that the first samples come soon.
fn render_on(gpu: &Gpu, stream: &mut VoiceStream<'_>, left: &mut [f32], right: &mut [f32]) -> Result<Option<String>> {
    let mut made = 0;
    let mut most = CHUNK;
    let mut pending: Option<PendingVoices> = None;
    while made < left.len() || pending.is_some() {
        // The next control points are made while the device renders the last ones.
        let next = (made < left.len()).then(|| {
            let half = stream.fill_chunk(most.min(left.len() - made));
            (half, stream.chunk(half).n_samples())
        });
        let submitted = next.map(|(half, _)| gpu.submit_voices(stream.chunk(half)));
        let read = pending.take().map(|chunk| {
            let range = chunk.first..chunk.first + chunk.n_samples;
            let right = if right.is_empty() { &mut [] } else { &mut right[range.clone()] };
            gpu.read_voices(chunk.in_flight, &mut left[range], right).map_err(|error| (error, chunk.half, chunk.first))
        });
        // What failed is rendered here, from the control points that are still there.
        let mut failed = None;
        if let Some(Err((error, half, first))) = read {
            failed = Some(error);
            render_here(stream, half, first, left, right);
        }
        if let Some((half, n_samples)) = next {
            match submitted {
                Some(Ok(in_flight)) if failed.is_none() => {
                    pending = Some(PendingVoices { in_flight, half, first: made, n_samples });
                }
                other => {
                    failed = failed.or(other.and_then(Result::err));
                    render_here(stream, half, made, left, right);
                }
            }
            made += n_samples;
            most = (2 * most).min(Gpu::MOST_VOICE_SAMPLES);
        }
        let Some(error) = failed else { continue };
        if !gpu.may_fall_back() {
            let message = format!("{}; use the CPU engine (--engine cpu)", error.message());
            return Err(crate::base::Error::new(error.kind(), message));
        }
        gpu.note_on_cpu(&error);
        let right = if right.is_empty() { &mut [] } else { &mut right[made..] };
        stream.render(&mut left[made..], right);
        return Ok(Some(format!("{}; the rest of the voices was rendered on the CPU", error.message())));
    }
    Ok(None)
}

fn render_here(stream: &VoiceStream<'_>, half: usize, first: usize, left: &mut [f32], right: &mut [f32]) {
    let chunk = stream.chunk(half);
    let range = first..first + chunk.n_samples();
    let right = if right.is_empty() { &mut [] } else { &mut right[range.clone()] };
    chunk.render(&mut left[range], right);
}
