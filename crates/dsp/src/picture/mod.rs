//! Pictures as sound: what the pixels of a picture that lies over a time and a band ask of the cells under them.

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
