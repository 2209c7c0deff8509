//! Restores a history from a database, bit-exactly; from a damaged one, the steps before the damage.

use super::beat::read_beat;
use super::folder::SessionFolder;
use super::optional::OptionalTables;
use super::rows::{Head, edit_length, read_edit, read_pieces};
use super::source::{SourceError, SourceRef, SourceSearch, find};
use super::{SessionState, damaged, log, schema};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::labels::formats::labels_of_sound;
use crate::document::labels::{Label, LabelSet};
use crate::document::{BLOCK_SAMPLES, Entry, History, Snapshot};
use crate::media::{OpenOptions, Source};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// Storage for changed samples, in memory and on disk.
#[derive(Debug, Clone)]
pub struct SampleStorage {
    /// Maximum memory for the samples.
    pub budget_bytes: u64,
    /// Folder for the rest.
    pub folder: PathBuf,
    /// How the sound itself is opened.
    pub sound: OpenOptions,
}

/// Contents of a database.
#[derive(Debug, Clone)]
pub struct Restored {
    /// Every step with its sound, and the current position.
    pub history: History,
    /// View, selection and so on.
    pub desk: SessionState,
    /// Where the sound comes from.
    pub source: SourceRef,
    /// The project that a session was opened from or saved to, and the position in the history at that time.
    pub project: Option<PathBuf>,
    /// See `project`.
    pub project_position: Option<usize>,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
    /// Reason that it is incomplete; the readable part is restored nevertheless.
    pub damage: Option<Error>,
    /// Version of its layout.
    pub version: u32,
}

/// Opens the session in a folder locked by this process.
///
/// # Errors
/// The reason that its source was not opened, or one sentence about the session.
pub fn open_session(
    folder: &SessionFolder,
    finding: &SourceSearch,
    room: &SampleStorage,
    progress: &Progress,
) -> std::result::Result<Restored, SourceError> {
    let mut first = None;
    for path in folder.databases() {
        let is_log_damaged = log::is_damaged(&path);
        // Of two databases, the newer one may be incomplete; then the older one is opened.
        match schema::open_left_session(&path).and_then(|(connection, version)| {
            let head = Head::read(&connection, version).map_err(|error| error.at(&path))?;
            Ok((connection, version, head))
        }) {
            Ok((connection, version, head)) => {
                let embedded = folder.source_file();
                let (file, has_changed) = match &head.source {
                    SourceRef::Silence => (None, false),
                    SourceRef::File { .. } => {
                        let (path, has_changed) = find(&head.source, finding, None, progress)?;
                        (Some(path), has_changed)
                    }
                    SourceRef::Embedded { .. } => (Some(embedded), false),
                };
                let mut restored = restored(&connection, version, head, (file, has_changed), room, &path, progress)?;
                if is_log_damaged {
                    let what = "its log is corrupted; the last edits may be missing";
                    restored.damage = restored.damage.or(Some(damaged(what).at(&path)));
                }
                return Ok(restored);
            }
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(SourceError::Failed(first.unwrap_or_else(|| damaged("it contains no session").at(folder.path()))))
}

/// Restores the document of a database from the file of its source, or from silence if the file is `None`.
pub(super) fn restored(
    connection: &Connection,
    version: u32,
    mut head: Head,
    (file, has_changed): (Option<PathBuf>, bool),
    room: &SampleStorage,
    path: &Path,
    progress: &Progress,
) -> std::result::Result<Restored, SourceError> {
    let mut notices = Vec::new();
    let source = match &file {
        None => Source::silence(head.n_samples, head.sample_rate_hz, head.n_channels).map_err(|_| {
            let (n, rate, channels) = (head.n_samples, head.sample_rate_hz, head.n_channels);
            damaged(format!("a sound of {n} samples of {channels} channels at {rate} Hz is not possible")).at(path)
        })?,
        Some(file) => {
            let opened = Source::open_with(file, &room.sound, &|_| (), progress);
            let opened = opened.map_err(|error| in_project(error, &head, path))?;
            notices.extend(opened.notices);
            opened.source
        }
    };
    let info = source.info();
    if (info.n_samples, info.sample_rate_hz, info.n_channels) != (head.n_samples, head.sample_rate_hz, head.n_channels)
    {
        let what = "has a different length, sample rate or number of channels from the original source file; locate \
                    the original";
        let error = Error::new(ErrorKind::Malformed, what).at(file.as_deref().unwrap_or(path));
        return Err(in_project(error, &head, path).into());
    }
    if has_changed {
        let name = crate::base::shown_path(file.as_deref().unwrap_or(path));
        notices.push(format!("{name} has changed; edited parts keep the audio they were made from"));
    }
    let mut damage = integrity(connection).err();
    match read_beat(connection, version) {
        Ok(beat) => head.desk.beat = beat,
        Err(error) => damage = damage.or(Some(error)),
    }
    let (optional, notice) = OptionalTables::read(connection);
    head.desk.optional = optional;
    notices.extend(notice);
    let (history, lost) = history(connection, version, &head, source, room, path, progress)?;
    if let Some((error, n_lost)) = lost {
        let n = head.n_edits;
        let words = if n == 1 {
            "its only edit cannot be read".into()
        } else {
            format!("{n_lost} of its {n} edits cannot be read")
        };
        damage = Some(Error::new(ErrorKind::Malformed, format!("{}; {words}", error.message())));
    }
    let source = match (&head.source, file) {
        (SourceRef::File { hash, .. }, Some(path)) => {
            let stamp = crate::media::FileStamp::at(&path).unwrap_or(head.source.stamp());
            SourceRef::File { path, stamp, hash: hash.filter(|_| !has_changed) }
        }
        _ => head.source.clone(),
    };
    Ok(Restored {
        history,
        desk: head.desk,
        source,
        project: head.project,
        project_position: head.project_position,
        notices,
        damage: damage.map(|error| error.at(path)),
        version,
    })
}

/// Attributes an error of embedded audio to the project, since the user never sees the extracted file.
fn in_project(error: Error, head: &Head, path: &Path) -> Error {
    match &head.source {
        SourceRef::Embedded { .. } if error.kind() != ErrorKind::Cancelled => {
            Error::new(error.kind(), format!("contains audio that {}", error.message())).at(path)
        }
        _ => error,
    }
}

/// Checks the structure of the database's pages.
pub(super) fn integrity(connection: &Connection) -> Result<()> {
    let found: rusqlite::Result<String> = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    match found {
        Ok(text) if text == "ok" => Ok(()),
        found => {
            tracing::warn!(?found, "a database");
            Err(damaged("its pages are inconsistent"))
        }
    }
}

type Loss = Option<(Error, usize)>;

/// All steps, or those before the first unreadable one, with the reason and the number of lost steps.
fn history(
    connection: &Connection,
    version: u32,
    head: &Head,
    source: Source,
    room: &SampleStorage,
    path: &Path,
    progress: &Progress,
) -> Result<(History, Loss)> {
    let original = Snapshot::new(source);
    original.store().limit(room.budget_bytes, &room.folder);
    let labels = match version {
        // Version 1 did not read the source's cues as labels; they are added, since exports write cues from labels.
        1 => with_cues(&head.labels, &original),
        _ => head.labels.clone(),
    };
    let first = Entry::first(original, labels);
    let (mut steps, mut current, mut lost) = (Vec::new(), first.clone(), None);
    // Limits the blocks read to the file sizes, even if a crafted database refers to a page repeatedly.
    let n_bytes = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
    let mut left_bytes = n_bytes(path) + n_bytes(&log::log_of(path));
    for id in 1..=head.n_edits {
        progress.step(id as u64, head.n_edits as u64)?;
        match step(connection, version, id, &current, &mut left_bytes) {
            Ok(entry) => {
                current = entry.clone();
                steps.push(entry);
            }
            Err(error) => {
                lost = Some((error, head.n_edits + 1 - id));
                break;
            }
        }
    }
    Ok((History::restored(first, steps, head.position), lost))
}

fn with_cues(labels: &LabelSet, sound: &Snapshot) -> LabelSet {
    let (cues, _) = labels_of_sound(sound.source());
    let cues = cues.iter().map(|label| Label { id: 0, ..label.clone() }).collect();
    labels.edited(cues, &[]).unwrap_or_else(|_| labels.clone())
}

/// Blocks buffered before they are stored in memory or on disk: 4 MB.
const BLOCKS_AT_ONCE: usize = 256;

fn step(connection: &Connection, version: u32, id: usize, before: &Entry, left_bytes: &mut u64) -> Result<Entry> {
    let n_samples = edit_length(connection, id)?;
    let base = match read_pieces(connection, version, id)? {
        Some(change) => before
            .snapshot
            .with_pieces(change.applied(before.snapshot.pieces())?)
            .map_err(|error| damaged(error.message()))?,
        // Version 1 had a single piece, which could only be lengthened.
        None if version == 1 && n_samples > before.snapshot.n_samples() => {
            before.snapshot.lengthened(n_samples - before.snapshot.n_samples())?
        }
        None => before.snapshot.clone(),
    };
    if base.n_samples() != n_samples {
        return Err(damaged("an edit has another length than its sound"));
    }
    let ends = base.layer_ends();
    let mut edit = base.edit();
    let (mut last, mut n_held) = (None, 0);
    let max_bytes = usize::try_from(*left_bytes).unwrap_or(usize::MAX);
    let row = read_edit(connection, version, id, max_bytes, &mut |place, samples, changed| {
        let n_bytes: u64 = changed.iter().map(|range| range.len() as u64 * 4).sum();
        let end = changed.last().map_or(0, |range| u64::from(range.end)) + (place[2] as u64) * BLOCK_SAMPLES as u64;
        let is_after = last.is_none_or(|last| last < place);
        let first = (place[2] as u64).saturating_mul(BLOCK_SAMPLES as u64);
        let is_inside = match version {
            1 => end <= n_samples,
            _ => ends.get(&place[0]).is_some_and(|end| first < *end),
        };
        if n_bytes > *left_bytes || !is_after || !is_inside || !edit.put(place, samples, changed) {
            return false;
        }
        *left_bytes -= n_bytes;
        last = Some(place);
        n_held += 1;
        if n_held % BLOCKS_AT_ONCE == 0 {
            edit.settle();
        }
        true
    })?;
    *left_bytes = left_bytes.saturating_sub(row.script_bytes as u64);
    before.next(row.edit, edit.finish(), row.consistency_db).map_err(|error| damaged(error.message()))
}
