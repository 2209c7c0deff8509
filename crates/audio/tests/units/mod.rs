//! Parts alone, by row.

mod playback;
