//! Parses typed times and frequencies.

/// Parses a time such as `1.5`, `1.5 s`, `250 ms`, `2 min`, `1:02.5` or `1:02:03.25`; returns seconds.
pub fn secs_from_text(text: &str) -> Option<f64> {
    let text = text.trim().replace(',', ".").to_lowercase();
    if text.contains(':') {
        let text = text.trim_end_matches('s').trim();
        let parts: Vec<&str> = text.split(':').collect();
        if parts.len() > 3 {
            return None;
        }
        return parts.into_iter().try_fold(0.0, |secs, part| Some(secs * 60.0 + number(part)?));
    }
    let (digits, unit) = split(&text);
    let factor = match unit {
        "" | "s" | "sec" | "secs" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(number(digits)? * factor)
}

/// Parses a frequency such as `440`, `440 Hz`, `2k`, `2.5 kHz`, `A4`, `C#5` or `Bb3 +20 ct`; returns hertz.
pub fn hz_from_text(text: &str) -> Option<f64> {
    let text = text.trim().replace(',', ".");
    if text.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return hz_from_note(&text);
    }
    let lower = text.to_lowercase();
    let (digits, unit) = split(&lower);
    let factor = match unit {
        "" | "hz" => 1.0,
        "k" | "khz" => 1000.0,
        _ => return None,
    };
    Some(number(digits)? * factor)
}

/// Parses a note name with octave (A4 is 440 Hz) and optional cents.
fn hz_from_note(text: &str) -> Option<f64> {
    let mut letters = text.chars().peekable();
    let semitone = match letters.next()?.to_ascii_uppercase() {
        'C' => 0.0,
        'D' => 2.0,
        'E' => 4.0,
        'F' => 5.0,
        'G' => 7.0,
        'A' => 9.0,
        'B' => 11.0,
        _ => return None,
    };
    let mut semitones: f64 = semitone;
    while let Some(sign) = letters.next_if(|sign| matches!(sign, '#' | '♯' | 'b' | '♭')) {
        semitones += if matches!(sign, '#' | '♯') { 1.0 } else { -1.0 };
    }
    let rest: String = letters.collect::<String>().replace('\u{2212}', "-");
    let rest = rest.trim();
    let end = rest.char_indices().skip(1).find(|(_, sign)| !sign.is_ascii_digit()).map_or(rest.len(), |(at, _)| at);
    let octave: f64 = rest.get(..end)?.parse::<i32>().ok().filter(|octave| (-2..=12).contains(octave))?.into();
    let cents = rest.get(end..)?.trim().trim_end_matches("ct").trim_end_matches("cents").replace(' ', "");
    let cents: f64 = if cents.is_empty() { 0.0 } else { cents.parse().ok().filter(|cents: &f64| cents.is_finite())? };
    let above_a4 = (octave - 4.0) * 12.0 + semitones - 9.0 + cents / 100.0;
    Some(440.0 * (above_a4 / 12.0).exp2())
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|sign: char| !(sign.is_ascii_digit() || sign == '.')).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)
}
