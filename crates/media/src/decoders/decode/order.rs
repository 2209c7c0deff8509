//! A request to decode a file.

use crate::media::decoders::repaired::Repaired;
use crate::media::formats::raw::Raw;
use crate::media::probe::look::FileHead;
use crate::media::probe::options::Opening;

/// Inputs and options of decoding.
#[derive(Clone, Copy)]
pub(crate) struct DecodeOrder<'a> {
    pub(crate) head: FileHead,
    /// Name of the format for display; `None` to use that of the codec.
    pub(crate) name: Option<&'a str>,
    /// Repaired data to decode instead of the file, if any.
    pub(crate) repaired: Option<&'a Repaired>,
    pub(crate) opening: Opening<'a>,
    /// Called once for a sound on disk, as soon as some of it is available.
    pub(crate) publish: &'a dyn Fn(Raw),
}
