//! The fuzz targets on stable Rust with a fixed number of inputs, and random byte flips of small good files.
//!
//! `SONOBRUSH_FLIPS=10000` flips 10,000 bytes of each seed; `scripts/test --long` does.

#[path = "fuzz/targets.rs"]
mod targets;

use crate::support::bad_inputs::make_bad_inputs;
use crate::support::random::Random;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_secs(60);

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// What a fuzzer does: bytes changed, lost, doubled, moved from another input.
fn mutated(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = random.pick(seeds);
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len().max(1));
        match random.below(6) {
            0 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
            1 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            2 => bytes.truncate(at),
            3 => {
                let end = (at + random.below(40)).min(bytes.len());
                let again = bytes[at.min(end)..end].to_vec();
                bytes.splice(at.min(end)..at.min(end), again);
            }
            4 => {
                let other = random.pick(seeds);
                let from = random.below(other.len());
                let end = (from + random.below(60)).min(other.len());
                bytes.splice(at.min(bytes.len())..at.min(bytes.len()), other[from..end].iter().copied());
            }
            _ if !bytes.is_empty() => bytes[at] = random.pick(&[0u8, 0xff, 0x7f, b'-', b'9', b'e', b'[', b'"', b'}']),
            _ => {}
        }
    }
    bytes
}

/// Numbers in a script replaced, which changed bytes seldom do in a way that still parses.
fn with_other_numbers(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut out = String::new();
    let mut digits = String::new();
    for letter in text.chars().chain(Some(' ')) {
        if letter.is_ascii_digit() || matches!(letter, '.' | '-') {
            digits.push(letter);
            continue;
        }
        if !digits.is_empty() {
            let others = ["0", "-1", "1e300", "1e-300", "0.5", "1e9", "65536", "-1e9"];
            out.push_str(if random.once_in(8) { random.pick(&others) } else { &digits });
            digits.clear();
        }
        out.push(letter);
    }
    out.into_bytes()
}

#[test]
fn mutated_scripts_are_applied_or_refused() {
    let seeds = corpus("script");
    let mut random = Random::new(5);
    let n_applied: usize = seeds.iter().map(|seed| targets::script(seed)).sum();
    assert!(n_applied >= 12, "the corpus itself is applied: {n_applied}");
    let mut n_applied = 0;
    for _ in 0..n_inputs(600, 20_000) {
        let bytes = mutated(&mut random, &seeds);
        targets::script(&bytes);
        let seed = random.pick(&seeds);
        n_applied += targets::script(&with_other_numbers(&mut random, &seed));
    }
    assert!(n_applied > 20, "{n_applied}");
}

#[test]
fn mutated_files_open_or_are_refused() {
    let seeds = corpus("container");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    let mut random = Random::new(6);
    assert!(seeds.iter().filter(|seed| targets::container(seed, &path)).count() >= 9, "the corpus opens");
    let n = n_inputs(500, 20_000);
    let n_opened = (0..n).filter(|_| targets::container(&mutated(&mut random, &seeds), &path)).count();
    assert!(n_opened > n / 20 && n_opened < n, "{n_opened} of {n}");
}

#[test]
fn mutated_projects_open_or_are_refused() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/version_1.sonobrush");
    let seeds = vec![std::fs::read(golden).unwrap()];
    let folder = tempfile::tempdir().unwrap();
    assert!(targets::project(&seeds[0], folder.path()), "as it is, it opens");
    let mut random = Random::new(7);
    let n = n_inputs(200, 10_000);
    let n_whole = (0..n).filter(|_| targets::project(&mutated(&mut random, &seeds), folder.path())).count();
    assert!(n_whole > 0 && n_whole < n / 2, "{n_whole} of {n}");
}

/// One byte made a quarter of a megabyte into a day.
#[test]
fn packets_of_a_caf_that_cannot_be_are_refused() {
    let good = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coded/pcm24.caf")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sound.caf");
    assert!(targets::container(&good, &path), "as it is, it opens");
    // Frames of a packet, and its bytes.
    for (at, value) in [(40, 140), (41, 1), (43, 2), (39, 1)] {
        let mut bytes = good.clone();
        bytes[at] = value;
        assert!(!targets::container(&bytes, &path), "byte {at}");
    }
}

fn n_inputs(short: usize, long: usize) -> usize {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { long } else { short }
}

/// AIFF, or AIFC in little endian, of 500 frames.
fn aiff(is_little: bool) -> Vec<u8> {
    let samples: Vec<i16> = (0..500).map(|at| ((f64::from(at) * 0.1).sin() * 9000.0) as i16).collect();
    let bytes = |sample: &i16| if is_little { sample.to_le_bytes() } else { sample.to_be_bytes() };
    let data: Vec<u8> = samples.iter().flat_map(bytes).collect();
    let mut common = vec![0, 1, 0, 0, 1, 0xf4, 0, 16];
    // 44,100 Hz as an 80-bit float.
    common.extend([0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]);
    if is_little {
        common.extend(*b"sowt\0\0");
    }
    let mut chunks: Vec<(&[u8; 4], Vec<u8>)> = vec![(b"COMM", common)];
    if is_little {
        chunks.insert(0, (b"FVER", vec![0xa2, 0x80, 0x51, 0x40]));
    }
    chunks.push((b"SSND", [vec![0; 8], data].concat()));
    let mut body = if is_little { b"AIFC".to_vec() } else { b"AIFF".to_vec() };
    for (name, content) in chunks {
        body.extend(name);
        body.extend((content.len() as u32).to_be_bytes());
        body.extend(content);
    }
    [b"FORM".to_vec(), (body.len() as u32).to_be_bytes().to_vec(), body].concat()
}

/// Small files of every container there is.
fn seeds(folder: &Path) -> Vec<(String, Vec<u8>)> {
    make_bad_inputs(folder);
    let mut seeds = vec![("ok.aiff".into(), aiff(false)), ("ok.aifc".into(), aiff(true))];
    let good = ["ok_stereo16.wav", "ok_float32.wav", "ok_u8.wav", "ok.ogg", "ok.mp3", "ok.flac", "rf64_ok.wav"];
    let more = ["ima_adpcm.wav", "ms_adpcm.wav", "wavex_20in24.wav"];
    for name in good.iter().chain(&more) {
        seeds.push((name.to_string(), std::fs::read(folder.join(name)).unwrap()));
    }
    let coded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coded");
    for entry in std::fs::read_dir(coded).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending != "py") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            seeds.push((name, std::fs::read(path).unwrap()));
        }
    }
    seeds.sort();
    seeds
}

#[test]
fn byte_flips_of_every_container_neither_panic_nor_hang() {
    let folder = tempfile::tempdir().unwrap();
    let seeds = seeds(folder.path());
    assert!(seeds.len() >= 25, "{}", seeds.len());
    let n_flips = std::env::var("SONOBRUSH_FLIPS").map_or(n_inputs(24, 10_000), |n| n.parse().unwrap());
    let (next, n_opened, is_over) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let under_way: Mutex<Vec<(String, Instant)>> = Mutex::default();
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while !is_over.load(Relaxed) {
                let late = under_way.lock().unwrap().iter().find(|(_, since)| since.elapsed() > TIMEOUT).cloned();
                // The scope would wait for ever.
                if let Some((what, _)) = late {
                    std::fs::write("/dev/stderr", format!("opening hangs: {what}\n")).ok();
                    std::process::abort();
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        let worker = |index: usize| {
            let path = folder.path().join(format!("flipped{index}"));
            while let Some((name, good)) = seeds.get(next.fetch_add(1, Relaxed)) {
                let opens = targets::container(good, &path);
                assert!(opens, "{name} itself does not open");
                let mut random = Random::new(name.len() as u64 * 77 + good.len() as u64);
                for flip in 0..n_flips {
                    let mut bytes = good.clone();
                    // Headers are short, and where a byte matters most.
                    let end = if random.once_in(3) { bytes.len().min(200) } else { bytes.len() };
                    let (at, bits) = (random.below(end), 1 + random.below(255) as u8);
                    bytes[at] ^= bits;
                    under_way
                        .lock()
                        .unwrap()
                        .push((format!("{name}, byte {at} ^ {bits}, flip {flip}"), Instant::now()));
                    let run = std::panic::catch_unwind(|| targets::container(&bytes, &path));
                    let mut all = under_way.lock().unwrap();
                    let own = all.iter().position(|(what, _)| what.starts_with(&format!("{name}, "))).unwrap();
                    let (what, _) = all.remove(own);
                    drop(all);
                    n_opened.fetch_add(usize::from(run.unwrap_or_else(|_| panic!("{what} panics"))), Relaxed);
                }
            }
        };
        let workers: Vec<_> = (0..2).map(|index| scope.spawn(move || worker(index))).collect();
        let ended: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        is_over.store(true, Relaxed);
        watch.join().unwrap();
        ended.into_iter().for_each(|ended| ended.unwrap());
    });
    let (n, n_opened) = (seeds.len() * n_flips, n_opened.load(Relaxed));
    assert!(n_opened > n / 4 && n_opened < n, "{n_opened} of {n} opened");
}
