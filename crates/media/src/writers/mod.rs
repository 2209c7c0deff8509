//! Writing of sound files: containers, encoders, headers, rounding. Unchanged samples keep their bits.
//! May touch: `samples`, `metadata` and `probe`. Writes only to the path it is given.

pub(super) mod container;
pub(super) mod encode;
pub(super) mod flac_writer;
pub(super) mod float_wav;
pub(super) mod growing_wav;
#[cfg(feature = "mp3")]
pub(super) mod id3_writer;
#[cfg(feature = "mp3")]
pub(super) mod lame_writer;
pub(super) mod mp3_writer;
pub(super) mod opus_writer;
pub(super) mod riff_head;
pub(super) mod rounding;
pub(super) mod sample_writer;
pub(super) mod sound_to_write;
pub(super) mod wav_header;
pub(super) mod wav_writer;
