//! Views of the sound: tiles, the pyramid, coordinates, the picture of a view on the CPU, image export.

extern crate base;
extern crate document;
extern crate dsp;
extern crate engine;
extern crate media;
extern crate self as view;

use engine::gpu;

mod analysis;
mod colormap;
mod colormap_tables;
mod contour;
mod coordinates;
mod envelope;
mod figure;
mod fitting;
mod footprint;
mod half;
mod image;
mod kept_pyramids;
mod landmarks;
mod level_range;
mod moved;
mod picture;
mod pyramid;
mod sought;
mod spectrum;
mod stroke;
mod text;
mod ticks;
mod tiles;
mod waveform;

pub use self::image::{Axes, Image, ImageOptions, colours_from_png, render_image, write_png};
pub use crate::engine::Plans;
pub use analysis::{Analysis, ChannelView, frames_ready, grid_of, keep_louder};
pub use colormap::{Colormap, phase_rgb, phase_texels};
pub use contour::contours;
pub use coordinates::{LOG_FLOOR_HZ, Limits, Viewport};
pub use envelope::Envelope;
pub use fitting::{Hole, HoleContext, HoledSound};
pub use footprint::{CellStyle, Level, MAX_LEVEL};
pub use half::{PEAK_SCALE, f32_from_half, half_from_f32};
pub use kept_pyramids::{KeptPyramids, ToKeep};
pub use landmarks::{Landmarks, LandmarksOf, SNAP_POINTS};
pub use level_range::Seen;
pub use moved::Moved;
pub use picture::{Picture, PictureSpec, Plane, SILENT_PHASE_BRIGHTNESS, db_from_amplitude, picture};
pub use pyramid::{PIECE_FRAMES, Piece, Pyramid, PyramidKey, finest};
pub use sought::{Found, Sought};
pub use spectrum::{Extent, ExtentOf, Peak, Slice, SliceOf, spectrum_csv};
pub use stroke::{StrokePeaks, joined, reached_on};
pub use ticks::{LabelSize, Tick, hz_ticks, time_ticks};
pub use tiles::{TILE_ENTRIES, TileCache, TileData, TileKey, TileSet};
pub use waveform::{Waveform, waveform_detail};
