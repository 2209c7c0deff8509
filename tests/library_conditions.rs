//! Conditions of `library search --where` that are wrong: one sentence that names the place and what is allowed there.

use super::library_store::{library, sounds};
use super::support::program::Place;
use sonobrush::base::ErrorKind;
use sonobrush::library::descriptors::COLUMNS;
use sonobrush::library::search::SoundFilter;

/// A condition in which `^` stands before what is wrong, or at the end; and a part of the sentence.
const WRONG: [(&str, &str); 32] = [
    ("^", "a name, not or ( is expected"),
    ("  ^", "a name, not or ( is expected"),
    ("lufs > 1 and^", "a name, not or ( is expected"),
    ("lufs > 1 or ^and lufs < 2", "nothing is known as \"and\""),
    ("not^", "a name, not or ( is expected"),
    ("^2 > lufs", "2 is not a name; a name, not or ( is expected"),
    ("^'A minor' = key", "'A minor' is not a name"),
    ("^> 2", "\">\" is not a name"),
    ("^loudness > 2", "nothing is known as \"loudness\"; names are duration_secs, "),
    ("lufs > 1 and (^file_hash = 'a')", "names are duration_secs, "),
    ("lufs^", "lufs needs one of = != < <= > >= behind it"),
    ("lufs ^is 2", "lufs needs one of = != < <= > >= behind it"),
    ("lufs ^(1)", "lufs needs one of = != < <= > >= behind it"),
    ("lufs >^", "lufs > needs a number or a quoted text behind it"),
    ("lufs >= ^lufs", "lufs >= needs a number or a quoted text behind it"),
    ("key =^= 'A'", "key = needs a number or a quoted text behind it"),
    ("lufs > ^(SELECT 1)", "lufs > needs a number or a quoted text behind it"),
    ("lufs > ^'loud'", "lufs is compared with a number"),
    ("key = ^3", "key is compared with a quoted text"),
    ("key != ^true", "key is compared with a quoted text"),
    ("duration_secs < 2^,5", "',' is not expected; names, numbers, texts in ' or \", "),
    ("lufs > 1 ^&& lufs < 2", "'&' is not expected; names, numbers, texts in ' or \", "),
    ("key = ^\u{2018}A minor\u{2019}", "is not expected; names, numbers, texts in ' or \", "),
    ("key = 'caf\u{e9}' ^; DROP TABLE sound", "';' is not expected"),
    ("lufs > ^1e999", "\"1e999\" is not a number such as -20 or 1.5"),
    ("lufs > ^1-2", "\"1-2\" is not a number such as -20 or 1.5"),
    ("lufs > ^--", "\"--\" is not a number"),
    ("key = ^'A minor", "the text is not closed by a second '"),
    ("key = ^\"A", "the text is not closed by a second \""),
    ("lufs > 1 and ^(lufs < 2 or key = 'A'", "a bracket is not closed by )"),
    ("lufs > 1^) or lufs < 2", "\")\" is not expected after a comparison; and, or or the end is"),
    ("lufs > 1 ^lufs < 2", "\"lufs\" is not expected after a comparison; and, or or the end is"),
];

fn assert_wrong(marked: &str, what: &str) {
    let condition = marked.replacen('^', "", 1);
    let n_before = marked.chars().take_while(|letter| *letter != '^').count();
    let is_at_end = marked.ends_with('^');
    let place = if is_at_end { "at its end: ".into() } else { format!("at character {}: ", n_before + 1) };
    let error = SoundFilter::parse(&condition).unwrap_err();
    let sentence = error.message();
    assert_eq!(error.kind(), ErrorKind::Script, "{condition}");
    assert!(sentence.starts_with(&format!("the condition is wrong {place}")), "{condition}: {sentence}");
    assert!(sentence.contains(what) && !sentence.contains('\n'), "{condition}: {sentence}");
}

#[test]
fn every_bad_condition_names_the_place_and_what_is_allowed() {
    WRONG.iter().for_each(|(marked, what)| assert_wrong(marked, what));
    // Too many comparisons, and too deep: the first one that is too much.
    let many = |n: usize| vec!["lufs > 1"; n].join(" or ");
    assert!(SoundFilter::parse(&many(16)).is_ok());
    assert_wrong(&format!("{} or ^lufs > 1", many(16)), "at most 16 comparisons");
    let deep = |n: usize| format!("{}lufs > 1{}", "(".repeat(n), ")".repeat(n));
    assert!(SoundFilter::parse(&deep(7)).is_ok());
    assert_wrong(&format!("{}^lufs > 1{}", "(".repeat(8), ")".repeat(8)), "nested 8 deep");
    assert_wrong(&format!("{}^not lufs > 1", "not ".repeat(8)), "nested 8 deep");
}

/// The control: what the sentences allow is taken.
#[test]
fn what_the_sentences_allow_is_taken() {
    for column in COLUMNS {
        let constant = if column.is_text() { "'A'" } else { "-1.5e-3" };
        for operator in ["=", "!=", "<", "<=", ">", ">="] {
            SoundFilter::parse(&format!("{}{operator}{constant}", column.name)).unwrap();
        }
    }
    SoundFilter::parse("NOT (Key = \"it's\" AND silent = FALSE) or lufs > +.5").unwrap();
}

#[test]
fn a_bad_condition_is_one_line_of_the_commands_that_take_one() {
    let place = Place::new();
    sounds(&place, "in", 2);
    library(&place, &["add", "in"]);
    for arguments in [&["search", "tone"][..], &["similar", "1"]] {
        let line = place.failed(&[&["library", "--library", "l/lib.db"], arguments, &["--where", "lufs >"]].concat());
        assert!(line.contains("wrong at its end: lufs > needs a number"), "{line}");
    }
}
