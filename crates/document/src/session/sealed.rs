//! Seals of rows, and reading untrusted values.

use super::damaged;
use crate::base::Result;
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// Bytes of a seal.
pub const SEAL_BYTES: usize = 16;

/// Hashes the contents of a row: each value with its kind and length, so that different rows have different hashes.
#[derive(Default)]
pub struct Seal(blake3::Hasher);

impl Seal {
    fn bytes(&mut self, kind: u8, bytes: &[u8]) -> &mut Seal {
        self.0.update(&[kind]).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        self
    }

    pub fn number(&mut self, value: i64) -> &mut Seal {
        self.bytes(b'i', &value.to_le_bytes())
    }

    pub fn real(&mut self, value: f64) -> &mut Seal {
        self.bytes(b'r', &value.to_bits().to_le_bytes())
    }

    pub fn text(&mut self, value: &str) -> &mut Seal {
        self.bytes(b't', value.as_bytes())
    }

    pub fn blob(&mut self, value: &[u8]) -> &mut Seal {
        self.bytes(b'b', value)
    }

    pub fn maybe<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Seal, T)) -> &mut Seal {
        match value {
            Some(value) => write(self, value),
            None => _ = self.bytes(b'n', &[]),
        }
        self
    }

    pub fn done(&self) -> [u8; SEAL_BYTES] {
        let mut seal = [0; SEAL_BYTES];
        seal.copy_from_slice(&self.0.finalize().as_bytes()[..SEAL_BYTES]);
        seal
    }
}

/// A SQLite error, reported as damage.
pub fn unreadable(error: rusqlite::Error) -> crate::base::Error {
    tracing::warn!(%error, "a database");
    damaged("a part of it cannot be read")
}

/// A non-negative number, at most `max`.
pub fn number(row: &Row<'_>, column: &str, max: u64) -> Result<u64> {
    let value: i64 = row.get(column).map_err(unreadable)?;
    u64::try_from(value).ok().filter(|&value| value <= max).ok_or_else(|| damaged(format!("{column} is {value}")))
}

/// A text of at most `max_bytes` bytes.
pub fn text<'a>(row: &'a Row<'_>, column: &str, max_bytes: usize) -> Result<Option<&'a str>> {
    match row.get_ref(column).map_err(unreadable)? {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) if bytes.len() <= max_bytes => {
            std::str::from_utf8(bytes).map(Some).map_err(|_| damaged(format!("{column} is not text")))
        }
        _ => Err(damaged(format!("{column} is too long"))),
    }
}

/// Bytes, at most `max_bytes`.
pub fn blob<'a>(row: &'a Row<'_>, column: &str, max_bytes: usize) -> Result<Option<&'a [u8]>> {
    match row.get_ref(column).map_err(unreadable)? {
        ValueRef::Null => Ok(None),
        ValueRef::Blob(bytes) if bytes.len() <= max_bytes => Ok(Some(bytes)),
        _ => Err(damaged(format!("{column} is too long"))),
    }
}

/// A required value.
pub fn required<T>(value: Option<T>, column: &str) -> Result<T> {
    value.ok_or_else(|| damaged(format!("{column} is missing")))
}

/// The seal of a row.
pub fn seal_in(row: &Row<'_>) -> Result<[u8; SEAL_BYTES]> {
    let seal = required(blob(row, "seal", SEAL_BYTES)?, "seal")?;
    seal.try_into().map_err(|_| damaged("a checksum does not match"))
}
