//! Pictures embedded in edits: the bytes of a PNG file, decoded on demand.

use super::bitmaps::{bitmap_from, png_from, scaled_down};
use super::decode::{PictureKind, decoded, png_size};
use super::limits::{MAX_PICTURE_FILE_BYTES, check_size};
use crate::base::{Error, ErrorKind, Result, lock, read_small_file};
use crate::dsp::strokes::picture::{Bitmap, BitmapSamples};
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};

/// Maximum size in bytes of a picture as PNG; larger ones are scaled down before they are embedded in an edit.
const MAX_EMBEDDED_BYTES: usize = 16 << 20;

/// A picture in an edit: a PNG file of at most 16 MiB.
pub struct EmbeddedPicture {
    png: Vec<u8>,
    size: [usize; 2],
    /// The decoded pixels; freed when no caller holds them any more.
    decoded: Mutex<Weak<Bitmap>>,
}

/// A picture from a file or another program, and a notice for the user.
#[derive(Debug)]
pub struct PictureTaken {
    /// The picture.
    pub picture: EmbeddedPicture,
    /// A notice, if it was scaled down.
    pub notice: Option<String>,
}

impl std::fmt::Debug for EmbeddedPicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [width, height] = self.size;
        write!(f, "EmbeddedPicture({width} x {height}, {} bytes)", self.png.len())
    }
}

impl PartialEq for EmbeddedPicture {
    fn eq(&self, other: &EmbeddedPicture) -> bool {
        self.png == other.png
    }
}

impl EmbeddedPicture {
    /// A picture from the bytes of a PNG file, of which only the header is checked.
    ///
    /// # Errors
    /// If it is not a PNG file, has a damaged header, or is too large.
    pub fn from_png(png: Vec<u8>) -> Result<EmbeddedPicture> {
        if png.len() > MAX_EMBEDDED_BYTES {
            let what = format!("is a picture of {} MB, over the limit of 16 MB for edits", png.len() >> 20);
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let size = png_size(&png)?;
        Ok(EmbeddedPicture { png, size, decoded: Mutex::default() })
    }

    /// The bytes of its PNG file.
    pub fn png(&self) -> &[u8] {
        &self.png
    }

    /// Width and height.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// The pixels, decoded unless another caller already holds them.
    ///
    /// # Errors
    /// If the picture is damaged.
    pub fn bitmap(&self) -> Result<Arc<Bitmap>> {
        let mut held = lock(&self.decoded);
        if let Some(bitmap) = held.upgrade() {
            return Ok(bitmap);
        }
        let bitmap = Arc::new(bitmap_of(&self.png)?.1);
        *held = Arc::downgrade(&bitmap);
        Ok(bitmap)
    }
}

impl PictureTaken {
    /// Reads a PNG, JPEG or OpenEXR file.
    ///
    /// # Errors
    /// If it cannot be read or decoded.
    pub fn from_file(path: &Path) -> Result<PictureTaken> {
        let bytes = read_small_file(path, MAX_PICTURE_FILE_BYTES)?;
        PictureTaken::from_bytes(bytes).map_err(|error| error.at(path))
    }

    /// Reads the bytes of a PNG, JPEG or OpenEXR file. The picture is scaled down until its PNG file has at most
    /// 16 MiB.
    ///
    /// # Errors
    /// If it cannot be decoded.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<PictureTaken> {
        let (kind, bitmap) = bitmap_of(&bytes)?;
        let png = match kind {
            PictureKind::Png if bytes.len() <= MAX_EMBEDDED_BYTES => bytes,
            _ => png_from(&bitmap)?,
        };
        PictureTaken::small_enough(png, &bitmap)
    }

    /// Converts pixels that do not come from a file, such as those of a clipboard. The picture is scaled down until its
    /// PNG file has at most 16 MiB.
    ///
    /// # Errors
    /// If it is too large or cannot be encoded.
    pub fn from_bitmap(bitmap: &Bitmap) -> Result<PictureTaken> {
        let size = bitmap.size();
        let bytes_per_sample = match bitmap.samples() {
            BitmapSamples::Eight(_) => 1,
            BitmapSamples::Sixteen(_) => 2,
            BitmapSamples::Float(_) => 4,
        };
        check_size(size, (size[0] * size[1] * bitmap.n_channels() * bytes_per_sample) as u64)?;
        PictureTaken::small_enough(png_from(bitmap)?, bitmap)
    }

    /// Scales a picture down until its PNG file is small enough for an edit.
    fn small_enough(mut png: Vec<u8>, bitmap: &Bitmap) -> Result<PictureTaken> {
        let whole = bitmap.size();
        let mut size = whole;
        while png.len() > MAX_EMBEDDED_BYTES {
            let factor = 0.95 * (MAX_EMBEDDED_BYTES as f64 / png.len() as f64).sqrt();
            size = size.map(|side| ((side as f64 * factor) as usize).max(1));
            let small = scaled_down(bitmap, size).ok_or_else(unknown_pixels)?;
            png = png_from(&small)?;
        }
        let notice = (size != whole).then(|| {
            let ([width, height], [from_width, from_height]) = (size, whole);
            format!(
                "the picture was scaled down from {from_width} x {from_height} to {width} x {height} pixels, since it \
                 must not take more than 16 MB in an edit"
            )
        });
        Ok(PictureTaken { picture: EmbeddedPicture::from_png(png)?, notice })
    }
}

/// Decodes a picture file; also returns its format.
fn bitmap_of(bytes: &[u8]) -> Result<(PictureKind, Bitmap)> {
    let (kind, picture) = decoded(bytes)?;
    Ok((kind, bitmap_from(picture).ok_or_else(unknown_pixels)?))
}

fn unknown_pixels() -> Error {
    Error::new(ErrorKind::Unsupported, "is a picture with pixels of an unsupported kind")
}
