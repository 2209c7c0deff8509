//! Common parts of all readers: labels in order, and errors of a file.

use super::textual::Spot;
use crate::base::{Error, ErrorKind, Result, shown_text};
use crate::document::labels::{Label, MAX_LABELS};
use std::collections::HashSet;
use std::sync::Arc;

/// File name of labels without a file, since crowsetta requires one. `None`, which crowsetta writes itself, is read as
/// missing by pandas.
pub(in crate::labels::formats) const NO_FILE: &str = "unknown";

/// Options for reading a label file.
#[derive(Debug, Clone, Default)]
pub struct LabelReading {
    /// Name of the sound's file: rows about other files are skipped and counted. `None` reads those about the first
    /// file named.
    pub sound_name: Option<String>,
    /// Sample rate of the sound, for files that count samples.
    pub rate_hz: Option<f64>,
    /// The column of the text; `None` uses that of the format.
    pub text_column: Option<String>,
    /// Whether invalid labels are skipped and counted.
    pub skips_bad: bool,
    /// Whether the file has labels of many sounds, so that skipped rows are not reported.
    pub is_of_many: bool,
}

/// Result of reading a label file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedLabels {
    /// Labels in the order of the file.
    pub labels: Vec<Label>,
    /// Name of its format.
    pub format: &'static str,
    /// Name of the sound's file: the requested one, else the first that a row names.
    pub sound_name: Option<String>,
    /// Number of rows skipped as invalid.
    pub n_bad: usize,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
}

/// An error with its position.
pub(in crate::labels::formats) struct ParseError {
    spot: Spot,
    expected: String,
}

impl ParseError {
    /// An error; `expected` completes "expected".
    pub(in crate::labels::formats) fn new(spot: Spot, expected: impl Into<String>) -> ParseError {
        ParseError { spot, expected: expected.into() }
    }

    /// As [`new`](ParseError::new), with what was found instead.
    pub(in crate::labels::formats) fn found(spot: Spot, expected: &str, found: &str) -> ParseError {
        let short: String = found.trim().chars().take(40).collect();
        let expected = match short.is_empty() {
            true => format!("{expected}, found nothing"),
            false => format!("{expected}, found \"{}\"", shown_text(&short)),
        };
        ParseError { spot, expected }
    }

    pub(in crate::labels::formats) fn sentence(&self) -> String {
        format!("{}: expected {}", self.spot, self.expected)
    }
}

/// A label file being read.
pub(in crate::labels::formats) struct Import<'a> {
    pub(in crate::labels::formats) reading: &'a LabelReading,
    pub(in crate::labels::formats) notices: Vec<String>,
    /// Name of the sound's file whose rows are read: the requested one, else the first that a row names.
    sound_name: Option<String>,
    labels: Vec<Label>,
    /// Texts read, which are shared since many are equal.
    texts: HashSet<Arc<str>>,
    n_bad: usize,
    first_bad: Option<String>,
    n_swapped: usize,
    n_of_others: usize,
    other_name: Option<String>,
}

impl<'a> Import<'a> {
    pub(in crate::labels::formats) fn new(reading: &'a LabelReading) -> Import<'a> {
        Import {
            reading,
            notices: Vec::new(),
            sound_name: reading.sound_name.clone(),
            labels: Vec::new(),
            texts: HashSet::new(),
            n_bad: 0,
            first_bad: None,
            n_swapped: 0,
            n_of_others: 0,
            other_name: None,
        }
    }

    /// A text, shared with equal ones.
    pub(in crate::labels::formats) fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let text: Arc<str> = text.into();
        self.texts.insert(text.clone());
        text
    }

    /// Adds a label read at a position.
    ///
    /// # Errors
    /// If it is invalid and invalid labels are not skipped; if there are too many labels.
    pub(in crate::labels::formats) fn add(
        &mut self,
        spot: Spot,
        label: std::result::Result<Label, ParseError>,
    ) -> Result<()> {
        let checked = label.and_then(|label| {
            label.checked().map_err(|why| ParseError::new(spot, format!("a label that can be kept, but {why}")))
        });
        match checked {
            Ok(checked) => {
                if self.labels.len() == MAX_LABELS {
                    let what = format!("has more than {MAX_LABELS} labels, the most that a sound may have");
                    return Err(Error::new(ErrorKind::Limit, what));
                }
                self.n_swapped += usize::from(checked.is_swapped);
                self.labels.push(checked.label);
                Ok(())
            }
            Err(bad) => self.bad(&bad),
        }
    }

    /// Handles an invalid label: counts it if such labels are skipped.
    ///
    /// # Errors
    /// The error as [`Malformed`](ErrorKind::Malformed), unless invalid labels are skipped.
    pub(in crate::labels::formats) fn bad(&mut self, bad: &ParseError) -> Result<()> {
        if !self.reading.skips_bad {
            return Err(Error::new(ErrorKind::Malformed, bad.sentence()));
        }
        self.n_bad += 1;
        self.first_bad.get_or_insert_with(|| bad.sentence());
        Ok(())
    }

    /// Whether to read a row about this sound file; counts the rows that are not read. `file` may be a path of any
    /// operating system.
    pub(in crate::labels::formats) fn wants(&mut self, file: &str) -> bool {
        let name = base_name(file);
        if ["", "None", NO_FILE].contains(&name) {
            return true;
        }
        let wanted = self.sound_name.get_or_insert_with(|| name.to_owned());
        let is_requested = wanted.eq_ignore_ascii_case(name) || wanted == name;
        if !is_requested {
            self.n_of_others += 1;
            self.other_name.get_or_insert_with(|| name.to_owned());
        }
        is_requested
    }

    pub(in crate::labels::formats) fn finish(mut self, format: &'static str) -> ImportedLabels {
        let mut seen = HashSet::new();
        let mut n_repeated = 0;
        for label in &mut self.labels {
            if label.id != 0 && !seen.insert(label.id) {
                label.id = 0;
                n_repeated += 1;
            }
        }
        let n = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
        let mut notices = self.notices;
        if let Some(first) = self.first_bad {
            notices.push(format!("{} could not be read and were left out; the first: {first}", n(self.n_bad, "row")));
        }
        if self.n_swapped > 0 {
            notices.push(format!("{} began behind their end and were turned around", n(self.n_swapped, "label")));
        }
        if let Some(other) = self.other_name.filter(|_| !self.reading.is_of_many) {
            let others = n(self.n_of_others, "row");
            notices.push(format!("{others} of other files were left out, such as {}", shown_text(&other)));
        }
        if n_repeated > 0 {
            notices.push(format!("{} had the id of another and get new ones", n(n_repeated, "label")));
        }
        let (labels, n_bad) = (self.labels, self.n_bad);
        ImportedLabels { labels, format, sound_name: self.sound_name, n_bad, notices }
    }
}

/// The last component of a path of any system.
fn base_name(path: &str) -> &str {
    path.trim().rsplit(['/', '\\']).next().unwrap_or_default()
}
