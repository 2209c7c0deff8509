//! Opening, exporting and saving files in jobs, with the dialogs and questions involved.

mod demo;
mod export_card;
mod exporter;
mod file_dialogs;
mod file_handler;
mod image_export;
mod opener;
mod options;
mod part_export;
mod parts_planner;
mod paths;
mod pictures;
mod projects;
mod questions;
mod resample;
mod save_back;

pub use demo::{ProposedStroke, proposed_stroke};
pub use export_card::{ClippingShown, ExportQuery, ExportShown};
pub use exporter::Exporter;
pub use file_dialogs::FileDialogs;
pub use file_handler::FileHandler;
pub use image_export::ImageExporter;
pub use opener::FileOpener;
pub use options::{NormaliseOptions, PartLabels, PartsOptions, PartsTableKind, ResampleOptions, StretchOptions};
pub use parts_planner::{PartsShown, PlannedParts};
pub use paths::{name_of, named_by_pattern, with_path};
pub use pictures::{CopiedPicture, PastedPicture};
pub use projects::Projects;
pub use questions::{
    ExportOptions, LabelTextEdit, Locating, NewCanvas, PresetAnswer, ProjectSaveOptions, Purpose, Question, Reply, Then,
};
