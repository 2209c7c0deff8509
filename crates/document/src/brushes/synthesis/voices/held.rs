//! The sound of a voice while it is drawn, or while its keys are pressed.

use super::settings::DrawnVoice;
use crate::document::sound::added::{HeldPoint, LiveSound};
use crate::dsp::voices::{DrawnNotes, LiveVoices, Score};

/// A note or chord for each pen and key.
#[derive(Debug)]
pub struct HeldVoices {
    voice: DrawnVoice,
    /// The renderer; `None` until the format is known.
    voices: Option<LiveVoices>,
    held: Vec<HeldChord>,
}

/// The notes of one key.
#[derive(Debug)]
struct HeldChord {
    key: u64,
    /// Ids of its notes, one for each tone of the chord; `None` if it could not begin.
    notes: Vec<Option<usize>>,
}

impl HeldVoices {
    pub fn new(voice: DrawnVoice) -> HeldVoices {
        HeldVoices { voice, voices: None, held: Vec::new() }
    }
}

impl LiveSound for HeldVoices {
    fn begin(&mut self, sample_rate_hz: f64, is_stereo: bool) {
        let DrawnVoice { level_db, tuning_hz, seed, .. } = self.voice;
        let shared = Score { level_db, tuning_hz, seed, ..Score::empty() };
        self.voices = Some(LiveVoices::new(&shared, &self.voice.timbre, sample_rate_hz, is_stereo));
    }

    fn follow(&mut self, held: &[HeldPoint]) {
        let Some(voices) = &mut self.voices else { return };
        self.held.retain(|chord| {
            let is_held = held.iter().any(|point| point.key == chord.key);
            if !is_held {
                chord.notes.iter().flatten().for_each(|note| voices.release(*note));
            }
            is_held
        });
        for point in held {
            let root = 69.0 + 12.0 * (point.hz / self.voice.tuning_hz).log2();
            let pitches = self.voice.chord.iter().map(|above| root + above);
            if let Some(chord) = self.held.iter().find(|chord| chord.key == point.key) {
                for (note, pitch) in chord.notes.iter().zip(pitches) {
                    note.iter().for_each(|note| voices.steer(*note, pitch, point.pressure));
                }
                continue;
            }
            // Notes beyond the limit are silent while held; the stroke is refused when it is released.
            let started = |pitch| voices.begin(pitch, point.pressure, DrawnNotes::VELOCITY).ok();
            self.held.push(HeldChord { key: point.key, notes: pitches.map(started).collect() });
        }
    }

    fn render(&mut self, left: &mut [f32], right: &mut [f32]) {
        match &mut self.voices {
            Some(voices) => voices.render(left, right),
            None => [left, right].into_iter().for_each(|side| side.fill(0.0)),
        }
    }

    fn is_silent(&self) -> bool {
        self.voices.as_ref().is_none_or(LiveVoices::is_silent)
    }
}
