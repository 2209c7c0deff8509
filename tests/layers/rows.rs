//! The rows of the workspace, and what each may import and name.

use super::house::{House, Place, Room, Spelled, row_of};
use std::collections::BTreeSet;

/// A row.
struct Row {
    name: &'static str,
    /// The rows that it may import beside `base` and itself.
    imports: &'static [&'static str],
    /// The crates that it may name and that are not named everywhere.
    crates: &'static [&'static str],
}

const BELOW_WORKBENCH: &[&str] =
    &["dsp", "media", "gpu", "engine", "document", "view", "playback", "recording", "library"];
const BELOW_STUDIO: &[&str] =
    &["dsp", "media", "gpu", "engine", "document", "view", "playback", "recording", "workbench"];

const BELOW_CLI: &[&str] =
    &["dsp", "media", "gpu", "engine", "document", "view", "playback", "recording", "workbench", "library"];

/// From the ground up.
const ROWS: &[Row] = &[
    Row {
        name: "base",
        imports: &[],
        crates: &["chrono", "directories", "tempfile", "libc", "rustix", "signal_hook", "rusqlite"],
    },
    Row { name: "dsp", imports: &[], crates: &["rustfft", "realfft", "ebur128", "half"] },
    Row {
        name: "media",
        imports: &["dsp"],
        crates: &[
            "symphonia",
            "symphonia_adapter_libopus",
            "hound",
            "flac_codec",
            "image",
            "libc",
            "tempfile",
            "midly",
            "mp3lame_encoder",
            "ogg",
            "opus",
        ],
    },
    Row { name: "gpu", imports: &["dsp"], crates: &["wgpu", "pollster"] },
    Row { name: "engine", imports: &["dsp", "gpu"], crates: &[] },
    Row { name: "document", imports: &["dsp", "media", "engine"], crates: &["rusqlite", "blake3"] },
    Row { name: "view", imports: &["dsp", "media", "gpu", "engine", "document"], crates: &["ab_glyph", "image"] },
    Row { name: "playback", imports: &["media", "document"], crates: &["cpal", "rtrb"] },
    Row { name: "recording", imports: &["media", "playback"], crates: &["cpal", "rtrb"] },
    Row {
        name: "library",
        imports: &["dsp", "media", "engine", "document"],
        crates: &[
            "blake3",
            "half",
            "image",
            "notify",
            "parquet",
            "rusqlite",
            "rusty_chromaprint",
            "unicode_normalization",
        ],
    },
    Row { name: "workbench", imports: BELOW_WORKBENCH, crates: &[] },
    Row {
        name: "studio",
        imports: BELOW_STUDIO,
        // wgpu: eframe's set-up and the canvas's texture format. egui_wgpu has a rule of its own below. winit, x11rb:
        // which display the window opens on. smithay_clipboard: what is dropped there.
        crates: &["egui", "eframe", "rfd", "wgpu", "egui_wgpu", "winit", "x11rb", "smithay_clipboard"],
    },
    Row {
        name: "cli",
        imports: BELOW_CLI,
        crates: &["clap", "ctrlc", "signal_hook", "indicatif", "tracing_subscriber", "realfft"],
    },
    Row { name: "main", imports: &["studio", "cli"], crates: &[] },
];

/// Whether a name is that of a row, the program's own included.
pub fn is_row(name: &str) -> bool {
    ROWS.iter().any(|row| row.name == name)
}

/// Named anywhere: the language's own crates and tools, and these.
const EVERYWHERE: &[&str] =
    &["std", "core", "alloc", "clippy", "rustfmt", "tracing", "serde", "serde_json", "bytemuck", "rayon"];

/// Types whose names begin like a crate's: `f32::consts::PI`.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64",
];

/// The one file that draws through egui_wgpu.
const EGUI_WGPU: &str = "studio/canvas/paint.rs";

/// Every import and every name of a crate that the table does not allow, one sentence each.
pub fn violations(house: &House) -> Vec<String> {
    let mut found = Vec::new();
    for (place, room) in &house.rooms {
        let name = row_of(&room.file);
        if name == "lib" {
            continue;
        }
        let Some(row) = ROWS.iter().find(|row| row.name == name) else {
            found.push(format!("{}: {name} is no row of the table", room.file));
            continue;
        };
        found.extend(violations_in(house, place, room, row));
    }
    found.sort();
    found.dedup();
    found
}

fn violations_in(house: &House, place: &Place, room: &Room, row: &Row) -> Vec<String> {
    let imported = room.module.imports.iter().map(|import| (&import.path, true));
    let named = room.module.paths.iter().map(|path| (path, false));
    let broken = imported.chain(named).filter_map(|(path, is_import)| {
        let broken = match house.spelled_out(place, path) {
            Some(Spelled::Own(path)) => row.import_violation(&path),
            Some(Spelled::Foreign(path)) => row.crate_violation(&path, &room.file),
            // A `use` that names nothing of ours names a crate, and so does a path that begins in lower case.
            None if is_import || path[0].starts_with(|letter: char| letter.is_lowercase()) => {
                row.crate_violation(path, &room.file)
            }
            None => None,
        };
        broken.map(|what| format!("{}: {what}", room.file))
    });
    let is_elsewhere = room.module.has_text_elsewhere;
    let elsewhere = is_elsewhere.then(|| format!("{}: takes code from a place that its name does not say", room.file));
    broken.chain(elsewhere).collect()
}

impl Row {
    /// What is wrong with importing `path`, which begins at the crate's root.
    fn import_violation(&self, path: &[String]) -> Option<String> {
        let other = path.first()?;
        let is_row = ROWS.iter().any(|row| row.name == other);
        let is_allowed = other == self.name || other == "base" || self.imports.contains(&other.as_str());
        (is_row && !is_allowed).then(|| format!("{} imports {other}", self.name))
    }

    /// What is wrong with naming `path`, which begins with a crate.
    fn crate_violation(&self, path: &[String], file: &str) -> Option<String> {
        let name = path.first()?.as_str();
        let draws = path.iter().any(|part| part == "egui_wgpu") && path.iter().any(|part| part.starts_with("Callback"));
        // eframe's own set-up types live there too; only drawing is confined.
        if draws && file != EGUI_WGPU {
            return Some(format!("only {EGUI_WGPU} draws through egui_wgpu"));
        }
        if EVERYWHERE.contains(&name) || PRIMITIVES.contains(&name) || self.crates.contains(&name) {
            return None;
        }
        let is_of_another_row = ROWS.iter().any(|row| row.crates.contains(&name));
        let why = if is_of_another_row { "names" } else { "is not in the table with" };
        Some(format!("{} {why} {name}", self.name))
    }
}

#[test]
fn every_file_keeps_to_its_row() {
    let house = super::house();
    assert!(house.rooms.len() > 40, "only {} modules were found", house.rooms.len());
    let found = violations(house);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What the map of a page says that a row may import: the names in backticks in the second cell of the row's line.
fn mapped<'a>(page: &'a str, row: &str) -> Option<BTreeSet<&'a str>> {
    let rest = page.lines().find_map(|line| line.strip_prefix(&format!("| `{row}` |")))?;
    Some(rest.split('|').next()?.split('`').skip(1).step_by(2).collect())
}

#[test]
fn the_map_of_the_architecture_shows_what_each_row_may_import() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let page = std::fs::read_to_string(path).unwrap();
    for row in ROWS.iter().filter(|row| row.name != "main") {
        let imports: BTreeSet<&str> = row.imports.iter().copied().collect();
        assert_eq!(mapped(&page, row.name), Some(imports), "{}", row.name);
    }
    assert_eq!(mapped("| `dsp` | `media` `gpu` | `x` |", "dsp"), Some(BTreeSet::from(["media", "gpu"])), "it is read");
    assert_eq!(mapped(&page, "sound"), None);
}

/// What a file with this text breaks, in a house of a few rows.
fn planted(file: &str, text: &str) -> Vec<String> {
    let files = [
        ("lib.rs", "pub mod base; pub mod dsp; pub mod studio;"),
        ("studio/mod.rs", "mod app; pub use app::App;"),
        ("studio/app.rs", "pub struct App;"),
        ("dsp/mod.rs", "pub mod mask;"),
        (file, text),
    ];
    violations(&House::of(files.map(|(file, text)| (file.to_owned(), text.to_owned()))))
}

#[test]
fn planted_violations_of_rows_are_found() {
    let planted_violations = [
        ("dsp/mask.rs", "use crate::document::Edit;"),
        ("dsp/mask.rs", "fn f() { let x = crate::media::Source::open(p); }"),
        ("dsp/mask.rs", "fn f() -> Vec<crate::media::Source> {}"),
        ("view/tiles.rs", "use crate::{dsp::Grid, playback::Player};"),
        ("view/tiles.rs", "use crate::{base::{Error, lock}, dsp::{Grid, mask::{self, Mask}}, playback::{Player}};"),
        ("document/apply.rs", "fn f(d: wgpu::Device) {}"),
        ("engine/mod.rs", "use realfft::RealFftPlanner;"),
        ("engine/mod.rs", "pub(crate) use realfft::RealFftPlanner;"),
        ("dsp/mask.rs", "use chrono::Utc;"),
        ("dsp/mask.rs", "fn f() { chrono::now() }"),
        ("cli/mod.rs", "use crate::studio::App;"),
        ("cli/mod.rs", "fn f() { sonobrush::studio::run() }"),
        ("workbench/mod.rs", "use egui::Key;"),
        ("workbench/files.rs", "fn f() { rfd::FileDialog::new() }"),
        ("workbench/files.rs", "use crate::studio::App;"),
        ("playback/control.rs", "use crate::workbench::Workbench;"),
        ("studio/canvas/mod.rs", "fn f() { egui_wgpu::Callback::new_paint_callback(a, b); }"),
        ("studio/canvas/mod.rs", "use eframe::egui_wgpu::{self as gpu}; fn f() { gpu::CallbackTrait::paint(); }"),
        ("sound/mod.rs", ""),
    ];
    for (file, text) in planted_violations {
        assert_eq!(planted(file, text).len(), 1, "{file}: {text}: {:?}", planted(file, text));
    }
}

#[test]
fn planted_ways_around_are_found() {
    let ways = [
        // Up and down again.
        ("dsp/mask.rs", "use super::super::studio::App;"),
        ("dsp/mask.rs", "fn f() { super::super::studio::run() }"),
        ("dsp/mask.rs", "use self::super::super::studio::App;"),
        ("dsp/mask.rs", "use super::{super::{studio::{App}}};"),
        ("dsp/mask/shapes.rs", "mod tests { use super::super::super::super::studio::App; }"),
        ("dsp/mask.rs", "mod inner { fn f() { super::super::super::studio::run() } }"),
        // Another name for the root, a row or a crate.
        ("dsp/mask.rs", "use crate as all; fn f() { all::studio::run() }"),
        ("dsp/mask.rs", "use super::super as up; use up::studio::App;"),
        ("dsp/mask.rs", "use crate::*; fn f() { studio::run() }"),
        ("dsp/mod.rs", "extern crate wgpu as w;"),
        ("dsp/mask.rs", "use wgpu as w;"),
        ("dsp/mask.rs", "fn f() { use crate::studio::App; }"),
        ("dsp/mask.rs", "fn f() { ::wgpu::start() }"),
        ("dsp/mask.rs", "#[derive(egui::Widget)] struct A;"),
        // The text of another file.
        ("dsp/mask.rs", "#[path = \"../studio/app.rs\"] mod app;"),
        ("dsp/mask.rs", "include!(\"../studio/app.rs\");"),
        ("dsp/mask.rs", "fn f() { include!(\"../studio/app.rs\") }"),
    ];
    for (file, text) in ways {
        assert!(!planted(file, text).is_empty(), "{file}: {text}");
    }
}

#[test]
fn what_is_allowed_is_no_violation_of_rows() {
    let allowed = [
        ("document/apply.rs", "use crate::base::Result;\nuse crate::dsp::{Grid, Stft};"),
        ("dsp/mask.rs", "// crate::studio is above\nconst A: &str = \"crate::studio::x\";"),
        ("dsp/mask.rs", "/* crate::studio /* wgpu::Device */ egui::Key */ const A: &str = r#\"\"wgpu::x\"#;"),
        ("dsp/mask.rs", "use super::mask2::X; mod image; fn f<'a>(c: char) { image::read('\"', 'a', '\\'', b'/') }"),
        ("dsp/mask.rs", "const A: &str = include_str!(\"../../docs/a.md\"); fn f() { g(include) }"),
        ("dsp/mask.rs", "use std::sync::mpsc; fn f() { mpsc::channel(); f32::from_bits(0); T::default() }"),
        ("workbench/mod.rs", "use crate::{playback::Player, view::Tiles}; use tracing::info;"),
        ("cli/mod.rs", "use crate::workbench::Workbench;"),
        ("studio/canvas/paint.rs", "fn f() { egui_wgpu::Callback::new_paint_callback(a, b); }"),
        ("studio/run.rs", "use eframe::egui_wgpu::WgpuSetup;"),
    ];
    for (file, text) in allowed {
        assert_eq!(planted(file, text), [""; 0], "{file}: {text}");
    }
}
