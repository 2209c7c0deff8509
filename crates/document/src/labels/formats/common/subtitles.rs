//! Common parts of SubRip and WebVTT: blocks of lines, each with two times and a text.

use super::clock::{clock, millis_of};
use super::import::{Import, ParseError};
use super::losses::{FormatFidelity, TextFidelity, TimePrecision};
use super::textual::{LabelLine, Spot};
use super::writing::LabelWriting;
use crate::base::{Result, secs_from_clock};
use crate::document::labels::{Label, LabelSet, MAX_LABEL_BYTES};

/// Separates the two times.
pub(in crate::labels::formats) const ARROW: &str = "-->";

/// What both formats preserve.
pub(in crate::labels::formats) const KEEPS: FormatFidelity = FormatFidelity {
    times: TimePrecision::Units { per_sec: 1_000, has_negative: false },
    ends: true,
    band: false,
    text: TextFidelity::NoBlankLines,
    channel: false,
    confidence: false,
    colour: false,
    column: |_| false,
    empty_text: false,
};

/// Reads blocks separated by blank lines. Skips those for whose first line `is_passed_over` is true; `text_of` decodes
/// texts.
pub(in crate::labels::formats) fn read_blocks<'a>(
    lines: impl Iterator<Item = LabelLine<'a>>,
    import: &mut Import<'_>,
    is_passed_over: impl Fn(&str) -> bool,
    text_of: impl Fn(&str) -> String,
) -> Result<()> {
    let mut block: Vec<LabelLine<'a>> = Vec::new();
    for line in lines {
        if !line.text.trim().is_empty() {
            // With more lines, the text exceeds the maximum length anyway, and the label is refused.
            if block.len() < MAX_LABEL_BYTES + 4 {
                block.push(line);
            }
            continue;
        }
        read_block(&block, import, &is_passed_over, &text_of)?;
        block.clear();
    }
    read_block(&block, import, &is_passed_over, &text_of)
}

fn read_block(
    block: &[LabelLine<'_>],
    import: &mut Import<'_>,
    is_passed_over: &impl Fn(&str) -> bool,
    text_of: &impl Fn(&str) -> String,
) -> Result<()> {
    let Some(first) = block.first() else { return Ok(()) };
    if is_passed_over(first.text) {
        return Ok(());
    }
    // A line with a number or a name may precede the times.
    let at = usize::from(!first.text.contains(ARROW));
    let spot = Spot { line: first.number, column: 1 };
    let Some(timing) = block.get(at).filter(|line| line.text.contains(ARROW)) else {
        let line = block.get(at).unwrap_or(first);
        let spot = Spot { line: line.number, column: 1 };
        return import.add(spot, Err(ParseError::found(spot, "two times with --> between them", line.text)));
    };
    let label = times(timing).map(|secs| {
        let lines: Vec<&str> = block[at + 1..].iter().map(|line| line.text).collect();
        Label { secs, text: import.text(&text_of(&lines.join("\n"))), ..Label::default() }
    });
    import.add(spot, label)
}

fn times(line: &LabelLine<'_>) -> std::result::Result<[f64; 2], ParseError> {
    let (start, behind) = line.text.split_once(ARROW).unwrap_or((line.text, ""));
    // Cue settings may follow the end time.
    let end = behind.split_whitespace().next().unwrap_or_default();
    let secs = |text: &str| {
        let time = secs_from_clock(text.trim());
        time.ok_or_else(|| ParseError::found(Spot::of(line, text), "a time such as 00:00:01,500", text))
    };
    let [start, end] = [secs(start)?, secs(end)?];
    // Markers are written with the minimum length of one millisecond, and read back as markers.
    Ok(if millis_of(end) == millis_of(start) + 1 { [start, start] } else { [start, end] })
}

/// Writes blocks; `text_of` escapes texts.
pub(in crate::labels::formats) fn written_blocks(
    out: &mut String,
    labels: &LabelSet,
    writing: &LabelWriting,
    point: char,
    text_of: impl Fn(&str) -> String,
) {
    let mut n = 0;
    for label in labels.iter() {
        let text = writing.text(&label.text);
        if KEEPS.text.is_empty(text) {
            continue;
        }
        n += 1;
        let start = clock(label.secs[0], point);
        // Markers, and ranges that round to length 0, are written with a length of one millisecond.
        let end = millis_of(label.secs[1]).max(millis_of(label.secs[0]) + 1);
        let end = clock(end as f64 / 1_000.0, point);
        let lines: Vec<&str> = text.split('\n').filter(|line| !line.trim().is_empty()).collect();
        out.push_str(&format!("{n}\n{start} {ARROW} {end}\n{}\n\n", text_of(&lines.join("\n"))));
    }
}
