//! `sonobrush info`

use super::args::ProjectOptions;
use super::input;
use super::terminal::Terminal;
use crate::base::{Folders, Result, Settings, clock_from_secs};
use crate::media::FileInfo;
use std::path::Path;

pub(super) fn run(
    path: &Path,
    json: bool,
    project: &ProjectOptions,
    settings: &Settings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    let opened = input::open(path, project, settings, folders, terminal)?;
    let mut info = FileInfo::of_source(opened.history.current().source(), opened.notices);
    if opened.project.is_some() {
        let n_edits = opened.history.position();
        let edits = if n_edits == 1 { "edit" } else { "edits" };
        info.format = format!("project of {}, {n_edits} {edits}", info.format);
    }
    if json {
        return terminal.print_json(&info);
    }
    terminal.notices(&info.notices);
    let channels = if info.channels == 1 { "channel" } else { "channels" };
    terminal.print(&format!(
        "format       {}\nduration     {}\nframes       {}\nsample rate  {} Hz\n{channels:<12} {}\n",
        info.format,
        clock_from_secs(info.duration_secs),
        info.frames,
        info.sample_rate,
        info.channels
    ))
}
