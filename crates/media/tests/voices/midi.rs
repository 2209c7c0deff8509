//! Scores from MIDI files.

use super::midi_seeds::seeds;
use super::rendered;
use dsp::voices::{Score, Timbre};
use sonobrush_media::score::{ReadScore, ScoreOverrides};
use std::ops::Range;
use std::time::{Duration, Instant};
#[cfg(target_os = "linux")]
use support::program::max_megabytes_of;
use support::random::Random;
use support::voices::midi::{MELODY, file, melody, track};

/// Maximum reading time for any damaged file, generous for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

fn read(bytes: &[u8]) -> ReadScore {
    ReadScore::from_bytes(bytes, &ScoreOverrides::default()).unwrap()
}

fn failure(bytes: &[u8]) -> String {
    ReadScore::from_bytes(bytes, &ScoreOverrides::default()).unwrap_err().message().to_owned()
}

#[test]
fn two_tempi_and_a_pedal_give_the_notes_of_the_list() {
    let ReadScore { score, notices } = read(&melody());
    assert_eq!(notices, [""; 0]);
    assert_eq!(score.notes.len(), MELODY.len());
    let rate = 48_000.0;
    for (note, (pitch, start, end, velocity)) in score.notes.iter().zip(MELODY) {
        assert_eq!((note.pitch, note.velocity), (pitch, velocity / 127.0));
        let off = note.first_sample(rate) as f64 - start * rate;
        assert!(off.abs() <= 1.0, "{pitch} starts {off} samples late");
        let end_off = (note.start_secs + note.duration_secs - end) * rate;
        assert!(end_off.abs() <= 1.0, "{pitch} ends {end_off} samples late");
        assert_eq!(score.timbres[note.timbre], Timbre::organ());
    }
    // Rendered alone, the last note is silent up to its start.
    let only = Score { notes: vec![score.notes[3].clone()], ..score.clone() };
    let [left, _] = rendered(&only, rate, true);
    let first = left.iter().position(|sample| *sample != 0.0).unwrap() as f64;
    assert!((first - MELODY[3].1 * rate).abs() <= 1.5, "{first}");
}

#[test]
fn programs_are_timbres_and_an_override_is_all_of_them() {
    let programs: [(u8, &str); 13] = [
        (0, "pluck"),
        (8, "bell"),
        (15, "bell"),
        (16, "organ"),
        (24, "pluck"),
        (47, "pluck"),
        (48, "pad"),
        (52, "breath"),
        (55, "pad"),
        (64, "breath"),
        (80, "pad"),
        (88, "pad"),
        (127, "pad"),
    ];
    let of = |program: u8| file(0, 96, &[track(&[(0, &[0xc3, program]), (0, &[0x93, 60, 90]), (96, &[0x83, 60, 0])])]);
    for (program, name) in programs {
        let score = read(&of(program)).score;
        assert_eq!(score.timbres, [Timbre::named(name).unwrap()], "{program}");
    }
    let overrides =
        ScoreOverrides { timbre: Some(Timbre::bell()), level_db: Some(-3.0), tuning_hz: Some(432.0), seed: Some(9) };
    let score = ReadScore::from_bytes(&of(0), &overrides).unwrap().score;
    assert_eq!((score.timbres, score.level_db, score.tuning_hz, score.seed), (vec![Timbre::bell()], -3.0, 432.0, 9));
}

#[test]
fn bends_are_steps_of_the_glide() {
    let bytes = file(
        0,
        480,
        &[track(&[
            (0, &[0xe0, 0, 0x60]),
            (0, &[0x90, 60, 90]),
            (480, &[0xe0, 0, 0x40]),
            (480, &[0x80, 60, 0]),
            (0, &[0x90, 62, 90]),
            (480, &[0x80, 62, 0]),
        ])],
    );
    let score = read(&bytes).score;
    assert_eq!(score.notes[0].glide, [[0.0, 61.0], [0.5, 61.0], [0.5, 60.0]]);
    assert_eq!([score.notes[0].pitch_at(0.49), score.notes[0].pitch_at(0.5)], [61.0, 60.0]);
    assert_eq!((score.notes[1].pitch, score.notes[1].glide.len()), (62.0, 0));
}

#[test]
fn smpte_ticks_are_parts_of_a_second() {
    // 25 frames of 40 ticks: a millisecond each, at any tempo.
    let notes = track(&[(0, &[0xff, 0x51, 3, 1, 0, 0]), (250, &[0x90, 60, 90]), (500, &[0x80, 60, 0])]);
    let score = read(&file(0, 0xe728, &[notes])).score;
    assert!((score.notes[0].start_secs - 0.25).abs() < 1e-12 && (score.notes[0].duration_secs - 0.5).abs() < 1e-12);
}

#[test]
fn what_is_left_out_is_told() {
    let equal_keys = file(
        0,
        480,
        &[track(&[
            (0, &[0x90, 60, 90]),
            (480, &[0x90, 60, 80]),
            (480, &[0x80, 60, 0]),
            (0, &[0x99, 36, 90]),
            (480, &[0xb0, 1, 0]),
        ])],
    );
    let ReadScore { score, notices } = read(&equal_keys);
    // The note-off ends the earlier of two notes on the same key, so the second never ends. The last note is a drum.
    assert_eq!(score.notes.iter().map(|note| note.duration_secs).collect::<Vec<_>>(), [1.0, 1.0, 0.05]);
    assert_eq!(notices, ["1 note without an end: what is held ends with the last event"]);

    // A key held for 701 s, bent shortly before its note is cut at 600 s, and again later.
    let hangs = [(0, &[0x90, 60, 90][..]), (1_199, &[0xe0, 0, 0x60]), (3, &[0xe0, 0, 0x40]), (198, &[0x90, 62, 90])];
    let ends = [(1, &[0x80, 62, 0][..]), (1, &[0x80, 60, 0])];
    let ReadScore { score, notices } = read(&file(0, 1, &[track(&[&hangs[..], &ends].concat())]));
    assert_eq!(score.notes.iter().map(|note| note.duration_secs).collect::<Vec<_>>(), [600.0, 0.5]);
    assert_eq!(score.notes[0].glide, [[0.0, 60.0], [599.5, 60.0], [599.5, 61.0]]);
    assert_eq!(notices, ["1 note longer than 600 s, cut there: a note lasts no longer"]);

    let bytes = melody();
    // The last track is truncated or missing.
    for (cut, n_whole) in [(bytes.len() - 5, 1), (bytes.len() - 41, 1), (40, 1)] {
        match ReadScore::from_bytes(&bytes[..cut], &ScoreOverrides::default()) {
            Ok(read) => {
                let reason = format!("its header states 2 tracks and {n_whole} are whole");
                assert!(read.notices[0].contains(&reason), "{cut}: {:?}", read.notices);
                assert!(!read.score.notes.is_empty());
            }
            Err(error) => assert!(error.message().starts_with("holds no notes (the file is damaged"), "{error}"),
        }
    }
    // Unknown chunks are not reported as damage.
    let extra = [&bytes[..14], b"XFIH\0\0\0\x02ab", &bytes[14..]].concat();
    assert_eq!(read(&extra), read(&bytes));
}

#[test]
fn files_that_are_none_are_refused() {
    assert_eq!(
        failure(&file(2, 480, &[track(&[])])),
        "is a MIDI file of format 2, which is not supported; save it as format 0 or 1"
    );
    assert_eq!(failure(b"MThd\0\0\0\x06\0\0"), "is not a MIDI file: its header is damaged");
    assert_eq!(failure(&file(0, 0, &[track(&[])])), "is not a MIDI file: its header states no ticks");
    assert_eq!(failure(&file(0, 480, &[track(&[])])), "holds no notes");
    let endless = file(0, 1, &[track(&[(0, &[0x90, 60, 90]), (40_000, &[0x80, 60, 0])])]);
    assert_eq!(failure(&endless), "lasts more than 4 hours");
    let many: Vec<(u32, &[u8])> = vec![(0, &[0x90, 60, 90]); 100_001];
    assert_eq!(failure(&file(0, 480, &[track(&many)])), "holds more than 100000 notes, the most that a score may have");
}

/// The undamaged seed files are read as far as supported.
#[test]
fn whole_files_of_every_shape_are_read() {
    for (name, n_notes, bytes) in seeds() {
        let ReadScore { score, notices } = read(&bytes);
        assert_eq!((score.notes.len(), score.problem()), (n_notes, None), "{name}: {notices:?}");
        let is_damaged = notices.iter().any(|reason| reason.contains("the file is damaged"));
        assert_eq!(is_damaged, name == "tracks of nothing", "{name}: {notices:?}");
    }
}

/// One of the seed files with bytes changed, removed, or inserted from another.
fn damaged(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = random.pick(seeds);
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.bits() as u8,
            // Values at the limits of lengths, ticks and status bytes.
            2 => bytes[at] = random.pick(&[0, 0x7f, 0x80, 0x8f, 0x9f, 0xf0, 0xf7, 0xff]),
            3 => bytes.truncate(at.max(4)),
            4 => drop(bytes.drain(at..(at + random.below(9)).min(bytes.len()))),
            _ => {
                let other = random.pick(seeds);
                let from = random.below(other.len());
                let end = (from + random.below(60)).min(other.len());
                drop(bytes.splice(at..at, other[from..end].iter().copied()));
            }
        }
        bytes.resize(bytes.len().max(1), 0);
    }
    bytes
}

/// Byte range of each track in an undamaged file.
fn places_of_tracks(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut at, mut places) = (0, Vec::new());
    while let Some(head) = bytes.get(at..at + 8) {
        let data = at + 8..at + 8 + u32::from_be_bytes(head[4..].try_into().unwrap()) as usize;
        at = data.end;
        if head.starts_with(b"MTrk") {
            places.push(data);
        }
    }
    places
}

fn is_reported_damaged(read: &ReadScore) -> bool {
    read.notices.iter().any(|reason| reason.contains("the file is damaged"))
}

/// A truncated file is refused, or opens with a notice.
#[test]
fn files_that_are_cut_are_told() {
    let mut n_reported = 0;
    for (name, _, bytes) in seeds() {
        for cut in 0..bytes.len() {
            if let Ok(read) = ReadScore::from_bytes(&bytes[..cut], &ScoreOverrides::default()) {
                assert!(is_reported_damaged(&read), "{name}, cut at {cut} of {}: {:?}", bytes.len(), read.notices);
                n_reported += 1;
            }
        }
    }
    assert!(n_reported > 500, "{n_reported} were read");
}

/// Notes behind a track's end are left out, with a notice.
#[test]
fn what_stands_behind_the_end_of_a_track_is_told() {
    let more = [10, 0x90, 100, 90, 10, 0x80, 100, 0];
    for (name, _, bytes) in seeds() {
        let whole = read(&bytes);
        let tracks = places_of_tracks(&bytes);
        for (k, place) in tracks.iter().enumerate() {
            if !bytes[place.clone()].ends_with(&[0xff, 0x2f, 0]) {
                continue;
            }
            let mut longer = bytes.clone();
            drop(longer.splice(place.end..place.end, more));
            longer[place.start - 4..place.start].copy_from_slice(&((place.len() + more.len()) as u32).to_be_bytes());
            let found = read(&longer);
            assert_eq!(found.score, whole.score, "{name}, track {k}");
            let reason = format!("bytes behind the end of 1 of its {} tracks were left out", tracks.len());
            let is_reported = found.notices.iter().any(|notice| notice.contains(&reason));
            assert!(is_reported, "{name}, track {k}: {:?}", found.notices);
        }
        assert!(whole.notices.iter().all(|notice| !notice.contains("behind the end")), "the control: {name}");
    }
}

/// Whether a file has as many tracks as its header states, each with an end mark, and none running past it.
fn seems_whole(bytes: &[u8]) -> bool {
    let n_stated = usize::from(u16::from_be_bytes([bytes[10], bytes[11]]));
    let tracks = places_of_tracks(bytes);
    let has_end = |place: &&Range<usize>| bytes[(*place).clone()].windows(2).any(|pair| pair == [0xff, 0x2f]);
    tracks.iter().all(|place| place.end <= bytes.len()) && tracks.iter().filter(has_end).count() >= n_stated
}

/// Damaged files yield notes, a notice or one sentence; never a panic.
#[test]
fn damaged_files_are_read_or_refused() {
    let n_files = if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 200_000 } else { 4_000 };
    let seeds: Vec<Vec<u8>> = seeds().into_iter().map(|(_, _, bytes)| bytes).collect();
    let mut random = Random::new(14);
    let (mut n_read, mut n_reported) = (0, 0);
    for _ in 0..n_files {
        let bytes = damaged(&mut random, &seeds);
        let began = Instant::now();
        let read = ReadScore::from_bytes(&bytes, &ScoreOverrides::default());
        assert!(began.elapsed() < TIMEOUT, "{:?} for {} bytes", began.elapsed(), bytes.len());
        match read {
            Ok(read) => {
                n_read += 1;
                n_reported += usize::from(is_reported_damaged(&read));
                assert_eq!(read.score.problem(), None);
                assert!(is_reported_damaged(&read) || seems_whole(&bytes), "{bytes:?}");
            }
            Err(error) => assert!(error.message().len() < 400 && !error.message().contains('\n'), "{error}"),
        }
    }
    assert!(n_read > n_files / 4 && n_read < n_files, "{n_read} of {n_files} were read");
    assert!(n_reported > n_files / 50, "{n_reported} of {n_files} were told");
}

/// Runs the test above in a separate process, and measures its peak memory.
#[cfg(target_os = "linux")]
#[test]
fn damaged_files_take_little_memory() {
    let megabytes = max_megabytes_of("voices::midi::damaged_files_are_read_or_refused");
    assert!((1..200).contains(&megabytes), "{megabytes} MB");
}
