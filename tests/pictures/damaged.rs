//! Pictures that are none, or are damaged, or would not fit: one sentence each, and little memory.

use super::is_long;
use super::shapes::{five_kinds, png};
#[cfg(target_os = "linux")]
use crate::support::program::most_megabytes_of;
use crate::support::random::Random;
use image::ExtendedColorType;
use image::{ImageEncoder, codecs::jpeg::JpegEncoder, codecs::openexr::OpenExrEncoder};
use sonobrush::media::picture::{PictureTaken, read_exr_planes, read_grey16};
use std::time::{Duration, Instant};

/// No damage keeps a decoder busy for longer, on a machine that does something else.
const PATIENCE: Duration = Duration::from_secs(20);

/// A PNG chunk with its checksum.
pub fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [name.as_slice(), data].concat();
    let mut crc = !0u32;
    for byte in &body {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    [(data.len() as u32).to_be_bytes().as_slice(), &body, &(!crc).to_be_bytes()].concat()
}

/// A PNG whose head promises a size, with a little data.
pub fn bomb(width: u32, height: u32) -> Vec<u8> {
    let head = [width.to_be_bytes().as_slice(), &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let data = [0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01];
    let chunks = [chunk(b"IHDR", &head), chunk(b"IDAT", &data), chunk(b"IEND", &[])].concat();
    [b"\x89PNG\r\n\x1a\n".as_slice(), &chunks].concat()
}

/// A whole JPEG of 8 x 8 pixels in CMYK: four components, all of whose coefficients are 0.
pub fn cmyk_jpeg() -> Vec<u8> {
    let segment =
        |marker: u8, data: &[u8]| [&[0xff, marker], ((data.len() + 2) as u16).to_be_bytes().as_slice(), data].concat();
    // One code of one bit for the symbol 0.
    let table = |class: u8| [[class].as_slice(), &[1], &[0; 15], &[0]].concat();
    let parts = [
        vec![0xff, 0xd8],
        segment(0xee, b"Adobe\0\x64\0\0\0\0\0"),
        segment(0xdb, &[[0].as_slice(), &[1; 64]].concat()),
        segment(0xc0, &[8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]),
        segment(0xc4, &table(0x00)),
        segment(0xc4, &table(0x10)),
        segment(0xda, &[4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0]),
        vec![0x00, 0xff, 0xd9],
    ];
    parts.concat()
}

/// An OpenEXR file of one channel list, without compression: `kind` 1 for 16-bit floats, 2 for 32-bit ones.
pub fn exr(size: [usize; 2], kind: u32, channels: &[&str], value: impl Fn(usize, usize, usize) -> f32) -> Vec<u8> {
    let text = |text: &str| [text.as_bytes(), &[0]].concat();
    let attribute = |name: &str, of: &str, data: &[u8]| {
        [text(name), text(of), (data.len() as u32).to_le_bytes().to_vec(), data.to_vec()].concat()
    };
    let mut list = Vec::new();
    for name in channels {
        list.extend([text(name), kind.to_le_bytes().to_vec(), vec![0; 4], [1u32.to_le_bytes(); 2].concat()].concat());
    }
    list.push(0);
    let window = [0, 0, size[0] as i32 - 1, size[1] as i32 - 1].map(i32::to_le_bytes).concat();
    let mut file = [
        vec![0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0],
        attribute("channels", "chlist", &list),
        attribute("compression", "compression", &[0]),
        attribute("dataWindow", "box2i", &window),
        attribute("displayWindow", "box2i", &window),
        attribute("lineOrder", "lineOrder", &[0]),
        attribute("pixelAspectRatio", "float", &1f32.to_le_bytes()),
        attribute("screenWindowCenter", "v2f", &[0; 8]),
        attribute("screenWindowWidth", "float", &1f32.to_le_bytes()),
        vec![0],
    ]
    .concat();
    let n_bytes = if kind == 1 { 2 } else { 4 };
    let line_bytes = size[0] * channels.len() * n_bytes;
    let first = file.len() + 8 * size[1];
    for y in 0..size[1] {
        file.extend(((first + y * (8 + line_bytes)) as u64).to_le_bytes());
    }
    for y in 0..size[1] {
        file.extend((y as i32).to_le_bytes());
        file.extend((line_bytes as u32).to_le_bytes());
        for channel in 0..channels.len() {
            for x in 0..size[0] {
                let value = value(channel, x, y);
                match kind {
                    1 => file.extend(half::f16::from_f32(value).to_le_bytes()),
                    _ => file.extend(value.to_le_bytes()),
                }
            }
        }
    }
    file
}

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
    // Controls: whole ones.
    PictureTaken::from_bytes(whole).unwrap();
    PictureTaken::from_bytes(exr([2, 2], 2, &["B", "G", "R"], dark)).unwrap();
    PictureTaken::from_bytes(exr([2, 2], 1, &["A", "B", "G", "R"], dark)).unwrap();
}

/// Whole pictures of every kind, small.
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
            // Heads are small and matter most.
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
        // PNG has checksums: mended, so that what is behind them is reached.
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
        assert!(began.elapsed() < PATIENCE, "{:?} for {} bytes", began.elapsed(), bytes.len());
    }
    assert!(n_taken > 20 && n_refused > 20, "{n_taken} taken, {n_refused} refused");
}

/// All of it in a process of its own, whose memory is watched.
#[cfg(target_os = "linux")]
#[test]
fn damaged_pictures_take_little_memory() {
    let megabytes = most_megabytes_of("pictures::damaged::damaged_pictures_are_decoded_or_refused");
    assert!((1..200).contains(&megabytes), "{megabytes} MB");
}

/// The same with right checksums, if it is a PNG whose chunks can still be told apart.
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
