//! Parts alone, by row.

mod engine;
