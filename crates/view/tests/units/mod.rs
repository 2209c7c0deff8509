//! Parts alone, by row.

mod view;
