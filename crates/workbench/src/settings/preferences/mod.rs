//! State remembered between runs: theme, size, panels, view, tools, recent files.

mod acting;
mod layout;
mod recent;
mod saved;
mod store;
mod writer;

pub(crate) use acting::{act_on_layout, perform_layout};
pub use layout::{Curves, Fold, Layout, Panel, PanelSide};
pub use recent::Recent;
pub use saved::{Lessons, SCALES, SavedState, ViewPreferences, WindowPreferences};
pub use store::Preferences;
pub use writer::PreferencesWriter;
