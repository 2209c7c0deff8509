//! Single parts of `base` and `dsp`.

mod atomic_file;
mod base;
mod date;
mod dsp;
mod kept;
mod settings;
