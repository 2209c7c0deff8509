//! Cells as pictures, bit for bit: two planes of values in an OpenEXR file, or a single plane in a 16-bit grey PNG
//! file.

use super::bitmaps::bitmap_from;
use super::decode::{PictureKind, decoded};
use super::exr_head::ExrHead;
use crate::base::{Error, ErrorKind, Result, write_atomic};
use crate::dsp::strokes::picture::BitmapSamples;
use image::codecs::openexr::OpenExrEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder, ImageResult};
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

/// Red and green of an OpenEXR picture, with rows from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct CellPlanes {
    /// Width and height.
    pub size: [usize; 2],
    /// Red and green of each pixel.
    pub pixels: Vec<[f32; 2]>,
    /// Whether red or green had only 16 bits in the file.
    pub is_half: bool,
}

/// Writes an OpenEXR file losslessly and atomically: red and green as 32-bit floats, and blue as 0.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn write_exr_planes(path: &Path, size: [usize; 2], pixels: &[[f32; 2]]) -> Result<()> {
    let rgb: Vec<[f32; 3]> = pixels.iter().map(|[red, green]| [*red, *green, 0.0]).collect();
    let cells = bytemuck::cast_slice(&rgb);
    write_picture(path, |out| {
        OpenExrEncoder::new(out).write_image(cells, size[0] as u32, size[1] as u32, ExtendedColorType::Rgb32F)
    })
}

/// Writes a picture with an encoder, atomically.
///
/// # Errors
/// [`Io`](ErrorKind::Io), [`DiskFull`](ErrorKind::DiskFull).
pub fn write_picture(path: &Path, encode: impl FnOnce(&mut PictureFile<'_>) -> ImageResult<()>) -> Result<()> {
    write_atomic(path, |file| {
        let mut out = PictureFile { file, error: None };
        let encoded = encode(&mut out);
        match out.error {
            Some(error) => Err(Error::io(&error, "written", path)),
            None => encoded.map_err(|error| Error::unwritten(&error, path)),
        }
    })
}

/// A file being written that keeps the last I/O error, since encoders pass on only its text.
#[derive(Debug)]
pub struct PictureFile<'a> {
    file: &'a mut BufWriter<File>,
    error: Option<std::io::Error>,
}

impl PictureFile<'_> {
    fn kept<T>(&mut self, done: std::io::Result<T>) -> std::io::Result<T> {
        if let Err(error) = &done
            && error.kind() != std::io::ErrorKind::Interrupted
        {
            let same = |code| std::io::Error::from_raw_os_error(code);
            self.error = Some(error.raw_os_error().map_or_else(|| error.kind().into(), same));
        }
        done
    }
}

impl Write for PictureFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes);
        self.kept(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let flushed = self.file.flush();
        self.kept(flushed)
    }
}

impl Seek for PictureFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let place = self.file.seek(to);
        self.kept(place)
    }
}

/// Reads red and green of an OpenEXR file, written by [`write_exr_planes`] or another program.
///
/// # Errors
/// If it is not an OpenEXR picture, or is damaged or too large.
pub fn read_exr_planes(bytes: &[u8]) -> Result<CellPlanes> {
    if PictureKind::of(bytes) != Some(PictureKind::Exr) {
        return Err(Error::new(ErrorKind::Malformed, "is not an OpenEXR picture"));
    }
    let is_half = ExrHead::read(bytes)?.is_half();
    let (_, picture) = decoded(bytes)?;
    let bitmap = bitmap_from(picture);
    let Some((BitmapSamples::Float(samples), bitmap)) = bitmap.as_ref().map(|bitmap| (bitmap.samples(), bitmap)) else {
        return Err(Error::new(ErrorKind::Unsupported, "is an OpenEXR picture without floats"));
    };
    let pixels = samples.chunks_exact(bitmap.n_channels()).map(|pixel| [pixel[0], pixel[1]]).collect();
    Ok(CellPlanes { size: bitmap.size(), pixels, is_half })
}

/// Writes a 16-bit grey PNG file, atomically.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn write_grey16(path: &Path, size: [usize; 2], pixels: &[u16]) -> Result<()> {
    let grey = bytemuck::cast_slice(pixels);
    write_picture(path, |out| {
        PngEncoder::new(out).write_image(grey, size[0] as u32, size[1] as u32, ExtendedColorType::L16)
    })
}

/// Reads a 16-bit grey PNG file: its size and its pixels, with rows from the top. If the picture was saved with alpha
/// or in colour, only its first channel is used.
///
/// # Errors
/// If it is not a PNG file, is damaged or too large, or has 8 bits per sample.
pub fn read_grey16(bytes: &[u8]) -> Result<([usize; 2], Vec<u16>)> {
    let (kind, picture) = decoded(bytes)?;
    let bitmap = bitmap_from(picture).filter(|_| kind == PictureKind::Png);
    match bitmap.as_ref().map(|bitmap| (bitmap.samples(), bitmap)) {
        Some((BitmapSamples::Sixteen(samples), bitmap)) => {
            let pixels = samples.chunks_exact(bitmap.n_channels()).map(|pixel| pixel[0]).collect();
            Ok((bitmap.size(), pixels))
        }
        _ => {
            Err(Error::new(ErrorKind::Unsupported, "is not a PNG picture of 16 bits; save it with 16 bits per sample"))
        }
    }
}
