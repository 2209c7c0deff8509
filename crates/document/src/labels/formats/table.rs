//! The table of formats, and the detection of a file's format.

use super::common::import::{Import, ImportedLabels, LabelReading};
use super::common::textual::decoded;
use super::format::{LabelContent, LabelFormat};
use super::{audacity, chapters, csv, generic_seq, raven, srt, textgrid, vtt};
use crate::base::{Error, ErrorKind, Result, read_small_file};
use std::path::Path;

/// Maximum size of a label file.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// All separate file formats, in the order of detection. Cues in WAV files are
/// [`labels_of_chunks`](super::labels_of_chunks) and [`chunks_with_labels`](super::chunks_with_labels).
pub static FORMATS: [LabelFormat; 8] = [
    textgrid::FORMAT,
    vtt::FORMAT,
    srt::FORMAT,
    raven::FORMAT,
    csv::FORMAT,
    audacity::FORMAT,
    generic_seq::FORMAT,
    chapters::FORMAT,
];

/// The format called `name`, if there is one.
pub fn format_named(name: &str) -> Option<&'static LabelFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format to write for a file name; Audacity's for `.txt`.
pub fn format_of_name(path: &Path) -> Option<&'static LabelFormat> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let endings = FORMATS.iter().flat_map(|format| format.endings.iter().map(move |ending| (format, ending)));
    let fitting = endings.filter(|(_, ending)| name.ends_with(&format!(".{ending}")));
    // The longest matching extension, so that `.selections.txt` is not taken for `.txt`.
    fitting.max_by_key(|(_, ending)| ending.len()).map(|(format, _)| format)
}

/// The format of a label file, by its first bytes.
pub fn format_of_head(head: &[u8]) -> Option<&'static LabelFormat> {
    let known = |content: &LabelContent<'_>| FORMATS.iter().find(|format| (format.recognises)(content));
    // An even number of bytes, since UTF-16 cut within a code unit is an error.
    let head = if head.len().is_multiple_of(2) { head } else { &head[..head.len() - 1] };
    known(&LabelContent::Bytes(head)).or_else(|| known(&LabelContent::Text(&decoded(head).ok()?.0)))
}

/// Reads a label file in the given format, or in the detected one for `None`.
///
/// # Errors
/// [`Malformed`](ErrorKind::Malformed) with the first error and its position, `3:7: expected a time in seconds`, and
/// for an empty file if no format is given; [`Unsupported`](ErrorKind::Unsupported) for an unknown format;
/// [`Limit`](ErrorKind::Limit) for a file over 64 MB or too many labels; [`Io`](ErrorKind::Io).
pub fn read_label_file(
    path: &Path,
    format: Option<&'static LabelFormat>,
    reading: &LabelReading,
) -> Result<ImportedLabels> {
    let bytes = read_small_file(path, MAX_FILE_BYTES)?;
    read_label_bytes(&bytes, format, reading).map_err(|error| error.at(path))
}

/// Reads the contents of a label file.
///
/// # Errors
/// As [`read_label_file`], without the file.
pub fn read_label_bytes(
    bytes: &[u8],
    format: Option<&'static LabelFormat>,
    reading: &LabelReading,
) -> Result<ImportedLabels> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::new(ErrorKind::Limit, "is larger than the limit of 64 MB"));
    }
    if bytes.is_empty() && format.is_none() {
        return Err(Error::new(ErrorKind::Malformed, "is empty; choose a file that holds labels"));
    }
    let is_chosen = |known: &LabelFormat| format.is_none_or(|chosen| chosen == known);
    let binary = FORMATS.iter().find(|known| is_chosen(known) && (known.recognises)(&LabelContent::Bytes(bytes)));
    if let Some((format, read)) = binary.and_then(|format| Some((format, format.read_bytes?))) {
        let mut import = Import::new(reading);
        read(bytes, &mut import)?;
        return Ok(import.finish(format.name));
    }
    let (text, notice) = decoded(bytes)?;
    let format = match format {
        Some(format) => format,
        None => {
            let known = FORMATS.iter().find(|format| (format.recognises)(&LabelContent::Text(&text)));
            known.ok_or_else(not_known)?
        }
    };
    let read = format.read_text.ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, format!("cannot be read as {}, which is only written", format.title))
    })?;
    let mut import = Import::new(reading);
    import.notices.extend(notice);
    read(&text, &mut import)?;
    Ok(import.finish(format.name))
}

fn not_known() -> Error {
    let names: Vec<&str> =
        FORMATS.iter().filter(|format| format.read_text.is_some()).map(|format| format.title).collect();
    let what = format!("is no file of labels that is known; save it as one of {}", names.join(", "));
    Error::new(ErrorKind::Unsupported, what)
}
