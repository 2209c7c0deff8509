//! Selection tables of Raven: tab-separated, with Raven's column names.

use super::common::delimited::{Field, Header, MAX_FIELDS, TableRow, too_many_fields};
use super::common::import::{Import, ParseError};
use super::common::losses::{FormatFidelity, TextFidelity, TimePrecision};
use super::common::numbers::{Decimal, number};
use super::common::textual::{LabelLine, Spot, first_line, lines, on_one_line};
use super::common::writing::LabelWriting;
use super::csv::free_columns;
use super::format::{LabelContent, LabelFormat};
use crate::base::{Error, ErrorKind, Result};
use crate::document::labels::{Columns, Label, LabelSet};
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;

pub(super) const FORMAT: LabelFormat = LabelFormat {
    name: "raven",
    title: "Raven",
    endings: &["selections.txt", "raven.txt"],
    recognises,
    read_text: Some(read),
    read_bytes: None,
    write,
    keeps: |_| FormatFidelity {
        times: TimePrecision::Exact,
        ends: true,
        band: true,
        text: TextFidelity::OneLine,
        channel: true,
        confidence: true,
        colour: false,
        column: is_free,
        empty_text: true,
    },
};

const BEGIN: &str = "Begin Time (s)";
const END: &str = "End Time (s)";
const TEXTS: &[&str] = &["Annotation", "Label", "Species", "Common Name", "Species Code", "Tag", "Type"];
const OFFSET: &str = "File Offset (s)";
const FILES: [&str; 2] = ["Begin File", "Begin Path"];
const ID: &str = "sonobrush id";
/// The column for channels, written only if some label is limited to one. Raven's own column must have a number in
/// every row, so it cannot state that a label applies to all channels.
const CHANNEL: &str = "sonobrush channel";
const NO_BAND: &str = "No Band";
/// Columns that are always written, in addition to `sonobrush id`.
const FIXED: [&str; 9] =
    ["Selection", "View", "Channel", BEGIN, END, "Low Freq (Hz)", "High Freq (Hz)", "Annotation", "Confidence"];

/// Whether a column of this name survives in a selection table; others would be read as something else.
fn is_free(name: &str) -> bool {
    let taken =
        [NO_BAND, OFFSET, ID, CHANNEL].iter().chain(&FILES).chain(&FIXED).any(|known| known.eq_ignore_ascii_case(name));
    !taken && !name.trim().is_empty() && name.trim() == name && !name.contains(['\n', '\t'])
}

fn recognises(content: &LabelContent<'_>) -> bool {
    let LabelContent::Text(text) = content else { return false };
    let line = first_line(text).unwrap_or_default();
    let has = |wanted: &str| line.split('\t').any(|name| name.trim().eq_ignore_ascii_case(wanted));
    has(BEGIN) && has(END)
}

/// Column indices.
struct Layout {
    selection: Option<usize>,
    view: Option<usize>,
    times: [usize; 2],
    band: [Option<usize>; 2],
    no_band: Option<usize>,
    text: Option<usize>,
    confidence: Option<usize>,
    channel: Option<usize>,
    offset: Option<usize>,
    file: Option<usize>,
    id: Option<usize>,
    /// Sonobrush's own channel column.
    own_channel: Option<usize>,
    free: Vec<(usize, Arc<str>)>,
}

impl Layout {
    fn of(row: &TableRow<'_>, import: &Import<'_>) -> Result<Layout> {
        let mut header = Header::of(row);
        let time = |header: &mut Header, name: &str| {
            let bad = || ParseError::new(row.spot, format!("a header with {BEGIN} and {END}"));
            header.take(&[name]).ok_or_else(|| Error::new(ErrorKind::Malformed, bad().sentence()))
        };
        let times = [time(&mut header, BEGIN)?, time(&mut header, END)?];
        let text = match import.reading.text_column.as_deref() {
            Some(name) => Some(header.take(&[name]).ok_or_else(|| {
                Error::new(ErrorKind::Malformed, format!("has no column named \"{}\"", crate::base::shown_text(name)))
            })?),
            None => header.take(TEXTS),
        };
        let files = FILES.map(|name| header.take(&[name]));
        Ok(Layout {
            selection: header.take(&["Selection"]),
            view: header.take(&["View"]),
            times,
            band: [header.take(&["Low Freq (Hz)"]), header.take(&["High Freq (Hz)"])],
            no_band: header.take(&[NO_BAND]),
            text,
            confidence: header.take(&["Confidence"]),
            channel: header.take(&["Channel"]),
            offset: header.take(&[OFFSET]),
            file: files.into_iter().flatten().next(),
            id: header.take(&[ID]),
            own_channel: header.take(&[CHANNEL]),
            free: header.free().into_iter().map(|(at, name)| (at, name.into())).collect(),
        })
    }

    fn file<'a>(&self, row: &'a TableRow<'_>) -> Option<&'a Field<'a>> {
        row.get(self.file)
    }

    fn label(&self, row: &TableRow<'_>, import: &mut Import<'_>) -> std::result::Result<Label, ParseError> {
        let secs = |at: usize, what: &str| {
            let field = row.fields.get(at);
            let text = field.map_or("", |field| &field.text);
            number(text, Decimal::PointOrComma).ok_or_else(|| ParseError::found(row.spot_of(Some(at)), what, text))
        };
        let [begin, end] =
            [secs(self.times[0], "a begin time in seconds")?, secs(self.times[1], "an end time in seconds")?];
        let wanted = |at: Option<usize>, what: &str| {
            let Some(field) = row.get(at) else { return Ok(None) };
            let value = number(&field.text, Decimal::PointOrComma);
            value.map(Some).ok_or_else(|| ParseError::found(field.spot, what, &field.text))
        };
        let offset = wanted(self.offset, "a file offset in seconds")?;
        // In a sequence of files, times count from the start of the sequence, and offsets from the start of the file.
        let secs = offset.map_or([begin, end], |start| [start, start + (end - begin)]);
        let [mut low_hz, mut high_hz] =
            [wanted(self.band[0], "a frequency in Hz")?, wanted(self.band[1], "a frequency in Hz")?];
        match row.get(self.no_band).map(|field| field.text.trim()) {
            Some("1") => (low_hz, high_hz) = (None, None),
            Some("low") => low_hz = None,
            Some("high") => high_hz = None,
            _ => {}
        }
        let channel = |at: Option<usize>| {
            let Some(field) = row.get(at) else { return Ok(None) };
            let channel = field.text.trim().parse::<u16>().ok().and_then(|channel| channel.checked_sub(1));
            channel.map(Some).ok_or_else(|| ParseError::found(field.spot, "a channel, 1 the first", &field.text))
        };
        let channel = if self.id.is_some() { channel(self.own_channel)? } else { channel(self.channel)? };
        let id = match row.get(self.id) {
            None => 0,
            Some(field) => {
                let id = field.text.trim().parse().ok().filter(|id| *id < i64::MAX as u64);
                id.ok_or_else(|| ParseError::found(field.spot, "an id, a whole number", &field.text))?
            }
        };
        let text = self.text.and_then(|at| row.fields.get(at)).map_or("", |field| &field.text);
        let confidence = wanted(self.confidence, "a confidence between 0 and 1")?;
        let text = import.text(text);
        Ok(Label {
            id,
            secs,
            low_hz,
            high_hz,
            text,
            confidence,
            channel,
            colour: None,
            columns: self.columns(row, import),
        })
    }

    fn columns(&self, row: &TableRow<'_>, import: &mut Import<'_>) -> Columns {
        let free = self.free.iter().filter_map(|(at, name)| Some((name, row.fields.get(*at)?)));
        free.map(|(name, field)| (name.clone(), import.text(&field.text))).collect()
    }
}

/// A row; fields beyond the maximum of a header are dropped.
fn row_of<'a>(line: &LabelLine<'a>) -> TableRow<'a> {
    let mut column = 1;
    let fields = line.text.split('\t').take(MAX_FIELDS).map(|text| {
        let field = Field { text: text.into(), spot: Spot { line: line.number, column } };
        column += 1 + text.chars().count();
        field
    });
    TableRow { fields: fields.collect(), spot: Spot { line: line.number, column: 1 } }
}

fn read(text: &str, import: &mut Import<'_>) -> Result<()> {
    let mut lines = lines(text).filter(|line| !line.text.trim().is_empty());
    let Some(header) = lines.next() else {
        return Err(Error::new(ErrorKind::Malformed, format!("1:1: expected a header with {BEGIN} and {END}")));
    };
    if let Some((at, _)) = header.text.match_indices('\t').nth(MAX_FIELDS - 1) {
        let spot = Spot::of(&header, &header.text[at + 1..]);
        return Err(Error::new(ErrorKind::Malformed, too_many_fields(spot).sentence()));
    }
    let layout = Layout::of(&row_of(&header), import)?;
    let is_sequence = is_sequence(&layout, lines.clone())?;
    // A selection has one row for the waveform and one for the spectrogram.
    let is_waveform = |row: &TableRow<'_>| {
        row.get(layout.view).is_some_and(|view| view.text.trim_start().to_ascii_lowercase().starts_with("waveform"))
    };
    let mut seen: HashSet<String> = HashSet::new();
    let selection = |row: &TableRow<'_>| row.get(layout.selection).map(|field| field.text.trim().to_owned());
    if layout.view.is_some() {
        let rows = lines.clone().map(|line| row_of(&line)).filter(|row| !is_waveform(row));
        seen.extend(rows.filter_map(|row| selection(&row)));
    }
    for line in lines {
        let row = row_of(&line);
        if is_waveform(&row) && selection(&row).is_some_and(|selection| !seen.insert(selection)) {
            continue;
        }
        if is_sequence && layout.file(&row).is_some_and(|file| !import.wants(&file.text)) {
            continue;
        }
        let label = layout.label(&row, import);
        import.add(row.spot, label)?;
    }
    Ok(())
}

/// Whether times run along a sequence of files, so that each row has its offset within its file.
///
/// # Errors
/// [`Malformed`](ErrorKind::Malformed) for a table of several files that does not state this.
fn is_sequence<'a>(layout: &Layout, lines: impl Iterator<Item = LabelLine<'a>>) -> Result<bool> {
    if layout.offset.is_some() || layout.file.is_none() {
        return Ok(layout.offset.is_some());
    }
    let mut first: Option<String> = None;
    for line in lines {
        let row = row_of(&line);
        let Some(file) = layout.file(&row) else { continue };
        let first = first.get_or_insert_with(|| file.text.to_string());
        if *first != *file.text {
            let spot = format!("{}:{}", file.spot.line, file.spot.column);
            let what = format!(
                "{spot}: expected rows of one file, or a column {OFFSET} that says where each row is in its own"
            );
            return Err(Error::new(ErrorKind::Malformed, what));
        }
    }
    Ok(false)
}

fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    let mut free = free_columns(labels)?;
    free.retain(|name| is_free(name));
    let has_no_band = labels.iter().any(|label| label.low_hz.is_none() || label.high_hz.is_none());
    let has_channels = labels.iter().any(|label| label.channel.is_some());
    let mut out = String::with_capacity(80 * (labels.len() + 1));
    out.push_str(&FIXED.join("\t"));
    let more =
        free.iter().map(|name| &**name).chain(has_no_band.then_some(NO_BAND)).chain(has_channels.then_some(CHANNEL));
    more.chain([ID]).for_each(|name| {
        out.push('\t');
        out.push_str(name);
    });
    out.push('\n');
    for (index, label) in labels.iter().enumerate() {
        let channel = label.channel.map_or(1, |channel| u32::from(channel) + 1);
        let low = label.low_hz.unwrap_or(0.0);
        let high = label.high_hz.unwrap_or(writing.nyquist_hz().max(low));
        let text = on_one_line(writing.text(&label.text));
        let [begin, end] = label.secs;
        // Writing to a `String` cannot fail.
        _ = write!(out, "{}\tSpectrogram 1\t{channel}\t{begin:?}\t{end:?}\t{low:?}\t{high:?}\t{text}\t", index + 1);
        _ = label.confidence.map(|confidence| write!(out, "{confidence:?}"));
        for name in &free {
            _ = write!(out, "\t{}", on_one_line(label.columns.get(name).unwrap_or_default()));
        }
        if has_no_band {
            let missing = match (label.low_hz, label.high_hz) {
                (None, None) => "1",
                (None, Some(_)) => "low",
                (Some(_), None) => "high",
                (Some(_), Some(_)) => "",
            };
            _ = write!(out, "\t{missing}");
        }
        if has_channels {
            out.push('\t');
            _ = label.channel.map(|channel| write!(out, "{}", u32::from(channel) + 1));
        }
        _ = writeln!(out, "\t{}", label.id);
    }
    Ok(out)
}
