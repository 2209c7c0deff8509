//! Times of subtitles and chapters: hours, minutes, seconds and thousandths.

/// `01:02:03,500`; times before 0 are 0.
pub(super) fn clock(secs: f64, point: char) -> String {
    let millis = millis_of(secs);
    let (secs, millis) = (millis / 1_000, millis % 1_000);
    format!("{:02}:{:02}:{:02}{point}{millis:03}", secs / 3_600, secs / 60 % 60, secs % 60)
}

/// The nearest thousandth, from 0 on.
pub(super) fn millis_of(secs: f64) -> u64 {
    (secs.max(0.0) * 1_000.0).round() as u64
}

/// Reads `[HH:]MM:SS.mmm`, with a point or a comma.
pub(super) fn secs_of_clock(text: &str) -> Option<f64> {
    let (whole, fraction) = text.rsplit_once(['.', ','])?;
    let is_digits = |text: &str| !text.is_empty() && text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    if fraction.len() != 3 || !is_digits(fraction) {
        return None;
    }
    let parts: Vec<&str> = whole.split(':').collect();
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(|part| is_digits(part)) {
        return None;
    }
    let numbers: Vec<u64> = parts.iter().filter_map(|part| part.parse().ok()).collect();
    // Only the first may be large.
    if numbers.len() != parts.len() || numbers[1..].iter().any(|number| *number >= 60) {
        return None;
    }
    let secs = numbers.iter().fold(0, |sum, number| sum * 60 + number);
    Some((secs * 1_000 + fraction.parse::<u64>().ok()?) as f64 / 1_000.0)
}
