//! Tables as CSV, quoted as in RFC 4180, with lines that end in LF.

use crate::base::{Error, Result, shown_text};
use crate::base::{ExportTable, ExportValues};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A value as a CSV field: put on one line by [`shown_text`], and quoted if it contains a comma or a quotation mark.
pub fn csv_field(text: &str) -> Cow<'_, str> {
    let text = shown_text(text);
    if text.contains([',', '"']) {
        return format!("\"{}\"", text.replace('"', "\"\"")).into();
    }
    text
}

/// Writes and syncs a table; lists are left out.
pub fn write_csv(path: &Path, table: &ExportTable) -> Result<()> {
    let io = |error: std::io::Error| Error::io(&error, "written", path);
    let file = File::create(path).map_err(io)?;
    let mut out = BufWriter::new(file.try_clone().map_err(io)?);
    let columns: Vec<_> =
        table.columns.iter().filter(|column| !matches!(column.values, ExportValues::Lists(_))).collect();
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    writeln!(out, "{}", names.join(",")).map_err(io)?;
    for row in 0..table.n_rows {
        let values: Vec<String> = columns.iter().map(|column| field(&column.values, row)).collect();
        writeln!(out, "{}", values.join(",")).map_err(io)?;
    }
    out.flush().map_err(io)?;
    file.sync_all().map_err(io)
}

fn field(values: &ExportValues, row: usize) -> String {
    match values {
        ExportValues::Integers(values) => values[row].map_or_else(String::new, |value| value.to_string()),
        ExportValues::Reals(values) => values[row].map_or_else(String::new, |value| value.to_string()),
        ExportValues::Texts(values) => values[row].as_ref().map_or_else(String::new, |text| csv_field(text).into()),
        ExportValues::Bytes(values) => {
            let hex = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            values[row].as_ref().map_or_else(String::new, hex)
        }
        ExportValues::Lists(_) => String::new(),
    }
}
