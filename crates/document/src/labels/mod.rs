//! Labels: places and ranges of a sound with a text, in time and optionally in frequency.

mod blocks;
pub mod formats;
mod json;
mod label;
mod lanes;
mod measure;
mod measured_table;
mod name_pattern;
mod parts;
mod set;
mod time;

pub use json::{LabelIds, ReadLabels, labels_from_json, labels_to_json};
pub use label::{Checked, Columns, Label, MAX_COLUMNS, MAX_LABEL_BYTES, MAX_LABEL_SECS, MAX_LABELS, N_COLOURS};
pub use lanes::LabelLanes;
pub use measure::{LabelMeasureParams, LabelMeasures, MEASURE_COLUMNS, MeasureColumn, measure_labels};
pub use measured_table::{MeasuredTable, WriteParquet};
pub use name_pattern::{NamePattern, NamedFiles};
pub use parts::{PartChoice, SoundPart, SoundParts, TextFilter, hash_of_file, labels_within};
pub use set::LabelSet;
pub use time::LabelMove;

pub(crate) use parts::text_matches;

pub(crate) use json::{label_from_note, label_to_value, labels_at};
