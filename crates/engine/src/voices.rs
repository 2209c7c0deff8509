//! Renders voices on either engine.

use super::{ComputeDevice, Engine};
use crate::base::{Error, Result};
use crate::dsp::voices::{CHUNK, VoicePool, VoiceStream};
use crate::gpu::{Gpu, VoicesInFlight};
use std::sync::Arc;

/// Minimum oscillator count at which the GPU outperforms the CPU.
const MIN_GPU_OSCILLATORS: usize = 2048;

/// A score being rendered, in order.
///
/// On a GPU two chunks are in flight: while the samples of one are read and taken, the device renders the next, and the
/// control points of each chunk are computed while the device renders the one before. The sizes of requests do not
/// change the result.
#[derive(Debug)]
pub struct VoiceRendering<'a> {
    stream: VoiceStream<'a>,
    /// Engine that records what is rendered.
    engine: Engine,
    /// The rendering device; `None` for the CPU, which renders nothing ahead.
    gpu: Option<Arc<Gpu>>,
    /// The sample up to which chunks are rendered ahead of requests.
    until: u64,
    /// Number of the next sample to be taken.
    at: u64,
    /// The chunk being read, and the one after it.
    chunks: [Option<PreparedChunk>; 2],
    /// Maximum length of the next chunk. Chunks grow, so that the first samples arrive soon.
    max: usize,
}

/// A chunk with computed control points.
#[derive(Debug)]
struct PreparedChunk {
    half: usize,
    n_samples: usize,
    n_taken: usize,
    /// Its samples; `None` if the CPU renders it.
    in_flight: Option<VoicesInFlight>,
}

impl Engine {
    /// Whether a GPU renders this many simultaneous oscillators faster than the CPU.
    pub fn gpu_is_worth(max_oscillators: usize) -> bool {
        max_oscillators >= MIN_GPU_OSCILLATORS
    }

    /// The engine that renders `max_oscillators`: this one, or the CPU if that is faster and may be used.
    #[must_use]
    pub fn for_voices(&self, max_oscillators: usize) -> Engine {
        match &self.device {
            ComputeDevice::Gpu(gpu) if gpu.may_fall_back() && !Engine::gpu_is_worth(max_oscillators) => {
                self.on_cpu_for("few voices are sooner on the CPU")
            }
            _ => self.clone(),
        }
    }

    /// Starts rendering a stream. On the GPU, chunks up to sample `until` are rendered ahead of requests.
    pub fn voices<'a>(&self, stream: VoiceStream<'a>, until: u64) -> VoiceRendering<'a> {
        let gpu = self.gpu().cloned();
        let until = until.min(stream.n_samples());
        VoiceRendering {
            at: stream.position(),
            stream,
            engine: self.clone(),
            gpu,
            until,
            chunks: [None, None],
            max: CHUNK,
        }
    }

    /// Runs `call` with pooled memory for rendering voices and for a block of samples of any length. The next call, of
    /// any clone of this engine, reuses it.
    pub fn with_voices<T>(&self, call: impl FnOnce(&mut VoicePool, &mut [Vec<f32>; 2]) -> T) -> T {
        let mut memory = self.pools.take();
        let done = call(&mut memory.pool, &mut memory.sides);
        self.pools.put(memory);
        done
    }
}

impl VoiceRendering<'_> {
    /// Number of the next sample to be rendered.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Renders the next `left.len()` samples. `right` has the same length, or is empty for mono. After the end of the
    /// score the output is silent. Blocks on the GPU, so never call it on a UI thread. If the device fails, the CPU
    /// renders the rest, with a notice, unless that is disabled.
    ///
    /// # Errors
    /// [`Gpu`](crate::base::ErrorKind::Gpu) when the device fails and falling back is disabled.
    pub fn render(&mut self, left: &mut [f32], right: &mut [f32]) -> Result<Option<String>> {
        let mut notice = None;
        let mut done = 0;
        while done < left.len() {
            let right = if right.is_empty() { &mut [] } else { &mut right[done..] };
            match self.take(&mut left[done..], right) {
                Ok(n) => done += n,
                Err(error) => notice = Some(self.fall_back(&error)?),
            }
        }
        self.at += done as u64;
        Ok(notice)
    }

    /// Takes the next samples, at most up to the end of a chunk, and returns their number.
    fn take(&mut self, left: &mut [f32], right: &mut [f32]) -> Result<usize> {
        if let Some(gpu) = self.gpu.clone() {
            let _notes = self.engine.taking_notes();
            self.prepare(&gpu, left.len())?;
        }
        let Some(chunk) = &mut self.chunks[0] else {
            self.engine.noted("voices", || self.stream.render(left, right));
            return Ok(left.len());
        };
        let n = left.len().min(chunk.n_samples - chunk.n_taken);
        let n_right = n.min(right.len());
        let (left, right) = (&mut left[..n], &mut right[..n_right]);
        match &chunk.in_flight {
            Some(in_flight) => in_flight.copy(chunk.n_taken, left, right)?,
            None => {
                let render = || self.stream.chunk(chunk.half).render_from(chunk.n_taken, left, right);
                self.engine.noted("voices", render);
            }
        }
        chunk.n_taken += n;
        if chunk.n_taken == chunk.n_samples {
            self.chunks[0] = self.chunks[1].take();
        }
        Ok(n)
    }

    /// Waits for the next samples, of which the caller needs `n_missing`, after submitting the following chunk.
    fn prepare(&mut self, gpu: &Gpu, n_missing: usize) -> Result<()> {
        let is_there = |chunk: &PreparedChunk| chunk.in_flight.as_ref().is_some_and(VoicesInFlight::is_there);
        if self.chunks[0].as_ref().is_some_and(is_there) {
            return Ok(());
        }
        for (place, n_missing) in [(0, n_missing), (1, 0)] {
            if self.chunks[place].is_none() {
                self.begin_chunk(gpu, place, n_missing)?;
            }
        }
        match self.chunks[0].as_mut().and_then(|chunk| chunk.in_flight.as_mut()) {
            Some(in_flight) => gpu.await_voices(in_flight),
            None => Ok(()),
        }
    }

    /// Computes the next chunk, if more is requested or should be rendered ahead, and submits it to the device.
    fn begin_chunk(&mut self, gpu: &Gpu, place: usize, n_missing: usize) -> Result<()> {
        let n_ahead = self.until.saturating_sub(self.stream.position());
        let n_wanted = n_ahead.max(n_missing as u64).min(self.max as u64) as usize;
        if n_wanted == 0 {
            return Ok(());
        }
        let half = self.stream.fill_chunk(n_wanted);
        self.max = (2 * self.max).min(Gpu::MAX_VOICE_SAMPLES);
        let chunk = self.stream.chunk(half);
        let made = PreparedChunk { half, n_samples: chunk.n_samples(), n_taken: 0, in_flight: None };
        // Stored before the submission, since the CPU renders this chunk if the device fails.
        let made = self.chunks[place].insert(made);
        made.in_flight = Some(gpu.submit_voices(chunk)?);
        Ok(())
    }

    /// Lets the CPU render the rest, including the prepared chunks not yet taken, from the same control points.
    fn fall_back(&mut self, error: &Error) -> Result<String> {
        if let Some(gpu) = &self.gpu {
            gpu.leave_to_cpu(error)?;
        }
        self.gpu = None;
        self.engine = self.engine.on_cpu_for("the device failed");
        self.chunks.iter_mut().flatten().for_each(|chunk| chunk.in_flight = None);
        let notice = error.clone().continued("the rest of the voices was rendered on the CPU");
        Ok(notice.message().to_owned())
    }
}
