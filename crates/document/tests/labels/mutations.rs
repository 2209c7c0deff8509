//! Label files with damaged bytes: an error or labels, in bounded time.

use super::formats::{all_files, chunks};
use document::labels::LabelSet;
use document::labels::formats::{FORMATS, LabelReading, chunks_with_labels, labels_of_chunks, read_label_bytes};
use support::random::Random;

/// Bytes with a meaning in one of the formats.
const ODD: &[u8] = b"\"\\\t\n\r,;:.-!<>[]0123456789eE+\0\xff\xfe\xef\xbb\xbf";

fn mutated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len().max(1));
        match random.below(5) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at.min(bytes.len()), ODD[random.below(ODD.len())]),
            2 if !bytes.is_empty() => bytes[at] = ODD[random.below(ODD.len())],
            3 if !bytes.is_empty() => _ = bytes.remove(at),
            _ => {
                let to = random.below(bytes.len().max(1)).max(at).min(bytes.len());
                let piece = bytes[at.min(to)..to].to_vec();
                bytes.splice(at.min(to)..at.min(to), piece);
            }
        }
    }
    bytes
}

#[test]
fn damaged_files_give_labels_or_one_sentence() {
    let n = if super::is_long() { 2_000 } else { 200 };
    let files = all_files();
    assert!(files.len() > 60);
    let mut random = Random::new(34);
    for round in 0..n {
        // Every file takes its turn.
        let (name, bytes) = &files[round % files.len()];
        let bytes = mutated(bytes, &mut random);
        if name.ends_with(".chunks") {
            let chunks = chunks(&bytes);
            let (labels, _) = labels_of_chunks(&chunks, 48_000);
            let set = LabelSet::of(labels).unwrap();
            let again = chunks_with_labels(&chunks, &set, 48_000).unwrap();
            assert_eq!(LabelSet::of(labels_of_chunks(&again, 48_000).0).unwrap().len(), set.len(), "{name}");
            continue;
        }
        for format in std::iter::once(None).chain(FORMATS.iter().filter(|format| format.is_read()).map(Some)) {
            for skips_bad in [false, true] {
                let reading = LabelReading { skips_bad, rate_hz: Some(48_000.0), ..LabelReading::default() };
                match read_label_bytes(&bytes, format, &reading) {
                    Ok(read) => {
                        LabelSet::of(read.labels).unwrap_or_else(|error| panic!("{name}: {error}"));
                        assert!(read.notices.iter().all(|notice| !notice.contains('\n')));
                    }
                    Err(error) => {
                        let sentence = error.to_string();
                        assert!(sentence.len() < 300 && !sentence.contains(char::is_control), "{name}: {sentence}");
                    }
                }
            }
        }
    }
}

/// In a process of its own: no damaged count causes a large allocation.
#[test]
#[cfg(target_os = "linux")]
fn damaged_files_take_little_memory() {
    let max = support::program::max_megabytes_of("labels::mutations::damaged_files_give_labels_or_one_sentence");
    assert!((1..50).contains(&max), "{max} MB");
}

/// Prints the time for 100,000 rows: `cargo test --release -- --ignored --nocapture a_hundred_thousand_rows`.
#[test]
#[ignore = "a measurement: run it alone, in a release build"]
fn a_hundred_thousand_rows() {
    use document::labels::Label;
    use document::labels::formats::LabelWriting;

    let labels = (0..100_000).map(|n| Label {
        low_hz: Some(2_000.0),
        high_hz: Some(4_500.5),
        ..Label::new([f64::from(n) * 0.31, f64::from(n) * 0.31 + 0.2], format!("call {}", n % 7))
    });
    let set = LabelSet::of(labels.collect()).unwrap();
    for format in &FORMATS {
        let start = std::time::Instant::now();
        let (text, _) = format.written(&set, &LabelWriting::default()).unwrap();
        let wrote = start.elapsed().as_secs_f64();
        let start = std::time::Instant::now();
        let read = format
            .is_read()
            .then(|| read_label_bytes(text.as_bytes(), Some(format), &LabelReading::default()).unwrap());
        let n = read.map_or(0, |read| read.labels.len());
        println!(
            "{}: {n} read in {:.3} s, written in {wrote:.3} s, {} bytes",
            format.name,
            start.elapsed().as_secs_f64(),
            text.len()
        );
    }
    let start = std::time::Instant::now();
    let chunks = chunks_with_labels(&[], &set, 48_000).unwrap();
    let wrote = start.elapsed().as_secs_f64();
    let start = std::time::Instant::now();
    let n = labels_of_chunks(&chunks, 48_000).0.len();
    println!("cues: {n} read in {:.3} s, written in {wrote:.3} s", start.elapsed().as_secs_f64());
}
