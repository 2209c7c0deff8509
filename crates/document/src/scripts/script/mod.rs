//! Edits as JSON, used to store edits in sessions and to drive the command line.

mod anchor;
pub(crate) mod fields;
pub(crate) mod noise;
mod read;
pub(crate) mod samples;
mod write;

pub use anchor::{AnchorEdge, AnchorTo, AnchorWhich, EditAnchor};

use crate::Edit;
use crate::base::{Error, ErrorKind, Result, json_reason};
use crate::brushes::LabelsEdit;
use crate::dsp::{Selection, Transform};
use crate::labels::ReadLabels;
use std::collections::BTreeMap;

/// A list of edits, and labels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// Labels, added before all edits, so that they follow edits of time. Id 0 means not assigned yet.
    pub labels: ReadLabels,
    /// Edits in the order of application. Times of anchored edits count from their anchors.
    pub edits: Vec<Edit>,
    /// Anchors, by the index of their edit.
    pub anchors: BTreeMap<usize, EditAnchor>,
}

impl From<Vec<Edit>> for Script {
    fn from(edits: Vec<Edit>) -> Script {
        Script { edits, ..Script::default() }
    }
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) with the place in the script: `edits[2].stroke.radius[0]: must be positive`.
    pub fn parse(text: &str) -> Result<Script> {
        check_n_values(text)?;
        // Some editors put a byte order mark in front.
        let value = serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            Error::new(ErrorKind::Script, format!("the script is not JSON: {}", json_reason(&error)))
        })?;
        read::script(&value).map(|(labels, edits, anchors)| Script { labels, edits, anchors })
    }

    /// Whether any edit is anchored to labels.
    pub fn is_at_labels(&self) -> bool {
        self.anchors.values().any(|anchor| anchor.to == AnchorTo::Label)
    }

    /// The edit that adds its labels, assigning ids from `next_id` on; `None` without labels.
    pub fn labels_edit(&self, next_id: u64) -> Option<Edit> {
        let labels = &self.labels.labels;
        let edit = || Edit::of(LabelsEdit::numbered(labels.clone(), next_id), Transform::default());
        (!labels.is_empty()).then(edit)
    }

    /// The notice about swapped times in its labels.
    pub fn swapped_notice(&self) -> Option<String> {
        match self.labels.n_swapped {
            0 => None,
            1 => Some("labels: 1 began behind its end and was turned around".into()),
            n => Some(format!("labels: {n} began behind their end and were turned around")),
        }
    }

    /// The script as JSON, with each edit's own transform; parsing it gives the same script.
    pub fn to_json(&self) -> String {
        write::script(&self.labels.labels, &self.edits, &self.anchors).to_string()
    }
}

/// Maximum number of values: a mask of the maximum size, and some more.
const MAX_VALUES: usize = 18_000_000;

/// Limits the number of values.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) for more values than any edit needs.
fn check_n_values(text: &str) -> Result<()> {
    // A parsed value takes far more memory than its text. Audio in a script is a single value: one base64 string.
    if text.bytes().filter(|letter| matches!(letter, b',' | b'[' | b'{')).count() > MAX_VALUES {
        let what = format!("has over {} million values; split it into several scripts", MAX_VALUES / 1_000_000);
        return Err(Error::new(ErrorKind::Limit, what));
    }
    Ok(())
}

pub(crate) use read::selection_at as selection;
pub(crate) use write::selection as selection_to_value;

/// A selection in the format of scripts.
pub(crate) fn selection_to_json(selection: &Selection) -> String {
    write::selection(selection).to_string()
}

/// Reads a selection in the format of scripts.
///
/// # Errors
/// As [`Script::parse`].
pub(crate) fn selection_from_json(text: &str) -> Result<Selection> {
    read::selection(&value_of(text)?)
}

/// A transform in the format of scripts.
pub(crate) fn transform_to_json(transform: &Transform) -> String {
    write::transform(transform).to_string()
}

/// Reads a transform in the format of scripts.
///
/// # Errors
/// As [`Script::parse`].
pub(crate) fn transform_from_json(text: &str) -> Result<Transform> {
    read::transform_alone(&value_of(text)?)
}

fn value_of(text: &str) -> Result<serde_json::Value> {
    check_n_values(text)?;
    serde_json::from_str(text)
        .map_err(|error| Error::new(ErrorKind::Script, format!("is not JSON: {}", json_reason(&error))))
}
