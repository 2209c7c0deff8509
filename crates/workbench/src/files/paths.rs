//! File names and extensions.

use crate::base::{Error, Result, shown_path};
use crate::document::labels::formats::format_of_name;
use crate::document::labels::{Label, NamePattern, NamedFiles, SoundPart};
use crate::document::output::cells_file::name_of_pair;
use crate::media::Container;
use std::path::{Path, PathBuf};

/// Adds a path to an error that has none.
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

/// Fills in a file name that is a pattern, such as `{name}_{start}.wav`, for a range in seconds of the sound named
/// `sound`. A name without a brace is unchanged.
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

/// Adds the extension of a format (`None`: WAV) to a name without an extension.
pub fn with_sound_ending(path: PathBuf, container: Option<Container>) -> PathBuf {
    if path.extension().is_some() { path } else { path.with_extension(container.unwrap_or_default().ending()) }
}

/// The name of a picture of cells: PNG by its extension, else OpenEXR; appends `.exr` to any other extension.
pub fn with_exr_or_png(path: PathBuf) -> PathBuf {
    if is_png(&path) { name_of_pair(path) } else { with_other(path, "exr") }
}

/// Whether a name has the extension `png`, in any case.
pub fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"))
}

/// Appends `.png` unless the name has that extension.
pub fn with_png(path: PathBuf) -> PathBuf {
    with_other(path, "png")
}

/// Appends `.csv` to the name of a label file unless it has the extension of a known format.
pub fn with_label_ending(path: PathBuf) -> PathBuf {
    if format_of_name(&path).is_some() { path } else { with_other(path, "csv") }
}

/// Appends `.csv` to the name of a table unless it has the extension of CSV or Parquet.
pub fn with_table_ending(path: PathBuf) -> PathBuf {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
        return path;
    }
    with_other(path, "csv")
}

/// Appends `.csv` unless the name has that extension.
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

/// Appends the project extension, keeping any other: `take 2.1` becomes `take 2.1.sonobrush`.
pub fn with_ending(path: PathBuf) -> PathBuf {
    if has_ending(&path) {
        return path;
    }
    let mut name = path.into_os_string();
    name.push(".sonobrush");
    PathBuf::from(name)
}
