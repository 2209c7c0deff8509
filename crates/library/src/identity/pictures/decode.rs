//! Decodes PNG and JPEG files to grey pictures, as Pillow's `convert("L")` does.

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::comparison::hashes::{GreyPicture, luma_from_rgb};
use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::{ColorType, ImageDecoder, ImageError, Limits};
use std::io::Cursor;

/// Maximum memory of decoded pixels: 16,384 x 16,384 in grey, fewer in colour.
const MAX_PIXEL_BYTES: u64 = 256 << 20;

/// Format of a picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PictureFormat {
    Png,
    Jpeg,
}

impl PictureFormat {
    /// Bytes at the start of a file that identify its format.
    pub(super) const HEAD_BYTES: usize = 8;

    /// The format by the first bytes of a file.
    pub(super) fn of_head(head: &[u8]) -> Option<PictureFormat> {
        match head {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(PictureFormat::Png),
            [0xff, 0xd8, 0xff, ..] => Some(PictureFormat::Jpeg),
            _ => None,
        }
    }
}

/// Decodes files in order, reusing memory.
#[derive(Default)]
pub(super) struct PictureReader {
    decoded: Vec<u8>,
    grey: Vec<u8>,
}

impl PictureReader {
    /// Decodes the first frame of a file to grey, without alpha, and without applying its EXIF orientation.
    ///
    /// # Errors
    /// If the file is damaged or too large.
    pub(super) fn read(&mut self, bytes: &[u8], format: PictureFormat) -> Result<GreyPicture> {
        match format {
            PictureFormat::Png => self.decode(PngDecoder::new(Cursor::new(bytes)).map_err(|error| failed(&error))?),
            PictureFormat::Jpeg => self.decode(JpegDecoder::new(Cursor::new(bytes)).map_err(|error| failed(&error))?),
        }
    }

    /// Returns a picture's memory for the next one.
    pub(super) fn recycle(&mut self, picture: GreyPicture) {
        self.grey = picture.into_pixels();
    }

    fn decode(&mut self, mut decoder: impl ImageDecoder) -> Result<GreyPicture> {
        let (width, height) = decoder.dimensions();
        let n_bytes = decoder.total_bytes();
        if n_bytes > MAX_PIXEL_BYTES {
            let sentence = format!("is a picture of {width} x {height} pixels, which is too large to hash");
            return Err(Error::new(ErrorKind::Limit, sentence));
        }
        let mut limits = Limits::default();
        limits.max_alloc = Some(2 * MAX_PIXEL_BYTES);
        decoder.set_limits(limits).map_err(|error| failed(&error))?;
        let colours = decoder.color_type();
        self.decoded.clear();
        self.decoded.resize(n_bytes as usize, 0);
        decoder.read_image(&mut self.decoded).map_err(|error| failed(&error))?;
        let mut grey = std::mem::take(&mut self.grey);
        grey.clear();
        grey_from_pixels(&self.decoded, colours, &mut grey)?;
        GreyPicture::new(width as usize, height as usize, grey)
            .ok_or_else(|| Error::new(ErrorKind::Malformed, "is a picture without pixels"))
    }
}

/// Appends the grey value of each pixel; for 16-bit values the upper 8 bits.
fn grey_from_pixels(pixels: &[u8], colours: ColorType, grey: &mut Vec<u8>) -> Result<()> {
    // Decoders return 16-bit values in native byte order.
    let upper = if cfg!(target_endian = "little") { 1 } else { 0 };
    match colours {
        ColorType::L8 => grey.extend_from_slice(pixels),
        ColorType::La8 => grey.extend(pixels.iter().step_by(2)),
        ColorType::L16 => grey.extend(pixels.iter().skip(upper).step_by(2)),
        ColorType::La16 => grey.extend(pixels.iter().skip(upper).step_by(4)),
        ColorType::Rgb8 => grey.extend(pixels.chunks_exact(3).map(|p| luma_from_rgb([p[0], p[1], p[2]]))),
        ColorType::Rgba8 => grey.extend(pixels.chunks_exact(4).map(|p| luma_from_rgb([p[0], p[1], p[2]]))),
        ColorType::Rgb16 | ColorType::Rgba16 => {
            let n_bytes = usize::from(colours.bytes_per_pixel());
            let upper_of = |p: &[u8]| [p[upper], p[2 + upper], p[4 + upper]];
            grey.extend(pixels.chunks_exact(n_bytes).map(|p| luma_from_rgb(upper_of(p))));
        }
        other => {
            let sentence = format!("is a picture with pixels of an unsupported kind ({other:?})");
            return Err(Error::new(ErrorKind::Unsupported, sentence));
        }
    }
    Ok(())
}

fn failed(error: &ImageError) -> Error {
    match error {
        ImageError::Limits(_) => Error::new(ErrorKind::Limit, "is a picture that is too large to hash"),
        error => {
            tracing::debug!(%error, "a picture");
            Error::new(
                ErrorKind::Malformed,
                "is a picture that could not be decoded (it is damaged, or of a kind that is not supported)",
            )
        }
    }
}
