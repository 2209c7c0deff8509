//! Measures voices: a chord of pads, its first samples, the oscillators of a large score, and ten scores in parallel.

use super::stopwatch::{RATE_HZ, Stopwatch};
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::voices::{CHUNK, Score, ScoreNote, Timbre, TimbrePartial, VoicePool};

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    // On a software adapter these would take minutes.
    let is_imitated = stopwatch.engine.gpu().is_some_and(|gpu| !gpu.summary().is_real());
    if stopwatch.wants("voices_pad_8x4s")? {
        render(stopwatch, "voices_pad_8x4s", &pad_chord(), 4.0)?;
    }
    if stopwatch.wants("voices_first_chunk")? {
        render(stopwatch, "voices_first_chunk", &pad_chord(), CHUNK as f64 / RATE_HZ)?;
    }
    if stopwatch.wants("voices_4096_30s")? && !is_imitated {
        render(stopwatch, "voices_4096_30s", &many_oscillators(), 30.0)?;
    }
    if stopwatch.wants("voices_ten_streams")? && !is_imitated {
        ten_streams(stopwatch)?;
    }
    Ok(())
}

/// Measures ten chords of four seconds, each rendered on its own thread, from the first start to the last end.
fn ten_streams(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    let engine = stopwatch.engine;
    let score = pad_chord();
    let n_samples = (4.0 * RATE_HZ) as usize;
    let mut streams: Vec<_> = (0..10).map(|_| (VoicePool::new(), vec![0.0; n_samples], vec![0.0; n_samples])).collect();
    stopwatch.time_on(
        "voices_ten_streams",
        &mut streams,
        |_| Ok(()),
        |streams| {
            let render = |(pool, left, right): &mut (VoicePool, Vec<f32>, Vec<f32>)| {
                let stream = pool.begin(&score, RATE_HZ, true)?;
                engine.voices(stream, n_samples as u64).render(left, right).map(drop)
            };
            std::thread::scope(|scope| {
                let threads: Vec<_> = streams.iter_mut().map(|stream| scope.spawn(|| render(stream))).collect();
                let stopped = |_| Error::new(ErrorKind::Internal, "a thread of the measurement stopped");
                threads.into_iter().try_for_each(|thread| thread.join().map_err(stopped)?)
            })
        },
    )
}

/// Measures rendering a score to stereo samples.
fn render(stopwatch: &mut Stopwatch<'_>, name: &str, score: &Score, secs: f64) -> Result<()> {
    let engine = stopwatch.engine;
    let n_samples = (secs * RATE_HZ).round() as usize;
    let mut state = (VoicePool::new(), vec![0.0; n_samples], vec![0.0; n_samples]);
    stopwatch.time_on(
        name,
        &mut state,
        |_| Ok(()),
        |(pool, left, right)| {
            let stream = pool.begin(score, RATE_HZ, true)?;
            engine.voices(stream, n_samples as u64).render(left, right)?;
            Ok(())
        },
    )
}

fn note(pitch: f64, secs: f64) -> ScoreNote {
    ScoreNote {
        pitch,
        start_secs: 0.0,
        duration_secs: secs,
        velocity: 0.8,
        pan: 0.0,
        timbre: 0,
        glide: Vec::new(),
        pressure: Vec::new(),
        sides: Vec::new(),
    }
}

/// A chord of 8 notes, each with 3 voices of 16 partials.
fn pad_chord() -> Score {
    let notes = (0..8).map(|k| note(48.0 + 3.5 * f64::from(k), 3.2)).collect();
    Score { timbres: vec![Timbre::pad()], notes, ..Score::empty() }
}

/// A score of 256 notes with 16 partials each.
fn many_oscillators() -> Score {
    let partial = |k: u32| TimbrePartial { ratio: f64::from(k), level: 1.0 / f64::from(k), life: 1.0 };
    let timbre = Timbre { partials: (1..=16).map(partial).collect(), ..Timbre::default() };
    let notes = (0..256).map(|k| note(30.0 + f64::from(k) / 6.0, 29.9)).collect();
    Score { level_db: -48.0, timbres: vec![timbre], notes, ..Score::empty() }
}
