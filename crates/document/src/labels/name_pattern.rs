//! Templates for the names of output files.

use super::label::Label;
use super::parts::SoundPart;
use crate::base::{Error, ErrorKind, Result, shown_text};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Maximum bytes of a file name, without its extension.
const MAX_NAME_BYTES: usize = 200;
/// Replaces an empty text or name.
const NO_TEXT: &str = "unlabelled";

/// The kind of files named, which determines the available fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedFiles {
    /// Parts of one sound, by label.
    Parts,
    /// One output for each of many inputs.
    Outputs,
}

/// A template for file names.
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
    Relative,
    Label,
    /// The number, with at least this many digits.
    Number(usize),
    Start,
    End,
    Low,
    High,
    Channel,
    Id,
}

impl NamePattern {
    /// The default template of parts.
    pub const DEFAULT_PATTERN: &str = "{name}_{n:03}_{label}";

    /// The default template of outputs: the path of the input.
    pub const RELATIVE: &str = "{relative}";

    /// Parses a template: text with fields. Those of parts are `{name}`, `{label}`, `{n}`, `{n:03}`, `{start}`,
    /// `{end}`, `{low}`, `{high}`, `{channel}` and `{id}`, those of outputs `{relative}`, `{name}`, `{n}` and `{n:03}`.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for an unknown field, and one that is not closed.
    pub fn parse(text: &str, of: NamedFiles) -> Result<NamePattern> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            pieces.push(Piece::Text(before.to_owned()));
            let (field, behind) = behind.split_once('}').ok_or_else(|| unclosed_field(behind))?;
            pieces.push(Piece::Field(field_named(field, of).ok_or_else(|| unknown_field(field, of))?));
            rest = behind;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(NamePattern(pieces))
    }

    /// The file names of parts, without extensions, in order: unique, even ignoring case.
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
                Piece::Field(NameField::Name | NameField::Relative) => name.push_str(sound),
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

    /// The path of an output without its extension, relative to the output folder. `relative` is that of the input,
    /// without its extension, `n` counts from 1. `/` in the pattern separates folders; its control characters become
    /// `_`.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it would be outside the folder.
    pub fn path(&self, relative: &Path, n: usize) -> Result<PathBuf> {
        let mut text = OsString::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(piece) => text.push(piece.replace(char::is_control, "_")),
                Piece::Field(NameField::Relative) => text.push(relative),
                Piece::Field(NameField::Name) => text.push(relative.file_name().unwrap_or_default()),
                Piece::Field(NameField::Number(digits)) => text.push(format!("{n:0digits$}")),
                // `parse` allows no other fields for outputs.
                Piece::Field(_) => {}
            }
        }
        let path = PathBuf::from(&text);
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_file = !path.as_os_str().is_empty() && !text.to_string_lossy().ends_with(std::path::is_separator);
        if is_inside && is_file {
            return Ok(path);
        }
        let what = "is no name within the output folder; choose another --name";
        Err(Error::new(ErrorKind::Script, what).at(&path))
    }
}

fn field_named(field: &str, of: NamedFiles) -> Option<NameField> {
    match (field, of) {
        ("relative", NamedFiles::Outputs) => return Some(NameField::Relative),
        ("name" | "n", NamedFiles::Outputs) | (_, NamedFiles::Parts) => {}
        _ if field.starts_with("n:") => {}
        _ => return None,
    }
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

/// A field for messages.
fn shown_field(field: &str) -> String {
    let short: String = field.chars().take(40).collect();
    shown_text(&short).into_owned()
}

fn unclosed_field(field: &str) -> Error {
    let what = format!("the brace of {{{} is not closed; add }}", shown_field(field));
    Error::new(ErrorKind::Script, what)
}

fn unknown_field(field: &str, of: NamedFiles) -> Error {
    let field = shown_field(field);
    let known = match of {
        NamedFiles::Parts => "{name}, {label}, {n}, {n:03}, {start}, {end}, {low}, {high}, {channel} or {id}",
        NamedFiles::Outputs => "{relative}, {name}, {n} or {n:03}",
    };
    Error::new(ErrorKind::Script, format!("{{{field}}} is no part of a name; use {known}"))
}

/// A text as a file name valid on every system.
fn file_name(text: &str) -> String {
    let letter = |letter: char| match letter {
        '/' | '\\' | '<' | '>' | ':' | '"' | '|' | '?' | '*' => '_',
        letter if letter.is_control() => '_',
        letter => letter,
    };
    let name: String = text.chars().map(letter).collect();
    let name = trimmed(beginning(trimmed(&name), MAX_NAME_BYTES));
    if name.is_empty() { NO_TEXT.to_owned() } else { name.to_owned() }
}

fn trimmed(name: &str) -> &str {
    name.trim_matches(|letter: char| letter == '.' || letter.is_whitespace())
}

/// The beginning of a name, at most `max` bytes, cut at a character boundary.
fn beginning(name: &str, max: usize) -> &str {
    &name[..name.floor_char_boundary(max)]
}

fn with_number(name: &str, n: usize) -> String {
    let number = format!("_{n}");
    format!("{}{number}", trimmed(beginning(name, MAX_NAME_BYTES - number.len())))
}
