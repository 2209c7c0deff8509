//! Records notes played on keys while the document plays.

use crate::base::{Note, Result};
use crate::document::brushes::{Brush, DrawnVoice, Phrase, VoicesBrush};
use crate::document::{BeatGrid, Edit};
use crate::documents::View;
use crate::dsp::strokes::brush::Tone;
use crate::dsp::voices::{Adsr, DrawnNotes, Score, ScoreNote, Timbre, TimbrePartial};
use crate::settings::tools::NoteQuantise;
use std::sync::Arc;

/// Minimum duration of a note, for keys touched only briefly.
const MIN_SECS: f64 = 0.02;
/// Maximum frequency of a partial, as a multiple of the fundamental.
const MAX_RATIO: f64 = 128.0;
/// Range of the level of a voice, in decibels.
const LEVELS_DB: [f64; 2] = [-120.0, 24.0];

/// A recorded note.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RecordedNote {
    midi: i32,
    /// Start and end in seconds.
    secs: [f64; 2],
}

/// The notes of a take so far, and the pressed keys.
#[derive(Debug, Default)]
pub struct NoteRecorder {
    is_on: bool,
    /// Id of the document being played.
    document: Option<u64>,
    notes: Vec<RecordedNote>,
    /// Keys whose notes are sounding, with the start of each.
    held: Vec<(i32, f64)>,
    /// Keys pressed in the previous frame.
    down: Vec<i32>,
    /// Playback position of the last update.
    last_secs: f64,
}

impl NoteRecorder {
    /// Whether notes are being recorded.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Number of notes recorded.
    pub fn n_notes(&self) -> usize {
        self.notes.len() + self.held.len()
    }

    /// Starts or stops recording.
    pub(super) fn toggle(&mut self) {
        self.is_on = !self.is_on;
    }

    /// The document of the recorded notes; `None` without a note.
    pub(super) fn document(&self) -> Option<u64> {
        self.document.filter(|_| self.n_notes() > 0)
    }

    /// Whether one of these keys was not pressed in the previous frame.
    pub(super) fn has_new(&self, keys: &[i32]) -> bool {
        keys.iter().any(|key| !self.down.contains(key))
    }

    /// Called once per frame while nothing plays: remembers the pressed keys, without recording notes.
    pub(super) fn note_keys(&mut self, keys: &[i32]) {
        self.down.clear();
        self.down.extend_from_slice(keys);
    }

    /// Called once per frame while a document plays: records the pressed keys at its playback position.
    pub(super) fn follow(&mut self, document: u64, keys: &[i32], at_secs: f64) {
        self.document = Some(document);
        // The position jumped back, because of a loop or a seek: end the notes at the last position.
        if at_secs < self.last_secs {
            self.let_go(|_| true, self.last_secs);
        }
        self.last_secs = at_secs;
        self.let_go(|key| !keys.contains(&key), at_secs);
        let new = keys.iter().filter(|key| !self.down.contains(key));
        self.held.extend(new.map(|key| (*key, at_secs)));
        self.note_keys(keys);
    }

    /// Discards the recorded notes.
    pub(super) fn forget(&mut self) {
        let (is_on, down) = (self.is_on, std::mem::take(&mut self.down));
        *self = NoteRecorder { is_on, down, ..NoteRecorder::default() };
    }

    fn let_go(&mut self, is_let_go: impl Fn(i32) -> bool, at_secs: f64) {
        let notes = self.held.extract_if(.., |(key, _)| is_let_go(*key));
        let notes = notes.map(|(midi, from_secs)| RecordedNote { midi, secs: [from_secs, at_secs] });
        self.notes.extend(notes);
    }

    /// Ends the take and returns an edit that adds its notes, played by a voice at a strength, with their starts
    /// quantised to the beat grid. `None` if there are no notes.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) for more notes than a score may have.
    pub(super) fn finish(
        &mut self,
        (voice, strength): (DrawnVoice, f64),
        view: &View,
        beat: Option<&BeatGrid>,
        quantise: NoteQuantise,
    ) -> Result<Option<Edit>> {
        self.let_go(|_| true, self.last_secs);
        let taken = std::mem::take(&mut self.notes);
        self.forget();
        let of_note = |note: &RecordedNote| {
            let moved_secs = quantise.moved_secs(note.secs[0], beat);
            voice.chord.iter().map(|above| note.in_score(moved_secs, *above, voice.tuning_hz)).collect::<Vec<_>>()
        };
        let mut notes: Vec<ScoreNote> = taken.iter().flat_map(of_note).collect();
        notes.sort_by(|a, b| a.start_secs.total_cmp(&b.start_secs));
        let Some(at_secs) = notes.first().map(|note| note.start_secs) else { return Ok(None) };
        for note in &mut notes {
            note.start_secs -= at_secs;
            note.pressure = if strength == 1.0 { Vec::new() } else { vec![[0.0, strength]] };
        }
        let DrawnVoice { timbre, level_db, tuning_hz, seed, .. } = voice;
        let score = Score { level_db, tuning_hz, seed, timbres: vec![(*timbre).clone()], notes };
        let edit = Edit::of(VoicesBrush::Phrase(Phrase::new(score, at_secs)?), view.transform.clone());
        Ok(Some(Edit { channels: view.channels.edited(), ..edit }))
    }
}

impl RecordedNote {
    /// The score note of a chord tone, `above` semitones above the key. Its frequency is that of the key at A4 = 440 Hz
    /// for any tuning of the score, so that it sounds as it was played.
    fn in_score(&self, start_secs: f64, above: f64, tuning_hz: f64) -> ScoreNote {
        let hz = Note { midi: self.midi, cents: 0.0 }.hz();
        ScoreNote {
            pitch: (69.0 + 12.0 * (hz / tuning_hz).log2() + above).clamp(0.0, Score::MAX_PITCH),
            start_secs,
            duration_secs: (self.secs[1] - self.secs[0]).clamp(MIN_SECS, Score::MAX_NOTE_SECS),
            velocity: DrawnNotes::VELOCITY,
            pan: 0.0,
            timbre: 0,
            glide: Vec::new(),
            pressure: Vec::new(),
            sides: Vec::new(),
        }
    }
}

/// The voice that keys play with this brush: the tone of a tone brush, else the voice of the voice brush.
pub fn voice_of_keys(in_progress: Option<&Brush>, voice: Option<DrawnVoice>) -> DrawnVoice {
    match in_progress {
        Some(Brush::Tone(tone)) => voice_of_tone(tone),
        _ => voice.unwrap_or_default(),
    }
}

/// A steady voice with the partials of a tone, at the level of keys.
fn voice_of_tone(tone: &Tone) -> DrawnVoice {
    let partials = tone.partials().into_iter().filter(|(ratio, level)| *ratio <= MAX_RATIO && *level > 0.0);
    let partials: Vec<TimbrePartial> =
        partials.map(|(ratio, level)| TimbrePartial { ratio, level, life: 1.0 }).collect();
    // The level of a score is that of all partials together, at full velocity.
    let level = partials.iter().map(|partial| partial.level * partial.level).sum::<f64>().sqrt();
    let softer = DrawnNotes::VELOCITY * DrawnNotes::VELOCITY;
    let level_db = (20.0 * (level / softer).log10()).clamp(LEVELS_DB[0], LEVELS_DB[1]);
    let fade_secs = tone.fade_secs.max(Tone::usual_fade_secs());
    let adsr = Adsr { attack_secs: fade_secs, decay_secs: 0.0, sustain: 1.0, release_secs: fade_secs };
    let timbre = Timbre { partials, adsr, bright: 0.0, ..Timbre::default() };
    DrawnVoice { timbre: Arc::new(timbre), level_db, ..DrawnVoice::default() }
}
