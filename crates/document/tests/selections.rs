//! Shapes of selections against independent definitions, and operations on them.
//!
//! Masks are made in f64 and kept as f32, so 1e-6 is ten times their rounding.

use base::{ErrorKind, Progress};
use document::brushes::{Brush, Erase};
use document::{Channels, Edit, Script, Snapshot, apply, resolve};
use dsp::selections::mask::{bounds, dilated, eroded, evaluate, feathered, sample};
use dsp::selections::wand;
use dsp::{Axis, CellRect, Cells, Combine, Grid, Mask, Point, Selection, Shape, StftParams, Stroke, Window};
use engine::{Engine, Plans};
use media::Source;
use proptest::prelude::*;
use serde_json::json;
use support::measure::{f64s, max_error};

fn all_cells(grid: &Grid) -> CellRect {
    CellRect::new(0..grid.n_frames(), 0..grid.n_bins())
}

fn small_grid() -> Grid {
    let stft = StftParams { n_fft: 256, hop: 64, window: Window::Hann };
    Grid::new(stft, 8000.0, 4000)
}

fn mask_of(grid: &Grid, selection: &Selection) -> Mask {
    evaluate(grid, None, Some(selection), 1.0, &all_cells(grid))
}

fn mask_of_shape(grid: &Grid, shape: Shape) -> Mask {
    mask_of(grid, &Selection::of(shape))
}

/// Reference mask value of a feathered polygon at a point: 1 inside, by the winding angle; outside, a raised cosine of
/// the distance to the nearest edge.
fn polygon_at(points: &[[f64; 2]], feather: [f64; 2], axis: Axis, secs: f64, hz: f64) -> f64 {
    let place = |[secs, hz]: [f64; 2]| [secs / feather[0], axis.units_from_hz(hz) / feather[1]];
    let at = place([secs, hz]);
    if !at[1].is_finite() {
        return 0.0;
    }
    let (mut angle, mut nearest) = (0.0, f64::INFINITY);
    for (i, &a) in points.iter().enumerate() {
        let (a, b) = (place(a), place(points[(i + 1) % points.len()]));
        let (u, v) = ([a[0] - at[0], a[1] - at[1]], [b[0] - at[0], b[1] - at[1]]);
        angle += (u[0] * v[1] - u[1] * v[0]).atan2(u[0] * v[0] + u[1] * v[1]);
        let along = [b[0] - a[0], b[1] - a[1]];
        let length = along[0].hypot(along[1]);
        let part = if length > 0.0 { -(u[0] * along[0] + u[1] * along[1]) / (length * length) } else { 0.0 };
        let part = part.clamp(0.0, 1.0);
        nearest = f64::min(nearest, (u[0] + part * along[0]).hypot(u[1] + part * along[1]));
    }
    if angle.abs() > std::f64::consts::PI {
        1.0
    } else if nearest >= 1.0 {
        0.0
    } else {
        0.5 * (1.0 + (std::f64::consts::PI * nearest).cos())
    }
}

fn brute_polygon(grid: &Grid, points: &[[f64; 2]], feather: [f64; 2], axis: Axis) -> Vec<f64> {
    let cells = (0..grid.n_frames()).flat_map(|frame| (0..grid.n_bins()).map(move |bin| (frame as f64, bin as f64)));
    cells
        .map(|(frame, bin)| polygon_at(points, feather, axis, grid.secs_from_frame(frame), grid.hz_from_bin(bin)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any direction of the line and any number of crossings.
    #[test]
    fn polygons_are_what_their_line_runs_around(
        points in prop::collection::vec((0.013..0.47f64, 40.0..3900.0f64), 3..8),
        axis in prop::sample::select(Axis::ALL.to_vec()),
        feather_secs in 0.005..0.08f64,
        feather_part in 0.02..0.3f64,
    ) {
        let grid = small_grid();
        let points: Vec<[f64; 2]> = points.into_iter().map(|(secs, hz)| [secs, hz]).collect();
        let units = axis.units_from_hz(3900.0) - axis.units_from_hz(40.0);
        let feather = [feather_secs, feather_part * units];
        let mask = mask_of_shape(&grid, Shape::Polygon { points: points.clone(), feather, axis });
        let expected = brute_polygon(&grid, &points, feather, axis);
        let error = max_error(f64s(&mask.values), expected.iter().copied());
        prop_assert!(error < 1e-6, "{}", error);
        // Control: half the feather gives another mask.
        let other = brute_polygon(&grid, &points, feather.map(|width| width / 2.0), axis);
        prop_assert!(max_error(f64s(&mask.values), other.iter().copied()) > 1e-3);

        let selection = Selection::of(Shape::Polygon { points, feather, axis });
        let (bounds, tight) = (bounds(&grid, None, Some(&selection)), mask.tight_bounds());
        prop_assert!(bounds.contains(&tight));
    }

    /// A comb as one shape equals its bands added as rectangles.
    #[test]
    fn harmonics_are_bands_around_multiples(
        f0_hz in 60.0..900.0f64, count in 1..9usize, width_hz in 0.0..200.0f64, soft in prop::bool::ANY,
        axis in prop::sample::select(Axis::ALL.to_vec()),
    ) {
        let grid = small_grid();
        let feather = if soft { [0.02, 0.3] } else { [0.0; 2] };
        let secs = Some([0.1, 0.3]);
        let comb = |count| Shape::Harmonics { f0_hz, count, width_hz, secs, feather, axis };
        let band = |k: usize| {
            let middle = f0_hz * k as f64;
            let hz = Some([(middle - width_hz / 2.0).max(0.0), middle + width_hz / 2.0]);
            (Combine::Add, Shape::Rectangle { secs, hz, feather, axis })
        };
        let bands = mask_of(&grid, &Selection { shapes: (1..=count).map(band).collect() });
        let mask = mask_of_shape(&grid, comb(count));
        prop_assert_eq!(&mask.values, &bands.values);
        let selection = Selection::of(comb(count));
        prop_assert_eq!(bounds(&grid, None, Some(&selection)), mask.tight_bounds());
        if f0_hz * (count + 1) as f64 <= grid.nyquist_hz() && f0_hz > width_hz + 60.0 {
            prop_assert_ne!(&mask_of_shape(&grid, comb(count + 1)).values, &bands.values, "one more is more");
        }
    }

    /// Inverting maps every mask value `a` to `1 - a`, and inverting twice restores it.
    #[test]
    fn inverting_is_one_minus(shapes in prop::collection::vec(any_shape(), 1..4)) {
        let grid = small_grid();
        let selection = Selection { shapes };
        let inverted = selection.inverted();
        let (a, b) = (mask_of(&grid, &selection), mask_of(&grid, &inverted));
        let error = max_error(f64s(&b.values), a.values.iter().map(|&m| 1.0 - f64::from(m)));
        prop_assert!(error < 1e-6, "{}", error);
        prop_assert_eq!(&mask_of(&grid, &inverted.inverted()).values, &a.values);
        prop_assert!(bounds(&grid, None, Some(&selection)).contains(&a.tight_bounds()));
        prop_assert!(bounds(&grid, None, Some(&inverted)).contains(&b.tight_bounds()));
    }

    /// A mask of cells selects those cells, and a script preserves it to the bit.
    #[test]
    fn masks_of_cells_select_them(
        frames in (0..50usize, 1..14usize), bins in (0..110usize, 1..19usize), seed in 0..1000u64,
    ) {
        let grid = small_grid();
        let rect = CellRect::new(frames.0..frames.0 + frames.1, bins.0..bins.0 + bins.1);
        let mut rng = support::signals::Rng(seed);
        let values = (0..rect.n_cells()).map(|_| rng.uniform() as f32 + 0.001).map(|m| m.min(1.0)).collect();
        let mask = Mask { rect: rect.clone(), values };
        let cells = Cells::from_mask(&grid, &mask).unwrap();
        let selection = Selection::of(Shape::Cells(cells.clone()));
        prop_assert_eq!(bounds(&grid, None, Some(&selection)), rect.clone());
        prop_assert_eq!(&evaluate(&grid, None, Some(&selection), 1.0, &rect), &mask);
        // On a finer grid the same places are selected.
        let finer = grid.with_transform(StftParams { hop: 32, ..*grid.transform().as_stft().unwrap() });
        let first = rect.frames.start * 2;
        let fine = evaluate(&finer, None, Some(&selection), 1.0, &CellRect::new(first..first + 1, rect.bins.clone()));
        prop_assert_eq!(&fine.values, &mask.values[..rect.bins.len()]);
        let shifted = Cells { secs: cells.secs.map(|secs| secs + 0.008), ..cells };
        let shifted = Selection::of(Shape::Cells(shifted));
        prop_assert_ne!(&evaluate(&grid, None, Some(&shifted), 1.0, &rect).values, &mask.values, "one frame later");
    }

    /// A selection sampled at the centres of cells, as its displayed outline is, equals its mask.
    #[test]
    fn places_are_looked_at_as_cells_are(shapes in prop::collection::vec(any_shape(), 1..4)) {
        let grid = small_grid();
        let selection = Selection { shapes };
        let secs: Vec<f64> = (0..grid.n_frames()).map(|frame| grid.secs_from_frame(frame as f64)).collect();
        let hz: Vec<f64> = (0..grid.n_bins()).map(|bin| grid.hz_from_bin(bin as f64)).collect();
        prop_assert_eq!(sample(&selection, &secs, &hz), mask_of(&grid, &selection).values);
    }

    /// Reference for connected cells, by repeated growing.
    #[test]
    fn the_wand_takes_what_hangs_together(seed in 0..10_000u64, tolerance_db in 0.0..12.0f64) {
        let stft = StftParams { n_fft: 64, hop: 64, ..*small_grid().transform().as_stft().unwrap() };
        let grid = Grid::new(stft, 8000.0, 64 * 23);
        let (n_frames, n_bins) = (grid.n_frames(), grid.n_bins());
        let mut rng = support::signals::Rng(seed);
        let field: Vec<f32> = (0..n_frames * n_bins).map(|_| 10f64.powf(rng.between(-1.0, 0.0)) as f32).collect();
        let at = [rng.between(0.0, 0.18), rng.between(0.0, 4000.0)];
        let magnitudes = |frames: std::ops::Range<usize>| Ok(field[frames.start * n_bins..frames.end * n_bins].to_vec());
        let mask = wand::connected(&grid, at, tolerance_db, magnitudes, &Progress::new()).unwrap();

        let seed = [grid.frame_from_secs(at[0]).round() as usize, grid.bin_from_hz(at[1]).round() as usize];
        let level = field[seed[0] * n_bins + seed[1]];
        let near = |i: usize| (20.0 * f64::from(field[i] / level).log10()).abs() <= tolerance_db;
        let mut taken = vec![false; field.len()];
        taken[seed[0] * n_bins + seed[1]] = true;
        loop {
            let next: Vec<bool> = (0..field.len()).map(|i| {
                let (frame, bin) = (i / n_bins, i % n_bins);
                let around = |f: usize, b: usize| f.abs_diff(frame) <= 1 && b.abs_diff(bin) <= 1;
                near(i) && (0..field.len()).any(|j| taken[j] && around(j / n_bins, j % n_bins))
            }).collect();
            if next == taken {
                break;
            }
            taken = next;
        }
        let n_taken = taken.iter().filter(|taken| **taken).count();
        prop_assert_eq!(mask.values.iter().filter(|m| **m == 1.0).count(), n_taken);
        for (i, taken) in taken.iter().enumerate() {
            let (frame, bin) = (i / n_bins, i % n_bins);
            let inside = mask.rect.frames.contains(&frame) && mask.rect.bins.contains(&bin);
            let m = inside.then(|| {
                mask.values[(frame - mask.rect.frames.start) * mask.rect.bins.len() + bin - mask.rect.bins.start]
            });
            prop_assert_eq!(m == Some(1.0), *taken, "cell {} {}", frame, bin);
        }
    }

    /// References for growing, shrinking and feathering, cell by cell.
    #[test]
    fn edges_move_cell_by_cell(seed in 0..10_000u64, by in (0..3usize, 0..4usize)) {
        let all = CellRect::new(0..20, 0..30);
        let mut rng = support::signals::Rng(seed);
        let rect = CellRect::new(3..18, 0..26);
        let values = (0..rect.n_cells()).map(|_| if rng.uniform() < 0.3 { rng.uniform() as f32 } else { 0.0 }).collect();
        let mask = Mask { rect, values };
        let at = |mask: &Mask, frame: usize, bin: usize| {
            let inside = mask.rect.frames.contains(&frame) && mask.rect.bins.contains(&bin);
            let index = || (frame - mask.rect.frames.start) * mask.rect.bins.len() + bin - mask.rect.bins.start;
            if inside { mask.values[index()] } else { 0.0 }
        };
        let grown = dilated(&mask, by.0, by.1, &all);
        let shrunk = eroded(&mask, by.0, by.1, &all);
        let soft = feathered(&mask, by.0 as f64, by.1 as f64, &all);
        for frame in 0..20usize {
            for bin in 0..30usize {
                let around = || {
                    let frames = frame.saturating_sub(by.0)..(frame + by.0 + 1).min(20);
                    frames.flat_map(|f| (bin.saturating_sub(by.1)..(bin + by.1 + 1).min(30)).map(move |b| (f, b)))
                };
                let max = around().map(|(f, b)| at(&mask, f, b)).fold(0.0, f32::max);
                let min = around().map(|(f, b)| at(&mask, f, b)).fold(1.0, f32::min);
                prop_assert_eq!(at(&grown, frame, bin), max);
                // Shrinking computes `1 - (1 - m)`, which rounds.
                prop_assert!((at(&shrunk, frame, bin) - min).abs() < 1e-6);
                let weighted = around().map(|(f, b)| {
                    let part = |d: usize, width: usize| if d == 0 { 0.0 } else { d as f64 / width as f64 };
                    let d = part(f.abs_diff(frame), by.0).hypot(part(b.abs_diff(bin), by.1)).min(1.0);
                    f64::from(at(&mask, f, b)) * 0.5 * (1.0 + (std::f64::consts::PI * d).cos())
                });
                let max = weighted.fold(0.0, f64::max);
                prop_assert!((f64::from(at(&soft, frame, bin)) - max).abs() < 1e-6);
            }
        }
    }
}

prop_compose! {
    /// A random shape. Its ranges contain the centre of a cell, so that sampling by position gives the same mask.
    fn any_shape()(
        combine in prop::sample::select(vec![Combine::Add, Combine::Subtract, Combine::Intersect]),
        kind in 0..5usize,
        secs in (0.0..0.3f64, 0.02..0.2f64),
        hz in (40.0..2000.0f64, 200.0..1500.0f64),
        corners in prop::collection::vec((0.0..0.5f64, 40.0..3900.0f64), 3..6),
    ) -> (Combine, Shape) {
        let secs = [secs.0, secs.0 + secs.1];
        let hz = [hz.0, hz.0 + hz.1];
        let (feather, axis) = ([0.02, 100.0], Axis::Linear);
        let rectangle = Shape::Rectangle { secs: Some(secs), hz: Some(hz), feather, axis };
        let shape = match kind {
            0 => rectangle,
            1 => Shape::Polygon { points: corners.into_iter().map(|(s, h)| [s, h]).collect(), feather: [0.03, 0.2], axis: Axis::Log },
            2 => Shape::Stroke(Stroke {
                points: corners.into_iter().map(|(secs, hz)| Point { secs, hz, pressure: 0.8 }).collect(),
                axis: Axis::Mel, radius: [0.04, 3.0], hardness: 0.3, strength: 1.0, build_up: false,
            }),
            3 => Shape::Harmonics { f0_hz: hz[0] + 300.0, count: 3, width_hz: 150.0, secs: Some(secs), feather, axis },
            _ => Shape::Group(Selection { shapes: vec![
                (Combine::Add, rectangle),
                (Combine::Subtract, Shape::Rectangle { secs: None, hz: Some([hz[0], hz[0] + 80.0]), feather, axis }),
            ]}),
        };
        (combine, shape)
    }
}

#[test]
fn a_polygon_with_four_right_angles_is_a_rectangle_its_line_included() {
    let grid = small_grid();
    let ([t0, t1], [low, high]) = ([0.08, 0.24], [500.0, 1500.0]); // on centres of cells
    let polygon = |corners: [[f64; 2]; 4]| {
        mask_of_shape(&grid, Shape::Polygon { points: corners.to_vec(), feather: [0.0; 2], axis: Axis::Linear })
    };
    let rectangle = mask_of(&grid, &Selection::rectangle(Some([t0, t1]), Some([low, high]), [0.0; 2], Axis::Linear));
    assert_eq!(polygon([[t0, low], [t1, low], [t1, high], [t0, high]]), rectangle);
    assert_eq!(polygon([[t1, high], [t1, low], [t0, low], [t0, high]]), rectangle, "the other way round");
    assert_ne!(polygon([[t0, low], [t1 + 0.01, low], [t1 + 0.01, high], [t0, high]]), rectangle);
    // Soft along one axis only: hard along the other.
    let points = vec![[t0, low], [t1, low], [t1, high], [t0, high]];
    let soft = mask_of_shape(&grid, Shape::Polygon { points, feather: [0.0, 200.0], axis: Axis::Linear });
    let expected = mask_of(&grid, &Selection::rectangle(Some([t0, t1]), Some([low, high]), [0.0, 200.0], Axis::Linear));
    assert!(max_error(f64s(&soft.values), f64s(&expected.values)) < 1e-6);
}

#[test]
fn a_stroke_as_a_shape_is_its_mask() {
    let grid = small_grid();
    let points = [(0.1, 500.0, 1.0), (0.3, 2000.0, 0.4)].map(|(secs, hz, pressure)| Point { secs, hz, pressure });
    let stroke = Stroke {
        points: points.to_vec(),
        axis: Axis::Bark,
        radius: [0.05, 2.0],
        hardness: 0.4,
        strength: 0.7,
        build_up: false,
    };
    let as_stroke = evaluate(&grid, Some(&stroke), None, 1.0, &all_cells(&grid));
    let selection = Selection::of(Shape::Stroke(stroke.clone()));
    assert_eq!(mask_of(&grid, &selection), as_stroke);
    assert_eq!(bounds(&grid, None, Some(&selection)), bounds(&grid, Some(&stroke), None));
    assert!(as_stroke.values.iter().any(|&m| m > 0.6));
}

#[test]
fn rectangles_grow_and_shrink_as_numbers() {
    let ends = [[0.0, 1.0], [0.0, 4000.0]];
    let selection = Selection::rectangle(Some([0.2, 0.4]), Some([0.0, 1000.0]), [0.01, 20.0], Axis::Linear);
    let grown = selection.grown_rectangles([0.1, 50.0], ends).unwrap();
    assert!((grown.extent()[0].unwrap()[0] - 0.1).abs() < 1e-12);
    assert_eq!(grown.extent()[1], Some([0.0, 1050.0]));
    let gone = selection.grown_rectangles([-0.11, -50.0], ends).unwrap();
    assert!(gone.shapes.is_empty());
    let soft = selection.feathered_shapes([0.01, 5.0]).unwrap();
    assert!(matches!(soft.shapes[0].1, Shape::Rectangle { feather: [0.02, 25.0], .. }));
    assert!(selection.inverted().grown_rectangles([0.1, 50.0], ends).is_none(), "shapes alone cannot say");
}

/// Tones of 1 and 3 kHz at the same time, in two channels of different level.
fn tones() -> Snapshot {
    let tone = |k: usize| {
        let t = k as f64 / 8000.0;
        let one = 0.5 * (std::f64::consts::TAU * 1000.0 * t).sin();
        let other = 0.25 * (std::f64::consts::TAU * 3000.0 * t).sin();
        (one + other) as f32
    };
    let left: Vec<f32> = (0..8000).map(tone).collect();
    Snapshot::new(Source::from_channels(vec![left.clone(), left.iter().map(|x| x * 0.3).collect()], 8000).unwrap())
}

fn level_db(snapshot: &Snapshot, hz: f64) -> f64 {
    let mut samples = vec![0.0f32; 4000];
    snapshot.read(0, 2000, &mut samples).unwrap();
    let sum = samples.iter().enumerate().fold([0.0; 2], |[a, b], (k, &x)| {
        let (sin, cos) = (std::f64::consts::TAU * hz * k as f64 / 8000.0).sin_cos();
        [a + f64::from(x) * cos, b + f64::from(x) * sin]
    });
    20.0 * (sum[0].hypot(sum[1]) / 2000.0).log10()
}

#[test]
fn a_wand_in_a_script_takes_one_tone_and_leaves_the_other() {
    let script = json!({"version": 1, "transform": {"n_fft": 512, "hop": 128}, "edits": [
        {"brush": {"kind": "erase"}, "select": {"shape": "wand", "point": [0.5, 1000.0], "tolerance_db": 60.0}}]});
    let script = Script::parse(&script.to_string()).unwrap();
    let sound = tones();
    let edit = &script.edits[0];
    let applied = apply(&sound, edit, &Engine::cpu(), &Progress::new()).unwrap();
    assert!((level_db(&sound, 1000.0) + 6.0).abs() < 0.1 && (level_db(&sound, 3000.0) + 12.0).abs() < 0.1);
    assert!(level_db(&applied.snapshot, 1000.0) < -46.0, "{}", level_db(&applied.snapshot, 1000.0));
    assert!((level_db(&applied.snapshot, 3000.0) + 12.0).abs() < 0.1);
    // The wand resolves to a mask, which repeats the edit bit for bit through a script.
    let found = resolve(
        &sound,
        edit.select.as_ref().unwrap(),
        &edit.transform,
        &Channels::All,
        &Plans::default(),
        &Progress::new(),
    )
    .unwrap();
    assert!(!found.needs_sound() && matches!(found.shapes[0].1, Shape::Cells(_)));
    let again = Edit { select: Some(found), ..edit.clone() };
    let text = Script::from(vec![again]).to_json();
    let again = &Script::parse(&text).unwrap().edits[0];
    let by_mask = apply(&sound, again, &Engine::cpu(), &Progress::new()).unwrap();
    let bits = |snapshot: &Snapshot| {
        let mut samples = vec![0.0f32; 8000];
        snapshot.read(0, 0, &mut samples).unwrap();
        samples.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(bits(&by_mask.snapshot), bits(&applied.snapshot));
    assert_ne!(bits(&applied.snapshot), bits(&sound));
    // A wand that is not resolved yet selects nothing.
    assert!(mask_of(&small_grid(), edit.select.as_ref().unwrap()).values.iter().all(|&m| m == 0.0));
    assert!(matches!(edit.brush, Brush::Erase(Erase)));
}

fn parse(select: &serde_json::Value) -> Result<Selection, base::Error> {
    let script = json!({"version": 1, "edits": [{"brush": {"kind": "erase"}, "select": select}]});
    Script::parse(&script.to_string()).map(|script| script.edits[0].select.clone().unwrap())
}

#[test]
fn shapes_are_read_and_written() {
    let select = json!([
        {"shape": "polygon", "points": [[0, 100], [1, 100], [0.5, 900]], "feather": [0.1, 0.2], "axis": "log"},
        {"op": "subtract", "shape": "stroke", "points": [[0.5, 440, 1]], "radius": [0.1, 20]},
        {"op": "intersect", "shape": "harmonics", "f0": 220, "count": 8, "width": 40, "time": [0.25, 0.75]},
        {"shape": "wand", "point": [0.5, 440], "tolerance_db": 6},
        {"shape": "mask", "time": [-0.5, 0.5], "frequency": [-10, 30], "values": [[0, 1, 0.5], [0.25, 0, 1]]},
        {"shape": "group", "shapes": [{"time": [0, 1]}, {"op": "subtract", "frequency": [0, 50]}]},
    ]);
    let selection = parse(&select).unwrap();
    let expected = vec![
        (
            Combine::Add,
            Shape::Polygon {
                points: vec![[0.0, 100.0], [1.0, 100.0], [0.5, 900.0]],
                feather: [0.1, 0.2],
                axis: Axis::Log,
            },
        ),
        (
            Combine::Subtract,
            Shape::Stroke(Stroke {
                points: vec![Point { secs: 0.5, hz: 440.0, pressure: 1.0 }],
                axis: Axis::Linear,
                radius: [0.1, 20.0],
                hardness: 0.5,
                strength: 1.0,
                build_up: false,
            }),
        ),
        (
            Combine::Intersect,
            Shape::Harmonics {
                f0_hz: 220.0,
                count: 8,
                width_hz: 40.0,
                secs: Some([0.25, 0.75]),
                feather: [0.0; 2],
                axis: Axis::Linear,
            },
        ),
        (Combine::Add, Shape::Wand { at: [0.5, 440.0], tolerance_db: 6.0 }),
        (
            Combine::Add,
            Shape::Cells(Cells {
                secs: [-0.5, 0.5],
                hz: [-10.0, 30.0],
                axis: Axis::Linear,
                size: [2, 3],
                values: vec![0.0, 1.0, 0.5, 0.25, 0.0, 1.0].into(),
            }),
        ),
        (
            Combine::Add,
            Shape::Group(Selection {
                shapes: vec![
                    (
                        Combine::Add,
                        Shape::Rectangle { secs: Some([0.0, 1.0]), hz: None, feather: [0.0; 2], axis: Axis::Linear },
                    ),
                    (
                        Combine::Subtract,
                        Shape::Rectangle { secs: None, hz: Some([0.0, 50.0]), feather: [0.0; 2], axis: Axis::Linear },
                    ),
                ],
            }),
        ),
    ];
    assert_eq!(selection.shapes, expected);
    let edit = Edit { select: Some(selection.clone()), ..Edit::of(Brush::Erase(Erase), StftParams::default()) };
    let text = Script::from(vec![edit.clone()]).to_json();
    assert_eq!(Script::parse(&text).unwrap().edits, [edit]);
}

#[test]
fn wrong_shapes_are_refused_by_place() {
    for (select, place) in [
        (json!({"shape": "polygon", "points": [[0, 1], [1, 1]]}), "edits[0].select.points: "),
        (json!({"shape": "polygon", "points": [[0, 1], [1, 1], [1, 2, 3]]}), "edits[0].select.points[2]: "),
        (json!({"shape": "polygon", "points": [[0, 1], [1, 0], [1, 2]], "axis": "log"}), ".select.points[1][1]: "),
        (json!({"shape": "polygon"}), "edits[0].select: points is missing"),
        (json!({"shape": "polygon", "points": [[0, 1], [1, 1], [1, 2]], "time": [0, 1]}), "edits[0].select: the field"),
        (json!({"shape": "stroke", "points": [], "radius": [1, 1]}), "edits[0].select.points: "),
        (json!({"shape": "stroke", "points": [[0, 1, 2]], "radius": [1, 1]}), "edits[0].select.points[0][2]: "),
        (json!({"shape": "stroke", "points": [[0, 1, 1]], "radius": [1, 0]}), "edits[0].select.radius[1]: "),
        (json!({"shape": "harmonics", "f0": 0, "count": 1, "width": 1}), "edits[0].select.f0: "),
        (json!({"shape": "harmonics", "f0": 9, "count": 0, "width": 1}), "edits[0].select.count: "),
        (json!({"shape": "harmonics", "f0": 9, "count": 513, "width": 1}), "edits[0].select.count: "),
        (json!({"shape": "harmonics", "f0": 9, "count": 1, "width": -1}), "edits[0].select.width: "),
        (json!({"shape": "wand", "point": [0, 1], "tolerance_db": -1}), "edits[0].select.tolerance_db: "),
        (json!({"shape": "wand", "point": [0], "tolerance_db": 1}), "edits[0].select.point: "),
        (json!({"shape": "mask", "time": [0, 0], "frequency": [0, 1], "values": [[1]]}), "edits[0].select.time: "),
        (json!({"shape": "mask", "time": [0, 1], "frequency": [0, 1], "values": []}), "edits[0].select.values: "),
        (json!({"shape": "mask", "time": [0, 1], "frequency": [0, 1], "values": [[]]}), "edits[0].select.values: "),
        (
            json!({"shape": "mask", "time": [0, 1], "frequency": [0, 1], "values": [[1, 0], [1]]}),
            "edits[0].select.values[1]: ",
        ),
        (
            json!({"shape": "mask", "time": [0, 1], "frequency": [0, 1], "values": [[1, 2]]}),
            "edits[0].select.values[0][1]: ",
        ),
        (json!({"shape": "group", "shapes": []}), "edits[0].select.shapes: "),
        (json!([{"time": [0, 1]}, {"shape": "group", "shapes": [{"time": [1, 0]}]}]), ".select[1].shapes[0].time: "),
    ] {
        let error = parse(&select).expect_err(&select.to_string());
        assert_eq!(error.kind(), ErrorKind::Script);
        assert!(error.to_string().contains(place), "{select}: {error}");
    }
}
