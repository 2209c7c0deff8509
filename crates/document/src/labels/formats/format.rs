//! A format of label files: a row of the table.

use super::common::import::Import;
use super::common::losses::{FormatFidelity, LabelLosses};
use super::common::writing::LabelWriting;
use crate::base::Result;
use crate::document::labels::LabelSet;

/// A label file, decoded as far as needed to identify it.
pub(super) enum LabelContent<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
}

pub(super) type ReadText = fn(&str, &mut Import<'_>) -> Result<()>;
pub(super) type ReadBytes = fn(&[u8], &mut Import<'_>) -> Result<()>;
pub(super) type WriteText = fn(&LabelSet, &LabelWriting) -> Result<String>;

/// A format of label files: how to recognise, read and write it, and what it preserves.
pub struct LabelFormat {
    /// Its name for `--format`.
    pub name: &'static str,
    /// Name for display.
    pub title: &'static str,
    /// File extensions, the default first.
    pub endings: &'static [&'static str],
    pub(super) recognises: fn(&LabelContent<'_>) -> bool,
    pub(super) read_text: Option<ReadText>,
    pub(super) read_bytes: Option<ReadBytes>,
    pub(super) write: WriteText,
    /// What it preserves, given the options.
    pub keeps: fn(&LabelWriting) -> FormatFidelity,
}

impl std::fmt::Debug for LabelFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for LabelFormat {
    fn eq(&self, other: &LabelFormat) -> bool {
        self.name == other.name
    }
}

impl LabelFormat {
    /// Whether it can be read; all can be written.
    pub fn is_read(&self) -> bool {
        self.read_text.is_some()
    }

    /// The labels as a file of this format, and what the file does not preserve.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) for more columns than a table can have.
    pub fn written(&self, labels: &LabelSet, writing: &LabelWriting) -> Result<(String, LabelLosses)> {
        Ok(((self.write)(labels, writing)?, LabelLosses::of(labels, &(self.keeps)(writing), writing)))
    }
}
