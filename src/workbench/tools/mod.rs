//! The tools, their settings, and the brushes that these make. One set for all documents.

mod heal;
mod settings;

pub use heal::{HealMode, HealTool};
pub use settings::{Radius, Tool, Tools};
