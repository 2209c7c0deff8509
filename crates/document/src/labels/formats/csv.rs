//! Tables with a header: Sonobrush's CSV, those of BirdNET and crowsetta, and Whisper's TSV.

use super::common::delimited::{Field, Header, MAX_FIELDS, TableRow, TableRows, put_field, separator_of};
use super::common::import::{Import, ParseError};
use super::common::losses::FormatFidelity;
use super::common::numbers::{Decimal, number};
use super::common::textual::first_line;
use super::common::writing::LabelWriting;
use super::format::{LabelContent, LabelFormat};
use crate::base::{Error, ErrorKind, Result};
use crate::document::labels::{Columns, Label, LabelSet};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

pub(super) const FORMAT: LabelFormat = LabelFormat {
    name: "csv",
    title: "CSV",
    endings: &["csv", "tsv"],
    recognises,
    read_text: Some(read),
    read_bytes: None,
    write,
    keeps: |_| FormatFidelity::ALL,
};

/// The columns always written.
pub(super) const COLUMNS: &str = "file,channel,start_s,end_s,low_hz,high_hz,label,confidence,colour,id";
const N_COLUMNS: usize = 10;
/// Maximum number of free columns in a table of labels.
pub(super) const MAX_TABLE_COLUMNS: usize = 1_024;

const STARTS: &[&str] = &["start_s", "start", "onset_s", "begin", "Start (s)"];
const ENDS: &[&str] = &["end_s", "end", "stop", "offset_s", "End (s)"];
const TEXTS: &[&str] = &["label", "text", "name", "annotation", "Common name"];
const FILES: &[&str] = &["file", "notated_path"];

fn recognises(content: &LabelContent<'_>) -> bool {
    let LabelContent::Text(text) = content else { return false };
    let Some(line) = first_line(text) else { return false };
    let names = line.split(char::from(separator_of(text))).map(|name| name.trim().trim_matches('"').trim());
    let names: Vec<&str> = names.take(MAX_FIELDS).collect();
    let has = |wanted: &[&str]| names.iter().any(|name| wanted.iter().any(|known| known.eq_ignore_ascii_case(name)));
    has(STARTS) && (has(ENDS) || has(&["duration_s"])) || has(&["onset_sample"]) && has(&["offset_sample"])
}

/// Column indices.
struct Layout {
    start: Option<usize>,
    end: Option<usize>,
    duration: Option<usize>,
    samples: [Option<usize>; 2],
    band: [Option<usize>; 2],
    text: Option<usize>,
    confidence: Option<usize>,
    file: Option<usize>,
    channel: Option<usize>,
    colour: Option<usize>,
    id: Option<usize>,
    free: Vec<(usize, Arc<str>)>,
    /// Divisor from times in the table to seconds.
    per_sec: f64,
    rate_hz: Option<f64>,
    decimal: Decimal,
    n_columns: usize,
}

impl Layout {
    fn of(row: &TableRow<'_>, separator: u8, import: &Import<'_>) -> Result<Layout> {
        let mut header = Header::of(row);
        let names: Vec<&str> = row.fields.iter().map(|field| field.text.trim()).collect();
        let is_whisper = separator == b'\t' && names == ["start", "end", "text"];
        // Other programs number channels, colours and ids differently, so these are read only from our own tables.
        let is_ours = header.find("start_s").is_some();
        // Columns after our own are the user's: their names have no special meaning.
        let is_full = names.len() >= N_COLUMNS && COLUMNS.split(',').eq(names[..N_COLUMNS].iter().copied());
        let of = |names: &'static [&'static str]| if is_full { &names[..1] } else { names };
        let others = |header: &mut Header, name| if is_full { None } else { header.take(&[name]) };
        let ours = |header: &mut Header, name| if is_ours { header.take(&[name]) } else { None };
        let [channel, colour, id] = ["channel", "colour", "id"].map(|name| ours(&mut header, name));
        let text_column = import.reading.text_column.as_deref();
        let text = match text_column {
            Some(name) => Some(header.take(&[name]).ok_or_else(|| no_column(name))?),
            None => header.take(of(TEXTS)),
        };
        let layout = Layout {
            start: header.take(of(STARTS)),
            end: header.take(of(ENDS)),
            duration: others(&mut header, "duration_s"),
            samples: ["onset_sample", "offset_sample"].map(|name| others(&mut header, name)),
            band: [header.take(&["low_hz"]), header.take(&["high_hz"])],
            text,
            confidence: header.take(&["confidence"]),
            file: header.take(of(FILES)),
            channel,
            colour,
            id,
            free: header.free().into_iter().map(|(at, name)| (at, name.into())).collect(),
            per_sec: if is_whisper { 1_000.0 } else { 1.0 },
            rate_hz: import.reading.rate_hz,
            decimal: if separator == b',' { Decimal::Point } else { Decimal::PointOrComma },
            n_columns: header.n_columns(),
        };
        let counts_secs = layout.start.is_some() && (layout.end.is_some() || layout.duration.is_some());
        if !counts_secs && layout.samples.iter().any(Option::is_none) {
            let bad = ParseError::new(row.spot, "a header with columns for start and end, such as start_s and end_s");
            return Err(Error::new(ErrorKind::Malformed, bad.sentence()));
        }
        if !counts_secs && layout.rate_hz.is_none() {
            let what = "counts samples; say the sound's rate with --rate, or read it with its sound";
            return Err(Error::new(ErrorKind::Malformed, what));
        }
        Ok(layout)
    }

    fn secs(&self, field: &Field<'_>, what: &str) -> std::result::Result<f64, ParseError> {
        let secs = number(&field.text, self.decimal).map(|number| number / self.per_sec);
        secs.ok_or_else(|| ParseError::found(field.spot, what, &field.text))
    }

    fn times(&self, row: &TableRow<'_>) -> std::result::Result<[f64; 2], ParseError> {
        let at_sample = |at: usize| {
            let Some((field, rate_hz)) = row.get(self.samples[at]).zip(self.rate_hz) else { return Ok(None) };
            let sample = number(&field.text, self.decimal);
            sample
                .map(|n| Some(n / rate_hz))
                .ok_or_else(|| ParseError::found(field.spot, "a number of samples", &field.text))
        };
        let start = match row.get(self.start) {
            Some(field) => self.secs(field, "a start in seconds")?,
            None => {
                at_sample(0)?.ok_or_else(|| ParseError::found(row.spot_of(self.start), "a start in seconds", ""))?
            }
        };
        let end = match (row.get(self.end), row.get(self.duration)) {
            (Some(field), _) => self.secs(field, "an end in seconds")?,
            (None, Some(field)) => start + self.secs(field, "a duration in seconds")?,
            // Without an end in seconds or samples, the label is a marker.
            (None, None) => at_sample(1)?.unwrap_or(start),
        };
        Ok([start, end])
    }

    fn label(&self, row: &TableRow<'_>, import: &mut Import<'_>) -> std::result::Result<Label, ParseError> {
        if row.fields.len() > self.n_columns {
            let spot = row.fields[self.n_columns].spot;
            return Err(ParseError::new(
                spot,
                format!("{} fields as in the header, found {}", self.n_columns, row.fields.len()),
            ));
        }
        let secs = self.times(row)?;
        let wanted = |at: Option<usize>, what: &str| {
            let Some(field) = row.get(at) else { return Ok(None) };
            let value = number(&field.text, self.decimal);
            value.map(Some).ok_or_else(|| ParseError::found(field.spot, what, &field.text))
        };
        let [low_hz, high_hz] =
            [wanted(self.band[0], "a frequency in Hz")?, wanted(self.band[1], "a frequency in Hz")?];
        let confidence = wanted(self.confidence, "a confidence between 0 and 1")?;
        let whole = |at: Option<usize>, what: &str, max: u64| {
            let Some(field) = row.get(at) else { return Ok(None) };
            let value = field.text.trim().parse::<u64>().ok().filter(|value| *value <= max);
            value.map(Some).ok_or_else(|| ParseError::found(field.spot, what, &field.text))
        };
        let channel = whole(self.channel, "a channel, 0 the first", u64::from(u16::MAX))?;
        let colour = whole(self.colour, "a colour from 0 to 11", 11)?;
        let id = whole(self.id, "an id, a whole number", i64::MAX as u64 - 1)?;
        let text = self.text.and_then(|at| row.fields.get(at)).map_or("", |field| &field.text);
        let columns = self.columns(row, import);
        Ok(Label {
            id: id.unwrap_or(0),
            secs,
            low_hz,
            high_hz,
            text: import.text(text),
            confidence,
            channel: channel.map(|channel| channel as u16),
            colour: colour.map(|colour| colour as u8),
            columns,
        })
    }

    fn columns(&self, row: &TableRow<'_>, import: &mut Import<'_>) -> Columns {
        let free = self.free.iter().filter_map(|(at, name)| Some((name, row.fields.get(*at)?)));
        free.map(|(name, field)| (name.clone(), import.text(&field.text))).collect()
    }
}

fn no_column(name: &str) -> Error {
    Error::new(ErrorKind::Malformed, format!("has no column named \"{}\"", crate::base::shown_text(name)))
}

fn read(text: &str, import: &mut Import<'_>) -> Result<()> {
    let separator = separator_of(text);
    let mut rows = TableRows::new(text, separator);
    let Some(header) = rows.next(import)? else {
        return Err(Error::new(ErrorKind::Malformed, "1:1: expected a header"));
    };
    let layout = Layout::of(&header, separator, import)?;
    while let Some(row) = rows.next(import)? {
        let file = layout.file.and_then(|at| row.fields.get(at));
        if file.is_some_and(|file| !import.wants(&file.text)) {
            continue;
        }
        let label = layout.label(&row, import);
        import.add(row.spot, label)?;
    }
    Ok(())
}

/// The free columns of all labels, in order of appearance.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) for more than a table can have.
pub fn free_columns(labels: &LabelSet) -> Result<Vec<Arc<str>>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut known: HashMap<Arc<str>, ()> = HashMap::new();
    for (name, _) in labels.iter().flat_map(|label| label.columns.iter()) {
        if known.insert(name.clone(), ()).is_none() {
            names.push(name.clone());
        }
    }
    if names.len() > MAX_TABLE_COLUMNS {
        let what = format!("the labels have {} columns together; a table holds {MAX_TABLE_COLUMNS}", names.len());
        return Err(Error::new(ErrorKind::Limit, what));
    }
    Ok(names)
}

fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    label_table(labels, writing, &|_, _| (), "")
}

/// Labels as Sonobrush's table, with additional columns: `more_names`, each preceded by a comma, and the fields that
/// `more` adds for the label at an index.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) for more columns than a table can have.
pub fn label_table(
    labels: &LabelSet,
    writing: &LabelWriting,
    more: &dyn Fn(&mut String, usize),
    more_names: &str,
) -> Result<String> {
    let free = free_columns(labels)?;
    let mut out = String::with_capacity(64 * (labels.len() + 1));
    out.push_str(COLUMNS);
    for name in &free {
        out.push(',');
        put_field(&mut out, name, ',');
    }
    out.push_str(more_names);
    out.push('\n');
    for (index, label) in labels.iter().enumerate() {
        put_field(&mut out, writing.sound_name.as_deref().unwrap_or_default(), ',');
        put(&mut out, label.channel);
        // Writing to a `String` cannot fail.
        _ = write!(out, ",{:?},{:?}", label.secs[0], label.secs[1]);
        for hz in [label.low_hz, label.high_hz] {
            out.push(',');
            _ = hz.map(|hz| write!(out, "{hz:?}"));
        }
        out.push(',');
        put_field(&mut out, writing.text(&label.text), ',');
        out.push(',');
        _ = label.confidence.map(|confidence| write!(out, "{confidence:?}"));
        put(&mut out, label.colour);
        put(&mut out, Some(label.id));
        for name in &free {
            out.push(',');
            put_field(&mut out, label.columns.get(name).unwrap_or_default(), ',');
        }
        more(&mut out, index);
        out.push('\n');
    }
    Ok(out)
}

fn put(out: &mut String, value: Option<impl std::fmt::Display>) {
    out.push(',');
    _ = value.map(|value| write!(out, "{value}"));
}
