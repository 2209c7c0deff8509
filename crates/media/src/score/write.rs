//! Writes scores as JSON.

use super::named_json_from_timbre;
use crate::dsp::voices::{Score, ScoreNote};
use serde_json::{Map, Value as Json, json};

/// The fields of a score except `version`. Chords are split up: `notes` has an entry for each note. Reading the fields
/// yields the same score, provided that each timbre except the first is used by a note, and that timbres are in the
/// order of their first use.
pub fn json_from_score(score: &Score) -> Map<String, Json> {
    let timbres: Vec<Json> = score.timbres.iter().map(named_json_from_timbre).collect();
    let notes: Vec<Json> = score.notes.iter().map(|note| written(note, &timbres)).collect();
    let mut fields = Map::new();
    fields.insert("timbre".into(), timbres.first().cloned().unwrap_or_default());
    fields.insert("level_db".into(), json!(score.level_db));
    fields.insert("tuning".into(), json!(score.tuning_hz));
    fields.insert("seed".into(), json!(score.seed));
    fields.insert("notes".into(), json!(notes));
    fields
}

/// A note as JSON, without the optional fields that have their default.
fn written(note: &ScoreNote, timbres: &[Json]) -> Json {
    let mut json = json!({
        "pitch": note.pitch, "start": note.start_secs, "duration": note.duration_secs, "velocity": note.velocity,
    });
    if note.pan != 0.0 {
        json["pan"] = note.pan.into();
    }
    if let Some(timbre) = timbres.get(note.timbre).filter(|_| note.timbre > 0) {
        json["timbre"] = timbre.clone();
    }
    for (name, points) in [("glide", &note.glide), ("pressure", &note.pressure)] {
        if !points.is_empty() {
            json[name] = json!(points);
        }
    }
    if !note.sides.is_empty() {
        json["sides"] = json!(note.sides);
    }
    json
}
