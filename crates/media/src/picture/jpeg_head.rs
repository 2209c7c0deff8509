//! Number of colour components of a JPEG, since the decoder converts CMYK without notice.

/// Number of components in the first frame header; `None` if there is none.
pub(super) fn jpeg_components(bytes: &[u8]) -> Option<u8> {
    let mut at = 2;
    loop {
        // Any number of fill bytes may precede a marker.
        while *bytes.get(at)? == 0xff {
            at += 1;
        }
        let marker = *bytes.get(at)?;
        let length = usize::from(u16::from_be_bytes([*bytes.get(at + 1)?, *bytes.get(at + 2)?]));
        match marker {
            // Frame headers; C4, C8 and CC are other segments.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => return bytes.get(at + 8).copied(),
            // Start of the picture's data, or end of the picture.
            0xd9 | 0xda => return None,
            _ => at += 1 + length.max(2),
        }
        if *bytes.get(at)? != 0xff {
            return None;
        }
    }
}
