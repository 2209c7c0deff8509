//! The words that a user reads: they are the terms of `docs/words.md`, and one thing has one name.
//!
//! What counts as read by a user, by rule. A string literal of the source with a letter, and with a space or a capital
//! at its start; and each line of help, a doc comment in `cli/args/mod.rs`. Not literals in tests, attributes,
//! `tracing` calls, spans, asserts and panics; not environment variables and names of enum variants (one word with `_`,
//! or with a capital inside); not SQL (a keyword in capitals at its start); not shaders (`gpu/fft.rs`, which writes
//! WGSL). A single word in lower case is missed by the rule, and a few thread names count although users never see
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A string literal.
struct Literal {
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
            found.push(Literal { text: rest[quote..end].to_owned(), before: statement.clone() });
            end + quote - 1
        } else if letter == '"' {
            let inside = &rest[1..];
            let mut end = 0;
            while !inside[end..].starts_with('"') {
                let escaped = usize::from(inside[end..].starts_with('\\'));
                end += inside[end..].chars().take(1 + escaped).map(char::len_utf8).sum::<usize>();
            }
            found.push(Literal { text: plain(&inside[..end]), before: statement.clone() });
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

/// Lines of help in a file: doc comments of the command line's arguments.
fn help<'a>(file: &str, source: &'a str) -> Vec<&'a str> {
    if !file.contains("cli") || !file.ends_with("args/mod.rs") {
        return Vec::new();
    }
    source.lines().filter_map(|line| line.trim_start().strip_prefix("/// ")).collect()
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

/// Every text that a user reads, by file, each once.
pub fn texts() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for (file, source) in sources() {
        let literals = literals(&source);
        let read = literals.into_iter().filter(|literal| is_read(&file, literal)).map(|literal| literal.text);
        let texts: BTreeSet<String> = help(&file, &source).into_iter().map(str::to_owned).chain(read).collect();
        all.insert(file, texts);
    }
    all
}

/// Phrases that no text needs.
const DIALECT: [&str; 3] = ["so many", "whatever", "whoever"];

/// What `docs/words.md` has terms for: the phrases in backticks in the last column of its table.
fn replaced(page: &str) -> Vec<&str> {
    let cells = page.lines().filter(|line| line.starts_with("| ")).filter_map(|line| line.split('|').nth(3));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

/// Whether a text has a phrase as whole words, in small letters or large ones.
fn says(text: &str, phrase: &str) -> bool {
    let text = text.to_lowercase();
    let is_end = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    text.match_indices(phrase)
        .any(|(at, _)| is_end(text[..at].chars().next_back()) && is_end(text[at + phrase.len()..].chars().next()))
}

#[test]
fn texts_use_the_terms_and_not_what_they_replace() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/words.md")).unwrap();
    let replaced = replaced(&page);
    assert!(replaced.len() > 7, "{replaced:?}");
    let texts = texts();
    let n_texts: usize = texts.values().map(BTreeSet::len).sum();
    assert!(n_texts > 3_000, "{n_texts}");
    let mut found = Vec::new();
    for (file, texts) in &texts {
        let said = texts.iter().flat_map(|text| replaced.iter().chain(&DIALECT).map(move |phrase| (text, phrase)));
        let said = said.filter(|(text, phrase)| says(text, phrase));
        found.extend(said.map(|(text, phrase)| format!("{file}: {text:?} says {phrase:?}")));
    }
    assert!(found.is_empty(), "docs/words.md has the terms:\n{}", found.join("\n"));
    assert!(says("What floats is placed.", "what floats") && !says("a deltaic shore", "delta"), "the check can fail");
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
