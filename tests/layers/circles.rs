//! Circles of files within a row: files that need each other to be understood.
//!
//! A file needs another if it names an item that the other defines: by `use` or by a path in code, through any number
//! of re-exports. Lines that only declare a module or hand a name on, and modules for tests, do not count.

use super::allowed::CIRCLES;
use super::house::{House, row_of};
use super::parser::Compiled;
use std::collections::{BTreeMap, BTreeSet};

/// Files, and those that each needs with the names it takes from them.
type Needs<'a> = BTreeMap<&'a str, BTreeMap<&'a str, BTreeSet<String>>>;

/// What each file needs of others in its row.
fn needs(house: &House) -> Needs<'_> {
    let mut needs = Needs::new();
    for (place, room) in house.rooms.iter().filter(|(_, room)| room.compiled != Compiled::ForTests) {
        for (file, name) in house.taken(place) {
            if file != room.file && row_of(file) == row_of(&room.file) {
                needs.entry(&room.file).or_default().entry(file).or_default().insert(name);
            }
        }
    }
    needs
}

/// The files that `file` needs, straight or through others.
fn reached<'a>(needs: &Needs<'a>, file: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        open.extend(needs.get(file).into_iter().flat_map(BTreeMap::keys).filter(|next| found.insert(**next)));
    }
    found
}

/// The circles (strongly connected components): every file of one needs every other.
fn circles<'a>(needs: &Needs<'a>) -> Vec<BTreeSet<&'a str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = needs.keys().map(|file| (*file, reached(needs, file))).collect();
    let mut found: Vec<BTreeSet<&str>> = Vec::new();
    for (file, below) in &reached {
        if below.contains(file) && !found.iter().any(|circle| circle.contains(file)) {
            let back = |other: &&&str| reached.get(**other).is_some_and(|others| others.contains(file));
            found.push(below.iter().filter(back).copied().collect());
        }
    }
    found
}

/// Circles that are not allowed, and exceptions that are no longer needed, one sentence each.
fn violations(needs: &Needs, allowed: &[(&str, &[&str])]) -> Vec<String> {
    let circles = circles(needs);
    let is_allowed =
        |circle: &BTreeSet<&str>| allowed.iter().any(|(_, files)| circle.iter().all(|file| files.contains(file)));
    let mut found: Vec<String> =
        circles.iter().filter(|circle| !is_allowed(circle)).map(|circle| describe(needs, circle)).collect();
    for (reason, files) in allowed {
        let idle = files.iter().filter(|file| !circles.iter().any(|circle| circle.contains(**file)));
        found.extend(idle.map(|file| format!("strike {file} from the allowed circles ({reason}): it is in none")));
    }
    found
}

/// A circle, with the imports that tie it.
fn describe(needs: &Needs, circle: &BTreeSet<&str>) -> String {
    let mut text = format!("a circle of {} files:", circle.len());
    for file in circle {
        for (other, names) in needs[file].iter().filter(|(other, _)| circle.contains(*other)) {
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            text.push_str(&format!("\n  {file} -> {other}: {}", names.join(", ")));
        }
    }
    text
}

#[test]
fn no_files_of_a_row_go_in_a_circle() {
    let needs = needs(super::house());
    assert!(needs.len() > 40, "only {} files need others", needs.len());
    let found = violations(&needs, CIRCLES);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The circles among planted files, each as its files joined by a space.
fn planted(files: &[(&str, &str)]) -> Vec<String> {
    let face = ("dsp/mod.rs", "mod a; mod b; mod c;");
    let house = House::of([face].iter().chain(files).map(|(file, text)| ((*file).to_owned(), (*text).to_owned())));
    let circles = circles(&needs(&house)).into_iter().map(|circle| circle.into_iter().collect::<Vec<_>>().join(" "));
    circles.collect()
}

#[test]
fn planted_circles_are_found() {
    let a = |text| ("dsp/a.rs", text);
    let b = |text| ("dsp/b.rs", text);
    let two = ["dsp/a.rs dsp/b.rs"];
    assert_eq!(planted(&[a("use super::b::B; pub struct A;"), b("use super::a::A; pub struct B;")]), two);
    assert_eq!(
        planted(&[a("use crate::dsp::b::B; pub struct A;"), b("fn f() { crate::dsp::a::A::new() }pub struct B;")]),
        two
    );
    // Through names that others hand on, whole modules, aliases and globs.
    let face = ("dsp/mod.rs", "mod a; mod b; pub use a::A; pub use self::b::{B as C};");
    assert_eq!(planted(&[face, a("use super::C; pub struct A;"), b("use crate::dsp::{A}; pub struct B;")]), two);
    assert_eq!(
        planted(&[a("use super::b; fn f() { b::g() } pub fn h() {}"), b("use super::a as x; pub fn g() { x::h() }")]),
        two
    );
    assert_eq!(planted(&[face, a("use super::*; pub struct A(C);"), b("use super::A; pub struct B;")]), two);
    let through = ("engine/mod.rs", "pub use crate::dsp::a::A;");
    assert_eq!(planted(&[through, a("use super::b::B; pub struct A;"), b("use crate::engine::A; pub struct B;")]), two);
    // A function named as its module.
    let face = ("dsp/mod.rs", "mod a; mod b; pub use a::a;");
    assert_eq!(planted(&[face, a("use super::b::B; pub fn a() {}"), b("use super::a; pub struct B;")]), two);
    // A parent and what stands below it.
    let parent = ("dsp/mod.rs", "mod a; use a::A; pub const N: usize = 1; pub struct D(A);");
    assert_eq!(planted(&[parent, a("pub struct A([u8; super::N]);")]), ["dsp/a.rs dsp/mod.rs"]);
    // Three files.
    let three = [
        a("use super::b::B; pub struct A;"),
        b("use super::c::C; pub struct B;"),
        ("dsp/c.rs", "use super::a::A; pub struct C;"),
    ];
    assert_eq!(planted(&three), ["dsp/a.rs dsp/b.rs dsp/c.rs"]);
}

#[test]
fn what_goes_one_way_is_no_circle() {
    let one_way = ("dsp/a.rs", "use super::b::B; pub struct A;");
    assert_eq!(planted(&[one_way, ("dsp/b.rs", "// super::a::A\npub struct B;")]), [""; 0]);
    // Declared, handed on, or only for tests.
    let face = ("dsp/mod.rs", "mod a; pub use a::A; pub const N: usize = 1;");
    assert_eq!(planted(&[face, ("dsp/a.rs", "pub struct A([u8; super::N]);")]), [""; 0]);
    assert_eq!(
        planted(&[one_way, ("dsp/b.rs", "pub struct B; #[cfg(test)] mod tests { use super::super::a::A; }")]),
        [""; 0]
    );
    let face = ("dsp/mod.rs", "mod a; #[cfg(test)] mod b;");
    assert_eq!(planted(&[face, one_way, ("dsp/b.rs", "use super::a::A; pub struct B;")]), [""; 0]);
    // Between rows the table of rows decides.
    assert_eq!(
        planted(&[
            ("dsp/a.rs", "use crate::gpu::B; pub struct A;"),
            ("gpu/mod.rs", "use crate::dsp::a::A; pub struct B;")
        ]),
        [""; 0]
    );
}

#[test]
fn the_list_of_allowed_circles_only_shrinks() {
    let files = [
        ("dsp/mod.rs", ""),
        ("dsp/a.rs", "use super::b::B; pub struct A;"),
        ("dsp/b.rs", "use super::a::A; pub struct B;"),
    ];
    let house = House::of(files.map(|(file, text)| (file.to_owned(), text.to_owned())));
    let needs = needs(&house);
    let judged = |allowed: &[(&str, &[&str])]| violations(&needs, allowed).len();
    assert_eq!(judged(&[]), 1);
    assert_eq!(judged(&[("why", &["dsp/a.rs", "dsp/b.rs"])]), 0);
    assert_eq!(judged(&[("why", &["dsp/a.rs", "dsp/b.rs", "dsp/c.rs"])]), 1);
    assert_eq!(judged(&[("why", &["dsp/a.rs"]), ("why", &["dsp/b.rs"])]), 1);
    assert_eq!(judged(&[("why", &["dsp/a.rs", "dsp/b.rs"]), ("why", &["gpu/a.rs", "gpu/b.rs"])]), 2);
}
