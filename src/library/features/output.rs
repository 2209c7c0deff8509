//! The folder that a run writes: built under another name, and renamed once all of it is on the disk.

use super::options::{FeatureOptions, FileFormat};
use crate::base::{Error, ErrorKind, Result, check_room, npy_header, sync_folder, write_at};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

/// Columns of the table of rows: row, file, long, short, start, end.
const MAPPING_COLUMNS: usize = 6;

/// The name under which the folder is built.
pub fn partial_folder(output: &Path) -> PathBuf {
    beside(output, ".partial")
}

/// `OUT` with an ending.
fn beside(output: &Path, ending: &str) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    output.with_file_name(name)
}

/// An array in a file, written row by row at any place.
struct ArrayFile {
    file: File,
    path: PathBuf,
    header_bytes: u64,
    row_bytes: u64,
}

impl ArrayFile {
    /// Opens the file and gives it its final size.
    fn open(path: PathBuf, header: &[u8], row_bytes: usize, n_rows: u64) -> Result<ArrayFile> {
        let io = |error: std::io::Error| full_or_io(&error, &path);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        let row_bytes = row_bytes as u64;
        file.set_len(header.len() as u64 + n_rows * row_bytes).map_err(io)?;
        write_at(&file, header, 0).map_err(io)?;
        Ok(ArrayFile { file, header_bytes: header.len() as u64, row_bytes, path })
    }

    fn write(&self, first_row: u64, bytes: &[u8]) -> Result<()> {
        let at = self.header_bytes + first_row * self.row_bytes;
        write_at(&self.file, bytes, at).map_err(|error| full_or_io(&error, &self.path))
    }

    fn sync(&self, with_metadata: bool) -> Result<()> {
        let synced = if with_metadata { self.file.sync_all() } else { self.file.sync_data() };
        synced.map_err(|error| full_or_io(&error, &self.path))
    }
}

/// The arrays of a run.
pub struct FeatureArrays {
    features: ArrayFile,
    mapping: Option<ArrayFile>,
}

/// Bytes that the arrays take.
fn n_bytes(options: &FeatureOptions, n_rows: u64) -> u64 {
    let mapping = if options.has_mapping { (MAPPING_COLUMNS * size_of::<i64>()) as u64 } else { 0 };
    n_rows.saturating_mul(options.row_bytes() as u64 + mapping)
}

impl FeatureArrays {
    /// Makes the arrays of `n_rows` rows in a folder, or opens those that an earlier run made there. Rows not written
    /// yet are zeros.
    ///
    /// # Errors
    /// [`DiskFull`](ErrorKind::DiskFull), before anything is written, or [`Io`](ErrorKind::Io).
    pub fn open(folder: &Path, options: &FeatureOptions, n_rows: u64, is_resumed: bool) -> Result<FeatureArrays> {
        if !is_resumed {
            check_room(folder, n_bytes(options, n_rows))?;
        }
        let [n_mels, n_frames] = options.row_shape();
        let shape = [usize::try_from(n_rows).unwrap_or(usize::MAX), n_mels, n_frames];
        let (name, header) = match options.format {
            FileFormat::Npy => ("features.npy", npy_header(options.dtype.descr(), false, &shape)),
            FileFormat::Raw => ("features.dat", Vec::new()),
        };
        let features = ArrayFile::open(folder.join(name), &header, options.row_bytes(), n_rows)?;
        let mapping = match options.has_mapping {
            true => {
                let header = npy_header("<i8", false, &[shape[0], MAPPING_COLUMNS]);
                let row_bytes = MAPPING_COLUMNS * size_of::<i64>();
                Some(ArrayFile::open(folder.join("mapping.npy"), &header, row_bytes, n_rows)?)
            }
            false => None,
        };
        Ok(FeatureArrays { features, mapping })
    }

    /// Writes rows from `first_row` on, and what the table says of them: of each row the file, the long and the short
    /// segment, and its first sample and the one after its last. Returns the bytes written.
    ///
    /// # Errors
    /// [`DiskFull`](ErrorKind::DiskFull) or [`Io`](ErrorKind::Io).
    pub fn write(&self, first_row: u64, features: &[u8], table: &[[u64; 5]]) -> Result<u64> {
        self.features.write(first_row, features)?;
        let Some(mapping) = &self.mapping else { return Ok(features.len() as u64) };
        let mut bytes = Vec::with_capacity(table.len() * MAPPING_COLUMNS * size_of::<i64>());
        for (row, columns) in (first_row..).zip(table) {
            bytes.extend_from_slice(&row.to_le_bytes());
            columns.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        }
        mapping.write(first_row, &bytes)?;
        Ok((features.len() + bytes.len()) as u64)
    }

    /// Waits until what was written is on the disk; at the end with the files' own figures.
    ///
    /// # Errors
    /// [`DiskFull`](ErrorKind::DiskFull) or [`Io`](ErrorKind::Io).
    pub fn sync(&self, is_end: bool) -> Result<()> {
        self.features.sync(is_end)?;
        self.mapping.as_ref().map_or(Ok(()), |mapping| mapping.sync(is_end))
    }
}

/// A full disk is said as such, with what to do.
fn full_or_io(error: &std::io::Error, path: &Path) -> Error {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded | std::io::ErrorKind::FileTooLarge => {
            let sentence = "does not fit on the disk; free some space and run the same command with --resume";
            Error::new(ErrorKind::DiskFull, sentence).at(path)
        }
        _ => Error::io(error, "written", path),
    }
}

/// Gives the finished folder its name: what stands there is moved aside first, and removed once the new one is there.
///
/// # Errors
/// [`Io`](ErrorKind::Io); the partial folder then stays.
pub fn put_in_place(partial: &Path, output: &Path) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "written", output);
    sync_folder(partial).map_err(io)?;
    let aside = beside(output, ".replaced");
    let is_there = output.exists();
    if is_there {
        remove(&aside)?;
        std::fs::rename(output, &aside).map_err(io)?;
    }
    std::fs::rename(partial, output).map_err(io)?;
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sync_folder(parent).map_err(io)?;
    if is_there { remove(&aside) } else { Ok(()) }
}

/// Removes a folder or file; none is fine.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&error, "removed", path)),
        _ => Ok(()),
    }
}
