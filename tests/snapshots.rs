//! What the canvas looks like, image by image, in `tests/snapshots/`.
//!
//! `SONOBRUSH_UPDATE_SNAPSHOTS=1 cargo test --test tests snapshots::` rewrites the images: look at each before you
//! commit it. An image that differs is written beside the expected one, as `NAME.new.png`.

use crate::support::canvas::{App, harness_of, has_gpu, settle, sound};
use egui_kittest::Harness;
use image::RgbImage;
use sonobrush::dsp::transforms::rows::RowsParams;
use sonobrush::dsp::{Axis, Selection};
use sonobrush::view::Colormap;
use sonobrush::workbench::{Panes, Tool};
use std::path::{Path, PathBuf};

/// A channel of a pixel that differs by more than this is another colour: adapters round differently.
const COLOUR_STEP: u8 = 6;
/// This part of the pixels may be of another colour, 25 of an image. A column of pixels is 1/300 of an image.
const MAX_DIFFERENT_SHARE: f64 = 5e-4;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots")
}

/// The part of the pixels that differ, or everything if the sizes do.
fn differing_part(a: &RgbImage, b: &RgbImage) -> f64 {
    if a.dimensions() != b.dimensions() {
        return 1.0;
    }
    let is_other =
        |(a, b): &(&image::Rgb<u8>, &image::Rgb<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > COLOUR_STEP);
    a.pixels().zip(b.pixels()).filter(is_other).count() as f64 / (a.width() * a.height()) as f64
}

/// A canvas of 300 by 170 points over eight seconds of tones, sweeps and clicks.
fn canvas(scale: f32) -> Harness<'static, App> {
    let mut harness = harness_of(sound(2, 8.0), false, [300.0, 170.0], scale);
    harness.state_mut().tools.pick(Tool::Hand);
    // Steep: neighbours that differ in level differ in colour. Bare: so do neighbouring cells.
    harness.state_mut().document.change_view(|view| (view.range_db, view.smooth) = ([-80.0, -30.0], false));
    harness
}

fn shot(harness: &mut Harness<'static, App>) -> RgbImage {
    settle(harness);
    image::DynamicImage::ImageRgba8(harness.render().unwrap()).to_rgb8()
}

/// Compares with the image of this name, or writes it when asked to.
fn check(name: &str, seen: &RgbImage, failures: &mut Vec<String>) {
    let path = folder().join(format!("{name}.png"));
    if std::env::var_os("SONOBRUSH_UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(folder()).unwrap();
        seen.save(&path).unwrap();
        return;
    }
    let part = image::open(&path).map_or(1.0, |expected| differing_part(&expected.to_rgb8(), seen));
    if part > MAX_DIFFERENT_SHARE {
        seen.save(folder().join(format!("{name}.new.png"))).unwrap();
        failures.push(format!("{name}: {:.2} % of the pixels differ", 100.0 * part));
    }
}

#[test]
fn the_canvas_looks_as_it_did() {
    if !has_gpu() {
        return;
    }
    let mut failures = Vec::new();
    let mut dark = canvas(1.0);
    for (name, axis) in [("linear", Axis::Linear), ("log", Axis::Log), ("mel", Axis::Mel), ("bark", Axis::Bark)] {
        let hz = [if axis == Axis::Log { 40.0 } else { 0.0 }, 8000.0];
        dark.state_mut().document.change_view(|view| (view.axis, view.hz) = (axis, hz));
        check(&format!("axis_{name}"), &shot(&mut dark), &mut failures);
    }
    dark.state_mut().document.change_view(|view| view.axis = Axis::Log);
    dark.state_mut().document.change_view(|view| view.hz = [40.0, 8000.0]);
    for map in Colormap::ALL.into_iter().filter(|&map| map != Colormap::Viridis) {
        dark.state_mut().document.change_view(|view| view.colormap = map);
        check(&format!("colours_{}", map.name()), &shot(&mut dark), &mut failures);
    }
    dark.state_mut().document.change_view(|view| view.colormap = Colormap::Magma);
    dark.state_mut().document.change_view(|view| view.panes = Panes::Phase);
    check("phase", &shot(&mut dark), &mut failures);
    dark.state_mut().document.change_view(|view| {
        (view.panes, view.stacked, view.waveform, view.secs) = (Panes::Magnitude, true, 0.5, [0.0, 8.0]);
    });
    let selection = Selection::rectangle(Some([2.0, 4.8]), Some([200.0, 2000.0]), [0.0, 0.0], Axis::Linear);
    dark.state_mut().document.select(Some(selection));
    check("stacked_waveform_selection", &shot(&mut dark), &mut failures);
    let mut light = canvas(1.0);
    light.ctx.set_theme(egui::Theme::Light);
    light.state_mut().document.change_view(|view| view.hz = [40.0, 8000.0]);
    check("theme_light", &shot(&mut light), &mut failures);
    let mut large = canvas(2.0);
    large.state_mut().document.change_view(|view| view.hz = [40.0, 8000.0]);
    check("scale_200", &shot(&mut large), &mut failures);
    // Cells of several points, between their centres.
    light.state_mut().document.change_view(|view| {
        (view.smooth, view.secs, view.hz) = (true, [1.0, 1.8], [40.0, 2000.0]);
    });
    check("smooth_cells", &shot(&mut light), &mut failures);
    let how = "see the .new.png files; SONOBRUSH_UPDATE_SNAPSHOTS=1 takes them";
    assert!(failures.is_empty(), "{}; {how}", failures.join("; "));
}

/// Constant-Q and variable-Q rows on a log axis, mel and bark rows on their own.
#[test]
fn rows_of_every_scale_look_as_they_did() {
    if !has_gpu() {
        return;
    }
    let mut failures = Vec::new();
    let mut dark = canvas(1.0);
    let scales = [
        ("cqt", RowsParams::log(24).with_gamma_hz(0.0), Axis::Log),
        ("vqt", RowsParams::music(), Axis::Log),
        ("mel", RowsParams::mel(128), Axis::Mel),
        ("bark", RowsParams::speech(), Axis::Bark),
    ];
    for (name, params, axis) in scales {
        dark.state_mut().document.change_view(|view| {
            (view.transform, view.axis, view.hz) = (params.into(), axis, [40.0, 8000.0]);
        });
        check(&format!("rows_{name}"), &shot(&mut dark), &mut failures);
    }
    let how = "see the .new.png files; SONOBRUSH_UPDATE_SNAPSHOTS=1 takes them";
    assert!(failures.is_empty(), "{}; {how}", failures.join("; "));
}

#[test]
fn one_column_of_pixels_that_shifts_is_another_image() {
    // On every image, in the middle of its picture, where each column has a frame of its own.
    let mut n_images = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with(".png") || path.to_string_lossy().contains(".new.") {
            continue;
        }
        let expected = image::open(&path).unwrap().to_rgb8();
        assert_eq!(differing_part(&expected, &expected), 0.0);
        let mut shifted = expected.clone();
        // A column takes the place of its neighbour, as when a table of columns is one off.
        let x = expected.width() / 2;
        for y in 0..expected.height() {
            shifted.put_pixel(x, y, *expected.get_pixel(x + 1, y));
        }
        let part = differing_part(&expected, &shifted);
        assert!(part > MAX_DIFFERENT_SHARE, "{}: {part}", path.display());
        n_images += 1;
    }
    assert!(n_images >= 17);
}
