//! The FFT of one size on a device.

use super::Gpu;
use super::batch::{Batch, uniform, words};
use super::buffers::pool::Lease;
use super::buffers::tables::Table;
use super::fft::{FftDirection, FftShader, FftStep, SIZES, matrix, steps};
use super::layout::Frames;
use super::shaders::Program;
use crate::base::{Error, ErrorKind, Result};

/// The transform of one size on a device.
pub(super) struct DeviceFft {
    n_fft: usize,
    /// Steps in the order of the forward direction.
    steps: &'static [FftStep],
    /// `exp(-2 pi i k / n_fft)`.
    pub twiddles: Lease,
}

impl Gpu {
    /// The transform of `n_fft` samples.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for a size that is not one of [`SIZES`], and errors of creating its table.
    pub(super) fn fft(&self, n_fft: usize) -> Result<DeviceFft> {
        let steps = steps(n_fft, &self.device().limits()).ok_or_else(|| {
            let [first, last] = [SIZES[0], SIZES[SIZES.len() - 1]];
            let what = format!("FFT size {n_fft} is not a power of two from {first} to {last}");
            Error::new(ErrorKind::Unsupported, what)
        })?;
        Ok(DeviceFft { n_fft, steps, twiddles: self.table(Table::Twiddles(n_fft))? })
    }
}

impl DeviceFft {
    /// Parameters of a dispatch for `n_frames` frames from number `first` on, `step` samples apart.
    pub fn frames(&self, first: usize, n_frames: usize, step: usize) -> Frames {
        Frames {
            first_frame: first as u32,
            n_frames: n_frames as u32,
            n_fft: self.n_fft as u32,
            hop: step as u32,
            row_bits: self.row_bits(),
            ..Frames::default()
        }
    }

    /// Logarithm to base 2 of the number of rows of the matrix in which a frame's packed values are stored.
    pub fn row_bits(&self) -> u32 {
        if self.steps.len() > 1 { matrix(self.n_fft / 2)[0].ilog2() } else { 0 }
    }

    /// Length of [`twiddles`](DeviceFft::twiddles) in four-byte words.
    pub fn n_twiddles(&self) -> usize {
        2 * self.n_fft
    }

    /// Number of frames per submission for about `n_values` samples, at least one, rounded up to whole workgroups.
    pub fn frames_at_once(&self, n_values: usize) -> usize {
        let per_workgroup = FftStep::Whole.plan(self.n_fft).map_or(1, |plan| plan.per_workgroup);
        (n_values / self.n_fft).max(1).next_multiple_of(per_workgroup)
    }

    /// The programs of both directions.
    pub fn programs(&self) -> impl Iterator<Item = Program> {
        let shader = |direction, step| Program::Fft(FftShader { n_fft: self.n_fft, direction, step });
        let of_step = move |step: &FftStep| [FftDirection::Forward, FftDirection::Inverse].map(|d| shader(d, *step));
        self.steps.iter().flat_map(of_step)
    }

    /// A second buffer of `n` words for [`forward`](DeviceFft::forward); `None` if the transform has a single step.
    pub fn lease_between(&self, gpu: &Gpu, n: usize) -> Result<Option<Lease>> {
        (self.steps.len() > 1).then(|| gpu.lease(n)).transpose()
    }

    /// Transforms windowed samples to packed values, `n_fft` words per frame. `between` is used only if there are two
    /// steps.
    pub fn forward(
        &self,
        batch: &mut Batch<'_>,
        frames: &Frames,
        [samples, window]: [(&Lease, usize); 2],
        [packed, between]: [&Lease; 2],
    ) -> Result<()> {
        let n_packed = frames.n_frames as usize * self.n_fft;
        let ends = match self.steps {
            [_] => vec![(samples.0, samples.1, packed)],
            _ => vec![(samples.0, samples.1, between), (between, n_packed, packed)],
        };
        for (step, (from, n_from, to)) in self.steps.iter().zip(ends) {
            self.step(batch, (FftDirection::Forward, *step), frames, [(from, n_from), window, (to, n_packed)])?;
        }
        Ok(())
    }

    /// Transforms packed values, which are overwritten, to windowed frames, and returns the buffer that contains them.
    pub fn inverse<'l>(
        &self,
        batch: &mut Batch<'_>,
        frames: &Frames,
        window: (&Lease, usize),
        [packed, other]: [&'l Lease; 2],
    ) -> Result<&'l Lease> {
        let n_packed = frames.n_frames as usize * self.n_fft;
        let mut ends = [packed, other];
        for step in self.steps.iter().rev() {
            let [from, to] = ends.map(|lease| (lease, n_packed));
            self.step(batch, (FftDirection::Inverse, *step), frames, [from, window, to])?;
            ends.swap(0, 1);
        }
        Ok(ends[0])
    }

    fn step(
        &self,
        batch: &mut Batch<'_>,
        (direction, step): (FftDirection, FftStep),
        frames: &Frames,
        [from, window, to]: [(&Lease, usize); 3],
    ) -> Result<()> {
        let shader = FftShader { n_fft: self.n_fft, direction, step };
        let mut bindings =
            vec![(1, words(from.0, from.1)), (3, words(&self.twiddles, self.n_twiddles())), (4, words(to.0, to.1))];
        if step != FftStep::Rows {
            bindings.push((2, words(window.0, window.1)));
        }
        // Layouts contain only the bindings that a shader uses, and the other steps don't use `frames`.
        if matches!(step, FftStep::Whole | FftStep::Narrow)
            || (direction, step) == (FftDirection::Forward, FftStep::Columns)
        {
            bindings.push((0, uniform(frames)));
        }
        batch.dispatch(Program::Fft(shader), &bindings, shader.groups(frames.n_frames as usize))
    }
}
