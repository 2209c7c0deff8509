//! Times of subtitles and chapters: hours, minutes, seconds and thousandths.

/// Formats a time as `01:02:03,500`, with `point` as the decimal separator; negative times become 0.
pub(in crate::labels::formats) fn clock(secs: f64, point: char) -> String {
    let millis = millis_of(secs);
    let (secs, millis) = (millis / 1_000, millis % 1_000);
    format!("{:02}:{:02}:{:02}{point}{millis:03}", secs / 3_600, secs / 60 % 60, secs % 60)
}

/// The nearest millisecond, at least 0.
pub(in crate::labels::formats) fn millis_of(secs: f64) -> u64 {
    (secs.max(0.0) * 1_000.0).round() as u64
}
