//! Display of row transforms: levels of the pyramid, sketches, pictures and previews of strokes.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::{RATE, sound};
use base::Progress;
use document::brushes::Gain;
use document::{Channels, Edit, PenDown, Snapshot, StrokeSession};
use dsp::transforms::rows::{RowBank, RowsParams};
use dsp::{Axis, CellRect, Grid, Point, Region, Stroke, Transform, ViewPlan};
use engine::Engine;
use media::Source;
use sonobrush_view::{
    Analysis, CellStyle, ChannelView, Colormap, Level, PEAK_SCALE, PIECE_FRAMES, PictureSpec, Piece, Plane, Pyramid,
    f32_from_half, picture,
};
use std::sync::Arc;
use support::engines::engines;
use support::signals::tone;

fn snapshot(samples: Vec<f32>) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![samples], RATE as u32).unwrap())
}

fn view(params: &RowsParams) -> ViewPlan {
    ViewPlan::of_rows(Arc::new(RowBank::new(params, RATE).unwrap()))
}

fn analysis(samples: Vec<f32>, params: &RowsParams) -> Analysis {
    Analysis::new(&snapshot(samples), ChannelView::All, view(params)).unwrap()
}

fn scales() -> [RowsParams; 5] {
    let cqt = RowsParams::log(24).with_gamma_hz(0.0).with_fmin_hz(130.8);
    [RowsParams::music(), cqt, RowsParams::mel(128), RowsParams::bark(96), RowsParams::fine_pitch()]
}

/// A tone at the centre of a row reads its amplitude at every level of the pyramid; the phase of its cells is constant.
#[test]
fn a_tone_shows_its_level_at_any_zoom() {
    for params in scales() {
        let bank = RowBank::new(&params, RATE).unwrap();
        let row = bank.row_from_hz(700.0).round() as usize;
        let analysis = analysis(tone(4 * 65_536, RATE, bank.rows()[row].hz, 0.25), &params);
        let db = |amplitude: f32| 20.0 * (f64::from(amplitude) / 0.25).log10();
        let grid = analysis.grid().clone();
        let middle = grid.n_frames() / 2;
        let region = analysis.region(middle - 20..middle + 20).unwrap();
        for frame in region.rect.frames.clone() {
            let at = region.index(frame, row);
            assert!(db(region.magnitude[at]).abs() < 0.05, "{params:?}: {:.3} dB", db(region.magnitude[at]));
            let moved = region.phase[at] - region.phase[region.index(middle, row)];
            assert!((moved - moved.round()).abs() < 1e-3, "{moved} turns");
        }
        for index in 1..=5 {
            let level = Level { index, grid: grid.clone() };
            let entry = level.n_entries() / 2;
            let peaks = analysis.peaks(&level, entry..entry + 1, &Progress::new()).unwrap().values;
            let loudest = (0..peaks.len()).max_by(|a, b| peaks[*a].total_cmp(&peaks[*b])).unwrap();
            assert!(
                loudest == row && db(peaks[row]).abs() < 0.1,
                "level {index}: row {loudest}, {:.3} dB",
                db(peaks[row])
            );
        }
    }
}

/// Entries are the maximum of the frames under them, for rows (from 5 kHz on) that have at least one cell per frame.
#[test]
fn levels_lose_nothing_loud() {
    let samples = sound(60_000, 21);
    let analysis = analysis(samples, &RowsParams::music());
    let grid = analysis.grid().clone();
    let all: Region = analysis.region(0..grid.n_frames()).unwrap();
    for index in 1..=3 {
        let level = Level { index, grid: grid.clone() };
        let peaks = analysis.peaks(&level, 0..level.n_entries(), &Progress::new()).unwrap().values;
        let per_entry = level.frames_per_entry();
        let bank = RowBank::new(&RowsParams::music(), RATE).unwrap();
        let fine = bank.row_from_hz(5_000.0) as usize;
        for entry in 0..level.n_entries() {
            for row in fine..level.n_rows() {
                let frames = entry * per_entry..((entry + 1) * per_entry).min(grid.n_frames());
                let max = frames.map(|frame| all.magnitude[all.index(frame, row)]).fold(0.0f32, f32::max);
                let peak = peaks[entry * level.n_rows() + row];
                assert!(
                    (peak - max).abs() <= 1e-5 + 1e-4 * max,
                    "level {index}, entry {entry}, row {row}: {peak} {max}"
                );
            }
        }
    }
}

/// The sketch of a piece shows a tone at its row and level, and is replaced by the computed piece.
#[test]
fn a_sketch_is_roughly_what_the_rows_are() {
    let hz = [220.0, 1_000.0, 6_000.0];
    let n = PIECE_FRAMES * 32 * 2;
    let tones: Vec<Vec<f32>> = hz.iter().map(|hz| tone(n, RATE, *hz, 0.2)).collect();
    let samples = (0..n).map(|i| tones.iter().map(|tone| tone[i]).sum()).collect();
    let analysis = analysis(samples, &RowsParams::music());
    let (grid, progress) = (analysis.grid().clone(), Progress::new());
    assert_eq!(grid.samples_in_frames(1), 32);
    let mut pyramid = Pyramid::new(grid.clone());
    let rows_of = |pyramid: &Pyramid| -> Vec<f32> {
        pyramid.rows(6, 0..1).values.iter().map(|half| f32_from_half(*half) / PEAK_SCALE).collect()
    };
    pyramid.insert(0, Piece::sketch(&analysis, &Engine::cpu(), 0, &progress).unwrap(), true);
    assert!(!pyramid.is_fresh(6, 0..1) && pyramid.is_there(6, 0..1));
    let sketched = rows_of(&pyramid);
    pyramid.insert(0, Piece::compute(&analysis, &Engine::cpu(), 0, &progress).unwrap(), true);
    assert!(pyramid.is_fresh(6, 0..1));
    let computed = rows_of(&pyramid);
    for hz in hz {
        let row = grid.bin_from_hz(hz).round() as usize;
        let db = |levels: &[f32]| 20.0 * (levels[row] / 0.2).log10();
        println!("{hz} Hz: {:.2} dB, sketched {:.2} dB", db(&computed), db(&sketched));
        // A tone half a row off centre reads up to 2 dB low.
        assert!(db(&computed).abs() < 2.0 && db(&sketched).abs() < 2.0, "{hz} Hz");
    }
    // Between the tones both are dark.
    for hz in [500.0, 2_500.0, 12_000.0] {
        let row = grid.bin_from_hz(hz).round() as usize;
        assert!(sketched[row] < 0.01 && computed[row] < 0.01, "{hz} Hz: {} {}", sketched[row], computed[row]);
    }
    // A sketch does not replace a computed piece.
    pyramid.insert(0, Piece::sketch(&analysis, &Engine::cpu(), 0, &progress).unwrap(), true);
    assert_eq!(rows_of(&pyramid), computed);
}

/// The brightest line in the picture of a tone is at its place on the axis, on every scale.
#[test]
fn a_tone_lies_where_the_axis_has_it() {
    let sound = snapshot(tone(44_100, RATE, 1_000.0, 0.5));
    for params in scales() {
        let spec = PictureSpec {
            secs: [0.2, 0.8],
            hz: [200.0, 5_000.0],
            axis: Axis::Log,
            transform: params.clone().into(),
            channels: ChannelView::All,
            plane: Plane::Magnitude,
            cells: CellStyle::Bare,
            colormap: Colormap::Grey,
            range_db: [-40.0, 0.0],
            raw_phase: false,
            size: [40, 200],
        };
        let drawn = picture(&sound, &spec, &Progress::new()).unwrap();
        let brightest = (0..200).max_by_key(|y| drawn.at(20, *y)[0]).unwrap();
        let height = (5_000f64 / 200.0).log2();
        let expected = 200.0 * (5_000f64 / 1_000.0).log2() / height;
        assert!((brightest as f64 + 0.5 - expected).abs() < 4.0, "{params:?}: line {brightest}, {expected:.1}");
    }
}

/// The preview of a stroke shows cells as loud as they will be after release.
#[test]
fn a_stroke_on_rows_is_seen_while_it_is_drawn() {
    let sound = snapshot(tone(88_200, RATE, 1_000.0, 0.3));
    let points = [[0.6, 1_000.0], [0.9, 1_000.0], [1.4, 1_000.0]];
    let points: Vec<Point> = points.iter().map(|&[secs, hz]| Point { secs, hz, pressure: 1.0 }).collect();
    let stroke =
        Stroke { points: vec![], axis: Axis::Log, radius: [0.1, 0.3], hardness: 0.9, strength: 1.0, build_up: false };
    let edit = Edit {
        brush: Gain { gain_db: -20.0 }.into(),
        stroke: Some(stroke),
        select: None,
        channels: Channels::All,
        transform: Transform::Rows(RowsParams::music()),
        strength: 1.0,
        consistency_steps: Some(0),
    };
    for engine in engines() {
        let pen_down = PenDown { snapshot: sound.clone(), pending: Vec::new(), engine: engine.clone() };
        let mut session = StrokeSession::begin(pen_down, &edit).unwrap();
        let grid = Grid::new(RowsParams::music(), RATE, 88_200);
        let (row, frame) = (grid.bin_from_hz(1_000.0).round() as usize, grid.frame_from_secs(1.0).round() as usize);
        let mut seen = None;
        for point in &points {
            let Some(cells) = session.extend(std::slice::from_ref(point)).unwrap() else { continue };
            assert!(!cells.is_marked);
            let cells = cells.signals.into_iter().next().unwrap();
            if cells.rect().contains(&CellRect::new(frame..frame + 1, row..row + 1)) {
                let region = engine.download(cells).unwrap();
                seen = Some(region.magnitude[region.index(frame, row)]);
            }
        }
        let db = |magnitude: f32| 20.0 * (f64::from(magnitude) / 0.3).log10();
        let released = session.commit(&Progress::new()).unwrap();
        let after = Analysis::new(&released.snapshot, ChannelView::All, view(&RowsParams::music())).unwrap();
        let after = after.region(frame..frame + 1).unwrap();
        let (shown, left) = (db(seen.unwrap()), db(after.magnitude[after.index(frame, row)]));
        println!("{}: shown {shown:.2} dB, left {left:.2} dB", engine.name());
        // The tolerance of 1 dB covers the distance from the tone to the centre of its row.
        assert!((shown + 20.0).abs() < 1.0 && (left - shown).abs() < 0.01, "{shown} {left}");
    }
}
