//! Folders that a reader can take in at a glance: few entries each, and a face that says what lives there.

use crate::docs::files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A folder with more files and folders is a list that nobody reads.
const MAX_ENTRIES: usize = 20;

/// What a folder may begin with.
const FACES: [&str; 3] = ["lib.rs", "main.rs", "mod.rs"];

/// What is wrong with the folders of files given by path and text.
fn violations(files: &[(String, String)]) -> Vec<String> {
    let mut entries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, _) in files {
        let mut path = file.as_str();
        while let Some((folder, name)) = path.rsplit_once('/') {
            entries.entry(folder).or_default().insert(name);
            path = folder;
        }
    }
    let is_source = |folder: &str| folder.split('/').any(|part| part == "src");
    let mut found = Vec::new();
    for (folder, names) in entries.iter().filter(|(folder, _)| is_source(folder)) {
        if names.len() > MAX_ENTRIES {
            found.push(format!("{folder} has {} entries: group them by what a reader would look for", names.len()));
        }
        if !FACES.iter().any(|face| names.contains(face)) {
            found.push(format!("{folder} has no mod.rs"));
        }
        let is_beside = |name: &&&str| names.contains(name.trim_end_matches(".rs")) && name.ends_with(".rs");
        found.extend(names.iter().filter(is_beside).map(|name| format!("{folder}/{name} stands beside its folder")));
    }
    let is_face = |file: &str| file.rsplit_once('/').is_some_and(|(_, name)| FACES.contains(&name));
    let silent = files.iter().filter(|(file, text)| is_face(file) && !text.starts_with("//! "));
    found.extend(silent.map(|(file, _)| format!("{file} does not begin with what lives there: //! ...")));
    found
}

#[test]
fn folders_are_small_and_say_what_lives_there() {
    let paths = files("src", "rs").into_iter().chain(files("crates", "rs"));
    let is_source = |path: &Path| path.components().any(|part| part.as_os_str() == "src");
    let read = |path: &Path| std::fs::read_to_string(crate::support::root().join(path)).unwrap();
    let sources: Vec<(String, String)> = paths
        .filter(|path| is_source(path))
        .map(|path| (path.to_str().unwrap().replace('\\', "/"), read(&path)))
        .collect();
    assert!(sources.len() > 700, "only {} files were found", sources.len());
    let found = violations(&sources);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_planted_street_of_files_is_found() {
    let folder = |n: usize| {
        let files = (0..n).map(|n| (format!("crates/a/src/b/c{n}.rs"), String::new()));
        let faces = ["crates/a/src/b/mod.rs", "crates/a/src/lib.rs"].map(|file| (file.to_owned(), "//! A.\n".into()));
        files.chain(faces).collect::<Vec<_>>()
    };
    assert_eq!(violations(&folder(19)), [""; 0]);
    assert_eq!(violations(&folder(20)).len(), 1);
    let with = |file: &str, text: &str| {
        let mut files = folder(3);
        files.retain(|(known, _)| known != file);
        files.push((file.to_owned(), text.to_owned()));
        violations(&files).len()
    };
    assert_eq!(with("crates/a/src/b/mod.rs", "mod c0;\n"), 1);
    assert_eq!(with("crates/a/src/b.rs", "//! B.\n"), 1);
    assert_eq!(with("crates/a/src/d/e.rs", ""), 1);
    // Folders without sources are not its business, and a program has another face.
    assert_eq!(with("crates/a/tests/d/e.rs", ""), 0);
    assert_eq!(with("crates/m/src/main.rs", "//! A program.\n"), 0);
}
