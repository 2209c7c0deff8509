//! The device keeps pages of sounds: cells from them equal those from uploaded samples to the bit, and what was
//! undone, cut, repeated or looked at before is not uploaded again.

use base::{Error, ErrorKind, Progress, Result};
use document::brushes::{Brush, Gain};
use document::{Channels, Edit, PenDown, Signal, Snapshot, SnapshotSignal, StrokeSession, apply};
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, CellRect, Point, Region, Selection, StftParams, Stroke, Transform, ViewPlan, Window};
use engine::gpu::Gpu;
use engine::{Engine, PAGE_SAMPLES, SignalMix, StoredPage, StoredRun, StoredSound};
use media::{OpenOptions, Source};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;
use support::gpu::own_gpu;
use support::opened::{clip, folder, on_disk};
use support::signals::{Rng, noise};
use support::snapshots::samples;

const RATE: u32 = 16_000;
const PAGE: u64 = PAGE_SAMPLES as u64;
const PAGE_BYTES: u64 = 4 * PAGE;

fn stft(n_fft: usize, hop: usize) -> Transform {
    StftParams { n_fft, hop, window: Window::Hann }.into()
}

/// Noise, `n` samples of each of two channels.
fn sound(n: usize) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![noise(n, 0.2, 1), noise(n, 0.2, 2)], RATE).unwrap())
}

/// A sound of several layers: edited on both sides of a page's end, cut, with silence, and with a repeated part.
fn patched() -> Snapshot {
    let sound = sound(3 * PAGE_SAMPLES + 1234).with_samples(0, PAGE - 700, &noise(1500, 0.3, 3)).unwrap();
    let sound = sound.with_samples(1, 2 * PAGE + 5, &noise(9000, 0.3, 4)).unwrap();
    let sound = sound.without(20_001..31_007).with_silence(50_003, 70_000).unwrap();
    let sound = sound.with_samples(0, 60_001, &noise(500, 0.3, 5)).unwrap();
    sound.with_copy(40_000..150_001, 90_000).unwrap().lengthened(777).unwrap()
}

const SIGNALS: [Signal; 4] = [Signal::Channel(0), Signal::Channel(1), Signal::Mid, Signal::Side];

fn bits(region: &Region) -> Vec<u32> {
    region.magnitude.iter().chain(&region.phase).map(|value| value.to_bits()).collect()
}

/// Cells from pages, and from samples uploaded for them.
fn both(engine: &Engine, plan: &ViewPlan, sound: &SnapshotSignal<'_>, rect: &CellRect) -> [Region; 2] {
    let read = plan.samples_read(rect);
    let mut samples = vec![7.0; (read.end - read.start) as usize];
    sound.read(read.start, &mut samples).unwrap();
    let from_pages = engine.view_sound(plan, sound, rect).unwrap();
    let uploaded = engine.analyse_view(plan, &samples, rect).unwrap();
    [from_pages, uploaded].map(|region| engine.download(region).unwrap())
}

#[test]
fn cells_from_pages_are_those_of_uploaded_samples() {
    let Some(gpu) = own_gpu() else { return };
    let (sound, mut n_heard) = (patched(), 0);
    for engine in [Engine::on(gpu.clone()), Engine::cpu()] {
        for transform in [stft(256, 64), stft(1024, 256), RowsParams::log(12).with_fmin_hz(400.0).into()] {
            let plan = engine.plans().view(&transform, f64::from(RATE)).unwrap();
            let grid = plan.grid(f64::from(RATE), sound.n_samples());
            let n = grid.n_frames();
            let frame_at = |sample: u64| grid.frames_over(&(sample..sample + 1)).start;
            // A cut, silence, an edit over the end of a page, and a repeat.
            let around = [20_001, 50_003, 233_831, 90_000 + 2 * PAGE - 40_000].map(frame_at);
            let runs = around.map(|frame| frame..frame + 40).into_iter().chain([0..9, n - 9..n]);
            for frames in runs {
                let rect = grid.all_bins(frames);
                for signal in SIGNALS {
                    let [pages, uploaded] = both(&engine, &plan, &sound.signal(signal), &rect);
                    assert_eq!(bits(&pages), bits(&uploaded), "{} {transform:?} {rect:?} {signal:?}", engine.name());
                    // The control: a sample later.
                    let later = both(&engine, &plan, &sound.signal(signal).later(1), &rect)[0].clone();
                    let is_heard = uploaded.magnitude.iter().any(|magnitude| *magnitude > 0.0);
                    assert!(bits(&later) != bits(&uploaded) || !is_heard, "{rect:?} {signal:?}");
                    n_heard += usize::from(is_heard);
                }
            }
        }
    }
    assert!(n_heard >= 120, "{n_heard} of 144");
    let counts = gpu.page_counts();
    assert!(counts.n_uploaded >= 8 && counts.n_dropped == 0, "{counts:?}");
}

/// The same page before an edit, after it, and after undo, one after the other on one device.
#[test]
fn versions_of_a_page_are_not_mistaken_for_one_another() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu);
    let before = sound(PAGE_SAMPLES);
    let after = before.with_samples(0, 30_000, &noise(900, 0.3, 7)).unwrap();
    let plan = engine.plans().view(&stft(256, 64), f64::from(RATE)).unwrap();
    let rect = CellRect::new(460..490, 0..129);
    let cells = [&before, &after, &before].map(|sound| {
        let [pages, uploaded] = both(&engine, &plan, &sound.signal(Signal::Channel(0)), &rect);
        assert_eq!(bits(&pages), bits(&uploaded));
        bits(&pages)
    });
    assert!(cells[0] == cells[2] && cells[0] != cells[1], "the edit is in these cells");
}

#[test]
fn every_offset_at_the_end_of_a_page() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let sound = sound(2 * PAGE_SAMPLES + 100);
    let plan = engine.plans().view(&stft(64, 16), f64::from(RATE)).unwrap();
    let rect = CellRect::new(2..4, 0..33);
    let reached = plan.samples_read(&rect);
    for (end, signal) in [(PAGE, Signal::Side), (sound.n_samples(), Signal::Channel(1)), (0, Signal::Mid)] {
        for first in end as i64 - 84..end as i64 + 4 {
            let signal = sound.signal(signal).later(first - reached.start);
            let [pages, uploaded] = both(&engine, &plan, &signal, &rect);
            assert_eq!(bits(&pages), bits(&uploaded), "{first} at {end}");
        }
    }
    assert_eq!(gpu.page_counts().n_uploaded, 2 * 2 + 1, "each of them once");
}

/// The bytes of samples that some work uploads.
fn uploaded<T>(gpu: &Gpu, work: impl FnOnce() -> T) -> (T, u64) {
    let before = gpu.sample_bytes_uploaded();
    let done = work();
    (done, gpu.sample_bytes_uploaded() - before)
}

/// Both channels of all of a sound, in windows that overlap.
fn look(engine: &Engine, sound: &Snapshot, transform: &Transform) {
    let plan = engine.plans().view(transform, sound.sample_rate_hz()).unwrap();
    let grid = plan.grid(sound.sample_rate_hz(), sound.n_samples());
    for start in (0..grid.n_frames()).step_by(100) {
        let rect = CellRect::new(start..(start + 100).min(grid.n_frames()), 0..grid.n_bins());
        for signal in [Signal::Channel(0), Signal::Channel(1)] {
            engine.view_sound(&plan, &sound.signal(signal), &rect).unwrap();
        }
    }
}

fn stroke_edit() -> Edit {
    let point = |secs: f64, hz: f64| Point { secs, hz, pressure: 1.0 };
    Edit {
        brush: Brush::Gain(Gain { gain_db: -12.0 }),
        stroke: Some(Stroke {
            points: vec![point(5.0, 2000.0), point(5.2, 2500.0)],
            axis: Axis::Linear,
            radius: [0.05, 400.0],
            hardness: 0.5,
            strength: 1.0,
            build_up: false,
        }),
        select: None,
        channels: Channels::All,
        transform: stft(512, 128),
        strength: 1.0,
        consistency_steps: Some(0),
    }
}

/// What opening, zooming, pen-down, release, undo, a cut and a repeat upload: of two channels and three pages each,
/// with a stroke in the second.
fn uploads_of_a_session(gpu: &Arc<Gpu>) -> [u64; 8] {
    let engine = Engine::on(gpu.clone());
    let opened = sound(3 * PAGE_SAMPLES);
    let view = stft(1024, 256);
    let open = uploaded(gpu, || look(&engine, &opened, &view)).1;
    let zoom = uploaded(gpu, || look(&engine, &opened, &stft(512, 128))).1;
    let edit = stroke_edit();
    let pen_down = PenDown { snapshot: opened.clone(), pending: Vec::new(), engine: engine.clone() };
    let ((), stroke) = uploaded(gpu, || {
        let mut session = StrokeSession::begin(pen_down, &edit).unwrap();
        session.extend(&edit.stroke.as_ref().unwrap().points).unwrap().unwrap();
    });
    let (painted, release) = uploaded(gpu, || apply(&opened, &edit, &engine, &Progress::new()).unwrap().snapshot);
    assert!(painted.differing(&opened, 0).iter().all(|range| PAGE <= range.start && range.end <= 2 * PAGE));
    assert!(!painted.differing(&opened, 1).is_empty());
    let after = uploaded(gpu, || look(&engine, &painted, &view)).1;
    let undo = uploaded(gpu, || look(&engine, &opened, &view)).1;
    let cut = painted.without(30_001..80_003);
    let cut = uploaded(gpu, || look(&engine, &cut, &view)).1;
    // From the middle of what was painted on, to another place.
    let repeated = painted.with_copy(5 * u64::from(RATE) + 801..190_000, 7).unwrap();
    let repeat = uploaded(gpu, || look(&engine, &repeated, &view)).1;
    [open, zoom, stroke, release, after, undo, cut, repeat]
}

#[test]
fn only_what_is_new_is_uploaded() {
    let Some(gpu) = own_gpu() else { return };
    let found = uploads_of_a_session(&gpu);
    // A release uploads what measures its consistency: of the new sound, and much less than a page.
    let release = found[3];
    assert!(0 < release && release < PAGE_BYTES / 4, "{release}");
    assert_eq!(found, [6 * PAGE_BYTES, 0, 0, release, 2 * PAGE_BYTES, 0, 0, 0]);
    assert_eq!(gpu.page_counts().n_uploaded, 8);
    // The control: without pages each look uploads all of it, more than once.
    gpu.set_page_budget(0);
    let without = uploads_of_a_session(&gpu);
    let looks = [0, 1, 4, 5, 6, 7].map(|step| without[step]);
    assert!(looks.iter().all(|bytes| *bytes > 4 * PAGE_BYTES), "{without:?}");
    assert!(without[2] > 0 && without[3] > 0, "{without:?}");
}

#[test]
fn jobs_at_the_same_time_upload_a_page_once() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let sound = sound(2 * PAGE_SAMPLES);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| look(&engine, &sound, &stft(1024, 256)));
        }
    });
    assert_eq!(gpu.sample_bytes_uploaded(), 4 * PAGE_BYTES);
    // The control: the same samples in another source are other pages.
    let again =
        Snapshot::new(Source::from_channels([0, 1].map(|channel| samples(&sound, channel)).into(), RATE).unwrap());
    look(&engine, &again, &stft(1024, 256));
    assert_eq!(gpu.sample_bytes_uploaded(), 8 * PAGE_BYTES);
}

#[test]
fn a_repeat_of_added_sound_is_not_uploaded_again() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let sound = sound(50_000).with_silence(30_000, 100_000).unwrap();
    let filled = sound.with_samples(0, 40_000, &noise(20_000, 0.2, 9)).unwrap();
    look(&engine, &filled, &stft(512, 128));
    let copied = filled.with_copy(41_003..70_000, 100_001).unwrap();
    assert_eq!(uploaded(&gpu, || look(&engine, &copied, &stft(512, 128))).1, 0);
    // The control: other samples there.
    let other = copied.with_samples(0, 41_003, &noise(100, 0.2, 10)).unwrap();
    assert!(uploaded(&gpu, || look(&engine, &other, &stft(512, 128))).1 > 0);
}

#[test]
fn silence_is_not_uploaded() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let silence = Snapshot::new(Source::silence(3 * PAGE, RATE, 2).unwrap());
    look(&engine, &silence, &stft(512, 128));
    assert_eq!(gpu.sample_bytes_uploaded(), 0);
    let plan = engine.plans().view(&stft(512, 128), f64::from(RATE)).unwrap();
    let cells = engine.view_sound(&plan, &silence.signal(Signal::Mid), &CellRect::new(500..600, 0..257)).unwrap();
    assert!(engine.download(cells).unwrap().magnitude.iter().all(|magnitude| *magnitude == 0.0));
    // The control.
    let one = silence.with_samples(1, 70_000, &[0.5]).unwrap();
    look(&engine, &one, &stft(512, 128));
    assert_eq!(gpu.sample_bytes_uploaded(), PAGE_BYTES);
}

#[test]
fn pages_keep_to_their_budget() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let budget = 4 * PAGE_BYTES;
    gpu.set_page_budget(budget);
    let sound = sound(6 * PAGE_SAMPLES + 5);
    let plan = engine.plans().view(&stft(256, 64), f64::from(RATE)).unwrap();
    let grid = plan.grid(f64::from(RATE), sound.n_samples());
    let mut rng = Rng(5);
    for _ in 0..40 {
        let start = (rng.uniform() * (grid.n_frames() - 200) as f64) as usize;
        let rect = grid.all_bins(start..start + 200);
        let signal = SIGNALS[(rng.bits() % 4) as usize];
        let [pages, uploaded] = both(&engine, &plan, &sound.signal(signal), &rect);
        assert_eq!(bits(&pages), bits(&uploaded), "{rect:?}");
        assert!(gpu.page_counts().held_bytes <= budget, "{:?}", gpu.page_counts());
    }
    let counts = gpu.page_counts();
    assert!(counts.n_dropped > 8 && counts.n_uploaded == counts.n_dropped + 4, "{counts:?}");
    // The most recently used one stays.
    let last = grid.all_bins(2000..2010);
    let see = || drop(engine.view_sound(&plan, &sound.signal(Signal::Channel(0)), &last).unwrap());
    see();
    assert_eq!(uploaded(&gpu, see).1, 0);
    gpu.set_page_budget(2 * PAGE_BYTES);
    assert_eq!(uploaded(&gpu, see).1, 0);
    assert_eq!(gpu.page_counts().held_bytes, 2 * PAGE_BYTES);
    // Less than a page is none.
    gpu.set_page_budget(PAGE_BYTES - 1);
    assert_eq!(gpu.page_counts().held_bytes, 0);
    assert!(uploaded(&gpu, see).1 < PAGE_BYTES && uploaded(&gpu, see).1 > 0);
}

#[test]
fn a_failed_allocation_gives_the_same_cells() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let sound = sound(2 * PAGE_SAMPLES);
    let plan = engine.plans().view(&stft(512, 128), f64::from(RATE)).unwrap();
    let rect = CellRect::new(480..560, 0..257);
    let side = || engine.view_sound(&plan, &sound.signal(Signal::Side), &rect).and_then(|cells| engine.download(cells));
    let clean = bits(&side().unwrap());
    gpu.trim();
    let before = gpu.allocations();
    assert_eq!(bits(&side().unwrap()), clean);
    let n = gpu.allocations() - before;
    assert!(n > 8, "{n}");
    for k in 0..n {
        gpu.trim();
        gpu.fail_allocations(k..k + 1);
        assert_eq!(bits(&side().unwrap()), clean, "allocation {k} of {n}");
        // What failed is not kept as if it were there.
        assert_eq!(bits(&side().unwrap()), clean, "after allocation {k} of {n}");
    }
    assert_eq!(gpu.fault_counts().n_trimmed, n);
    gpu.trim();
    gpu.fail_allocations(0..u64::MAX >> 1);
    assert_eq!(side().unwrap_err().kind(), ErrorKind::GpuMemory);
    gpu.fail_allocations(0..0);
    assert_eq!(bits(&side().unwrap()), clean);
}

#[test]
fn what_is_still_being_decoded_is_not_kept() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let path = clip("vinyl_hiss_44k_stereo.flac");
    let folder = folder();
    let options = OpenOptions { memory_bytes: 100_000, ..on_disk(folder.path()) };
    let plan = engine.plans().view(&stft(1024, 256), 44_100.0).unwrap();
    let around = |n_ready: u64| CellRect::new((n_ready / 256) as usize - 20..(n_ready / 256) as usize + 60, 0..513);
    let seen = RefCell::new(None);
    let preview = |source: &Source| {
        let sound = Snapshot::new(source.clone());
        let rect = around(source.n_ready());
        let [pages, uploaded] = both(&engine, &plan, &sound.signal(Signal::Mid), &rect);
        assert_eq!(bits(&pages), bits(&uploaded), "while it is decoded");
        seen.replace(Some((source.clone(), rect, pages)));
    };
    let opened = Source::open_with(&path, &options, &preview, &Progress::new()).unwrap().source;
    let (source, rect, early) = seen.into_inner().unwrap();
    assert!(source.is_same(&opened));
    let sound = Snapshot::new(opened);
    let [pages, uploaded] = both(&engine, &plan, &sound.signal(Signal::Mid), &rect);
    assert_eq!(bits(&pages), bits(&uploaded), "once it is decoded");
    assert_ne!(bits(&pages), bits(&early), "the control: it had not been decoded");
}

#[test]
fn an_edit_of_a_selection_reads_pages() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let opened = sound(2 * PAGE_SAMPLES);
    look(&engine, &opened, &stft(1024, 256));
    let select = Selection::rectangle(Some([1.0, 3.0]), Some([500.0, 2000.0]), [0.0; 2], Axis::Linear);
    for transform in [stft(512, 128), RowsParams::log(12).with_fmin_hz(400.0).into()] {
        for channels in [Channels::All, Channels::Side] {
            let edit = Edit {
                stroke: None,
                select: Some(select.clone()),
                channels,
                transform: transform.clone(),
                ..stroke_edit()
            };
            let run = |engine: &Engine| apply(&opened, &edit, engine, &Progress::new()).unwrap();
            let (kept, n_kept) = uploaded(&gpu, || run(&engine));
            assert_eq!(kept.report.engine(), "gpu", "{transform:?}");
            gpu.set_page_budget(0);
            let (again, n_again) = uploaded(&gpu, || run(&engine));
            // The new sound, for its consistency.
            assert!(0 < n_kept && 2 * n_kept <= n_again, "{n_kept} and {n_again} bytes, {transform:?}");
            for channel in [0, 1] {
                let [kept, again] = [&kept, &again].map(|applied| samples(&applied.snapshot, channel));
                assert_eq!(kept, again, "{transform:?}");
            }
            gpu.set_page_budget(64 << 20);
            look(&engine, &opened, &stft(1024, 256));
        }
    }
}

#[test]
fn sound_longer_than_a_window_is_read_in_parts() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let mut rng = Rng(8);
    let samples: Vec<f32> = (0..(1 << 24) + 100_000).map(|_| (rng.bits() >> 40) as f32 / 1e8 - 0.08).collect();
    let sound = Snapshot::new(Source::from_channels(vec![samples], RATE).unwrap());
    let plan = engine.plans().view(&stft(16_384, 8192), f64::from(RATE)).unwrap();
    let n_frames = plan.grid(f64::from(RATE), sound.n_samples()).n_frames();
    let rect = CellRect::new(0..n_frames, 100..103);
    let signal = sound.signal(Signal::Channel(0));
    gpu.set_page_budget(160 << 20);
    let [pages, uploaded] = both(&engine, &plan, &signal, &rect);
    assert_eq!(bits(&pages), bits(&uploaded));
    assert!(gpu.page_counts().n_uploaded == sound.n_samples().div_ceil(PAGE), "{:?}", gpu.page_counts());
    for frames in [0..3, 1000..1004, n_frames - 3..n_frames] {
        let part = CellRect::new(frames.clone(), 100..103);
        assert_eq!(bits(&both(&engine, &plan, &signal, &part)[0]), bits(&pages.crop(&part)));
        // The control: the next frame.
        let next = CellRect::new(frames.start + 1..frames.end - 1, 100..103);
        let before = CellRect::new(frames.start..frames.end - 2, 100..103);
        assert_ne!(bits(&pages.crop(&next)), bits(&pages.crop(&before)));
    }
}

#[test]
fn sound_in_very_many_parts_is_uploaded() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let mut sound = sound(PAGE_SAMPLES);
    for cut in 1..1_100 {
        let first = 20 * cut;
        sound = sound.without(first..first + 7);
    }
    let plan = engine.plans().view(&stft(512, 128), f64::from(RATE)).unwrap();
    for (frames, has_pages) in [(0..200, false), (40..60, true)] {
        let rect = CellRect::new(frames, 0..257);
        let [pages, uploaded] = both(&engine, &plan, &sound.signal(Signal::Side), &rect);
        assert_eq!(bits(&pages), bits(&uploaded));
        assert_eq!(gpu.page_counts().n_uploaded > 0, has_pages, "{rect:?}");
    }
}

/// A sound whose pages cannot be read.
#[derive(Debug)]
struct Unreadable<'a>(SnapshotSignal<'a>);

impl StoredSound for Unreadable<'_> {
    fn read(&self, first: i64, out: &mut [f32]) -> Result<()> {
        self.0.read(first, out)
    }

    fn mix(&self) -> SignalMix {
        self.0.mix()
    }

    fn runs(&self, channel: usize, samples: Range<i64>) -> Vec<StoredRun> {
        self.0.runs(channel, samples)
    }

    fn read_channel(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()> {
        self.0.read_channel(channel, first, out)
    }

    fn read_page(&self, _: usize, _: &StoredPage, _: &mut [f32]) -> Result<bool> {
        Err(Error::new(ErrorKind::SourceChanged, "the file was changed"))
    }
}

#[test]
fn a_page_that_cannot_be_read_is_an_error_and_not_kept() {
    let Some(gpu) = own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let sound = sound(PAGE_SAMPLES);
    let plan = engine.plans().view(&stft(512, 128), f64::from(RATE)).unwrap();
    let rect = CellRect::new(40..60, 0..257);
    let signal = sound.signal(Signal::Channel(1));
    let error = engine.view_sound(&plan, &Unreadable(signal), &rect).unwrap_err();
    assert_eq!((error.kind(), gpu.page_counts().n_uploaded), (ErrorKind::SourceChanged, 0));
    let [pages, uploaded] = both(&engine, &plan, &signal, &rect);
    assert_eq!(bits(&pages), bits(&uploaded));
    // Nothing is read of a page that is there.
    engine.view_sound(&plan, &Unreadable(signal), &rect).unwrap();
}
