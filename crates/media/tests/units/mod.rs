//! Parts alone, by row.

mod media;
