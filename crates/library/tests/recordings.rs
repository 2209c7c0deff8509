//! Words of recordings: compatible with Chromaprint's, and able to identify.
#![allow(clippy::print_stdout, reason = "prints figures")]

use base::Progress;
use library::identity::words::{RecordingMatch, WordIndex, match_recordings, words};
use media::Source;
use std::collections::HashMap;
use std::time::Instant;
use support::npy;
use support::random::Random;
use support::wav::clip;

const RATE: u32 = 11_025;

/// Sample `at` of a triangle wave with a frequency in millihertz and an amplitude of 32,768.
fn wave(at: usize, milli_hz: u64) -> i64 {
    let step = milli_hz * (1 << 32) / (u64::from(RATE) * 1_000);
    let phase = ((at as u64 * step) % (1 << 32)) >> 15;
    (if phase < 65_536 { phase } else { 131_071 - phase }) as i64 - 32_768
}

/// `signal` of `make_words.py`.
fn signal(n: usize) -> Vec<f32> {
    let sample = |at: usize| {
        let (step, since) = (at / 3_675, (at % 3_675) as i64);
        let note = |k: usize| wave(at, 110_000 + 37_000 * (step * k % 17 + 5 * k).min(31) as u64);
        ((1..=3).map(note).sum::<i64>() * (4_000 - since)).div_euclid(20_000)
    };
    (0..n).map(|at| sample(at) as f32 / 32_768.0).collect()
}

/// As `signal`, but with a sequence of notes that never repeats, starting at the note with index `first`.
fn tune_from(first: usize, n: usize) -> Vec<f32> {
    let note = |step: usize, k: usize| {
        let hash = ((step * 3 + k) as u32 + 1).wrapping_mul(0x9e37_79b9);
        u64::from((hash ^ hash >> 15).wrapping_mul(0x846c_a68b) >> 27)
    };
    let sample = |at: usize| {
        let (step, since) = (first + at / 3_675, (at % 3_675) as i64);
        let sum: i64 = (0..3).map(|k| wave(at, 110_000 + 37_000 * note(step, k))).sum();
        (sum * (4_000 - since)).div_euclid(20_000)
    };
    (0..n).map(|at| sample(at) as f32 / 32_768.0).collect()
}

fn tune(n: usize) -> Vec<f32> {
    tune_from(0, n)
}

fn words_of(channels: Vec<Vec<f32>>, rate: u32) -> Vec<u32> {
    words(&Source::from_channels(channels, rate).unwrap(), &Progress::new()).unwrap()
}

/// The words of concatenated sounds.
fn words_of_all(parts: &[&[f32]]) -> Vec<u32> {
    words_of(vec![parts.concat()], RATE)
}

#[test]
fn words_are_chromaprints() {
    let found = words_of(vec![signal(8 * 11_025)], RATE);
    let reference = npy::load(&"words".into());
    assert_eq!(found, reference.u32s());
    // Control: at 11,350 Hz, the same samples are a quarter tone higher. Equal words would mean that they are not
    // resampled.
    assert_ne!(words_of(vec![signal(8 * 11_025)], 11_350), found);
    // Two channels are mixed.
    assert_eq!(words_of(vec![signal(8 * 11_025); 2], RATE), found);
    assert!(words_of(vec![signal(30_000)], RATE).is_empty(), "2.7 s");
    assert!(!words_of(vec![signal(32_000)], RATE).is_empty(), "2.9 s");
    assert!(words_of(vec![vec![0.5]], RATE).is_empty());
}

#[test]
fn a_recording_is_found_in_another_at_its_place() {
    let whole = tune(30 * 11_025);
    let of_whole = words_of(vec![whole.clone()], RATE);
    let same = match_recordings(&of_whole, &of_whole).unwrap();
    assert_eq!((same.offset_secs, same.error_rate), (0.0, 0.0));
    // Seven seconds later, quieter, with noise.
    let mut state = 1u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) as f32 / 32_768.0 - 1.0) * 0.005
    };
    let later: Vec<f32> = whole[7 * 11_025..22 * 11_025].iter().map(|sample| sample * 0.25 + noise()).collect();
    let of_later = words_of(vec![later], RATE);
    let found = match_recordings(&of_whole, &of_later).unwrap();
    println!("{found:?}");
    assert!((found.offset_secs - 7.0).abs() <= 0.13 && found.error_rate <= 0.15, "{found:?}");
    let back = match_recordings(&of_later, &of_whole).unwrap();
    assert!((back.offset_secs + found.offset_secs).abs() < 1e-9);
    // Other sounds are not found, nor is too short a piece.
    let clips = ["drum_break_44k_stereo.flac", "guitar_chord_44k_stereo.flac", "tabla_loop_44k_stereo.flac"];
    let of_clips: Vec<Vec<u32>> = clips
        .iter()
        .map(|name| words(&Source::open(&clip(name), &Progress::new()).unwrap().source, &Progress::new()).unwrap())
        .collect();
    for (index, a) in of_clips.iter().enumerate() {
        assert!(match_recordings(&of_whole, a).is_none());
        assert!(of_clips[..index].iter().all(|b| match_recordings(a, b).is_none()));
    }
    assert!(match_recordings(&of_whole, &of_whole[..23]).is_none());
    assert!(match_recordings(&of_whole, &[]).is_none());
}

/// Six seconds of silence, six of noise in the least significant of 16 bits, and eight of a 1 kHz alignment tone.
fn untelling() -> [(&'static str, Vec<f32>); 3] {
    let second = RATE as usize;
    let mut random = Random::new(16);
    let noise = (0..6 * second).map(|_| random.between(-1.0, 1.0).round() as f32 / 32_768.0).collect();
    let tone = (0..8 * second).map(|at| wave(at, 1_000_000) as f32 / 100_000.0).collect();
    [("silence", vec![0.0; 6 * second]), ("noise of the last bit", noise), ("a tone", tone)]
}

/// Content common to many recordings, of any length, is no evidence that two are the same.
#[test]
fn silence_and_steady_tones_tell_nothing() {
    let second = RATE as usize;
    let (first, other) = (tune(20 * second), tune_from(10_000, 20 * second));
    for (what, shared) in untelling() {
        let alone = words_of_all(&[&shared]);
        assert!(alone.len() >= 24 && alone.iter().all(|word| *word == alone[0]), "{what}: {alone:x?}");
        let (ends, begins) = (words_of_all(&[&first, &shared]), words_of_all(&[&shared, &other]));
        assert_eq!(match_recordings(&ends, &begins), None, "one ends with {what}, one begins with it");
        assert_eq!(match_recordings(&begins, &ends), None, "{what}, the other way round");
        assert_eq!(match_recordings(&words_of_all(&[&shared, &first]), &begins), None, "both begin with {what}");
        assert_eq!(match_recordings(&ends, &alone), None, "one is nothing but {what}");
        assert_eq!(match_recordings(&alone, &words_of_all(&[&shared, &shared])), None, "both are nothing but {what}");
        // Control: the sound around the shared part is still matched.
        let later: Vec<f32> = first[7 * second..].iter().chain(&shared).map(|sample| sample * 0.25).collect();
        let found = match_recordings(&ends, &words_of_all(&[&later])).unwrap();
        assert!((found.offset_secs - 7.0).abs() <= 0.13, "{what}: {found:?}");
    }
    // Silence in the middle of a recording.
    let rest = vec![0.0; 6 * second];
    let whole = [&first[..12 * second], &rest[..], &other[..12 * second]].concat();
    let later: Vec<f32> = whole[7 * second..26 * second].iter().map(|sample| sample * 0.25).collect();
    let found = match_recordings(&words_of_all(&[&whole]), &words_of_all(&[&later])).unwrap();
    assert!((found.offset_secs - 7.0).abs() <= 0.13 && found.error_rate <= 0.12, "{found:?}");
}

/// Whether a word is distinctive: it is not 0, `u32::MAX` or the word of silence, and not in a run of five or more
/// equal words.
fn tells(words: &[u32], at: usize, silent: u32) -> bool {
    let is_same = |other: &&u32| **other == words[at];
    let n_before = words[..at].iter().rev().take_while(is_same).count();
    let n_in_a_row = n_before + words[at..].iter().take_while(is_same).count();
    n_in_a_row < 5 && ![0, u32::MAX, silent].contains(&words[at])
}

/// Reference implementation, on distinctive words only: counts equal words by offset. If an offset and its
/// neighbours have at least five together, computes the bit error rate at that offset.
fn plain_match(first: &[u32], second: &[u32], silent: u32) -> Option<RecordingMatch> {
    let mut places: HashMap<u32, Vec<i64>> = HashMap::new();
    for at in (0..first.len()).filter(|&at| tells(first, at, silent)) {
        places.entry(first[at]).or_default().push(at as i64);
    }
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for at in (0..second.len()).filter(|&at| tells(second, at, silent)) {
        for place in places.get(&second[at]).into_iter().flatten() {
            *counts.entry(place - at as i64).or_default() += 1;
        }
    }
    let error_rate = |offset: i64| {
        let [skip_first, skip_second] = [offset.max(0), (-offset).max(0)].map(|skip| skip as usize);
        let both = (skip_first..first.len()).zip(skip_second..second.len());
        let pairs: Vec<_> = both.filter(|&(a, b)| tells(first, a, silent) && tells(second, b, silent)).collect();
        let n_bits: u32 = pairs.iter().map(|&(a, b)| (first[a] ^ second[b]).count_ones()).sum();
        let errors = f64::from(n_bits) / (32.0 * pairs.len() as f64);
        (pairs.len() >= 24 && errors <= 0.15).then_some((pairs.len(), errors))
    };
    let n_telling = |words: &[u32]| (0..words.len()).filter(|&at| tells(words, at, silent)).count();
    let shorter = [first, second].map(|words| (words.len(), n_telling(words))).into_iter().min().map_or(0, |of| of.1);
    let near = |offset: i64| (offset - 1..=offset + 1).filter_map(|offset| counts.get(&offset)).sum::<usize>();
    let worth = counts.keys().copied().filter(|&offset| near(offset) >= 5);
    // Offsets that compare at least half of the shorter one's distinctive words come first, then the fewest errors.
    let judged = worth.filter_map(|offset| {
        let (n, errors) = error_rate(offset)?;
        Some((2 * n < shorter, errors, offset))
    });
    let (is_overlap, error_rate, offset) =
        judged.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)))?;
    let offset_secs = offset as f64 * 1_365.0 / 11_025.0;
    let (from, to) = (offset.max(0), (first.len() as i64).min(offset + second.len() as i64));
    // From the start of the first word to the end of the last; a word spans 19 steps and a frame.
    let overlap_secs = (to - 1 - from) as f64 * 1_365.0 / 11_025.0 + f64::from(19 * 1_365 + 4_096) / 11_025.0;
    Some(RecordingMatch { offset_secs, error_rate, overlap_secs, is_same: !is_overlap })
}

/// A quarter of an hour compared with many sounds, some of which are pieces of it: changed, moved or with only a few
/// words.
#[test]
fn the_sieve_finds_what_comparing_each_pair_does() {
    let mut random = Random::new(11_025);
    let mut words = |n: usize| -> Vec<u32> { (0..n).map(|_| (random.bits() >> 32) as u32).collect() };
    let mut long = words(7_000);
    // Words of silence (0 and the actual one), a held note (4 equal words) and a steady tone (80 equal words).
    let silent = words_of(vec![vec![0.0; 3 * RATE as usize]], RATE)[0];
    long[300..360].fill(0);
    long[2_600..2_603].fill(silent);
    long[2_610..2_614].fill(0x1234_55aa);
    long[4_000..4_080].fill(0x55aa_1234);
    let changed = |words: &[u32], every: usize| -> Vec<u32> {
        words.iter().enumerate().map(|(at, word)| if at % every == 0 { *word } else { word ^ 0b101 }).collect()
    };
    let mut others: Vec<Vec<u32>> = (0..60).map(|_| words(200)).collect();
    others.push(long[1_000..1_200].to_vec());
    others.push([words(90), long[..110].to_vec()].concat());
    others.push([long[6_900..].to_vec(), words(10)].concat());
    for every in [2, 30, 60, 199] {
        others.push(changed(&long[2_000..2_200], every));
    }
    others.push(long[2_500..2_523].to_vec());
    others.push(long[2_500..2_524].to_vec());
    others.push(long[2_500..2_504].to_vec());
    // With 24 distinctive words, and with 23.
    others.push(long[2_595..2_622].to_vec());
    others.push(long[2_595..2_621].to_vec());
    others.push([long[280..380].to_vec(), words(30)].concat());
    others.push(vec![0x55aa_1234; 120]);
    others.push(long[3_990..4_090].to_vec());
    others.push(long[3_980..4_100].to_vec());
    others.push(Vec::new());
    let began = Instant::now();
    let expected: Vec<_> = others.iter().map(|other| plain_match(other, &long, silent)).collect();
    let of_plain = began.elapsed();
    let began = Instant::now();
    let index = WordIndex::of(&long);
    let found: Vec<_> = others.iter().map(|other| index.find_in(other)).collect();
    println!("{} sounds: {of_plain:.2?} in pairs, {:.2?} with the sieve", others.len(), began.elapsed());
    assert_eq!(found, expected);
    assert!((8..20).contains(&found.iter().flatten().count()), "{found:?}");
    // With exchanged roles: each of the others is indexed, and the long one is looked up in it.
    let back: Vec<_> = others.iter().map(|other| WordIndex::of(other).find_in(&long)).collect();
    let expected: Vec<_> = others.iter().map(|other| plain_match(&long, other, silent)).collect();
    assert_eq!(back, expected);
}
