//! `sonobrush info`

use super::args::ProjectOptions;
use super::terminal::Terminal;
use crate::base::{Folders, Result, Settings, clock_from_secs};
use crate::document::session::is_project;
use crate::media::FileInfo;
use std::path::Path;

pub(super) fn run(
    input: &Path,
    json: bool,
    project: &ProjectOptions,
    settings: &Settings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    let info = if is_project(input) {
        let opened = super::input::open(input, project, settings, folders, terminal)?;
        let source = opened.history.current().source().info();
        let n_edits = opened.history.position();
        let format =
            format!("project of {}, {n_edits} {}", source.description, if n_edits == 1 { "edit" } else { "edits" });
        FileInfo {
            frames: source.n_samples,
            sample_rate: source.sample_rate_hz,
            channels: source.n_channels,
            format,
            duration_secs: source.n_samples as f64 / f64::from(source.sample_rate_hz),
            notices: opened.notices,
        }
    } else {
        terminal.with_progress("reading", |progress| FileInfo::of(input, progress))?
    };
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
