//! Saving back: writes the sound over the file that it was opened from, for use as an external editor.
//!
//! At any moment the file is either the old or the new one, and the original is intact: it first gets a second name
//! (`NAME.original.EXT`, once), which becomes the source of the session; then the new file is written beside the old
//! one and replaces it. If another original already has that name, this one is copied to the session's folder.

use super::folder::{SessionFolder, is_file};
use super::source::{ORIGINAL, SourceRef, bytes_of, hash_of, original_of, path_from};
use super::writer::SessionContact;
use crate::base::{
    Error, ErrorKind, Progress, Result, file_id, keep_beside, read_small_file, replace_existing, write_atomic,
};
use crate::document::labels::LabelSet;
use crate::document::{Delivery, ExportReport, Snapshot, deliver};
use crate::media::{Container, FileStamp, SampleFormat, Source};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Note in a session's folder about the file that its sound was saved back to.
const NOTE: &str = "saved-back.json";
/// Maximum size of a note.
const MAX_NOTE_BYTES: u64 = 1 << 16;

/// The file that a sound was saved back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedBack {
    /// The file, links resolved.
    pub file: PathBuf,
    /// Stamps that the file may have if no other program has written to it: that of the last save, or, during a save,
    /// those before and after.
    pub stamps: Vec<FileStamp>,
}

/// An order to save back.
#[derive(Debug, Clone)]
pub struct SaveBackRequest {
    /// The sound to write.
    pub sound: Snapshot,
    /// Its labels.
    pub labels: LabelSet,
    /// Where the sound came from, according to its session.
    pub source: Option<SourceRef>,
    /// The file it was saved back to before; `None` the first time.
    pub saved: Option<SavedBack>,
}

/// Result of saving back.
#[derive(Debug, Clone)]
pub struct SaveBackReport {
    /// The file with its new stamps.
    pub saved: SavedBack,
    /// The source of the history from now on.
    pub source: SourceRef,
    /// Report of the export.
    pub export: ExportReport,
}

/// Checks, without disk access, whether a sound can be saved back to its file.
///
/// # Errors
/// One sentence that suggests Export, if the sound was not opened from a user's file, if the format of that file cannot
/// be written, or if it is a kept original.
pub fn check_can_save_back(sound: &Source, source: Option<&SourceRef>, saved: Option<&SavedBack>) -> Result<PathBuf> {
    let refuse = |why: &str, file: Option<&Path>| {
        let error = Error::new(ErrorKind::Unsupported, why);
        Err(file.map_or_else(|| error.clone(), |file| error.clone().at(file)))
    };
    let file = match (saved, source) {
        (Some(saved), _) => saved.file.clone(),
        (None, Some(SourceRef::Silence | SourceRef::Embedded { .. })) => {
            return refuse("this sound is in no file of its own; use Export", None);
        }
        (None, Some(SourceRef::File { path, .. })) => path.clone(),
        (None, None) => match sound.path() {
            Some(path) => path.to_path_buf(),
            None => return refuse("this sound is in no file of its own; use Export", None),
        },
    };
    if file.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with(ORIGINAL)) {
        return refuse("is a kept original, which is never overwritten; use Export", Some(&file));
    }
    let info = sound.info();
    let is_written = match Container::of(&file) {
        Container::Wav => info.description.starts_with("WAV") && ends_in(&file, &["wav", "wave"]),
        Container::Flac => info.description.starts_with("FLAC"),
        Container::Mp3 | Container::Opus => false,
    };
    if !is_written || matches!(info.format, SampleFormat::Lossy) {
        let why = format!("is {}, and only WAV and FLAC files are saved back; use Export", info.description);
        return refuse(&why, Some(&file));
    }
    Ok(file)
}

fn ends_in(file: &Path, endings: &[&str]) -> bool {
    let ending = file.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    ending.is_some_and(|ending| endings.contains(&ending.as_str()))
}

/// Writes a sound over the file it was opened from. The history continues with the original as its source.
///
/// # Errors
/// As [`check_can_save_back`]; [`Io`](ErrorKind::Io), also if the file was changed in the meantime or the session
/// cannot be written. The file is then unchanged.
pub fn save_back(order: &SaveBackRequest, session: &SessionContact, progress: &Progress) -> Result<SaveBackReport> {
    let original = order.sound.source();
    let file = check_can_save_back(original, order.source.as_ref(), order.saved.as_ref())?;
    let expected = match (&order.saved, &order.source) {
        (Some(saved), _) => saved.stamps.clone(),
        (None, Some(source)) => vec![source.stamp()],
        (None, None) => original.stamp().into_iter().collect(),
    };
    let was = unchanged(&file, &expected)?;
    // Before the file is touched: if the session cannot be written, nothing has changed.
    let folder = session.settled_folder()?;
    let aside = match &order.saved {
        Some(_) => None,
        None => Some(put_aside(&file, order.source.as_ref(), &folder, progress)?),
    };
    let report = Cell::new(None);
    let new_stamp = Cell::new(was);
    let note = |stamps: &[FileStamp]| SavedBack { file: file.clone(), stamps: stamps.to_vec() }.note(&folder);
    let written = (|| {
        if let Some(aside) = &aside {
            session.go_on_with(aside.source.clone())?;
        }
        let fill = |half: &Path| {
            let samples = 0..order.sound.n_samples();
            let sound = (&order.sound, &order.labels);
            let made = deliver(sound, samples, half, &Delivery::default(), progress).map_err(|error| {
                // Name the destination rather than the temporary file.
                if error.path() == Some(half) { error.at(&file) } else { error }
            })?;
            report.set(Some(made));
            Ok(())
        };
        replace_existing(&file, fill, |new| {
            new_stamp.set(FileStamp::of(new));
            note(&[was, FileStamp::of(new)])?;
            unchanged(&file, &expected).map(drop)
        })
    })();
    if let (Err(_), Some(aside)) = (&written, &aside) {
        aside.take_back(order.source.clone().or_else(|| SourceRef::of(original)), session);
    }
    written?;
    let saved = SavedBack { file: file.clone(), stamps: vec![new_stamp.get()] };
    if let Err(error) = saved.note(&folder) {
        tracing::warn!(%error, "what was saved back is noted with the stamp before, too");
    }
    let source = aside.map(|aside| aside.source).or_else(|| order.source.clone()).unwrap_or(SourceRef::Silence);
    Ok(SaveBackReport { saved, source, export: report.take().unwrap_or_default() })
}

/// The stamp of a file, which must be one of those expected.
fn unchanged(file: &Path, expected: &[FileStamp]) -> Result<FileStamp> {
    let refuse = |why: &str| Err(Error::new(ErrorKind::Io, why).at(file));
    match FileStamp::at(file) {
        None => refuse("is no longer there; use Export"),
        Some(found) if expected.contains(&found) => Ok(found),
        Some(_) => refuse("was changed by another program since it was opened; use Export, or open it again"),
    }
}

/// The second name of the original.
struct OriginalFile {
    source: SourceRef,
    /// The path created for it, if any.
    made: Option<PathBuf>,
}

impl OriginalFile {
    /// Undoes a failed save: the session continues with the file itself, and the second name is removed.
    fn take_back(&self, source: Option<SourceRef>, session: &SessionContact) {
        let is_back = source.is_some_and(|source| session.go_on_with(source).is_ok());
        if let Some(made) = self.made.as_ref().filter(|_| is_back) {
            std::fs::remove_file(made).ok();
        }
    }
}

/// Gives the original a second name beside the file. If that is taken by another original, copies it to the session's
/// folder.
fn put_aside(file: &Path, source: Option<&SourceRef>, folder: &Path, progress: &Progress) -> Result<OriginalFile> {
    let beside = original_of(file);
    let is_made = keep_beside(file, &beside)?;
    if is_made || is_same_file(file, &beside, progress)? {
        let stamp = FileStamp::at(&beside).unwrap_or(FileStamp { n_bytes: 0, modified_ns: 0 });
        let hash = source.and_then(SourceRef::hash);
        let source = SourceRef::File { path: beside.clone(), stamp, hash };
        return Ok(OriginalFile { source, made: is_made.then_some(beside) });
    }
    let copy = folder.join(super::folder::SOURCE);
    write_atomic(&copy, |out| {
        let (mut old, _) = crate::base::open_regular(file)?;
        std::io::copy(&mut old, out).map(drop).map_err(|error| Error::io(&error, "written", &copy))
    })?;
    crate::base::keep_private(&copy).map_err(|error| Error::io(&error, "written", &copy))?;
    let stamp = FileStamp::at(&copy).unwrap_or(FileStamp { n_bytes: 0, modified_ns: 0 });
    let hash = Some(hash_of(&copy, progress)?);
    let name = PathBuf::from(file.file_name().unwrap_or_default());
    Ok(OriginalFile { source: SourceRef::Embedded { path: name, stamp, hash }, made: None })
}

/// Whether two paths refer to the same file, or to files with the same contents.
fn is_same_file(one: &Path, other: &Path, progress: &Progress) -> Result<bool> {
    let of = |path: &Path| std::fs::metadata(path).map_err(|error| Error::io(&error, "read", path));
    let (first, second) = (of(one)?, of(other)?);
    if file_id(&first).is_some() && file_id(&first) == file_id(&second) {
        return Ok(true);
    }
    Ok(second.is_file() && first.len() == second.len() && hash_of(one, progress)? == hash_of(other, progress)?)
}

/// [`SavedBack`] as stored in a session's folder; the path is kept as raw bytes.
#[derive(Serialize, Deserialize)]
struct StoredNote {
    file: Vec<u8>,
    stamps: Vec<(u64, i64)>,
}

impl SavedBack {
    /// Writes it to a session's folder, atomically.
    fn note(&self, folder: &Path) -> Result<()> {
        let stamps = self.stamps.iter().map(|stamp| (stamp.n_bytes, stamp.modified_ns)).collect();
        let stored = StoredNote { file: bytes_of(&self.file).into_owned(), stamps };
        let path = folder.join(NOTE);
        let text = serde_json::to_string(&stored)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot be written: {error}")).at(&path))?;
        write_atomic(&path, |out| out.write_all(text.as_bytes()).map_err(|error| Error::io(&error, "written", &path)))?;
        crate::base::keep_private(&path).map_err(|error| Error::io(&error, "written", &path))
    }
}

impl SessionFolder {
    /// The file that the session's sound was saved back to; `None` if it never was.
    pub fn saved_back(&self) -> Option<SavedBack> {
        let note = self.path().join(NOTE);
        let text = is_file(&note).then(|| read_small_file(&note, MAX_NOTE_BYTES).ok()).flatten()?;
        let StoredNote { file, stamps } = serde_json::from_slice(&text).ok()?;
        let stamps = stamps.into_iter().map(|(n_bytes, modified_ns)| FileStamp { n_bytes, modified_ns }).collect();
        Some(SavedBack { file: path_from(&file), stamps })
    }
}
