//! Signal processing: transforms and their grids, axes, regions, masks, selections, the CPU kernels, voices,
//! descriptors and the search for damage. Independent of files, the GPU and documents.

extern crate base;
extern crate self as dsp;

pub mod cells;
pub mod comparison;
pub mod descriptors;
pub mod kernels;
pub mod mels;
pub mod numeric;
pub mod pitch;
pub mod repair;
pub mod selections;
pub mod signal;
pub mod strokes;
pub mod transforms;
pub mod voices;
pub mod warps;

pub use cells::amplitude_scale::AmplitudeScale;
pub use cells::axis::Axis;
pub use cells::region::{CellRect, Region};
pub use kernels::Kernel;
pub use pitch::note_scale::{NoteScale, ScaleKind};
pub use pitch::peaks::{Lobe, peak_near, peak_under};
pub use repair::denoise::{Denoise, NoiseProfile, NoiseSignal, NoiseSource, NoiseSpectrum};
pub use selections::mask::Mask;
pub use selections::selection::{Cells, Combine, Moments, Selection, Shape, ShapeExtent};
pub use signal::clip::Clip;
pub use signal::true_peak::TruePeak;
pub use strokes::row_tone::RowTone;
pub use strokes::stroke::{Point, Stroke};
pub use transforms::difference::{SampleDifference, merged};
pub use transforms::difference_sum::DifferenceSum;
pub use transforms::fft_plans::FftPlans;
pub use transforms::grid::Grid;
pub use transforms::grid_plan::{ChangedRows, GridPlan, RowsPlan};
pub use transforms::stft::Stft;
pub use transforms::transform::{StftParams, Transform};
pub use transforms::view_plan::ViewPlan;
pub use transforms::window::Window;
