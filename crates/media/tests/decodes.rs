//! Small files of every container and codec, as `decode_matrix.py --select` wrote them: each decodes to the encoded
//! samples, or those of another decoder, at the right time. `matrix/manifest.json` states the expected result of each.

use base::Progress;
use serde_json::Value;
use sonobrush_media::{OpenOptions, Opened, Original, SampleFormat, Source, WholeFileReader};
use std::path::{Path, PathBuf};

/// Maximum size in total: they are in the repository.
const MAX_BYTES: u64 = 300_000;

fn folder() -> PathBuf {
    support::root().join("tests/matrix")
}

fn entries() -> Vec<Value> {
    let manifest = std::fs::read_to_string(folder().join("manifest.json")).unwrap();
    let Value::Array(entries) = serde_json::from_str(&manifest).unwrap() else { panic!("the manifest is no list") };
    entries
}

fn name(entry: &Value) -> &str {
    entry["name"].as_str().unwrap()
}

fn number(entry: &Value, key: &str) -> u64 {
    entry[key].as_u64().unwrap_or_else(|| panic!("{}: no {key}", name(entry)))
}

fn opens(entry: &Value) -> bool {
    entry["expect"] == "opens"
}

/// The value of `formula` in decode_matrix.py at a frame of a channel, as a 32-bit integer.
fn formula(frame: u32, channel: u32) -> i32 {
    if frame == 11 + 3 * channel {
        return i32::MAX;
    }
    if frame == 12 + 3 * channel {
        return i32::MIN;
    }
    let start = frame.wrapping_mul(0x9e37_79b1).wrapping_add(channel.wrapping_mul(0x85eb_ca77));
    let mut hash = start.wrapping_add(0x27d4_eb2f);
    hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
    hash = (hash ^ hash >> 12).wrapping_mul(0x297a_2d39);
    hash ^= hash >> 15;
    let period = 24 + 7 * channel;
    let saw = (frame % period) * ((1 << 30) / period);
    saw as i32 - (1 << 29) + (hash >> 8) as i32 - (1 << 23)
}

/// Expected samples of each channel from frame `first` of a file on; full scale is 1.
struct Run {
    first: u64,
    channels: Vec<Vec<f64>>,
}

/// Expected samples according to the manifest: all of them, from `formula`, or some windows, from `references`.
fn expected(entry: &Value, references: &[u8]) -> Vec<Run> {
    let n_channels = number(entry, "channels");
    if let Some(bits) = entry["formula_bits"].as_u64() {
        let value = |frame: u64, channel: u64| {
            let value = formula(frame as u32, channel as u32) >> (32 - bits);
            f64::from(value) / (1u64 << (bits - 1)) as f64
        };
        let n = number(entry, "frames");
        let channels = (0..n_channels).map(|channel| (0..n).map(|frame| value(frame, channel)).collect()).collect();
        return vec![Run { first: 0, channels }];
    }
    let n = number(entry, "window_frames") as usize;
    let scale = entry["depth"].as_str().unwrap().parse::<u32>().ok().map(|bits| 2f64.powi(bits as i32 - 1));
    let mut words = references.chunks_exact(4).skip(number(entry, "word") as usize).map(|word| {
        let word = [word[0], word[1], word[2], word[3]];
        scale.map_or_else(|| f64::from(f32::from_le_bytes(word)), |scale| f64::from(i32::from_le_bytes(word)) / scale)
    });
    let firsts = entry["windows"].as_array().unwrap().iter().map(|first| first.as_u64().unwrap());
    let mut runs = Vec::new();
    for first in firsts {
        let channels: Vec<Vec<f64>> = (0..n_channels).map(|_| words.by_ref().take(n).collect()).collect();
        assert!(channels.iter().all(|channel| channel.len() == n), "{}: its reference is cut short", name(entry));
        runs.push(Run { first, channels });
    }
    runs
}

/// `n` samples of a channel from frame `first` on, exact; full scale is 1.
fn samples(source: &Source, channel: usize, first: u64, n: usize) -> Vec<f64> {
    let scale = 2f64.powi(source.info().container_bits as i32 - 1);
    match source.read_original(channel, first, n).unwrap() {
        Original::Integers(values) => values.into_iter().map(|value| f64::from(value) / scale).collect(),
        Original::Floats(values) => values.into_iter().map(f64::from).collect(),
        Original::Doubles(values) => values,
    }
}

/// Maximum absolute difference between expected samples and those of the file, which are read `later` frames too late
/// and, if `swapped`, with the first two channels exchanged.
fn difference(source: &Source, runs: &[Run], later: u64, swapped: bool) -> f64 {
    let mut worst = 0f64;
    for run in runs {
        for (channel, wanted) in run.channels.iter().enumerate() {
            let channel = if swapped && channel < 2 { 1 - channel } else { channel };
            let n = wanted.len().min((source.info().n_samples - run.first - later) as usize);
            let found = samples(source, channel, run.first + later, n);
            let differences = found.iter().zip(wanted).map(|(found, wanted)| (found - wanted).abs());
            worst = differences.fold(worst, f64::max);
        }
    }
    worst
}

fn depth(entry: &Value) -> SampleFormat {
    match entry["depth"].as_str().unwrap() {
        "lossy" => SampleFormat::Lossy,
        "f32" => SampleFormat::Float32,
        "f64" => SampleFormat::Float64,
        bits => SampleFormat::Pcm { bits: bits.parse().unwrap() },
    }
}

fn open(entry: &Value) -> Result<Opened, String> {
    let opened = Source::open(&folder().join(name(entry)), &Progress::new());
    opened.map_err(|error| format!("is refused: it {}", error.message()))
}

/// Opens a file and compares it with the manifest.
///
/// # Errors
/// The first difference, as the rest of a sentence that begins with the file's name.
fn judge(entry: &Value, references: &[u8]) -> Result<Source, String> {
    let opened = open(entry)?;
    let source = opened.source;
    let info = source.info();
    let found = (info.n_samples, u64::from(info.sample_rate_hz), info.n_channels as u64);
    let wanted = (number(entry, "frames"), number(entry, "rate"), number(entry, "channels"));
    if found != wanted {
        return Err(format!("has frames, rate and channels {found:?}, not {wanted:?}"));
    }
    if info.format != depth(entry) {
        return Err(format!("is {:?}, not {:?}", info.format, depth(entry)));
    }
    if let Some(reason) = entry["told"].as_str() {
        let notices = opened.notices.join("; ");
        if !notices.contains(reason) || reason.is_empty() && !notices.is_empty() {
            return Err(format!("tells '{notices}', not '{reason}'"));
        }
    }
    let tolerance = entry["tolerance"].as_f64().unwrap();
    let runs = expected(entry, references);
    let worst = difference(&source, &runs, 0, false);
    if worst > tolerance {
        return Err(format!("differs by {worst:e}, and may by {tolerance:e}"));
    }
    // `read`, for display and playback, must agree with `read_original`, for export.
    for channel in 0..info.n_channels {
        let n = info.n_samples.min(64) as usize;
        let mut read = vec![9.0; n];
        source.read(channel, 0, &mut read).unwrap();
        if samples(&source, channel, 0, n).iter().zip(&read).any(|(exact, read)| *exact as f32 != *read) {
            return Err(format!("reads otherwise than its original values in channel {channel}"));
        }
    }
    Ok(source)
}

fn references() -> Vec<u8> {
    std::fs::read(folder().join("references.bin")).unwrap()
}

#[test]
fn every_selected_file_gives_its_samples() {
    let references = references();
    let entries = entries();
    assert!(entries.iter().filter(|entry| opens(entry)).count() > 100, "the selection is there");
    let wrong: Vec<String> = entries
        .iter()
        .filter(|entry| opens(entry))
        .filter_map(|entry| Some(format!("{} {}", name(entry), judge(entry, &references).err()?)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} files:\n{}", wrong.len(), entries.len(), wrong.join("\n"));
}

/// Control for the test above: a shift by one sample, or swapped channels, exceed the tolerance.
#[test]
fn a_shift_of_one_sample_and_swapped_channels_are_caught() {
    let references = references();
    let (mut n_shifted, mut n_swapped) = (0, 0);
    for entry in entries().iter().filter(|entry| opens(entry)) {
        // The other test reports what cannot be opened.
        let Ok(source) = judge(entry, &references) else { continue };
        let tolerance = entry["tolerance"].as_f64().unwrap();
        let runs = expected(entry, &references);
        let shifted = difference(&source, &runs, 1, false);
        assert!(shifted > 2.0 * tolerance, "{}: a shift makes {shifted:e}", name(entry));
        n_shifted += 1;
        if source.info().n_channels > 1 {
            let swapped = difference(&source, &runs, 0, true);
            assert!(swapped > 2.0 * tolerance, "{}: a swap makes {swapped:e}", name(entry));
            n_swapped += 1;
        }
    }
    assert!(n_shifted > 80 && n_swapped > 40, "{n_shifted} and {n_swapped} files were tried");
}

/// A file that was read into memory is decoded from there, even after it is deleted, with the same samples, notices and
/// errors.
#[test]
fn a_file_that_was_read_whole_is_the_same_sound() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("in");
    let mut reader = WholeFileReader::default();
    for entry in &entries() {
        let bytes = std::fs::read(folder().join(name(entry))).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let opened = Source::open(&path, &Progress::new());
        // Reuses the buffer of the previous file, which may have been longer.
        let whole = reader.read(&path, 1 << 20).unwrap();
        assert!(whole.bytes() == bytes, "{}", name(entry));
        std::fs::remove_file(&path).unwrap();
        let again = Source::open_whole(whole, &path, &OpenOptions::default(), &Progress::new());
        match (opened, again) {
            (Ok(opened), Ok(again)) => {
                assert_eq!(opened.notices, again.notices, "{}", name(entry));
                let info = opened.source.info();
                assert_eq!(info, again.source.info(), "{}", name(entry));
                for channel in 0..info.n_channels {
                    let read = |source: &Source| source.read_original(channel, 0, info.n_samples as usize).unwrap();
                    assert!(read(&opened.source) == read(&again.source), "{} {channel}", name(entry));
                }
            }
            (Err(opened), Err(again)) => assert_eq!(opened.to_string(), again.to_string()),
            (opened, again) => panic!("{}: opens {}, again {}", name(entry), opened.is_ok(), again.is_ok()),
        }
    }
    // `None` for files over the limit, folders, and missing files.
    std::fs::write(&path, [1; 11]).unwrap();
    assert!(reader.read(&path, 10).is_none());
    assert_eq!(reader.read(&path, 11).unwrap().bytes(), [1; 11]);
    assert!(reader.read(place.path(), 1 << 20).is_none() && reader.read(&place.path().join("gone"), 10).is_none());
}

#[test]
fn what_is_not_opened_is_refused_with_the_reason() {
    let refused: Vec<Value> = entries().into_iter().filter(|entry| !opens(entry)).collect();
    assert!(refused.len() > 8);
    for entry in &refused {
        let says = entry["says"].as_str().unwrap();
        let sentence = match open(entry) {
            Ok(_) => panic!("{} opens", name(entry)),
            Err(sentence) => sentence,
        };
        assert!(sentence.contains(says), "{}: {sentence}", name(entry));
    }
}

#[test]
fn the_selection_stays_small() {
    fn bytes_in(folder: &Path) -> u64 {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        entries
            .map(|entry| {
                if entry.file_type().unwrap().is_dir() {
                    bytes_in(&entry.path())
                } else {
                    entry.metadata().unwrap().len()
                }
            })
            .sum()
    }
    let n_bytes = bytes_in(&folder());
    assert!((1..=MAX_BYTES).contains(&n_bytes), "{n_bytes} bytes");
}
