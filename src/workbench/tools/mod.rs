//! The tools, their settings, and the brushes that these make. One set for all documents.

mod acting;
mod heal;
mod settings;

pub(super) use acting::{perform_tool, set_tools};
pub use heal::{HealMode, HealTool};
pub use settings::{Radius, Tool, Tools};
