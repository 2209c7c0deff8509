//! Parts alone, by row.

mod atomic_file;
mod base;
mod dsp;
mod settings;
