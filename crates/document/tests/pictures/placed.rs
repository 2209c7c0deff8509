//! Place of a picture, and the effect of each pixel.

use super::{RATE, applied, asked_brightness, brush_of, edit_of, ends_at, silence};
use document::Brush;
use document::brushes::{PictureBrush, PictureImage, PictureMode};
use dsp::strokes::picture::{
    Bitmap, BitmapSamples, PictureArea, PictureLook, PictureTurn, PictureView, Tint, random_turns, sample_cells,
};
use dsp::{Axis, CellRect, Grid, StftParams};
use image::ExtendedColorType;
use support::engines::{cpu, engines};
use support::pictures::{Grey, five_kinds, png};

fn grid(secs: f64) -> Grid {
    Grid::new(StftParams::default(), f64::from(RATE), (secs * f64::from(RATE)) as u64)
}

fn bitmap(picture: &Grey) -> Bitmap {
    Bitmap::new([picture.width, picture.height], 1, BitmapSamples::Eight(picture.pixels.clone())).unwrap()
}

fn plain(bitmap: &Bitmap) -> PictureView<'_> {
    PictureView::new(bitmap, PictureLook::default(), Tint::Luma)
}

/// Brightness of cells by the definition: pixels coarser than the cells, finer, and finer on one axis only, on four
/// frequency axes. A rectangle sampled separately has the same values.
#[test]
fn cells_take_the_pixels_of_the_definition() {
    let grid = grid(2.0);
    let [(_, picture), ..] = five_kinds();
    let bitmap = bitmap(&picture);
    for (secs, hz, axis) in [
        ([0.1, 1.9], [300.0, 15_000.0], Axis::Linear),
        ([0.1, 1.9], [30.0, 15_000.0], Axis::Log),
        ([0.5, 0.9], [0.0, 1_000.0], Axis::Linear),
        ([0.5, 0.9], [40.0, 900.0], Axis::Mel),
        ([-0.3, 1.1], [2_000.0, 40_000.0], Axis::Bark),
    ] {
        let area = PictureArea { secs, hz, axis };
        let rect = area.cells(&grid);
        assert!(rect.n_cells() > 500, "{rect:?}");
        let sampled = sample_cells(plain(&bitmap), &area, &grid, &rect);
        assert!(sampled.alpha.is_empty());
        let mut largest: f64 = 0.0;
        for (row, frame) in rect.frames.clone().enumerate() {
            for (column, bin) in rect.bins.clone().enumerate() {
                let found = f64::from(sampled.brightness[row * rect.bins.len() + column]);
                largest = largest.max((found - asked_brightness(&picture, &area, &grid, frame, bin)).abs());
            }
        }
        assert!(largest < 1e-6, "{area:?}: {largest}");
        let part = CellRect::new(rect.frames.start + 3..rect.frames.start + 9, rect.bins.start + 5..rect.bins.end);
        let alone = sample_cells(plain(&bitmap), &area, &grid, &part);
        let n_bins = part.bins.len();
        for (row, values) in alone.brightness.chunks(n_bins).enumerate() {
            let first = (row + 3) * rect.bins.len() + 5;
            assert_eq!(values, &sampled.brightness[first..first + n_bins], "{area:?}");
        }
    }
}

/// All cells with centres within the edges, edges included, and no other.
#[test]
fn an_area_has_the_cells_between_its_edges() {
    let grid = grid(2.0);
    let (secs, hz) = (grid.secs_from_frame(10.0), grid.hz_from_bin(20.0));
    let area = PictureArea { secs: [secs, 2.0 * secs], hz: [hz, 3.0 * hz], axis: Axis::Linear };
    assert_eq!(area.cells(&grid), CellRect::new(10..21, 20..61));
    let inside = PictureArea { secs: [secs + 1e-4, 2.0 * secs - 1e-4], hz: [hz + 0.1, 3.0 * hz - 0.1], ..area };
    assert_eq!(inside.cells(&grid), CellRect::new(11..20, 21..60));
    let between = PictureArea { secs: [secs + 1e-4, secs + 2e-4], ..area };
    assert!(between.cells(&grid).is_empty());
    let beyond = PictureArea { secs: [-5.0, 99.0], hz: [0.0, 1e6], ..area };
    assert_eq!(beyond.cells(&grid), grid.all_cells());
}

/// The loud cells of a white picture's sound end where its edges are, to a cell.
#[test]
fn edges_lie_on_the_ruler_values_to_a_cell() {
    let white = Grey::of(8, 8, |_, _| 1.0);
    for axis in [Axis::Linear, Axis::Log] {
        for engine in engines() {
            let brush = PictureBrush {
                mode: PictureMode::Replace,
                range_db: [-80.0, -20.0],
                ..brush_of(white.png(), [0.4, 0.8], [2_000.0, 5_000.0], axis)
            };
            let area = brush.area;
            let sound = applied(&silence(1.2), &edit_of(brush), engine).snapshot;
            ends_at(&sound, &area, 0).unwrap_or_else(|what| panic!("{} {}: {what}", engine.name(), axis.name()));
        }
    }
}

#[test]
fn pictures_are_turned_then_mirrored() {
    // Three wide, two high, each pixel its own value.
    let grey = Grey { width: 3, height: 2, pixels: vec![0, 10, 20, 30, 40, 50] };
    let bitmap = bitmap(&grey);
    let seen = |turn, is_flipped, is_inverted| {
        let view = PictureView::new(&bitmap, PictureLook { turn, is_flipped, is_inverted }, Tint::Luma);
        let [width, height] = view.size();
        let pixel = |x, y| (view.brightness(x, y) * 255.0).round() as u8;
        (0..height).map(|y| (0..width).map(|x| pixel(x, y)).collect()).collect::<Vec<Vec<u8>>>()
    };
    assert_eq!(seen(PictureTurn::None, false, false), [[0, 10, 20], [30, 40, 50]]);
    assert_eq!(seen(PictureTurn::Quarter, false, false), [[30, 0], [40, 10], [50, 20]]);
    assert_eq!(seen(PictureTurn::Half, false, false), [[50, 40, 30], [20, 10, 0]]);
    assert_eq!(seen(PictureTurn::ThreeQuarters, false, false), [[20, 50], [10, 40], [0, 30]]);
    assert_eq!(seen(PictureTurn::None, true, false), [[20, 10, 0], [50, 40, 30]]);
    assert_eq!(seen(PictureTurn::Quarter, true, false), [[0, 30], [10, 40], [20, 50]]);
    assert_eq!(seen(PictureTurn::None, false, true), [[255, 245, 235], [225, 215, 205]]);
}

#[test]
fn colours_are_as_bright_as_the_definition_says() {
    let colours = [200u8, 100, 50, 255, 255, 255];
    let bitmap = Bitmap::new([2, 1], 3, BitmapSamples::Eight(colours.to_vec())).unwrap();
    let view = |tint| PictureView::new(&bitmap, PictureLook::default(), tint);
    let expected = (0.2126 * 200.0 + 0.7152 * 100.0 + 0.0722 * 50.0) / 255.0;
    assert!((view(Tint::Luma).brightness(0, 0) - expected).abs() < 1e-12);
    assert_eq!([Tint::Red, Tint::Green].map(|tint| view(tint).brightness(0, 0)), [200.0 / 255.0, 100.0 / 255.0]);
    // White is 1, to the bit.
    assert_eq!(view(Tint::Luma).brightness(1, 0), 1.0);
    let sixteen = Bitmap::new([1, 1], 1, BitmapSamples::Sixteen(vec![13_107])).unwrap();
    assert_eq!(plain(&sixteen).brightness(0, 0), 0.2);
    let floats = Bitmap::new([3, 1], 3, BitmapSamples::Float([[f32::NAN; 3], [-4.0; 3], [7.0; 3]].concat())).unwrap();
    assert_eq!([0, 1, 2].map(|x| plain(&floats).brightness(x, 0)), [0.0, 0.0, 1.0]);
}

/// Picture files of all formats decode to the same pixels.
#[test]
fn picture_files_are_their_pixels() {
    use media::picture::{EmbeddedPicture, PictureTaken};
    let grey = Grey { width: 3, height: 2, pixels: vec![0, 10, 20, 30, 40, 255] };
    let picture = EmbeddedPicture::from_png(grey.png()).unwrap();
    assert_eq!(picture.size(), [3, 2]);
    assert_eq!(*picture.bitmap().unwrap(), bitmap(&grey));
    // While a decoded bitmap is held, it is not decoded again.
    let held = picture.bitmap().unwrap();
    assert!(std::sync::Arc::ptr_eq(&held, &picture.bitmap().unwrap()));
    let words: Vec<u16> = vec![0, 1, 65_535, 256, 1_000, 30_000, 7, 8];
    let file = png(bytemuck::cast_slice(&words), [1, 2], ExtendedColorType::Rgba16);
    let taken = PictureTaken::from_bytes(file.clone()).unwrap();
    assert_eq!((taken.picture.png(), taken.notice), (file.as_slice(), None));
    let expected = Bitmap::new([1, 2], 4, BitmapSamples::Sixteen(words)).unwrap();
    assert_eq!(*taken.picture.bitmap().unwrap(), expected);
    // What is too large as PNG is scaled down: noise does not compress.
    let mut rng = support::signals::Rng(1);
    let noise: Vec<u8> = (0..5000 * 1000 * 4).map(|_| rng.bits() as u8).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), png(&noise, [5000, 1000], ExtendedColorType::Rgba8)).unwrap();
    let area = PictureArea { secs: [0.0, 0.5], hz: [200.0, 400.0], axis: Axis::Log };
    let brush = PictureBrush { steps: 0, ..PictureBrush::new(PictureImage::File(file.path().to_path_buf()), area) };
    let after = applied(&silence(0.5), &edit_of(brush), &cpu());
    let [notice] = after.report.notices.as_slice() else { panic!("{:?}", after.report.notices) };
    assert!(notice.contains("scaled down from 5000 x 1000") && !notice.contains('\n'), "{notice}");
    // The resolved edit contains the smaller picture.
    let kept = after.resolved.unwrap();
    let Brush::Picture(PictureBrush { image: PictureImage::Embedded(picture, _), .. }) = &kept.brush else {
        panic!("{:?}", kept.brush)
    };
    let [width, height] = picture.size();
    assert!(picture.png().len() <= 16 << 20 && (4000..5000).contains(&width), "{width} x {height}");
}

/// Random phases are those of the definition, for any rectangle.
#[test]
fn phases_by_chance_are_the_definitions() {
    let scrambled = |x: u64| {
        let z = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let chance = |keys: [u64; 5]| {
        keys.iter().fold(0u64, |z, key| scrambled(z.wrapping_add(*key).wrapping_add(0x9e37_79b9_7f4a_7c15)))
    };
    let rect = CellRect::new(7..12, 100..131);
    let turns = random_turns(3, 1, &rect);
    for (i, turns) in turns.iter().enumerate() {
        let (frame, bin) = (7 + i / 31, 100 + i % 31);
        let bits = chance([3, 5, 1, bin as u64, frame as u64]) >> 40;
        assert_eq!(f64::from(*turns), bits as f64 / f64::from(1 << 24) - 0.5);
    }
    assert_ne!(turns, random_turns(4, 1, &rect));
    assert_ne!(turns, random_turns(3, 0, &rect));
}
