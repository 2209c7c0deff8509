//! Labels in the formats of other programs. Each format is a module and a row of [`FORMATS`].

mod audacity;
mod beside;
mod chapters;
mod common;
mod csv;
mod cues;
mod format;
mod generic_seq;
mod raven;
mod sound_file;
mod srt;
mod table;
mod textgrid;
mod vtt;

pub use beside::LabelsBeside;
pub use chapters::chapter_comments;
pub use common::delimited::put_field;
pub use common::import::{ImportedLabels, LabelReading};
pub use common::losses::{FormatFidelity, LabelLosses, TextFidelity, TimePrecision};
pub use common::writing::{AudacityStyle, DEFAULT_RATE_HZ, LabelWriting};
pub use csv::{free_columns, label_table};
pub use cues::{chunks_with_labels, labels_of_chunks, labels_of_sound};
pub use format::LabelFormat;
pub(crate) use sound_file::cues_of;
pub use sound_file::{LabelsInSound, labels_of_range};
pub use table::{
    FORMATS, MAX_FILE_BYTES, format_named, format_of_head, format_of_name, read_label_bytes, read_label_file,
};
