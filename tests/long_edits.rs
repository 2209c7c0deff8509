//! Edits of long sounds: in pieces, within the memory that blocks may take, and nothing is left of one that is
//! cancelled.

use crate::support::opened::folder;
use crate::support::opened::open_on_disk;
use crate::support::signals;
use crate::support::studio::{Bench, CTRL, Drawing, NONE};
use crate::support::wav::{Format, Wav};
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::document::brushes::{Brush, Erase, Gain};
use sonobrush::document::{BLOCK_SAMPLES, BlockStore, Channels, Edit, Snapshot, apply};
use sonobrush::dsp::StftParams;
use sonobrush::engine::Engine;
use sonobrush::workbench::Picked;
use sonobrush::workbench::Severity;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

const RATE: u32 = 16_000;

fn write(path: &Path, secs: usize) -> Vec<f32> {
    let samples = signals::noise(secs * RATE as usize, 0.1, 5);
    let channel: Vec<i64> = samples.iter().map(|sample| i64::from(sample.to_bits())).collect();
    Wav { format: Format::F32, rate: RATE, channels: vec![channel.clone(), channel] }.write(path);
    samples
}

fn whole(brush: Brush, consistency_steps: Option<u32>) -> Edit {
    Edit {
        brush,
        stroke: None,
        select: None,
        channels: Channels::All,
        transform: StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into(),
        strength: 1.0,
        consistency_steps,
    }
}

/// The most that a store holds in memory while something is done.
fn max_in_memory<T>(store: &BlockStore, work: impl FnOnce() -> T) -> (T, u64) {
    let (max, done) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let watcher = std::thread::spawn({
        let (store, max, done) = (store.clone(), max.clone(), done.clone());
        move || {
            while !done.load(Relaxed) {
                max.fetch_max(store.ram_bytes(), Relaxed);
                std::thread::yield_now();
            }
        }
    });
    let result = work();
    done.store(true, Relaxed);
    watcher.join().unwrap();
    (result, max.load(Relaxed))
}

#[test]
fn an_edit_of_all_of_a_long_sound_holds_little_of_it_at_a_time() {
    let place = folder();
    let path = place.path().join("long.wav");
    let samples = write(&path, 200);
    let n_bytes = 2 * 4 * samples.len() as u64;
    let snapshot = Snapshot::new(open_on_disk(&path).source);
    let limit = 1 << 20;
    snapshot.store().limit(limit, place.path());
    let engine = Engine::cpu();
    for (edit, factor) in [
        (whole(Brush::Gain(Gain { gain_db: -6.0 }), None), 10f64.powf(-0.3)),
        (whole(Brush::Erase(Erase), Some(1)), 0.0),
    ] {
        let store = snapshot.store().clone();
        let (applied, max) = max_in_memory(&store, || apply(&snapshot, &edit, &engine, &Progress::new()).unwrap());
        // Of a piece, too, until it is settled: at most as many cells as the engine takes at once, for each of two
        // steps.
        let piece_bytes = (engine.max_cells() / 513 * 256 * 4 * 2) as u64;
        assert!(max <= limit + piece_bytes && max < n_bytes / 2, "{max} bytes of {n_bytes} with {piece_bytes} a piece");
        assert!(store.disk_bytes() + store.ram_bytes() >= n_bytes, "all of it was changed");
        let mut edited = vec![0.0; samples.len()];
        applied.snapshot.read(1, 0, &mut edited).unwrap();
        for (edited, sample) in edited.iter().zip(&samples) {
            assert!((f64::from(*edited) - factor * f64::from(*sample)).abs() < 1e-5, "{edited} for {sample}");
        }
        let [changed] = applied.changed.as_slice() else { panic!("{:?}", applied.changed) };
        assert_eq!(*changed, 0..samples.len() as u64);
        drop(applied);
        assert_eq!((store.ram_bytes(), store.disk_bytes()), (0, 0), "dropped, it gives all of it back");
    }
}

#[test]
fn a_cancelled_edit_leaves_nothing_behind() {
    let place = folder();
    let path = place.path().join("long.wav");
    write(&path, 200);
    let snapshot = Snapshot::new(open_on_disk(&path).source);
    snapshot.store().limit(64 * BLOCK_SAMPLES as u64, place.path());
    let progress = Progress::new();
    let watcher = std::thread::spawn({
        let (progress, store) = (progress.clone(), snapshot.store().clone());
        move || {
            while progress.fraction() < 0.2 || store.disk_bytes() == 0 {
                std::thread::yield_now();
            }
            progress.cancel();
        }
    });
    let error =
        apply(&snapshot, &whole(Brush::Gain(Gain { gain_db: -6.0 }), None), &Engine::cpu(), &progress).unwrap_err();
    watcher.join().unwrap();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!((0.2..0.9).contains(&progress.fraction()), "{}", progress.fraction());
    assert_eq!((snapshot.store().ram_bytes(), snapshot.store().disk_bytes()), (0, 0));
    assert!(!snapshot.is_edited());
}

#[test]
fn a_file_that_changes_under_the_studio_is_told_once_and_edits_stay() {
    let mut bench = Bench::new(Drawing::None);
    bench.limit(|budgets| budgets.source_bytes = 0);
    let path = bench.out("long.wav");
    write(&path, 3);
    bench.dialogs.answer(Picked::File(path.clone()));
    bench.key(CTRL, egui::Key::O);
    bench.select(Some([0.5, 1.0]), None);
    bench.key(NONE, egui::Key::Delete);
    let edited = bench.samples(0);
    assert!(bench.studio().document().unwrap().history().position() == 1 && bench.notices().len() == 1);

    std::thread::sleep(std::time::Duration::from_millis(20));
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(1000)).unwrap();
    file.write_all(b"not ours").unwrap();
    drop(file);
    for secs in [[1.5, 2.0], [2.0, 2.5]] {
        bench.select(Some(secs), None);
        bench.key(NONE, egui::Key::Delete);
    }
    let document = bench.studio().document().unwrap();
    assert_eq!(document.history().position(), 1, "what cannot be read is not edited");
    let reported = |bench: &Bench| {
        let notices = bench.notices();
        notices.into_iter().filter(|(_, what)| what.contains("changed by another program")).collect::<Vec<_>>()
    };
    let [(Severity::Error, what)] = &reported(&bench)[..] else { panic!("{:?}", bench.notices()) };
    assert!(what.starts_with("Cannot read long.wav: it was changed"), "{what}");
    assert!(document.history().current().is_edited() && edited[12_000].abs() < 1e-3);
    // Undo needs no file, and unreadable samples are not requested endlessly.
    bench.key(CTRL, egui::Key::Z);
    assert_eq!(bench.studio().document().unwrap().history().position(), 0);
    assert_eq!(reported(&bench).len(), 1);
}
