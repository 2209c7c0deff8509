//! Speakers of the channels of a FLAC file, if stated in a comment.

use flac_codec::metadata::{BlockList, VorbisComment};
use std::path::Path;

/// Name of the field with the speaker mask, in hexadecimal.
pub(crate) const MASK_FIELD: &str = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK";

/// The stated speaker mask of a FLAC file; `None` unless it has one speaker per channel.
pub(crate) fn stated_mask(path: &Path, n_channels: usize) -> Option<u32> {
    let blocks = BlockList::open(path).ok()?;
    let stated = blocks.get::<VorbisComment>()?.get(MASK_FIELD)?.trim().to_ascii_lowercase();
    let mask = match stated.strip_prefix("0x") {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => stated.parse(),
    };
    mask.ok().filter(|mask| mask.count_ones() as usize == n_channels)
}
