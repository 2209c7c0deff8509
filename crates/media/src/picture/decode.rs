//! Decodes pictures, checking every limit before memory is allocated.

use super::exr_head::ExrHead;
use super::jpeg_head::jpeg_components;
use super::limits::{MAX_DECODED_BYTES, MAX_PICTURE_SIDE, check_size};
use crate::base::{Error, ErrorKind, Result, read_head};
use image::codecs::jpeg::JpegDecoder;
use image::codecs::openexr::OpenExrDecoder;
use image::codecs::png::PngDecoder;
use image::{DynamicImage, ImageDecoder, ImageError, Limits};
use std::io::Cursor;
use std::path::Path;

/// Formats of picture files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PictureKind {
    Png,
    Jpeg,
    Exr,
}

impl PictureKind {
    /// The format by the file's first bytes.
    pub fn of(bytes: &[u8]) -> Option<PictureKind> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(PictureKind::Png),
            [0xff, 0xd8, 0xff, ..] => Some(PictureKind::Jpeg),
            [0x76, 0x2f, 0x31, 0x01, ..] => Some(PictureKind::Exr),
            _ => None,
        }
    }
}

/// A decoder of any supported format.
type Decoder<'a> = Box<dyn ImageDecoder + 'a>;

/// Opens a picture and reads its header.
///
/// # Errors
/// If it is not a picture, or is damaged, unsupported or too large.
fn opened(bytes: &[u8]) -> Result<(PictureKind, Decoder<'_>)> {
    let Some(kind) = PictureKind::of(bytes) else {
        let what = "is not a picture that can be read; use PNG, JPEG or OpenEXR";
        return Err(Error::new(ErrorKind::Malformed, what));
    };
    let cursor = Cursor::new(bytes);
    let mut decoder: Decoder<'_> = match kind {
        PictureKind::Png => Box::new(PngDecoder::new(cursor).map_err(|error| failed(&error))?),
        PictureKind::Jpeg => {
            if jpeg_components(bytes) == Some(4) {
                let what = "is a JPEG in CMYK, the colours of print; save it as RGB";
                return Err(Error::new(ErrorKind::Unsupported, what));
            }
            Box::new(JpegDecoder::new(cursor).map_err(|error| failed(&error))?)
        }
        PictureKind::Exr => {
            ExrHead::read(bytes)?.check()?;
            Box::new(OpenExrDecoder::new(cursor).map_err(|error| failed(&error))?)
        }
    };
    let (width, height) = decoder.dimensions();
    check_size([width, height].map(|side| side as usize), decoder.total_bytes())?;
    decoder.set_limits(limits()).map_err(|error| failed(&error))?;
    Ok((kind, decoder))
}

/// Whether a file begins like a PNG, JPEG or OpenEXR picture. False if it cannot be read.
pub fn is_picture(path: &Path) -> bool {
    const MAGIC: [&[u8]; 3] = [b"\x89PNG", b"\xff\xd8\xff", &[0x76, 0x2f, 0x31, 0x01]];
    read_head(path, 4).is_ok_and(|head| MAGIC.iter().any(|magic| head.starts_with(magic)))
}

/// Width and height of a PNG file in pixels, after its orientation is applied.
///
/// # Errors
/// As [`decoded`], and for formats other than PNG; damage after the header is not detected.
pub(super) fn png_size(bytes: &[u8]) -> Result<[usize; 2]> {
    let (kind, mut decoder) = opened(bytes)?;
    if kind != PictureKind::Png {
        return Err(Error::new(ErrorKind::Malformed, "is not a PNG picture"));
    }
    let (width, height) = decoder.dimensions();
    let orientation = decoder.orientation().map_err(|error| failed(&error))?;
    let is_on_side = {
        use image::metadata::Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
        matches!(orientation, Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH)
    };
    let size = [width, height].map(|side| side as usize);
    Ok(if is_on_side { [size[1], size[0]] } else { size })
}

/// The first picture of a file, with its orientation applied.
///
/// # Errors
/// If it is not a picture, or is damaged, unsupported or too large.
pub(super) fn decoded(bytes: &[u8]) -> Result<(PictureKind, DynamicImage)> {
    let (kind, mut decoder) = opened(bytes)?;
    let orientation = decoder.orientation().map_err(|error| failed(&error))?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|error| failed(&error))?;
    picture.apply_orientation(orientation);
    Ok((kind, picture))
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_PICTURE_SIDE as u32);
    limits.max_image_height = Some(MAX_PICTURE_SIDE as u32);
    // The decoded picture, and 64 MiB for the decoder's own rows.
    limits.max_alloc = Some(MAX_DECODED_BYTES + (64 << 20));
    limits
}

pub(super) fn failed(error: &ImageError) -> Error {
    match error {
        ImageError::Limits(_) => {
            let what = format!(
                "is a picture over the limits of {MAX_PICTURE_SIDE} pixels a side and {} MB decoded",
                MAX_DECODED_BYTES >> 20
            );
            Error::new(ErrorKind::Limit, what)
        }
        // Log the decoder's message instead of showing it: it is about chunks and scan lines, and may quote several
        // lines of the file.
        error => {
            let reason: String = error.to_string().chars().take(200).collect();
            tracing::debug!(?reason, "a picture");
            Error::new(
                ErrorKind::Malformed,
                "is a picture that could not be decoded (it is damaged, or of a kind that is not supported)",
            )
        }
    }
}
