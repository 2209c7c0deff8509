//! Voices: adds rendered notes, drawn by strokes or from a score.

mod held;
mod rendered;
mod settings;

pub use settings::{DrawnVoice, Phrase, VoicesBrush};

use crate::base::{Error, ErrorKind, JsonAt, JsonFields, Result};
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey, read_parameters, write_parameters};
use crate::brushes::operation::{AddedBrush, CellBrush, Operation, StrokeUse};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::trial::BrushTrial;
use crate::document::edits::placing::EditPlacing;
use crate::document::edits::plan::{BrushPlan, Placement, PlannedAddition};
use crate::document::sound::added::{AddedSound, LiveSound};
use crate::dsp::Stroke;
use crate::dsp::voices::{DrawnNotes, Score, ScoreNote, Timbre};
use crate::media::score::{chord_at, json_from_score, named_json_from_timbre, score_at, timbre_at};
use held::HeldVoices;
use rendered::AddedVoices;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The version of scores that this program reads.
const VERSION: u64 = 1;

impl BrushModule for VoicesBrush {
    const KIND: &'static str = "voices";
    const NAME: &'static str = "Voices";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: VoicesBrush::KIND,
        id: "tool_voices",
        name: "Voice brush",
        what: "Plays notes: each stroke is a note or a chord in the chosen timbre, each click a note of the chosen length.",
        keys: &[ToolKey::shift('M')],
        // Lucide's music.
        icon: '\u{e561}',
        group: BrushGroup::Draw,
    });
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("level_db", ParameterLimits::Within(-120.0, 24.0)).controls(&[OptionControl::number(
            "Level",
            "Level of a loud note; 0 dB is a full-scale sine.",
            "dB",
        )
        .brief()]),
        Parameter::optional("length", ParameterLimits::Within(0.001, Score::MAX_NOTE_SECS)).controls(&[
            OptionControl::number("Length", "How long the note of a click lasts.", "s")
                .within(0.01, 60.0)
                .steps(2, 0.01)
                .wide(60.0),
        ]),
    ];

    fn omitted() -> Option<VoicesBrush> {
        Some(VoicesBrush::Drawn(DrawnVoice::default()))
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        match self {
            VoicesBrush::Drawn(voice) => {
                vec![ParameterValue::Number(&mut voice.level_db), ParameterValue::Number(&mut voice.length_secs)]
            }
            VoicesBrush::Phrase(_) => Vec::new(),
        }
    }

    fn read(fields: &JsonFields) -> Result<VoicesBrush> {
        if let Some(version) = fields.get("version")
            && version.whole()? != VERSION
        {
            return version.refuse(format!("must be {VERSION}"));
        }
        if fields.get("notes").is_some() { phrase(fields) } else { drawn(fields) }
    }

    fn write(&self, object: &mut Map<String, Value>) {
        match self {
            VoicesBrush::Drawn(voice) => {
                write_parameters(self, object);
                let shared = json!({
                    "timbre": named_json_from_timbre(&voice.timbre), "chord": voice.chord,
                    "tuning": voice.tuning_hz, "seed": voice.seed,
                });
                if let Value::Object(shared) = shared {
                    object.extend(shared);
                }
            }
            VoicesBrush::Phrase(phrase) => {
                object.insert("at".into(), json!(phrase.at_secs));
                object.extend(json_from_score(phrase.score()));
            }
        }
    }

    fn table_cell() -> String {
        let DrawnVoice { level_db, length_secs, tuning_hz, seed, .. } = DrawnVoice::default();
        format!(
            "`timbre` pad, a name or an object; `level_db` {level_db}, -120 to 24; `tuning` {tuning_hz}, A4 in hertz; \
             `seed` {seed}; either `notes` from `at` 0 seconds on, or a stroke for each note, with `chord` [0], a symbol or \
             semitones above the stroke, and `length` {length_secs}, the seconds of a stroke without duration; see \
             [voices.md](voices.md)"
        )
    }

    /// A note at least as long as any sound that is measured.
    fn trials(_: [f64; 2]) -> Vec<BrushTrial<VoicesBrush>> {
        let note = ScoreNote {
            pitch: 57.0,
            start_secs: 0.0,
            duration_secs: 60.0,
            velocity: 1.0,
            pan: 0.0,
            timbre: 0,
            glide: Vec::new(),
            pressure: Vec::new(),
            sides: Vec::new(),
        };
        let score = Score { timbres: vec![Timbre::organ()], notes: vec![note], ..Score::empty() };
        let phrase = Phrase::new(score, 0.0).map(VoicesBrush::Phrase);
        phrase.map(|phrase| BrushTrial::new(VoicesBrush::KIND, phrase)).into_iter().collect()
    }

    fn place(&mut self, placing: &EditPlacing) {
        if let VoicesBrush::Phrase(phrase) = self {
            phrase.at_secs = placing.secs(phrase.at_secs);
        }
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Added(self)
    }
}

impl CellBrush for VoicesBrush {
    fn builds_up(&self) -> bool {
        false
    }

    fn makes_sound(&self) -> bool {
        true
    }

    fn is_shaped(&self) -> bool {
        false
    }

    fn is_pitched(&self) -> bool {
        true
    }

    fn stroke_use(&self) -> StrokeUse {
        match self {
            VoicesBrush::Drawn(_) => StrokeUse::Required("voices without notes"),
            VoicesBrush::Phrase(_) => StrokeUse::Never,
        }
    }

    fn end_secs(&self, stroke: Option<&Stroke>) -> Option<f64> {
        match (self, stroke) {
            (VoicesBrush::Phrase(phrase), _) => Some(phrase.at_secs + phrase.length_secs()),
            (VoicesBrush::Drawn(voice), Some(stroke)) => {
                let times = stroke.points.iter().map(|point| point.secs);
                let [start, end] = times.fold([f64::MAX, f64::MIN], |[a, b], secs| [a.min(secs), b.max(secs)]);
                let duration_secs = if end > start { end - start } else { voice.length_secs };
                Some(start + duration_secs + voice.timbre.adsr.release_secs)
            }
            (VoicesBrush::Drawn(_), None) => None,
        }
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let Some(sound) = self.added(place.stroke, place.grid.sample_rate_hz)? else { return Ok(None) };
        let planned = PlannedAddition::new(sound);
        let mut reach = planned.reach(place);
        if let (VoicesBrush::Drawn(voice), Some(stroke), None) = (self, place.stroke, place.select)
            && let [first, ..] = stroke.points[..]
        {
            // A stroke begins as a click, whose note may last longer than that of the drag that follows. The bounds
            // include both, so that the preview of the click is removed.
            let clicked = Stroke { points: vec![first], ..stroke.clone() };
            if let Some(sound) = VoicesBrush::Drawn(voice.clone()).added(Some(&clicked), place.grid.sample_rate_hz)? {
                reach = reach.union(&PlannedAddition::new(sound).reach(place));
            }
        }
        Ok(Some(BrushPlan::new(planned, reach)))
    }
}

impl AddedBrush for VoicesBrush {
    fn is_live(&self) -> bool {
        true
    }

    fn added(&self, stroke: Option<&Stroke>, rate_hz: f64) -> Result<Option<Box<dyn AddedSound>>> {
        let (score, at_secs) = match self {
            VoicesBrush::Phrase(phrase) => (phrase.score().clone(), phrase.at_secs),
            VoicesBrush::Drawn(voice) => {
                let Some(stroke) = stroke else { return Ok(None) };
                let DrawnVoice { chord, length_secs, tuning_hz, level_db, seed, timbre } = voice;
                let drawn = DrawnNotes::of(stroke, chord, *length_secs, *tuning_hz, rate_hz)?;
                let Some(DrawnNotes { notes, start_secs }) = drawn else { return Ok(None) };
                let timbres = vec![(**timbre).clone()];
                if notes.iter().any(|note| note.duration_secs > Score::MAX_NOTE_SECS) {
                    let what = format!("a note lasts at most {} s; draw a shorter stroke", Score::MAX_NOTE_SECS);
                    return Err(Error::new(ErrorKind::Script, what));
                }
                let score = Score { level_db: *level_db, tuning_hz: *tuning_hz, seed: *seed, timbres, notes };
                (Arc::new(score), start_secs)
            }
        };
        // A whole number of samples, limited to positions far beyond any sound.
        let first_sample = (at_secs * rate_hz + 0.5).floor().clamp(-1e15, 1e15) as i64;
        Ok(Some(Box::new(AddedVoices { score, first_sample, rate_hz })))
    }

    fn live(&self) -> Option<Box<dyn LiveSound>> {
        match self {
            VoicesBrush::Drawn(voice) => Some(Box::new(HeldVoices::new(voice.clone()))),
            VoicesBrush::Phrase(_) => None,
        }
    }
}

fn phrase(fields: &JsonFields) -> Result<VoicesBrush> {
    // The score reader reads these fields; mark them as known.
    for name in ["timbre", "level_db", "tuning", "seed"] {
        fields.get(name);
    }
    let score = score_at(&fields.at)?;
    let at_secs = fields.or("at", 0.0, JsonAt::number)?;
    Phrase::new(score, at_secs).map(VoicesBrush::Phrase).or_else(|error| fields.at.refuse(error.message()))
}

fn drawn(fields: &JsonFields) -> Result<VoicesBrush> {
    let mut brush = VoicesBrush::Drawn(DrawnVoice::default());
    read_parameters(&mut brush, fields)?;
    let VoicesBrush::Drawn(mut voice) = brush else { return Ok(brush) };
    voice.tuning_hz = fields.or("tuning", voice.tuning_hz, |at| at.number_in(20.0, 20_000.0))?;
    voice.seed = fields.or("seed", voice.seed, JsonAt::whole)?;
    if let Some(timbre) = fields.get("timbre") {
        voice.timbre = Arc::new(timbre_at(&timbre)?);
    }
    if let Some(chord) = fields.get("chord") {
        voice.chord = chord_at(&chord)?;
        if voice.chord.len() > DrawnVoice::MAX_TONES {
            return chord.refuse(format!("has more than {} tones", DrawnVoice::MAX_TONES));
        }
    }
    Ok(VoicesBrush::Drawn(voice))
}
