//! What rendering takes of memory.

use super::{busy_score, note, score};
use crate::playback::heap_calls;
use sonobrush::dsp::voices::{Timbre, VoicePool};

/// On one thread, so that every call of the heap is counted.
#[test]
fn rendering_allocates_nothing_after_the_first_time() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    threads.install(|| {
        let mut pool = VoicePool::new();
        let scores = Timbre::NAMES.map(|name| busy_score(Timbre::named(name).unwrap()));
        let [mut left, mut right] = [vec![0.0; 10_000], vec![0.0; 10_000]];
        let mut render = |times: usize| {
            for _ in 0..times {
                for score in &scores {
                    pool.begin(score, 48_000.0, true).unwrap().render(&mut left, &mut right);
                }
            }
        };
        assert!(heap_calls(|| render(1)) > 0, "the counter bites");
        assert_eq!(heap_calls(|| render(3)), 0);
    });
}

#[test]
fn more_oscillators_than_the_pool_holds_are_refused_with_their_count() {
    let notes = |n: u32| (0..n).map(|k| note(30.0 + f64::from(k) / 4.0, 0.1)).collect();
    let mut pool = VoicePool::new();
    // 48 oscillators each.
    let error = pool.begin(&score(Timbre::pad(), notes(171)), 48_000.0, true).unwrap_err();
    assert_eq!(error.message(), "8208 oscillators sound at once at 0.000 s; the limit is 8192");
    assert_eq!(pool.begin(&score(Timbre::pad(), notes(170)), 48_000.0, true).unwrap().most_oscillators(), 8160);
}
