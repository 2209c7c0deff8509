//! Readable reasons for invalid JSON, in place of the parser's messages.

use crate::text::format::shown_number;
use serde_json::error::Category;

/// Maximum length of a reason, since it may quote a megabyte-long name.
const MAX_CHARS: usize = 200;
/// A number with more digits is shown as a power of ten.
const MAX_DIGITS: usize = 20;

/// Why a text is not the expected JSON, as the end of a sentence: `it ends before it is complete (line 3, column 7)`.
pub fn json_reason(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = whole.strip_suffix(&place).unwrap_or(&whole);
    let reason = match error.classify() {
        Category::Eof => "it ends before it is complete".to_owned(),
        Category::Syntax => syntax(what).to_owned(),
        Category::Data | Category::Io => shortened(&content(what)),
    };
    match error.line() {
        0 => reason,
        line => format!("{reason} (line {line}, column {})", error.column()),
    }
}

fn shortened(reason: &str) -> String {
    let short: String = reason.chars().take(MAX_CHARS).collect();
    if short.len() < reason.len() { format!("{short}\u{2026}") } else { short }
}

/// Reasons for syntax errors.
fn syntax(what: &str) -> &'static str {
    match what {
        "expected `:`" => "a colon is missing",
        "expected `,` or `]`" => "a comma or ] is missing",
        "expected `,` or `}`" => "a comma or } is missing",
        "expected value" => "there is no value where one is needed",
        "expected ident" => "a word is not true, false or null",
        "expected `\"`" => "a quotation mark is missing",
        "key must be a string" => "a name is not in quotation marks",
        "trailing comma" => "a comma has nothing behind it",
        "trailing characters" => "more follows behind its end",
        "invalid number" => "a number is not written as one",
        "number out of range" => "a number is too large",
        "recursion limit exceeded" => "it is nested too deep",
        "invalid escape" => "a backslash in a text means nothing",
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "a text holds a line break or another control character"
        }
        "invalid unicode code point" | "lone leading surrogate in hex escape" | "unexpected end of hex escape" => {
            "a text holds a character that does not exist"
        }
        _ => "it is not written as JSON is",
    }
}

/// Reasons for valid JSON of an unexpected type. Our own messages are passed through.
fn content(what: &str) -> String {
    if let Some(name) = quoted(what, "missing field ") {
        return format!("{name} is missing");
    }
    if let Some(name) = quoted(what, "duplicate field ") {
        return format!("{name} is there twice");
    }
    if what.starts_with("data did not match any variant") {
        return "a value has none of the possible forms".to_owned();
    }
    for (start, problem) in [("unknown field ", "is no field here"), ("unknown variant ", "is not known here")] {
        if let Some((name, possible)) = what.strip_prefix(start).and_then(|rest| rest.split_once(", ")) {
            let possible = possible.trim_start_matches("expected ").trim_start_matches("one of ").replace('`', "");
            let name = name.trim_matches('`');
            return match possible.starts_with("there are no") {
                true => format!("{name} {problem}"),
                false => format!("{name} {problem}; possible: {possible}"),
            };
        }
    }
    for start in ["invalid type: ", "invalid value: "] {
        if let Some((found, wanted)) = what.strip_prefix(start).and_then(|rest| rest.rsplit_once(", expected ")) {
            return format!("{} stands where {} is needed", found_in_words(found), wanted_in_words(wanted));
        }
    }
    if let Some((n, wanted)) = what.strip_prefix("invalid length ").and_then(|rest| rest.split_once(", expected ")) {
        return format!("{n} values stand where {} is needed", wanted_in_words(wanted));
    }
    what.to_owned()
}

/// The name in backticks that follows a prefix and ends the text.
fn quoted<'a>(what: &'a str, start: &str) -> Option<&'a str> {
    what.strip_prefix(start)?.strip_prefix('`')?.strip_suffix('`')
}

fn found_in_words(found: &str) -> String {
    let bare = |start: &str| found.strip_prefix(start).map(|rest| rest.trim_matches('`'));
    if let Some(number) = bare("integer ").or_else(|| bare("floating point ")) {
        let short = number.parse().ok().filter(|_| number.len() > MAX_DIGITS).map(shown_number);
        return format!("the number {}", short.as_deref().unwrap_or(number));
    }
    if let Some(value) = bare("boolean ") {
        return value.to_owned();
    }
    if let Some(text) = found.strip_prefix("string ") {
        return format!("the text {text}");
    }
    match found {
        "sequence" => "a list",
        "map" => "an object",
        "null" | "unit value" => "null",
        _ => "a value of another kind",
    }
    .to_owned()
}

fn wanted_in_words(wanted: &str) -> String {
    let list_of = |start: &str| wanted.strip_prefix(start).map(|n| format!("a list of {n} values"));
    if let Some(list) = list_of("an array of length ").or_else(|| list_of("a tuple of size ")) {
        return list;
    }
    match wanted {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" | "bool" => "true or false",
        "a string" | "a borrowed string" | "str" => "a text",
        "a sequence" => "a list",
        "a map" => "an object",
        "string or map" | "variant identifier" | "field identifier" => "a name",
        other if other.starts_with("struct ") => "an object",
        other if other.starts_with("enum ") || other.starts_with("variant of ") => "a name",
        other if other.starts_with("tuple ") => "a list",
        other if other.starts_with("a ") || other.starts_with("an ") => other,
        _ => "a value of another kind",
    }
    .to_owned()
}
