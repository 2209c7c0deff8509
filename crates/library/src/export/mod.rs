//! The library as tables for other programs: `sounds` and `files`, as Parquet or CSV, in a folder that is either
//! complete or absent.

mod csv;
mod tables;

use crate::base::{
    Error, ErrorKind, ExportColumn, ExportTable, ExportValues, PROGRAM_VERSION, Progress, Result, replace_atomic,
    shown_text, sync_folder,
};
use crate::library::store::LibraryStore;
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type as SchemaType;
use serde::Serialize;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;
use tables::{files_table, sounds_table};

pub use csv::csv_field;

/// Format of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Parquet with Snappy compression.
    Parquet,
    /// Text with a header line; without vectors.
    Csv,
}

/// Result of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedLibrary {
    /// Number of rows of `sounds`.
    pub sounds: usize,
    /// Number of rows of `files`.
    pub files: usize,
}

impl LibraryStore {
    /// Writes the library's tables into a new folder.
    ///
    /// # Errors
    /// If the folder exists; [`Io`](ErrorKind::Io); cancelled. Nothing is left behind.
    pub fn export(&self, output: &Path, format: TableFormat, progress: &Progress) -> Result<ExportedLibrary> {
        if output.symlink_metadata().is_ok() {
            return Err(Error::new(ErrorKind::Io, "is already there; choose another name").at(output));
        }
        let mut name = output.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        let partial = output.with_file_name(name);
        // Leftovers of a killed export.
        refuse_foreign_folder(&partial)?;
        remove_tables(&partial);
        std::fs::create_dir(&partial).map_err(|error| Error::io(&error, "created", &partial))?;
        let exported = self.write_tables(&partial, format, progress).and_then(|exported| {
            let io = |error: std::io::Error| Error::io(&error, "created", output);
            std::fs::rename(&partial, output).map_err(io)?;
            let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty());
            sync_folder(parent.unwrap_or(Path::new("."))).map_err(io)?;
            Ok(exported)
        });
        if exported.is_err() {
            remove_tables(&partial);
        }
        exported
    }

    fn write_tables(&self, folder: &Path, format: TableFormat, progress: &Progress) -> Result<ExportedLibrary> {
        let unread = |error: rusqlite::Error| self.unread(&error);
        let sounds = sounds_table(self.connection()).map_err(unread)?;
        progress.check()?;
        // CSV text escapes control characters, so paths that contain some are also written as bytes.
        let needs_bytes = |path: &str| format == TableFormat::Csv && shown_text(path) != path;
        let files = files_table(self.connection(), needs_bytes).map_err(unread)?;
        for table in [&sounds, &files] {
            progress.check()?;
            match format {
                TableFormat::Parquet => write_table(&folder.join(format!("{}.parquet", table.name)), table)?,
                TableFormat::Csv => csv::write_csv(&folder.join(format!("{}.csv", table.name)), table)?,
            }
        }
        sync_folder(folder).map_err(|error| Error::io(&error, "created", folder))?;
        Ok(ExportedLibrary { sounds: sounds.n_rows, files: files.n_rows })
    }
}

/// The files of an export.
const TABLES: [&str; 4] = ["sounds.parquet", "files.parquet", "sounds.csv", "files.csv"];

/// Refuses a folder for tables that is a link or contains anything but tables.
fn refuse_foreign_folder(folder: &Path) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "read", folder);
    let is_ours = match std::fs::symlink_metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io(error)),
        Ok(found) if !found.is_dir() => false,
        Ok(_) => std::fs::read_dir(folder).map_err(io)?.flatten().all(|entry| {
            let is_table = entry.file_name().to_str().is_some_and(|name| TABLES.contains(&name));
            is_table && entry.file_type().is_ok_and(|kind| kind.is_file())
        }),
    };
    if is_ours {
        return Ok(());
    }
    let sentence = "is not what an export has left, and one is made under that name; move it, or choose another output";
    Err(Error::new(ErrorKind::Io, sentence).at(folder))
}

/// Removes a folder that contains nothing but exported tables.
fn remove_tables(folder: &Path) {
    for name in TABLES {
        std::fs::remove_file(folder.join(name)).ok();
    }
    std::fs::remove_dir(folder).ok();
}

/// Writes a table as Parquet, atomically.
///
/// # Errors
/// [`Io`](ErrorKind::Io) and [`DiskFull`](ErrorKind::DiskFull); any existing file is then unchanged.
pub fn write_parquet(path: &Path, table: &ExportTable) -> Result<()> {
    // Errors name the requested file rather than the temporary one.
    let written = replace_atomic(path, |half| write_table(half, table).map_err(|error| error.at(path)));
    written.map(drop)
}

fn write_table(path: &Path, table: &ExportTable) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "written", path);
    let trouble = |error: ParquetError| Error::unwritten(&error, path);
    let fields = table.columns.iter().map(|column| declared(column).map(Arc::new)).collect::<Parquet<_>>();
    let schema = fields.and_then(|fields| SchemaType::group_type_builder(table.name).with_fields(fields).build());
    let schema = schema.map_err(trouble)?;
    let properties = WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .set_created_by(format!("sonobrush {PROGRAM_VERSION}"));
    let file = File::create(path).map_err(io)?;
    let out = BufWriter::new(file.try_clone().map_err(io)?);
    let mut writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build())).map_err(trouble)?;
    let mut write = || {
        let mut group = writer.next_row_group()?;
        for column in &table.columns {
            write_column(&mut group, &column.values)?;
        }
        group.close().map(drop)
    };
    write().map_err(trouble)?;
    writer.close().map_err(trouble)?;
    file.sync_all().map_err(io)
}

type Parquet<T> = std::result::Result<T, ParquetError>;

/// Parquet declaration of a column, whose name may be any text.
fn declared(column: &ExportColumn) -> Parquet<SchemaType> {
    let (kind, repetition) = match &column.values {
        ExportValues::Integers(_) => (PhysicalType::INT64, Repetition::OPTIONAL),
        ExportValues::Reals(_) => (PhysicalType::DOUBLE, Repetition::OPTIONAL),
        ExportValues::Texts(_) | ExportValues::Bytes(_) => (PhysicalType::BYTE_ARRAY, Repetition::OPTIONAL),
        ExportValues::Lists(_) => (PhysicalType::FLOAT, Repetition::REPEATED),
    };
    let builder = SchemaType::primitive_type_builder(&column.name, kind).with_repetition(repetition);
    match &column.values {
        ExportValues::Texts(_) => builder.with_logical_type(Some(LogicalType::String)).build(),
        _ => builder.build(),
    }
}

type Group<'a> = SerializedRowGroupWriter<'a, BufWriter<File>>;

fn write_column(group: &mut Group<'_>, values: &ExportValues) -> Parquet<()> {
    match values {
        ExportValues::Integers(values) => write_optional::<Int64Type>(group, values.iter().copied()),
        ExportValues::Reals(values) => write_optional::<DoubleType>(group, values.iter().copied()),
        ExportValues::Texts(values) => {
            let bytes = |text: &String| ByteArray::from(text.as_bytes().to_vec());
            write_optional::<ByteArrayType>(group, values.iter().map(|text| text.as_ref().map(bytes)))
        }
        ExportValues::Bytes(values) => {
            let bytes = |bytes: &Vec<u8>| ByteArray::from(bytes.clone());
            write_optional::<ByteArrayType>(group, values.iter().map(|value| value.as_ref().map(bytes)))
        }
        ExportValues::Lists(lists) => {
            let (mut defined, mut repeated, mut flat) = (Vec::new(), Vec::new(), Vec::new());
            for list in lists {
                // An empty list is encoded as one undefined value.
                defined.extend(std::iter::repeat_n(i16::from(!list.is_empty()), list.len().max(1)));
                repeated.extend((0..list.len().max(1)).map(|at| i16::from(at > 0)));
                flat.extend_from_slice(list);
            }
            write_values::<FloatType>(group, &flat, &defined, Some(&repeated))
        }
    }
}

fn write_optional<T: DataType>(group: &mut Group<'_>, values: impl Iterator<Item = Option<T::T>>) -> Parquet<()> {
    let all: Vec<Option<T::T>> = values.collect();
    let defined: Vec<i16> = all.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = all.into_iter().flatten().collect();
    write_values::<T>(group, &values, &defined, None)
}

fn write_values<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    defined: &[i16],
    repeated: Option<&[i16]>,
) -> Parquet<()> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("the schema has too few columns".into()));
    };
    column.typed::<T>().write_batch(values, Some(defined), repeated)?;
    column.close()
}
