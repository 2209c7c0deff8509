//! Reads scores from JSON and Standard MIDI Files, whose first bytes determine the format. Notes can be written as
//! MIDI, too.

mod json;
mod midi;
mod read;
mod timbre;
mod write;

pub use midi::{MidiNote, midi_from_notes};
pub use read::{ReadScore, ScoreOverrides};
pub use write::json_from_score;

use crate::base::{Error, ErrorKind, JsonAt, Result, json_from_text, read_head, read_small_file};
use crate::dsp::voices::{Score, Timbre};
use std::path::Path;

/// Maximum size of a score file in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Whether a file begins like a score: with `MThd` (MIDI), or with a brace (JSON). False if it cannot be read.
pub fn is_score(path: &Path) -> bool {
    let head = read_head(path, HEAD_BYTES);
    head.is_ok_and(|head| head.starts_with(b"MThd") || after_spaces(&head).starts_with(b"{"))
}

/// Number of bytes at the start of a file that are read to recognise a score.
const HEAD_BYTES: usize = 4096;

/// The text after a byte order mark and white space.
fn after_spaces(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start()
}

impl ReadScore {
    /// Reads a score file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if it cannot be read, [`Limit`](ErrorKind::Limit) if it is too large,
    /// [`Script`](ErrorKind::Script) with the position of an error in JSON, [`Malformed`](ErrorKind::Malformed) for
    /// other files.
    pub fn open(path: &Path, overrides: &ScoreOverrides) -> Result<ReadScore> {
        let bytes = read_small_file(path, MAX_BYTES)?;
        ReadScore::from_bytes(&bytes, overrides).map_err(|error| error.at(path))
    }

    /// Reads the contents of a score file.
    ///
    /// # Errors
    /// As [`open`](ReadScore::open), except read errors.
    pub fn from_bytes(bytes: &[u8], overrides: &ScoreOverrides) -> Result<ReadScore> {
        let text = after_spaces(bytes);
        if bytes.starts_with(b"MThd") {
            midi::read(bytes, overrides)
        } else if text.starts_with(b"{") {
            let score = json::read(text, overrides)?;
            Ok(ReadScore { score, notices: Vec::new() })
        } else {
            let what = "is neither a MIDI file nor a score in JSON; a score begins with MThd or with a brace";
            Err(Error::new(ErrorKind::Malformed, what))
        }
    }
}

/// Reads a timbre from the contents of a JSON file: a name, or an object as in a score.
///
/// # Errors
/// [`Script`](ErrorKind::Script), with the position of the error.
pub fn timbre_from_json(text: &[u8]) -> Result<Timbre> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    timbre::read(&JsonAt::new(&json_from_text(text)?, "timbre"))
}

/// Reads the score in an object that may have other fields; ignores `version`.
///
/// # Errors
/// [`Script`](ErrorKind::Script), with the position of the error.
pub fn score_at(at: &JsonAt<'_>) -> Result<Score> {
    json::part(at)
}

/// Reads a timbre: a name, or an object as in a score.
///
/// # Errors
/// [`Script`](ErrorKind::Script), with the position of the error.
pub fn timbre_at(at: &JsonAt<'_>) -> Result<Timbre> {
    timbre::read(at)
}

/// Reads a chord, a symbol or a list of 1 to 128 semitones, as semitones above its root.
///
/// # Errors
/// [`Script`](ErrorKind::Script), with the position of the error.
pub fn chord_at(at: &JsonAt<'_>) -> Result<Vec<f64>> {
    json::semitones(at)
}

/// A timbre as JSON: the name of an equal built-in timbre, or an object from which [`timbre_from_json`] reads the same
/// timbre.
pub fn named_json_from_timbre(timbre: &Timbre) -> serde_json::Value {
    let name =
        Timbre::NAMES.into_iter().chain(Timbre::BURSTS).find(|name| Timbre::named(name).as_ref() == Some(timbre));
    name.map_or_else(|| timbre::written(timbre), Into::into)
}

/// A timbre as a JSON object, from which [`timbre_from_json`] reads the same timbre.
pub fn json_from_timbre(timbre: &Timbre) -> serde_json::Value {
    timbre::written(timbre)
}
