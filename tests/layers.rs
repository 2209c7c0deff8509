//! The layers of `src/` and what each may import, proven by reading every file.

use std::path::{Path, PathBuf};

/// A layer, the layers that it may import beside `base` and itself, and the crates that only it may name.
const LAYERS: &[(&str, &[&str], &[&str])] = &[
    ("base", &[], &["directories", "tempfile", "libc", "rustix"]),
    ("dsp", &[], &["rustfft", "realfft"]),
    ("media", &["dsp"], &["symphonia", "hound", "rubato", "libc", "tempfile"]),
    ("gpu", &["dsp"], &["wgpu", "pollster"]),
    ("engine", &["dsp", "gpu"], &[]),
    ("document", &["dsp", "media", "engine"], &["rusqlite", "blake3"]),
    ("view", &["dsp", "gpu", "engine", "document"], &["image"]),
    ("playback", &["media", "document"], &["cpal", "rtrb"]),
    ("workbench", &["dsp", "media", "gpu", "engine", "document", "view", "playback"], &[]),
    (
        "studio",
        &["dsp", "media", "gpu", "engine", "document", "view", "playback", "workbench"],
        // wgpu: eframe's set-up and the canvas's texture format. egui_wgpu has a rule of its own below.
        &["egui", "eframe", "rfd", "wgpu", "egui_wgpu"],
    ),
    (
        "cli",
        &["dsp", "media", "gpu", "engine", "document", "view", "playback"],
        &["clap", "ctrlc", "indicatif", "tracing_subscriber", "realfft"],
    ),
    ("main", &["studio", "cli"], &["sonobrush"]),
];

/// Named anywhere.
const EVERYWHERE: &[&str] =
    &["std", "core", "crate", "self", "super", "thiserror", "tracing", "serde", "serde_json", "bytemuck", "rayon"];

/// The one file that may name egui_wgpu.
const EGUI_WGPU: &str = "studio/canvas/paint.rs";

/// What a text breaks, one sentence each. `file` is relative to `src/`.
fn violations(file: &Path, text: &str) -> Vec<String> {
    let layer = file.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
    if layer == "lib" {
        return Vec::new();
    }
    let Some((_, imports, crates)) = LAYERS.iter().find(|(name, _, _)| *name == layer) else {
        return vec![format!("{}: {layer} is no layer of the table", file.display())];
    };
    let mut found = Vec::new();
    let all_crates: Vec<&str> = LAYERS.iter().flat_map(|(_, _, crates)| crates.iter().copied()).collect();
    for path in paths(&code_of(text)) {
        let (first, second) = (path[0].as_str(), path.get(1).map(String::as_str));
        if let ("crate" | "sonobrush", Some(other)) = (first, second) {
            let is_layer = LAYERS.iter().any(|(name, _, _)| *name == other);
            if is_layer && other != layer && other != "base" && !imports.contains(&other) {
                found.push(format!("{}: {layer} imports {other}", file.display()));
            }
        }
        let is_module = text.contains(&format!("mod {first};"));
        if all_crates.contains(&first) && !crates.contains(&first) && !is_module {
            found.push(format!("{}: {layer} names {first}", file.display()));
        }
        if path.iter().any(|part| part == "egui_wgpu") && file != Path::new(EGUI_WGPU) && layer == "studio" {
            // eframe's own set-up types live there; only drawing is confined.
            if path.iter().any(|part| part.starts_with("Callback")) {
                found.push(format!("{}: only {EGUI_WGPU} draws through egui_wgpu", file.display()));
            }
        }
    }
    for name in used_crates(&code_of(text)) {
        let is_known = EVERYWHERE.contains(&name.as_str()) || all_crates.contains(&name.as_str());
        if !is_known && !is_local(&name, file, text) {
            found.push(format!("{}: {name} is in no row of the table", file.display()));
        }
    }
    found
}

/// The text without comments and string literals.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        code.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some(literal) = rest.strip_prefix('"') {
            let mut end = 0;
            let bytes = literal.as_bytes();
            while end < bytes.len() && bytes[end] != b'"' {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            code.push('"');
            rest = &literal[(end + 1).min(literal.len())..];
        } else if rest.starts_with("'\"'") || rest.starts_with("'/'") {
            rest = &rest[3..];
        } else {
            code.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    code + rest
}

/// Every path in code, `a::b::c` split; groups of a `use` are taken apart one level deep.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = code;
    while let Some(at) = rest.find(is_part) {
        let preceded = rest[..at].ends_with("::") || rest[..at].ends_with('.');
        rest = &rest[at..];
        let mut path = Vec::new();
        loop {
            let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
            path.push(rest[..end].to_owned());
            rest = &rest[end..];
            match rest.strip_prefix("::") {
                Some(after) if after.starts_with(is_part) => rest = after,
                Some(after) if after.starts_with('{') => {
                    let group = &after[1..group_end(after)];
                    for member in split_group(group) {
                        let mut whole = path.clone();
                        whole.extend(paths(member.trim()).into_iter().next().unwrap_or_default());
                        found.push(whole);
                    }
                    rest = &after[1..];
                    break;
                }
                _ => break,
            }
        }
        if !preceded && path.len() > 1 {
            found.push(path);
        }
    }
    found
}

fn group_end(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn split_group(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut members) = (0, 0, Vec::new());
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    members.push(&group[start..]);
    members
}

/// First names of `use` items.
fn used_crates(code: &str) -> Vec<String> {
    code.lines()
        .filter_map(|line| line.trim_start().trim_start_matches("pub ").strip_prefix("use "))
        .map(|path| path.split([':', ';', ' ', '{']).next().unwrap_or_default().to_owned())
        .filter(|name| !name.is_empty() && name.starts_with(|letter: char| letter.is_lowercase()))
        .collect()
}

/// Whether a name is a module declared beside the file.
fn is_local(name: &str, file: &Path, text: &str) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
    let folder = source.parent().unwrap();
    let is_imported = text.lines().any(|line| line.starts_with("use crate::") && line.ends_with(&format!("::{name};")));
    is_imported
        || text.contains(&format!("mod {name}"))
        || folder.join(format!("{name}.rs")).exists()
        || folder.join(name).is_dir()
        || source.with_extension("").join(format!("{name}.rs")).exists()
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_file_keeps_to_its_layer() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = files_under(&src);
    assert!(files.len() > 40, "only {} files were found", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        found.extend(violations(file.strip_prefix(&src).unwrap(), &text));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn planted_violations_are_found() {
    let planted = |file: &str, text: &str| violations(Path::new(file), text);
    assert_eq!(planted("dsp/mask.rs", "use crate::document::Edit;").len(), 1);
    assert_eq!(planted("dsp/mask.rs", "fn f() { let x = crate::media::Source::open(p); }").len(), 1);
    assert_eq!(planted("view/tiles.rs", "use crate::{dsp::Grid, playback::Player};").len(), 1);
    assert_eq!(planted("document/apply.rs", "fn f(d: wgpu::Device) {}").len(), 1);
    assert_eq!(planted("engine/mod.rs", "use realfft::RealFftPlanner;").len(), 1);
    assert_eq!(planted("dsp/mask.rs", "use chrono::Utc;").len(), 1);
    assert_eq!(planted("cli/mod.rs", "use crate::studio::App;").len(), 1);
    assert_eq!(planted("studio/canvas/mod.rs", "fn f() { egui_wgpu::Callback::new_paint_callback(a, b); }").len(), 1);
    assert_eq!(planted("sound/mod.rs", "").len(), 1);
    // What is allowed, or only said in a comment or a text.
    assert_eq!(planted("document/apply.rs", "use crate::base::Result;\nuse crate::dsp::{Grid, Stft};"), [""; 0]);
    assert_eq!(planted("dsp/mask.rs", "// crate::studio is above\nconst A: &str = \"crate::studio::x\";"), [""; 0]);
}
