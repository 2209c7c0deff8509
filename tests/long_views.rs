//! Long files on the canvas: seen while they are decoded, sketched first, and at once when they are opened again.

use crate::support::canvas::*;
use crate::support::opened::on_disk;
use crate::support::opened::{clip, folder};
use crate::support::signals;
use crate::support::studio::{Bench, Drawing};
use crate::support::wav::{Format, Wav};
use egui_kittest::Harness;
use sonobrush::base::Progress;
use sonobrush::document::Snapshot;
use sonobrush::dsp::{Stft, StftParams};
use sonobrush::engine::Engine;
use sonobrush::media::{OpenOptions, Source};
use sonobrush::view::{Analysis, ChannelView, PIECE_FRAMES, Piece, Pyramid, PyramidCache, Waveform};
use sonobrush::workbench::Picked;
use sonobrush::workbench::Tool;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

const STFT: StftParams = StftParams { n_fft: 1024, hop: 256, window: sonobrush::dsp::Window::Hann };

fn analysis(snapshot: &Snapshot) -> Analysis {
    Analysis::new(snapshot, ChannelView::All, Arc::new(Stft::new(STFT))).unwrap()
}

#[test]
fn a_sketch_is_near_the_picture_and_gives_way_to_it() {
    // A steady sound: all frames are alike, except for leakage that depends on a bin's phase.
    let n = 2 * PIECE_FRAMES * 256;
    let channels = vec![signals::tone(n, 16_000.0, 1000.0, 0.5), signals::tone(n, 16_000.0, 3000.0, 0.1)];
    let snapshot = Snapshot::new(Source::from_channels(channels, 16_000).unwrap());
    let analysis = analysis(&snapshot);
    let grid = analysis.grid().clone();
    let mut pyramid = Pyramid::new(grid.clone());
    let pieces: Vec<Piece> =
        (0..2).map(|i| Piece::sketch(&analysis, &Engine::cpu(), i, &Progress::new()).unwrap()).collect();
    let exact: Vec<Piece> =
        (0..2).map(|i| Piece::compute(&analysis, &Engine::cpu(), i, &Progress::new()).unwrap()).collect();
    pyramid.insert(0, pieces[0].clone(), true);
    pyramid.insert(1, pieces[1].clone(), true);
    let entries = |pyramid: &Pyramid, level: u32| {
        let n = (2 * PIECE_FRAMES) >> (2 * level);
        let rows = pyramid.rows(level, 0..n).values;
        // Beyond the lobe of the loudest the level depends on rounding.
        rows.iter().map(|&half| sonobrush::view::f32_from_half(half)).collect::<Vec<f32>>()
    };
    let mut whole = Pyramid::new(grid);
    exact.iter().enumerate().for_each(|(index, piece)| whole.insert(index, piece.clone(), true));
    for level in 2..=5 {
        let (sketched, exact) = (entries(&pyramid, level), entries(&whole, level));
        assert_eq!(sketched.len(), exact.len(), "level {level}");
        let max = exact.iter().fold(0.0f32, |a, &b| a.max(b));
        // The first and the last frames hear the silence around the sound.
        let n_rows = exact.len() / ((2 * PIECE_FRAMES) >> (2 * level)).max(1);
        let inside = n_rows..exact.len().saturating_sub(n_rows).max(n_rows);
        for (sketched, exact) in sketched[inside.clone()].iter().zip(&exact[inside]) {
            assert!((sketched - exact).abs() < 0.01 * max, "level {level}: {sketched} for {exact}");
        }
    }
    assert!(pyramid.is_there(2, 0..100) && !pyramid.is_fresh(2, 0..100), "seen, and not for good");
    assert_eq!(pyramid.next_piece(0..2, |_| false), Some(0));
    assert_eq!(pyramid.next_missing(9, usize::MAX), [2], "the frame behind the last sample");
    assert!(pyramid.next_missing(9, 2).is_empty());
    pyramid.insert(0, exact[0].clone(), true);
    pyramid.insert(0, pieces[0].clone(), true);
    assert!(pyramid.is_fresh(2, 0..100), "a sketch that comes late takes nothing away");
    assert_eq!(pyramid.next_piece(0..2, |_| false), Some(1));
}

/// A mono file of 16 kHz that is long enough to be kept, of noise that differs everywhere.
fn long_wav(path: &Path, seed: u64) {
    let n = 8 * PIECE_FRAMES * 256 + 1000;
    let samples = signals::noise(n, 0.1, seed).iter().map(|sample| (sample * 32768.0) as i64).collect();
    Wav { format: Format::Pcm(16), rate: RATE, channels: vec![samples] }.write(path);
}

fn seen(path: &Path, kept: &Path) -> (Harness<'static, App>, usize) {
    let snapshot = Snapshot::new(Source::open_with(path, &on_disk(kept), &|_| (), &Progress::new()).unwrap().source);
    let mut harness = harness(snapshot);
    harness.state_mut().canvas.keep_pyramids(PyramidCache::in_folder(kept, 1 << 30));
    let mut n_jobs = 0;
    for _ in 0..200 {
        harness.step();
        let n_run = harness.state().jobs.run_until_idle();
        n_jobs += n_run;
        if n_run == 0 && harness.state().canvas.is_settled() {
            return (harness, n_jobs);
        }
    }
    panic!("the canvas does not settle");
}

fn kept_files(folder: &Path) -> Vec<std::path::PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_long_file_that_was_seen_before_is_seen_at_once() {
    if !has_gpu() {
        return;
    }
    let (folder, kept) = (folder(), folder());
    let path = folder.path().join("long.wav");
    long_wav(&path, 1);
    let (mut first, n_first) = seen(&path, kept.path());
    let picture = pixels(&mut first);
    let files = kept_files(kept.path());
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let (mut again, n_again) = seen(&path, kept.path());
    assert!(differing(&picture, &pixels(&mut again), 0) == 0, "it looks the same");
    // Nine pieces, and a sketch of them, are not made.
    assert!(n_again + 9 <= n_first, "{n_again} jobs after {n_first}");

    // A damaged one is rebuilt, and the picture is right.
    let bytes = std::fs::read(file).unwrap();
    let places = [3, bytes.len() / 2, 40, bytes.len() - 1];
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    for &at in &places[..if is_long { 4 } else { 2 }] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        std::fs::write(file, &damaged).unwrap();
        let (mut again, n_jobs) = seen(&path, kept.path());
        assert!(differing(&picture, &pixels(&mut again), 0) == 0, "byte {at}");
        assert!(n_jobs >= n_first - 1, "byte {at}: {n_jobs} jobs");
        assert!(std::fs::read(file).unwrap() == bytes, "byte {at}: kept again");
    }
    std::fs::write(file, &bytes[..bytes.len() / 3]).unwrap();
    assert!(differing(&picture, &pixels(&mut seen(&path, kept.path()).0), 0) == 0, "cut short");

    // The control: another sound under the same name has another picture.
    std::thread::sleep(std::time::Duration::from_millis(20));
    long_wav(&path, 2);
    let (mut other, n_other) = seen(&path, kept.path());
    assert!(differing(&picture, &pixels(&mut other), 8) > 1000 && n_other >= n_first - 1);
    assert_eq!(kept_files(kept.path()).len(), 2);
}

/// A pipe without a writer, and a device without an end.
#[test]
#[cfg(unix)]
fn a_kept_picture_that_is_no_file_is_made_again() {
    let (folder, kept) = (folder(), folder());
    let path = folder.path().join("a.wav");
    let samples = signals::noise(20_000, 0.1, 3).iter().map(|sample| (sample * 32768.0) as i64).collect();
    Wav { format: Format::Pcm(16), rate: RATE, channels: vec![samples] }.write(&path);
    let snapshot = Snapshot::new(Source::open(&path, &Progress::new()).unwrap().source);
    let analysis = analysis(&snapshot);
    let mut pyramid = Pyramid::new(analysis.grid().clone());
    for index in 0..pyramid.n_pieces() {
        pyramid.insert(index, Piece::compute(&analysis, &Engine::cpu(), index, &Progress::new()).unwrap(), true);
    }
    let key = sonobrush::view::PyramidKey {
        document: 0,
        transform: STFT.into(),
        channels: ChannelView::All,
        has_phases: false,
    };
    let pictures = PyramidCache::in_folder(kept.path(), 1 << 30);
    pictures.keep(&sonobrush::view::UncachedPyramid::of(&pyramid, key.clone(), &snapshot).unwrap()).unwrap();
    let find = || {
        let (pictures, snapshot, key) = (pictures.clone(), snapshot.clone(), key.clone());
        let (send, found) = std::sync::mpsc::channel();
        let grid = analysis.grid().clone();
        std::thread::spawn(move || {
            send.send(pictures.find(&snapshot, &key, &grid, &Progress::new()).unwrap().is_some()).ok()
        });
        found.recv_timeout(std::time::Duration::from_secs(30)).expect("it hangs")
    };
    assert!(find(), "the control");
    let file = kept_files(kept.path()).remove(0);
    for kind in ["pipe", "device"] {
        std::fs::remove_file(&file).unwrap();
        match kind {
            "pipe" => assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success()),
            _ => std::os::unix::fs::symlink("/dev/zero", &file).unwrap(),
        }
        assert!(!find(), "{kind}");
    }
}

#[test]
fn a_picture_is_kept_with_its_phases_and_without() {
    let (folder, kept) = (folder(), folder());
    let path = folder.path().join("a.wav");
    let samples = signals::noise(20_000, 0.1, 3).iter().map(|sample| (sample * 32768.0) as i64).collect();
    Wav { format: Format::Pcm(16), rate: RATE, channels: vec![samples] }.write(&path);
    let snapshot = Snapshot::new(Source::open(&path, &Progress::new()).unwrap().source);
    let pictures = PyramidCache::in_folder(kept.path(), 1 << 30);
    let mut all_rows = Vec::new();
    for has_phases in [true, false] {
        let analysis = analysis(&snapshot).with_phases(has_phases);
        let mut pyramid = Pyramid::new(analysis.grid().clone());
        pyramid.insert(0, Piece::compute(&analysis, &Engine::cpu(), 0, &Progress::new()).unwrap(), true);
        let channels = ChannelView::All;
        let key = sonobrush::view::PyramidKey { document: 0, transform: STFT.into(), channels, has_phases };
        // A picture that lacks what its key says is rejected.
        let other = sonobrush::view::PyramidKey { has_phases: !has_phases, ..key.clone() };
        assert!(sonobrush::view::UncachedPyramid::of(&pyramid, other, &snapshot).is_none());
        pictures.keep(&sonobrush::view::UncachedPyramid::of(&pyramid, key.clone(), &snapshot).unwrap()).unwrap();
        let found = pictures.find(&snapshot, &key, analysis.grid(), &Progress::new()).unwrap().expect("it is kept");
        let mut again = Pyramid::new(analysis.grid().clone());
        again.insert(0, found[0].clone(), true);
        let rows = again.rows(2, 0..4);
        assert_eq!(rows, pyramid.rows(2, 0..4));
        assert_eq!(rows.phases.is_some(), has_phases);
        all_rows.push(rows.values);
    }
    assert!(all_rows[0].iter().zip(&all_rows[1]).all(|(a, b)| a.abs_diff(*b) <= 1));
    assert_eq!(kept_files(kept.path()).len(), 2);
}

#[test]
fn kept_pictures_take_no_more_room_than_they_may() {
    if !has_gpu() {
        return;
    }
    let (folder, kept) = (folder(), folder());
    let n_bytes = |folder: &Path| kept_files(folder).iter().map(|path| path.metadata().unwrap().len()).sum::<u64>();
    let path = folder.path().join("0.wav");
    long_wav(&path, 0);
    drop(seen(&path, kept.path()));
    let one = n_bytes(kept.path());
    // What another program would have there stays.
    std::fs::write(kept.path().join("other"), b"theirs").unwrap();
    let snapshot = Snapshot::new(Source::open(&path, &Progress::new()).unwrap().source);
    let analysis = analysis(&snapshot);
    let mut pyramid = Pyramid::new(analysis.grid().clone());
    for index in 0..pyramid.n_pieces() {
        pyramid.insert(index, Piece::compute(&analysis, &Engine::cpu(), index, &Progress::new()).unwrap(), true);
    }
    let two = PyramidCache::in_folder(kept.path(), 2 * one + 1000);
    for document in 0..3 {
        let channels = [ChannelView::Mid, ChannelView::Side, ChannelView::One(0)][document];
        let key = sonobrush::view::PyramidKey {
            document: document as u64,
            transform: STFT.into(),
            channels,
            has_phases: false,
        };
        two.keep(&sonobrush::view::UncachedPyramid::of(&pyramid, key.clone(), &snapshot).unwrap()).unwrap();
        assert!(n_bytes(kept.path()) <= 2 * one + 1000, "{} bytes for {one} each", n_bytes(kept.path()));
        assert!(two.find(&snapshot, &key, analysis.grid(), &Progress::new()).unwrap().is_some(), "the newest stays");
    }
    assert!(kept.path().join("other").exists());
    // One that alone is too large is not kept.
    let none = PyramidCache::in_folder(&kept.path().join("none"), one / 2);
    let key = sonobrush::view::PyramidKey {
        document: 0,
        transform: STFT.into(),
        channels: ChannelView::All,
        has_phases: false,
    };
    none.keep(&sonobrush::view::UncachedPyramid::of(&pyramid, key, &snapshot).unwrap()).unwrap();
    assert!(!kept.path().join("none").exists());
}

#[test]
fn a_sound_is_seen_as_far_as_it_is_decoded_and_then_whole() {
    if !has_gpu() {
        return;
    }
    let path = clip("vinyl_hiss_44k_stereo.flac");
    let scratch = folder();
    let options =
        OpenOptions { memory_bytes: 300_000, scratch_folder: scratch.path().to_path_buf(), ..OpenOptions::default() };
    let (show, shown) = channel();
    let (go_on, wait) = channel();
    let theirs = path.clone();
    let reading = std::thread::spawn(move || {
        let preview = |source: &Source| {
            show.send(source.clone()).unwrap();
            wait.recv().unwrap();
        };
        Source::open_with(&theirs, &options, &preview, &Progress::new()).unwrap().source
    });
    let source = shown.recv().unwrap();
    let snapshot = Snapshot::new(source.clone());
    let ready_part = source.n_ready() as f64 / source.info().n_samples as f64;
    assert!((0.01..0.6).contains(&ready_part), "{ready_part}");
    let mut harness = harness(snapshot.clone());
    assert!(harness.state().document.is_reading());
    let go = |harness: &mut Harness<'static, App>| {
        for _ in 0..30 {
            harness.step();
            harness.state().jobs.run_until_idle();
        }
    };
    // Near enough that tiles of a second or two are requested.
    let duration_secs = harness.state().document.duration_secs();
    go(&mut harness);
    let early = pixels(&mut harness);
    let half = Waveform::compute(&snapshot, ChannelView::All, None, &Progress::new()).unwrap();
    assert!(!half.columns([0.0, duration_secs * ready_part * 0.9], 50).contains(&[0.0, 0.0]));
    assert!(half.columns([duration_secs * 0.7, duration_secs], 50).iter().all(|&column| column == [0.0, 0.0]));

    // It cannot be painted on yet, and a notice says why.
    harness.state_mut().tools.pick(Tool::GAIN);
    let at = harness.state().canvas.rects().unwrap().picture.center();
    send(&mut harness, &[egui::Event::PointerMoved(at)]);
    send(&mut harness, &[button(at, true)]);
    assert!(harness.state().last.notice.is_some(), "told why");
    send(&mut harness, &[button(at, false)]);
    assert!(harness.state().finished.is_empty());

    go_on.send(()).unwrap();
    let opened = reading.join().unwrap();
    assert!(opened.is_same(&source) && !harness.state().document.is_reading());
    leave(&mut harness);
    let late = pixels(&mut harness);
    let mut other =
        super::support::canvas::harness(Snapshot::new(Source::open(&path, &Progress::new()).unwrap().source));
    settle(&mut other);
    leave(&mut other);
    assert!(differing(&late, &pixels(&mut other), COLOUR_STEP) == 0, "in the end it is what it always is");
    assert!(differing(&late, &early, COLOUR_STEP) > 1000, "which it was not before");
    let whole = Waveform::compute(&snapshot, ChannelView::All, Some(&half), &Progress::new()).unwrap();
    let afresh = Waveform::compute(&snapshot, ChannelView::All, None, &Progress::new()).unwrap();
    assert!(whole.columns([0.0, duration_secs], 300) == afresh.columns([0.0, duration_secs], 300));
}

#[test]
fn the_studio_shows_one_document_from_the_first_samples_on() {
    let mut bench = Bench::new(Drawing::None);
    bench.limit(|budgets| budgets.source_bytes = 0);
    bench.dialogs.answer(Picked::File(clip("drum_break_44k_stereo.flac")));
    bench.key(crate::support::studio::CTRL, egui::Key::O);
    let document = bench.studio().document().unwrap();
    assert!(!document.is_reading() && document.history().original().source().is_on_disk());
    assert_eq!(document.name(), "drum_break_44k_stereo.flac");
    let id = document.id();
    assert!(bench.has("drum_break_44k_stereo.flac"));

    // A file that ends early was shown too long: the right sound replaces it, with a notice.
    let bytes = std::fs::read(clip("tabla_loop_44k_stereo.flac")).unwrap();
    let short = bench.out("short.flac");
    std::fs::write(&short, &bytes[..bytes.len() / 2]).unwrap();
    bench.dialogs.answer(Picked::File(short));
    bench.key(crate::support::studio::CTRL, egui::Key::O);
    let document = bench.studio().document().unwrap();
    let whole = Source::open(&clip("tabla_loop_44k_stereo.flac"), &Progress::new()).unwrap().source;
    assert!(document.id() != id && document.history().original().n_samples() < whole.info().n_samples);
    assert!(!document.is_reading());
    let notices = bench.notices();
    assert!(notices.iter().any(|(_, what)| what.contains("short.flac")), "{notices:?}");
}
