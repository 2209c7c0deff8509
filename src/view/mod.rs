//! Views of the sound: tiles, the pyramid, coordinates, the picture of a view on the CPU, image export.

mod colormap;

pub use colormap::Colormap;
