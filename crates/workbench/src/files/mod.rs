//! Opening, exporting and saving: dialogs, decoding and encoding, each in a job, with the questions involved.

mod asking;
mod delivering;
mod demo;
mod exporting;
mod filing;
mod opening;
mod part_export;
mod parting;
mod paths;
mod pictures;
mod picturing;
mod projects;
mod questions;
mod resampling;
mod saving_back;
mod wishes;

pub use asking::FileDialogs;
pub use delivering::{ClippingShown, ExportQuery, ExportShown};
pub use demo::{ProposedStroke, proposed_stroke};
pub use exporting::Exporter;
pub use filing::FileHandler;
pub use opening::FileOpener;
pub use parting::{PartsShown, PlannedParts};
pub use paths::{name_of, named_by_pattern, with_path};
pub use pictures::{CopiedPicture, PastedPicture};
pub use picturing::ImageExporter;
pub use projects::Projects;
pub use questions::{
    ExportOptions, LabelTextEdit, Locating, NewCanvas, PresetAnswer, ProjectSaveOptions, Purpose, Question, Reply, Then,
};
pub use wishes::{NormaliseOptions, PartLabels, PartsOptions, PartsTableKind, ResampleOptions, StretchOptions};
