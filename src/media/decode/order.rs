//! What is to be decoded, and how.

use crate::base::Progress;
use crate::media::look::FileHead;
use crate::media::options::OpenOptions;
use crate::media::raw::Raw;
use crate::media::repaired::Repaired;
use std::path::Path;

/// How a file is decoded.
#[derive(Clone, Copy)]
pub(in crate::media) struct DecodeOrder<'a> {
    pub(in crate::media) head: FileHead,
    /// Length of the file.
    pub(in crate::media) n_bytes: u64,
    /// What it is called where its codec says too little.
    pub(in crate::media) name: Option<&'a str>,
    /// What is decoded instead of the file as it is.
    pub(in crate::media) repaired: Option<&'a Repaired>,
    pub(in crate::media) path: &'a Path,
    pub(in crate::media) options: &'a OpenOptions,
    /// Told once of a sound that goes to disk, as soon as some of it is there.
    pub(in crate::media) publish: &'a dyn Fn(Raw),
    pub(in crate::media) progress: &'a Progress,
}
