//! Makes external text safe to display or print: it cannot move the cursor, end a line, or reverse the text direction.

use std::borrow::Cow;

/// Whether a character is a control character, a line break or a bidirectional mark.
fn is_escaped(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Text on one line, with control characters, line breaks and bidirectional marks escaped: `\n`, `\u{202e}`.
pub fn shown_text(text: &str) -> Cow<'_, str> {
    escaped(text, is_escaped, |letter, out| out.extend(letter.escape_default()))
}

/// Equivalent JSON in which the characters that [`shown_text`] escapes are written as `\u202e`. Line breaks between
/// values are kept.
pub fn shown_json(json: &str) -> Cow<'_, str> {
    // Outside strings JSON is ASCII, and inside strings it has no unescaped line breaks or tabs.
    let is_escaped = |letter| is_escaped(letter) && !matches!(letter, '\n' | '\r' | '\t');
    escaped(json, is_escaped, |letter, out| out.push_str(&format!("\\u{:04x}", u32::from(letter))))
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_escaped(letter) { escape(letter, &mut out) } else { out.push(letter) }
    }
    out.into()
}
