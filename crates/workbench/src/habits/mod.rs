//! State remembered between runs: theme, size, panels, view, tools, recent files.

mod acting;
#[expect(clippy::module_inception, reason = "what the folder is named after")]
mod habits;
mod keeper;
mod layout;
mod recent;
mod remember;

pub(super) use acting::{act_on_layout, perform_layout};
pub use habits::Preferences;
pub use keeper::PreferencesWriter;
pub use layout::{Curves, Fold, Layout, Panel, PanelSide};
pub use recent::Recent;
pub use remember::{Lessons, SCALES, SavedState, ViewPreferences, WindowPreferences};
