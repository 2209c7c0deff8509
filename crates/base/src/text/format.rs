//! Formats time and pitch for display.

use std::fmt;

/// Formats seconds as `m:ss.mmm`, or as `h:mm:ss.mmm` from one hour up.
pub fn clock_from_secs(secs: f64) -> String {
    let sign = if secs < -0.0005 { "\u{2212}" } else { "" };
    let millis = (secs.abs() * 1000.0).round() as u64;
    let (hours, minutes, seconds) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60);
    let millis = millis % 1000;
    if hours > 0 {
        format!("{sign}{hours}:{minutes:02}:{seconds:02}.{millis:03}")
    } else {
        format!("{sign}{minutes}:{seconds:02}.{millis:03}")
    }
}

/// Formats a duration with 0 to 3 decimals: below a minute in seconds, as in `5.5 s`, otherwise as a clock, as in
/// `18:25.7` or `1:04:59.948`.
pub fn length_from_secs(secs: f64, decimals: usize) -> String {
    let scale = 10f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX));
    let rounded = (secs * scale).round() / scale;
    if rounded.abs() < 60.0 {
        return format!("{} s", number(secs, decimals));
    }
    let clock = clock_from_secs(rounded);
    let (whole, thousandths) = clock.split_at(clock.len() - 4);
    let shown = thousandths.get(..=decimals).filter(|_| decimals > 0).unwrap_or_default();
    format!("{whole}{shown}")
}

/// Formats a sample rate: `44.1 kHz`, `22.05 kHz`, `48 kHz`; invalid rates such as `8 Hz` stay in hertz.
pub fn khz_from_hz(hz: f64) -> String {
    if hz.abs() < 1000.0 {
        return format!("{hz} Hz");
    }
    let digits = number(hz / 1000.0, 3);
    format!("{} kHz", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Parses `[HH:]MM:SS.mmm`, with a decimal point or comma.
pub fn secs_from_clock(text: &str) -> Option<f64> {
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
    // Only the first part may exceed 59.
    if numbers.len() != parts.len() || numbers[1..].iter().any(|number| *number >= 60) {
        return None;
    }
    let secs = numbers.iter().fold(0, |sum, number| sum * 60 + number);
    Some((secs * 1_000 + fraction.parse::<u64>().ok()?) as f64 / 1_000.0)
}

/// Formats a number with a true minus sign and narrow spaces between thousands: `−12.0`, `1 750.0`.
pub fn number(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let is_zero = digits.chars().all(|letter| matches!(letter, '0' | '.'));
    let mut text = String::from(if value < 0.0 && !is_zero { "\u{2212}" } else { "" });
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text + rest
}

/// Formats a number for a sentence as it was typed, without hundreds of digits: `0.25`, `1e308`.
pub fn shown_number(value: f64) -> String {
    let is_short = value == 0.0 || (1e-6..1e15).contains(&value.abs());
    if is_short { format!("{value}") } else { format!("{value:e}") }
}

/// Formats items per second in a unit that does not round to 0.0 unless the rate is 0: `12.3/s`, `2.5/min`, `0.4/h`.
pub fn rate(per_sec: f64) -> String {
    const MIN: f64 = 0.1;
    match per_sec {
        none if none <= 0.0 || none.is_nan() => "0.0/s".to_owned(),
        fast if fast >= 1.0 => format!("{fast:.1}/s"),
        slow if slow >= 1.0 / 60.0 => format!("{:.1}/min", slow * 60.0),
        slower => format!("{:.1}/h", (slower * 3_600.0).max(MIN)),
    }
}

/// Formats bytes per second in a unit that does not round to 0.00 unless the rate is 0: `0.31 GB/s`, `4.20 MB/s`.
pub fn bytes_rate(bytes_per_sec: f64) -> String {
    const MIN: f64 = 0.01;
    match bytes_per_sec {
        none if none <= 0.0 || none.is_nan() => "0.00 GB/s".to_owned(),
        fast if fast >= 1e8 => format!("{:.2} GB/s", fast / 1e9),
        slow if slow >= 1e5 => format!("{:.2} MB/s", slow / 1e6),
        slower => format!("{:.2} kB/s", (slower / 1e3).max(MIN)),
    }
}

/// Lowest named frequency: a quarter tone below MIDI note 0.
const LOWEST_NOTE_HZ: f64 = 7.94;

/// The nearest equal-tempered note (A4 = 440 Hz) and the deviation from it in cents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Note {
    /// MIDI number: 69 is A4.
    pub midi: i32,
    /// Deviation in cents, -50 to +50.
    pub cents: f64,
}

impl Note {
    /// The note nearest to `hz`; `None` below MIDI note 0.
    pub fn from_hz(hz: f64) -> Option<Note> {
        if !(hz >= LOWEST_NOTE_HZ && hz.is_finite()) {
            return None;
        }
        let midi = 69.0 + 12.0 * (hz / 440.0).log2();
        Some(Note { midi: midi.round() as i32, cents: (midi - midi.round()) * 100.0 })
    }

    /// Frequency of the note, ignoring the deviation.
    pub fn hz(self) -> f64 {
        440.0 * ((f64::from(self.midi) - 69.0) / 12.0).exp2()
    }

    /// Name without cents: `A4`, `C♯5`.
    pub fn name(self) -> String {
        const NAMES: [&str; 12] = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"];
        format!("{}{}", NAMES[self.midi.rem_euclid(12) as usize], self.midi.div_euclid(12) - 1)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = self.cents.round() as i32;
        let sign = if cents < 0 { '\u{2212}' } else { '+' };
        write!(f, "{} {sign}{} ct", self.name(), cents.abs())
    }
}
