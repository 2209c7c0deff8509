//! The words that a user reads: no text of the left-hand column of `docs/words.md` is left in the source, and `docs/strings.md`
//! lists every text there is.
//!
//! `SONOBRUSH_UPDATE_SNAPSHOTS=1 cargo test --test tests words::` writes the list: read what changed before it is committed.
//!
//! What counts as read by a user, by rule. A string literal of the source with a letter, and with a space or a capital at its
//! start; and each line of help, a doc comment in `cli/args.rs`. Not literals in tests, attributes, `tracing` calls, spans,
//! asserts and panics; not environment variables and names of enum variants (one word with `_`, or with a capital inside);
//! not SQL (a keyword in capitals at its start); not shaders (`gpu/fft.rs`, which writes WGSL). A single word in lower case
//! is missed by the rule, and a few thread names are listed though nobody reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Characters between a text and the one that tells it from the same text elsewhere.
const NEAR: usize = 900;

/// A string literal.
struct Literal {
    /// Where it begins, in bytes.
    at: usize,
    /// Lines joined, unicode escapes resolved; other escapes as written.
    text: String,
    /// Code from the beginning of its statement, without comments and other literals.
    before: String,
}

/// Every string literal of a file, in order.
fn literals(source: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut statement = String::new();
    let mut at = 0;
    while let Some(letter) = source[at..].chars().next() {
        let rest = &source[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some((quote, end)) = raw_string(rest) {
            found.push(Literal { at, text: rest[quote..end].to_owned(), before: statement.clone() });
            end + quote - 1
        } else if letter == '"' {
            let inside = &rest[1..];
            let mut end = 0;
            while !inside[end..].starts_with('"') {
                let escaped = usize::from(inside[end..].starts_with('\\'));
                end += inside[end..].chars().take(1 + escaped).map(char::len_utf8).sum::<usize>();
            }
            found.push(Literal { at, text: plain(&inside[..end]), before: statement.clone() });
            statement.push('"');
            end + 2
        } else if letter == '\'' {
            character(rest).unwrap_or(1)
        } else {
            match letter {
                ';' | '{' | '}' => statement.clear(),
                _ => statement.push(letter),
            }
            letter.len_utf8()
        };
        at += length;
    }
    found
}

/// Where the text of a raw string begins and ends, if one begins here.
fn raw_string(rest: &str) -> Option<(usize, usize)> {
    let hashes = rest.strip_prefix('r')?;
    let n = hashes.len() - hashes.trim_start_matches('#').len();
    let inside = hashes[n..].strip_prefix('"')?;
    let end = inside.find(&format!("\"{}", "#".repeat(n)))?;
    Some((n + 2, n + 2 + end))
}

/// The length of a character literal, if it is one and no lifetime.
fn character(rest: &str) -> Option<usize> {
    let inside = &rest[1..];
    let end = if let Some(escaped) = inside.strip_prefix('\\') {
        2 + escaped.get(1..)?.find('\'')?
    } else {
        inside.chars().next()?.len_utf8()
    };
    inside[end..].starts_with('\'').then_some(end + 2)
}

/// A literal's text: lines that end in a backslash are joined, unicode escapes resolved.
fn plain(raw: &str) -> String {
    let mut lines = raw.split("\\\n");
    let joined = lines.next().map(str::to_owned).unwrap_or_default();
    let joined = lines.fold(joined, |joined, line| joined + line.trim_start());
    let mut parts = joined.split("\\u{");
    let first = parts.next().map(str::to_owned).unwrap_or_default();
    parts.fold(first, |text, part| {
        let (code, rest) = part.split_once('}').unwrap_or((part, ""));
        let letter = u32::from_str_radix(code, 16).ok().and_then(char::from_u32).unwrap_or('?');
        format!("{text}{letter}{rest}")
    })
}

/// The sources: file and text.
fn sources() -> BTreeMap<String, String> {
    super::support::sources::sources().into_iter().collect()
}

/// How a text of the table is found.
#[derive(Clone, PartialEq)]
enum Where {
    Whole,
    Part,
    Help,
    Near(String),
}

/// Old and new text, and where.
type Row = (String, String, Where);

/// The rows of `docs/words.md`.
fn rows(table: &str) -> Vec<Row> {
    let cells = |line: &str| -> Option<Row> {
        let [_, old, new, place, _] = line.split('|').collect::<Vec<_>>()[..] else { return None };
        let quoted = |cell: &str| Some(cell.trim().strip_prefix('`')?.strip_suffix('`')?.to_owned());
        let place = match place.trim() {
            "" => Where::Whole,
            "part" => Where::Part,
            "help" => Where::Help,
            near => Where::Near(quoted(near.strip_prefix("near ")?)?),
        };
        Some((quoted(old)?, quoted(new)?, place))
    };
    table.lines().filter_map(cells).collect()
}

/// Lines of help in a file: doc comments of the command line's arguments.
fn help<'a>(file: &str, source: &'a str) -> Vec<&'a str> {
    if !file.contains("cli") || !file.ends_with("args.rs") {
        return Vec::new();
    }
    source.lines().filter_map(|line| line.trim_start().strip_prefix("/// ")).collect()
}

/// Old texts that a file still has.
fn left<'a>(file: &str, source: &str, rows: &'a [Row]) -> Vec<&'a str> {
    let literals = literals(source);
    let help = help(file, source);
    let is_there = |(old, _, place): &&Row| match place {
        Where::Whole => literals.iter().any(|literal| literal.text == *old),
        Where::Part => literals.iter().any(|literal| literal.text.contains(old)),
        Where::Help => help.contains(&old.as_str()),
        Where::Near(mark) => {
            // The mark may have changed, too.
            let new = rows.iter().find(|(old, ..)| old == mark).map_or(mark, |(_, new, _)| new);
            let marks = || literals.iter().filter(|literal| literal.text == *mark || literal.text == *new);
            let same =
                |literal: &&Literal| literal.text == *old && marks().any(|mark| mark.at.abs_diff(literal.at) < NEAR);
            literals.iter().any(|literal| same(&literal))
        }
    };
    rows.iter().filter(is_there).map(|(old, ..)| old.as_str()).collect()
}

fn table() -> Vec<Row> {
    rows(&std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/words.md")).unwrap())
}

#[test]
fn no_old_text_is_left() {
    let rows = table();
    assert!(rows.len() > 500, "{}", rows.len());
    let found: Vec<String> = sources()
        .iter()
        .flat_map(|(file, source)| left(file, source, &rows).into_iter().map(move |old| format!("{file}: {old}")))
        .collect();
    assert!(found.is_empty(), "{} texts of docs/words.md are left:\n{}", found.len(), found.join("\n"));
}

/// The search can fail: every kind of row is found where it is planted, and the same word elsewhere is not.
#[test]
fn old_texts_that_are_planted_are_found() {
    let rows = rows(
        "| `Nothing floats, {n}…` | `x` | |\n| `so many` | `x` | part |\n| `What it is.` | `x` | help |\n\
         | `Before` | `x` | near `Shows it.` |\n| `Shows it.` | `Displays it.` | |",
    );
    assert_eq!(rows.len(), 5);
    let planted = |file: &str, source: &str| left(file, source, &rows).join(", ");
    assert_eq!(planted("a.rs", "f(\"Nothing floats, \\\n        {n}\\u{2026}\")"), "Nothing floats, {n}…");
    assert_eq!(planted("a.rs", "let a = 'x'; f('\"', \"there are so many of them\")"), "so many");
    assert_eq!(planted("cli/args.rs", "    /// What it is.\n    a: u32,"), "What it is.");
    assert_eq!(planted("a.rs", "(\"Before\", \"Displays it.\")"), "Before");
    for source in ["// \"Nothing floats, {n}…\"", "/// What it is.", "(\"Before\", \"After\")", "f(\"it floats\")"] {
        assert_eq!(planted("a.rs", source), "", "{source}");
    }
    let real = table();
    let (file, source) = ("a.rs", real.iter().map(|(old, ..)| format!("\"{old}\",\n")).collect::<String>());
    let n_found = left(file, &source, &real).len();
    assert!(n_found > real.len() * 9 / 10, "{n_found} of {}", real.len());
}

/// Whether a user reads a literal, by the rule at the top.
fn is_read(file: &str, literal: &Literal) -> bool {
    let Literal { text, before, .. } = literal;
    let has_space = text.trim().contains(' ');
    let starts_large = text.trim_start().starts_with(char::is_uppercase);
    let in_call = ["tracing::", "span(", "assert", ".expect(", "panic!", "unreachable!", "#["];
    let is_name = !has_space
        && (text.contains('_') || text.chars().skip(1).any(char::is_uppercase) && text.contains(char::is_lowercase));
    let sql = ["CREATE ", "INSERT ", "SELECT ", "DELETE ", "PRAGMA ", "UPDATE ", "\nCREATE "];
    text.contains(char::is_alphabetic)
        && (has_space || starts_large)
        && !in_call.iter().any(|call| before.contains(call))
        && !is_name
        && !sql.iter().any(|word| text.starts_with(word))
        && file != "gpu/fft.rs"
}

/// The list, as `docs/strings.md` holds it.
fn list() -> String {
    let mut text = String::from(
        "# Strings\n\nEvery text that a user reads, by file: written by `tests/words.rs`, which states the rule. Texts are as in the \
         source, each once a\nfile; `{}` stands for a value.\n",
    );
    for (file, source) in sources() {
        let mut seen = BTreeSet::new();
        let literals = literals(&source);
        let read = literals.iter().filter(|literal| is_read(&file, literal)).map(|literal| literal.text.as_str());
        let all: Vec<&str> = help(&file, &source).into_iter().chain(read).filter(|text| seen.insert(*text)).collect();
        if all.is_empty() {
            continue;
        }
        text += &format!("\n## {file}\n\n");
        for line in all {
            text += &format!("- `{}`\n", line.replace('`', "'").replace('\n', " "));
        }
    }
    text
}

#[test]
fn the_list_of_strings_is_up_to_date() {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/strings.md");
    let list = list();
    assert!(list.contains("- `There is no recent file in this slot.`"), "the list holds what is known to be there");
    if std::env::var_os("SONOBRUSH_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &list).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let kept: BTreeSet<&str> = kept.lines().collect();
    let now: BTreeSet<&str> = list.lines().collect();
    let differences: Vec<String> = now
        .difference(&kept)
        .map(|line| format!("+ {line}"))
        .chain(kept.difference(&now).map(|line| format!("- {line}")))
        .collect();
    let how = "SONOBRUSH_UPDATE_SNAPSHOTS=1 writes docs/strings.md; read what changed";
    assert!(std::fs::read_to_string(&path).unwrap_or_default() == list, "{how}\n{}", differences.join("\n"));
}

#[test]
fn what_a_user_reads_is_told_from_what_code_reads() {
    let source = "tracing::warn!(a, \"no thread for it\"); f(\"Open a file\"); g(\"SOME_NAME\"); h(\"gain\"); \
                  i(\"SELECT a FROM b\"); j(\"Gain\"); assert!(x, \"a reason\"); k(\"DiscreteGpu\"); l(r#\"One two\"#); \
                  m('\"', \"is \\\"quoted\\\" here\"); n::<'a>(\"is last\");";
    let read: Vec<String> =
        literals(source).into_iter().filter(|literal| is_read("a.rs", literal)).map(|literal| literal.text).collect();
    assert_eq!(read, ["Open a file", "Gain", "One two", "is \\\"quoted\\\" here", "is last"]);
}

#[test]
fn an_fft_size_has_one_name_in_the_window() {
    let wrong = |text: &str| -> usize {
        let is_word = |at: &usize| !text[..*at].ends_with(char::is_alphabetic);
        let places = text.match_indices("FFT").map(|(at, _)| at).filter(is_word);
        places.filter(|at| !text[*at..].starts_with("FFT size")).count()
    };
    let is_of_window = |file: &str| file.starts_with("studio/") || file.starts_with("workbench/");
    let mut n_named = 0;
    for (file, source) in sources().iter().filter(|(file, _)| is_of_window(file)) {
        for literal in literals(source).iter().filter(|literal| is_read(file, literal)) {
            assert_eq!(wrong(&literal.text), 0, "{file}: {}", literal.text);
            n_named += literal.text.matches("FFT size").count();
        }
    }
    assert!(n_named > 10, "{n_named}");
    assert_eq!(["FFT", "FFT 512, 4 ms", "an STFT", "FFT size 512"].map(wrong), [1, 1, 0, 0], "the check can fail");
}
