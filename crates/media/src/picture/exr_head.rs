//! The header of an OpenEXR file: values that the decoder does not report, or for which it would allocate memory before
//! they are checked.

use super::limits::check_size;
use crate::base::{Error, ErrorKind, Result};

/// Maximum size of a header in bytes.
const MAX_HEAD_BYTES: usize = 1 << 20;

/// Bits of the version field that mark unsupported files; those for tiles and long names are harmless.
const DEEP: u32 = 0x800;
const MULTIPART: u32 = 0x1000;

/// Pixel type of 16-bit floats in a channel list.
const HALF: u32 = 1;

/// Information in the header.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ExrHead {
    version: u32,
    /// Left, top, right and bottom edge in pixels, all inclusive.
    data_window: [i32; 4],
    display_window: [i32; 4],
    channels: Vec<(String, u32)>,
}

impl ExrHead {
    /// Reads the header of a file that begins with the format's first four bytes.
    ///
    /// # Errors
    /// [`Malformed`](ErrorKind::Malformed), if the header is damaged or longer than [`MAX_HEAD_BYTES`].
    pub fn read(bytes: &[u8]) -> Result<ExrHead> {
        let damaged = || Error::new(ErrorKind::Malformed, "is an OpenEXR picture with a damaged head");
        ExrHead::parsed(&bytes[..bytes.len().min(MAX_HEAD_BYTES)]).ok_or_else(damaged)
    }

    fn parsed(bytes: &[u8]) -> Option<ExrHead> {
        let mut rest = bytes.get(4..)?;
        let mut head = ExrHead { version: word(&mut rest)?, ..ExrHead::default() };
        while rest.first()? != &0 {
            let name = text(&mut rest)?;
            let kind = text(&mut rest)?;
            let length = word(&mut rest)? as usize;
            let mut value = rest.get(..length)?;
            rest = &rest[length..];
            match (name.as_str(), kind.as_str()) {
                ("dataWindow", "box2i") => head.data_window = window(&mut value)?,
                ("displayWindow", "box2i") => head.display_window = window(&mut value)?,
                ("channels", "chlist") => {
                    while value.first()? != &0 {
                        let name = text(&mut value)?;
                        head.channels.push((name, word(&mut value)?));
                        // Skip the linearity flag and the sampling of columns and rows.
                        value = value.get(12..)?;
                    }
                }
                _ => {}
            }
        }
        Some(head)
    }

    /// Refuses files that are too large or of an unsupported kind.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for deep or multipart files, and without the channels R, G and B;
    /// [`Limit`](ErrorKind::Limit) if it is too large; [`Malformed`](ErrorKind::Malformed) without pixels.
    pub fn check(&self) -> Result<()> {
        if self.version & (DEEP | MULTIPART) != 0 {
            let what = "is an OpenEXR picture of several parts or with deep data; save it as a single flat one";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        if !["R", "G", "B"].iter().all(|wanted| self.channels.iter().any(|(name, _)| name == wanted)) {
            let what = "is an OpenEXR picture without the channels R, G and B; save it as RGB";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        for [left, top, right, bottom] in [self.data_window, self.display_window] {
            let side = |from: i32, to: i32| (i64::from(to) - i64::from(from) + 1).max(0) as usize;
            let size = [side(left, right), side(top, bottom)];
            let n_bytes =
                (size[0] as u64).saturating_mul(size[1] as u64).saturating_mul(4 * self.channels.len() as u64);
            check_size(size, n_bytes)?;
        }
        Ok(())
    }

    /// Whether red or green has only 16 bits.
    pub fn is_half(&self) -> bool {
        self.channels.iter().any(|(name, kind)| matches!(name.as_str(), "R" | "G") && *kind == HALF)
    }
}

fn word(rest: &mut &[u8]) -> Option<u32> {
    let (word, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*word))
}

/// A name that is terminated by a zero.
fn text(rest: &mut &[u8]) -> Option<String> {
    let end = rest.iter().take(256).position(|byte| *byte == 0)?;
    let text = String::from_utf8_lossy(&rest[..end]).into_owned();
    *rest = &rest[end + 1..];
    Some(text)
}

fn window(value: &mut &[u8]) -> Option<[i32; 4]> {
    let mut edge = || word(value).map(|word| word as i32);
    Some([edge()?, edge()?, edge()?, edge()?])
}
