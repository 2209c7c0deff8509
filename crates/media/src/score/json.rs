//! A score in JSON.

use super::read::ScoreOverrides;
use super::timbre;
use crate::base::{JsonAt, JsonFields, Result, json_from_text};
use crate::dsp::voices::{Chord, NoteProblem, Score, ScoreNote, Timbre, midi_from_name};
use serde_json::Value as Json;
use std::collections::HashMap;

/// The supported version of the format.
const VERSION: u64 = 1;

const DEFAULT_TIMBRE: &str = "pad";
const DEFAULT_VELOCITY: f64 = 0.8;
const DEFAULT_OCTAVE: f64 = 4.0;
/// Range of octaves for a chord's root.
const OCTAVES: std::ops::RangeInclusive<f64> = -1.0..=10.0;
/// Maximum distance in semitones of a chord's tones from its root.
const MAX_SEMITONES: f64 = 127.0;

/// Reads a score; `overrides` take precedence over its own values.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script), with the place of the error in the file.
pub(super) fn read(text: &[u8], overrides: &ScoreOverrides) -> Result<Score> {
    let json = json_from_text(text)?;
    let whole = JsonAt::of_file(&json, "score");
    let fields = whole.fields()?;
    let version = fields.required("version")?;
    match version.whole()? {
        VERSION => {}
        newer if newer > VERSION => {
            return version
                .refuse(format!("{newer} is newer than this program supports ({VERSION}); update Sonobrush"));
        }
        other => return version.refuse(format!("{other} is not a version")),
    }
    let (score, places) = of_fields(&fields, overrides)?;
    fields.done()?;
    checked(score, &places, &whole)
}

/// Reads a score from an object that may have other fields.
///
/// # Errors
/// As [`read`].
pub(super) fn part(whole: &JsonAt<'_>) -> Result<Score> {
    let (score, places) = of_fields(&whole.fields()?, &ScoreOverrides::default())?;
    checked(score, &places, whole)
}

/// Reads a score without checking its values, and returns for each note the index of its entry in `notes`.
fn of_fields(fields: &JsonFields<'_>, overrides: &ScoreOverrides) -> Result<(Score, Vec<usize>)> {
    let mut reader = Reader { score: Score::empty(), known: HashMap::new(), n_points: 0 };
    reader.score.level_db = fields.or("level_db", reader.score.level_db, JsonAt::number)?;
    reader.score.tuning_hz = fields.or("tuning", reader.score.tuning_hz, JsonAt::number)?;
    reader.score.seed = fields.or("seed", reader.score.seed, JsonAt::whole)?;
    let default = fields.get("timbre");
    let default = match (&overrides.timbre, default) {
        // The file's own value is checked even if it is overridden.
        (given, Some(stated)) => {
            let stated = timbre::read(&stated)?;
            given.clone().unwrap_or(stated)
        }
        (Some(given), None) => given.clone(),
        (None, None) => Timbre::named(DEFAULT_TIMBRE).unwrap_or_default(),
    };
    reader.score.timbres.push(default);
    let notes = fields.required("notes")?;
    let mut places = Vec::new();
    for (index, value) in notes.items()?.iter().enumerate() {
        reader.note(value)?;
        if reader.score.notes.len() > Score::MAX_NOTES {
            return notes.refuse(format!("there are more than {} notes", Score::MAX_NOTES));
        }
        places.resize(reader.score.notes.len(), index);
    }
    let mut score = reader.score;
    score.level_db = overrides.level_db.unwrap_or(score.level_db);
    score.tuning_hz = overrides.tuning_hz.unwrap_or(score.tuning_hz);
    score.seed = overrides.seed.unwrap_or(score.seed);
    Ok((score, places))
}

/// Checks that all values of a score are within their limits.
fn checked(score: Score, places: &[usize], whole: &JsonAt<'_>) -> Result<Score> {
    let Some(NoteProblem { note, field, what }) = score.problem() else { return Ok(score) };
    let place = match note {
        Some(note) => format!("{}[{}].{field}", whole.place_of("notes"), places[note]),
        None => whole.place_of(field),
    };
    JsonAt::new(whole.value, place).refuse(what)
}

/// A partially read score.
struct Reader {
    score: Score,
    /// Index in the score of each timbre read so far, by its JSON text.
    known: HashMap<String, usize>,
    /// Number of points of glides and pressure so far; each tone of a chord has its own.
    n_points: usize,
}

impl Reader {
    /// Reads a note, or the notes of a chord.
    fn note(&mut self, value: &JsonAt<'_>) -> Result<()> {
        let fields = value.fields()?;
        let pitch = fields.get("pitch").as_ref().map(pitch).transpose()?;
        let chord = fields.get("chord");
        let octave = fields.get("octave");
        let (root, semitones) = match (pitch, &chord) {
            (Some(pitch), None) => (pitch, vec![0.0]),
            (None, Some(symbol)) if symbol.value.is_string() => of_symbol(symbol, octave.as_ref())?,
            (Some(pitch), Some(list)) if list.value.is_array() => (pitch, of_list(list)?),
            (Some(_), Some(chord)) => return chord.refuse("a chord symbol has a root; leave pitch out"),
            (None, Some(chord)) => return chord.refuse("must be a chord symbol, or a list of semitones with a pitch"),
            (None, None) => return value.refuse("pitch or chord is missing"),
        };
        if let (Some(octave), true) = (&octave, pitch.is_some()) {
            return octave.refuse("only a chord symbol takes an octave");
        }
        let glide = fields.or("glide", Vec::new(), |curve| points(curve, self::pitch))?;
        let note = ScoreNote {
            pitch: root,
            start_secs: fields.required("start")?.number()?,
            duration_secs: fields.required("duration")?.number()?,
            velocity: fields.or("velocity", DEFAULT_VELOCITY, JsonAt::number)?,
            pan: fields.or("pan", 0.0, JsonAt::number)?,
            timbre: fields.get("timbre").map_or(Ok(0), |timbre| self.timbre(&timbre))?,
            glide,
            pressure: fields.or("pressure", Vec::new(), |curve| points(curve, |value| value.number()))?,
            sides: fields.or("sides", Vec::new(), sides)?,
        };
        fields.done()?;
        let n_points = (note.glide.len() + note.pressure.len() + note.sides.len()).saturating_mul(semitones.len());
        self.n_points = self.n_points.saturating_add(n_points);
        if self.n_points > Score::MAX_POINTS {
            return value.refuse("has too many points of glides, pressure and sides; use fewer");
        }
        // A glide applies to the root; the other tones of a chord move in parallel.
        self.score.notes.extend(semitones.into_iter().map(|above| ScoreNote {
            pitch: note.pitch + above,
            glide: note.glide.iter().map(|[secs, pitch]| [*secs, pitch + above]).collect(),
            ..note.clone()
        }));
        Ok(())
    }

    /// The index in the score of a note's timbre; equal timbres share an index.
    fn timbre(&mut self, value: &JsonAt<'_>) -> Result<usize> {
        let key = value.value.to_string();
        if let Some(&index) = self.known.get(&key) {
            return Ok(index);
        }
        let index = self.score.timbres.len();
        self.score.timbres.push(timbre::read(value)?);
        self.known.insert(key, index);
        Ok(index)
    }
}

/// Reads a pitch: a MIDI number or a name.
fn pitch(value: &JsonAt<'_>) -> Result<f64> {
    match value.value {
        Json::String(name) => midi_from_name(name)
            .map(f64::from)
            .ok_or_else(|| value.error(format!("{name:?} is not a pitch; use names such as C4, F#3 and Bb5"))),
        _ => value.number(),
    }
}

fn of_symbol(symbol: &JsonAt<'_>, octave: Option<&JsonAt<'_>>) -> Result<(f64, Vec<f64>)> {
    let chord = known_chord(symbol)?;
    let octave = match octave {
        None => DEFAULT_OCTAVE,
        Some(value) => match value.number()? {
            number if number.fract() == 0.0 && OCTAVES.contains(&number) => number,
            _ => return value.refuse("must be a whole number from -1 to 10"),
        },
    };
    Ok((f64::from(chord.root_midi(octave as i32)), chord.semitones.into_iter().map(f64::from).collect()))
}

fn known_chord(symbol: &JsonAt<'_>) -> Result<Chord> {
    let text = symbol.text()?;
    Chord::from_symbol(text).ok_or_else(|| symbol.error(format!("the chord {text:?} is unknown")))
}

/// The semitones of a chord above its root: from a symbol, whose root is arbitrary, or a list.
pub(super) fn semitones(chord: &JsonAt<'_>) -> Result<Vec<f64>> {
    if chord.value.is_string() {
        return Ok(known_chord(chord)?.semitones.into_iter().map(f64::from).collect());
    }
    of_list(chord)
}

/// Semitones above the pitch, sorted: a note's index determines its random phases, so the order in the file must not
/// matter.
fn of_list(list: &JsonAt<'_>) -> Result<Vec<f64>> {
    let items = list.items()?;
    let mut semitones: Vec<f64> = items.iter().map(JsonAt::number).collect::<Result<_>>()?;
    if semitones.is_empty() || semitones.len() > 128 || semitones.iter().any(|above| above.abs() > MAX_SEMITONES) {
        return list.refuse("must hold 1 to 128 numbers of semitones, each from -127 to 127");
    }
    semitones.sort_by(f64::total_cmp);
    Ok(semitones)
}

/// Reads points of the form `[seconds, left gain, right gain]`.
fn sides(curve: &JsonAt<'_>) -> Result<Vec<[f64; 3]>> {
    let items = curve.items()?;
    if items.is_empty() {
        return curve.refuse("must have at least one point");
    }
    let read = |point: &JsonAt<'_>| match point.items()?.as_slice() {
        [secs, left, right] => Ok([secs.number()?, left.number()?, right.number()?]),
        _ => point.refuse("must be a list of seconds, left and right"),
    };
    items.iter().map(read).collect()
}

/// Reads points of the form `[seconds, value]`; `read` reads the value.
fn points(curve: &JsonAt<'_>, read: impl Fn(&JsonAt<'_>) -> Result<f64>) -> Result<Vec<[f64; 2]>> {
    let items = curve.items()?;
    if items.is_empty() {
        return curve.refuse("must have at least one point");
    }
    items
        .iter()
        .map(|point| match point.items()?.as_slice() {
            [secs, value] => Ok([secs.number()?, read(value)?]),
            _ => point.refuse("must be a list of seconds and a value"),
        })
        .collect()
}
