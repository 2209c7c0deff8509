//! Text tables: fields separated by commas, semicolons or tabs, quoted where needed (RFC 4180).

use super::import::{Import, ParseError};
use super::textual::{Spot, first_line};
use crate::base::Result;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Maximum number of fields per row: a table has up to 1,024 free columns in addition to its own and those of
/// measurements.
pub(in crate::labels::formats) const MAX_FIELDS: usize = 2_048;

/// A field with its position.
#[derive(Debug, Clone, Default)]
pub(in crate::labels::formats) struct Field<'a> {
    pub(in crate::labels::formats) text: Cow<'a, str>,
    pub(in crate::labels::formats) spot: Spot,
}

/// A row with its position.
#[derive(Debug, Default)]
pub(in crate::labels::formats) struct TableRow<'a> {
    pub(in crate::labels::formats) fields: Vec<Field<'a>>,
    pub(in crate::labels::formats) spot: Spot,
}

impl<'a> TableRow<'a> {
    /// The field at an index; `None` if it is missing or blank.
    pub(in crate::labels::formats) fn get(&self, at: Option<usize>) -> Option<&Field<'a>> {
        self.fields.get(at?).filter(|field| !field.text.trim().is_empty())
    }

    /// The position of a field, or of the row's last field if it is missing.
    pub(in crate::labels::formats) fn spot_of(&self, at: Option<usize>) -> Spot {
        let field = at.and_then(|at| self.fields.get(at)).or(self.fields.last());
        field.map_or(self.spot, |field| field.spot)
    }
}

/// The separator of a table: the one most frequent in line 1 outside quotes.
pub(in crate::labels::formats) fn separator_of(text: &str) -> u8 {
    let mut counts = [(0, b','), (0, b';'), (0, b'\t')];
    let mut is_quoted = false;
    for byte in first_line(text).unwrap_or_default().bytes() {
        is_quoted ^= byte == b'"';
        let count = counts.iter_mut().find(|(_, separator)| *separator == byte && !is_quoted);
        if let Some((n, _)) = count {
            *n += 1;
        }
    }
    // `max_by_key` returns the last maximum: reversed, so that the first separator wins a tie.
    counts.iter().rev().max_by_key(|(n, _)| *n).map_or(b',', |(_, separator)| *separator)
}

/// Reads rows in order.
pub(in crate::labels::formats) struct TableRows<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    line_start: usize,
    separator: u8,
}

impl<'a> TableRows<'a> {
    pub(in crate::labels::formats) fn new(text: &'a str, separator: u8) -> TableRows<'a> {
        TableRows { text, at: 0, line: 1, line_start: 0, separator }
    }

    /// The next non-empty row; `None` at the end.
    ///
    /// # Errors
    /// A quotation mark that is not closed or is followed by other text, unless such rows are skipped.
    pub(in crate::labels::formats) fn next(&mut self, import: &mut Import<'_>) -> Result<Option<TableRow<'a>>> {
        while self.at < self.text.len() {
            match self.row() {
                Ok(row) if row.fields.len() == 1 && row.fields[0].text.trim().is_empty() => {}
                Ok(row) => return Ok(Some(row)),
                Err(bad) => {
                    import.bad(&bad)?;
                    self.skip_line();
                }
            }
        }
        Ok(None)
    }

    fn spot(&self, at: usize) -> Spot {
        Spot { line: self.line, column: 1 + self.text[self.line_start..at].chars().count() }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn row(&mut self) -> std::result::Result<TableRow<'a>, ParseError> {
        let mut row = TableRow { fields: Vec::with_capacity(12), spot: self.spot(self.at) };
        // Columns are counted field by field: counting each from the start of the line is slow in long rows.
        let mut spot = row.spot;
        loop {
            if row.fields.len() == MAX_FIELDS {
                return Err(too_many_fields(spot));
            }
            let start = self.at;
            let line = self.line;
            let text = if self.byte(self.at) == Some(b'"') { self.quoted()? } else { self.plain() };
            row.fields.push(Field { text, spot });
            match self.byte(self.at) {
                Some(byte) if byte == self.separator => {
                    self.at += 1;
                    spot = match line == self.line {
                        true => Spot { line, column: spot.column + self.text[start..self.at].chars().count() },
                        false => self.spot(self.at),
                    };
                }
                None => return Ok(row),
                Some(_) => {
                    self.end_line();
                    return Ok(row);
                }
            }
        }
    }

    /// A field up to a separator or the end of the line.
    fn plain(&mut self) -> Cow<'a, str> {
        let start = self.at;
        let is_end = |byte: &u8| *byte == self.separator || matches!(byte, b'\n' | b'\r');
        let bytes = &self.text.as_bytes()[start..];
        self.at += bytes.iter().position(is_end).unwrap_or(bytes.len());
        self.text[start..self.at].into()
    }

    /// A field in quotation marks.
    fn quoted(&mut self) -> std::result::Result<Cow<'a, str>, ParseError> {
        let opened = (self.at, self.line, self.line_start);
        self.at += 1;
        let mut text: Cow<'a, str> = "".into();
        loop {
            let start = self.at;
            let bytes = &self.text.as_bytes()[start..];
            let Some(n) = bytes.iter().position(|byte| matches!(byte, b'"' | b'\n' | b'\r')) else {
                (self.at, self.line, self.line_start) = opened;
                return Err(ParseError::new(self.spot(self.at), "a quotation mark that closes the one here"));
            };
            self.at += n;
            if bytes[n] != b'"' {
                self.end_line();
                push(&mut text, &self.text[start..self.at]);
                continue;
            }
            push(&mut text, &self.text[start..self.at]);
            self.at += 1;
            match self.byte(self.at) {
                Some(b'"') => {
                    push(&mut text, "\"");
                    self.at += 1;
                }
                None | Some(b'\n' | b'\r') => return Ok(text),
                Some(byte) if byte == self.separator => return Ok(text),
                Some(_) => {
                    return Err(ParseError::new(self.spot(self.at), "the end of the field behind its quotation mark"));
                }
            }
        }
    }

    /// Skips the end of a line.
    fn end_line(&mut self) {
        let n = if self.text[self.at..].starts_with("\r\n") { 2 } else { 1 };
        self.at = (self.at + n).min(self.text.len());
        self.line += 1;
        self.line_start = self.at;
    }

    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
        if self.at < self.text.len() {
            self.end_line();
        }
    }
}

/// The error about a row with too many fields.
pub(in crate::labels::formats) fn too_many_fields(spot: Spot) -> ParseError {
    ParseError::new(spot, format!("at most {MAX_FIELDS} fields in a row"))
}

fn push<'a>(text: &mut Cow<'a, str>, more: &'a str) {
    if text.is_empty() {
        *text = more.into();
    } else {
        text.to_mut().push_str(more);
    }
}

/// Appends a field of a table, quoted if needed.
pub fn put_field(out: &mut String, text: &str, separator: char) {
    let needs =
        text.contains(['"', '\n', '\r', separator]) || text.starts_with([' ', '\t']) || text.ends_with([' ', '\t']);
    if needs {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}

/// The header of a table.
pub(in crate::labels::formats) struct Header {
    names: Vec<String>,
    /// Columns with a known meaning.
    taken: Vec<bool>,
}

impl Header {
    pub(in crate::labels::formats) fn of(row: &TableRow<'_>) -> Header {
        let names: Vec<String> = row.fields.iter().map(|field| field.text.trim().to_owned()).collect();
        let taken = vec![false; names.len()];
        Header { names, taken }
    }

    /// Takes the column of the first matching name, ignoring case; it no longer counts as a free column.
    pub(in crate::labels::formats) fn take(&mut self, names: &[&str]) -> Option<usize> {
        let at = names.iter().find_map(|name| self.find(name))?;
        self.taken[at] = true;
        Some(at)
    }

    /// The first column with a name.
    pub(in crate::labels::formats) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known.eq_ignore_ascii_case(name))
    }

    pub(in crate::labels::formats) fn n_columns(&self) -> usize {
        self.names.len()
    }

    /// The columns without a known meaning, each under a unique name.
    pub(in crate::labels::formats) fn free(&self) -> Vec<(usize, String)> {
        let mut free: Vec<(usize, String)> = Vec::new();
        let mut known: HashSet<String> = HashSet::new();
        // The next number to append to a repeated name.
        let mut next: HashMap<&str, usize> = HashMap::new();
        for (at, name) in self.names.iter().enumerate().filter(|(at, name)| !self.taken[*at] && !name.is_empty()) {
            let mut unique = name.clone();
            let n = next.entry(name).or_insert(2);
            while !known.insert(unique.clone()) {
                unique = format!("{name} ({n})");
                *n += 1;
            }
            free.push((at, unique));
        }
        free
    }
}
