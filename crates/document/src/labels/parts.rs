//! A sound taken apart by its labels: which samples each part has, and how its file is called.

use super::formats::labels_of_range;
use super::label::Label;
use super::set::LabelSet;
use crate::base::{Error, ErrorKind, Result, open_regular};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// Bytes of the longest name of a file, without its ending.
const MOST_NAME_BYTES: usize = 200;
/// The text of a part that has none.
const NO_TEXT: &str = "unlabelled";
/// The part before the first marker.
const FIRST: &str = "start";

/// Which parts are wanted.
#[derive(Debug, Clone, Default)]
pub struct PartChoice {
    /// Markers cut the whole sound, instead of ranges being taken out of it.
    pub splits: bool,
    /// Labels whose text this is, `*` standing for any letters and `?` for one; none: all.
    pub pattern: Option<String>,
    /// Sound before and behind each range.
    pub pad_secs: [f64; 2],
}

/// A part of a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundPart {
    /// Its samples, at least one.
    pub samples: Range<u64>,
    /// Its label: that of a range as it is, that of a part between markers with the times of the part.
    pub label: Label,
}

/// The parts in the order of their labels, and how many labels have no sample of the sound.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SoundParts {
    /// The parts.
    pub parts: Vec<SoundPart>,
    /// Labels outside the sound, and markers at one place with another.
    pub n_outside: usize,
}

impl SoundParts {
    /// The parts of a sound.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) where no label is wanted.
    pub fn of(labels: &LabelSet, choice: &PartChoice, (n_samples, rate_hz): (u64, f64)) -> Result<SoundParts> {
        let pattern: Option<Vec<char>> = choice.pattern.as_ref().map(|pattern| pattern.chars().collect());
        let is_wanted = |label: &&Label| {
            let fits = pattern.as_ref().is_none_or(|pattern| matches(pattern, &label.text));
            label.is_marker() == choice.splits && fits
        };
        let wanted: Vec<&Label> = labels.iter().filter(is_wanted).collect();
        if wanted.is_empty() {
            let what = if choice.splits { "marker" } else { "range" };
            let with = pattern.map_or("", |_| " with such a text");
            let sentence = format!("there is no labelled {what}{with}; add one, or choose others");
            return Err(Error::new(ErrorKind::Script, sentence));
        }
        let at = |secs: f64| ((secs * rate_hz).round().max(0.0) as u64).min(n_samples);
        Ok(if choice.splits {
            between(&wanted, n_samples, rate_hz, at)
        } else {
            taken_out(&wanted, choice, n_samples, at)
        })
    }
}

/// Ranges.
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

/// From each marker to the next.
fn between(wanted: &[&Label], n_samples: u64, rate_hz: f64, at: impl Fn(f64) -> u64) -> SoundParts {
    let mut found = SoundParts::default();
    let mut cuts: Vec<(u64, Label)> = vec![(0, Label::new([0.0, 0.0], FIRST))];
    for label in wanted {
        let sample = at(label.secs[0]);
        // What begins where the part before it begins takes its place.
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

/// Whether a pattern fits all of a text. As long as both together at most.
fn matches(pattern: &[char], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where to go on if what follows the last `*` does not fit.
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

/// How the files of parts are called.
#[derive(Debug, Clone, PartialEq)]
pub struct NamePattern(Vec<Piece>);

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Field(NameField),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameField {
    Name,
    Label,
    /// With this many digits at least.
    Number(usize),
    Start,
    End,
    Low,
    High,
    Channel,
    Id,
}

impl NamePattern {
    /// The usual one.
    pub const USUAL: &str = "{name}_{n:03}_{label}";

    /// Reads one: text with `{name}`, `{label}`, `{n}`, `{n:03}`, `{start}`, `{end}`, `{low}`, `{high}`, `{channel}`, `{id}`.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for another field.
    pub fn parse(text: &str) -> Result<NamePattern> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            pieces.push(Piece::Text(before.to_owned()));
            let (field, behind) = behind.split_once('}').ok_or_else(|| unknown_field(behind))?;
            pieces.push(Piece::Field(field_named(field).ok_or_else(|| unknown_field(field))?));
            rest = behind;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(NamePattern(pieces))
    }

    /// The names of the files of parts, without endings, in their order: no two are one, even where large and small letters
    /// are the same.
    pub fn names(&self, sound: &str, parts: &[SoundPart]) -> Vec<String> {
        let names = parts.iter().enumerate().map(|(index, part)| self.name(sound, index + 1, &part.label));
        let names: Vec<String> = names.collect();
        let mut taken: HashMap<String, usize> = HashMap::new();
        let mut unique = Vec::with_capacity(names.len());
        for name in names {
            let n = taken.get(&name.to_lowercase()).copied().unwrap_or(0);
            if n == 0 {
                taken.insert(name.to_lowercase(), 1);
                unique.push(name);
                continue;
            }
            let mut n = n + 1;
            let mut numbered = with_number(&name, n);
            while taken.contains_key(&numbered.to_lowercase()) {
                n += 1;
                numbered = with_number(&name, n);
            }
            taken.insert(name.to_lowercase(), n);
            taken.insert(numbered.to_lowercase(), 1);
            unique.push(numbered);
        }
        unique
    }

    fn name(&self, sound: &str, n: usize, label: &Label) -> String {
        let hz = |hz: Option<f64>| hz.map_or_else(String::new, |hz| format!("{hz:.0}"));
        let mut name = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => name.push_str(text),
                Piece::Field(NameField::Name) => name.push_str(sound),
                Piece::Field(NameField::Label) => name.push_str(&file_name(&label.text)),
                Piece::Field(NameField::Number(digits)) => name.push_str(&format!("{n:0digits$}")),
                Piece::Field(NameField::Start) => name.push_str(&format!("{:.3}", label.secs[0])),
                Piece::Field(NameField::End) => name.push_str(&format!("{:.3}", label.secs[1])),
                Piece::Field(NameField::Low) => name.push_str(&hz(label.low_hz)),
                Piece::Field(NameField::High) => name.push_str(&hz(label.high_hz)),
                Piece::Field(NameField::Channel) => {
                    name.push_str(&label.channel.map_or_else(String::new, |channel| channel.to_string()));
                }
                Piece::Field(NameField::Id) => name.push_str(&label.id.to_string()),
            }
        }
        file_name(&name)
    }
}

fn field_named(field: &str) -> Option<NameField> {
    Some(match field {
        "name" => NameField::Name,
        "label" => NameField::Label,
        "n" => NameField::Number(1),
        "start" => NameField::Start,
        "end" => NameField::End,
        "low" => NameField::Low,
        "high" => NameField::High,
        "channel" => NameField::Channel,
        "id" => NameField::Id,
        _ => {
            let digits = field.strip_prefix("n:0")?.parse::<usize>().ok()?;
            NameField::Number((1..=12).contains(&digits).then_some(digits)?)
        }
    })
}

fn unknown_field(field: &str) -> Error {
    let field: String = field.chars().take(40).collect();
    let what = format!(
        "{{{field}}} is no part of a name; use {{name}}, {{label}}, {{n}}, {{n:03}}, {{start}}, {{end}}, {{low}}, {{high}}, \
         {{channel}} or {{id}}"
    );
    Error::new(ErrorKind::Script, what)
}

/// A text as the name of a file on every system.
fn file_name(text: &str) -> String {
    let letter = |letter: char| match letter {
        '/' | '\\' | '<' | '>' | ':' | '"' | '|' | '?' | '*' => '_',
        letter if letter.is_control() => '_',
        letter => letter,
    };
    let name: String = text.chars().map(letter).collect();
    let name = trimmed(beginning(trimmed(&name), MOST_NAME_BYTES));
    if name.is_empty() { NO_TEXT.to_owned() } else { name.to_owned() }
}

fn trimmed(name: &str) -> &str {
    name.trim_matches(|letter: char| letter == '.' || letter.is_whitespace())
}

/// The beginning of a name, of `most` bytes at most, that ends with a whole letter.
fn beginning(name: &str, most: usize) -> &str {
    &name[..name.floor_char_boundary(most)]
}

fn with_number(name: &str, n: usize) -> String {
    let number = format!("_{n}");
    format!("{}{number}", trimmed(beginning(name, MOST_NAME_BYTES - number.len())))
}

/// The labels that lie within a part of a sound, as those of the part alone, without that of the part itself.
///
/// # Errors
/// None, as they are labels already.
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
