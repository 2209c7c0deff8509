//! Pictures of a view on the CPU: colours, axes, text, contours, and image files.
//! May touch: `analysis`, `coordinates` and `levels`, for reading, and the image file. No device.

pub(super) mod beat_lines;
pub(super) mod colormap;
pub(super) mod colormap_tables;
pub(super) mod contour;
pub(super) mod figure;
pub(super) mod image;
pub(super) mod picture;
pub(super) mod text;
pub(super) mod ticks;
