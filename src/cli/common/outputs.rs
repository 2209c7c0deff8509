//! Checks output paths before any work: they must not overwrite the input, and have a suitable extension and folder.

use crate::base::{Error, ErrorKind, Result, file_id};
use crate::document::Delivery;
use crate::media::Container;
use std::path::Path;

/// Extensions of sound files that can be written. The first three mean WAV.
pub(in crate::cli) const SOUND_ENDINGS: &[&str] = &["wav", "wave", "rf64", "flac", "mp3", "opus"];

/// The formats of sound files, for display.
pub(in crate::cli) const SOUND_KINDS: &str = "WAV, FLAC, MP3 or Opus";

/// Refuses an unsuitable sound file as the output.
///
/// # Errors
/// If `output` does not have the extension of a sound, or its format does not support the chosen options.
pub(in crate::cli) fn refuse_sound(output: &Path, delivery: &Delivery) -> Result<()> {
    refuse_output(output, SOUND_ENDINGS, SOUND_KINDS)?;
    delivery.check_in(Container::of(output)).map_err(|error| error.at(output))
}

/// Refuses to overwrite the input.
///
/// # Errors
/// If writing `output` would destroy `input`.
pub(in crate::cli) fn refuse_same_file(input: &Path, output: &Path) -> Result<()> {
    if is_same_file(input, output) {
        let why = "is the input file; choose another name for the output";
        return Err(Error::new(ErrorKind::Io, why).at(output));
    }
    Ok(())
}

/// Refuses an unsuitable output.
///
/// # Errors
/// If the extension of `output` belongs to another format, or its folder does not exist.
pub(in crate::cli) fn refuse_output(output: &Path, endings: &[&str], format: &str) -> Result<()> {
    refuse_other_format(output, endings, format)?;
    refuse_no_folder(output)
}

/// Refuses an extension of another format; names without one are accepted.
///
/// # Errors
/// If `output` has an extension other than `endings`.
pub(in crate::cli) fn refuse_other_format(output: &Path, endings: &[&str], format: &str) -> Result<()> {
    refuse_bare_ending(output, endings)?;
    let Some(ending) = output.extension().map(|ending| ending.to_string_lossy().to_lowercase()) else { return Ok(()) };
    if endings.contains(&ending.as_str()) {
        return Ok(());
    }
    let what = format!("would contain {format}; end its name in .{}", endings.first().copied().unwrap_or_default());
    Err(Error::new(ErrorKind::Unsupported, what).at(output))
}

/// Refuses a name that consists only of an extension, like that of a hidden file.
///
/// # Errors
/// If `output` is a dot and one of `endings`.
pub(in crate::cli) fn refuse_bare_ending(output: &Path, endings: &[&str]) -> Result<()> {
    let name = output.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    match name.strip_prefix('.') {
        Some(ending) if endings.contains(&ending) => {
            let what = "is nothing but the ending of a name; put a name before it";
            Err(Error::new(ErrorKind::Unsupported, what).at(output))
        }
        _ => Ok(()),
    }
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    let id = |path: &Path| std::fs::metadata(path).ok().and_then(|found| file_id(&found));
    if let (Some(a), Some(b)) = (id(a), id(b)) {
        return a == b;
    }
    matches!((std::fs::canonicalize(a), std::fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// Refuses a report that would replace the output sound or could not be written.
pub(in crate::cli) fn refuse_report(report: &Path, output: &Path) -> Result<()> {
    if report == output {
        return Err(Error::new(ErrorKind::Io, "is the output file; choose another name for the report").at(report));
    }
    refuse_no_folder(report)
}

/// Refuses an output that could not be written.
///
/// # Errors
/// If `output` is a folder, or its folder does not exist.
pub(in crate::cli) fn refuse_no_folder(output: &Path) -> Result<()> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if output.is_dir() || !folder.is_dir() {
        let what = "cannot be written: its folder must exist, and it must not be a folder itself";
        return Err(Error::new(ErrorKind::Io, what).at(output));
    }
    Ok(())
}
