//! Settings of a voices brush.

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::voices::{Burst, DrawnNotes, Score, ScoreNote, Timbre};
use crate::media::score::named_json_from_timbre;
use std::collections::HashMap;
use std::sync::Arc;

/// Notes to render and add to the sound.
#[derive(Debug, Clone, PartialEq)]
pub enum VoicesBrush {
    /// Each stroke is a note, or a chord.
    Drawn(DrawnVoice),
    /// The notes of a score.
    Phrase(Phrase),
}

/// The voice of drawn strokes.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnVoice {
    /// Its timbre.
    pub timbre: Arc<Timbre>,
    /// Level of a note with velocity 1, as [`Score::level_db`].
    pub level_db: f64,
    /// Duration of the note of a click.
    pub length_secs: f64,
    /// The tones of each stroke, in semitones above it; 1 to [`MAX_TONES`](DrawnVoice::MAX_TONES).
    pub chord: Vec<f64>,
    /// Frequency of A4 in hertz, to which pitches refer.
    pub tuning_hz: f64,
    /// Seed of random phases and noise.
    pub seed: u64,
}

/// A score with its start in the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    score: Arc<Score>,
    /// Time in the document at which the score begins; rounded to a sample.
    pub at_secs: f64,
}

impl DrawnVoice {
    /// Maximum number of tones in a stroke's chord.
    pub const MAX_TONES: usize = 16;

    /// The first partials of all notes of a stroke, at most `max_of_note` each: frequencies as multiples of the
    /// stroke's, and amplitudes, where 1 is full scale.
    pub fn partials(&self, max_of_note: usize) -> Vec<(f64, f64)> {
        let level = 10f64.powf(self.level_db / 20.0) * DrawnNotes::VELOCITY * DrawnNotes::VELOCITY;
        let outline = self.timbre.outline(max_of_note);
        let of_note = |above: &f64| {
            let ratio = (above / 12.0).exp2();
            outline.iter().map(move |(partial, amplitude)| (ratio * partial, level * amplitude))
        };
        self.chord.iter().flat_map(of_note).collect()
    }
}

impl DrawnVoice {
    /// The voice with another timbre. If that was measured, sets the level so that drawn notes peak as in the
    /// recording.
    #[must_use]
    pub fn with_measured(self, timbre: Timbre) -> DrawnVoice {
        let softer_db = 40.0 * DrawnNotes::VELOCITY.log10();
        let peak_db = timbre.measured.as_ref().map(|measured| measured.peak_db() - softer_db);
        let level_db = peak_db.map_or(self.level_db, |db| db.clamp(-120.0, 24.0));
        DrawnVoice { timbre: Arc::new(timbre), level_db, ..self }
    }
}

impl Default for DrawnVoice {
    fn default() -> DrawnVoice {
        let shared = Score::empty();
        DrawnVoice {
            timbre: Arc::new(Timbre::pad()),
            level_db: shared.level_db,
            length_secs: 1.0,
            chord: vec![0.0],
            tuning_hz: shared.tuning_hz,
            seed: shared.seed,
        }
    }
}

impl Phrase {
    /// Maximum size of the notes' timbres as JSON, in bytes; a timbre counts once per note that uses it, and the first
    /// timbre does not count.
    const MAX_TIMBRE_BYTES: usize = 64 << 20;

    /// A score that begins at a time in the document.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) for a score with a [problem](Score::problem), and for one that is too large as JSON.
    pub fn new(score: Score, at_secs: f64) -> Result<Phrase> {
        if let Some(problem) = score.problem() {
            let of_note = problem.note.map_or(String::new(), |note| format!("notes[{note}]."));
            return Err(Error::new(ErrorKind::Limit, format!("{of_note}{}: {}", problem.field, problem.what)));
        }
        Ok(Phrase { score: Arc::new(in_order(score)?), at_secs })
    }

    /// Its score.
    pub fn score(&self) -> &Arc<Score> {
        &self.score
    }

    /// The phrase starting at another time.
    #[must_use]
    pub fn at(&self, at_secs: f64) -> Phrase {
        Phrase { score: self.score.clone(), at_secs }
    }

    /// The phrase with all pitches moved by a number of semitones, limited so that the lowest and the highest one stay
    /// within 0 to `Score::MAX_PITCH`. Drums have no pitch, and stay unchanged.
    #[must_use]
    pub fn transposed(&self, semitones: f64) -> Phrase {
        let [low, high] = self.pitches();
        let by = semitones.clamp(-low, (Score::MAX_PITCH - high).max(-low));
        let is_drum: Vec<bool> = self.score.timbres.iter().map(|timbre| Burst::of_timbre(timbre).is_some()).collect();
        let moved = |note: &ScoreNote| ScoreNote {
            pitch: note.pitch + by,
            glide: note.glide.iter().map(|[secs, pitch]| [*secs, (pitch + by).clamp(0.0, Score::MAX_PITCH)]).collect(),
            ..note.clone()
        };
        let moved = |note: &ScoreNote| if is_drum[note.timbre] { note.clone() } else { moved(note) };
        let notes = self.score.notes.iter().map(moved).collect();
        let moved = Score { notes, timbres: self.score.timbres.clone(), ..*self.score };
        Phrase { score: Arc::new(moved), at_secs: self.at_secs }
    }

    /// The lowest and the highest pitch of its notes, as MIDI numbers.
    pub fn pitches(&self) -> [f64; 2] {
        let of_note = |note: &ScoreNote| {
            let glide = note.glide.iter().map(|point| point[1]);
            let (low, high) = glide.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
            if low <= high { [low, high] } else { [note.pitch; 2] }
        };
        let all = self.score.notes.iter().map(of_note);
        all.fold([f64::MAX, f64::MIN], |[a, b], [low, high]| [a.min(low), b.max(high)])
    }

    /// Seconds from the start of the score to the end of its last release.
    pub fn length_secs(&self) -> f64 {
        let end = |note: &ScoreNote| {
            let release_secs = self.score.timbres.get(note.timbre).map_or(0.0, |timbre| timbre.adsr.release_secs);
            note.start_secs + note.duration_secs + release_secs
        };
        self.score.notes.iter().map(end).fold(0.0, f64::max)
    }
}

/// The score with each timbre once: its first timbre, then the others in the order in which notes use them, so that
/// writing and reading it gives the same score.
fn in_order(score: Score) -> Result<Score> {
    let texts: Vec<String> = score.timbres.iter().map(|timbre| named_json_from_timbre(timbre).to_string()).collect();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut timbres = Vec::new();
    let first = (!texts.is_empty()).then_some(0);
    let named = first.into_iter().chain(score.notes.iter().map(|note| note.timbre));
    let mut n_bytes = 0usize;
    for index in named {
        let new = timbres.len();
        let place = *known.entry(&texts[index]).or_insert(new);
        if place == new {
            timbres.push(score.timbres[index].clone());
        }
        n_bytes = n_bytes.saturating_add(if place > 0 { texts[index].len() } else { 0 });
    }
    if n_bytes > Phrase::MAX_TIMBRE_BYTES {
        return Err(Error::new(ErrorKind::Limit, "the timbres of the notes take more than 64 MB as text; use fewer"));
    }
    let renamed = |note: &ScoreNote| ScoreNote { timbre: known[texts[note.timbre].as_str()], ..note.clone() };
    let notes = score.notes.iter().map(renamed).collect();
    Ok(Score { notes, timbres, ..score })
}
