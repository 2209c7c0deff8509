//! Size limits of pictures.

use crate::base::{Error, ErrorKind, Result};

/// Maximum width and height of a picture in pixels.
pub const MAX_PICTURE_SIDE: usize = 16_384;

/// Maximum size of a decoded picture in bytes.
pub(super) const MAX_DECODED_BYTES: u64 = 512 << 20;

/// Maximum size of a picture file in bytes.
pub const MAX_PICTURE_FILE_BYTES: u64 = 256 << 20;

/// Refuses pictures that are too large.
pub(super) fn check_size([width, height]: [usize; 2], n_bytes: u64) -> Result<()> {
    let too_large = |limit: String| {
        let what = format!("is a picture of {width} x {height} pixels, over the limit of {limit}");
        Err(Error::new(ErrorKind::Limit, what))
    };
    if width == 0 || height == 0 {
        return Err(Error::new(ErrorKind::Malformed, "is a picture without pixels"));
    }
    if width.max(height) > MAX_PICTURE_SIDE {
        return too_large(format!("{MAX_PICTURE_SIDE} a side"));
    }
    if n_bytes > MAX_DECODED_BYTES {
        return too_large(format!("{} MB decoded", MAX_DECODED_BYTES >> 20));
    }
    Ok(())
}
