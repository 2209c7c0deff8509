//! Parts alone, by row.

mod library;
