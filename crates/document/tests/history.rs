//! A history larger than memory: undo stays exact, on disk or not, and a full disk only costs memory.

use base::{Progress, ScratchFile};
use document::brushes::{Brush, Gain};
use document::{BLOCK_SAMPLES, Channels, Edit, History, Snapshot, apply};
use dsp::{Axis, CellRect, Point, StftParams, Stroke};
use engine::Engine;
use media::Source;
use std::path::Path;
use support::snapshots::{bits, samples};

const RATE_HZ: u32 = 44_100;
const BLOCK_BYTES: u64 = 4 * BLOCK_SAMPLES as u64;

fn noise(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / 16_777_216.0 - 0.5
    };
    (0..n).map(|_| next()).collect()
}

fn sound(secs: usize) -> Snapshot {
    let n = secs * RATE_HZ as usize;
    Snapshot::new(Source::from_channels(vec![noise(n, 1), noise(n, 2)], RATE_HZ).unwrap())
}

/// A short stroke of gain, each at a different place.
fn stroke(i: usize, secs: usize) -> Edit {
    // Multiples of the golden ratio modulo 1: spread over the file, no two close together.
    let at = (i as f64 * 0.618_033_988_75).fract() * (secs as f64 - 0.4) + 0.1;
    let point = |secs: f64, hz: f64| Point { secs, hz, pressure: 1.0 };
    Edit {
        brush: Brush::Gain(Gain { gain_db: if i.is_multiple_of(2) { -9.0 } else { 3.0 } }),
        stroke: Some(Stroke {
            points: vec![point(at, 600.0), point(at + 0.1, 900.0)],
            axis: Axis::Log,
            radius: [0.02, 0.3],
            hardness: 0.5,
            strength: 1.0,
            build_up: false,
        }),
        select: None,
        channels: Channels::All,
        transform: StftParams { n_fft: 1024, hop: 256, ..StftParams::default() }.into(),
        strength: 1.0,
        consistency_steps: Some(0),
    }
}

/// A hash of all bits of a sound's state.
fn fingerprint(snapshot: &Snapshot) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for channel in 0..snapshot.n_channels() {
        for bits in bits(&samples(snapshot, channel)) {
            hash = (hash ^ u64::from(bits)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(5);
        }
    }
    hash
}

fn paint(history: &mut History, i: usize, secs: usize) {
    paint_on(&Engine::cpu(), history, i, secs);
}

fn paint_on(engine: &Engine, history: &mut History, i: usize, secs: usize) {
    let edit = stroke(i, secs);
    let applied = apply(history.current(), &edit, engine, &Progress::new()).unwrap();
    history.push(edit, applied.snapshot);
}

/// Undoes and redoes everything, comparing fingerprints.
fn check_all(history: &mut History, expected: &[u64]) {
    for (i, expected) in expected.iter().enumerate().rev() {
        assert_eq!(history.position(), i);
        assert_eq!(fingerprint(history.current()), *expected, "undone to step {i}");
        assert_eq!(history.undo(), i > 0);
    }
    for (i, expected) in expected.iter().enumerate() {
        assert_eq!(fingerprint(history.current()), *expected, "done again to step {i}");
        assert_eq!(history.redo(), i + 1 < history.entries().len());
    }
}

#[test]
fn what_moved_to_disk_is_undone_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let mut history = History::new(sound(3));
    let mut expected = vec![fingerprint(history.current())];
    let budget_bytes = 8 * BLOCK_BYTES;
    for i in 0..12 {
        // The budget is set only after four strokes, and applies to their blocks, too.
        if i == 4 {
            assert_eq!(history.original().store().disk_bytes(), 0, "without a budget nothing moves");
            history.limit(budget_bytes, folder.path());
        }
        paint(&mut history, i, 3);
        expected.push(fingerprint(history.current()));
    }
    let store = history.original().store().clone();
    assert!(store.ram_bytes() <= budget_bytes, "{} bytes in memory", store.ram_bytes());
    assert!(store.disk_bytes() > 2 * budget_bytes, "{} bytes on disk", store.disk_bytes());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file has no name");
    assert!(store.take_fault().is_none());
    check_all(&mut history, &expected);
    // Steps that a new stroke replaces after an undo free their disk space.
    let before = store.disk_bytes();
    history.go_to(1);
    paint(&mut history, 99, 3);
    assert!(store.disk_bytes() < before / 2, "{} of {before} bytes are still kept", store.disk_bytes());
    drop(history);
    assert_eq!((store.ram_bytes(), store.disk_bytes()), (0, 0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_history_in_memory() {
    let mut history = History::new(sound(3));
    let store = history.original().store().clone();
    store.limit_with(BLOCK_BYTES, ScratchFile::at(Path::new("/dev/full"), BLOCK_BYTES as usize).unwrap());
    let mut expected = vec![fingerprint(history.current())];
    for i in 0..4 {
        paint(&mut history, i, 3);
        expected.push(fingerprint(history.current()));
    }
    let fault = store.take_fault().unwrap().to_string();
    assert!(fault.contains("the disk is full; free some space"), "{fault}");
    assert!(store.take_fault().is_none(), "told once");
    assert!(store.disk_bytes() == 0 && store.ram_bytes() > BLOCK_BYTES);
    check_all(&mut history, &expected);
    // A limit with a scratch file that has room moves the blocks to disk.
    let folder = tempfile::tempdir().unwrap();
    store.limit_with(BLOCK_BYTES, ScratchFile::in_folder(folder.path(), BLOCK_BYTES as usize).unwrap());
    assert!(store.ram_bytes() <= BLOCK_BYTES && store.disk_bytes() > 0);
    check_all(&mut history, &expected);
}

/// Current memory of the process in megabytes.
#[cfg(target_os = "linux")]
fn resident_mb() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<f64>().unwrap() / 1024.0
}

/// Many strokes on a long file with a small budget: the process uses at most the budget plus 300 MB, and undoing all
/// restores the bits. The parent process sets number, length and budget by environment variables.
#[cfg(target_os = "linux")]
#[allow(clippy::print_stdout, reason = "the figures are what is wanted")]
#[test]
#[ignore = "run by memory_stays_within_its_budget in a process of its own"]
fn many_strokes() {
    let number = |name: &str, default: usize| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (n_strokes, secs) = (number("STROKES", 10_000), number("SECS", 300));
    let budget_mb = number("BUDGET_MB", 512);
    let folder = tempfile::tempdir_in(std::env::var_os("STROKES_FOLDER").unwrap_or("/var/tmp".into())).unwrap();
    let mut history = History::new(sound(secs));
    history.limit((budget_mb as u64) << 20, folder.path());
    let first = fingerprint(history.current());
    let mut max_mb = 0f64;
    let began = std::time::Instant::now();
    for i in 0..n_strokes {
        paint(&mut history, i, secs);
        if i % 50 == 0 {
            max_mb = max_mb.max(resident_mb());
        }
    }
    max_mb = max_mb.max(resident_mb());
    let store = history.original().store().clone();
    let painted_secs = began.elapsed().as_secs_f64();
    let last = fingerprint(history.current());
    while history.undo() {}
    assert_eq!(fingerprint(history.current()), first);
    history.go_to(n_strokes);
    assert_eq!(fingerprint(history.current()), last);
    println!(
        "{n_strokes} strokes on {secs} s of stereo in {painted_secs:.0} s: at most {max_mb:.0} MB with a budget of \
         {budget_mb} MB; {} MB on disk",
        store.disk_bytes() >> 20
    );
    assert!(store.take_fault().is_none());
    assert!(max_mb < budget_mb as f64 + 300.0, "{max_mb} MB");
    assert!(store.ram_bytes() <= (budget_mb as u64) << 20);
}

#[cfg(target_os = "linux")]
#[allow(clippy::print_stdout, reason = "the figures are what is wanted")]
fn many_strokes_in_a_process(settings: &[(&str, &str)]) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "history::many_strokes", "--ignored", "--nocapture"])
        .envs(settings.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
    if let Some(line) = said.lines().find(|line| line.contains(" strokes on ")) {
        println!("{line}");
    }
}

/// 10,000 strokes on five minutes with `scripts/test --long`, otherwise 120 on 20 s.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_within_its_budget() {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() {
        many_strokes_in_a_process(&[]);
    } else {
        many_strokes_in_a_process(&[
            ("STROKES", "120"),
            ("SECS", "20"),
            ("BUDGET_MB", "4"),
            ("STROKES_FOLDER", "/tmp"),
        ]);
    }
}

/// 10,000 strokes on five minutes of stereo with `scripts/test --long`, otherwise 60 on 20 s: device memory stays
/// below 512 MB, and undoing all restores the bits.
#[test]
fn memory_of_the_device_stays_within_its_limit() {
    if support::gpu::gpu().is_none() {
        return;
    }
    // A separate device, since other tests use the shared one concurrently.
    let gpu = engine::gpu::Gpu::headless(None).unwrap();
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    let (n_strokes, secs) = if is_long { (10_000, 300) } else { (60, 20) };
    let folder = tempfile::tempdir_in(if is_long { "/var/tmp" } else { "/tmp" }).unwrap();
    let mut history = History::new(sound(secs));
    history.limit(64 << 20, folder.path());
    let first = fingerprint(history.current());
    let engine = Engine::on(gpu.clone());
    let mut max_bytes = 0;
    for i in 0..n_strokes {
        paint_on(&engine, &mut history, i, secs);
        max_bytes = max_bytes.max(gpu.device_bytes().unwrap_or(gpu.held_bytes()));
    }
    assert!((1..512 << 20).contains(&max_bytes), "{} MB on the device", max_bytes >> 20);
    // Control: uploads of 64 MiB, more than the driver already holds, show up in the count.
    let before = gpu.device_bytes().unwrap_or(gpu.held_bytes());
    let upload = |_| engine.upload(dsp::Region::zeros(CellRect::new(0..4096, 0..2048))).unwrap();
    let large: Vec<_> = (0..before / (64 << 20) + 1).map(upload).collect();
    let with_large = gpu.device_bytes().unwrap_or(gpu.held_bytes());
    assert!(with_large > before, "{} times 64 MB more: {before}, {with_large}", large.len());
    drop(large);
    gpu.trim();
    while history.undo() {}
    assert_eq!(fingerprint(history.current()), first);
}
