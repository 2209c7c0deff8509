//! Scores, and the samples of them by their definition.

pub mod midi;
pub mod oracle;

use dsp::voices::{Score, ScoreNote, Timbre, VoicePool};

/// A note from 0 s on, in the score's first timbre.
pub fn note(pitch: f64, duration_secs: f64) -> ScoreNote {
    ScoreNote {
        pitch,
        start_secs: 0.0,
        duration_secs,
        velocity: 1.0,
        pan: 0.0,
        timbre: 0,
        glide: Vec::new(),
        pressure: Vec::new(),
        sides: Vec::new(),
    }
}

pub fn score(timbre: Timbre, notes: Vec<ScoreNote>) -> Score {
    Score { timbres: vec![timbre], notes, ..Score::empty() }
}

/// Both channels, or one, rendered by the CPU in one go.
pub fn rendered(score: &Score, rate_hz: f64, is_stereo: bool) -> [Vec<f32>; 2] {
    let mut pool = VoicePool::new();
    let mut stream = pool.begin(score, rate_hz, is_stereo).unwrap();
    let n = stream.n_samples() as usize;
    let mut channels = [vec![0.0; n], vec![0.0; if is_stereo { n } else { 0 }]];
    let [left, right] = &mut channels;
    stream.render(left, right);
    channels
}

/// Notes that use all that a voice has: overlapping starts within a block, glide, pressure, pan and softness.
pub fn busy_score(timbre: Timbre) -> Score {
    let plain = note(48.0, 0.31);
    let notes = vec![
        ScoreNote { start_secs: 0.1, velocity: 0.7, pan: -0.4, ..note(64.25, 0.2) },
        ScoreNote { pan: 0.9, ..plain.clone() },
        ScoreNote {
            start_secs: 0.0123,
            glide: vec![[0.0, 55.0], [0.2, 60.0], [0.25, 58.5]],
            pressure: vec![[0.0, 0.2], [0.15, 1.0], [0.3, 0.6]],
            ..note(0.0, 0.4)
        },
        ScoreNote { start_secs: 0.4, velocity: 0.3, ..note(96.0, 0.1) },
        // Its upper partials fade below the Nyquist frequency.
        ScoreNote { start_secs: 0.2, ..note(112.0, 0.15) },
    ];
    Score { seed: 12_345, level_db: -12.0, tuning_hz: 442.0, ..score(timbre, notes) }
}
