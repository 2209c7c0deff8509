//! Tiles and levels of an STFT are computed on the device, match those of the CPU, and are made without reading cells
//! back.

use base::Progress;
use base::trace::{self, Recording};
use document::Snapshot;
use dsp::transforms::rows::RowsParams;
use dsp::{Region, StftParams, Transform, Window};
use engine::gpu::{Gpu, ReadBack};
use engine::{Engine, EngineRegion, PAGE_SAMPLES, Plans};
use media::Source;
use sonobrush_view::{Analysis, ChannelView, Level, Peaks, Piece, TILE_ENTRIES, TileData, TileKey, TileSet};
use support::faults::assert_same_where_one_fails;
use support::gpu::{gpu, own_gpu};
use support::is_long;
use support::signals::{noise, tone};

const RATE: u32 = 44_100;

/// Noise and tones on two channels, with a second of silence that is not analysed.
fn sound() -> Snapshot {
    let channel = |seed: u64, hz: f64| {
        let mut samples = noise(60_000, 0.05, seed);
        let tone = tone(60_000, f64::from(RATE), hz, 0.4);
        samples.iter_mut().zip(tone).for_each(|(sample, tone)| *sample += tone);
        samples.resize(100_000, 0.0);
        samples.extend(noise(20_000, 0.2, seed + 10));
        samples
    };
    Snapshot::new(Source::from_channels(vec![channel(1, 441.0), channel(2, 3_000.0)], RATE).unwrap())
}

fn analysis(channels: ChannelView, transform: impl Into<Transform>) -> Analysis {
    let sound = sound();
    let plan = Plans::default().view(&transform.into(), sound.sample_rate_hz()).unwrap();
    Analysis::new(&sound, channels, plan).unwrap()
}

fn stft(n_fft: usize, hop: usize) -> StftParams {
    StftParams { n_fft, hop, window: Window::Hann }
}

/// Channels, `n_fft` and hop. At `n_fft` 4,096, a row pools two bins.
const CASES: [(ChannelView, usize, usize); 4] = [
    (ChannelView::All, 1024, 256),
    (ChannelView::Side, 256, 64),
    (ChannelView::One(1), 4096, 512),
    (ChannelView::All, 2048, 512),
];

fn max(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |max, value| max.max(*value))
}

/// The largest difference between two planes, relative to the largest value of `b`.
fn apart(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0f32, |apart, (a, b)| apart.max((a - b).abs())) / max(b)
}

#[test]
fn tiles_and_levels_equal_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let engine = Engine::on(gpu);
    for (channels, n_fft, hop) in CASES {
        let analysis = analysis(channels, stft(n_fft, hop));
        let grid = analysis.grid().clone();
        let frames = 3..grid.n_frames().min(200);
        let on_cpu = analysis.region(frames.clone()).unwrap();
        let on_device = |frames| {
            let region = analysis.region_on(&engine, frames).unwrap();
            assert!(matches!(region, EngineRegion::Gpu(_)));
            engine.download(region).unwrap()
        };
        let region: Region = on_device(frames.clone());
        assert_eq!(region.rect, on_cpu.rect);
        assert!(apart(&region.magnitude, &on_cpu.magnitude) <= 1e-6, "{channels:?}, {n_fft}");
        assert_eq!(region, on_device(frames.clone()), "twice the same bits");
        // Control: shifted by one frame.
        let later = on_device(frames.start + 1..frames.end + 1);
        assert!(apart(&later.magnitude, &on_cpu.magnitude) > 1e-3, "{channels:?}, {n_fft}");

        for (index, has_phases) in [(1, true), (2, false), (3, true)] {
            let analysis = analysis.clone().with_phases(has_phases);
            let level = Level { index, grid: grid.clone() };
            let entries = 1..level.n_entries();
            let on_cpu = analysis.peaks(&level, entries.clone(), &Progress::new()).unwrap();
            let peaks = analysis.peaks_on(&engine, &level, entries.clone(), &Progress::new()).unwrap();
            assert!(apart(&peaks.values, &on_cpu.values) <= 1e-6, "{channels:?}, {n_fft}, level {index}");
            assert_eq!(peaks.phases.is_some(), has_phases);
            assert_steps_alike(&peaks, &on_cpu, &format!("{channels:?}, {n_fft}, level {index}"));
            // Control: shifted by one entry.
            let n_rows = level.n_rows();
            assert!(apart(&peaks.values[n_rows..], &on_cpu.values[..on_cpu.values.len() - n_rows]) > 1e-3);
        }
    }
}

/// Entries as long as a frame, as some frames, and, read in parts, as many.
#[test]
fn levels_of_rows_equal_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let engine = Engine::on(gpu);
    for (transform, index, has_phases) in [
        (RowsParams::log(12), 0, true),
        (RowsParams::log(12), 3, true),
        (RowsParams::log(12), 6, false),
        (RowsParams::mel(64), 3, true),
    ] {
        let name = format!("{transform:?}, level {index}");
        let analysis = analysis(ChannelView::All, transform).with_phases(has_phases);
        let level = Level { index, grid: analysis.grid().clone() };
        let entries = 0..level.n_entries().min(700);
        let on_cpu = analysis.peaks(&level, entries.clone(), &Progress::new()).unwrap();
        let recording = Recording::start();
        let peaks = analysis.peaks_on(&engine, &level, entries, &Progress::new()).unwrap();
        let thread = trace::thread_number();
        let is_cpu = |event: &trace::Event| event.thread == thread && event.name == "cpu rows";
        assert!(!recording.trace().events.iter().any(is_cpu), "{name}");
        assert!(apart(&peaks.values, &on_cpu.values) <= 1e-6, "{name}: {}", apart(&peaks.values, &on_cpu.values));
        assert_eq!(peaks.phases.is_some(), has_phases);
        assert_steps_alike(&peaks, &on_cpu, &name);
        // The control: an entry later, or another row.
        let n = if level.n_entries() > 1 { level.n_rows() } else { 1 };
        assert!(apart(&peaks.values[n..], &on_cpu.values[..on_cpu.values.len() - n]) > 1e-3, "{name}");
    }
}

/// Frames far apart, the last a little before the end.
#[test]
fn single_frames_equal_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let engine = Engine::on(gpu);
    let of_stft = CASES.map(|(channels, n_fft, hop)| (channels, Transform::from(stft(n_fft, hop))));
    let of_rows = (ChannelView::All, RowsParams::log(24).into());
    for (channels, transform) in of_stft.into_iter().chain([of_rows]) {
        let name = format!("{channels:?}, {transform:?}");
        let analysis = analysis(channels, transform).with_phases(true);
        let grid = analysis.grid().clone();
        let n_frames = grid.n_frames() / 16 * 16;
        let frames: Vec<usize> = (0..n_frames).step_by(n_frames.div_ceil(12).next_multiple_of(16)).collect();
        let level = Level { index: 2, grid };
        let on_cpu = analysis.probes(&level, &frames, &Progress::new()).unwrap();
        let recording = Recording::start();
        let found = analysis.probes_on(&engine, &level, &frames, &Progress::new()).unwrap();
        let thread = trace::thread_number();
        let is_cpu = |event: &trace::Event| event.thread == thread && event.name == "cpu stft";
        assert!(!recording.trace().events.iter().any(is_cpu), "{name}");
        assert!(apart(&found.values, &on_cpu.values) <= 1e-6, "{name}: {}", apart(&found.values, &on_cpu.values));
        assert_eq!(found.phases.is_some(), on_cpu.phases.is_some(), "{name}");
        assert_steps_alike(&found, &on_cpu, &name);
        assert_eq!(
            found,
            analysis.probes_on(&engine, &level, &frames, &Progress::new()).unwrap(),
            "twice the same bits"
        );
        // Control: shifted by one frame.
        let n_rows = level.n_rows();
        assert!(apart(&found.values[n_rows..], &on_cpu.values[..on_cpu.values.len() - n_rows]) > 1e-3, "{name}");
    }
}

/// Phases differ by at most one of 256 steps, except in up to 0.1 % of the audible cells, where of two nearly equal
/// cells the other one was taken as the loudest.
fn assert_steps_alike(found: &Peaks<f32>, wanted: &Peaks<f32>, name: &str) {
    let (Some(found_steps), Some(wanted_steps)) = (&found.phases, &wanted.phases) else { return };
    let audible = 1e-5 * max(&wanted.values);
    let heard = wanted.values.iter().zip(found_steps.iter().zip(wanted_steps)).filter(|(value, _)| **value > audible);
    let (mut n_heard, mut n_other) = (0, 0);
    for (_, (found, wanted)) in heard {
        n_heard += 1;
        let is_near = |i: usize| (found[i].wrapping_sub(wanted[i]).wrapping_add(1)) <= 2;
        n_other += usize::from(!(is_near(0) && is_near(1)));
    }
    assert!(n_heard > 1000 && n_other * 1000 <= n_heard, "{name}: {n_other} of {n_heard}");
}

#[test]
fn pictures_take_no_fft_on_the_cpu() {
    let Some(gpu) = own_gpu() else { return };
    let n_ffts = |engine: &Engine| {
        let analysis = analysis(ChannelView::All, stft(1024, 256));
        let set = |level| TileSet {
            document: 1,
            transform: stft(1024, 256).into(),
            channels: ChannelView::All,
            level,
            has_phases: false,
        };
        let recording = Recording::start();
        let thread = trace::thread_number();
        for level in [0, 1] {
            let key = TileKey { set: set(level), index: 0 };
            TileData::compute(&analysis, engine, key, &Progress::new()).unwrap();
        }
        Piece::compute(&analysis, engine, 0, &Progress::new()).unwrap();
        Piece::sketch(&analysis, engine, 0, &Progress::new()).unwrap();
        let trace = recording.trace();
        trace.events.iter().filter(|event| event.thread == thread && event.name == "cpu stft").count()
    };
    let cells_before = gpu.bytes_read(ReadBack::Cells);
    assert_eq!(n_ffts(&Engine::on(gpu.clone())), 0);
    assert_eq!(gpu.bytes_read(ReadBack::Cells), cells_before);
    // Control: the CPU engine does compute FFTs.
    assert!(n_ffts(&Engine::cpu()) > 0);
}

/// Cells, peaks with phases and frames of a sketch, of an STFT and of rows, to the bit.
#[test]
fn pictures_do_not_depend_on_a_failed_allocation() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    for transform in [Transform::from(stft(512, 128)), RowsParams::log(12).with_fmin_hz(400.0).into()] {
        let analysis = analysis(ChannelView::All, transform).with_phases(true);
        let level = Level { index: 2, grid: analysis.grid().clone() };
        let name = |part: &str| format!("{part} of {:?}", analysis.grid().transform());
        let progress = Progress::new();
        assert_same_where_one_fails(&gpu, &name("cells"), 1, || {
            let region = engine.download(analysis.region_on(&engine, 16..80).unwrap()).unwrap();
            region.magnitude.iter().chain(&region.phase).map(|value| value.to_bits()).collect::<Vec<_>>()
        });
        // Peaks of rows take some hundred allocations.
        let step = if is_long() || analysis.grid().row_table().is_none() { 1 } else { 5 };
        assert_same_where_one_fails(&gpu, &name("peaks"), step, || {
            analysis.peaks_on(&engine, &level, 1..20, &progress).unwrap()
        });
        assert_same_where_one_fails(&gpu, &name("probes"), step, || {
            analysis.probes_on(&engine, &level, &[16, 64, 160, 480], &progress).unwrap()
        });
    }
}

/// Bytes of samples that tiles and pieces of the whole picture upload, at two levels and of all channels.
fn uploaded_for_pictures(gpu: &Gpu, engine: &Engine, sound: &Snapshot, levels: &[u32]) -> u64 {
    let transform = Transform::from(stft(1024, 256));
    let plan = engine.plans().view(&transform, sound.sample_rate_hz()).unwrap();
    let analysis = Analysis::new(sound, ChannelView::All, plan).unwrap();
    let before = gpu.sample_bytes_uploaded();
    for &level in levels {
        let set =
            TileSet { document: 1, transform: transform.clone(), channels: ChannelView::All, level, has_phases: false };
        let n_entries = Level { index: level, grid: analysis.grid().clone() }.n_entries();
        for index in 0..n_entries.div_ceil(TILE_ENTRIES) {
            let key = TileKey { set: set.clone(), index };
            TileData::compute(&analysis, engine, key, &Progress::new()).unwrap();
        }
    }
    Piece::compute(&analysis, engine, 0, &Progress::new()).unwrap();
    gpu.sample_bytes_uploaded() - before
}

#[test]
fn pictures_upload_each_page_once() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let sound = sound();
    let page_bytes = 4 * PAGE_SAMPLES as u64;
    let picture = |sound: &Snapshot, levels: &[u32]| uploaded_for_pictures(&gpu, &engine, sound, levels);
    let changed = sound.with_samples(1, 70_000, &noise(500, 0.1, 4)).unwrap();
    let cut = changed.without(5_000..9_001);
    let run = || {
        let opened = picture(&sound, &[1]);
        [opened, picture(&sound, &[0]), picture(&changed, &[0, 1]), picture(&sound, &[0, 1]), picture(&cut, &[0, 1])]
    };
    let found = run();
    assert_eq!(found, [4, 0, 1, 0, 0].map(|n_pages| n_pages * page_bytes), "open, zoom, edit, undo, cut");
    // The control.
    gpu.set_page_budget(0);
    let without = run();
    assert!(without.iter().all(|n_bytes| *n_bytes > 4 * 2 * 100_000), "{without:?}");
}
