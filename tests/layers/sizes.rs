//! Limits the number of fields of a struct. (A lint limits the length of functions.)

use super::house;
use crate::support::rust_tokens::{Token, tokens};
use crate::support::sources::sources;

/// A struct beyond this is several.
const MAX_FIELDS: usize = 20;

/// The window's struct.
const WINDOW: (&str, usize) = ("Studio", 12);

/// Structs that are a table of data, each with its reason. The list may only shrink.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("Facts", "a table: one fact for each thing that a command may need"),
    ("Palette", "a table: one colour for each use"),
    ("BrushFields", "a table: the fields that version 0.1 wrote"),
];

/// The structs of a text that have named fields, with how many.
fn structs(text: &str) -> Vec<(String, usize)> {
    let tokens = tokens(text);
    let starts = (0..tokens.len()).filter(|&at| tokens[at].is_word("struct"));
    starts.filter_map(|at| fields_of(&tokens[at + 1..])).collect()
}

/// The name and the number of fields of a struct whose tokens start after the word; none without named fields.
fn fields_of(tokens: &[Token]) -> Option<(String, usize)> {
    let Token::Word(name) = tokens.first()? else { return None };
    let open = tokens.iter().position(|token| ['{', ';', '('].iter().any(|&mark| token.is_mark(mark)))?;
    let mut depth = 0;
    let mut n_fields = 0;
    for token in &tokens[open..] {
        match token {
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark('}' | ')' | ']') => depth -= 1,
            // Types have paths, whose separator is a token of its own.
            Token::Mark(':') if depth == 1 => n_fields += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    tokens[open].is_mark('{').then(|| (name.clone(), n_fields))
}

/// What is wrong with the structs of a text.
fn violations(file: &str, text: &str) -> Vec<String> {
    let max_of = |name: &str| if name == WINDOW.0 { WINDOW.1 } else { MAX_FIELDS };
    let is_excepted = |name: &str| EXCEPTIONS.iter().any(|(known, _)| *known == name);
    let large = structs(text).into_iter().filter(|(name, n_fields)| *n_fields > max_of(name) && !is_excepted(name));
    large.map(|(name, n_fields)| format!("{file}: {name} has {n_fields} fields")).collect()
}

#[test]
fn no_struct_has_too_many_fields() {
    let found: Vec<String> = sources().iter().flat_map(|(file, text)| violations(file, text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_list_of_large_structs_only_shrinks() {
    let all: Vec<(String, usize)> = sources().iter().flat_map(|(_, text)| structs(text)).collect();
    assert!(all.len() > 300 && house().rooms.len() > 300, "{} structs", all.len());
    for (name, _) in EXCEPTIONS {
        let is_large = all.iter().any(|(known, n_fields)| known == name && *n_fields > MAX_FIELDS);
        assert!(is_large, "{name} is small: take it off the list");
    }
}

#[test]
fn planted_structs_are_counted() {
    let with = |name: &str, n: usize| {
        let fields: String =
            (0..n).map(|k| format!("    /// A: b.\n    pub a{k}: std::vec::Vec<[u8; 2]>,\n")).collect();
        format!("/// A: b.\npub struct {name}<T: Copy> where T: Send {{\n{fields}}}\nimpl A {{ fn f(a: u8) {{}} }}")
    };
    assert_eq!(structs(&with("A", 20)), [("A".to_owned(), 20)]);
    assert_eq!(violations("a.rs", &with("A", 20)), [""; 0]);
    assert_eq!(violations("a.rs", &with("A", 21)), ["a.rs: A has 21 fields"]);
    assert_eq!(violations("a.rs", &with("Studio", 13)).len(), 1);
    assert_eq!(structs("struct A(u8, u8); struct B; struct C { a: u8 }"), [("C".to_owned(), 1)]);
}
