//! Pictures of a view on the CPU: colours, axes, text, contours, and image files.
//! Reads `analysis`, `coordinates` and `levels`, and writes only image files; uses no device.

pub(super) mod beat_lines;
pub(super) mod colormap;
pub(super) mod colormap_tables;
pub(super) mod contour;
pub(super) mod figure;
pub(super) mod image;
pub(super) mod picture;
pub(super) mod text;
pub(super) mod ticks;
