//! File names and extensions.

use crate::base::{Error, Result, shown_path};
use crate::document::labels::formats::format_of_name;
use crate::document::labels::{Label, NamePattern, NamedFiles, SoundPart};
use crate::document::output::cells_file::name_of_pair;
use crate::media::Container;
use std::path::{Path, PathBuf};

/// An error with the path of its file: its own, or this one.
pub fn with_path(error: Error, path: &Path) -> Error {
    if error.path().is_some() { error } else { error.at(path) }
}

/// A file's name, for display.
pub fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| shown_path(path), |name| shown_path(Path::new(name)))
}

/// A file's folder, absolute.
pub fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    std::path::absolute(&folder).unwrap_or(folder)
}

/// A path whose name may be a pattern, such as `{name}_{start}.wav`, filled in for a range of the named sound. A name
/// without a brace stays as it is.
///
/// # Errors
/// As [`NamePattern::parse`].
pub fn named_by_pattern(path: &Path, sound: &str, secs: [f64; 2]) -> Result<PathBuf> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|name| name.contains('{')) else {
        return Ok(path.to_path_buf());
    };
    let (stem, ending) = match name.rsplit_once('.').filter(|(_, ending)| !ending.contains('}')) {
        Some((stem, ending)) => (stem, Some(ending)),
        None => (name, None),
    };
    let part = SoundPart { samples: 0..1, label: Label::new(secs, "") };
    let named = NamePattern::parse(stem, NamedFiles::Parts)?.names(sound, &[part]).pop().unwrap_or_default();
    Ok(path.with_file_name(ending.map_or_else(|| named.clone(), |ending| format!("{named}.{ending}"))))
}

/// Adds the extension of a format, or `.wav`, to a name without one.
pub fn with_sound_ending(path: PathBuf, container: Option<Container>) -> PathBuf {
    if path.extension().is_some() { path } else { path.with_extension(container.unwrap_or_default().ending()) }
}

/// The name of a picture of cells: PNG by its extension, else OpenEXR; appends `.exr` to any other extension.
pub fn with_exr_or_png(path: PathBuf) -> PathBuf {
    if is_png(&path) { name_of_pair(path) } else { with_other(path, "exr") }
}

/// Whether a name has the extension of PNG.
pub fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"))
}

/// Appends `.png` unless the name ends in it.
pub fn with_png(path: PathBuf) -> PathBuf {
    with_other(path, "png")
}

/// The name of a label file: without a known extension, `.csv` is appended.
pub fn with_label_ending(path: PathBuf) -> PathBuf {
    if format_of_name(&path).is_some() { path } else { with_other(path, "csv") }
}

/// The name of a table of measurements, CSV or Parquet by its extension; `.csv` is appended to others.
pub fn with_table_ending(path: PathBuf) -> PathBuf {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
        return path;
    }
    with_other(path, "csv")
}

/// A path that ends in `.csv`.
pub fn with_csv(path: PathBuf) -> PathBuf {
    with_other(path, "csv")
}

fn with_other(path: PathBuf, wanted: &str) -> PathBuf {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted)) {
        return path;
    }
    let mut name = path.into_os_string();
    name.push(".");
    name.push(wanted);
    PathBuf::from(name)
}

/// Whether a name has the extension of a project.
pub fn has_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "sonobrush")
}

/// Appends the project extension, keeping any other: `take 2.1` is not `take 2`.
pub fn with_ending(path: PathBuf) -> PathBuf {
    if has_ending(&path) {
        return path;
    }
    let mut name = path.into_os_string();
    name.push(".sonobrush");
    PathBuf::from(name)
}
