//! The exported tables: one row per sound, and one per file.

use crate::base::{ExportColumn, ExportTable, ExportValues, path_from_bytes};
use crate::library::descriptors::{COLUMNS, Reading, stored};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

/// Appends the value of a row.
fn push(values: &mut ExportValues, value: ValueRef<'_>) {
    match values {
        ExportValues::Integers(values) => values.push(value.as_i64_or_null().ok().flatten()),
        ExportValues::Reals(values) => values.push(match value {
            ValueRef::Real(number) => Some(number),
            ValueRef::Integer(number) => Some(number as f64),
            _ => None,
        }),
        ExportValues::Texts(values) => values.push(match value {
            ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            // Hashes, as hexadecimal digits.
            ValueRef::Blob(bytes) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
            _ => None,
        }),
        ExportValues::Bytes(values) => values.push(value.as_blob().ok().map(<[u8]>::to_vec)),
        ExportValues::Lists(lists) => {
            let bytes = value.as_blob().unwrap_or_default();
            let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            lists.push(bytes.chunks_exact(4).map(number).collect());
        }
    }
}

/// One row per sound or picture.
pub fn sounds_table(connection: &Connection) -> rusqlite::Result<ExportTable> {
    let mut columns = vec![
        ("id", "sound.id".to_owned(), ExportValues::Integers(Vec::new())),
        ("file_hash", "file_hash".into(), ExportValues::Texts(Vec::new())),
        ("audio_hash", "audio_hash".into(), ExportValues::Texts(Vec::new())),
        ("kind", "kind".into(), ExportValues::Texts(Vec::new())),
        ("ahash", "ahash".into(), ExportValues::Integers(Vec::new())),
        ("dhash", "dhash".into(), ExportValues::Integers(Vec::new())),
        ("whash", "whash".into(), ExportValues::Integers(Vec::new())),
    ];
    for row in COLUMNS.iter().copied().chain(stored().filter(|row| row.is_list())) {
        let values = match row.reading {
            Reading::Count(_) | Reading::Truth(_) => ExportValues::Integers(Vec::new()),
            Reading::Number(_) => ExportValues::Reals(Vec::new()),
            Reading::Text(_) => ExportValues::Texts(Vec::new()),
            Reading::Numbers(..) => ExportValues::Lists(Vec::new()),
        };
        columns.push((row.name, row.column(), values));
    }
    let from = "sound LEFT JOIN descriptor ON descriptor.sound = sound.id ORDER BY sound.id";
    read(connection, "sounds", columns, from)
}

/// One row per file; its path as text if it is valid UTF-8, and as bytes if it is not, or if `needs_bytes` is true.
pub fn files_table(connection: &Connection, needs_bytes: impl Fn(&str) -> bool) -> rusqlite::Result<ExportTable> {
    let columns = vec![
        ("id", "file.id".to_owned(), ExportValues::Integers(Vec::new())),
        ("sound", "file.sound".into(), ExportValues::Integers(Vec::new())),
        ("bytes", "bytes".into(), ExportValues::Integers(Vec::new())),
        ("modified_ns", "modified_ns".into(), ExportValues::Integers(Vec::new())),
        ("missing_since_ns", "missing_since_ns".into(), ExportValues::Integers(Vec::new())),
        ("folder", "folder.path".into(), ExportValues::Bytes(Vec::new())),
        ("path_bytes", "file.path".into(), ExportValues::Bytes(Vec::new())),
    ];
    let from = "file JOIN folder ON folder.id = file.folder ORDER BY file.id";
    let mut table = read(connection, "files", columns, from)?;
    let whole = whole_paths(&table);
    let texts = whole.iter().map(|path| path.clone().and_then(|path| String::from_utf8(path).ok())).collect();
    let is_requested = |path: &Vec<u8>| std::str::from_utf8(path).map_or(true, &needs_bytes);
    let bytes = whole.into_iter().map(|path| path.filter(is_requested)).collect();
    table.columns.truncate(5);
    table.columns.push(ExportColumn { name: "path".into(), values: ExportValues::Texts(texts) });
    table.columns.push(ExportColumn { name: "path_bytes".into(), values: ExportValues::Bytes(bytes) });
    Ok(table)
}

fn whole_paths(table: &ExportTable) -> Vec<Option<Vec<u8>>> {
    let column = |at: usize| match &table.columns[at].values {
        ExportValues::Bytes(values) => values.as_slice(),
        _ => &[],
    };
    let join = |(folder, path): (&Option<Vec<u8>>, &Option<Vec<u8>>)| {
        let path = path_from_bytes(folder.as_ref()?).join(path_from_bytes(path.as_ref()?));
        Some(crate::base::path_bytes(&path).into_owned())
    };
    column(5).iter().zip(column(6)).map(join).collect()
}

fn read(
    connection: &Connection,
    name: &'static str,
    columns: Vec<(&'static str, String, ExportValues)>,
    from: &str,
) -> rusqlite::Result<ExportTable> {
    let expressions: Vec<&str> = columns.iter().map(|(_, expression, _)| expression.as_str()).collect();
    let mut select = connection.prepare(&format!("SELECT {} FROM {from}", expressions.join(", ")))?;
    let mut rows = select.query([])?;
    let mut found: Vec<ExportColumn> =
        columns.into_iter().map(|(name, _, values)| ExportColumn { name: name.into(), values }).collect();
    let mut n_rows = 0;
    let push = |row: &Row<'_>, columns: &mut [ExportColumn]| -> rusqlite::Result<()> {
        for (at, column) in columns.iter_mut().enumerate() {
            push(&mut column.values, row.get_ref(at)?);
        }
        Ok(())
    };
    while let Some(row) = rows.next()? {
        push(row, &mut found)?;
        n_rows += 1;
    }
    Ok(ExportTable { name, columns: found, n_rows })
}
