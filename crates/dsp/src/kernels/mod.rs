//! The brush kernels on the CPU. Each file names its twin in `shaders/`, or states that one CPU kernel serves both
//! engines. Functions of one cell are the same line for line under the same name; `crates/engine/tests/shaders.rs`
//! lists them and checks both. Operations over neighbours, lines or whole planes (`resample`, `medians`, `blur`, the
//! modulation filter) are organised differently on each processor, and agree within the tolerances of the tests `gpu::`
//! and `kernels::`.
//!
//! In formulas `O` is a cell before the edit, `E` the cell after it, and `M` the mask, 0 to 1.

mod band_filter;
mod blur;
mod cells;
mod combine;
mod contrast;
mod denoise;
mod drag;
mod erase;
mod gain;
mod gate;
mod harmonic_percussive;
mod heal;
mod modulation_filter;
mod picture;
mod resample;
mod sharpen;

pub use band_filter::{BandKernel, band_filter};
pub use blur::{BlurKernel, blur, blur_mix, blur_radius, gaussian_taps};
pub use cells::{CellKernel, CellProgram, ShaderPart, StructLayout};
pub use combine::combine;
pub use contrast::{ContrastKernel, contrast};
pub use denoise::{Blurring, NoiseReduction, log_spectral_gain, memory_of_hop};
pub use drag::DragKernel;
pub use erase::{EraseKernel, erase};
pub use gain::{GainKernel, gain};
pub use gate::{GateKernel, gate};
pub use harmonic_percussive::{HarmonicPercussiveKernel, harmonic_percussive, median_window, medians};
pub use heal::attenuate::{Attenuation, CellRun, CellRuns, Mixing, RAISED_LOG2, along, attenuate, measured};
pub use heal::consistency::{distance_squares, retarget};
pub use heal::gap::{CutOff, bridge, fill_gap, fill_gaps};
pub use heal::gap_orders::{N_GAP_ORDERS, SilencedGap, gap_reach};
pub use heal::interpolate::burg_continue;
pub use heal::pattern::{PatternMatch, best_pattern};
pub use modulation_filter::{mirrored, modulation_filter, modulation_response, padded_length};
pub use picture::{PictureKernel, picture};
pub use resample::{catmull_rom, resample};
pub use sharpen::{SharpenKernel, sharpen_mix};

use super::transforms::rows::RowBlur;
use super::warps::displacement::Displacement;
use super::{FftPlans, Grid, Mask, Region};
use std::sync::Arc;

/// Defines the enum of the kernels that edit magnitudes cell by cell, its conversions, and the list of their programs.
macro_rules! cell_kernels {
    ($($name:ident($kernel:ty),)+) => {
        /// A kernel that edits magnitudes cell by cell; see each for its formula.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each kernel states what it does where it is defined")]
        pub enum AnyCellKernel {
            $($name($kernel),)+
        }

        impl AnyCellKernel {
            /// The programs of all cell kernels.
            pub const PROGRAMS: &[&CellProgram] = &[$(&<$kernel>::PROGRAM),+];

            /// The kernel as a trait object.
            pub fn get(&self) -> &dyn CellKernel {
                match self {
                    $(AnyCellKernel::$name(kernel) => kernel,)+
                }
            }
        }

        $(impl From<$kernel> for Kernel {
            fn from(kernel: $kernel) -> Kernel {
                Kernel::Cells(AnyCellKernel::$name(kernel))
            }
        })+
    };
}

cell_kernels! {
    Gain(GainKernel),
    Erase(EraseKernel),
    Blur(BlurKernel),
    Sharpen(SharpenKernel),
    Band(BandKernel),
    HarmonicPercussive(HarmonicPercussiveKernel),
    Contrast(ContrastKernel),
    Gate(GateKernel),
    Picture(PictureKernel),
}

/// A brush prepared for a region: numbers and tables only, computed in f64 on the CPU, so that both engines use the
/// same values. A kernel reads a region and a mask that covers all or part of it, and returns the cells of the mask's
/// rectangle; cells whose mask is 0 are copied.
#[derive(Debug, Clone, PartialEq)]
pub enum Kernel {
    /// Edits magnitudes cell by cell.
    Cells(AnyCellKernel),
    /// `|E| = lerp(|O|, max(0, filtered patch), M)`. The region must be exactly the patch.
    ModulationFilter {
        /// Response along frames at `|k| = 0 ..= P/2`; `None` if not filtered.
        frame_response: Option<Vec<f32>>,
        /// Response along bins at `|k| = 0 ..= P/2`; `None` if not filtered.
        bin_response: Option<Vec<f32>>,
    },
    /// `|E| = lerp(|O|, min(|O|, level of the surroundings), M)`. Cells of the region outside the mask's rectangle are
    /// surroundings.
    Attenuate(Attenuation),
    /// Blurs or sharpens the cells of a transform with rows.
    RowBlur(Arc<RowBlur>),
    /// Replaces each run of a bin by an autoregressive prediction from its surroundings. On the CPU for both engines.
    Interpolate {
        /// Frames before and after each run from which the process is learnt.
        context: [usize; 2],
        /// Order of the process.
        order: usize,
    },
    /// `|E| = |O| * lerp(1, G, M)`, `G` the gain of noise reduction. Runs on the CPU, for both engines.
    Denoise(Arc<NoiseReduction>),
    /// Moves each cell with `M > 0` by whole frames and bins, and rotates its phase with its frame.
    Drag(DragKernel),
    /// Interpolates each active cell from its source with a 4 x 4 Catmull-Rom stencil, with its phase rotated.
    Resample {
        /// The displacement of the cells to write; the given region must contain every frame of the grid that they read
        /// (frames outside the grid count as 0), and all bins.
        displacement: Displacement,
        /// `n_fft / hop`, a power of two from 2 to 16: taps turn by `m' (ns - n') / overlap`.
        overlap: u32,
        /// `n_fft / 2`: bins below 0 and above it are conjugate mirrors.
        nyquist_bin: u32,
    },
}

impl Kernel {
    /// The kernel that moves cells of a grid by a displacement.
    pub fn resampling(grid: &Grid, displacement: Displacement) -> Kernel {
        let (overlap, nyquist_bin) = (grid.frames_per_turn() as u32, grid.nyquist_bin() as u32);
        Kernel::Resample { displacement, overlap, nyquist_bin }
    }

    /// Runs on `before`, and returns the cells of `mask.rect`, which must lie inside `before.rect`. Cells of `before`
    /// outside `mask.rect` are the [halo](Kernel::halo). Some kernels repeat or mirror cells at the ends of `before`,
    /// so the halo may be cut short only at the ends of the spectrogram. Cells with a mask of 0 are copied.
    pub fn run(&self, before: &Region, mask: &Mask) -> Region {
        self.run_with(&FftPlans::default(), before, mask)
    }

    /// As [`run`](Kernel::run), with FFTs from a cache of plans.
    pub fn run_with(&self, plans: &FftPlans, before: &Region, mask: &Mask) -> Region {
        if let Kernel::Resample { displacement, overlap, nyquist_bin } = self {
            return resample(displacement, *overlap, *nyquist_bin, before);
        }
        let mut after = before.crop(&mask.rect);
        match self {
            Kernel::Cells(kernel) => kernel.get().run(before, mask, &mut after),
            Kernel::ModulationFilter { frame_response, bin_response } => {
                let (frames, bins) = (frame_response.as_deref(), bin_response.as_deref());
                modulation_filter::run(plans, frames, bins, before, mask, &mut after);
            }
            Kernel::RowBlur(blur) => return blur.run(before, mask),
            Kernel::Attenuate(around) => heal::attenuate::run(around, before, mask, &mut after),
            Kernel::Interpolate { context, order } => {
                heal::interpolate::run(*context, *order, before, mask, &mut after)
            }
            Kernel::Denoise(reduction) => denoise::run(reduction, before, mask, &mut after),
            Kernel::Drag(drag) => drag::run(drag, before, mask, &mut after),
            Kernel::Resample { .. } => {}
        }
        after
    }

    /// Margin of cells read beyond those written: frames and bins on each side. For [`Kernel::Resample`] the frames are
    /// given by [`Displacement::frames_read`].
    pub fn halo(&self) -> [usize; 2] {
        match self {
            Kernel::Cells(kernel) => kernel.get().halo(),
            Kernel::RowBlur(blur) => blur.halo(),
            Kernel::Attenuate(around) => around.context.map(|sides| sides[0].max(sides[1])),
            Kernel::Interpolate { context, .. } => [context[0].max(context[1]), 0],
            Kernel::Denoise(reduction) => reduction.halo(),
            Kernel::ModulationFilter { .. } | Kernel::Drag(_) | Kernel::Resample { .. } => [0, 0],
        }
    }

    /// Name in reports and traces: that of its shader, if it has one.
    pub fn name(&self) -> &'static str {
        match self {
            Kernel::Cells(kernel) => kernel.get().program().name,
            Kernel::ModulationFilter { .. } => "modulation_filter",
            Kernel::Attenuate(_) => "attenuate",
            Kernel::RowBlur(_) => "row_blur",
            Kernel::Interpolate { .. } => "interpolate",
            Kernel::Denoise(_) => "denoise",
            Kernel::Drag(_) => "drag",
            Kernel::Resample { .. } => "resample",
        }
    }

    /// Reason why the kernel runs on the CPU with either engine; `None` if the GPU can run it.
    pub fn why_on_cpu(&self) -> Option<&'static str> {
        match self {
            Kernel::Interpolate { .. } => Some("predictions are made in f64"),
            Kernel::Denoise(_) => Some("each frame's gains follow from those before it"),
            Kernel::Cells(_)
            | Kernel::ModulationFilter { .. }
            | Kernel::Attenuate(_)
            | Kernel::RowBlur(_)
            | Kernel::Drag(_)
            | Kernel::Resample { .. } => None,
        }
    }
}
