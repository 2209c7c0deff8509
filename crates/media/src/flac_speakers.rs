//! Which speakers the channels of a FLAC file are for, where a comment says so.

use flac_codec::metadata::{BlockList, VorbisComment};
use std::path::Path;

/// Where the speakers are stated, in hexadecimal.
pub(super) const MASK_FIELD: &str = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK";

/// Which speakers a FLAC file says that its channels are for, where it says so of all of them.
pub(super) fn stated_mask(path: &Path, n_channels: usize) -> Option<u32> {
    let blocks = BlockList::open(path).ok()?;
    let stated = blocks.get::<VorbisComment>()?.get(MASK_FIELD)?.trim().to_ascii_lowercase();
    let mask = match stated.strip_prefix("0x") {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => stated.parse(),
    };
    mask.ok().filter(|mask| mask.count_ones() as usize == n_channels)
}
