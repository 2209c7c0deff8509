//! Pictures from other programs, pixel by pixel.

use dsp::strokes::picture::{Bitmap, BitmapSamples};
use sonobrush_media::picture::PictureTaken;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::formulas::{grey, mix};
use support::odd_pictures::exr;

fn folder() -> PathBuf {
    support::root().join("tests/reference/pictures")
}

fn taken(path: &Path) -> Arc<Bitmap> {
    let PictureTaken { picture, notice } = PictureTaken::from_file(path).unwrap();
    let bitmap = picture.bitmap().unwrap();
    assert_eq!((picture.size(), notice), (bitmap.size(), None), "{}", path.display());
    bitmap
}

/// PNG of every kind, with palettes and with alpha, and JPEG: an edit contains exactly the decoder's pixels.
#[test]
fn pictures_of_every_kind_are_read() {
    let mut n_read = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let (bitmap, decoded) = (taken(&path), image::open(&path).unwrap());
        let size = [decoded.width(), decoded.height()].map(|side| side as usize);
        let n_channels = usize::from(decoded.color().channel_count());
        assert_eq!((bitmap.size(), bitmap.n_channels()), (size, n_channels), "{}", path.display());
        let bytes: &[u8] = match bitmap.samples() {
            BitmapSamples::Eight(samples) => samples,
            BitmapSamples::Sixteen(samples) => bytemuck::cast_slice(samples),
            BitmapSamples::Float(samples) => bytemuck::cast_slice(samples),
        };
        assert!(bytes == decoded.as_bytes(), "{}", path.display());
        n_read += 1;
    }
    assert!(n_read > 20, "{n_read}");
}

/// Interleaves planes.
fn woven(planes: &[Vec<u8>]) -> Vec<u8> {
    (0..planes[0].len()).flat_map(|at| planes.iter().map(move |plane| plane[at])).collect()
}

#[test]
fn png_pixels_are_those_of_their_formulas() {
    let size = [45, 34];
    let rgb = |index: u32, size: [u32; 2]| [0, 1, 2].map(|channel| grey(index, size, channel));
    let with_alpha = |planes: &[Vec<u8>]| woven(&[planes, &[grey(8, size, 5)]].concat());
    let nibbles = grey(39, [46, 34], 0).into_iter().map(|value| (value >> 4) * 17).collect();
    let eight: [(&str, [u32; 2], usize, Vec<u8>); 7] = [
        ("grey.png", size, 1, grey(7, size, 0)),
        ("grey_alpha.png", size, 2, with_alpha(&[grey(15, size, 0)])),
        ("rgb.png", size, 3, woven(&rgb(23, size))),
        ("rgb_alpha.png", size, 4, with_alpha(&rgb(12, size))),
        ("grey_4bit.png", [46, 34], 1, nibbles),
        ("tall.png", [8, 300], 1, grey(55, [8, 300], 0)),
        ("flat.png", [300, 9], 3, woven(&rgb(4, [300, 9]))),
    ];
    for (name, size, n_channels, samples) in eight {
        let expected = Bitmap::new(size.map(|side| side as usize), n_channels, BitmapSamples::Eight(samples));
        assert!(*taken(&folder().join(name)) == expected.unwrap(), "{name}");
    }
    let [high, low] = [47, 21].map(|index| woven(&rgb(index, size)));
    let deep = |low: &[u8]| {
        let words: Vec<u16> = high.iter().zip(low).map(|(high, low)| u16::from_be_bytes([*high, *low])).collect();
        Bitmap::new([45, 34], 3, BitmapSamples::Sixteen(words)).unwrap()
    };
    let found = taken(&folder().join("rgb_16bit.png"));
    assert!(*found == deep(&low));
    // The control: the last bit of one sample counts.
    let other: Vec<u8> = low.iter().enumerate().map(|(at, value)| value ^ u8::from(at == 2_000)).collect();
    assert!(*found != deep(&other));
}

/// The value used as a full turn in the formula of `smooth_*.jpg`.
const TURN: f64 = 628.0 / 100.0;

/// Size and pixels of a `smooth_*.jpg` before it was compressed, in whole numbers to 255.
fn smooth(index: u32) -> ([usize; 2], Vec<[f64; 3]>) {
    let [width, height] = [[64, 48], [33, 57], [80, 80], [50, 31]][index as usize % 4];
    let turns: Vec<f64> = (0..12).map(|k| f64::from(mix(1000 + index * 16 + k) % 1000) / 1000.0).collect();
    let pixel = |at: usize| {
        let (x, y) = ((at % width) as f64 / width as f64, (at / width) as f64 / height as f64);
        [0, 1, 2].map(|c| {
            let across = (TURN * (turns[c] + x * (1.0 + 2.0 * turns[c + 3]))).sin();
            let down = (TURN * (turns[c + 6] + y * (1.0 + 2.0 * turns[c + 9]))).cos();
            (128.0 + 60.0 * across + 60.0 * down).clamp(0.0, 255.0).floor()
        })
    };
    ([width, height], (0..width * height).map(pixel).collect())
}

fn rms_apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    (a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.len() as f64).sqrt()
}

/// JPEG pixels match the originals as closely as qualities of 60 to 90 allow: 0.6 to 1.7 of 255 in brightness; colours
/// have half the resolution and lose up to 7.
#[test]
fn jpeg_pixels_are_near_those_that_were_compressed() {
    for index in 0..20 {
        let (size, before) = smooth(index);
        let bitmap = taken(&folder().join(format!("smooth_{index:02}.jpg")));
        let is_grey = index % 5 == 4;
        assert_eq!((bitmap.size(), bitmap.n_channels()), (size, if is_grey { 1 } else { 3 }), "{index}");
        let colour = |at: usize| bitmap.colour(at % size[0], at / size[0]).map(|value| 255.0 * value);
        let after: Vec<[f64; 3]> = (0..before.len()).map(colour).collect();
        let brightness = |pixels: &[[f64; 3]]| -> Vec<f64> {
            pixels.iter().map(|[red, green, blue]| 0.299 * red + 0.587 * green + 0.114 * blue).collect()
        };
        let (was, is) = (brightness(&before), brightness(&after));
        assert!(rms_apart(&was, &is) < 2.0, "{index}: {}", rms_apart(&was, &is));
        // The control: two columns off.
        assert!(rms_apart(&was[2..], &is[..is.len() - 2]) > 2.0, "{index}");
        if !is_grey {
            let lost = |of: &[[f64; 3]]| rms_apart(before.as_flattened(), of.as_flattened());
            assert!(lost(&after) < 9.0, "{index}: {}", lost(&after));
            // Control: red and blue swapped.
            let swapped: Vec<[f64; 3]> = after.iter().map(|[red, green, blue]| [*blue, *green, *red]).collect();
            assert!(lost(&swapped) > 9.0, "{index}");
        }
    }
}

/// An edit stores OpenEXR values with 16 bits, clamped to 0 to 1; NaN becomes 0.
#[test]
fn exr_pixels_are_their_numbers() {
    let size = [9, 5];
    let word = |channel: usize, x: usize, y: usize| ((channel * 9_973 + x * 4_001 + y * 7_919) % 65_536) as u16;
    let value = |channel: usize, x: usize, y: usize| match (x, y) {
        (0, 0) => f32::NAN,
        (1, 0) => -0.5,
        (2, 0) => 1.5,
        _ => f32::from(word(channel, x, y)) / 65_535.0,
    };
    // 16-bit floats and 32-bit ones.
    for kind in [1, 2] {
        for channels in [&["B", "G", "R"][..], &["A", "B", "G", "R"]] {
            let taken = PictureTaken::from_bytes(exr(size, kind, channels, value)).unwrap();
            let bitmap = taken.picture.bitmap().unwrap();
            assert_eq!((bitmap.size(), bitmap.n_channels(), taken.notice), (size, channels.len(), None));
            let BitmapSamples::Sixteen(found) = bitmap.samples() else { panic!("{:?}", bitmap.samples()) };
            for (at, found) in found.iter().enumerate() {
                let (pixel, k) = (at / channels.len(), at % channels.len());
                let (x, y) = (pixel % size[0], pixel / size[0]);
                // The file stores channels in alphabetical order.
                let channel = channels.iter().position(|name| *name == ["R", "G", "B", "A"][k]).unwrap();
                let expected = match (x, y) {
                    (0 | 1, 0) => 0,
                    (2, 0) => 65_535,
                    _ => word(channel, x, y),
                };
                // A 16-bit float has 11 significant bits.
                let max_off = if kind == 1 { i32::from(expected) / 2_048 + 1 } else { 0 };
                let off = i32::from(*found) - i32::from(expected);
                assert!(off.abs() <= max_off, "{kind}, {channels:?}, {x}, {y}: {found} for {expected}");
            }
        }
    }
}
