//! Conversion of pixels from decoders and for the encoder, and downscaling.

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::strokes::picture::{Bitmap, BitmapSamples};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ExtendedColorType, ImageEncoder};
use rayon::prelude::*;

/// The pixels of a decoded picture; `None` for a pixel format that none of our decoders produces.
pub(super) fn bitmap_from(picture: DynamicImage) -> Option<Bitmap> {
    use BitmapSamples::{Eight, Float, Sixteen};
    let size = [picture.width() as usize, picture.height() as usize];
    let (n_channels, samples) = match picture {
        DynamicImage::ImageLuma8(pixels) => (1, Eight(pixels.into_raw())),
        DynamicImage::ImageLumaA8(pixels) => (2, Eight(pixels.into_raw())),
        DynamicImage::ImageRgb8(pixels) => (3, Eight(pixels.into_raw())),
        DynamicImage::ImageRgba8(pixels) => (4, Eight(pixels.into_raw())),
        DynamicImage::ImageLuma16(pixels) => (1, Sixteen(pixels.into_raw())),
        DynamicImage::ImageLumaA16(pixels) => (2, Sixteen(pixels.into_raw())),
        DynamicImage::ImageRgb16(pixels) => (3, Sixteen(pixels.into_raw())),
        DynamicImage::ImageRgba16(pixels) => (4, Sixteen(pixels.into_raw())),
        DynamicImage::ImageRgb32F(pixels) => (3, Float(pixels.into_raw())),
        DynamicImage::ImageRgba32F(pixels) => (4, Float(pixels.into_raw())),
        _ => return None,
    };
    Bitmap::new(size, n_channels, samples)
}

/// Encodes a picture as PNG; floats become 16-bit integers, clamped to 0 to 1, since PNG has no floats.
///
/// # Errors
/// None in practice, since the picture is complete.
pub(super) fn png_from(bitmap: &Bitmap) -> Result<Vec<u8>> {
    let (eight, sixteen) = match bitmap.n_channels() {
        1 => (ExtendedColorType::L8, ExtendedColorType::L16),
        2 => (ExtendedColorType::La8, ExtendedColorType::La16),
        3 => (ExtendedColorType::Rgb8, ExtendedColorType::Rgb16),
        _ => (ExtendedColorType::Rgba8, ExtendedColorType::Rgba16),
    };
    let words: Vec<u16>;
    let (bytes, colours): (&[u8], ExtendedColorType) = match bitmap.samples() {
        BitmapSamples::Eight(samples) => (samples, eight),
        BitmapSamples::Sixteen(samples) => (bytemuck::cast_slice(samples), sixteen),
        BitmapSamples::Float(samples) => {
            // NaN becomes black.
            let word = |x: &f32| if *x > 0.0 { (x.min(1.0) * 65_535.0).round() as u16 } else { 0 };
            words = samples.iter().map(word).collect();
            (bytemuck::cast_slice(&words), sixteen)
        }
    };
    let [width, height] = bitmap.size().map(|side| side as u32);
    let mut png = Vec::new();
    PngEncoder::new_with_quality(&mut png, CompressionType::Default, FilterType::Adaptive)
        .write_image(bytes, width, height, colours)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("the picture could not be encoded: {error}")))?;
    Ok(png)
}

/// Scales a picture down: each new pixel is the mean of those it covers, with colours weighted by alpha. Floats become
/// 16-bit integers. `None` if the new size is invalid.
pub(super) fn scaled_down(bitmap: &Bitmap, size: [usize; 2]) -> Option<Bitmap> {
    let n_channels = bitmap.n_channels();
    let max = if matches!(bitmap.samples(), BitmapSamples::Eight(_)) { 255.0 } else { 65_535.0 };
    let covered = |index: usize, side: usize| {
        let (from, to) = (bitmap.size()[side], size[side]);
        let start = index * from / to;
        start..((index + 1) * from / to).max(start + 1)
    };
    let mut samples = vec![0u16; size[0] * size[1] * n_channels];
    samples.par_chunks_mut(size[0] * n_channels).enumerate().for_each(|(y, row)| {
        for (x, out) in row.chunks_exact_mut(n_channels).enumerate() {
            let (mut colour, mut alpha, mut n) = ([0.0; 3], 0.0, 0.0);
            for y in covered(y, 1) {
                for x in covered(x, 0) {
                    let a = bitmap.alpha(x, y);
                    colour.iter_mut().zip(bitmap.colour(x, y)).for_each(|(sum, value)| *sum += value * a);
                    (alpha, n) = (alpha + a, n + 1.0);
                }
            }
            let colour = colour.map(|sum| if alpha > 0.0 { sum / alpha } else { 0.0 });
            let values = [colour[0], colour[1], colour[2], alpha / n];
            let n_colours = if n_channels < 3 { 1 } else { 3 };
            for (index, out) in out.iter_mut().enumerate() {
                let value = if index < n_colours { values[index] } else { values[3] };
                *out = (value * max).round() as u16;
            }
        }
    });
    let samples = match bitmap.samples() {
        BitmapSamples::Eight(_) => BitmapSamples::Eight(samples.into_iter().map(|value| value as u8).collect()),
        _ => BitmapSamples::Sixteen(samples),
    };
    Bitmap::new(size, n_channels, samples)
}
