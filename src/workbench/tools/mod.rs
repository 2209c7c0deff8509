//! The tools, their settings, and the brushes that these make. One set for all documents.

mod acting;
mod brush_settings;
mod brushes;
mod heal;
mod paint_tool;
mod settings;

pub(super) use acting::{perform_tool, set_tools};
pub use brush_settings::BrushSettings;
pub use heal::{HealMode, HealTool};
pub use paint_tool::PaintTool;
pub use settings::{Radius, Tool, Tools};
