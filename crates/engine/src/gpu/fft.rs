//! The plans of the FFT: its sizes, and the shaders of each.
//!
//! A transform takes one workgroup for one frame or several. The forward shader reads samples and window and writes N/2
//! packed complex values per frame, the inverse reads those and writes windowed frames.
//!
//! What a workgroup does not hold takes four steps, which are two shaders. The values are a matrix, `i = i1 n2 + i2`:
//! its columns are transformed, multiplied by `W^(i2 k1)`, and its rows are. Value `k` is left at row `k mod n1`,
//! column `k / n1`; whoever reads or writes packed values counts with that, and nothing is transposed. The inverse goes
//! back the same way.
//!
//! Source: packing as in Sorensen et al., IEEE TASSP 35(6), 1987; four steps as in Bailey, J. Supercomputing 4, 1990.

use super::devices::needs::{NEEDS, Needs};

/// Transform sizes that every device that computes does, in real samples: powers of two from 64 to 2^22.
pub const SIZES: [usize; 17] = {
    let mut sizes = [64; 17];
    let mut i = 0;
    while i < sizes.len() {
        sizes[i] = 64 << i;
        i += 1;
    }
    sizes
};

/// Complex values in the memory of a workgroup.
const MAX_SHARED: usize = 2048;

/// Direction of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FftDirection {
    /// Samples to packed spectrum.
    Forward,
    /// Packed spectrum to windowed frames.
    Inverse,
}

/// What one shader does of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FftStep {
    /// All of it in one workgroup.
    Whole,
    /// The same with half the threads and half the memory.
    Narrow,
    /// The columns of four steps, and the multiplication between them and the rows.
    Columns,
    /// The rows of four steps.
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

/// Ways to do a transform, the best first, in the order of the forward direction.
const WAYS: [&[FftStep]; 3] = [&[FftStep::Whole], &[FftStep::Narrow], &[FftStep::Columns, FftStep::Rows]];

/// The steps of a transform of one of [`SIZES`] on a device with these limits, in the order of the forward direction.
pub fn steps(n_fft: usize, limits: &wgpu::Limits) -> Option<&'static [FftStep]> {
    let fits = |step: &FftStep| step.needs(n_fft).is_some_and(|needs| needs.fit(limits));
    WAYS.into_iter().find(|steps| steps.iter().all(fits))
}

/// Sides of the matrix of four steps for `n` complex values, rows first: neither is longer than a workgroup holds.
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

    /// Device requirements of this step of a size; none if that size does not have it.
    pub fn needs(self, n_fft: usize) -> Option<Needs> {
        let plan = self.plan(n_fft)?;
        Some(Needs {
            workgroup_bytes: plan.workgroup_bytes() as u32,
            workgroup_threads: (plan.threads * plan.per_workgroup) as u32,
            ..NEEDS
        })
    }
}

/// Passes of one size.
pub(super) struct FftPlan {
    /// Complex values of one transform.
    pub n: usize,
    /// Threads of one transform.
    pub threads: usize,
    /// Transforms of one workgroup.
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
    /// Up to [`MAX_SHARED`] values: 8 a thread, 256 threads, 16 KB.
    fn of(n: usize) -> FftPlan {
        let radices = FftPlan::radices(n);
        FftPlan { n, threads: n / 8, per_workgroup: MAX_SHARED / n, radices, exchange: FftExchange::Whole }
    }

    /// 16 values a thread, 256 threads, 16 KB.
    fn narrow(n: usize) -> FftPlan {
        FftPlan { n, threads: n / 16, per_workgroup: 1, radices: FftPlan::radices(n), exchange: FftExchange::Split }
    }

    /// 512 threads, 32 KB.
    fn wide(n: usize) -> Option<FftPlan> {
        let exchange = match n {
            4096 => FftExchange::Whole,
            8192 => FftExchange::Split,
            _ => return None,
        };
        Some(FftPlan { n, threads: 512, per_workgroup: 1, radices: FftPlan::radices(n), exchange })
    }

    /// Eights, then what is left.
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

    /// Workgroups for some frames.
    pub(super) fn groups(self, n_frames: usize) -> [u32; 2] {
        let n = self.n_fft / 2;
        let Some(plan) = self.step.plan(self.n_fft) else { return [0, 0] };
        match self.step {
            FftStep::Whole | FftStep::Narrow => [n_frames.div_ceil(plan.per_workgroup) as u32, 1],
            FftStep::Columns | FftStep::Rows => [(n / plan.n / plan.per_workgroup) as u32, n_frames as u32],
        }
    }
}
