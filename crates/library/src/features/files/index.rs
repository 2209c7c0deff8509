//! `files.parquet`: one row per file, for joining with the user's own tables.

use super::disk::{full_or_io, full_or_parquet};
use crate::base::{Error, ErrorKind, PROGRAM_VERSION, Result, open_regular};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

/// Number of rows per row group, which are held in memory together.
const GROUP_ROWS: usize = 1 << 16;

const SCHEMA: &str = "message files {
    required int64 file;
    optional byte_array path (string);
    optional byte_array path_bytes;
    required int64 bytes;
    required int64 modified_ns;
    optional byte_array blake3 (string);
    optional int64 rate;
    optional int64 channels;
    optional int64 samples;
    optional boolean padded;
    optional boolean cut;
    optional byte_array error (string);
    required int64 first_row;
    required int64 n_rows;
    optional byte_array notices (string);
}";
/// Number of columns of older versions' indices, which can still be read.
const N_FIRST_COLUMNS: usize = 14;

/// A row of the index: one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexRow {
    /// Number of the file, from 0.
    pub file: i64,
    /// Path relative to the root, if it is UTF-8.
    pub path: Option<Vec<u8>>,
    /// The path's bytes, if they are not UTF-8.
    pub path_bytes: Option<Vec<u8>>,
    /// Size of the file.
    pub bytes: i64,
    /// Last modification in nanoseconds since 1970.
    pub modified_ns: i64,
    /// BLAKE3 hash of the whole file, in hexadecimal; `None` if it could not be read or changed in the meantime.
    pub blake3: Option<Vec<u8>>,
    /// Sample rate of the file in hertz; like the next four fields, `None` if there is an `error`.
    pub rate: Option<i64>,
    /// Number of channels.
    pub channels: Option<i64>,
    /// Samples per channel at the file's own rate.
    pub samples: Option<i64>,
    /// Whether zeros were appended.
    pub padded: Option<bool>,
    /// Whether the end was cut.
    pub cut: Option<bool>,
    /// Why the rows hold silence, in one sentence.
    pub error: Option<Vec<u8>>,
    /// First row in the arrays.
    pub first_row: i64,
    /// Number of rows.
    pub n_rows: i64,
    /// Notices about the file, for example that only a part of it could be read: sentences separated by semicolons.
    pub notices: Option<Vec<u8>>,
}

/// Type of a column, with functions that get it from a row and set it in one.
enum Column {
    Int(fn(&IndexRow) -> Option<i64>, fn(&mut IndexRow, Option<i64>)),
    Bool(fn(&IndexRow) -> Option<bool>, fn(&mut IndexRow, Option<bool>)),
    Bytes(fn(&IndexRow) -> Option<&Vec<u8>>, fn(&mut IndexRow, Option<Vec<u8>>)),
}

/// The columns, in the order of [`SCHEMA`].
const COLUMNS: [Column; N_FIRST_COLUMNS + 1] = [
    Column::Int(|row| Some(row.file), |row, value| row.file = value.unwrap_or(0)),
    Column::Bytes(|row| row.path.as_ref(), |row, value| row.path = value),
    Column::Bytes(|row| row.path_bytes.as_ref(), |row, value| row.path_bytes = value),
    Column::Int(|row| Some(row.bytes), |row, value| row.bytes = value.unwrap_or(0)),
    Column::Int(|row| Some(row.modified_ns), |row, value| row.modified_ns = value.unwrap_or(0)),
    Column::Bytes(|row| row.blake3.as_ref(), |row, value| row.blake3 = value),
    Column::Int(|row| row.rate, |row, value| row.rate = value),
    Column::Int(|row| row.channels, |row, value| row.channels = value),
    Column::Int(|row| row.samples, |row, value| row.samples = value),
    Column::Bool(|row| row.padded, |row, value| row.padded = value),
    Column::Bool(|row| row.cut, |row, value| row.cut = value),
    Column::Bytes(|row| row.error.as_ref(), |row, value| row.error = value),
    Column::Int(|row| Some(row.first_row), |row, value| row.first_row = value.unwrap_or(0)),
    Column::Int(|row| Some(row.n_rows), |row, value| row.n_rows = value.unwrap_or(0)),
    Column::Bytes(|row| row.notices.as_ref(), |row, value| row.notices = value),
];

type Parquet<T> = std::result::Result<T, ParquetError>;

/// Writes and syncs the index. The same rows always give the same bytes.
///
/// # Errors
/// [`DiskFull`](ErrorKind::DiskFull) or [`Io`](ErrorKind::Io).
pub fn write_index(path: &Path, mut rows: impl Iterator<Item = IndexRow>) -> Result<()> {
    let io = |error: std::io::Error| full_or_io(&error, path);
    let trouble = |error: ParquetError| full_or_parquet(&error, path);
    let file = File::create(path).map_err(io)?;
    let schema = Arc::new(parse_message_type(SCHEMA).map_err(trouble)?);
    let properties = WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .set_created_by(format!("sonobrush {PROGRAM_VERSION}"));
    let out = BufWriter::new(file.try_clone().map_err(io)?);
    let mut writer = SerializedFileWriter::new(out, schema, Arc::new(properties.build())).map_err(trouble)?;
    loop {
        let group: Vec<IndexRow> = rows.by_ref().take(GROUP_ROWS).collect();
        if group.is_empty() {
            break;
        }
        write_group(&mut writer, &group).map_err(trouble)?;
    }
    writer.close().map_err(trouble)?;
    file.sync_all().map_err(io)
}

type Group<'a> = SerializedRowGroupWriter<'a, BufWriter<File>>;

fn write_group(writer: &mut SerializedFileWriter<BufWriter<File>>, rows: &[IndexRow]) -> Parquet<()> {
    let mut group = writer.next_row_group()?;
    for column in &COLUMNS {
        match column {
            Column::Int(get, _) => write_column::<Int64Type>(&mut group, rows, get)?,
            Column::Bool(get, _) => write_column::<BoolType>(&mut group, rows, get)?,
            Column::Bytes(get, _) => write_column::<ByteArrayType>(&mut group, rows, |row| {
                get(row).map(|bytes| ByteArray::from(bytes.clone()))
            })?,
        }
    }
    group.close().map(drop)
}

fn write_column<T: DataType>(
    group: &mut Group,
    rows: &[IndexRow],
    get: impl Fn(&IndexRow) -> Option<T::T>,
) -> Parquet<()> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("the schema has too few columns".into()));
    };
    let writer = column.typed::<T>();
    let all: Vec<Option<T::T>> = rows.iter().map(get).collect();
    let is_optional = writer.get_descriptor().max_def_level() > 0;
    let levels: Option<Vec<i16>> = is_optional.then(|| all.iter().map(|value| i16::from(value.is_some())).collect());
    let values: Vec<T::T> = all.into_iter().flatten().collect();
    writer.write_batch(&values, levels.as_deref(), None)?;
    column.close()
}

/// Reads an index in order, and calls `take` with the rows of each row group.
///
/// # Errors
/// [`Io`](ErrorKind::Io), or [`Malformed`](ErrorKind::Malformed) if [`write_index`] could not have written it; errors
/// of `take`.
pub fn read_index(path: &Path, take: &mut dyn FnMut(Vec<IndexRow>) -> Result<()>) -> Result<()> {
    let (file, _) = open_regular(path)?;
    let trouble = |error: ParquetError| {
        // The original message would mean nothing to a user.
        tracing::warn!(%error, "an index of features");
        let sentence = "is not an index of features, or is damaged; compute the features again";
        Error::new(ErrorKind::Malformed, sentence).at(path)
    };
    let reader = SerializedFileReader::new(file).map_err(trouble)?;
    let expected = parse_message_type(SCHEMA).map_err(trouble)?;
    let (found, expected) = (reader.metadata().file_metadata().schema(), expected.get_fields());
    let columns = if found.is_group() { found.get_fields() } else { Default::default() };
    let is_older = columns == &expected[..N_FIRST_COLUMNS];
    if columns != expected && !is_older {
        return Err(trouble(ParquetError::General("its columns are others".into())));
    }
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(trouble)?;
        take(read_group(group.as_ref(), columns.len()).map_err(trouble)?)?;
    }
    Ok(())
}

fn read_group(group: &dyn RowGroupReader, n_columns: usize) -> Parquet<Vec<IndexRow>> {
    let n_rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let mut rows = Vec::new();
    for (index, column) in COLUMNS.iter().enumerate().take(n_columns) {
        match column {
            Column::Int(_, set) => read_column::<Int64Type>(group, index, n_rows, &mut rows, set)?,
            Column::Bool(_, set) => read_column::<BoolType>(group, index, n_rows, &mut rows, set)?,
            Column::Bytes(_, set) => {
                let set = |row: &mut IndexRow, value: Option<ByteArray>| {
                    set(row, value.map(|bytes| bytes.data().to_vec()));
                };
                read_column::<ByteArrayType>(group, index, n_rows, &mut rows, set)?;
            }
        }
    }
    Ok(rows)
}

fn read_column<T: DataType>(
    group: &dyn RowGroupReader,
    index: usize,
    n_rows: usize,
    rows: &mut Vec<IndexRow>,
    set: impl Fn(&mut IndexRow, Option<T::T>),
) -> Parquet<()> {
    let is_optional = group.metadata().column(index).column_descr().max_def_level() > 0;
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(index)?);
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut n_read = 0;
    while n_read < n_rows {
        let (n, _, _) = reader.read_records(n_rows - n_read, Some(&mut levels), None, &mut values)?;
        if n == 0 {
            return Err(ParquetError::EOF("a column is too short".into()));
        }
        n_read += n;
    }
    // The first column creates the rows, but only after it was read, since a damaged file may state any number.
    rows.resize_with(n_rows, IndexRow::default);
    let mut values = values.into_iter();
    for (at, row) in rows.iter_mut().enumerate() {
        let is_there = !is_optional || levels.get(at).is_some_and(|level| *level > 0);
        set(row, if is_there { values.next() } else { None });
    }
    Ok(())
}
