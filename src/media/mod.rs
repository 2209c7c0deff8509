//! Files: look before opening, decode, the immutable [`Source`], RIFF chunks, encode.

mod encode;
mod resample;
mod source;

pub use encode::{Dither, ExportFormat};
pub use resample::Resampler;
pub use source::{Opened, Original, SampleFormat, Source, SourceInfo};
