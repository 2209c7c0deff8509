//! Items that the user saves by name, such as noise profiles and presets: a folder of small JSON files in the settings
//! folder, one per name.
//!
//! A file is an object with `version`, `kind`, `date` (UTC) and the fields of the value, so that it can be mailed,
//! compared and put under version control. Fields written by newer programs are ignored.

use super::{Error, ErrorKind, Folders, Result, UtcDate, json_reason, read_small_file, shown_json, write_atomic};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::io::{ErrorKind as IoKind, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum size of a file; a noise profile of 32 channels at the usual FFT size fits well.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum length of a name in bytes: with its extension it fits every file system.
const MAX_NAME_BYTES: usize = 120;
/// Maximum number of names listed from a folder.
const MAX_NAMES: usize = 1000;
/// Version of the layout that this program writes, and the newest that it reads.
const VERSION: u64 = 1;
/// Extension of the files.
const EXTENSION: &str = "json";

/// A folder of named values of one kind. A value is stored as an object with fields other than `version`, `kind` and
/// `date`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedValueFolder<T> {
    path: PathBuf,
    kind: String,
    noun: &'static str,
    holds: PhantomData<fn() -> T>,
}

/// A value and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedValue<T> {
    /// Name: that of the file without its extension.
    pub name: String,
    /// The stored value.
    pub value: T,
}

impl<T: Serialize + DeserializeOwned> NamedValueFolder<T> {
    /// The folder `kind` in the settings folder, such as `noise` or `tools/gain`; `noun` is what users call its values,
    /// such as `noise profile`. Creates nothing.
    pub fn new(folders: &Folders, kind: &str, noun: &'static str) -> NamedValueFolder<T> {
        NamedValueFolder { path: folders.kept(kind), kind: kind.to_owned(), noun, holds: PhantomData }
    }

    /// The file of a name.
    ///
    /// # Errors
    /// As [`kept_name`].
    pub fn file(&self, name: &str) -> Result<PathBuf> {
        let name = kept_name(name, self.noun)?;
        Ok(self.path.join(format!("{name}.{EXTENSION}")))
    }

    /// Whether a name is in use, even if its file is unreadable.
    ///
    /// # Errors
    /// As [`kept_name`].
    pub fn has(&self, name: &str) -> Result<bool> {
        Ok(std::fs::symlink_metadata(self.file(name)?).is_ok())
    }

    /// Names of all files in alphabetical order. Does not read the files.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let name = |entry: std::fs::DirEntry| {
            let path = PathBuf::from(entry.file_name());
            let is_kept = path.extension().is_some_and(|ending| ending == EXTENSION);
            let name = path.file_stem().filter(|_| is_kept)?.to_str()?.to_owned();
            (kept_name(&name, self.noun).as_deref() == Ok(&name)).then_some(name)
        };
        let mut names: Vec<String> = entries.filter_map(name).collect();
        names.sort_by_cached_key(|name| (name.to_lowercase(), name.clone()));
        names.truncate(MAX_NAMES);
        names
    }

    /// Every readable value, in the order of [`names`](NamedValueFolder::names), and an error for each unreadable one.
    pub fn read_all(&self) -> (Vec<NamedValue<T>>, Vec<Error>) {
        let (mut values, mut faults) = (Vec::new(), Vec::new());
        for name in self.names() {
            match self.read(&name) {
                Ok(value) => values.push(NamedValue { name, value }),
                Err(error) => faults.push(error),
            }
        }
        (values, faults)
    }

    /// The value with a name.
    ///
    /// # Errors
    /// As [`existing`](NamedValueFolder::existing) and [`read_file`](NamedValueFolder::read_file).
    pub fn read(&self, name: &str) -> Result<T> {
        self.read_file(&self.existing(name)?)
    }

    /// The file of an existing name.
    ///
    /// # Errors
    /// As [`kept_name`]; if there is no such file, one sentence that lists the existing names.
    pub fn existing(&self, name: &str) -> Result<PathBuf> {
        let file = self.file(name)?;
        if file.exists() {
            return Ok(file);
        }
        let known = self.names();
        let names = match known.is_empty() {
            true => "none is saved yet".to_owned(),
            false => format!("saved are {}", known.join(", ")),
        };
        Err(Error::new(ErrorKind::Io, format!("there is no {} \"{name}\"; {names}", self.noun)))
    }

    /// Reads a file of this folder's kind, as [`read_kept`] does.
    ///
    /// # Errors
    /// As [`read_kept`].
    pub fn read_file(&self, file: &Path) -> Result<T> {
        read_kept(file, &self.kind, self.noun)
    }

    /// Stores a value under a name, replacing any previous one. The file is written atomically.
    ///
    /// # Errors
    /// As [`kept_name`]; [`Io`](ErrorKind::Io), [`Limit`](ErrorKind::Limit) above 1 MB. The old file then remains.
    pub fn keep(&self, name: &str, value: &T) -> Result<()> {
        let file = self.file(name)?;
        let internal = |why: &str| Error::new(ErrorKind::Internal, format!("cannot be saved: {why}")).at(&file);
        let mut all = Map::new();
        all.insert("version".into(), VERSION.into());
        all.insert("kind".into(), self.kind.clone().into());
        all.insert("date".into(), now_as_text().into());
        match serde_json::to_value(value) {
            Ok(Value::Object(fields)) => all.extend(fields),
            Ok(_) => return Err(internal("it is no object")),
            Err(error) => return Err(internal(&json_reason(&error))),
        }
        let text = serde_json::to_string_pretty(&all).map_err(|error| internal(&json_reason(&error)))?;
        let text = shown_json(&text);
        if text.len() as u64 >= MAX_BYTES {
            let why = format!("the {} is larger than the limit of {} MB", self.noun, MAX_BYTES >> 20);
            return Err(Error::new(ErrorKind::Limit, why));
        }
        std::fs::create_dir_all(&self.path).map_err(|error| Error::io(&error, "created", &self.path))?;
        write_atomic(&file, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", &file)))
    }

    /// Removes a name and its file, even if it is unreadable; a missing name is not an error.
    ///
    /// # Errors
    /// As [`kept_name`], and [`Io`](ErrorKind::Io).
    pub fn remove(&self, name: &str) -> Result<()> {
        let file = self.file(name)?;
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != IoKind::NotFound => Err(Error::io(&error, "removed", &file)),
            _ => Ok(()),
        }
    }
}

/// Reads a value from any file, such as one received from another user; `kind` and `noun` as for
/// [`NamedValueFolder::new`].
///
/// # Errors
/// [`Io`](ErrorKind::Io), [`Limit`](ErrorKind::Limit) above 1 MB, [`Malformed`](ErrorKind::Malformed) if it has other
/// contents, [`Unsupported`](ErrorKind::Unsupported) if a newer program wrote it.
pub fn read_kept<T: DeserializeOwned>(file: &Path, kind: &str, noun: &str) -> Result<T> {
    let malformed =
        |why: String| Error::new(ErrorKind::Malformed, format!("is not a {noun} that can be read: {why}")).at(file);
    let bytes = read_small_file(file, MAX_BYTES)?;
    let mut fields: Map<String, Value> =
        serde_json::from_slice(&bytes).map_err(|error| malformed(json_reason(&error)))?;
    match fields.remove("version").and_then(|version| version.as_u64()) {
        Some(VERSION) => {}
        Some(newer) if newer > VERSION => {
            let why = format!("was saved by a newer version ({newer}) of this program; update Sonobrush");
            return Err(Error::new(ErrorKind::Unsupported, why).at(file));
        }
        _ => return Err(malformed("it states no version".to_owned())),
    }
    if fields.remove("kind").as_ref().and_then(Value::as_str) != Some(kind) {
        return Err(malformed(format!("its kind is not \"{kind}\"")));
    }
    fields.remove("date");
    serde_json::from_value(Value::Object(fields)).map_err(|error| malformed(json_reason(&error)))
}

/// A typed name, trimmed and checked; `noun` names the kind of item in the error.
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) if it is empty, too long, or not a valid file name on every system.
pub fn kept_name<'a>(name: &'a str, noun: &str) -> Result<&'a str> {
    let name = name.trim();
    let refuse = |why: &str| Err(Error::new(ErrorKind::Unsupported, format!("the name of a {noun} {why}")));
    if name.is_empty() {
        return refuse("must not be empty; type one");
    }
    if name.len() > MAX_NAME_BYTES {
        return refuse("is too long; type a shorter one");
    }
    if name.starts_with('.') || name.ends_with('.') {
        return refuse("must not start or end with a full stop; type another");
    }
    if name.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|']) || name.chars().any(char::is_control) {
        return refuse("must not contain any of / \\ : * ? \" < > |; type another");
    }
    // Windows reserves these names for devices, with any extension.
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_port =
        |port: &str| stem.strip_prefix(port).is_some_and(|n| n.len() == 1 && n.as_bytes()[0].is_ascii_digit());
    if ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str()) || is_port("COM") || is_port("LPT") {
        return refuse("is one that Windows keeps for a device; type another");
    }
    Ok(name)
}

/// The time in UTC, to the second: `2026-11-27T09:30:00Z`.
fn now_as_text() -> String {
    let unix_secs = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let UtcDate { year, month, day, hours, minutes, secs } =
        UtcDate::from_unix_secs(i64::try_from(unix_secs).unwrap_or_default());
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{secs:02}Z")
}
