//! The STFT on the device, and the differences of regions as samples.

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::{CellRect, SampleDifference, Stft, StftParams};
use crate::gpu::batch::{Batch, groups_of_256, uniform, words};
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::buffers::tables::Table;
use crate::gpu::buffers::transfer::ReadPiece;
use crate::gpu::layout::Frames;
use crate::gpu::shaders::Program;
use crate::gpu::stored::SampleSource;
use crate::gpu::{Gpu, GpuRegion};
use std::ops::Range;

/// Maximum number of scratch values per batch of frames, and so per submission.
const BATCH_VALUES: usize = 1 << 20;

/// Number of samples summed on the device and read back at a time.
const READ_SAMPLES: usize = 4 << 20;

/// Maximum size of a result that is read back whole: waiting a second time for the changed part alone would take
/// longer.
const READ_AT_ONCE_BYTES: usize = 256 << 10;

impl Gpu {
    /// Twin of [`Stft::analyse`].
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for sizes other than [`fft::SIZES`](crate::gpu::fft::SIZES), [`ErrorKind::Limit`] for
    /// regions larger than the device's largest buffer, [`ErrorKind::Gpu`] when the device fails, and read errors of a
    /// stored sound.
    pub fn analyse<'s>(
        &self,
        batch: &mut Batch<'_>,
        stft: &Stft,
        samples: impl Into<SampleSource<'s>>,
        rect: &CellRect,
    ) -> Result<GpuRegion> {
        let (params, samples) = (stft.params(), samples.into());
        check(samples.n_samples() == stft.n_samples_under(rect.frames.len()), "samples do not fit the frames")?;
        check(rect.bins.end <= params.n_bins(), "bins beyond the spectrum")?;
        let region = self.region(rect.clone())?;
        if rect.is_empty() {
            return Ok(region);
        }
        let fft = self.fft(params.n_fft)?;
        let analysis = Table::Analysis(params.window, params.n_fft);
        let window_values = self.table(analysis)?;
        let n_batch = fft.frames_at_once(BATCH_VALUES).min(rect.frames.len());
        let packed = self.lease(n_batch * params.n_fft)?;
        let between = fft.lease_between(self, n_batch * params.n_fft)?;
        let windows = self.windows(batch, samples)?;
        for frames in batches(rect.frames.len(), n_batch) {
            let start = frames.start * params.hop;
            let under = start..start + stft.n_samples_under(frames.len());
            let (window, first_sample) = windows.at(self, batch, under)?;
            let parameters = Frames {
                first_frame: frames.start as u32,
                n_frames: frames.len() as u32,
                n_fft: params.n_fft as u32,
                hop: params.hop as u32,
                first_bin: rect.bins.start as u32,
                n_bins: rect.bins.len() as u32,
                row_bits: fft.row_bits(),
                first_sample: first_sample as u32,
                ..Frames::default()
            };
            let n_packed = frames.len() * params.n_fft;
            fft.forward(
                batch,
                &parameters,
                [(&window.lease, window.n), (&window_values, analysis.len())],
                [&packed, between.as_ref().unwrap_or(&packed)],
            )?;
            batch.dispatch(
                Program::file("stft_unpack", "stft_unpack"),
                &[
                    (0, uniform(&parameters)),
                    (1, words(&packed, n_packed)),
                    (2, words(&fft.twiddles, fft.n_twiddles())),
                    (3, words(&region.magnitude, rect.n_cells())),
                    (4, words(&region.phase, rect.n_cells())),
                ],
                [rect.bins.len().div_ceil(64) as u32, frames.len() as u32],
            )?;
            if frames.end < rect.frames.len() {
                batch.submit();
            }
        }
        Ok(region)
    }

    /// Twin of [`Stft::difference`]. Waits for the result, so never call it on a UI thread. Only samples and flags are
    /// read back.
    ///
    /// # Errors
    /// As [`analyse`](Gpu::analyse).
    pub fn difference(&self, stft: &Stft, before: &GpuRegion, after: &GpuRegion) -> Result<SampleDifference> {
        let params = stft.params();
        let rect = &after.rect;
        check(before.rect.contains(rect), "a region is compared with one that does not contain it")?;
        check(rect.bins.end <= params.n_bins(), "bins beyond the spectrum")?;
        let n_samples = stft.n_samples_under(rect.frames.len());
        if rect.is_empty() {
            let (touched, samples) = (vec![false; rect.frames.len()], vec![0.0; n_samples]);
            return Ok(SampleDifference::of_frames(params, rect.frames.start, touched, samples));
        }
        self.guarded(|| {
            let (mut all_touched, mut sum) = (Vec::with_capacity(rect.frames.len()), vec![0.0; n_samples]);
            let frames_at_once = (READ_SAMPLES / params.hop).max(1);
            for frames in batches(rect.frames.len(), frames_at_once) {
                let mut touched = vec![0u32; frames.len()];
                let mut samples = vec![0.0f32; stft.n_samples_under(frames.len())];
                self.difference_of(params, before, after, frames.clone(), &mut touched, &mut samples)?;
                all_touched.extend(touched.iter().map(|&flag| flag != 0));
                for (sum, sample) in sum[frames.start * params.hop..].iter_mut().zip(samples) {
                    *sum += sample;
                }
            }
            Ok(SampleDifference::of_frames(params, rect.frames.start, all_touched, sum))
        })
    }

    /// Computes the difference of the frames `run` of `after`: a flag per frame, 1 if it changed, and the samples to
    /// add.
    fn difference_of(
        &self,
        params: StftParams,
        before: &GpuRegion,
        after: &GpuRegion,
        run: Range<usize>,
        flags: &mut [u32],
        added: &mut [f32],
    ) -> Result<()> {
        let rect = &after.rect;
        let (samples, touched) = (self.lease(added.len())?, self.lease(rect.frames.len())?);
        let fft = self.fft(params.n_fft)?;
        let n_batch = fft.frames_at_once(BATCH_VALUES).min(run.len());
        let [packed, other] = [self.lease(n_batch * params.n_fft)?, self.lease(n_batch * params.n_fft)?];
        let window = Table::Synthesis(params.window, params.n_fft);
        let window_values = self.table(window)?;
        let mut batch = Batch::new(self)?;
        batch.clear(&samples, added.len());
        batch.clear(&touched, rect.frames.len());
        for frames in batches(run.len(), n_batch) {
            let parameters = Frames {
                first_frame: (run.start + frames.start) as u32,
                n_frames: frames.len() as u32,
                n_fft: params.n_fft as u32,
                hop: params.hop as u32,
                first_bin: rect.bins.start as u32,
                n_bins: rect.bins.len() as u32,
                before_frame: (rect.frames.start - before.rect.frames.start) as u32,
                before_first_bin: before.rect.bins.start as u32,
                before_n_bins: before.rect.bins.len() as u32,
                origin_frame: run.start as u32,
                first_sample: (frames.start * params.hop) as u32,
                n_samples: ((frames.len() - 1) * params.hop + params.n_fft) as u32,
                row_bits: fft.row_bits(),
            };
            let n_packed = frames.len() * params.n_fft;
            batch.dispatch(
                Program::file("stft_pack", "stft_pack"),
                &[
                    (0, uniform(&parameters)),
                    (1, words(&before.magnitude, before.rect.n_cells())),
                    (2, words(&before.phase, before.rect.n_cells())),
                    (3, words(&after.magnitude, rect.n_cells())),
                    (4, words(&after.phase, rect.n_cells())),
                    (5, words(&fft.twiddles, fft.n_twiddles())),
                    (6, words(&packed, n_packed)),
                    (7, words(&touched, rect.frames.len())),
                ],
                [(params.n_fft / 4 + 1).div_ceil(64) as u32, frames.len() as u32],
            )?;
            let windowed = fft.inverse(&mut batch, &parameters, (&window_values, window.len()), [&packed, &other])?;
            batch.dispatch(
                Program::file("overlap_add", "overlap_add"),
                &[
                    (0, uniform(&parameters)),
                    (1, words(windowed, n_packed)),
                    (2, words(&touched, rect.frames.len())),
                    (3, words(&samples, added.len())),
                ],
                groups_of_256(parameters.n_samples as usize),
            )?;
            batch.submit();
        }
        if size_of_val(added) <= READ_AT_ONCE_BYTES {
            let (flags, added) = (bytemuck::cast_slice_mut(flags), bytemuck::cast_slice_mut(added));
            return self.read_pieces(&mut [
                ReadPiece { what: ReadBack::Flags, lease: &touched, first: run.start, bytes: flags },
                ReadPiece { what: ReadBack::Samples, lease: &samples, first: 0, bytes: added },
            ]);
        }
        self.read(ReadBack::Flags, &touched, run.start, flags)?;
        for changed in changed_samples(params, flags) {
            self.read(ReadBack::Samples, &samples, changed.start, &mut added[changed])?;
        }
        Ok(())
    }
}

/// The ranges of samples under changed frames, relative to the first sample of the first frame; ascending and disjoint.
fn changed_samples(params: StftParams, flags: &[u32]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (frame, _) in flags.iter().enumerate().filter(|(_, flag)| **flag != 0) {
        let under = frame * params.hop..frame * params.hop + params.n_fft;
        match runs.last_mut() {
            Some(last) if under.start <= last.end => last.end = under.end,
            _ => runs.push(under),
        }
    }
    runs
}

/// Returns an internal error about `what` unless `holds` is true.
pub(in crate::gpu) fn check(holds: bool, what: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::new(ErrorKind::Internal, format!("GPU engine: {what}"))) }
}

/// Splits `0..n` into consecutive ranges of at most `max`, or of 1 if `max` is 0.
pub(in crate::gpu) fn batches(n: usize, max: usize) -> impl Iterator<Item = Range<usize>> {
    let max = max.max(1);
    (0..n.div_ceil(max)).map(move |i| i * max..((i + 1) * max).min(n))
}
