//! Voices on a device, with two chunks in flight: the control points of one are computed while the other is rendered
//! and read.

use super::{busy_score, note, rendered, score};
use base::ErrorKind;
use dsp::voices::{Score, ScoreNote, Timbre, VoicePool};
use engine::Engine;
use support::faults::FOREVER;
use support::gpu::{gpu, own_gpu};

const RATE: f64 = 48_000.0;

/// Four and a half seconds, so that chunks grow to the device's limit; few enough oscillators for a single chunk.
fn long_phrase() -> Score {
    let one = busy_score(Timbre::bell());
    let later = |k: usize| one.notes.iter().map(move |note| (k, note));
    let moved =
        |(k, note): (usize, &ScoreNote)| ScoreNote { start_secs: note.start_secs + 0.77 * k as f64, ..note.clone() };
    let notes = (0..6).flat_map(later).map(moved).collect();
    let timbre = Timbre { partials: Timbre::bell().partials[..4].to_vec(), ..Timbre::organ() };
    Score { notes, timbres: vec![timbre], ..one.clone() }
}

fn bits(channels: &[Vec<f32>; 2]) -> Vec<u32> {
    channels.iter().flatten().map(|sample| sample.to_bits()).collect()
}

/// Both channels, rendered by an engine `n_at_once` samples at a time, and its notices.
fn in_pieces(engine: &Engine, score: &Score, n_at_once: usize, until: u64) -> ([Vec<f32>; 2], Vec<String>) {
    let mut pool = VoicePool::new();
    let stream = pool.begin(score, RATE, true).unwrap();
    let n = stream.n_samples() as usize;
    let mut voices = engine.voices(stream, until);
    let mut channels = [vec![f32::NAN; n], vec![f32::NAN; n]];
    let [left, right] = &mut channels;
    let mut reported = Vec::new();
    for (left, right) in left.chunks_mut(n_at_once).zip(right.chunks_mut(n_at_once)) {
        reported.extend(voices.render(left, right).unwrap());
    }
    assert_eq!(voices.position(), n as u64);
    (channels, reported)
}

#[test]
fn a_long_phrase_is_one_chunk_of_the_device_however_it_is_asked_for() {
    let Some(gpu) = gpu() else { return };
    let score = long_phrase();
    let mut pool = VoicePool::new();
    let mut stream = pool.begin(&score, RATE, true).unwrap();
    let n = stream.n_samples() as usize;
    let chunk = stream.make_chunk(n);
    assert_eq!(chunk.n_samples(), n, "all of it is one chunk");
    let mut whole = [vec![0.0; n], vec![0.0; n]];
    let [left, right] = &mut whole;
    let mut in_flight = gpu.submit_voices(chunk).unwrap();
    gpu.await_voices(&mut in_flight).unwrap();
    in_flight.copy(0, left, right).unwrap();
    let engine = Engine::on(gpu);
    // For requests of several sizes, with all, some or no chunks rendered ahead.
    for (n_at_once, until) in [(n, u64::MAX), (64, u64::MAX), (777, 100_000), (4_096, 0), (65_536, u64::MAX)] {
        let (found, reported) = in_pieces(&engine, &score, n_at_once, until);
        assert!(bits(&found) == bits(&whole), "{n_at_once} at once, {until} ahead");
        assert_eq!(reported, [""; 0]);
    }
    // Control: a change of one pitch by a thousandth of a cent changes the samples.
    let mut other = score.clone();
    other.notes.last_mut().unwrap().pitch += 1e-5;
    assert!(bits(&in_pieces(&engine, &other, n, u64::MAX).0) != bits(&whole));
}

#[test]
fn behind_the_end_of_a_score_there_is_silence() {
    let Some(gpu) = gpu() else { return };
    let score = score(Timbre::organ(), vec![note(60.0, 0.1)]);
    let mut pool = VoicePool::new();
    let stream = pool.begin(&score, RATE, false).unwrap();
    let n = stream.n_samples() as usize;
    let engine = Engine::on(gpu);
    let mut voices = engine.voices(stream, u64::MAX);
    let mut samples = vec![f32::NAN; n + 10_000];
    let (sound, silence) = samples.split_at_mut(n);
    voices.render(sound, &mut []).unwrap();
    silence.chunks_mut(3_000).for_each(|piece| assert_eq!(voices.render(piece, &mut []).unwrap(), None));
    assert!(sound.iter().any(|sample| *sample != 0.0) && silence.iter().all(|sample| *sample == 0.0));
}

/// Rendering again, or after giving up with chunks in flight, reuses the buffers of the first time.
#[test]
fn no_buffer_is_made_after_the_first_time() {
    let Some(gpu) = own_gpu() else { return };
    let (engine, score) = (Engine::on(gpu.clone()), long_phrase());
    let (first, _) = in_pieces(&engine, &score, 5_000, u64::MAX);
    let made = [gpu.buffers_created(), gpu.pipelines_compiled()];
    assert!(made.iter().all(|n| *n > 0), "the counters bite");
    for n_samples in [1, 5_000, 30_000] {
        let mut pool = VoicePool::new();
        let mut voices = engine.voices(pool.begin(&score, RATE, true).unwrap(), u64::MAX);
        voices.render(&mut vec![0.0; n_samples], &mut vec![0.0; n_samples]).unwrap();
        drop(voices);
        assert!(bits(&in_pieces(&engine, &score, 5_000, u64::MAX).0) == bits(&first), "after {n_samples} samples");
    }
    assert_eq!([gpu.buffers_created(), gpu.pipelines_compiled()], made);
}

#[test]
fn the_cpu_renders_what_a_device_without_memory_did_not() {
    let Some(gpu) = own_gpu() else { return };
    let (engine, score) = (Engine::on(gpu.clone()), busy_score(Timbre::pluck()));
    let (on_gpu, _) = in_pieces(&engine, &score, 5_000, u64::MAX);
    let on_cpu = rendered(&score, RATE, true);
    let of_neither = |samples: &[Vec<f32>; 2]| -> Vec<(usize, [f32; 3])> {
        let all = (0..2).flat_map(|side| samples[side].iter().zip(on_gpu[side].iter().zip(&on_cpu[side])).enumerate());
        let rows = all.map(|(at, (found, (gpu, cpu)))| (at, [*found, *gpu, *cpu]));
        rows.filter(|(_, [found, gpu, cpu])| found != gpu && found != cpu).collect()
    };
    gpu.trim();
    let before = gpu.allocations();
    in_pieces(&engine, &score, 5_000, u64::MAX);
    let n = gpu.allocations() - before;
    assert!(n > 8, "{n} allocations are those of fewer than two chunks");
    for k in 0..n {
        gpu.trim();
        gpu.fail_allocations(k..FOREVER);
        let (found, reported) = in_pieces(&engine, &score, 5_000, u64::MAX);
        let wrong = of_neither(&found);
        assert!(
            wrong.is_empty(),
            "from allocation {k} on: {} samples, first {:?}",
            wrong.len(),
            &wrong[..wrong.len().min(4)]
        );
        assert!(k > 0 || found == on_cpu, "all of it");
        assert!(
            reported.len() == 1 && reported[0].contains("out of memory") && reported[0].contains("CPU"),
            "{reported:?}"
        );
    }
    engine.set_may_fall_back(false);
    let mut pool = VoicePool::new();
    let mut voices = engine.voices(pool.begin(&score, RATE, true).unwrap(), u64::MAX);
    let refused = voices.render(&mut [0.0; 100], &mut [0.0; 100]).unwrap_err();
    assert!(refused.kind() == ErrorKind::GpuMemory && refused.message().contains("--engine cpu"), "{refused}");
    gpu.fail_allocations(0..0);
    engine.set_may_fall_back(true);
    assert!(
        bits(&in_pieces(&engine, &score, 5_000, u64::MAX).0) == bits(&on_gpu),
        "the next one is the device's again"
    );
}
