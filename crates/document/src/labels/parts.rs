//! Splits a sound by its labels: the samples of each part.

use super::formats::labels_of_range;
use super::label::Label;
use super::set::LabelSet;
use crate::base::{Error, ErrorKind, Result, open_regular};
use std::ops::Range;
use std::path::Path;

/// Label text of the part before the first marker.
const FIRST: &str = "start";

/// The parts to export.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartChoice {
    /// Whether markers split the whole sound, rather than ranges being cut out.
    pub splits: bool,
    /// Text pattern of the labels, where `*` matches any characters and `?` one; `None` for all.
    pub pattern: Option<String>,
    /// Only labels that also match this [`TextFilter`].
    pub filter: String,
    /// Padding before and after each range.
    pub pad_secs: [f64; 2],
}

impl PartChoice {
    /// Maximum padding, in seconds.
    pub const MAX_PAD_SECS: f64 = 3_600.0;
}

/// A part of a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundPart {
    /// Samples of the part, at least one.
    pub samples: Range<u64>,
    /// Label of the part: a range unchanged, or a marker with the times of its part.
    pub label: Label,
}

/// The parts in the order of their labels, and the number of labels without samples.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SoundParts {
    /// The parts.
    pub parts: Vec<SoundPart>,
    /// Number of labels outside the sound, and of markers at the same sample as another.
    pub n_outside: usize,
}

impl SoundParts {
    /// The parts of a sound.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if no label matches, or none has samples.
    pub fn of(labels: &LabelSet, choice: &PartChoice, (n_samples, rate_hz): (u64, f64)) -> Result<SoundParts> {
        let pattern: Option<Vec<char>> = choice.pattern.as_ref().map(|pattern| pattern.chars().collect());
        let filter = TextFilter::new(&choice.filter);
        let is_requested = |label: &&Label| {
            let fits = pattern.as_ref().is_none_or(|pattern| text_matches(pattern, &label.text));
            label.is_marker() == choice.splits && fits && filter.fits(&label.text)
        };
        let wanted: Vec<&Label> = labels.iter().filter(is_requested).collect();
        if wanted.is_empty() {
            let what = if choice.splits { "marker" } else { "range" };
            let has_text = pattern.is_some() || !choice.filter.trim().is_empty();
            let with = if has_text { " with such a text" } else { "" };
            let sentence = format!("there is no labelled {what}{with}; add one, or choose others");
            return Err(Error::new(ErrorKind::Script, sentence));
        }
        let at = |secs: f64| ((secs * rate_hz).round().max(0.0) as u64).min(n_samples);
        let found = if choice.splits {
            between(&wanted, n_samples, rate_hz, at)
        } else {
            taken_out(&wanted, choice, n_samples, at)
        };
        if found.parts.is_empty() {
            let sentence = "every chosen label lies outside the sound; move them, or choose others";
            return Err(Error::new(ErrorKind::Script, sentence));
        }
        Ok(found)
    }
}

/// Parts cut out by ranges.
fn taken_out(wanted: &[&Label], choice: &PartChoice, n_samples: u64, at: impl Fn(f64) -> u64) -> SoundParts {
    let mut found = SoundParts::default();
    for label in wanted {
        let [start, end] = label.secs;
        let first = at(start - choice.pad_secs[0]);
        let last = at(end + choice.pad_secs[1]).max(first + 1);
        if end <= 0.0 || at(start) >= n_samples || last > n_samples {
            found.n_outside += 1;
            continue;
        }
        found.parts.push(SoundPart { samples: first..last, label: (*label).clone() });
    }
    found
}

/// Parts between markers.
fn between(wanted: &[&Label], n_samples: u64, rate_hz: f64, at: impl Fn(f64) -> u64) -> SoundParts {
    let mut found = SoundParts::default();
    let mut cuts: Vec<(u64, Label)> = vec![(0, Label::new([0.0, 0.0], FIRST))];
    for label in wanted {
        let sample = at(label.secs[0]);
        // A marker at the same sample as the previous one replaces it.
        if cuts.last().is_some_and(|(last, _)| *last == sample) {
            let was_first = cuts.len() == 1 && cuts[0].1.id == 0;
            found.n_outside += usize::from(!was_first);
            cuts.pop();
        }
        if sample >= n_samples {
            found.n_outside += 1;
            continue;
        }
        cuts.push((sample, (*label).clone()));
    }
    let ends = cuts.iter().skip(1).map(|(sample, _)| *sample).chain([n_samples]);
    for ((first, label), end) in cuts.iter().zip(ends) {
        let secs = [*first, end].map(|sample| sample as f64 / rate_hz);
        found.parts.push(SoundPart { samples: *first..end, label: Label { secs, ..label.clone() } });
    }
    found
}

/// Whether a pattern matches a whole text, where `*` matches any characters and `?` one. Takes time proportional to at
/// most the product of both lengths.
pub(crate) fn text_matches(pattern: &[char], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Positions in pattern and text to resume from if the characters after the last `*` do not match.
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                back = Some((p + 1, t));
                p += 1;
            }
            Some(letter) if *letter == '?' || *letter == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match &mut back {
                Some((after, from)) => {
                    *from += 1;
                    (p, t) = (*after, *from);
                }
                None => return false,
            },
        }
    }
    pattern[p.min(pattern.len())..].iter().all(|letter| *letter == '*')
}

/// Finds texts that contain another, ignoring case and surrounding spaces; an empty one matches all.
#[derive(Debug, Clone)]
pub struct TextFilter(String);

impl TextFilter {
    /// A filter for texts that contain `part`.
    pub fn new(part: &str) -> TextFilter {
        TextFilter(part.trim().to_lowercase())
    }

    /// Whether a text matches.
    pub fn fits(&self, text: &str) -> bool {
        self.0.is_empty() || text.to_lowercase().contains(&self.0)
    }
}

/// The labels in a part of a sound, with times from its start, without the part's own label.
///
/// # Errors
/// None, since they are valid labels already.
pub fn labels_within(labels: &LabelSet, part: &SoundPart, rate_hz: f64) -> Result<LabelSet> {
    let within = labels_of_range(labels, &part.samples, rate_hz)?;
    match within.get(part.label.id) {
        Some(_) => within.edited(Vec::new(), &[part.label.id]),
        None => Ok(within),
    }
}

/// The BLAKE3 hash of a file, as hexadecimal digits.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn hash_of_file(path: &Path) -> Result<String> {
    let (file, _) = open_regular(path)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file).map_err(|error| Error::io(&error, "read", path))?;
    Ok(hasher.finalize().to_hex().to_string())
}
