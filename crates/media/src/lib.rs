//! Files: probing, decoding, the immutable [`Source`], RIFF chunks, encoding.
//!
//! The first bytes of a file determine its format, never its name. Plain samples are read by readers of our own,
//! everything else by symphonia. Damage that leaves audible sound becomes a notice; a file that cannot be opened is an
//! error of one sentence.

extern crate base;
extern crate dsp;
extern crate self as media;

mod aiff;
mod au;
mod behind;
mod boxes;
mod budget;
mod caf;
mod container;
mod decode;
mod decoded;
mod encode;
mod file_bytes;
mod file_tags;
mod flac;
mod flac_speakers;
mod flac_writer;
mod float_wav;
mod format;
mod growing_wav;
#[cfg(feature = "mp3")]
mod id3_writer;
mod info;
mod kept_chunks;
#[cfg(feature = "mp3")]
mod lame_writer;
mod look;
mod movie_samples;
mod mp3_writer;
mod mp4;
pub mod mpeg;
mod names;
mod ogg;
mod options;
pub mod opus_streams;
mod opus_writer;
pub mod picture;
mod plain_file;
mod planar;
mod raw;
mod repaired;
mod resample;
mod resampled;
mod riff;
mod riff_head;
mod rounding;
mod sample_tables;
mod sample_writer;
pub mod score;
mod scratch;
mod sound_tags;
mod sound_to_write;
mod source;
mod storage;
mod stored_bytes;
mod tags;
mod timing;
mod values;
mod watched;
mod wav;
mod wav_codecs;
mod wav_header;
mod wav_writer;
mod wave64;
mod whole_file;

pub use container::{BitRate, Container, ExportFormat};
pub use encode::{Encoded, Encoding, clipping_of, encode, encode_as, encode_part, highest_unclipped};
pub use file_tags::{FileTag, tags_of};
pub use float_wav::{FloatWav, write_float_wav};
pub use format::SampleFormat;
pub use growing_wav::GrowingWav;
pub use info::FileInfo;
pub use kept_chunks::{chunks_at_rate, chunks_of_part, samples_since_midnight};
pub use look::{FileStamp, MAX_CHANNELS, MAX_RATE_HZ, MIN_RATE_HZ};
pub use mp4::aac_rate;
pub use names::{AUDIO_EXTENSIONS, is_audio_name};
pub use options::OpenOptions;
pub use repaired::Spliced;
pub use resample::{Resampler, whole_ratio};
pub use resampled::{ReadInputSamples, Resampled};
pub use rounding::{Clipping, Dither};
pub use sample_writer::WavLayout;
pub use sound_tags::n_flac_chapters;
pub use sound_to_write::{FindOrigins, ReadSamples, SoundToWrite, later_than_source};
pub use source::{MAX_SAMPLES, Opened, Source, SourceInfo};
pub use values::Original;
pub use wav_header::{Chunk, ChunkPlace};
pub use wav_writer::WavShape;
pub use whole_file::{WholeFile, WholeFileReader};
