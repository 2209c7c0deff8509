//! Pictures as sound: maps the pixels of a picture over a range of time and frequency to cells or sines.

mod area;
mod bank;
mod bitmap;
mod look;
mod phases;
mod sampling;

pub use area::PictureArea;
pub use bank::PictureBank;
pub use bitmap::{Bitmap, BitmapSamples};
pub use look::{PictureLook, PictureTurn, PictureView, Tint};
pub use phases::random_turns;
pub use sampling::{SampledCells, sample_cells};
