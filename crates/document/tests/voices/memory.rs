//! Memory use of rendering.

use super::{busy_score, note, score};
use document::brushes::{DrawnVoice, Phrase, VoicesBrush};
use document::{Brush, HeldPoint};
use dsp::voices::{Score, Timbre, VoicePool};
use engine::Engine;
use support::heap::{heap_calls, heap_calls_so_far};

/// A score in each timbre, and the pools that render them.
struct RenderFixture {
    scores: [Score; 5],
    pool: VoicePool,
    left: Vec<f32>,
    right: Vec<f32>,
}

impl RenderFixture {
    fn new() -> RenderFixture {
        let scores = Timbre::NAMES.map(|name| busy_score(Timbre::named(name).unwrap()));
        RenderFixture { scores, pool: VoicePool::new(), left: vec![0.0; 10_000], right: vec![0.0; 10_000] }
    }

    fn render(&mut self, times: usize) {
        for _ in 0..times {
            for score in &self.scores {
                self.pool.begin(score, 48_000.0, true).unwrap().render(&mut self.left, &mut self.right);
            }
        }
    }
}

/// On one thread, so that every allocation is counted.
#[test]
fn rendering_allocates_nothing_after_the_first_time() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    threads.install(|| {
        let mut stand = RenderFixture::new();
        assert!(heap_calls(|| stand.render(1)) > 0, "the counter bites");
        assert_eq!(heap_calls(|| stand.render(3)), 0);
    });
}

/// On two threads, whose allocations are added up. Rayon allocates now and then, so one of several
/// runs without any suffices.
#[test]
fn two_threads_allocate_nothing_after_the_first_time() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let so_far = || threads.broadcast(|_| heap_calls_so_far()).into_iter().sum::<u64>();
    let mut stand = RenderFixture::new();
    let mut calls = |times: usize| {
        let before = so_far();
        threads.install(|| stand.render(times));
        so_far() - before
    };
    assert!(calls(1) > 0, "the counter bites");
    let found: Vec<u64> = (0..5).map(|_| calls(2)).collect();
    assert!(found.contains(&0), "{found:?}");
}

/// Ten phrases rendered concurrently reuse the memory of the previous ten. Memory beyond that is freed.
#[test]
fn ten_renderings_at_once_take_the_memory_of_those_before() {
    fn at_once(engine: &Engine, n: usize) {
        engine.with_voices(|_, _| {
            if n > 1 {
                at_once(engine, n - 1);
            }
        });
    }
    let engine = Engine::cpu();
    assert!(heap_calls(|| at_once(&engine, 10)) > 0, "the counter bites");
    assert_eq!(heap_calls(|| at_once(&engine, 10)), 0);
    at_once(&engine, 11);
    assert!(heap_calls(|| at_once(&engine, 11)) > 0);
}

/// Renders as edits do, block by block, in memory that the engine keeps.
#[test]
fn an_added_phrase_allocates_nothing_after_the_first_time() {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    threads.install(|| {
        let engine = Engine::cpu();
        let sounds = Timbre::NAMES.map(|name| {
            let phrase = Phrase::new(busy_score(Timbre::named(name).unwrap()), 0.0).unwrap();
            Brush::from(VoicesBrush::Phrase(phrase)).added(None, 48_000.0).unwrap().unwrap()
        });
        let render = || {
            for sound in &sounds {
                let (mut n, mut peak) = (0, 0.0f32);
                let mut take = |first: u64, [left, right]: [&[f32]; 2]| {
                    assert!(first == n && left.len() == right.len());
                    n += left.len() as u64;
                    peak = left.iter().fold(peak, |peak, sample| peak.max(sample.abs()));
                    Ok(())
                };
                let notices = sound.render(&engine, true, u64::MAX, &mut take).unwrap();
                assert!(notices.is_empty() && n == sound.n_samples() && peak > 0.0);
            }
        };
        assert!(heap_calls(render) > 0, "the counter bites");
        assert_eq!(heap_calls(|| (0..3).for_each(|_| render())), 0);
    });
}

/// Renders a held chord as the player does, with repeated position updates.
#[test]
fn a_held_chord_allocates_nothing_while_the_hand_rests() {
    let voice = DrawnVoice { chord: vec![0.0, 4.0, 7.0], ..DrawnVoice::default() };
    let mut held = Brush::from(VoicesBrush::Drawn(voice)).live().unwrap();
    held.begin(48_000.0, true);
    let at = |hz: f64| [HeldPoint { key: 0, hz, pressure: 1.0 }];
    let (mut left, mut right) = ([0.0; 512], [0.0; 512]);
    assert!(heap_calls(|| held.follow(&at(220.0))) > 0, "the counter bites");
    let mut rest = || {
        held.follow(&at(220.0));
        held.render(&mut left, &mut right);
    };
    assert_eq!(heap_calls(|| (0..50).for_each(|_| rest())), 0);
    assert!(left.iter().any(|sample| *sample != 0.0));
}

#[test]
fn more_oscillators_than_the_pool_holds_are_refused_with_their_count() {
    let notes = |n: u32| (0..n).map(|k| note(30.0 + f64::from(k) / 4.0, 0.1)).collect();
    let mut pool = VoicePool::new();
    // Each note has 48 oscillators.
    let error = pool.begin(&score(Timbre::pad(), notes(171)), 48_000.0, true).unwrap_err();
    assert_eq!(error.message(), "8208 oscillators sound at once at 0.000 s; the limit is 8192");
    assert_eq!(pool.begin(&score(Timbre::pad(), notes(170)), 48_000.0, true).unwrap().max_oscillators(), 8160);
}
