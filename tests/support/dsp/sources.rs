//! The program's own source and that of its tests, for tests that read them.

use std::path::{Path, PathBuf};

/// Every Rust file of `crates/` and `src/` in order of its name, and its text. A name is the path that other crates
/// write: `dsp/selections/mask/mod.rs`, `dsp/mod.rs` for what a crate begins with, `gpu/buffers/pool.rs` for a row
/// within a crate, and `cli/mod.rs`, `main.rs` for the program.
pub fn sources() -> Vec<(String, String)> {
    let root = super::root();
    let mut sources = named(&root.join("src"), |file| Some(file.to_owned()));
    let crates = std::fs::read_dir(root.join("crates")).unwrap();
    for entry in crates {
        let folder = entry.unwrap().path();
        let row = folder.file_name().unwrap().to_str().unwrap().to_owned();
        sources.extend(named(&folder.join("src"), |file| in_row(&row, file)));
    }
    sources.sort();
    assert!(sources.len() > 200, "only {} files were found", sources.len());
    sources
}

/// The text of one file by its name in [`sources`].
pub fn source(name: &str) -> String {
    let found = sources().into_iter().find(|(file, _)| file == name);
    found.unwrap_or_else(|| panic!("{name} is in no crate")).1
}

/// The text of a module of tests, and of each part where it stands in several crates.
pub fn test_module(name: &str) -> String {
    let root = super::root();
    let crates = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let folders = crates.chain([root]).map(|folder| folder.join("tests"));
    let read = |folder: PathBuf| std::fs::read_to_string(folder.join(format!("{name}.rs"))).ok();
    folders.filter_map(read).collect()
}

fn in_row(row: &str, file: &str) -> Option<String> {
    match (row, file) {
        // It only names its two rows; a tool that makes packages.
        ("audio", "lib.rs") | ("manual", _) => None,
        ("audio", _) => Some(file.to_owned()),
        ("engine", _) if file.starts_with("gpu/") => Some(file.to_owned()),
        (_, "lib.rs") => Some(format!("{row}/mod.rs")),
        _ => Some(format!("{row}/{file}")),
    }
}

fn named(folder: &Path, name: impl Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    let mut files = Vec::new();
    find(folder, &mut files);
    let one = |path: PathBuf| {
        let parts: Vec<_> = path.strip_prefix(folder).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
        Some((name(&parts.join("/"))?, std::fs::read_to_string(&path).unwrap()))
    };
    files.into_iter().filter_map(one).collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
