//! Pictures of the canvas against those that the command line makes.

use super::rig::Rig;
use super::studio::Pane;
use sonobrush::view::Colormap;
use std::collections::HashMap;
use std::path::Path;

/// The picture of a file as `sonobrush image` draws what a pane shows, large cells blended as the studio does by
/// default.
pub fn image_of(rig: &Rig, file: &Path, pane: &Pane) -> image::RgbImage {
    let out = rig.path("image.png");
    let pair = |pair: [f64; 2]| format!("{},{}", pair[0], pair[1]);
    let mut command = rig.command(env!("CARGO_BIN_EXE_sonobrush"));
    command.arg("image").arg(file).arg("-o").arg(&out);
    command.args(["--size", &format!("{}x{}", pane.rect[2].round(), pane.rect[3].round())]);
    command.arg("--smooth");
    command.args(["--time", &pair(pane.secs), "--frequency", &pair(pane.hz)]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    image::open(out).unwrap().to_rgb8()
}

/// The part of a picture of the window that a pane covers.
pub fn crop(window: &image::RgbImage, pane: &Pane) -> image::RgbImage {
    let [left, top, width, height] = pane.rect.map(|pixels| pixels.round() as u32);
    image::imageops::crop_imm(window, left, top, width, height).to_image()
}

/// The level of every pixel in dB, by the colours of the default map from -100 to 0.
fn levels(picture: &image::RgbImage) -> Vec<f64> {
    const STEPS: usize = 2_000;
    let map: Vec<[u8; 3]> = (0..=STEPS).map(|i| Colormap::Viridis.rgb(i as f32 / STEPS as f32)).collect();
    let mut known = HashMap::new();
    let distance = |a: [u8; 3], b: [u8; 3]| -> i32 { (0..3).map(|i| (i32::from(a[i]) - i32::from(b[i])).pow(2)).sum() };
    let mut level = |colour: [u8; 3]| {
        *known.entry(colour).or_insert_with(|| {
            let nearest = (0..=STEPS).min_by_key(|&i| distance(map[i], colour)).unwrap();
            nearest as f64 / STEPS as f64 * 100.0 - 100.0
        })
    };
    picture.pixels().map(|pixel| level(pixel.0)).collect()
}

/// The part of the pixels above -90 dB in which two pictures lie more than 2 dB apart.
pub fn part_apart(a: &image::RgbImage, b: &image::RgbImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let (a, b) = (levels(a), levels(b));
    let pairs: Vec<(f64, f64)> = a.into_iter().zip(b).filter(|(a, b)| a.max(*b) > -90.0).collect();
    assert!(pairs.len() > 1_000, "only {} pixels above -90 dB", pairs.len());
    pairs.iter().filter(|(a, b)| (a - b).abs() > 2.0).count() as f64 / pairs.len() as f64
}
