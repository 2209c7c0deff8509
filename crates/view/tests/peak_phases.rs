//! A cell of the pyramid has the phase of the loudest cell under it.

use base::Progress;
use document::Snapshot;
use dsp::transforms::rows::RowsParams;
use dsp::{StftParams, Transform, Window};
use engine::{Engine, Plans};
use media::Source;
use sonobrush_view::{Analysis, ChannelView, Level, PIECE_FRAMES, Piece, Pyramid, finest};
use support::signals::noise;

const RATE: u32 = 16_000;

fn sound(n_samples: usize) -> Snapshot {
    let channels = [1, 2].map(|seed| noise(n_samples, 0.2, seed)).to_vec();
    Snapshot::new(Source::from_channels(channels, RATE).unwrap())
}

fn analysis(sound: &Snapshot, channels: ChannelView, transform: impl Into<Transform>) -> Analysis {
    let plan = Plans::default().view(&transform.into(), sound.sample_rate_hz()).unwrap();
    Analysis::new(sound, channels, plan).unwrap().with_phases(true)
}

fn stft(n_fft: usize, hop: usize) -> StftParams {
    StftParams { n_fft, hop, window: Window::Hann }
}

/// 256 steps per turn, from -0.5 on.
fn step(turns: f32) -> u8 {
    (((turns + 0.5).rem_euclid(1.0) * 256.0) as usize % 256) as u8
}

#[test]
fn a_peak_has_the_phase_of_its_loudest_cell() {
    let sound = sound(20_000);
    // At `n_fft` 4,096, each row of a level is the loudest of two bins.
    for (params, channels) in
        [(stft(256, 64), ChannelView::All), (stft(256, 64), ChannelView::Side), (stft(4096, 64), ChannelView::One(1))]
    {
        let analysis = analysis(&sound, channels, params);
        let grid = analysis.grid().clone();
        let cells = analysis.region(0..grid.n_frames()).unwrap();
        let scale = analysis.amplitude_scale();
        for index in 1..=3 {
            let level = Level { index, grid: grid.clone() };
            let peaks = analysis.peaks(&level, 0..level.n_entries(), &Progress::new()).unwrap();
            let phases = peaks.phases.expect("phases are wanted");
            for (i, (value, found)) in peaks.values.iter().zip(&phases).enumerate() {
                let (entry, row) = (i / level.n_rows(), i % level.n_rows());
                let last_frame = ((entry + 1) * level.frames_per_entry()).min(grid.n_frames());
                let last_bin = ((row + 1) * level.bins_per_row()).min(grid.n_bins());
                let under = (entry * level.frames_per_entry()..last_frame)
                    .flat_map(|frame| (row * level.bins_per_row()..last_bin).map(move |bin| (frame, bin)));
                let level_of = |frame: usize, bin: usize| scale.of(bin) * cells.magnitude[cells.index(frame, bin)];
                let (frame, bin) =
                    under.max_by(|&(f, b), &(g, c)| level_of(f, b).total_cmp(&level_of(g, c))).expect("a cell");
                assert!((value - level_of(frame, bin)).abs() <= 1e-6 * value, "level {index}, {entry}, {row}");
                let turns = cells.phase[cells.index(frame, bin)];
                let wanted = [step(turns - grid.turns_of_bin(frame, bin)), step(turns)];
                assert_eq!(*found, wanted, "level {index}, entry {entry}, row {row}");
            }
        }
        // Without phases, the levels are the same up to rounding.
        let level = Level { index: 2, grid };
        let plain = analysis.clone().with_phases(false).peaks(&level, 0..4, &Progress::new()).unwrap();
        let with = analysis.peaks(&level, 0..4, &Progress::new()).unwrap();
        assert!(plain.phases.is_none());
        assert!(plain.values.iter().zip(&with.values).all(|(a, b)| (a - b).abs() <= 1e-6 * a));
    }
}

#[test]
fn every_level_of_a_pyramid_has_the_phases_of_that_level() {
    let transform = stft(64, 8);
    let sound = sound(8 * (PIECE_FRAMES + 700));
    let analysis = analysis(&sound, ChannelView::All, transform);
    let grid = analysis.grid().clone();
    let mut pyramid = Pyramid::new(grid.clone());
    for index in 0..pyramid.n_pieces() {
        pyramid.insert(index, Piece::compute(&analysis, &Engine::cpu(), index, &Progress::new()).unwrap(), true);
    }
    for index in finest(&grid)..=6 {
        let level = Level { index, grid: grid.clone() };
        let held = pyramid.rows(index, 0..level.n_entries());
        let direct = analysis.peaks(&level, 0..level.n_entries(), &Progress::new()).unwrap();
        assert_eq!(held.phases, direct.phases, "level {index}");
        assert!(direct.phases.unwrap().iter().any(|steps| steps[0] != steps[1]), "the control");
    }
    // One entry over both pieces: each row's phase is that of the louder piece.
    let (all, parts) = (pyramid.rows(7, 0..1), pyramid.rows(6, 0..2));
    let n_rows = all.values.len();
    let (phases, of_parts) = (all.phases.unwrap(), parts.phases.unwrap());
    for (row, steps) in phases.iter().enumerate() {
        let louder = if parts.values[n_rows + row] > parts.values[row] { n_rows + row } else { row };
        assert_eq!((all.values[row], *steps), (parts.values[louder], of_parts[louder]));
    }
    let plain = pyramid.without_phases();
    assert_eq!((plain.rows(3, 0..4).values, plain.rows(3, 0..4).phases), (pyramid.rows(3, 0..4).values, None));
    assert!(plain.is_fresh(6, 0..2), "nothing is analysed for it");
}

/// Also for row transforms: every level shows the phase of one of the frames under its entry.
#[test]
fn rows_have_the_phase_of_their_loudest_cell() {
    let params = RowsParams::music();
    let hz = 1_000.0;
    let n = 65_536;
    let tone = (0..n).map(|i| (0.3 * (std::f64::consts::TAU * (hz * i as f64 / f64::from(RATE) + 0.2)).sin()) as f32);
    let sound = Snapshot::new(Source::from_channels(vec![tone.collect()], RATE).unwrap());
    let analysis = analysis(&sound, ChannelView::All, params);
    let grid = analysis.grid().clone();
    let row = grid.bin_from_hz(hz).round() as usize;
    let frames = grid.n_frames() / 2..grid.n_frames() / 2 + 1;
    let cells = analysis.region(frames.clone()).unwrap();
    assert_eq!(grid.turns_of_bin(frames.start, row), 0.0, "phases of rows are less their turning");
    for index in 1..=3 {
        let level = Level { index, grid: grid.clone() };
        let entry = frames.start / level.frames_per_entry();
        let all: Vec<f32> = {
            let under = entry * level.frames_per_entry()..(entry + 1) * level.frames_per_entry();
            let cells = analysis.region(under.clone()).unwrap();
            under.map(|frame| cells.phase[cells.index(frame, row)]).collect()
        };
        let peaks = analysis.peaks(&level, entry..entry + 1, &Progress::new()).unwrap();
        let [found, raw] = peaks.phases.unwrap()[row];
        assert_eq!(found, raw);
        let is_near = |turns: &f32| (i32::from(step(*turns)) - i32::from(found) + 384).rem_euclid(256) - 128;
        assert!(all.iter().any(|turns| is_near(turns).abs() <= 2), "level {index}: {found} of {all:?}");
    }
    assert!(cells.magnitude[cells.index(frames.start, row)] > 0.01, "the control");
}
