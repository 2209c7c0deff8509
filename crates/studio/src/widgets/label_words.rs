//! Labels in words.

use crate::base::{clock_from_secs, number};
use crate::document::labels::Label;

/// The first line of a label's text, or a placeholder if that is blank.
pub fn text(label: &Label) -> &str {
    match label.text.lines().next() {
        Some(line) if !line.trim().is_empty() => line,
        _ => "(no text)",
    }
}

/// All data of a label, one item per line: time, band, text, confidence and columns.
pub fn all(label: &Label) -> String {
    let [start, end] = label.secs.map(clock_from_secs);
    let mut lines = vec![if label.is_marker() { start } else { format!("{start} to {end}") }];
    if let Some([low, high]) = label.band_hz(f64::INFINITY) {
        let low = number(low, 0);
        lines.push(if high.is_finite() {
            format!("{low} to {} Hz", number(high, 0))
        } else {
            format!("from {low} Hz")
        });
    }
    lines.extend((!label.text.is_empty()).then(|| label.text.to_string()));
    lines.extend(label.confidence.map(|confidence| format!("confidence: {confidence}")));
    lines.extend(label.columns.iter().map(|(name, text)| format!("{name}: {text}")));
    lines.join("\n")
}
