//! Cells of several points: their levels blended between centres, alike on the canvas and in images, and what stays
//! raw.

use crate::support::canvas::{self, COLOUR_STEP, RATE, crop_at, harness, harness_of, has_gpu, settle, sound, spec};
use crate::support::signals;
use sonobrush::base::Progress;
use sonobrush::document::Snapshot;
use sonobrush::dsp::{Axis, Grid, StftParams};
use sonobrush::gpu::PixelCells;
use sonobrush::media::Source;
use sonobrush::view::{
    CellStyle, ChannelView, Colormap, Image, ImageOptions, Level, Picture, PictureSpec, Plane, picture, render_image,
};
use sonobrush::workbench::Panes;

const STFT: StftParams = StftParams { n_fft: 1024, hop: 256, window: sonobrush::dsp::Window::Hann };
const HOP_SECS: f64 = 256.0 / RATE as f64;
const BIN_HZ: f64 = RATE as f64 / 1024.0;
const SMOOTH: CellStyle = CellStyle::Smooth { pixels_per_point: 1.0 };

fn mono(samples: Vec<f32>) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![samples], RATE).unwrap())
}

fn drawn(sound: &Snapshot, spec: &PictureSpec, cells: CellStyle) -> Picture {
    picture(sound, &PictureSpec { cells, ..spec.clone() }, &Progress::new()).unwrap()
}

/// Grey, on a linear axis: each cell covers `px` pixels both ways, and the centre of cell `[frame, bin]` lies in the
/// middle of the pixel at the lower left.
fn grey(cell: [usize; 2], px: usize, n_cells: [usize; 2], range_db: [f32; 2]) -> PictureSpec {
    let range = |first: usize, n: usize, unit: f64| {
        let start = first as f64 - 0.5 / px as f64;
        [start * unit, (start + n as f64) * unit]
    };
    PictureSpec {
        secs: range(cell[0], n_cells[0], HOP_SECS),
        hz: range(cell[1], n_cells[1], BIN_HZ),
        axis: Axis::Linear,
        transform: STFT.into(),
        channels: ChannelView::All,
        plane: Plane::Magnitude,
        colormap: Colormap::Grey,
        raw_phase: false,
        cells: CellStyle::Bare,
        range_db,
        size: n_cells.map(|n| n * px),
    }
}

#[test]
fn centres_are_raw_and_halfway_between_them_lies_the_mean() {
    const PX: usize = 8;
    let mut samples = signals::noise(48_000, 0.1, 7);
    samples[20_000..].fill(0.0);
    let sound = mono(samples);
    // The noise ends in the middle; behind it each cell is silent.
    let n_cells = [40, 20];
    let spec = grey([60, 100], PX, n_cells, [-90.0, 0.0]);
    let [bare, smooth] = [CellStyle::Bare, SMOOTH].map(|cells| drawn(&sound, &spec, cells));
    let byte = |picture: &Picture, x: usize, y: usize| i32::from(picture.at(x, spec.size[1] - 1 - y)[0]);
    let (mut n_fades, mut n_steps) = (0, 0);
    for frame in 0..n_cells[0] - 1 {
        for bin in 0..n_cells[1] - 1 {
            let cell = |frame: usize, bin: usize| byte(&bare, frame * PX, bin * PX);
            let at = |x: usize, y: usize| byte(&smooth, frame * PX + x, bin * PX + y);
            let corners = [cell(frame, bin), cell(frame + 1, bin), cell(frame, bin + 1), cell(frame + 1, bin + 1)];
            let [here, later, above, _] = corners.map(f64::from);
            assert_eq!(at(0, 0), corners[0], "a centre");
            // To a step of rounding in each.
            let is = |seen: i32, wanted: f64| assert!((f64::from(seen) - wanted).abs() <= 1.01, "{seen}, not {wanted}");
            is(at(PX / 2, 0), (here + later) / 2.0);
            is(at(0, PX / 2), (here + above) / 2.0);
            is(at(PX / 2, PX / 2), corners.iter().sum::<i32>() as f64 / 4.0);
            // The ramp leaves out half a pixel at each centre.
            is(at(PX / 4, 0), here + (later - here) * ((0.25 - 0.5) / (1.0 - 1.0 / PX as f64) + 0.5));
            n_fades += usize::from((here == 0.0) != (later == 0.0));
            // The control: bare cells are not the mean of two.
            if (here - later).abs() > 4.0 {
                n_steps += 1;
                let middle = byte(&bare, frame * PX + PX / 2, bin * PX);
                assert!((f64::from(middle) - (here + later) / 2.0).abs() > 1.01);
            }
        }
    }
    assert!(n_fades >= n_cells[1] - 1, "{n_fades} fade into silence");
    assert!(n_steps > 200, "{n_steps}");
}

#[test]
fn a_steady_tone_shows_its_level_at_any_zoom() {
    let hz = 64.0 * BIN_HZ;
    let levels_db = [-12.34, -12.14];
    let [sound, louder] =
        levels_db.map(|db: f64| mono(signals::tone(3 * RATE as usize, f64::from(RATE), hz, 10f64.powf(db / 20.0))));
    let mut n_blended = 0;
    for axis in Axis::ALL {
        for step in 0..32 {
            // From all of it to a part of one cell, the tone a third of the way up.
            let zoom = 1.3f64.powi(step);
            let [low, high] = [40.0, 8000.0].map(|hz| axis.units_from_hz(hz));
            let units = (high - low) / zoom;
            let from = (axis.units_from_hz(hz) - units * 0.37).max(low);
            let mut spec = grey([60, 0], 1, [1, 1], [-13.0, -12.0]);
            (spec.axis, spec.size) = (axis, [12, 150]);
            spec.hz = [from, (from + units).min(high)].map(|units| axis.hz_from_units(units));
            spec.secs = [1.0, 1.0 + 0.4 / zoom];
            let brightest = |sound: &Snapshot, cells: CellStyle| {
                let seen = drawn(sound, &spec, cells);
                let of_column = |x: usize| (0..150).map(|y| seen.at(x, y)[0]).max().unwrap();
                (0..12).map(|x| -13.0 + f64::from(of_column(x)) / 255.0).collect::<Vec<f64>>()
            };
            let is_its = |db: &f64| (db - levels_db[0]).abs() < 0.1;
            assert!(brightest(&sound, SMOOTH).iter().all(is_its), "{axis:?} at {zoom}");
            assert!(!brightest(&louder, SMOOTH).iter().any(is_its), "{axis:?} at {zoom}: the measure is fine enough");
            n_blended += usize::from(drawn(&sound, &spec, SMOOTH) != drawn(&sound, &spec, CellStyle::Bare));
        }
    }
    assert!(n_blended > 30, "{n_blended}");
}

/// Where the pixel table places a pixel of `cells_per_px` cells centred at `place`, in fractional cells.
fn shown_place(place: f64, cells_per_px: f64, style: CellStyle) -> f64 {
    let level = Level { index: 0, grid: Grid::new(STFT, f64::from(RATE), 60 * u64::from(RATE)) };
    let secs = [-1.5, 1.5].map(|px| (place + px * cells_per_px) * HOP_SECS);
    let PixelCells { first, end, mix } = level.columns(secs, 3, style)[1];
    assert_eq!(end - first, if mix > 0.0 { 2 } else { 1 });
    f64::from(first) + f64::from(mix)
}

#[test]
fn a_zoom_blends_in_without_a_jump() {
    let change = |points: [f64; 2]| {
        let of = |i: usize| {
            let place = 500.0 + (i as f64 + 0.3) / 64.0;
            let [before, after] = points.map(|points| shown_place(place, 1.0 / points, SMOOTH));
            (after - before).abs()
        };
        (0..64).map(of).sum::<f64>() / 64.0
    };
    for step in 150..800 {
        let points = f64::from(step) / 100.0;
        assert!(change([points, points + 0.01]) < 0.005, "at {points} points");
    }
    assert!(change([2.0, 4.0]) > 0.1, "it is another picture in the end");
    // Bare cells up to two points at every pixel density; at three, a ramp half as long as where each centre has a
    // pixel.
    let place = 500.4;
    for pixels_per_point in [1.0, 1.5, 2.0] {
        let style = CellStyle::Smooth { pixels_per_point };
        let at = |points: f64| shown_place(place, 1.0 / (points * pixels_per_point), style);
        assert_eq!((at(1.2), at(2.0)), (500.0, 500.0));
        for (points, part) in [(3.0, 0.5), (4.0, 1.0), (40.0, 1.0)] {
            let ramp = part * (1.0 - 1.0 / (points * pixels_per_point));
            let wanted = ((place - 500.5) / ramp + 500.5f64).max(500.0);
            assert!((at(points) - wanted).abs() < 1e-6, "{points}: {}, not {wanted}", at(points));
        }
    }
}

#[test]
fn nothing_is_blended_past_the_ends_or_with_dc_on_a_log_axis() {
    let grid = Grid::new(STFT, f64::from(RATE), u64::from(RATE));
    let (n_frames, n_bins) = (grid.n_frames() as u32, grid.n_bins() as u32);
    let level = Level { index: 0, grid };
    let columns = level.columns([-0.1, 1.1], 1200, SMOOTH);
    let is_inside = |cells: &PixelCells, n: u32| cells.end <= n && (cells.mix == 0.0) == (cells.end - cells.first == 1);
    assert!(columns.iter().all(|cells| is_inside(cells, n_frames)));
    assert_eq!(columns[0], PixelCells { first: 0, end: 1, mix: 0.0 });
    assert_eq!(columns[1199], PixelCells { first: n_frames - 1, end: n_frames, mix: 0.0 });
    assert!(columns.iter().filter(|cells| cells.mix > 0.0).count() > 800);
    for (axis, first) in [(Axis::Log, 1), (Axis::Linear, 0), (Axis::Mel, 0)] {
        let rows = level.rows([if first == 1 { 4.0 } else { 0.0 }, 60.0], axis, 400, SMOOTH);
        assert!(rows.iter().all(|cells| is_inside(cells, n_bins) && cells.first >= first), "{axis:?}");
        assert_eq!(rows[399], PixelCells { first, end: first + 1, mix: 0.0 }, "{axis:?}");
        assert!(rows.iter().filter(|cells| cells.mix > 0.0).count() > 100, "{axis:?}");
    }
    let top = level.rows([7_980.0, 8_000.0], Axis::Linear, 100, SMOOTH);
    assert_eq!(top[0], PixelCells { first: n_bins - 1, end: n_bins, mix: 0.0 });
}

#[test]
fn phases_raw_images_and_images_by_default_are_bare() {
    let sound = sound(1, 2.0);
    let options = ImageOptions {
        secs: Some([1.0, 1.1]),
        hz: Some([400.0, 900.0]),
        size: [120, 90],
        transform: Some(STFT.into()),
        ..ImageOptions::default()
    };
    let rendered = |plane: Plane, raw: bool, smooth: bool| {
        let hz = options.hz.filter(|_| !raw);
        render_image(&sound, &ImageOptions { plane, raw, smooth, hz, ..options.clone() }, &Progress::new()).unwrap()
    };
    assert_eq!(render_image(&sound, &options, &Progress::new()).unwrap(), rendered(Plane::Magnitude, false, false));
    assert_ne!(rendered(Plane::Magnitude, false, true), rendered(Plane::Magnitude, false, false));
    for (plane, raw) in [(Plane::Phase, false), (Plane::Magnitude, true)] {
        let [smooth, bare] = [true, false].map(|smooth| rendered(plane, raw, smooth));
        assert!(matches!(bare, Image::Raw { .. }) == raw && smooth == bare);
    }
}

#[test]
fn the_canvas_blends_as_the_picture_does() {
    if !has_gpu() {
        return;
    }
    for scale in [1.0f32, 2.0] {
        let mut harness = harness_of(sound(1, 9.0), false, [480.0, 300.0], scale);
        harness.state_mut().document.change_view(|view| view.panes = Panes::Both);
        // Frame 256, where a tile ends and the next begins, lies at 4.096 s.
        for (name, axis, secs, hz, min) in [
            ("across tiles", Axis::Linear, [4.0, 4.2], [900.0, 1500.0], 0.3),
            ("rows alone", Axis::Log, [0.5, 8.5], [40.0, 2000.0], 0.1),
            ("columns alone", Axis::Mel, [4.0, 4.3], [0.0, 8000.0], 0.2),
        ] {
            let change = |view: &mut sonobrush::workbench::View| (view.axis, view.secs, view.hz) = (axis, secs, hz);
            harness.state_mut().document.change_view(change);
            let shots = [true, false].map(|smooth| {
                harness.state_mut().document.change_view(|view| view.smooth = smooth);
                settle(&mut harness);
                let image = harness.render().unwrap();
                let app = harness.state();
                let rects = app.canvas.rects().unwrap();
                [(Plane::Magnitude, rects.picture), (Plane::Phase, rects.phase.unwrap())].map(|(plane, rect)| {
                    let seen = crop_at(&image, rect, scale);
                    let cells = CellStyle::new(smooth, scale.into());
                    let computed = drawn(app.document.history().current(), &spec(app, plane, seen.size), cells);
                    let n = canvas::differing(&seen, &computed, COLOUR_STEP);
                    assert_eq!(n, 0, "{name}, {plane:?} at {scale}, smooth: {smooth}");
                    seen
                })
            });
            let [[smooth, phase], [bare, bare_phase]] = shots;
            let part = canvas::differing(&smooth, &bare, 2) as f64 / (bare.rgb.len() / 3) as f64;
            assert!(part > min, "{name} at {scale}: {part} differs");
            assert_eq!(phase, bare_phase, "{name}: phases are never blended");
        }
    }
}

#[test]
fn a_tile_that_is_missing_leaves_the_one_before_as_it_is() {
    if !has_gpu() {
        return;
    }
    const BORDER: u32 = 768;
    let mut harness = harness(sound(1, 20.0));
    let look = |harness: &mut egui_kittest::Harness<'static, canvas::App>, secs: [f64; 2]| {
        harness.state_mut().document.change_view(|view| (view.secs, view.hz) = (secs, [200.0, 2000.0]));
    };
    // Within the second tile: the third is there too, as it is beside it.
    look(&mut harness, [5.0, 5.2]);
    settle(&mut harness);
    let border_secs = f64::from(BORDER) * HOP_SECS;
    look(&mut harness, [border_secs - 0.1, border_secs + 0.1]);
    harness.step();
    harness.step();
    let seen = canvas::pixels(&mut harness);
    let app = harness.state();
    let sound = app.document.history().current();
    let wanted = drawn(sound, &spec(app, Plane::Magnitude, seen.size), SMOOTH);
    let level = Level { index: 0, grid: sonobrush::view::grid_of(sound, STFT) };
    let columns = level.columns(app.document.view().secs, seen.size[0], SMOOTH);
    let is_same = |x: usize| {
        let apart = |y: usize| seen.at(x, y).iter().zip(wanted.at(x, y)).any(|(a, b)| a.abs_diff(b) > COLOUR_STEP);
        !(0..seen.size[1]).any(apart)
    };
    let (before, behind): (Vec<usize>, Vec<usize>) = (4..seen.size[0]).partition(|&x| columns[x].first < BORDER);
    assert!(before.iter().any(|&x| columns[x].first == BORDER - 1 && columns[x].mix > 0.9), "up to the border");
    assert_eq!(before.into_iter().filter(|&x| !is_same(x)).count(), 0);
    let n_other = behind.iter().filter(|&&x| !is_same(x)).count();
    assert!(n_other > behind.len() / 2, "the next tile is not there yet: {n_other} of {}", behind.len());
}

#[test]
fn what_is_read_at_the_pointer_is_the_cell() {
    if !has_gpu() {
        return;
    }
    let mut harness = harness(sound(1, 3.0));
    harness.state_mut().document.change_view(|view| (view.secs, view.hz) = ([1.0, 1.1], [900.0, 1000.0]));
    settle(&mut harness);
    let rect = harness.state().canvas.rects().unwrap().picture;
    for place in [[0.3, 0.4], [0.52, 0.61], [0.77, 0.2]] {
        let at = rect.left_top() + rect.size() * egui::vec2(place[0], place[1]);
        let [smooth, bare] = [true, false].map(|smooth| {
            harness.state_mut().document.change_view(|view| view.smooth = smooth);
            canvas::send(&mut harness, &[egui::Event::PointerMoved(at)]);
            settle(&mut harness);
            harness.state().seen.readout.unwrap()
        });
        assert!(smooth.level_db.is_some());
        assert_eq!(smooth, bare);
    }
}
