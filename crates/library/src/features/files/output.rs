//! The arrays of a run, whose rows are written in any order.

use super::disk::{full_or_io, remove};
use super::report::{MAPPING_NAME, features_name};
use crate::base::{Result, check_room, npy_header, open_regular, read_at, write_at};
use crate::features::options::{FeatureOptions, FileFormat};
use std::fs::{File, OpenOptions};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Columns of the table of rows: row, file, long, short, start, end.
const MAPPING_COLUMNS: usize = 6;

/// An array in a file, whose rows are written in any order.
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
    /// Number of the first row, counted in the whole manifest.
    first_row: u64,
}

/// File layout of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayLayout {
    /// Name of the file.
    pub name: &'static str,
    /// Bytes before its rows.
    pub header: Vec<u8>,
    /// Bytes of a row.
    pub row_bytes: usize,
}

impl ArrayLayout {
    fn features(options: &FeatureOptions, n_rows: usize) -> ArrayLayout {
        let [n_mels, n_frames] = options.row_shape();
        let header = match options.format {
            FileFormat::Npy => npy_header(options.dtype.descr(), false, &[n_rows, n_mels, n_frames]),
            FileFormat::Raw => Vec::new(),
        };
        ArrayLayout { name: features_name(options), header, row_bytes: options.row_bytes() }
    }

    fn mapping(options: &FeatureOptions, n_rows: usize) -> Option<ArrayLayout> {
        let header = npy_header("<i8", false, &[n_rows, MAPPING_COLUMNS]);
        let row_bytes = MAPPING_COLUMNS * size_of::<i64>();
        options.has_mapping.then_some(ArrayLayout { name: MAPPING_NAME, header, row_bytes })
    }

    /// All arrays with `n_rows`, the features first.
    pub fn all(options: &FeatureOptions, n_rows: u64) -> Vec<ArrayLayout> {
        let n_rows = usize::try_from(n_rows).unwrap_or(usize::MAX);
        std::iter::once(ArrayLayout::features(options, n_rows)).chain(ArrayLayout::mapping(options, n_rows)).collect()
    }

    /// File size in bytes with `n_rows`.
    pub fn n_bytes(&self, n_rows: u64) -> u64 {
        n_rows.saturating_mul(self.row_bytes as u64).saturating_add(self.header.len() as u64)
    }
}

impl FeatureArrays {
    /// Whether the arrays of `n_rows` exist in a folder, each with its header and final length. A log is valid only
    /// together with the arrays it describes, since a new array contains zeros.
    pub fn are_there(folder: &Path, options: &FeatureOptions, n_rows: u64) -> bool {
        ArrayLayout::all(options, n_rows).iter().all(|layout| {
            let mut header = vec![0; layout.header.len()];
            open_regular(&folder.join(layout.name)).is_ok_and(|(file, n_bytes)| {
                n_bytes == layout.n_bytes(n_rows) && read_at(&file, &mut header, 0).is_ok() && header == layout.header
            })
        })
    }

    /// Creates the arrays of some rows in a folder, or opens those of an earlier run. Rows that were not written are
    /// zeros.
    ///
    /// # Errors
    /// [`DiskFull`](crate::base::ErrorKind::DiskFull), before anything is written, or
    /// [`Io`](crate::base::ErrorKind::Io).
    pub fn open(folder: &Path, options: &FeatureOptions, rows: Range<u64>, are_there: bool) -> Result<FeatureArrays> {
        let n_rows = rows.end - rows.start;
        let layouts = ArrayLayout::all(options, n_rows);
        // Existing arrays already have their final size.
        if !are_there {
            layouts.iter().try_for_each(|layout| remove(&folder.join(layout.name)))?;
            check_room(folder, layouts.iter().map(|layout| layout.n_bytes(n_rows)).fold(0, u64::saturating_add))?;
        }
        let open =
            |layout: &ArrayLayout| ArrayFile::open(folder.join(layout.name), &layout.header, layout.row_bytes, n_rows);
        Ok(FeatureArrays {
            features: open(&layouts[0])?,
            mapping: layouts.get(1).map(open).transpose()?,
            first_row: rows.start,
        })
    }

    /// Writes rows from `first_row` on, numbered as in the whole manifest, with their lines of the table: for each row
    /// its file, long and short segment, first sample and the one after its last. Returns the number of bytes written.
    ///
    /// # Errors
    /// [`DiskFull`](crate::base::ErrorKind::DiskFull) or [`Io`](crate::base::ErrorKind::Io).
    pub fn write(&self, first_row: u64, features: &[u8], table: &[[u64; 5]]) -> Result<u64> {
        self.features.write(first_row - self.first_row, features)?;
        let Some(mapping) = &self.mapping else { return Ok(features.len() as u64) };
        let mut bytes = Vec::with_capacity(table.len() * MAPPING_COLUMNS * size_of::<i64>());
        for (row, columns) in (first_row..).zip(table) {
            bytes.extend_from_slice(&row.to_le_bytes());
            columns.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        }
        mapping.write(first_row - self.first_row, &bytes)?;
        Ok((features.len() + bytes.len()) as u64)
    }

    /// Syncs the arrays to disk; with `is_end`, including file metadata.
    ///
    /// # Errors
    /// [`DiskFull`](crate::base::ErrorKind::DiskFull) or [`Io`](crate::base::ErrorKind::Io).
    pub fn sync(&self, is_end: bool) -> Result<()> {
        self.features.sync(is_end)?;
        self.mapping.as_ref().map_or(Ok(()), |mapping| mapping.sync(is_end))
    }
}
