//! Opens the inputs of commands: a sound file, a library sound by id or hash, or a project with all its edits.

use super::terminal::Terminal;
use crate::base::{Error, ErrorKind, Folders, Progress, Result, Settings};
use crate::cli::args::ProjectOptions;
use crate::document::session::{OpenedSound, SampleStorage, SourceError, SourceSearch, open_sound};
use crate::library::sound_name::SoundName;
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::media::OpenOptions;
use std::path::{Path, PathBuf};

/// Replaces each `library:ID` and `library:HASH` by the path of the sound's file.
///
/// # Errors
/// If the library has no such sound, or its file is missing or has changed.
pub(in crate::cli) fn find_named<'a>(
    typed: impl IntoIterator<Item = &'a mut PathBuf>,
    place: &LibraryPlace,
    terminal: &Terminal,
) -> Result<()> {
    let mut store = None;
    for path in typed {
        let Some(name) = SoundName::of_path(path)? else { continue };
        let store = match &mut store {
            Some(store) => store,
            store @ None => store.insert(LibraryStore::open_to_read(place)?),
        };
        *path = terminal.with_progress("reading", |progress| store.file_named(&name, progress))?;
    }
    Ok(())
}

/// Opens a sound or a project.
///
/// # Errors
/// Read errors, with the option that remedies them if there is one.
pub(in crate::cli) fn open(
    path: &Path,
    options: &ProjectOptions,
    settings: &Settings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<OpenedSound> {
    let room = storage_of(settings, folders);
    terminal.with_progress("reading", |progress| open_in(path, options, &room, progress))
}

/// As [`open`], with given memory and disk limits.
///
/// # Errors
/// As [`open`].
pub(in crate::cli) fn open_in(
    path: &Path,
    options: &ProjectOptions,
    room: &SampleStorage,
    progress: &Progress,
) -> Result<OpenedSound> {
    let mut opened = open_sound(path, &finding(options), room, progress).map_err(source_error)?;
    match opened.project.as_mut().and_then(|project| project.damage.take()) {
        Some(error) if options.partly => opened.notices.push(error.message().to_owned()),
        Some(error) => {
            let what = format!("{}; --partly uses the edits before that", error.message());
            return Err(Error::new(error.kind(), what).at(path));
        }
        None => {}
    }
    Ok(opened)
}

/// Memory and disk limits for opening sounds and projects.
pub(in crate::cli) fn storage_of(settings: &Settings, folders: &Folders) -> SampleStorage {
    let sound = OpenOptions {
        memory_bytes: settings.source_bytes(),
        scratch_folder: folders.cache().to_path_buf(),
        reserve_bytes: settings.scratch_reserve_bytes(),
        space: None,
    };
    SampleStorage { budget_bytes: settings.history_bytes(), folder: folders.state().to_path_buf(), sound }
}

pub(in crate::cli) fn finding(options: &ProjectOptions) -> SourceSearch {
    SourceSearch { source: options.source.clone(), may_have_changed: options.changed_source }
}

/// The error for a missing or changed source file, with the option that remedies it.
pub(in crate::cli) fn source_error(lost: SourceError) -> Error {
    let with = |path: &Path, what: &str| Error::new(ErrorKind::Io, what).at(path);
    match lost {
        SourceError::Moved(path) => {
            with(&path, "is the project's source file and was not found; say where it is with --source")
        }
        SourceError::Changed(path) => with(
            &path,
            "has changed since the project was made; give the original with --source, or accept this one with \
             --changed-source",
        ),
        SourceError::Failed(error) => error,
    }
}
