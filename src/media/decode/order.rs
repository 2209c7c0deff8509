//! A request to decode a file.

use crate::media::look::FileHead;
use crate::media::options::Opening;
use crate::media::raw::Raw;
use crate::media::repaired::Repaired;

/// How a file is decoded.
#[derive(Clone, Copy)]
pub(in crate::media) struct DecodeOrder<'a> {
    pub(in crate::media) head: FileHead,
    /// What it is called where its codec says too little.
    pub(in crate::media) name: Option<&'a str>,
    /// What is decoded instead of the file as it is.
    pub(in crate::media) repaired: Option<&'a Repaired>,
    pub(in crate::media) opening: Opening<'a>,
    /// Told once of a sound that goes to disk, as soon as some of it is there.
    pub(in crate::media) publish: &'a dyn Fn(Raw),
}
