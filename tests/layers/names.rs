//! A type's name means one thing: no two public types share it.

use super::allowed::SHARED_NAMES;
use super::house::House;
use super::parser::Compiled;
use std::collections::BTreeMap;

/// Where each public type is defined, by name. `pub(crate)` and `pub(super)` count: readers meet those names as well.
/// What takes the place of another in some builds has its name on purpose.
fn public_types(house: &House) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for room in house.rooms.values().filter(|room| room.compiled == Compiled::Always) {
        let is_type = |kind: &str| matches!(kind, "struct" | "enum" | "union" | "trait" | "type");
        for definition in &room.module.definitions {
            if definition.is_public && definition.compiled == Compiled::Always && is_type(&definition.kind) {
                found.entry(&definition.name).or_default().push(&room.file);
            }
        }
    }
    found
}

/// Shared names that are not allowed, and exceptions that are no longer needed, one sentence each.
fn violations(types: &BTreeMap<&str, Vec<&str>>, allowed: &[&str]) -> Vec<String> {
    let shared = types.iter().filter(|(_, files)| files.len() > 1);
    let wrong = shared.filter(|(name, _)| !allowed.contains(name));
    let mut found: Vec<String> =
        wrong.map(|(name, files)| format!("{name} is defined in {}", files.join(", "))).collect();
    let idle = allowed.iter().filter(|name| types.get(**name).is_none_or(|files| files.len() < 2));
    found.extend(idle.map(|name| format!("strike {name} from the shared names: it is defined once at most")));
    found
}

#[test]
fn no_two_public_types_share_a_name() {
    let types = public_types(super::house());
    assert!(types.len() > 200, "only {} public types were found", types.len());
    let found = violations(&types, SHARED_NAMES);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn planted_types_that_share_a_name_are_found() {
    let judged = |a: &str, b: &str, allowed: &[&str]| {
        let files = [("dsp/a.rs", a), ("media/b.rs", b)];
        let house = House::of(files.map(|(file, text)| (file.to_owned(), text.to_owned())));
        violations(&public_types(&house), allowed).len()
    };
    assert_eq!(judged("pub struct Run;", "pub enum Run {}", &[]), 1);
    assert_eq!(judged("pub(crate) trait Run {}", "mod inner { #[derive(Debug)] pub type Run = u8; }", &[]), 1);
    assert_eq!(judged("pub struct Run<'a>(&'a str);", "pub(in crate::media) struct Run { pub a: u8 }", &[]), 1);
    assert_eq!(judged("pub struct Run; mod a { pub struct Run; }", "", &[]), 1);
    assert_eq!(judged("pub struct Run;", "pub struct Run;", &["Run"]), 0);
    assert_eq!(judged("pub struct Run;", "", &["Run"]), 1);
    // Private, of another kind, in a body, in a test, or only handed on.
    assert_eq!(judged("pub struct Run;", "struct Run; pub fn run() {} pub const RUN: u8 = 1;", &[]), 0);
    assert_eq!(judged("pub struct Run;", "fn f() { pub struct Run; } impl A { type Run = u8; }", &[]), 0);
    assert_eq!(judged("pub struct Run;", "pub use crate::dsp::a::Run; // pub struct Run;", &[]), 0);
    assert_eq!(judged("pub struct Run;", "#[cfg(test)] mod tests { pub struct Run; }", &[]), 0);
    // What is compiled instead of the other, unlike what is compiled beside it.
    assert_eq!(judged("#[cfg(unix)] pub struct Run;", "#[cfg(not(unix))] pub struct Run;", &[]), 0);
    assert_eq!(judged("pub struct Run;", "#[cfg(not(unix))] mod other { pub mod inner { pub struct Run; } }", &[]), 0);
    assert_eq!(judged("pub struct Run;", "#[cfg(unix)] #[derive(Debug)] pub struct Run;", &[]), 1);
}
