//! Every brush end to end, from an edit to samples: compares the difference made by `apply` with that of NumPy's
//! planes, or of the definition in f64. Kernels have their own tests; this checks the conversion of seconds, hertz
//! and cutoffs to cells.

use base::Progress;
use document::brushes::{Blur, Brush, ModulationFilter, Warp};
use document::{Edit, Snapshot, apply};
use dsp::strokes::brush::{Along, Butterworth, Pass, WarpMode};
use dsp::{Axis, Selection, StftParams, Window};
use media::Source;
use support::engines::engines;
use support::fourier::{Complex, Stft64, fft};
use support::measure::{f64s, snr_db};
use support::npy::{cases, load};
use support::parse;

const RATE: u32 = 8000;

fn short() -> Vec<f32> {
    load(&cases()["short"]).f32s()
}

fn params(n_fft: usize, hop: usize) -> StftParams {
    StftParams { n_fft, hop, window: Window::Hann }
}

fn textbook(params: StftParams) -> Stft64 {
    Stft64 { window: params.window.samples(params.n_fft), hop: params.hop }
}

/// `OLA(C' - C) / sum(w^2)` in f64.
fn added_by(after: &[Vec<Complex>], on: StftParams) -> Vec<f64> {
    let (stft, samples) = (textbook(on), f64s(&short()));
    let before = stft.analyse(&samples);
    let minus = |(a, b): (&Complex, &Complex)| [a[0] - b[0], a[1] - b[1]];
    let difference: Vec<Vec<Complex>> =
        after.iter().zip(&before).map(|(after, before)| after.iter().zip(before).map(minus).collect()).collect();
    stft.synthesise(&difference, samples.len())
}

/// Every engine adds `expected`, to 100 dB, and another edit does not.
fn assert_adds(edit: &Edit, expected: &[f64], other: &Edit, what: &str) {
    let samples = short();
    for engine in engines() {
        let added = |edit: &Edit| -> Vec<f64> {
            let before = Snapshot::new(Source::from_channels(vec![samples.clone()], RATE).unwrap());
            let after = apply(&before, edit, engine, &Progress::new()).unwrap().snapshot;
            let mut y = vec![0.0; samples.len()];
            after.read(0, 0, &mut y).unwrap();
            y.iter().zip(&samples).map(|(y, x)| f64::from(*y) - f64::from(*x)).collect()
        };
        let snr = snr_db(&added(edit), expected);
        assert!(snr >= 100.0, "{what} on the {}: {snr} dB of the change", engine.name());
        let other = snr_db(&added(other), expected);
        assert!(other < 80.0, "{what}: another edit adds the same, {other} dB");
    }
}

/// Cells of a rectangle of seconds and hertz, ends included.
fn is_inside(on: StftParams, frame: usize, bin: usize, secs: [f64; 2], hz: [f64; 2]) -> bool {
    let (t, f) = ((frame * on.hop) as f64 / 8000.0, (bin * 8000) as f64 / on.n_fft as f64);
    (secs[0]..=secs[1]).contains(&t) && (hz[0]..=hz[1]).contains(&f)
}

fn with_magnitude(cell: Complex, magnitude: f64) -> Complex {
    let was = cell[0].hypot(cell[1]);
    [cell[0] / was * magnitude, cell[1] / was * magnitude]
}

#[test]
fn a_blur_in_seconds_and_hertz() {
    let on = params(256, 64);
    let (secs, hz, sigma) = ([0.07, 0.17], [600.0, 2100.0], [0.013, 85.0]);
    let mut cells = textbook(on).analyse(&f64s(&short()));
    let magnitude: Vec<Vec<f64>> = cells.iter().map(|row| row.iter().map(|c| c[0].hypot(c[1])).collect()).collect();
    let sigma_cells = [sigma[0] * 8000.0 / 64.0, sigma[1] * 256.0 / 8000.0];
    let taps = sigma_cells.map(|s: f64| {
        let radius = (3.0 * s + 0.5).floor() as i64;
        let taps: Vec<(i64, f64)> =
            (-radius..=radius).map(|k| (k, (-((k * k) as f64) / (2.0 * s * s)).exp())).collect();
        let sum: f64 = taps.iter().map(|tap| tap.1).sum();
        taps.into_iter().map(|(k, w)| (k, w / sum)).collect::<Vec<_>>()
    });
    let near = |i: usize, k: i64, n: usize| (i as i64 + k).clamp(0, n as i64 - 1) as usize;
    let (n_frames, n_bins) = (cells.len(), cells[0].len());
    for (n, row) in cells.iter_mut().enumerate() {
        for (m, cell) in row.iter_mut().enumerate().filter(|(m, _)| is_inside(on, n, *m, secs, hz)) {
            let along_bins = |n: usize| taps[1].iter().map(|(k, w)| w * magnitude[n][near(m, *k, n_bins)]).sum::<f64>();
            let blurred = taps[0].iter().map(|(k, w)| w * along_bins(near(n, *k, n_frames))).sum();
            *cell = with_magnitude(*cell, blurred);
        }
    }
    let select = Some(Selection::rectangle(Some(secs), Some(hz), [0.0; 2], Axis::Linear));
    let blur = |sigma| Edit {
        select: select.clone(),
        ..Edit::of(Brush::Blur(Blur { sigma, sigma_axis: Axis::Linear, rebuild_phase: false }), on)
    };
    assert_adds(&blur(sigma), &added_by(&cells, on), &blur([0.0131, 85.0]), "blur");
}

/// Filters one line: mirrored to at least twice its length, multiplied by a response on its transform, and transformed
/// back.
fn filtered_line(line: &[f64], response: impl Fn(f64) -> f64) -> Vec<f64> {
    let (n, padded) = (line.len(), (2 * line.len()).next_power_of_two());
    let before = (padded - n) / 2;
    let mirrored = |place: usize| {
        let i = (place as i64 - before as i64).rem_euclid(2 * n as i64) as usize;
        line[i.min(2 * n - 1 - i)]
    };
    let mut x: Vec<Complex> = (0..padded).map(|place| [mirrored(place), 0.0]).collect();
    fft(&mut x, -1.0);
    for (k, x) in x.iter_mut().enumerate() {
        let b = response(k.min(padded - k) as f64 / padded as f64) / padded as f64;
        *x = [x[0] * b, x[1] * b];
    }
    fft(&mut x, 1.0);
    x[before..before + n].iter().map(|x| x[0]).collect()
}

#[test]
fn a_modulation_filter_in_hertz_and_cycles_per_kilohertz() {
    let on = params(256, 64);
    let (secs, hz) = ([0.05, 0.19], [400.0, 2600.0]);
    let low = |f: f64, cutoff: f64| 1.0 / (1.0 + (f / cutoff).powi(6)).sqrt();
    let cells = textbook(on).analyse(&f64s(&short()));
    let frames: Vec<usize> = (0..cells.len()).filter(|&n| is_inside(on, n, 20, secs, hz)).collect();
    let bins: Vec<usize> = (0..129).filter(|&m| is_inside(on, 10, m, secs, hz)).collect();
    let patch: Vec<Vec<f64>> =
        frames.iter().map(|&n| bins.iter().map(|&m| cells[n][m][0].hypot(cells[n][m][1])).collect()).collect();
    // A cycle per frame is 125 Hz; a cycle per bin of 31.25 Hz is 32 per kilohertz.
    let along_time = |patch: &[Vec<f64>]| {
        let column =
            |m: usize| filtered_line(&patch.iter().map(|row| row[m]).collect::<Vec<_>>(), |k| low(125.0 * k, 9.0));
        let columns: Vec<Vec<f64>> = (0..bins.len()).map(column).collect();
        (0..frames.len()).map(|n| columns.iter().map(|column| column[n]).collect()).collect::<Vec<Vec<f64>>>()
    };
    let along_frequency = |patch: &[Vec<f64>]| -> Vec<Vec<f64>> {
        patch.iter().map(|row| filtered_line(row, |k| low(32.0 * k, 2.5))).collect()
    };
    let filter = |cutoff: f64| Butterworth { pass: Pass::Low, cutoff: vec![cutoff], order: 3 };
    let select = Some(Selection::rectangle(Some(secs), Some(hz), [0.0; 2], Axis::Linear));
    for (along, filters, wrong, expected) in [
        (Along::Time, vec![filter(9.0)], vec![filter(9.1)], along_time(&patch)),
        (Along::Frequency, vec![filter(2.5)], vec![filter(2.52)], along_frequency(&patch)),
        (
            Along::Both,
            vec![filter(9.0), filter(2.5)],
            vec![filter(2.5), filter(9.0)],
            along_frequency(&along_time(&patch)),
        ),
    ] {
        let mut after = cells.clone();
        for (i, &n) in frames.iter().enumerate() {
            for (j, &m) in bins.iter().enumerate() {
                after[n][m] = with_magnitude(cells[n][m], expected[i][j].max(0.0));
            }
        }
        let with = |filters| Edit {
            select: select.clone(),
            ..Edit::of(Brush::ModulationFilter(ModulationFilter { along, filters, rebuild_phase: false }), on)
        };
        assert_adds(&with(filters), &added_by(&after, on), &with(wrong), &format!("modulation filter, {along:?}"));
    }
}

/// NumPy's plane of a case, `[frame][bin]`.
fn reference_plane(case: &serde_json::Value) -> Vec<Vec<Complex>> {
    let array = load(&case["after"]);
    array.complex().chunks(array.shape[1]).map(<[Complex]>::to_vec).collect()
}

#[test]
fn warps_of_numpys_planes() {
    let all = cases();
    for group in ["grab", "push"] {
        for case in all[group]["cases"].as_array().unwrap() {
            // The hop of the edit is larger than that of the expected cells: warps reduce it to an eighth of a window.
            let stroke = parse::stroke(&case["stroke"]);
            let mode = |by: f64| match group {
                "push" => WarpMode::Push,
                _ => WarpMode::Grab {
                    shift: serde_json::from_value::<[f64; 2]>(case["shift"].clone()).unwrap().map(|s| s * by),
                },
            };
            let mut warp = Edit::of(Brush::Warp(Warp { mode: mode(1.0), peak_locking: false }), params(256, 64));
            warp.stroke = stroke;
            warp.select = parse::selection(&case["select"]);
            // Without a stroke, the shift is in units of the axis of the selection's first shape.
            let mut other = Edit { brush: Brush::Warp(Warp { mode: mode(1.01), peak_locking: false }), ..warp.clone() };
            if let Some(stroke) = &mut other.stroke {
                stroke.points[0].pressure *= 0.98;
            }
            let expected = added_by(&reference_plane(case), params(256, 32));
            assert_adds(&warp, &expected, &other, &format!("{group} {}", case["name"]));
        }
    }
}
