//! Each test that `docs/reliability.md` names exists, since promises without tests are worthless.

use super::support::sources::test_module;
use std::collections::BTreeSet;
use std::path::Path;

/// Names of tests that a text gives in backticks: `module::name`, and window tests as `window::name`.
fn named(text: &str) -> BTreeSet<(String, String)> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_word =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c));
    let pairs = quoted.filter_map(|quoted| quoted.split_once("::"));
    pairs.filter(|(a, b)| is_word(a) && is_word(b)).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

/// The named tests that do not exist.
fn missing(text: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let exists = |module: &str, name: &str| {
        let text = match module {
            "window" => std::fs::read_to_string(root.join("window/main.rs")).unwrap(),
            _ => test_module(module),
        };
        match module {
            "window" => text.contains(&format!("(\"{name}\", ")),
            _ => text.split("#[test]").skip(1).any(|test| test.trim_start().starts_with(&format!("fn {name}("))),
        }
    };
    let named = named(text).into_iter().filter(|(module, name)| !exists(module, name));
    named.map(|(module, name)| format!("{module}::{name}")).collect()
}

#[test]
fn every_test_in_the_table_of_failures_exists() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reliability.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| ") && line[2..3].chars().all(|c| c.is_ascii_digit()));
    assert_eq!(rows.count(), 28);
    assert!(named(&text).len() > 40, "{}", named(&text).len());
    assert_eq!(missing(&text), Vec::<String>::new());
}

/// The comparison can fail.
#[test]
fn a_test_that_is_not_there_is_missed() {
    let text =
        "`reliability_table::a_test_that_is_not_there_is_missed`, `bad_inputs::no_such_test`, `window::no_such_case`";
    assert_eq!(missing(text), ["bad_inputs::no_such_test", "window::no_such_case"]);
}
