//! What identifies a sound: keys of file and audio, words, pictures, and with them duplicates and the null test.
//! May touch: sounds, for reading, engines through `batches`, and rows of `store`. Writes nothing.

pub mod duplicates;
pub mod null_test;
pub mod pictures;
pub mod recordings;
pub mod words;
