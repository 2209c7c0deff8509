//! Axes, and masks of strokes and selections, against librosa, NumPy and a cell-by-cell evaluation in f64.
//!
//! Masks are made in f64 and kept as f32, so 1e-6 is ten times their rounding.

use dsp::selections::mask::{bounds, evaluate};
use dsp::strokes::stroke::profile;
use dsp::{Axis, CellRect, Combine, Grid, Mask, Point, Selection, Shape, StftParams, Stroke, Window};
use proptest::prelude::*;
use support::measure::{f64s, max_error};
use support::naive::{centre, stroke_at};
use support::npy::{cases, load};
use support::parse;

fn all_cells(grid: &Grid) -> CellRect {
    CellRect::new(0..grid.n_frames(), 0..grid.n_bins())
}

fn small_grid() -> Grid {
    let stft = StftParams { n_fft: 256, hop: 64, window: Window::Hann };
    Grid::new(stft, 8000.0, 4000)
}

fn strokes(stroke: &Stroke, grid: &Grid) -> Mask {
    evaluate(grid, Some(stroke), None, 1.0, &all_cells(grid))
}

#[test]
fn axes_are_librosas() {
    let case = &cases()["axes"];
    let hz = load(&case["hz"]).f64s();
    for (axis, name) in [(Axis::Mel, "mel"), (Axis::Bark, "bark")] {
        let units = load(&case[name]).f64s();
        let relative = |ours: f64, theirs: f64| (ours - theirs) / theirs.abs().max(1.0);
        let forward = hz.iter().zip(&units).map(|(&hz, &units)| relative(axis.units_from_hz(hz), units));
        assert!(max_error(forward, hz.iter().map(|_| 0.0)) < 1e-12, "{name}");
        let back = hz.iter().zip(&units).map(|(&hz, &units)| relative(axis.hz_from_units(units), hz));
        assert!(max_error(back, hz.iter().map(|_| 0.0)) < 1e-12, "{name}, back");
        // Control: HTK's mel scale is far from both.
        let htk = hz.iter().map(|hz| 2595.0 * (1.0 + hz / 700.0).log10());
        assert!(max_error(htk, units.iter().copied()) > 1.0);
    }
    assert_eq!([Axis::Log.units_from_hz(440.0), Axis::Log.hz_from_units(3.0)], [440.0f64.log2(), 8.0]);
    assert_eq!(Axis::Log.units_from_hz(0.0), f64::NEG_INFINITY);
    assert_eq!([Axis::Linear.units_from_hz(440.0), Axis::Linear.hz_from_units(3.0)], [440.0, 3.0]);
}

#[test]
fn masks_are_numpys() {
    let case = &cases()["masks"];
    let grid = parse::grid(case, case["n_samples"].as_u64().unwrap() as usize);
    let array = load(&case["array"]);
    let values = array.f32s();
    for case in case["cases"].as_array().unwrap() {
        let (stroke, selection) = (parse::stroke(&case["stroke"]), parse::selection(&case["select"]));
        let mask = evaluate(&grid, stroke.as_ref(), selection.as_ref(), 1.0, &all_cells(&grid));
        let reference = array.row(&values, case["row"].as_u64().unwrap() as usize);
        let error = max_error(f64s(&mask.values), f64s(reference));
        assert!(error < 1e-6, "{}: {error}", case["name"]);

        // The mask is 0 outside the bounds, and evaluating only the bounds gives the same values.
        let rect = bounds(&grid, stroke.as_ref(), selection.as_ref());
        assert!(rect.contains(&mask.tight_bounds()), "{}: {rect:?} and {:?}", case["name"], mask.tight_bounds());
        let piece = evaluate(&grid, stroke.as_ref(), selection.as_ref(), 1.0, &rect);
        assert_eq!(piece, mask.crop(&rect), "{}", case["name"]);
        if case["name"] == "outside" {
            assert!(mask.tight_bounds().is_empty());
            continue;
        }
        // The bounds are no wider than the stroke needs, except for soft corners and a cell of rounding.
        let tight = mask.tight_bounds().grown(4, 4, &all_cells(&grid));
        assert!(tight.contains(&rect) || stroke.is_some(), "{}: {rect:?} around {tight:?}", case["name"]);

        // Control: shifted by one cell, the mask differs.
        let moved = f64s(&mask.values).into_iter().cycle().skip(1).take(mask.values.len());
        assert!(max_error(moved, f64s(reference)) > 1e-3, "{}", case["name"]);
    }
}

#[test]
fn the_profile_is_flat_then_falls_as_a_raised_cosine() {
    assert_eq!([profile(0.0, 0.5), profile(0.5, 0.5), profile(1.0, 0.5), profile(2.0, 0.5)], [1.0, 1.0, 0.0, 0.0]);
    assert!((profile(0.75, 0.5) - 0.5).abs() < 1e-15);
    assert!((profile(0.25, 0.0) - (0.5 + 0.5 * (std::f64::consts::PI / 4.0).cos())).abs() < 1e-15);
    assert_eq!([profile(1.0, 1.0), profile(1.0 + 1e-12, 1.0)], [1.0, 0.0]);
}

fn point_strategy() -> impl Strategy<Value = Point> {
    (-0.1..0.7f64, 20.0..4500.0f64, 0.0..=1.0f64).prop_map(|(secs, hz, pressure)| Point { secs, hz, pressure })
}

prop_compose! {
    fn stroke_strategy()(
        points in prop::collection::vec(point_strategy(), 1..6),
        axis in prop::sample::select(Axis::ALL.to_vec()),
        radius in (0.005..0.2f64, 0.2..3.0f64),
        hardness in 0.0..=1.0f64,
        strength in 0.0..=1.0f64,
    ) -> Stroke {
        let hz_scale = if axis == Axis::Linear { 300.0 } else { 1.0 };
        Stroke { points, axis, radius: [radius.0, radius.1 * hz_scale], hardness, strength, build_up: false }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every cell of any stroke equals the definition, evaluated there alone.
    #[test]
    fn strokes_are_their_definition(stroke in stroke_strategy()) {
        let grid = small_grid();
        let mask = strokes(&stroke, &grid);
        for (i, &m) in mask.values.iter().enumerate() {
            let (secs, hz) = centre(&grid, i / grid.n_bins(), i % grid.n_bins());
            let expected = stroke_at(&stroke, secs, hz);
            prop_assert!((f64::from(m) - expected).abs() < 1e-6, "cell {}: {} for {}", i, m, expected);
        }
        let rect = bounds(&grid, Some(&stroke), None);
        prop_assert!(rect.contains(&mask.tight_bounds()));
    }

    /// A stroke's direction has no effect. Additional points on its line have none at constant pressure (at varying
    /// pressure, the nearest point of a shorter segment may have a higher pressure).
    #[test]
    fn a_stroke_is_its_line(stroke in stroke_strategy(), part in 0.1..0.9f64) {
        let grid = small_grid();
        let mask = f64s(&strokes(&stroke, &grid).values);
        let mut backward = stroke.clone();
        backward.points.reverse();
        prop_assert!(max_error(f64s(&strokes(&backward, &grid).values), mask.clone()) < 1e-6);
        if stroke.points.len() > 1 {
            let mut stroke = stroke;
            stroke.points.iter_mut().for_each(|point| point.pressure = 0.75);
            let mask = f64s(&strokes(&stroke, &grid).values);
            let [a, b] = [stroke.points[0], stroke.points[1]];
            let mix = |a: f64, b: f64| a + (b - a) * part;
            let units = |p: Point| stroke.axis.units_from_hz(p.hz);
            let hz = stroke.axis.hz_from_units(mix(units(a), units(b)));
            let between = Point { secs: mix(a.secs, b.secs), hz, pressure: 0.75 };
            let mut divided = stroke.clone();
            divided.points.insert(1, between);
            prop_assert!(max_error(f64s(&strokes(&divided, &grid).values), mask) < 1e-6);
        }
    }

    /// An additional point never lowers the mask, and never raises it above the strength.
    #[test]
    fn more_points_never_paint_less(stroke in stroke_strategy(), point in point_strategy()) {
        let grid = small_grid();
        // A single point would become the start of a segment, along which the pressure may fall.
        prop_assume!(stroke.points.len() > 1);
        let mut longer = stroke.clone();
        longer.points.push(point);
        for (before, after) in strokes(&stroke, &grid).values.iter().zip(&strokes(&longer, &grid).values) {
            prop_assert!(after + 1e-6 >= *before, "{} after {}", after, before);
            prop_assert!(f64::from(*after) <= stroke.strength + 1e-6);
        }
    }

    /// Combining rectangles is arithmetic on their masks.
    #[test]
    fn selections_combine_cell_by_cell(
        boxes in prop::collection::vec((0.0..0.4f64, 0.0..3500.0f64, 0.01..0.2f64, 50.0..1500.0f64), 2..5),
        ops in prop::collection::vec(prop::sample::select(vec![Combine::Add, Combine::Subtract, Combine::Intersect]), 5),
        strength in 0.1..=1.0f64,
    ) {
        let grid = small_grid();
        let rect = all_cells(&grid);
        let shape = |&(secs, hz, long, high): &(f64, f64, f64, f64)| Shape::Rectangle {
            secs: Some([secs, secs + long]), hz: Some([hz, hz + high]), feather: [0.03, 200.0], axis: Axis::Linear,
        };
        let alone = |shape: &Shape| {
            let selection = Selection { shapes: vec![(Combine::Add, shape.clone())] };
            f64s(&evaluate(&grid, None, Some(&selection), 1.0, &rect).values)
        };
        let shapes: Vec<_> = ops.iter().copied().zip(boxes.iter().map(shape)).collect();
        let mut expected = vec![0.0f64; rect.n_cells()];
        for (combine, shape) in &shapes {
            for (total, b) in expected.iter_mut().zip(alone(shape)) {
                *total = match combine {
                    Combine::Add => total.max(b),
                    Combine::Subtract => *total * (1.0 - b),
                    Combine::Intersect => *total * b,
                };
            }
        }
        let selection = Selection { shapes };
        let together = evaluate(&grid, None, Some(&selection), strength, &rect);
        let error = max_error(f64s(&together.values), expected.iter().map(|m| m * strength));
        prop_assert!(error < 1e-6, "{}", error);
        prop_assert!(bounds(&grid, None, Some(&selection)).contains(&together.tight_bounds()));
    }
}

fn cells(grid: &Grid, secs: Option<[f64; 2]>, hz: Option<[f64; 2]>, axis: Axis) -> CellRect {
    let selection = Selection::rectangle(secs, hz, [0.0; 2], axis);
    let mask = evaluate(grid, None, Some(&selection), 1.0, &all_cells(grid));
    assert!(mask.values.iter().all(|&m| m == 0.0 || m == 1.0), "hard edges");
    let rect = mask.tight_bounds();
    assert!(bounds(grid, None, Some(&selection)).contains(&rect));
    let count = mask.values.iter().filter(|m| **m > 0.0).count();
    assert_eq!(count, rect.n_cells(), "a rectangle of cells");
    rect
}

#[test]
fn rectangles_are_closed_and_never_empty_inside_the_spectrogram() {
    let grid = small_grid(); // frames every 8 ms, bins every 31.25 Hz
    let last = grid.n_frames();
    let rect = |frames, bins| CellRect::new(frames, bins);
    let linear = |secs, hz| cells(&grid, secs, hz, Axis::Linear);
    assert_eq!(linear(None, None), all_cells(&grid));
    assert_eq!(linear(Some([0.008, 0.024]), Some([62.5, 93.75])), rect(1..4, 2..4), "both ends belong to it");
    assert_eq!(linear(Some([0.0081, 0.0239]), Some([62.6, 93.7])), rect(2..3, 3..4), "nearest when none is inside");
    assert_eq!(linear(Some([0.0085, 0.0086]), Some([63.0, 64.0])), rect(1..2, 2..3));
    assert_eq!(linear(Some([0.0135, 0.0139]), Some([92.0, 93.0])), rect(2..3, 3..4));
    assert_eq!(linear(Some([0.012, 0.012]), Some([46.875, 46.875])), rect(1..2, 1..2), "the lower of two");
    assert_eq!(linear(None, Some([4000.0, 4000.0])), rect(0..last, 128..129));
    assert!(linear(None, Some([4000.5, 9000.0])).is_empty());
    assert!(linear(Some([-3.0, -0.001]), None).is_empty());
    assert!(linear(Some([0.6, 9.0]), None).is_empty());
    assert_eq!(linear(Some([-3.0, 9.0]), Some([0.0, 1e9])), all_cells(&grid));
    assert_eq!(linear(Some([0.0, 0.001]), Some([0.0, 1.0])), rect(0..1, 0..1));

    let log = |hz| cells(&grid, None, Some(hz), Axis::Log).bins;
    assert_eq!(log([0.0, 100.0]), 1..4, "all below but DC");
    assert_eq!(log([0.0, 1e5]), 1..129);
    // 31.25 and 62.5 Hz: their middle is 44.2 Hz on a log axis, 46.9 Hz on a linear one.
    assert_eq!(log([45.0, 46.0]), 2..3);
    assert_eq!(cells(&grid, None, Some([45.0, 46.0]), Axis::Linear).bins, 1..2);
}

#[test]
fn strength_scales_a_selection_and_the_whole_file_alike() {
    let grid = small_grid();
    let whole = evaluate(&grid, None, None, 0.25, &all_cells(&grid));
    assert!(whole.values.iter().all(|&m| m == 0.25));
    assert_eq!(bounds(&grid, None, None), all_cells(&grid));
    let stroke = Stroke {
        points: vec![Point { secs: 0.2, hz: 1000.0, pressure: 1.0 }],
        axis: Axis::Linear,
        radius: [0.1, 500.0],
        hardness: 0.5,
        strength: 0.5,
        build_up: false,
    };
    let alone = strokes(&stroke, &grid);
    // With a stroke, the edit's own strength is ignored.
    assert_eq!(evaluate(&grid, Some(&stroke), None, 0.1, &all_cells(&grid)), alone);
}
