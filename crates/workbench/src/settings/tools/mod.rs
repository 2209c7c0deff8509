//! The tools, their settings and brushes, shared by all documents.

mod acting;
mod brush_settings;
mod brushes;
mod filters;
mod heal;
mod label_tool;
mod note_quantise;
mod paint_tool;
mod preset;
mod repair;
mod settings;
mod stored;
mod tool;
#[expect(clippy::module_inception, reason = "the type that the folder is named after")]
mod tools;

pub(crate) use acting::perform_tool;
pub use brush_settings::BrushSettings;
pub use filters::{BandFilterTool, ModulationFilterTool};
pub use heal::{HealMode, HealTool};
pub use label_tool::{LabelClass, LabelTool};
pub use note_quantise::NoteQuantise;
pub use paint_tool::PaintTool;
pub use preset::ToolPreset;
pub use repair::Repair;
pub use settings::{Radius, ToolSettings};
pub use tool::Tool;
pub use tools::{CurrentNoise, Tools};
