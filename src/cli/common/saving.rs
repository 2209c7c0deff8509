//! Writes projects.

use super::terminal::Terminal;
use crate::base::Result;
use crate::document::History;
use crate::document::session::{Restored, SessionState, save_new_project};
use std::path::Path;

/// Writes a project with the complete history, and view and source of the `project` that was opened, if any.
pub(in crate::cli) fn save_as_project(
    path: &Path,
    history: &History,
    project: Option<Restored>,
    is_embedded: bool,
    terminal: &Terminal,
) -> Result<()> {
    let usual = SessionState::of_rate(history.original().sample_rate_hz());
    let (source, desk) = project.map_or((None, usual), |project| (Some(project.source), project.desk));
    terminal.with_progress("writing", |progress| {
        save_new_project(path, history, &desk, source, is_embedded, progress).map(drop)
    })
}
