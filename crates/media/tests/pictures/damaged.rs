//! Files that are not pictures, damaged pictures, and pictures over the limits: errors are one sentence, and little
//! memory is used.

use image::ExtendedColorType;
use image::{ImageEncoder, codecs::jpeg::JpegEncoder, codecs::openexr::OpenExrEncoder};
use sonobrush_media::picture::{PictureTaken, read_exr_planes, read_grey16};
use std::time::{Duration, Instant};
use support::is_long;
use support::odd_pictures::{bomb, chunk, cmyk_jpeg, exr};
use support::pictures::{five_kinds, png};
#[cfg(target_os = "linux")]
use support::program::max_megabytes_of;
use support::random::Random;

/// Maximum decoding time for any damaged file, generous for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

fn sentence(bytes: Vec<u8>) -> String {
    let message = PictureTaken::from_bytes(bytes).unwrap_err().message().to_owned();
    assert!(!message.contains('\n') && message.len() < 300, "{message}");
    message
}

#[test]
fn what_is_no_picture_is_one_sentence() {
    let [(_, picture), ..] = five_kinds();
    let whole = picture.png();
    assert!(sentence(whole[..whole.len() / 2].to_vec()).starts_with("is a picture that could not be decoded ("));
    let expected = "is a picture of 60000 x 60000 pixels, over the limit of 16384 a side";
    assert_eq!(sentence(bomb(60_000, 60_000)), expected);
    let expected = "is a picture of 16384 x 16384 pixels, over the limit of 512 MB decoded";
    assert_eq!(sentence(bomb(16_384, 16_384)), expected);
    assert!(sentence(bomb(16_000, 8_000)).starts_with("is a picture that could not be decoded ("));
    assert_eq!(sentence(cmyk_jpeg()), "is a JPEG in CMYK, the colours of print; save it as RGB");
    let none = "is not a picture that can be read; use PNG, JPEG or OpenEXR";
    assert_eq!(sentence(b"This is a text, whatever its name says.\n".to_vec()), none);
    assert_eq!(sentence(Vec::new()), none);
    let dark = |_: usize, _: usize, _: usize| 0.0;
    let expected = "is an OpenEXR picture without the channels R, G and B; save it as RGB";
    assert_eq!(sentence(exr([2, 2], 2, &["Y"], dark)), expected);
    let mut several = exr([2, 2], 2, &["B", "G", "R"], dark);
    several[5] = 0x10;
    let expected = "is an OpenEXR picture of several parts or with deep data; save it as a single flat one";
    assert_eq!(sentence(several), expected);
    // Control: intact pictures are read.
    PictureTaken::from_bytes(whole).unwrap();
    PictureTaken::from_bytes(exr([2, 2], 2, &["B", "G", "R"], dark)).unwrap();
    PictureTaken::from_bytes(exr([2, 2], 1, &["A", "B", "G", "R"], dark)).unwrap();
}

/// Small intact pictures of every format.
fn seeds() -> Vec<Vec<u8>> {
    let [(_, photo), (_, lines), ..] = five_kinds();
    let colours: Vec<u8> = photo.pixels.iter().flat_map(|p| [*p, p / 2, 255 - p]).collect();
    let words: Vec<u16> = lines.pixels.iter().map(|p| u16::from(*p) * 257).collect();
    let (mut jpeg, mut packed) = (Vec::new(), std::io::Cursor::new(Vec::new()));
    JpegEncoder::new_with_quality(&mut jpeg, 60).encode(&colours, 128, 96, ExtendedColorType::Rgb8).unwrap();
    let floats: Vec<f32> = photo.pixels.iter().flat_map(|p| [f32::from(*p) / 255.0, 0.25, 0.0]).collect();
    OpenExrEncoder::new(&mut packed)
        .write_image(bytemuck::cast_slice(&floats), 128, 96, ExtendedColorType::Rgb32F)
        .unwrap();
    vec![
        photo.png(),
        png(&colours, [128, 96], ExtendedColorType::Rgb8),
        png(bytemuck::cast_slice(&words), [96, 96], ExtendedColorType::L16),
        jpeg,
        packed.into_inner(),
        exr([9, 5], 1, &["B", "G", "R"], |_, x, y| (x * y) as f32 / 40.0),
        exr([9, 5], 2, &["A", "B", "G", "R"], |_, x, y| (x * y) as f32 / 40.0),
    ]
}

#[test]
fn damaged_pictures_are_decoded_or_refused() {
    let seeds = seeds();
    for seed in &seeds {
        PictureTaken::from_bytes(seed.clone()).unwrap();
    }
    let mut random = Random::new(14);
    let (mut n_taken, mut n_refused) = (0, 0);
    for _ in 0..if is_long() { 2_000 } else { 250 } {
        let mut bytes = random.pick(&seeds);
        for _ in 0..1 + random.below(4) {
            // Half of the changes are within the first 400 bytes: headers are small, and matter most.
            let at = if random.once_in(2) { random.below(bytes.len().min(400)) } else { random.below(bytes.len()) };
            match random.below(5) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                2 if random.once_in(4) => bytes.truncate(at.max(8)),
                3 => bytes[at] = random.pick(&[0, 0xff, 0x7f, 0x80]),
                _ => {
                    let end = (at + random.below(64)).min(bytes.len());
                    let moved = bytes[at..end].to_vec();
                    bytes.splice(at..at, moved);
                }
            }
        }
        // Corrects PNG checksums, so that the damage is decoded rather than rejected by them.
        let began = Instant::now();
        let taken = PictureTaken::from_bytes(mended(&bytes));
        match taken.map(|taken| taken.picture.bitmap()) {
            Ok(Ok(_)) => n_taken += 1,
            Ok(Err(error)) => panic!("taken and not decoded: {error}"),
            Err(error) => {
                let message = error.message();
                assert!(!message.contains('\n') && !message.is_empty() && message.len() < 400, "{message}");
                n_refused += 1;
            }
        }
        read_exr_planes(&bytes).ok();
        read_grey16(&bytes).ok();
        assert!(began.elapsed() < TIMEOUT, "{:?} for {} bytes", began.elapsed(), bytes.len());
    }
    assert!(n_taken > 20 && n_refused > 20, "{n_taken} taken, {n_refused} refused");
}

/// Runs the test above in a separate process, and measures its peak memory.
#[cfg(target_os = "linux")]
#[test]
fn damaged_pictures_take_little_memory() {
    let megabytes = max_megabytes_of("pictures::damaged::damaged_pictures_are_decoded_or_refused");
    assert!((1..200).contains(&megabytes), "{megabytes} MB");
}

/// The same with checksums corrected, if it is a PNG whose chunks can still be separated.
fn mended(bytes: &[u8]) -> Vec<u8> {
    const HEAD: &[u8] = b"\x89PNG\r\n\x1a\n";
    if !bytes.starts_with(HEAD) {
        return bytes.to_vec();
    }
    let (mut out, mut rest) = (HEAD.to_vec(), &bytes[8..]);
    while let [a, b, c, d, name @ ..] = rest {
        let n = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let Some(data) = name.get(4..).and_then(|after| after.get(..n)) else { break };
        out.extend(chunk(&[name[0], name[1], name[2], name[3]], data));
        rest = name.get(4 + n + 4..).unwrap_or_default();
    }
    [out, rest.to_vec()].concat()
}
