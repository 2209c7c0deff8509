//! A sample depends on the score alone.

use super::{busy_score, note, rendered, score};
use dsp::voices::{Score, ScoreNote, Timbre, VoicePool};

const RATE: f64 = 48_000.0;

fn all_timbres() -> Score {
    let mut score = Score::empty();
    for name in Timbre::NAMES {
        let one = busy_score(Timbre::named(name).unwrap());
        let timbre = score.timbres.len();
        score.timbres.extend(one.timbres);
        score.notes.extend(one.notes.into_iter().map(|note| ScoreNote { timbre, ..note }));
    }
    score
}

fn bits(channels: &[Vec<f32>]) -> Vec<u32> {
    channels.iter().flatten().map(|sample| sample.to_bits()).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let score = all_timbres();
    let on = |n: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| bits(&rendered(&score, RATE, true)))
    };
    let one = on(1);
    assert!(one.iter().any(|bits| *bits != 0));
    assert!(one == on(2) && one == on(7));
}

#[test]
fn any_split_into_pieces_gives_the_same_bits() {
    let score = all_timbres();
    let whole = rendered(&score, RATE, true);
    let mut pool = VoicePool::new();
    for n_at_once in [64, 4096, 1, 777] {
        let mut stream = pool.begin(&score, RATE, true).unwrap();
        // Single samples are slow to render, so only the first 3,000.
        let n = if n_at_once == 1 { 3000 } else { whole[0].len() };
        let mut channels = [vec![1.0; n], vec![1.0; n]];
        let [left, right] = &mut channels;
        for (left, right) in left.chunks_mut(n_at_once).zip(right.chunks_mut(n_at_once)) {
            stream.render(left, right);
        }
        assert!(bits(&channels) == bits(&[whole[0][..n].to_vec(), whole[1][..n].to_vec()]), "{n_at_once}");
    }
    // Silence follows the end of the score.
    let mut stream = pool.begin(&score, RATE, true).unwrap();
    let n = whole[0].len() + 5000;
    let mut channels = [vec![1.0; n], vec![1.0; n]];
    let [left, right] = &mut channels;
    stream.render(left, right);
    assert!(channels[0][..whole[0].len()] == whole[0] && channels[1][whole[1].len()..] == [0.0; 5000]);
}

/// Chunks and oscillators at the pool's maximum.
#[test]
fn full_pools_give_the_same_bits_as_small_pieces() {
    let timbre = Timbre { partials: vec![Timbre::organ().partials[1]; 128], ..Timbre::organ() };
    // 64 notes of 128 oscillators at once, and more that begin as others end.
    let long = (0..60).map(|k| note(40.0 + f64::from(k) / 3.0, 0.05));
    let later = (0..12).map(|k| ScoreNote { start_secs: 0.111 + 0.0001 * f64::from(k % 5), ..note(70.0, 0.01) });
    let between = (0..4).map(|k| ScoreNote { start_secs: 0.03, ..note(60.0 + f64::from(k), 0.01) });
    let score = Score { level_db: -60.0, ..score(timbre, long.chain(later).chain(between).collect()) };
    let mut pool = VoicePool::new();
    let mut stream = pool.begin(&score, RATE, false).unwrap();
    assert_eq!(stream.max_oscillators(), 8192);
    let n = stream.n_samples() as usize;
    let mut pieces = vec![0.0; n];
    pieces.chunks_mut(100).for_each(|piece| stream.render(piece, &mut []));
    let whole = rendered(&score, RATE, false);
    assert!(bits(&[pieces]) == bits(&whole));
    // Chunks as for a device: as long as fits in the pool.
    let mut stream = pool.begin(&score, RATE, false).unwrap();
    let mut chunks = vec![0.0; n];
    let mut done = 0;
    while done < n {
        let chunk = stream.make_chunk(n - done);
        chunk.render(&mut chunks[done..done + chunk.n_samples()], &mut []);
        done += chunk.n_samples();
    }
    assert!(bits(&[chunks]) == bits(&whole));
}

/// Random phases derive from seeds and positions in the list.
#[test]
fn another_seed_sounds_different() {
    let plain = score(Timbre::pad(), vec![note(60.0, 0.1)]);
    let other = Score { seed: 1, ..plain.clone() };
    assert_ne!(bits(&rendered(&plain, RATE, false)), bits(&rendered(&other, RATE, false)));
    assert_eq!(bits(&rendered(&plain, RATE, false)), bits(&rendered(&plain.clone(), RATE, false)));
}
