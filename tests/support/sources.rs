//! The program's own source, for tests that read it.

use std::path::{Path, PathBuf};

/// Every Rust file of `src/` in order of its name: its path in `src/` with `/`, and its text.
pub fn sources() -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    find(&src, &mut files);
    assert!(files.len() > 200, "only {} files were found", files.len());
    let named = files.into_iter().map(|path| {
        let file: Vec<_> = path.strip_prefix(&src).unwrap().iter().map(|part| part.to_str().unwrap()).collect();
        (file.join("/"), std::fs::read_to_string(&path).unwrap())
    });
    let mut sources: Vec<_> = named.collect();
    sources.sort();
    sources
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
