//! Files: probing, decoding, the immutable [`Source`], RIFF chunks, encoding.
//!
//! A file's first bytes determine its format; its name does not. Plain samples are read by readers of our own,
//! everything else by symphonia. Damage that leaves audible sound is reported as a notice; for a file that cannot be
//! opened, the error is a single sentence.

extern crate base;
extern crate dsp;
extern crate self as media;

pub mod decoders;
pub mod formats;
mod metadata;
pub mod picture;
mod probe;
mod samples;
pub mod score;
mod writers;

pub use decoders::repaired::Spliced;
pub use formats::mp4::aac_rate;
pub use metadata::file_tags::{FileTag, tags_of};
pub use metadata::kept_chunks::{chunks_at_rate, chunks_of_part, samples_since_midnight};
pub use metadata::sound_tags::n_flac_chapters;
pub use probe::info::FileInfo;
pub use probe::look::{FileStamp, MAX_CHANNELS, MAX_RATE_HZ, MIN_RATE_HZ};
pub use probe::names::{AUDIO_EXTENSIONS, is_audio_name};
pub use probe::options::OpenOptions;
pub use probe::whole_file::{WholeFile, WholeFileReader};
pub use samples::format::SampleFormat;
pub use samples::resample::{Resampler, whole_ratio};
pub use samples::resampled::{ReadInputSamples, Resampled};
pub use samples::source::{MAX_SAMPLES, Opened, Source, SourceInfo};
pub use samples::values::Original;
pub use writers::container::{BitRate, Container, ExportFormat};
pub use writers::encode::{Encoded, Encoding, clipping_of, encode, encode_as, encode_part, highest_unclipped};
pub use writers::float_wav::{FloatWav, write_float_wav};
pub use writers::growing_wav::GrowingWav;
pub use writers::rounding::{Clipping, Dither};
pub use writers::sample_writer::WavLayout;
pub use writers::sound_to_write::{FindOrigins, ReadSamples, SoundToWrite, later_than_source};
pub use writers::wav_header::{Chunk, ChunkPlace};
pub use writers::wav_writer::WavShape;
