//! Pictures made by rule: of each of five kinds, with edges, lines, greys and slopes.

use crate::signals::Rng;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

/// A grey picture of 8 bits, rows from the top.
#[derive(Debug, Clone)]
pub struct Grey {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<u8>,
}

impl Grey {
    /// A picture from a function of x and y, each 0 to 1 from the top left, that returns 0 to 1.
    pub fn of(width: usize, height: usize, value: impl Fn(f64, f64) -> f64) -> Grey {
        let place = |i: usize, n: usize| (i as f64 + 0.5) / n as f64;
        let pixel = |i: usize| {
            let value = value(place(i % width, width), place(i / width, height));
            (value.clamp(0.0, 1.0) * 255.0).round() as u8
        };
        Grey { width, height, pixels: (0..width * height).map(pixel).collect() }
    }

    /// 0 to 1.
    pub fn at(&self, x: usize, y: usize) -> f64 {
        f64::from(self.pixels[y * self.width + x]) / 255.0
    }

    /// Upside down.
    pub fn turned_over(&self) -> Grey {
        let rows: Vec<u8> = self.pixels.chunks(self.width).rev().flatten().copied().collect();
        Grey { pixels: rows, ..*self }
    }

    pub fn png(&self) -> Vec<u8> {
        png(&self.pixels, [self.width, self.height], ExtendedColorType::L8)
    }
}

/// Pixels as a PNG file.
pub fn png(bytes: &[u8], [width, height]: [usize; 2], colours: ExtendedColorType) -> Vec<u8> {
    let mut png = Vec::new();
    PngEncoder::new(&mut png).write_image(bytes, width as u32, height as u32, colours).unwrap();
    png
}

/// The five kinds, each under its name.
pub fn five_kinds() -> [(&'static str, Grey); 5] {
    [("photo", photo()), ("lines", lines()), ("card", card()), ("ramp", ramp()), ("blobs", blobs())]
}

/// Hills of noise in four sizes before a bright sky, as a landscape has them.
fn photo() -> Grey {
    let mut rng = Rng(11);
    let mut octaves = Vec::new();
    for size in [3, 6, 12, 24] {
        octaves.push((size, (0..(size + 1) * (size + 1)).map(|_| rng.uniform()).collect::<Vec<f64>>()));
    }
    let noise = |x: f64, y: f64| -> f64 {
        let at = |(size, values): &(usize, Vec<f64>)| {
            let (fx, fy) = (x * *size as f64, y * *size as f64);
            let (i, j) = (fx as usize, fy as usize);
            let value = |i: usize, j: usize| values[j * (size + 1) + i];
            let top = value(i, j) + (value(i + 1, j) - value(i, j)) * fx.fract();
            let bottom = value(i, j + 1) + (value(i + 1, j + 1) - value(i, j + 1)) * fx.fract();
            (top + (bottom - top) * fy.fract()) * 3.0 / *size as f64
        };
        octaves.iter().map(at).sum::<f64>() / 1.875
    };
    Grey::of(128, 96, |x, y| {
        let horizon = 0.35 + 0.2 * noise(x, 0.1);
        if y < horizon { 0.75 + 0.25 * (1.0 - y) * noise(x, y) } else { 0.1 + 0.8 * noise(x, y) * (1.2 - y) }
    })
}

/// White lines on black: a circle, a cross, a zigzag.
fn lines() -> Grey {
    Grey::of(96, 96, |x, y| {
        let circle = ((x - 0.5).hypot(y - 0.55) - 0.3).abs();
        let cross = (x - y).abs().min((x + y - 1.0).abs()) / 2f64.sqrt();
        let zigzag = (y - 0.12 - 0.08 * ((x * 8.0).fract() - 0.5).abs()).abs();
        let nearest = circle.min(cross).min(zigzag);
        1.0 - (nearest * 96.0 - 1.0).clamp(0.0, 1.0)
    })
}

/// Bars, steps of grey, a checkerboard, a disc: a test card.
fn card() -> Grey {
    Grey::of(64, 64, |x, y| {
        if (x - 0.5).hypot(y - 0.5) < 0.18 {
            return 0.9;
        }
        match (y * 3.0) as usize {
            0 => (x * 8.0).floor() / 7.0,
            1 => 0.25 + 0.5 * (((x * 8.0) as usize + (y * 12.0) as usize) % 2) as f64,
            _ => 1.0 - x,
        }
    })
}

/// From black at the bottom left to white at the top right.
fn ramp() -> Grey {
    Grey::of(32, 32, |x, y| (x + 1.0 - y) / 2.0)
}

/// Soft spots.
fn blobs() -> Grey {
    let mut rng = Rng(5);
    let spots: Vec<[f64; 4]> =
        (0..9).map(|_| [rng.uniform(), rng.uniform(), rng.between(0.04, 0.12), rng.between(0.5, 1.0)]).collect();
    Grey::of(64, 48, |x, y| {
        spots.iter().map(|[a, b, r, top]| top * (-((x - a).powi(2) + (y - b).powi(2)) / (2.0 * r * r)).exp()).sum()
    })
}
