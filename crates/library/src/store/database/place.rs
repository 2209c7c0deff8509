//! The location of the library.

use crate::base::{Error, ErrorKind, Folders, Result, check_writable, create_private_folder};
use std::path::{Path, PathBuf};

const FOLDER: &str = "library";
const DATABASE: &str = "library.db";
const TAGS: &str = "tags.jsonl";

/// The library's database and the files beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryPlace {
    database: PathBuf,
    /// Whether it is the user's default library, in the state folder, where every file is the program's own.
    is_default: bool,
    /// Folders that are never scanned, since this program writes them.
    own_folders: Vec<PathBuf>,
}

impl LibraryPlace {
    /// The library at a path, or the one in the state folder.
    pub fn new(folders: &Folders, path: Option<&Path>) -> LibraryPlace {
        let database = path.map_or_else(|| folders.state().join(FOLDER).join(DATABASE), Path::to_path_buf);
        let own_folders = vec![folders.state().to_path_buf(), folders.cache().to_path_buf()];
        LibraryPlace { database, is_default: path.is_none(), own_folders }
    }

    /// Another library, with the same excluded folders.
    #[must_use]
    pub fn of_shard(&self, database: &Path) -> LibraryPlace {
        LibraryPlace { database: database.to_path_buf(), is_default: false, own_folders: self.own_folders.clone() }
    }

    /// The database.
    pub fn database(&self) -> &Path {
        &self.database
    }

    /// Whether it is the library in the state folder.
    pub(in crate::store) fn is_default(&self) -> bool {
        self.is_default
    }

    /// Folders that are never scanned.
    pub(crate) fn own_folders(&self) -> &[PathBuf] {
        &self.own_folders
    }

    /// File locked by the process that works on the queue; contains its process id.
    pub(in crate::store) fn lock_file(&self) -> PathBuf {
        self.beside(".lock")
    }

    /// Heartbeat of the process that works on the queue.
    pub(in crate::store) fn heartbeat_file(&self) -> PathBuf {
        self.beside(".heartbeat")
    }

    /// The heartbeat being written.
    pub(in crate::store) fn new_heartbeat_file(&self) -> PathBuf {
        self.beside(".heartbeat.new")
    }

    /// The database being created.
    pub(in crate::store) fn new_database(&self) -> PathBuf {
        self.beside(".new")
    }

    /// The user's own tags, one per line.
    pub(in crate::store) fn tags_file(&self) -> PathBuf {
        let is_usual = self.database.file_name().is_some_and(|name| name == DATABASE);
        if is_usual { self.database.with_file_name(TAGS) } else { self.beside(".tags.jsonl") }
    }

    /// The database's path with a suffix.
    pub(in crate::store) fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.database.as_os_str().to_owned();
        path.push(ending);
        PathBuf::from(path)
    }

    /// The database and every file beside it.
    pub(crate) fn own_files(&self) -> Vec<PathBuf> {
        const ENDINGS: [&str; 9] =
            ["", "-wal", "-shm", "-journal", ".lock", ".new", ".new-journal", ".heartbeat", ".heartbeat.new"];
        ENDINGS.iter().map(|ending| self.beside(ending)).chain([self.tags_file()]).collect()
    }

    /// Whether SQLite's log beside it has changes, or may soon have some: a process has it open, or was killed.
    pub(in crate::store) fn has_log(&self) -> bool {
        self.beside("-wal").exists()
    }

    /// Checks that this user may write the library, if it exists, and create files beside it.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if the file, its folder or the disk is read-only.
    pub(in crate::store) fn check_writable(&self) -> Result<()> {
        let folder = self.database.parent().filter(|folder| !folder.as_os_str().is_empty());
        let checked =
            check_writable(&self.database).and_then(|()| check_writable(folder.unwrap_or_else(|| Path::new("."))));
        match checked {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let sentence = "is read-only, or its folder is: it can be searched and not changed";
                Err(Error::new(ErrorKind::Io, sentence).at(&self.database))
            }
            _ => Ok(()),
        }
    }

    /// Creates the folder of the library.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io).
    pub(in crate::store) fn create_folder(&self) -> Result<()> {
        let folder = match self.database.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => return Ok(()),
        };
        create_private_folder(folder).map_err(|error| Error::io(&error, "created", folder))
    }
}
