//! Label tracks of Audacity: start, end and text separated by tabs; a line that begins with `\` states the band of the
//! one above.

use super::common::import::{Import, ParseError};
use super::common::losses::{FormatFidelity, TextFidelity, TimePrecision};
use super::common::numbers::{Decimal, is_not_finite, number};
use super::common::textual::{LabelLine, Spot, first_line, lines, on_one_line};
use super::common::writing::{AudacityStyle, LabelWriting};
use super::format::{LabelContent, LabelFormat};
use crate::base::Result;
use crate::document::labels::{Label, LabelSet};
use std::fmt::Write;

pub(super) const FORMAT: LabelFormat = LabelFormat {
    name: "audacity",
    title: "Audacity",
    endings: &["txt"],
    recognises,
    read_text: Some(read),
    read_bytes: None,
    write,
    keeps: |writing| FormatFidelity {
        times: TimePrecision::Units { per_sec: 1_000_000, has_negative: true },
        ends: true,
        band: writing.audacity != AudacityStyle::Plain,
        text: TextFidelity::OneLine,
        channel: false,
        confidence: false,
        colour: false,
        column: |_| false,
        empty_text: true,
    },
};

fn recognises(content: &LabelContent<'_>) -> bool {
    let LabelContent::Text(text) = content else { return false };
    let first = first_line(text).and_then(|line| line.split_once('\t'));
    first.is_some_and(|(start, _)| number(start, Decimal::PointOrComma).is_some())
}

fn read(text: &str, import: &mut Import<'_>) -> Result<()> {
    let mut lines = lines(text).peekable();
    while let Some(line) = lines.next() {
        if line.text.trim().is_empty() || line.text.starts_with('\\') {
            continue;
        }
        let label = label(&line, import);
        let band = lines.peek().and_then(band_of);
        if band.is_some() {
            lines.next();
        }
        let label = match (label, band) {
            (Ok(label), Some(Ok([low_hz, high_hz]))) => Ok(Label { low_hz, high_hz, ..label }),
            (Ok(_), Some(Err(bad))) => Err(bad),
            (label, _) => label,
        };
        import.add(Spot { line: line.number, column: 1 }, label)?;
    }
    Ok(())
}

/// Fields between runs of tabs.
fn fields<'a>(line: &LabelLine<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let mut rest = Some(line.text);
    std::iter::from_fn(move || {
        let (field, behind) = match rest?.split_once('\t') {
            Some((field, behind)) => (field, Some(behind.trim_start_matches('\t'))),
            None => (rest?, None),
        };
        rest = behind;
        Some(field)
    })
}

fn label(line: &LabelLine<'_>, import: &mut Import<'_>) -> std::result::Result<Label, ParseError> {
    let secs = |text: &str| number(text, Decimal::PointOrComma);
    let mut rest = fields(line).peekable();
    let first = rest.next().unwrap_or_default();
    let start = secs(first).ok_or_else(|| ParseError::found(Spot::of(line, first), "a start in seconds", first))?;
    let end = match rest.peek() {
        Some(second) if is_not_finite(second) => {
            return Err(ParseError::found(Spot::of(line, second), "an end in seconds", second));
        }
        second => second.and_then(|second| secs(second)),
    };
    if end.is_some() {
        rest.next();
    }
    // Audacity writes only start, end and text: further fields are parts of a text with tabs.
    let mut text = rest.next().unwrap_or_default().to_owned();
    for part in rest {
        text.push('\t');
        text.push_str(part);
    }
    Ok(Label { secs: [start, end.unwrap_or(start)], text: import.text(&text), ..Label::default() })
}

/// The band in a line; `None` for other lines.
fn band_of(line: &LabelLine<'_>) -> Option<std::result::Result<[Option<f64>; 2], ParseError>> {
    let rest = line.text.strip_prefix('\\')?;
    if !rest.starts_with('\t') {
        return None;
    }
    let mut edges = fields(line).skip(1);
    let mut edge = || {
        let field = edges.next().unwrap_or_default();
        let hz = number(field, Decimal::PointOrComma);
        let hz = hz.ok_or_else(|| ParseError::found(Spot::of(line, field), "a frequency in Hz", field))?;
        Ok((hz >= 0.0).then_some(hz))
    };
    let low = edge();
    Some(low.and_then(|low| {
        let high = edge()?;
        // Reversed edges are swapped, as Audacity does.
        let is_reversed = low.zip(high).is_some_and(|(low, high)| low > high);
        Ok(if is_reversed { [high, low] } else { [low, high] })
    }))
}

fn write(labels: &LabelSet, writing: &LabelWriting) -> Result<String> {
    let mut out = String::with_capacity(40 * labels.len());
    for label in labels.iter() {
        let text = on_one_line(writing.text(&label.text));
        // Writing to a `String` cannot fail.
        _ = writeln!(out, "{:.6}\t{:.6}\t{text}", label.secs[0], label.secs[1]);
        let has_band = label.low_hz.is_some() || label.high_hz.is_some();
        let band = match writing.audacity {
            AudacityStyle::Plain => None,
            _ if has_band => Some([label.low_hz, label.high_hz].map(|hz| hz.unwrap_or(-1.0))),
            AudacityStyle::Mixed => None,
            AudacityStyle::All => Some([0.0, writing.nyquist_hz()]),
        };
        if let Some([low, high]) = band {
            _ = writeln!(out, "\\\t{low:.6}\t{high:.6}");
        }
    }
    Ok(out)
}
