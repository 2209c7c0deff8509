//! Metadata of sound files: tags, chapters, speakers, and chunks that exports keep.
//! May touch: `probe`, `samples`, and headers of `writers`. Changes no sample.

pub(super) mod file_tags;
pub(super) mod flac_speakers;
pub(super) mod kept_chunks;
pub(super) mod sound_tags;
pub(super) mod tags;
