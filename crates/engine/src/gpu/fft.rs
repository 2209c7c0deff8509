//! The plans of the FFT: its sizes, and the shaders of each.
//!
//! A workgroup transforms one or several frames. The forward shader reads samples and the window and writes N/2 packed
//! complex values per frame; the inverse shader reads those and writes windowed frames.
//!
//! A frame too large for a workgroup is transformed by the four-step algorithm, in two shaders. The values form a
//! matrix, `i = i1 n2 + i2`: its columns are transformed and multiplied by `W^(i2 k1)`, then its rows are transformed.
//! Nothing is transposed: value `k` is stored at row `k mod n1`, column `k / n1`, and every shader that reads or writes
//! packed values addresses them accordingly. The inverse runs the steps in reverse order.
//!
//! Source: packing as in Sorensen et al., IEEE TASSP 35(6), 1987; four steps as in Bailey, J. Supercomputing 4, 1990.

use super::devices::needs::{NEEDS, Needs};

/// Transform sizes in real samples, supported by every device that can compute: powers of two from 64 to 2^22.
pub const SIZES: [usize; 17] = {
    let mut sizes = [64; 17];
    let mut i = 0;
    while i < sizes.len() {
        sizes[i] = 64 << i;
        i += 1;
    }
    sizes
};

/// Maximum number of complex values in workgroup memory that every device supports: 16 KB.
const MAX_SHARED: usize = 2048;

/// Direction of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FftDirection {
    /// Samples to packed spectrum.
    Forward,
    /// Packed spectrum to windowed frames.
    Inverse,
}

/// The part of a transform that one shader computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FftStep {
    /// The whole transform in one workgroup.
    Whole,
    /// The whole transform in one workgroup, with half the threads and half the memory.
    Narrow,
    /// The columns of the four-step algorithm, and the multiplication between columns and rows.
    Columns,
    /// The rows of the four-step algorithm.
    Rows,
}

/// One shader: a size, a direction and a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FftShader {
    /// Real samples per frame, one of [`SIZES`].
    pub n_fft: usize,
    /// Direction.
    pub direction: FftDirection,
    /// The part of the transform.
    pub step: FftStep,
}

/// Possible steps of a transform, preferred ones first, each in the order of the forward direction.
const WAYS: [&[FftStep]; 3] = [&[FftStep::Whole], &[FftStep::Narrow], &[FftStep::Columns, FftStep::Rows]];

/// The steps of a transform on a device with these limits, in the order of the forward direction. `None` for a size
/// that is not one of [`SIZES`], or if no variant fits.
pub fn steps(n_fft: usize, limits: &wgpu::Limits) -> Option<&'static [FftStep]> {
    let fits = |step: &FftStep| step.needs(n_fft).is_some_and(|needs| needs.fit(limits));
    WAYS.into_iter().find(|steps| steps.iter().all(fits))
}

/// Numbers of rows and columns of the four-step matrix of `n` complex values, each at most [`MAX_SHARED`].
pub(super) fn matrix(n: usize) -> [usize; 2] {
    let n_rows = (1 << (n.ilog2() / 2)).min(256).max(n / MAX_SHARED);
    [n_rows, n / n_rows]
}

impl FftStep {
    pub(super) fn plan(self, n_fft: usize) -> Option<FftPlan> {
        if !SIZES.contains(&n_fft) {
            return None;
        }
        let n = n_fft / 2;
        match self {
            FftStep::Whole if n <= MAX_SHARED => Some(FftPlan::of(n)),
            FftStep::Whole => FftPlan::wide(n),
            FftStep::Narrow if n == 2 * MAX_SHARED => Some(FftPlan::narrow(n)),
            FftStep::Columns if n > 2 * MAX_SHARED => Some(FftPlan::of(matrix(n)[0])),
            FftStep::Rows if n > 2 * MAX_SHARED => Some(FftPlan::of(matrix(n)[1])),
            _ => None,
        }
    }

    /// Device requirements of this step of a transform; `None` if no transform of this size has it.
    pub fn needs(self, n_fft: usize) -> Option<Needs> {
        let plan = self.plan(n_fft)?;
        Some(Needs {
            workgroup_bytes: plan.workgroup_bytes() as u32,
            workgroup_threads: (plan.threads * plan.per_workgroup) as u32,
            ..NEEDS
        })
    }
}

/// Radices of the passes of a transform, and its distribution over threads and workgroups.
pub(super) struct FftPlan {
    /// Number of complex values of one transform.
    pub n: usize,
    /// Number of threads per transform.
    pub threads: usize,
    /// Number of transforms per workgroup.
    pub per_workgroup: usize,
    pub radices: Vec<usize>,
    pub exchange: FftExchange,
}

/// How threads exchange values between passes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FftExchange {
    /// Complex values in one exchange.
    Whole,
    /// Real parts, then imaginary parts, in half the memory.
    Split,
}

impl FftPlan {
    /// A plan for up to [`MAX_SHARED`] values: 8 per thread; 256 threads and 16 KB per workgroup.
    fn of(n: usize) -> FftPlan {
        let radices = FftPlan::radices(n);
        FftPlan { n, threads: n / 8, per_workgroup: MAX_SHARED / n, radices, exchange: FftExchange::Whole }
    }

    /// A plan for 4,096 values: 16 per thread; 256 threads and 16 KB per workgroup.
    fn narrow(n: usize) -> FftPlan {
        FftPlan { n, threads: n / 16, per_workgroup: 1, radices: FftPlan::radices(n), exchange: FftExchange::Split }
    }

    /// A plan for 4,096 or 8,192 values with 512 threads and 32 KB per workgroup; `None` for other sizes.
    fn wide(n: usize) -> Option<FftPlan> {
        let exchange = match n {
            4096 => FftExchange::Whole,
            8192 => FftExchange::Split,
            _ => return None,
        };
        Some(FftPlan { n, threads: 512, per_workgroup: 1, radices: FftPlan::radices(n), exchange })
    }

    /// Radix 8 as often as it divides `n`, then 2 or 4 for the rest.
    fn radices(n: usize) -> Vec<usize> {
        let exponent = n.ilog2() as usize;
        let mut radices = vec![8; exponent / 3];
        radices.extend((!exponent.is_multiple_of(3)).then_some(1 << (exponent % 3)));
        radices
    }

    /// Values that a thread holds.
    pub fn elements(&self) -> usize {
        self.n / self.threads
    }

    fn workgroup_bytes(&self) -> usize {
        let bytes = match self.exchange {
            FftExchange::Whole => 8,
            FftExchange::Split => 4,
        };
        bytes * self.n * self.per_workgroup
    }
}

/// Every shader of every size.
pub fn shaders() -> impl Iterator<Item = FftShader> {
    let directions = [FftDirection::Forward, FftDirection::Inverse];
    let steps = SIZES.into_iter().flat_map(|n_fft| WAYS.into_iter().flatten().map(move |step| (n_fft, *step)));
    steps
        .filter(|(n_fft, step)| step.plan(*n_fft).is_some())
        .flat_map(move |(n_fft, step)| directions.map(|direction| FftShader { n_fft, direction, step }))
}

impl FftShader {
    /// Its name, for labels and tests: `fft_2048`, `fft_32768_columns_inverse`.
    pub fn name(self) -> String {
        let step = match self.step {
            FftStep::Whole => "",
            FftStep::Narrow => "_narrow",
            FftStep::Columns => "_columns",
            FftStep::Rows => "_rows",
        };
        let direction = match self.direction {
            FftDirection::Forward => "",
            FftDirection::Inverse => "_inverse",
        };
        format!("fft_{}{step}{direction}", self.n_fft)
    }

    /// Numbers of workgroups along x and y for `n_frames` frames.
    pub(super) fn groups(self, n_frames: usize) -> [u32; 2] {
        let n = self.n_fft / 2;
        let Some(plan) = self.step.plan(self.n_fft) else { return [0, 0] };
        match self.step {
            FftStep::Whole | FftStep::Narrow => [n_frames.div_ceil(plan.per_workgroup) as u32, 1],
            FftStep::Columns | FftStep::Rows => [(n / plan.n / plan.per_workgroup) as u32, n_frames as u32],
        }
    }
}
