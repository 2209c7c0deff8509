//! Identification of sounds: keys of files and audio, words and pictures; and based on these, duplicates and the null
//! test. Reads sounds and rows of `store`, and computes on engines through `batches`; writes nothing.

pub mod duplicates;
pub mod null_test;
pub mod pictures;
pub mod recordings;
pub mod words;
