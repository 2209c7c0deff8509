//! Voices: a chord of pads, its first samples, and as many oscillators as a large score has.

use super::stopwatch::{RATE_HZ, Stopwatch};
use crate::base::Result;
use crate::dsp::voices::{CHUNK, Score, ScoreNote, Timbre, TimbrePartial, VoicePool};

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    // A processor that imitates a graphics card takes minutes.
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
    Ok(())
}

/// From the score to its samples in stereo.
fn render(stopwatch: &mut Stopwatch<'_>, name: &str, score: &Score, secs: f64) -> Result<()> {
    let engine = stopwatch.engine;
    let n_samples = (secs * RATE_HZ).round() as usize;
    let mut state = (VoicePool::new(), vec![0.0; n_samples], vec![0.0; n_samples]);
    stopwatch.time_on(
        name,
        &mut state,
        |_| Ok(()),
        |(pool, left, right)| {
            let mut stream = pool.begin(score, RATE_HZ, true)?;
            engine.render_voices(&mut stream, left, right)?;
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
    }
}

/// 8 notes, each of 3 voices of 16 partials.
fn pad_chord() -> Score {
    let notes = (0..8).map(|k| note(48.0 + 3.5 * f64::from(k), 3.2)).collect();
    Score { timbres: vec![Timbre::pad()], notes, ..Score::empty() }
}

/// 256 notes of 16 partials.
fn many_oscillators() -> Score {
    let partial = |k: u32| TimbrePartial { ratio: f64::from(k), level: 1.0 / f64::from(k), life: 1.0 };
    let timbre = Timbre { partials: (1..=16).map(partial).collect(), ..Timbre::default() };
    let notes = (0..256).map(|k| note(30.0 + f64::from(k) / 6.0, 29.9)).collect();
    Score { level_db: -48.0, timbres: vec![timbre], notes, ..Score::empty() }
}
