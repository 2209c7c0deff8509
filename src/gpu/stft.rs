//! The STFT on the device, and differences of regions back in time.

use super::batch::{Batch, groups_of_256, uniform, words};
use super::fft::{self, Direction};
use super::layout::Frames;
use super::shaders::Program;
use super::tables::Table;
use super::{Gpu, GpuRegion};
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::{CellRect, Difference, Stft, StftParams};
use std::ops::Range;

/// Values of scratch per batch of frames: what one submission is bounded by.
const BATCH_VALUES: usize = 1 << 20;

impl Gpu {
    /// Twin of [`Stft::analyse`].
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for sizes other than [`fft::SIZES`], [`ErrorKind::Limit`] for regions or samples
    /// larger than the device's largest buffer, [`ErrorKind::Gpu`] when the device fails.
    pub fn analyse(&self, stft: &Stft, samples: &[f32], rect: &CellRect) -> Result<GpuRegion> {
        let params = supported(stft.params())?;
        check(samples.len() == stft.n_samples_under(rect.frames.len()), "samples do not fit the frames")?;
        check(rect.bins.end <= params.n_bins(), "bins beyond the spectrum")?;
        self.guarded(|| {
            let region = self.region(rect.clone())?;
            if rect.is_empty() {
                return Ok(region);
            }
            let on_device = self.uploaded(samples)?;
            let (window, twiddles) = (Table::Analysis(params.window, params.n_fft), Table::Twiddles(params.n_fft));
            let (window_values, twiddle_values) = (self.table(window)?, self.table(twiddles)?);
            let n_batch = frames_per_batch(params.n_fft).min(rect.frames.len());
            let packed = self.lease(n_batch * params.n_fft)?;
            let mut batch = Batch::new(self)?;
            for frames in batches(rect.frames.len(), n_batch) {
                let parameters = Frames {
                    first_frame: frames.start as u32,
                    n_frames: frames.len() as u32,
                    n_fft: params.n_fft as u32,
                    hop: params.hop as u32,
                    first_bin: rect.bins.start as u32,
                    n_bins: rect.bins.len() as u32,
                    ..Frames::default()
                };
                let n_packed = frames.len() * params.n_fft;
                batch.dispatch(
                    Program::Fft { n_fft: params.n_fft, direction: Direction::Forward },
                    &[
                        (0, uniform(&parameters)),
                        (1, words(&on_device, samples.len())),
                        (2, words(&window_values, window.len())),
                        (3, words(&twiddle_values, twiddles.len())),
                        (4, words(&packed, n_packed)),
                    ],
                    [frames.len().div_ceil(fft::frames_per_workgroup(params.n_fft)) as u32, 1],
                )?;
                batch.dispatch(
                    Program::file("stft_unpack", "stft_unpack"),
                    &[
                        (0, uniform(&parameters)),
                        (1, words(&packed, n_packed)),
                        (2, words(&twiddle_values, twiddles.len())),
                        (3, words(&region.magnitude, rect.n_cells())),
                        (4, words(&region.phase, rect.n_cells())),
                    ],
                    [rect.bins.len().div_ceil(64) as u32, frames.len() as u32],
                )?;
                batch.flush();
            }
            Ok(region)
        })
    }

    /// Twin of [`Stft::difference`]; waits for the answer, so never on a UI thread. Only samples and flags come back.
    ///
    /// # Errors
    /// As [`analyse`](Gpu::analyse).
    pub fn difference(&self, stft: &Stft, before: &GpuRegion, after: &GpuRegion) -> Result<Difference> {
        let params = supported(stft.params())?;
        let rect = &after.rect;
        check(before.rect.contains(rect), "a region is compared with one that does not hold it")?;
        check(rect.bins.end <= params.n_bins(), "bins beyond the spectrum")?;
        let n_samples = stft.n_samples_under(rect.frames.len());
        if rect.is_empty() {
            return Ok(Difference { touched: vec![false; rect.frames.len()], samples: vec![0.0; n_samples] });
        }
        self.guarded(|| {
            let samples = self.lease(n_samples)?;
            let touched = self.lease(rect.frames.len())?;
            let n_batch = frames_per_batch(params.n_fft).min(rect.frames.len());
            let [packed, windowed] = [self.lease(n_batch * params.n_fft)?, self.lease(n_batch * params.n_fft)?];
            let mut batch = Batch::new(self)?;
            batch.clear(&samples, n_samples);
            batch.clear(&touched, rect.frames.len());
            for frames in batches(rect.frames.len(), n_batch) {
                let first_sample = frames.start * params.hop;
                let parameters = Frames {
                    first_frame: frames.start as u32,
                    n_frames: frames.len() as u32,
                    n_fft: params.n_fft as u32,
                    hop: params.hop as u32,
                    first_bin: rect.bins.start as u32,
                    n_bins: rect.bins.len() as u32,
                    before_frame: (rect.frames.start - before.rect.frames.start) as u32,
                    before_first_bin: before.rect.bins.start as u32,
                    before_n_bins: before.rect.bins.len() as u32,
                    first_sample: first_sample as u32,
                    n_samples: stft.n_samples_under(frames.len()) as u32,
                };
                let n_packed = frames.len() * params.n_fft;
                let twiddles = Table::Twiddles(params.n_fft);
                let twiddle_values = self.table(twiddles)?;
                batch.dispatch(
                    Program::file("stft_pack", "stft_pack"),
                    &[
                        (0, uniform(&parameters)),
                        (1, words(&before.magnitude, before.rect.n_cells())),
                        (2, words(&before.phase, before.rect.n_cells())),
                        (3, words(&after.magnitude, rect.n_cells())),
                        (4, words(&after.phase, rect.n_cells())),
                        (5, words(&twiddle_values, twiddles.len())),
                        (6, words(&packed, n_packed)),
                        (7, words(&touched, rect.frames.len())),
                    ],
                    [(params.n_fft / 4 + 1).div_ceil(64) as u32, frames.len() as u32],
                )?;
                let window = Table::Synthesis(params.window, params.n_fft);
                let window_values = self.table(window)?;
                batch.dispatch(
                    Program::Fft { n_fft: params.n_fft, direction: Direction::Inverse },
                    &[
                        (0, uniform(&parameters)),
                        (1, words(&packed, n_packed)),
                        (2, words(&window_values, window.len())),
                        (3, words(&twiddle_values, twiddles.len())),
                        (4, words(&windowed, n_packed)),
                    ],
                    [frames.len().div_ceil(fft::frames_per_workgroup(params.n_fft)) as u32, 1],
                )?;
                batch.dispatch(
                    Program::file("overlap_add", "overlap_add"),
                    &[
                        (0, uniform(&parameters)),
                        (1, words(&windowed, n_packed)),
                        (2, words(&touched, rect.frames.len())),
                        (3, words(&samples, n_samples)),
                    ],
                    groups_of_256(parameters.n_samples as usize),
                )?;
                batch.flush();
            }
            let mut flags = vec![0u32; rect.frames.len()];
            let mut added = vec![0.0; n_samples];
            self.read(&touched, &mut flags)?;
            self.read(&samples, &mut added)?;
            Ok(Difference { touched: flags.iter().map(|&flag| flag != 0).collect(), samples: added })
        })
    }
}

/// The parameters, if the GPU does their size.
fn supported(params: StftParams) -> Result<StftParams> {
    if fft::SIZES.contains(&params.n_fft) {
        return Ok(params);
    }
    let message = format!("the GPU engine does FFT sizes from 512 to 16384, not {}; use the CPU engine", params.n_fft);
    Err(Error::new(ErrorKind::Unsupported, message))
}

/// A caller's mistake, told rather than computed with.
pub(super) fn check(holds: bool, what: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::new(ErrorKind::Internal, format!("GPU engine: {what}"))) }
}

/// Whole workgroups.
fn frames_per_batch(n_fft: usize) -> usize {
    (BATCH_VALUES / n_fft).next_multiple_of(fft::frames_per_workgroup(n_fft))
}

/// `0 .. n` in runs of at most `most`.
pub(super) fn batches(n: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    let most = most.max(1);
    (0..n.div_ceil(most)).map(move |i| i * most..((i + 1) * most).min(n))
}
