//! Tables added by later versions, which are preserved without being interpreted.

use crate::base::{OPTIONAL_TABLES, harden_database};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::sync::Arc;

/// Maximum total size in bytes.
const MAX_BYTES: usize = 64 << 20;
/// Maximum number of tables.
const MAX_TABLES: usize = 32;

/// The tables of a database whose names begin with `opt_`. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct OptionalTables(Arc<Vec<Table>>);

#[derive(Debug)]
struct Table {
    name: String,
    /// Its declaration, then those of its indexes.
    declarations: Vec<String>,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl PartialEq for OptionalTables {
    fn eq(&self, other: &OptionalTables) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.is_empty() && other.0.is_empty())
    }
}

impl OptionalTables {
    /// Reads them from an untrusted database, with a notice if there are any.
    pub fn read(connection: &Connection) -> (OptionalTables, Option<String>) {
        let names = names(connection).unwrap_or_default();
        if names.is_empty() {
            return (OptionalTables::default(), None);
        }
        let mut left_bytes = MAX_BYTES;
        let read = |name: &String| Table::read(connection, name, &mut left_bytes);
        let tables: Option<Vec<Table>> = names.iter().take(MAX_TABLES + 1).map(read).collect();
        let tables = tables.filter(|tables| tables.len() <= MAX_TABLES).map(|tables| OptionalTables(Arc::new(tables)));
        // Drops tables that cannot be written again: with them, every save of the project would fail.
        match tables.filter(|tables| tables.can_be_written(&names)) {
            Some(tables) => {
                let what =
                    format!("Parts of it are for a newer Sonobrush and are kept as they are: {}.", names.join(", "));
                (tables, Some(what))
            }
            None => {
                let what = format!("Parts of it are for a newer Sonobrush and cannot be kept: {}.", names.join(", "));
                (OptionalTables::default(), Some(what))
            }
        }
    }

    /// Writes them to a database that has none of them.
    pub fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.0.iter().try_for_each(|table| table.write(connection))
    }

    fn can_be_written(&self, wanted: &[String]) -> bool {
        let trial = || -> rusqlite::Result<bool> {
            let connection = Connection::open_in_memory()?;
            harden_database(&connection)?;
            self.write(&connection)?;
            let all: i64 =
                connection
                    .query_row("SELECT count(*) FROM sqlite_schema WHERE type = 'table'", [], |row| row.get(0))?;
            Ok(names(&connection)? == wanted && all == wanted.len() as i64)
        };
        trial().unwrap_or(false)
    }
}

fn names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let text = format!("SELECT name FROM sqlite_schema WHERE type = 'table' AND {OPTIONAL_TABLES} ORDER BY name");
    let mut statement = connection.prepare(&text)?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// A name quoted for SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Table {
    /// Reads a table; `None` if unreadable, or larger than `left_bytes`.
    fn read(connection: &Connection, name: &str, left_bytes: &mut usize) -> Option<Table> {
        let mut read = || -> rusqlite::Result<Option<Table>> {
            let mut declared = connection.prepare(
                "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC, name",
            )?;
            let declarations =
                declared.query_map([name], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
            let mut statement = connection.prepare(&format!("SELECT * FROM {}", quoted(name)))?;
            let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
            let (mut rows, mut found) = (Vec::new(), statement.query([])?);
            while let Some(row) = found.next()? {
                let values = (0..columns.len()).map(|i| row.get(i)).collect::<rusqlite::Result<Vec<Value>>>()?;
                let n_bytes = 32 + values.iter().map(bytes_of).sum::<usize>();
                let Some(left) = left_bytes.checked_sub(n_bytes) else { return Ok(None) };
                *left_bytes = left;
                rows.push(values);
            }
            Ok(Some(Table { name: name.to_owned(), declarations, columns, rows }))
        };
        read().ok().flatten()
    }

    fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        for declaration in &self.declarations {
            connection.execute(declaration, [])?;
        }
        let columns: Vec<String> = self.columns.iter().map(|name| quoted(name)).collect();
        let places = vec!["?"; columns.len()].join(",");
        let text = format!("INSERT INTO {} ({}) VALUES ({places})", quoted(&self.name), columns.join(","));
        let mut insert = connection.prepare(&text)?;
        self.rows.iter().try_for_each(|row| insert.execute(params_from_iter(row)).map(drop))
    }
}

fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        Value::Null | Value::Integer(_) | Value::Real(_) => 8,
    }
}
