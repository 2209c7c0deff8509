//! Computes packed spectra of sounds on the device, one run of consecutive frames at a time.

use super::stft::batches;
use crate::base::Result;
use crate::dsp::StftParams;
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, Bind, words};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::buffers::tables::Table;
use crate::gpu::device_fft::DeviceFft;
use crate::gpu::layout::Frames;

/// Maximum number of packed values of a run, 8 MB.
const RUN_VALUES: usize = 1 << 21;

/// Parameters of the frames. The first one is centred on the first sample of its sound, which is silent beyond its
/// ends.
pub(super) struct FrameShape {
    n_fft: usize,
    hop: usize,
    window: Table,
    /// Number of frames before a run that it transforms again.
    n_before: usize,
}

impl FrameShape {
    /// The frames of an STFT; each run transforms the `n_before` frames before it again.
    pub fn of_stft(params: StftParams, n_before: usize) -> FrameShape {
        let StftParams { n_fft, hop, window } = params;
        FrameShape { n_fft, hop, window: Table::Analysis(window, n_fft), n_before }
    }

    /// Frames of `frame_samples` without a window, one every `step_samples`.
    pub fn unwindowed(frame_samples: usize, step_samples: usize) -> FrameShape {
        FrameShape { n_fft: frame_samples, hop: step_samples, window: Table::Ones(frame_samples), n_before: 0 }
    }

    /// Samples of a frame.
    pub fn frame_samples(&self) -> usize {
        self.n_fft
    }

    fn n_samples_under(&self, n_frames: usize) -> usize {
        (n_frames - 1) * self.hop + self.n_fft
    }

    /// The samples under `n_frames` frames from `first_frame` on, with zeros beyond the ends of the sound.
    fn samples_under(&self, sound: &[f32], first_frame: usize, n_frames: usize) -> Vec<f32> {
        let mut under = vec![0.0; self.n_samples_under(n_frames)];
        let (first, half) = (first_frame * self.hop, self.n_fft / 2);
        let n_silent = half.saturating_sub(first).min(under.len());
        let inside = sound.get(first.saturating_sub(half)..).unwrap_or_default();
        under[n_silent..].iter_mut().zip(inside).for_each(|(under, sample)| *under = *sample);
        under
    }
}

/// The FFT, and the buffers that all runs share.
pub(super) struct SpectraRuns {
    shape: FrameShape,
    fft: DeviceFft,
    window: Lease,
    samples: Lease,
    packed: Lease,
    between: Option<Lease>,
    n_at_once: usize,
}

/// A run of frames whose packed spectra are on the device.
pub(super) struct SpectraRun<'a> {
    /// The transformed frames.
    pub frames: Frames,
    /// Number of them before the run's own.
    pub n_before: usize,
    /// Number of the run's own frames.
    pub n_frames: usize,
    /// Number of own frames of all runs before this one.
    pub first_written: usize,
    runs: &'a SpectraRuns,
}

impl SpectraRun<'_> {
    /// The packed values, `n_fft / 2` complex ones a frame.
    pub fn packed(&self) -> Bind<'_> {
        words(&self.runs.packed, self.frames.n_frames as usize * self.runs.shape.n_fft)
    }

    /// `exp(-2 pi i k / n_fft)`.
    pub fn twiddles(&self) -> Bind<'_> {
        words(&self.runs.fft.twiddles, self.runs.fft.n_twiddles())
    }
}

impl SpectraRuns {
    /// Buffers for sounds of at most `n_longest` frames, which must not be 0.
    pub fn new(gpu: &Gpu, shape: FrameShape, n_longest: usize) -> Result<SpectraRuns> {
        let fft = gpu.fft(shape.n_fft)?;
        let n_at_once = fft.frames_at_once(RUN_VALUES).max(shape.n_before + 1).min(n_longest);
        let n_packed = n_at_once * shape.n_fft;
        Ok(SpectraRuns {
            window: gpu.table(shape.window)?,
            samples: gpu.lease(shape.n_samples_under(n_at_once))?,
            packed: gpu.lease(n_packed)?,
            between: fft.lease_between(gpu, n_packed)?,
            n_at_once,
            shape,
            fft,
        })
    }

    /// Maximum number of frames of a run.
    pub fn n_at_once(&self) -> usize {
        self.n_at_once
    }

    /// Transforms sounds, each given with its number of frames, run by run. `record` adds the commands that read a run.
    /// Submits every run without waiting.
    pub fn each(
        &self,
        gpu: &Gpu,
        sounds: &[(&[f32], usize)],
        record: &mut dyn FnMut(&mut Batch<'_>, &SpectraRun<'_>) -> Result<()>,
    ) -> Result<()> {
        let (shape, mut batch, mut n_done) = (&self.shape, Batch::new(gpu)?, 0);
        for &(sound, n_frames) in sounds {
            let max = if n_frames > self.n_at_once { self.n_at_once - shape.n_before } else { n_frames };
            for own in batches(n_frames, max) {
                let n_before = own.start.min(shape.n_before);
                let first = own.start - n_before;
                let n_transformed = own.end - first;
                let samples = shape.samples_under(sound, first, n_transformed);
                // Takes effect when this batch is submitted, so after the previous batch has read the buffer.
                gpu.write(&self.samples, &samples);
                let frames = Frames {
                    n_frames: n_transformed as u32,
                    n_fft: shape.n_fft as u32,
                    hop: shape.hop as u32,
                    row_bits: self.fft.row_bits(),
                    ..Frames::default()
                };
                let window = (&self.window, shape.window.len());
                let ends = [&self.packed, self.between.as_ref().unwrap_or(&self.packed)];
                self.fft.forward(&mut batch, &frames, [(&self.samples, samples.len()), window], ends)?;
                let run =
                    SpectraRun { frames, n_before, n_frames: own.len(), first_written: n_done + own.start, runs: self };
                record(&mut batch, &run)?;
                batch.submit();
            }
            n_done += n_frames;
        }
        Ok(())
    }
}
