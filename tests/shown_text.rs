//! Names that hold control characters or turn the letters around, where programs read them: JSON and CSV say them
//! escaped, and give them back whole.

use super::library_store::{library, sounds};
use super::support::program::Place;
use serde_json::Value;
use sonobrush::base::{shown_json, shown_text};

/// A line break, an escape sequence, DEL, a C1 control, a mark that turns letters around, a line separator, and what
/// needs quotation marks.
const NAME: &str = "a\n\u{1b}[31m\u{7f}\u{9b}2J\u{202e}gnp\u{2028}, \"b\".wav";

/// No control character but line breaks, and no mark of direction.
fn assert_plain(text: &str, what: &str) {
    let odd = |letter: char| letter.is_control() && letter != '\n' || matches!(letter, '\u{2028}'..='\u{202e}');
    assert!(!text.contains(odd), "{what}: {text:?}");
}

fn place() -> Place {
    let place = Place::new();
    sounds(&place, "in", 2);
    std::fs::rename(place.path("in/tone 000.wav"), place.path("in").join(NAME)).unwrap();
    place
}

#[test]
#[cfg(unix)]
fn json_escapes_what_turns_letters_around_and_gives_it_back() {
    let place = place();
    library(&place, &["add", "in"]);
    let path = std::fs::canonicalize(place.path("in")).unwrap().join(NAME);
    let path = path.to_str().unwrap();
    let searched = library(&place, &["search", "--json"]);
    assert_plain(&searched, "search --json");
    let found: Value = serde_json::from_str(&searched).unwrap();
    assert!(found.as_array().unwrap().iter().any(|sound| sound["paths"][0] == path), "{searched}");
    assert!(searched.contains("\\u202e") && searched.contains("\\u007f") && searched.contains("\\u009b"));
    // In a failure, and in a file written for programs.
    place.write("in/bad.wav", "no sound");
    std::fs::rename(place.path("in/bad.wav"), place.path("in").join(format!("bad{NAME}"))).unwrap();
    library(&place, &["add", "in"]);
    for arguments in
        [&["failures", "--json"][..], &["status", "--json"], &["duplicates", "--json"], &["stats", "--json"]]
    {
        let said = library(&place, arguments);
        assert_plain(&said, arguments[0]);
        serde_json::from_str::<Value>(&said).unwrap();
    }
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    let features = place.run(&["features", "in", "-o", "out", "--json"]);
    assert!(features.status.success());
    assert_plain(&String::from_utf8(features.stdout).unwrap(), "features --json");
    assert_plain(&String::from_utf8(features.stderr).unwrap(), "features, notes");
    for name in ["m.json", "out/features.json"] {
        assert_plain(&String::from_utf8(place.read(name)).unwrap(), name);
    }
    let manifest: Value = serde_json::from_slice(&place.read("m.json")).unwrap();
    assert!(manifest["files"].as_array().unwrap().iter().any(|file| file["path"] == NAME), "{manifest}");
    // The list is read as it was written.
    place.done(&["library", "--library", "part.db", "add", "--manifest", "m.json", "--shard", "0/1"]);
    let found: Value =
        serde_json::from_str(&place.done(&["library", "--library", "part.db", "search", "--json"])).unwrap();
    assert!(found.as_array().unwrap().iter().any(|sound| sound["paths"][0] == path), "{found}");
}

/// Lines of CSV as RFC 4180 has them: fields in quotation marks may hold commas and line breaks.
fn fields(text: &str) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut field, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => line.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                line.push(std::mem::take(&mut field));
                lines.push(std::mem::take(&mut line));
            }
            letter => field.push(letter),
        }
    }
    lines
}

#[test]
#[cfg(unix)]
fn csv_escapes_what_turns_letters_around_and_has_it_in_bytes() {
    let place = place();
    library(&place, &["add", "in"]);
    let searched = library(&place, &["search", "--csv"]);
    assert_plain(&searched, "search --csv");
    assert_eq!(searched.lines().count(), 3, "a line for each sound and the head");
    library(&place, &["export", "--csv", "-o", "tables"]);
    let text = String::from_utf8(place.read("tables/files.csv")).unwrap();
    assert_plain(&text, "files.csv");
    let lines = fields(&text);
    let column = |name: &str| lines[0].iter().position(|column| column == name).unwrap();
    let odd = lines.iter().find(|line| line[column("path")].contains("202e")).unwrap();
    let shown = r#"/a\n\u{1b}[31m\u{7f}\u{9b}2J\u{202e}gnp\u{2028}, "b".wav"#;
    assert!(odd[column("path")].ends_with(shown), "{odd:?}");
    let path = std::fs::canonicalize(place.path("in")).unwrap().join(NAME);
    let hex: String = path.to_str().unwrap().bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(odd[column("path_bytes")], hex);
    // The column of bytes is empty for a name printed as it is.
    let plain = lines.iter().find(|line| line[column("path")].ends_with("tone 001.wav")).unwrap();
    assert_eq!(plain[column("path_bytes")], "");
}

#[test]
fn text_and_json_stay_as_they_are_where_nothing_is_odd() {
    let json = "{\n  \"a\": \"\u{fc}\u{1f600} \\u0007\"\n}";
    assert_eq!((shown_json(json), shown_text("\u{fc} b")), (json.into(), "\u{fc} b".into()));
    for letter in ['\0', '\n', '\t', '\u{7f}', '\u{85}', '\u{61c}', '\u{200e}', '\u{202a}', '\u{202e}', '\u{2069}'] {
        let value = Value::from(format!("x{letter}y"));
        let said = serde_json::to_string(&value).unwrap();
        let shown = shown_json(&said);
        assert!(shown.is_ascii(), "{shown:?}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
        assert!(shown_text(&format!("x{letter}y")).is_ascii());
    }
}
