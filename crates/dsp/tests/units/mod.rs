//! Parts alone, by row.

mod atomic_file;
mod base;
mod date;
mod dsp;
mod kept;
mod settings;
