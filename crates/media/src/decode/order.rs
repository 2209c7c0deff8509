//! A request to decode a file.

use crate::media::look::FileHead;
use crate::media::options::Opening;
use crate::media::raw::Raw;
use crate::media::repaired::Repaired;

/// How a file is decoded.
#[derive(Clone, Copy)]
pub(crate) struct DecodeOrder<'a> {
    pub(crate) head: FileHead,
    /// What it is called where its codec says too little.
    pub(crate) name: Option<&'a str>,
    /// What is decoded instead of the file as it is.
    pub(crate) repaired: Option<&'a Repaired>,
    pub(crate) opening: Opening<'a>,
    /// Called once for a sound that goes to disk, as soon as some of it is there.
    pub(crate) publish: &'a dyn Fn(Raw),
}
