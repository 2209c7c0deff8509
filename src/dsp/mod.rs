//! The mathematics: windows, the STFT on the CPU, axes, regions, masks, brushes as data, the CPU kernels and colour maps.

pub mod axis;
pub mod brush;
pub mod denoise;
pub mod displacement;
pub mod exp2;
pub mod find;
pub mod heal;
pub mod kernels;
pub mod log2;
pub mod mask;
pub mod noise;
pub mod peak_locking;
pub mod phase;
pub mod polar;
pub mod region;
pub mod selection;
pub mod stft;
pub mod stroke;
pub mod tone;
pub mod transform;
pub mod wand;
pub mod window;

pub use axis::Axis;
pub use brush::Brush;
pub use denoise::{Denoise, NoiseFrom, NoiseOf, NoiseProfile, NoiseSpectrum};
pub use kernels::Kernel;
pub use mask::Mask;
pub use region::{CellRect, Region};
pub use selection::{Cells, Combine, Extent, Selection, Shape};
pub use stft::{Difference, Stft};
pub use stroke::{Point, Stroke};
pub use transform::{Grid, StftParams};
pub use window::Window;
