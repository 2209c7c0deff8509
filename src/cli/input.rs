//! What commands read: a sound, one of the library by its name, or a project with all its edits.

use super::args::ProjectOptions;
use super::terminal::Terminal;
use crate::base::{Error, ErrorKind, Folders, Progress, Result, Settings};
use crate::document::labels::formats::labels_of_sound;
use crate::document::session::{Lost, Restored, Room, SourceSearch, is_project, open_project};
use crate::document::{History, Snapshot};
use crate::library::sound_name::SoundName;
use crate::library::store::{LibraryPlace, LibraryStore};
use crate::media::{OpenOptions, Source};
use std::path::{Path, PathBuf};

/// Puts the file of a sound in the place of `library:ID` and `library:HASH`, before anything is done with the paths.
///
/// # Errors
/// One sentence: that the library has no such sound, or that its file is gone or changed.
pub(super) fn find_named<'a>(
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

/// A sound with its history, which of a file holds no edit.
pub(super) struct OpenedInput {
    pub history: History,
    pub notices: Vec<String>,
    /// What else a project holds.
    pub project: Option<Restored>,
    /// The file that a project contains, taken out of it.
    _contained: Option<Passing>,
}

/// Opens either.
///
/// # Errors
/// One sentence, with the option that helps.
pub(super) fn open(
    path: &Path,
    options: &ProjectOptions,
    settings: &Settings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<OpenedInput> {
    let room = room_of(settings, folders);
    if !is_project(path) {
        let opened =
            terminal.with_progress("reading", |progress| Source::open_with(path, &room.sound, &|_| (), progress))?;
        let (labels, of_labels) = labels_of_sound(&opened.source);
        let history = History::labelled(Snapshot::new(opened.source), labels);
        history.limit(settings.history_bytes(), folders.state());
        let notices = [opened.notices, of_labels].concat();
        return Ok(OpenedInput { history, notices, project: None, _contained: None });
    }
    let contained = Passing::in_state(folders)?;
    let finding = finding(options);
    let (mut restored, _) = terminal.with_progress("reading", |progress: &Progress| {
        open_project(path, &finding, &room, &contained.0, progress).map_err(told)
    })?;
    match restored.damage.take() {
        Some(error) if options.partly => {
            let what = error.message().to_owned();
            restored.notices.push(what);
        }
        Some(error) => {
            let what = format!("{}; --partly uses the edits before that", error.message());
            return Err(Error::new(error.kind(), what).at(path));
        }
        None => {}
    }
    let (history, notices) = (restored.history.clone(), restored.notices.clone());
    Ok(OpenedInput { history, notices, project: Some(restored), _contained: Some(contained) })
}

/// How sounds and projects are opened.
pub(super) fn room_of(settings: &Settings, folders: &Folders) -> Room {
    let sound = OpenOptions {
        memory_bytes: settings.source_bytes(),
        scratch_folder: folders.cache().to_path_buf(),
        reserve_bytes: settings.scratch_reserve_bytes(),
        space: None,
    };
    Room { budget_bytes: settings.history_bytes(), folder: folders.state().to_path_buf(), sound }
}

pub(super) fn finding(options: &ProjectOptions) -> SourceSearch {
    SourceSearch { source: options.source.clone(), may_have_changed: options.changed_source }
}

/// With the option that helps.
pub(super) fn told(lost: Lost) -> Error {
    let with = |path: &Path, what: &str| Error::new(ErrorKind::Io, what).at(path);
    match lost {
        Lost::Moved(path) => {
            with(&path, "is the project's source file and was not found; say where it is with --source")
        }
        Lost::Changed(path) => with(
            &path,
            "has changed since the project was made; give the original with --source, or accept this one with \
             --changed-source",
        ),
        Lost::Failed(error) => error,
    }
}

/// A file that is removed at the end.
pub(super) struct Passing(pub PathBuf);

impl Passing {
    /// A place for the sound that a project contains.
    pub(super) fn in_state(folders: &Folders) -> Result<Passing> {
        let state = folders.state();
        std::fs::create_dir_all(state).map_err(|error| Error::io(&error, "created", state))?;
        clear_left(state);
        Ok(Passing(state.join(format!("{CONTAINED}{}", std::process::id()))))
    }
}

/// How the sound is called that is taken out of a project for as long as a command runs, before the process's number.
const CONTAINED: &str = "contained-";

/// Removes what commands left behind that were killed.
fn clear_left(state: &Path) {
    if !cfg!(target_os = "linux") {
        return;
    }
    for entry in std::fs::read_dir(state).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(CONTAINED)?.parse::<u32>().ok());
        if process.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists()) {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}
