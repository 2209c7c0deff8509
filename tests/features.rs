//! Features of many files: the contents of the arrays, and failing files and runs.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::support::feature_orders::feature_order;
use super::support::npy;
use super::support::program::Place;
use super::support::signals::busy;
use super::support::wav::{Format, Wav, clip};
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::dsp::mels::segments::{SegmentParams, SegmentSpectra};
use sonobrush::library::features::{Phase, RunStatus, write_features};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

pub(super) const RATE: u32 = 4_096;

/// The signal of `make_features.py`.
pub(super) fn signal(n: usize) -> Vec<i64> {
    let mut seed = 1u32;
    let sample = |k: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = i64::from(seed >> 16) - 32_768;
        let level = [2, 8, 64, 512][k / 1_024 % 4];
        let square = if k / 9 % 2 == 1 { 3_000 } else { -3_000 };
        let is_silent = (5 * 4_096..6 * 4_096).contains(&k);
        let sound = noise.div_euclid(level) + if k / 4_096 % 2 == 1 { square } else { 0 };
        if is_silent { 0 } else { sound.clamp(-32_768, 32_767) }
    };
    (0..n).map(sample).collect()
}

pub(super) fn write(place: &Place, name: &str, samples: Vec<i64>, rate: u32) {
    Wav { format: Format::Pcm(16), rate, channels: vec![samples] }.write(&place.path(name));
}

/// Shape, type and data of a NumPy file.
pub(super) fn array(path: &Path) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let body = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(body % 64, 0);
    let header = String::from_utf8(bytes[10..body].to_vec()).unwrap().trim_end().to_owned();
    (header, bytes[body..].to_vec())
}

pub(super) fn table(bytes: &[u8]) -> Vec<[i64; 6]> {
    let row = |row: &[u8]| std::array::from_fn(|k| i64::from_le_bytes(row[8 * k..8 * k + 8].try_into().unwrap()));
    bytes.chunks_exact(48).map(row).collect()
}

pub(super) fn f32_from_f16(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1_023));
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        exponent => sign * (1.0 + fraction / 1_024.0) * 2f32.powi(exponent - 15),
    }
}

#[test]
fn the_preset_is_the_definition() {
    let place = Place::new();
    write(&place, "a.wav", signal(40_960), RATE);
    let said = place.done(&["features", "a.wav", "-o", "out"]);
    assert_eq!(said, "out: 1 file, [237, 32, 1]\n");
    let (header, bytes) = array(&place.path("out/features.npy"));
    assert_eq!(header, "{'descr': '<f2', 'fortran_order': False, 'shape': (237, 32, 1), }");
    let reference = npy::load(&"features_preset".into());
    assert_eq!(reference.shape, [237, 32, 1]);
    let expected = reference.u16s_of("<f2");
    let found: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert_eq!(found.len(), expected.len());
    let n_equal = found.iter().zip(&expected).filter(|(a, b)| a == b).count();
    println!("equal bits: {n_equal} of {}", found.len());
    assert!(n_equal as f64 >= 0.999 * found.len() as f64);
    for (&a, &b) in found.iter().zip(&expected) {
        let apart = (f32_from_f16(a) - f32_from_f16(b)).abs();
        assert!(apart <= 0.01 || a.abs_diff(b) <= 1, "{a} {b}");
    }
    // Row 0 holds no bin, and a second of silence is silent.
    let value = |row: usize, mel: usize| f32_from_f16(found[row * 32 + mel]);
    assert!((0..237).all(|row| value(row, 0) == -100.0));
    assert!((0..32).all(|mel| value(3 * 42, mel) == -100.0) && value(0, 20) > -60.0);

    let (header, bytes) = array(&place.path("out/mapping.npy"));
    assert_eq!(header, "{'descr': '<i8', 'fortran_order': False, 'shape': (237, 6), }");
    let rows = table(&bytes);
    for (row, found) in rows.iter().enumerate() {
        let (long, short) = (row as i64 / 3, row as i64 % 3);
        let start = 512 * long + 256 * short;
        assert_eq!(*found, [row as i64, 0, long, short, start, start + 512]);
    }
    let report: serde_json::Value = serde_json::from_slice(&place.read("out/features.json")).unwrap();
    assert_eq!(report["shape"], serde_json::json!([237, 32, 1]));
    assert!(report["notices"][0].as_str().unwrap().contains("mel 0"), "{report}");
    assert!(!place.path("out/done.log").exists() && !place.path("out.partial").exists());
}

#[test]
fn other_options_are_librosas() {
    let place = Place::new();
    write(&place, "a.wav", signal(2 * 4_096), RATE);
    let options = "features a.wav -o out --secs 2 --n-fft 128 --hop 32 --mels 20 --mel-scale slaney --mel-norm slaney \
                   --fmin 50 --fmax 1800 --reduce frames --log natural --dtype f32 --mapping none --format raw";
    place.done(&options.split_whitespace().collect::<Vec<_>>());
    let reference = npy::load(&"features_librosa".into());
    assert_eq!(reference.shape, [45, 20, 17]);
    let bytes = place.read("out/features.dat");
    let found: Vec<f32> = bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
    let expected = reference.f32s();
    assert_eq!(found.len(), expected.len());
    // Both are f32: 128 products summed in another order differ by some 1e-5 of the loudest bin; where a mel is far
    // below it the logarithm shows more of that.
    let worst = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!("worst difference: {worst}");
    assert!(worst < 1e-3, "{worst}");
    assert!(!place.path("out/mapping.npy").exists());
    // The control: another scale of mels is another array.
    let other = options.replace("--mel-scale slaney", "--mel-scale htk").replace("-o out", "-o other");
    place.done(&other.split_whitespace().collect::<Vec<_>>());
    assert_ne!(place.read("other/features.dat"), bytes);
}

#[test]
fn frames_that_segments_share_change_nothing() {
    let samples = busy(3_000, 4_096.0, 7);
    let shapes = [(512, 64, 16, 256), (500, 64, 16, 250), (300, 128, 50, 77), (64, 64, 64, 13), (40, 64, 16, 40)];
    for (n_samples, n_fft, hop, step) in shapes {
        let params = SegmentParams { n_samples, n_fft, hop };
        let starts: Vec<usize> = (0..=(samples.len() - n_samples) / step).map(|k| k * step).collect();
        let mut spectra = SegmentSpectra::new(params, starts.clone());
        let (mut fast, mut plain) = (Vec::new(), Vec::new());
        spectra.mean_power(&samples, &mut fast);
        assert_eq!(fast.len(), starts.len() * params.n_bins());
        for (&start, fast) in starts.iter().zip(fast.chunks_exact(params.n_bins())) {
            spectra.power_by_frame(&samples[start..start + n_samples], &mut plain);
            let n_frames = params.n_frames() as f32;
            let mean = |bin: usize| plain.iter().skip(bin).step_by(params.n_bins()).sum::<f32>() / n_frames;
            let loudest = (0..params.n_bins()).map(mean).fold(0.0, f32::max);
            for (bin, &fast) in fast.iter().enumerate() {
                // f32 sums of up to a few hundred powers, each good to some 1e-6 of the loudest bin.
                assert!((fast - mean(bin)).abs() < 1e-5 * loudest, "{params:?} at {start}, bin {bin}");
            }
        }
        // The control: the segment one sample later is another.
        spectra.power_by_frame(&samples[1..1 + n_samples], &mut plain);
        let mean: f32 = plain.iter().skip(3).step_by(params.n_bins()).sum::<f32>() / params.n_frames() as f32;
        assert!((fast[3] - mean).abs() > 1e-5 * mean, "{params:?}");
    }
}

#[test]
fn a_whole_sound_is_its_parts_in_bounded_blocks() {
    let place = Place::new();
    // More long segments than one block holds, with an end that fills none.
    let all = signal(512 * 300 + 700);
    write(&place, "all.wav", all.clone(), RATE);
    place.done(&["features", "all.wav", "-o", "all", "--whole"]);
    let (_, whole) = array(&place.path("all/features.npy"));
    let rows = table(&array(&place.path("all/mapping.npy")).1);
    assert_eq!((rows.len(), rows[rows.len() - 1]), (300 * 3, [899, 0, 299, 2, 512 * 299 + 512, 512 * 299 + 1_024]));
    for first in [0, 127, 128, 255, 299] {
        write(&place, "part.wav", all[512 * first..512 * first + 1_024].to_vec(), RATE);
        place.done(&["features", "part.wav", "-o", "part", "--secs", "0.25", "--replace"]);
        let (_, part) = array(&place.path("part/features.npy"));
        assert!(whole[first * 192..][..192] == part[..], "long segment {first}");
    }
}

#[test]
fn files_are_ordered_padded_cut_resampled_and_mixed() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("in/below/.hidden")).unwrap();
    write(&place, "in/short.wav", signal(4_096), RATE);
    write(&place, "in/long.WAV", signal(50_000), RATE);
    write(&place, "in/.secret.wav", signal(100), RATE);
    write(&place, "in/below/.hidden/x.wav", signal(100), RATE);
    std::fs::write(place.path("in/notes.txt"), "no sound").unwrap();
    std::fs::copy(clip("guitar_chord_44k_stereo.flac"), place.path("in/below/guitar.flac")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", place.path("in/below/round")).unwrap();
    let report: serde_json::Value =
        serde_json::from_str(&place.done(&["features", "in", "-o", "out", "--json"])).unwrap();
    assert_eq!((&report["files"], &report["padded"], &report["cut"]), (&3.into(), &2.into(), &1.into()), "{report}");
    let (_, features) = array(&place.path("out/features.npy"));
    assert_eq!(features.len(), 3 * 237 * 64);
    // In order of the bytes of the path: below/guitar.flac, long.WAV, short.wav.
    for (at, name) in [(0, "in/below/guitar.flac"), (1, "in/long.WAV"), (2, "in/short.wav")] {
        place.done(&["features", name, "-o", "one", "--replace"]);
        assert!(array(&place.path("one/features.npy")).1 == features[at * 237 * 64..][..237 * 64], "{name}");
    }
    // A tone of 1 kHz at 44.1 kHz is loudest in the mel that holds 1 kHz at 4,096 Hz.
    let tone = |k: usize| (16_000.0 * (std::f64::consts::TAU * 1_000.0 * k as f64 / 44_100.0).sin()) as i64;
    let (left, right): (Vec<i64>, Vec<i64>) = (0..441_000).map(|k| (tone(k), -tone(k))).unzip();
    Wav { format: Format::Pcm(16), rate: 44_100, channels: vec![left, right] }.write(&place.path("tone.wav"));
    place.done(&["features", "tone.wav", "-o", "left", "--channel", "0"]);
    let (_, left) = array(&place.path("left/features.npy"));
    let level = |row: usize, mel: usize| {
        let at = (row * 32 + mel) * 2;
        f32_from_f16(u16::from_le_bytes([left[at], left[at + 1]]))
    };
    let loudest = (0..32).max_by(|&a, &b| level(100, a).total_cmp(&level(100, b))).unwrap();
    let mels = |hz: f64| 2_595.0 * (1.0 + hz / 700.0).log10();
    let expected = (mels(1_000.0) / (mels(2_048.0) / 33.0)).round() as usize - 1;
    assert_eq!(loudest, expected);
    // Opposite channels cancel in the mix.
    place.done(&["features", "tone.wav", "-o", "mix"]);
    let (_, mix) = array(&place.path("mix/features.npy"));
    let loud = (0..32).filter(|mel| {
        let at = (100 * 32 + mel) * 2;
        f32_from_f16(u16::from_le_bytes([mix[at], mix[at + 1]])) > -90.0
    });
    assert_eq!(loud.count(), 0);
}

#[test]
fn what_cannot_be_read_is_silence_with_a_reason() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    write(&place, "in/a.wav", signal(40_960), RATE);
    std::fs::write(place.path("in/b.wav"), b"RIFF").unwrap();
    std::fs::write(place.path("in/c.flac"), []).unwrap();
    write(&place, "in/d.wav", signal(40_960), RATE);
    let report: serde_json::Value =
        serde_json::from_str(&place.done(&["features", "in", "-o", "out", "--json"])).unwrap();
    let failed: Vec<i64> =
        report["failures"].as_array().unwrap().iter().map(|one| one["file"].as_i64().unwrap()).collect();
    assert_eq!(failed, [1, 2]);
    let (_, features) = array(&place.path("out/features.npy"));
    let rows = |file: usize| &features[file * 237 * 64..(file + 1) * 237 * 64];
    assert!(rows(1).chunks_exact(2).all(|value| f32_from_f16(u16::from_le_bytes([value[0], value[1]])) == -100.0));
    assert!(rows(0) == rows(3) && rows(0) != rows(1), "row numbers do not depend on which file was bad");
    assert_eq!(table(&array(&place.path("out/mapping.npy")).1)[3 * 237 + 5], [716, 3, 1, 2, 1_024, 1_536]);
    let said = place.failed(&["features", "in", "-o", "strict", "--strict"]);
    assert!(said.contains("2 of 4 files") && place.path("strict/features.npy").exists(), "{said}");
    // A channel that is not there.
    let report: serde_json::Value =
        serde_json::from_str(&place.done(&["features", "in/a.wav", "-o", "one", "--channel", "3", "--json"])).unwrap();
    assert!(report["failures"][0]["error"].as_str().unwrap().contains("no channel 3"), "{report}");
}

/// Reading is much of the work where files are small: each is opened once, for its hash and its sound.
#[test]
#[cfg(target_os = "linux")]
fn a_small_file_is_read_once() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    write(&place, "in/small.wav", signal(40_960), RATE);
    std::fs::copy(clip("crow_44k_mono.flac"), place.path("in/small.flac")).unwrap();
    // The control: of a file beyond what is held, the hash is made by itself.
    write(&place, "in/large.wav", signal(40_960), RATE);
    std::fs::OpenOptions::new().write(true).open(place.path("in/large.wav")).unwrap().set_len(9 << 20).unwrap();
    let mut command = place.other("strace");
    command.args(["-f", "-qq", "-o", "log", "-e", "trace=openat"]).arg(super::support::program::program());
    let Ok(output) = command.args(["features", "in", "-o", "out"]).output() else {
        return println!("strace is not there; scripts/test installs it");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = String::from_utf8_lossy(&place.read("log")).into_owned();
    let n_opened = |name: &str| log.lines().filter(|line| line.contains(&format!("/in/{name}\""))).count();
    assert_eq!(["small.wav", "small.flac", "large.wav"].map(n_opened), [1, 1, 2], "{log}");
    assert!(place.done(&["features", "--verify", "out"]).contains("intact, 3 files"));
}

#[test]
fn orders_that_cannot_be_done_say_why() {
    let place = Place::new();
    write(&place, "a.wav", signal(4_096), RATE);
    std::fs::create_dir(place.path("empty")).unwrap();
    let refused = |arguments: &str, why: &str| {
        let said = place.failed(&arguments.split_whitespace().collect::<Vec<_>>());
        assert!(said.contains(why), "{arguments}: {said}");
    };
    refused("features empty -o out", "no sound files were found");
    refused("features gone.wav -o out", "gone.wav");
    refused("features a.wav -o out --secs 0.1", "hold no long segment of 1024");
    refused("features a.wav -o out --short 2048,16", "hold no short segment of 2048");
    refused("features a.wav -o out --n-fft 63", "63");
    refused("features a.wav -o out --n-fft 1024", "1024");
    refused("features a.wav -o out --fmax 5000", "half the rate");
    refused("features a.wav -o out --mels 0", "0 mels");
    assert!(!place.path("out").exists() && !place.path("out.partial").exists());
    place.done(&["features", "a.wav", "-o", "out"]);
    let before = place.read("out/features.npy");
    refused("features a.wav -o out --mels 8", "--replace");
    assert_eq!(place.read("out/features.npy"), before);
    place.done(&["features", "a.wav", "-o", "out", "--mels", "8", "--replace"]);
    assert_ne!(place.read("out/features.npy"), before);
    assert!(!place.path("out.replaced").exists());
}

/// Everything that a run wrote, except how long it took, what it took and what it says of shards.
pub(super) fn written(place: &Place, folder: &str) -> ([Vec<u8>; 3], serde_json::Value) {
    let mut report: serde_json::Value =
        serde_json::from_slice(&place.read(&format!("{folder}/features.json"))).unwrap();
    for key in ["seconds", "stats", "shard", "shards"] {
        report.as_object_mut().unwrap().remove(key);
    }
    (["features.npy", "mapping.npy", "files.parquet"].map(|name| place.read(&format!("{folder}/{name}"))), report)
}

/// Sounds of ten seconds in the folder `in`, all different; number 200 is damaged.
pub(super) fn many_sounds(place: &Place, n: usize) {
    std::fs::create_dir(place.path("in")).unwrap();
    for file in 0..n {
        let samples = signal(40_960).into_iter().map(|sample| sample * (file as i64 % 7 + 1) / 8).collect();
        write(place, &format!("in/{file:03}.wav"), samples, RATE);
    }
    if n > 200 {
        std::fs::write(place.path("in/200.wav"), b"RIFF").unwrap();
    }
}

/// Sends a signal by name.
#[cfg(unix)]
pub(super) fn send(signal: &str, child: &std::process::Child) {
    let sent = std::process::Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success(), "{signal}");
}

/// Starts a run of one thread that writes to `output`, and stops it when it has begun to write and an eighth of its
/// rows, at most, are written. Restarts a run that was too quick.
#[cfg(unix)]
pub(super) fn stopped_midway(place: &Place, arguments: &[&str], output: &str) -> std::process::Child {
    use std::os::unix::fs::MetadataExt;
    let array = place.path(&format!("{output}.partial/features.npy"));
    for _ in 0..200 {
        let mut command = place.command(arguments);
        let mut child = command.args(["--jobs", "1"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while !array.exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_none() {
            send("STOP", &child);
            // Rows that are not written yet are a hole.
            let is_begun = |found: std::fs::Metadata| 512 * found.blocks() <= found.len() / 8;
            if std::fs::metadata(&array).is_ok_and(is_begun) {
                return child;
            }
            child.kill().unwrap();
        }
        child.wait().unwrap();
        for made in [output, &format!("{output}.partial")] {
            std::fs::remove_dir_all(place.path(made)).ok();
        }
    }
    panic!("every run was over before it could be stopped");
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_bytes() {
    let place = Place::new();
    many_sounds(&place, 400);
    let began = std::time::Instant::now();
    place.done(&["features", "in", "-o", "whole"]);
    let took = began.elapsed();
    let n_kills = if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 40 } else { 4 };
    let run = ["features", "in", "-o", "out"];
    for kill in 0..n_kills {
        std::fs::remove_dir_all(place.path("out")).ok();
        // At least one of them in the middle, however quick or busy the machine is.
        let mut child = if cfg!(unix) && kill == 0 {
            stopped_midway(&place, &run, "out")
        } else {
            let child = place.command(&run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(took.mul_f64((kill as f64 + 0.5) / f64::from(n_kills)));
            child
        };
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!place.path("out").exists() || !place.path("out.partial").exists(), "one or the other");
        if place.path("out.partial").exists() {
            let said = place.failed(&["features", "in", "-o", "out"]);
            assert!(said.contains("--resume"), "{said}");
        }
        if !place.path("out").exists() {
            place.done(&["features", "in", "-o", "out", "--resume"]);
        }
        assert!(written(&place, "out") == written(&place, "whole"), "kill {kill}");
        assert!(!place.path("out.partial").exists());
    }
    // What changed since cannot be resumed: a run that was interrupted politely says how to go on.
    #[cfg(unix)]
    {
        std::fs::remove_dir_all(place.path("out")).unwrap();
        let child = stopped_midway(&place, &["features", "in", "-o", "out"], "out");
        send("TERM", &child);
        send("CONT", &child);
        let said = super::support::program::failure(&child.wait_with_output().unwrap());
        assert!(said.contains("--resume"), "{said}");
        let said = place.failed(&["features", "in", "-o", "out", "--resume", "--mels", "16"]);
        assert!(said.contains("other options"), "{said}");
        write(&place, "in/100.wav", signal(10), RATE);
        let said = place.failed(&["features", "in", "-o", "out", "--resume"]);
        assert!(said.contains("100.wav has changed"), "{said}");
    }
}

/// Once it is interrupted no task begins, and the one under way ends and is logged.
#[test]
fn an_interrupt_lets_the_task_under_way_end() {
    const TASK_FILES: u64 = 64;
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    let samples = signal(4_096);
    (0..400).for_each(|file| write(&place, &format!("in/{file:03}.wav"), samples.clone(), RATE));
    let order = feature_order(&place, Duration::ZERO);
    let progress = Progress::new();
    let mut n_done = 0;
    let mut stop = |status: &RunStatus| {
        n_done = status.state.files[0];
        if !n_done.is_multiple_of(TASK_FILES) {
            progress.cancel();
        }
    };
    let error = write_features(&order, &progress, &mut stop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(n_done > 0 && n_done < 400 && n_done.is_multiple_of(TASK_FILES), "{n_done} files were done");
    let log = String::from_utf8(place.read("out.partial/done.log")).unwrap();
    // Behind the log's head.
    assert_eq!(log.lines().count() as u64, 1 + n_done / TASK_FILES);
    // The last that was logged is repeated.
    let report: serde_json::Value =
        serde_json::from_str(&place.done(&["features", "in", "-o", "out", "--resume", "--json"])).unwrap();
    assert_eq!(report["stats"][0]["files"], 400 - (n_done - TASK_FILES));
}

/// A log of rows is only valid together with the arrays it describes.
#[test]
fn arrays_that_are_gone_or_cut_are_computed_again() {
    let place = Place::new();
    many_sounds(&place, 130);
    place.done(&["features", "in", "-o", "whole"]);
    let order = feature_order(&place, Duration::MAX);
    let path = |name: &str| place.path("out.partial").join(name);
    let set_len = |name: &str, n: u64| {
        std::fs::OpenOptions::new().write(true).open(path(name)).unwrap().set_len(n).unwrap();
    };
    let gone = |name: &str| std::fs::remove_file(path(name)).unwrap();
    // Each with the number of files recomputed. Without damage these are the files of the last task: two of 130.
    let damages: [(&dyn Fn(), u64); 6] = [
        (&|| {}, 2),
        (&|| gone("features.npy"), 130),
        (&|| gone("mapping.npy"), 130),
        (&|| set_len("features.npy", 1_000_000), 130),
        (&|| set_len("mapping.npy", 2_000_000), 130),
        (&|| std::fs::write(path("mapping.npy"), vec![0; 128 + 130 * 237 * 48]).unwrap(), 130),
    ];
    for (number, (damage, n_computed)) in damages.iter().enumerate() {
        let progress = Progress::new();
        // All rows are written and logged by then.
        let mut stop = |status: &RunStatus| {
            if status.phase == Phase::Sync {
                progress.cancel();
            }
        };
        let error = write_features(&order, &progress, &mut stop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
        damage();
        let report: serde_json::Value =
            serde_json::from_str(&place.done(&["features", "in", "-o", "out", "--resume", "--json"])).unwrap();
        assert_eq!(report["stats"][0]["files"], *n_computed, "damage {number}");
        assert!(written(&place, "out") == written(&place, "whole"), "damage {number}");
        std::fs::remove_dir_all(place.path("out")).unwrap();
    }
}

#[test]
fn the_status_is_a_line() {
    let place = Place::new();
    write(&place, "a.wav", signal(40_960), RATE);
    let output = place.run(&["features", "a.wav", "-o", "out", "--status-every", "0.01"]);
    let text = String::from_utf8(output.stderr).unwrap();
    // What the preset has to say follows.
    let [.., last, notice] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert!(notice.starts_with("sonobrush: note: no FFT bin lies in mel 0"), "{text}");
    assert!(last.starts_with('[') && last.contains("DONE") && last.contains("files 1/1 | rows 237"), "{text}");
    assert!(last.contains("| GPU   - |") && last.contains("| gpu 0.00 GB/s |"), "{text}");
    assert!(last.contains("| VRAM     - |"), "{text}");
    let arguments =
        ["features", "a.wav", "-o", "out", "--status-every", "0.01", "--json", "--replace", "--memory", "99"];
    let output = place.run(&arguments);
    let mut batches = serde_json::Value::Null;
    for line in String::from_utf8(output.stderr).unwrap().lines().filter(|line| !line.starts_with("sonobrush: note: "))
    {
        let status: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(status["files"][1] == 1 && status["phase"].is_string(), "{line}");
        assert!(status["engine"] == "cpu" && status["gpu_percent"].is_null(), "{line}");
        assert!(status["vram_bytes"].is_null() && status["budget_bytes"] == 99 << 20, "{line}");
        batches = status["batches"].clone();
    }
    // 79 long segments are one block of at most 128.
    assert_eq!(batches, 1);
    let stats = |name: &str| -> serde_json::Value {
        let report: serde_json::Value = serde_json::from_slice(&place.read(&format!("{name}/features.json"))).unwrap();
        report["stats"].clone()
    };
    let of_one = stats("out");
    assert!(of_one[0]["busy_ms"].as_f64().unwrap() > 0.0, "{of_one}");
    // Of shards, added up: a second file of two blocks, and one that cannot be read.
    write(&place, "b.wav", signal(90_000), RATE);
    place.write("c.wav", b"RIFF");
    place.done(&["features", "--list", "a.wav", "b.wav", "c.wav", "--whole", "-o", "m.json"]);
    for index in ["0/2", "1/2"] {
        place.done(&["features", "--shard", index, "--manifest", "m.json", "-o", "shards"]);
    }
    place.done(&["features", "--merge", "shards", "-o", "merged"]);
    for (name, [files, batches]) in [("out", [1, 1]), ("merged", [3, 3])] {
        let stats = stats(name);
        let mut found = stats.clone();
        found[0].as_object_mut().unwrap().remove("busy_ms");
        let expected = serde_json::json!([{
            "engine": "cpu", "files": files, "batches": batches, "largest_batch": 1, "shrunk": 0, "moved_bytes": 0
        }]);
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn replacing_removes_only_what_a_run_wrote() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    write(&place, "in/a.wav", signal(40_960), RATE);
    let sound = place.read("in/a.wav");
    std::fs::create_dir(place.path("docs")).unwrap();
    place.write("docs/thesis.txt", "years");
    place.write("file", "mine");
    for (inputs, output, named) in
        [("in", "in", "a.wav"), ("in/a.wav", "docs", "thesis.txt"), ("in", "file", "file"), ("in", ".", "name")]
    {
        let said = place.failed(&["features", inputs, "-o", output, "--replace"]);
        assert!(said.contains(named), "{output}: {said}");
    }
    place.done(&["features", "in", "-o", "out"]);
    place.write("out/notes.txt", "mine");
    assert!(place.failed(&["features", "in", "-o", "out", "--replace"]).contains("notes.txt"));
    std::fs::remove_file(place.path("out/notes.txt")).unwrap();
    place.done(&["features", "in", "-o", "out", "--replace"]);
    // A folder by the name of a partial one is not emptied either.
    std::fs::create_dir(place.path("new.partial")).unwrap();
    place.write("new.partial/mine.txt", "mine");
    for _ in 0..2 {
        for more in ["--resume", "--replace"] {
            let said = place.failed(&["features", "in", "-o", "new", more]);
            assert!(said.contains("new.partial"), "{said}");
        }
        place.write("new.partial/done.log", "");
    }
    assert_eq!(place.read("new.partial/mine.txt"), b"mine");
    assert_eq!(place.read("in/a.wav"), sound);
    assert_eq!((place.read("docs/thesis.txt"), place.read("file")), (b"years".to_vec(), b"mine".to_vec()));
}

/// A folder that goes on for ever, as that of all processes does, is given up.
#[test]
fn looking_for_files_can_be_cancelled() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    let progress = Progress::new();
    progress.cancel();
    let error = write_features(&feature_order(&place, Duration::MAX), &progress, &mut |_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(!place.path("out.partial").exists());
}
