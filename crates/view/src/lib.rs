//! Views of the sound: tiles, the pyramid, coordinates, the picture of a view on the CPU, image export.

extern crate base;
extern crate document;
extern crate dsp;
extern crate engine;
extern crate media;
extern crate self as view;

use engine::gpu;

mod analysis;
mod coordinates;
mod fitting;
mod half;
mod landmarks;
mod levels;
mod moved;
mod pattern_search;
mod pitch_near;
mod pyramid_cache;
mod render;
mod spectrum;
mod stroke;

pub use self::render::image::{Axes, Image, ImageOptions, colours_from_png, png_bytes, render_image, write_png};
pub use crate::engine::Plans;
pub use analysis::{Analysis, ChannelView, frames_ready, grid_of};
pub use coordinates::{LOG_FLOOR_HZ, Limits, Viewport};
pub use fitting::{Hole, HoleContext, HoledSound};
pub use half::{PEAK_SCALE, f32_from_half, half_from_f32};
pub use landmarks::{LandmarkQuery, Landmarks, SNAP_POINTS};
pub use levels::envelope::Envelope;
pub use levels::footprint::{CellStyle, Level, MAX_LEVEL};
pub use levels::level_range::Seen;
pub use levels::peaks::{Peaks, PhaseSteps};
pub use levels::pyramid::{PIECE_FRAMES, Piece, Pyramid, PyramidKey, finest};
pub use levels::tiles::{TILE_ENTRIES, TileCache, TileData, TileKey, TileSet};
pub use levels::waveform::{Waveform, waveform_detail};
pub use moved::Moved;
pub use pattern_search::{Found, PatternSearch};
pub use pitch_near::pitch_near;
pub use pyramid_cache::{PyramidCache, UncachedPyramid};
pub use render::beat_lines::{BeatLine, BeatLineKind, beat_lines, beat_near, beat_step};
pub use render::colormap::{Colormap, phase_rgb, phase_texels};
pub use render::contour::contours;
pub use render::picture::{Picture, PictureSpec, Plane, SILENT_PHASE_BRIGHTNESS, db_from_amplitude, picture};
pub use render::ticks::{LabelSize, Tick, hz_ticks, time_ticks};
pub use spectrum::{Extent, ExtentQuery, Peak, Slice, SliceQuery, spectrum_csv};
pub use stroke::{StrokePeaks, joined, reached_on};
