//! Phases rebuilt from magnitudes, and phases advanced when cells are moved: consistency of the resulting cells,
//! computed with f64 transforms and the measures of the literature.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use base::Progress;
use document::brushes::{Blur, Brush, RebuildPhase, Warp};
use document::{Edit, Snapshot, apply};
use dsp::kernels::BlurKernel;
use dsp::strokes::brush::WarpMode;
use dsp::warps::displacement::Displacement;
use dsp::warps::{peak_locking, phase};
use dsp::{Axis, CellRect, Grid, Kernel, Mask, Point, Region, Selection, Stft, StftParams, Stroke, Window};
use engine::Engine;
use media::Source;
use std::f64::consts::PI;
use support::engines::engines;
use support::fourier::{Complex, Stft64, turn};
use support::measure::{changed, f64s, snr_db, strongest_tone};
use support::signals::{busy, tone};
use support::wav::Wav;

const RATE: f64 = 22_050.0;
const N: usize = 1024;

/// Four decaying harmonic tones with vibrato, six noise bursts, a floor of noise (`signals.py`).
pub fn tones_clicks_noise() -> Vec<f32> {
    let path = support::root().join("tests/signals/tones_clicks_noise.wav");
    let wav = Wav::read(&path);
    let samples: Vec<f32> = wav.channels[0].iter().map(|&bits| f32::from_bits(bits as u32)).collect();
    assert_eq!(samples.len(), 66_150);
    samples
}

fn params(overlap: usize) -> StftParams {
    StftParams { n_fft: N, hop: N / overlap, window: Window::Hann }
}

fn grid(overlap: usize, n_samples: usize) -> Grid {
    Grid::new(params(overlap), RATE, n_samples as u64)
}

fn stft64(overlap: usize) -> Stft64 {
    Stft64 { window: Window::Hann.samples(N), hop: N / overlap }
}

fn whole(grid: &Grid) -> CellRect {
    CellRect::new(0..grid.n_frames(), 0..grid.n_bins())
}

/// All cells of a sound.
fn analysed(grid: &Grid, x: &[f32]) -> Region {
    let stft = Stft::new(*grid.transform().as_stft().unwrap());
    let mut samples = vec![0.0; N / 2];
    samples.extend_from_slice(x);
    samples.resize(stft.n_samples_under(grid.n_frames()), 0.0);
    stft.analyse(&samples, &whole(grid))
}

fn cells(region: &Region) -> Vec<Vec<Complex>> {
    let polar = region.magnitude.iter().zip(&region.phase);
    let cells: Vec<Complex> = polar.map(|(m, p)| turn(f64::from(*p)).map(|part| part * f64::from(*m))).collect();
    cells.chunks(region.n_bins()).map(<[Complex]>::to_vec).collect()
}

fn decibels(off: f64, all: f64) -> f64 {
    10.0 * (off / all).log10()
}

/// `20 log10(||STFT(ISTFT(Y)) - Y|| / ||Y||)`, and the same of magnitudes alone.
fn inconsistency_db(y: &Region, grid: &Grid) -> [f64; 2] {
    let stft = stft64(grid.transform().as_stft().unwrap().n_fft / grid.transform().as_stft().unwrap().hop);
    let y = cells(y);
    let again = stft.analyse(&stft.synthesise(&y, grid.n_samples as usize));
    let [mut off, mut off_magnitude, mut all] = [0.0; 3];
    for (a, b) in y.iter().flatten().zip(again.iter().flatten()) {
        off += (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
        off_magnitude += (a[0].hypot(a[1]) - b[0].hypot(b[1])).powi(2);
        all += a[0].powi(2) + a[1].powi(2);
    }
    [decibels(off, all), decibels(off_magnitude, all)]
}

fn all_of(rect: &CellRect) -> Mask {
    Mask { rect: rect.clone(), values: vec![1.0; rect.n_cells()] }
}

// ------------------------------------------------------------------------------------------------- rebuilding phase

#[test]
fn phase_from_magnitude_alone_is_nearly_consistent() {
    let x = tones_clicks_noise();
    // Measured at an overlap of 4: -23.1 dB after the integration, -30.7 dB after ten steps;
    // at 8: -25.8 and -37.5 dB.
    for (overlap, integrated, stepped) in [(4, -22.0, -28.0), (8, -24.0, -34.0)] {
        let grid = grid(overlap, x.len());
        let mut target = analysed(&grid, &x);
        target.phase.fill(0.0);
        let (stft, mask) = (Stft::new(*grid.transform().as_stft().unwrap()), all_of(&target.rect));
        let silence = Region::zeros(target.rect.clone());
        let after = |steps| {
            let rebuilt = phase::rebuild(&stft, &grid, &silence, &target, &mask, steps);
            assert_eq!(rebuilt.magnitude, target.magnitude);
            assert!(rebuilt.phase.iter().all(|turns| (-0.5..0.5).contains(turns)));
            inconsistency_db(&rebuilt, &grid)[1]
        };
        let [none, ten] = [0, phase::DEFAULT_STEPS].map(after);
        println!("R {overlap}: {none} dB, {ten} dB");
        assert!(none <= integrated, "R {overlap}: {none} dB after the integration");
        assert!(ten <= stepped, "R {overlap}: {ten} dB after ten steps");
        // Control: no phase at all.
        assert!(inconsistency_db(&target, &grid)[1] > -8.0);
    }
}

#[test]
fn phase_around_a_part_is_where_its_own_begins() {
    // Two steady tones; the phases in a box in the middle are scrambled.
    let x: Vec<f32> =
        tone(40_000, RATE, 1000.3, 0.4).iter().zip(tone(40_000, RATE, 1900.7, 0.2)).map(|(a, b)| a + b).collect();
    for overlap in [4, 8] {
        let grid = grid(overlap, x.len());
        let known = analysed(&grid, &x);
        let rect = CellRect::new(20 * overlap..22 * overlap, 30..110);
        let around = rect.grown(phase::HALO, phase::HALO, &known.rect);
        let mut target = known.crop(&rect);
        target.phase.iter_mut().enumerate().for_each(|(i, turns)| *turns = ((i * 37) % 101) as f32 / 101.0 - 0.5);
        let stft = Stft::new(*grid.transform().as_stft().unwrap());
        let off_db = |known: &Region, steps| {
            let rebuilt = phase::rebuild(&stft, &grid, known, &target, &all_of(&rect), steps);
            let truth = known_cells(&analysed(&grid, &x).crop(&rect));
            let got = known_cells(&rebuilt);
            -snr_db(&got, &truth)
        };
        let near = known.crop(&around);
        let [plain, stepped] = [0, 10].map(|steps| off_db(&near, steps));
        println!("R {overlap}: {plain} dB, {stepped} dB");
        assert!(plain < -14.0, "R {overlap}: {plain} dB from the phases lost");
        assert!(stepped < -20.0, "R {overlap}: {stepped} dB with steps");
        // Control: wrong phases around the box lead to wrong phases inside.
        let mut wrong = near.clone();
        wrong.phase.iter_mut().for_each(|turns| *turns = (*turns + 0.75).rem_euclid(1.0) - 0.5);
        assert!(off_db(&wrong, 0) > -6.0);
    }
}

fn known_cells(region: &Region) -> Vec<f64> {
    cells(region).concat().concat()
}

fn edit(brush: Brush, overlap: usize, select: Option<Selection>) -> Edit {
    Edit { select, ..Edit::of(brush, params(overlap)) }
}

fn sound(x: &[f32]) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![x.to_vec()], RATE as u32).unwrap())
}

fn run(x: &[f32], edit: &Edit, engine: &Engine) -> (Vec<f32>, Option<f64>) {
    let applied = apply(&sound(x), edit, engine, &Progress::new()).unwrap_or_else(|e| panic!("{edit:?}: {e}"));
    let mut y = vec![0.0; x.len()];
    applied.snapshot.read(0, 0, &mut y).unwrap();
    (y, applied.report.consistency_db)
}

fn boxed(secs: [f64; 2], hz: [f64; 2]) -> Option<Selection> {
    Some(Selection::rectangle(Some(secs), Some(hz), [0.0; 2], Axis::Linear))
}

#[test]
fn rebuilding_the_phase_of_a_selection_keeps_its_magnitude_and_all_else() {
    let x = tones_clicks_noise();
    let rebuild = edit(Brush::RebuildPhase(RebuildPhase { steps: 10 }), 4, boxed([1.0, 1.6], [300.0, 4000.0]));
    let (of_cpu, _) = run(&x, &rebuild, &Engine::cpu());
    let frames = [(1.0 * RATE / 256.0).ceil() as usize, (1.6 * RATE / 256.0).floor() as usize];
    let reach = frames[0] * 256 - N / 2..frames[1] * 256 + N / 2;
    let touched = changed(&x, &of_cpu);
    assert!(touched.len() > 10_000 && touched.iter().all(|i| reach.contains(i)));
    // Analysed again, the magnitudes are nearly unchanged.
    let stft = stft64(4);
    let [before, after] = [&x, &of_cpu].map(|x| stft.analyse(&f64s(x)));
    let (mut off, mut all) = (0.0, 0.0);
    for frame in frames[0]..=frames[1] {
        for (a, b) in before[frame][14..186].iter().zip(&after[frame][14..186]) {
            off += (a[0].hypot(a[1]) - b[0].hypot(b[1])).powi(2);
            all += a[0].powi(2) + a[1].powi(2);
        }
    }
    let kept = decibels(off, all);
    println!("magnitudes {kept} dB off");
    assert!(kept < -20.0, "magnitudes {kept} dB off");
    // The phases do change.
    assert!(snr_db(&f64s(&of_cpu[reach.clone()]), &f64s(&x[reach])) < 40.0);
    for engine in engines() {
        let (y, _) = run(&x, &rebuild, engine);
        let difference = |y: &[f32]| y.iter().zip(&x).map(|(y, x)| f64::from(*y) - f64::from(*x)).collect::<Vec<f64>>();
        assert!(snr_db(&difference(&y), &difference(&of_cpu)) > 95.0, "{}", engine.name());
    }
    // A whole file is refused only if it is too long to process at once.
    let long = Snapshot::new(Source::silence(40_000_000, RATE as u32, 1).unwrap());
    let whole = edit(Brush::RebuildPhase(RebuildPhase { steps: 1 }), 4, None);
    let error = apply(&long, &whole, &Engine::cpu(), &Progress::new()).unwrap_err();
    assert!(error.message().contains("select less time"), "{error}");
}

#[test]
fn a_blur_with_its_phase_rebuilt_sounds_more_like_its_picture() {
    let x = tones_clicks_noise();
    for (sigma, less_db) in [([0.05, 10.0], 3.0), ([0.01, 120.0], 1.0)] {
        let blur = |rebuild_phase| {
            edit(
                Brush::Blur(Blur { sigma, sigma_axis: Axis::Linear, rebuild_phase }),
                4,
                boxed([0.8, 2.0], [200.0, 6000.0]),
            )
        };
        let [kept, rebuilt] =
            [false, true].map(|rebuild| magnitude_off_db(&x, sigma, &run(&x, &blur(rebuild), &Engine::cpu()).0));
        println!("{sigma:?}: {kept} dB, {rebuilt} dB");
        assert!(rebuilt < kept - less_db, "{sigma:?}: {kept} dB with its phase, {rebuilt} dB rebuilt");
    }
}

/// Difference between the magnitudes of a blurred sound and those of the blurred picture, inside its box.
fn magnitude_off_db(x: &[f32], sigma: [f64; 2], y: &[f32]) -> f64 {
    let grid = grid(4, x.len());
    let taps = [grid.frame_from_secs(sigma[0]), grid.bin_from_hz(sigma[1])].map(dsp::kernels::gaussian_taps);
    let [frame_taps, bin_taps] = taps;
    let before = analysed(&grid, x);
    let target = Kernel::from(BlurKernel { frame_taps, bin_taps }).run(&before, &all_of(&before.rect));
    let after = analysed(&grid, y);
    let inside = CellRect::new(72..170, 12..275);
    let [target, after] = [&target, &after].map(|region| f64s(&region.crop(&inside).magnitude));
    -snr_db(&after, &target)
}

// ------------------------------------------------------------------------------------------- phase while sound moves

/// Moves all cells by a displacement field.
fn moved(grid: &Grid, before: &Region, field: &Displacement) -> Region {
    let overlap = (N / grid.transform().as_stft().unwrap().hop) as u32;
    let kernel = Kernel::Resample { displacement: field.clone(), overlap, nyquist_bin: N as u32 / 2 };
    kernel.run(before, &all_of(&before.rect))
}

/// A raised cosine, 0 at the first and 1 at the last frame.
fn rise(frame: usize, n_frames: usize) -> f64 {
    (1.0 - (PI * frame as f64 / (n_frames - 1) as f64).cos()) / 2.0
}

/// The displacement of a grab under a mask that rises over all frames.
fn rising(grid: &Grid, shift: [f64; 2]) -> Displacement {
    let rect = whole(grid);
    let n_frames = grid.n_frames();
    let values = (0..rect.n_cells()).map(|i| rise(i / grid.n_bins(), n_frames) as f32).collect();
    Displacement::grab(grid, &Mask { rect, values }, Axis::Linear, shift)
}

#[test]
fn a_plane_moved_by_whole_bins_is_consistent() {
    let x = tones_clicks_noise();
    for overlap in [4, 8] {
        let grid = grid(overlap, x.len());
        let before = analysed(&grid, &x);
        let field = Displacement::shift(&grid, &all_of(&before.rect), Axis::Linear, grid.hz_from_bin(-3.0), 0);
        let after = moved(&grid, &before, &field);
        let [db, _] = inconsistency_db(&after, &grid);
        println!("R {overlap}: {db} dB");
        assert!(db <= -35.0, "R {overlap}: {db} dB");
        // Control: cells moved without advancing their phases.
        let still = Displacement { turns: vec![0.0; field.turns.len()], ..field };
        assert!(inconsistency_db(&moved(&grid, &before, &still), &grid)[0] > -10.0);
    }
}

#[test]
fn a_warp_that_rises_over_the_clip_is_consistent() {
    let x = tones_clicks_noise();
    for (overlap, locked_db) in [(4, -14.0), (8, -12.0)] {
        let grid = grid(overlap, x.len());
        let before = analysed(&grid, &x);
        let in_frequency = rising(&grid, [0.0, grid.hz_from_bin(4.0)]);
        let [db, _] = inconsistency_db(&moved(&grid, &before, &in_frequency), &grid);
        println!("R {overlap}, frequency: {db} dB");
        assert!(db <= -15.0, "R {overlap}, in frequency: {db} dB");
        let still = Displacement { turns: vec![0.0; before.phase.len()], ..in_frequency };
        assert!(inconsistency_db(&moved(&grid, &before, &still), &grid)[0] > -10.0);

        let in_time = rising(&grid, [grid.secs_from_frame(3.0), 0.0]);
        let plain = moved(&grid, &before, &in_time);
        let mut locked = plain.clone();
        peak_locking::lock(&grid, &in_time, &before, &mut locked);
        assert_eq!(locked.magnitude, plain.magnitude);
        let [plain, locked] = [plain, locked].map(|y| inconsistency_db(&y, &grid)[0]);
        println!("R {overlap}, time: {plain} dB, locked {locked} dB");
        assert!(locked <= locked_db, "R {overlap}, in time: {locked} dB locked, {plain} dB plain");
        // Control: without locking, cells keep the phase of their source, which is inconsistent.
        assert!(plain > locked_db, "{plain} dB");
    }
}

#[test]
fn half_a_hop_is_nearly_the_truth() {
    let x = tones_clicks_noise();
    let grid = grid(8, x.len());
    let half = N / 16;
    let mut later = vec![0.0; half];
    later.extend_from_slice(&x[..x.len() - half]);
    let before = analysed(&grid, &x);
    let shift = |frames: f64| {
        Displacement::grab(&grid, &all_of(&before.rect), Axis::Linear, [grid.secs_from_frame(frames), 0.0])
    };
    let truth = known_cells(&analysed(&grid, &later));
    let off_db = |frames: f64| -snr_db(&known_cells(&moved(&grid, &before, &shift(frames))), &truth);
    println!("{} dB", off_db(0.5));
    assert!(off_db(0.5) <= -35.0, "{} dB", off_db(0.5));
    assert!(off_db(0.45) > -35.0, "a little less is noticed");
}

#[test]
fn a_tone_keeps_its_pitch_where_time_is_stretched() {
    let x = tone(60_000, RATE, 1000.0, 0.5);
    // A box is delayed by 60 ms under soft edges of 0.4 s; time is stretched under its left edge,
    // where the pitch is measured.
    let select = Selection::rectangle(Some([0.9, 1.9]), None, [0.4, 0.0], Axis::Linear);
    let grab = |peak_locking| {
        edit(Brush::Warp(Warp { mode: WarpMode::Grab { shift: [0.06, 0.0] }, peak_locking }), 4, Some(select.clone()))
    };
    let pitch = |y: &[f32]| {
        let at = (0.7 * RATE) as usize;
        strongest_tone(&y[at - 2048..at + 2048], RATE, 600.0, 1400.0)
    };
    let mut heard = Vec::new();
    for engine in engines() {
        let (y, report) = run(&x, &grab(true), engine);
        let found = pitch(&y);
        println!("{}: {found:?} {report:?}", engine.name());
        assert!((found.hz - 1000.0).abs() < 3.0 && found.level > 0.45, "{}: {found:?}", engine.name());
        heard.push(f64s(&y));
    }
    heard.iter().for_each(|y| assert!(snr_db(y, &heard[0]) > 100.0));
    // The same for a selection limited to a band around the tone.
    let band = Selection::rectangle(Some([0.9, 1.9]), Some([800.0, 1200.0]), [0.4, 50.0], Axis::Linear);
    for engine in engines() {
        let found = pitch(&run(&x, &Edit { select: Some(band.clone()), ..grab(true) }, engine).0);
        assert!((found.hz - 1000.0).abs() < 3.0 && found.level > 0.45, "{}, in a band: {found:?}", engine.name());
    }
    // Also over minutes, where processing all bins at once would exceed the limit.
    let long = Snapshot::new(Source::silence(4_500_000, RATE as u32, 1).unwrap());
    let points = vec![Point { secs: 100.0, hz: 810.0, pressure: 1.0 }];
    let (axis, radius) = (Axis::Linear, [110.0, 5000.0]);
    let stroke = Stroke { points, axis, radius, hardness: 0.0, strength: 1.0, build_up: false };
    let narrow = Selection::rectangle(None, Some([800.0, 820.0]), [0.0; 2], Axis::Linear);
    let slow = Edit { stroke: Some(stroke), select: Some(narrow), ..grab(true) };
    apply(&long, &slow, &Engine::cpu(), &Progress::new()).unwrap();
    let plain = pitch(&run(&x, &grab(false), &Engine::cpu()).0);
    println!("plain {plain:?}");
    assert!((plain.hz - 1000.0).abs() > 20.0, "without locking it sags: {plain:?}");
}

#[test]
fn locking_changes_nothing_that_does_not_stretch_time() {
    let x = busy(40_000, RATE, 61);
    for shift in [[0.0, 200.0], [0.02, 0.0], [0.02, 200.0]] {
        let grab = |peak_locking| {
            edit(
                Brush::Warp(Warp { mode: WarpMode::Grab { shift }, peak_locking }),
                4,
                boxed([0.5, 1.0], [500.0, 3000.0]),
            )
        };
        for engine in engines() {
            assert_eq!(run(&x, &grab(true), engine), run(&x, &grab(false), engine), "{shift:?}");
        }
    }
}
