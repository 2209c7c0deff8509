//! `sonobrush info`

use crate::base::{Folders, LoadedSettings, Result, clock_from_secs, shown_text};
use crate::cli::args::ProjectOptions;
use crate::cli::common::input;
use crate::cli::common::terminal::Terminal;
use crate::library::store::{FileTag, tags_of};
use crate::media::FileInfo;
use serde::Serialize;
use std::path::Path;

/// The JSON output.
#[derive(Serialize)]
struct InfoOutput {
    #[serde(flatten)]
    info: FileInfo,
    /// Tags of the file; empty for a project.
    tags: Vec<FileTag>,
}

pub(in crate::cli) fn run(
    path: &Path,
    json: bool,
    project: &ProjectOptions,
    loaded: &LoadedSettings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    let opened = input::open(path, project, &loaded.settings, folders, terminal)?;
    terminal.notices(&opened.notices);
    let notices = [&loaded.notices[..], &opened.notices].concat();
    let sound = opened.history.current();
    let source = sound.source();
    let mut info = FileInfo::of_source(source, notices);
    (info.frames, info.duration_secs) = (sound.n_samples(), sound.n_samples() as f64 / sound.sample_rate_hz());
    let tags = match source.path() {
        Some(path) if opened.project.is_none() => tags_of(path, source.chunks()),
        _ => Vec::new(),
    };
    if opened.project.is_some() {
        let n_edits = opened.history.position();
        let edits = if n_edits == 1 { "edit" } else { "edits" };
        info.format = format!("project of {}, {n_edits} {edits}", info.format);
    }
    if json {
        return terminal.print_json(&InfoOutput { info, tags });
    }
    let channels = if info.channels == 1 { "channel" } else { "channels" };
    let tags: String =
        tags.iter().map(|tag| format!("{:<12} {}\n", shown_text(&tag.name), shown_text(&tag.value))).collect();
    terminal.print(&format!(
        "format       {}\nduration     {}\nframes       {}\nsample rate  {} Hz\n{channels:<12} {}\n{tags}",
        info.format,
        clock_from_secs(info.duration_secs),
        info.frames,
        info.sample_rate,
        info.channels
    ))
}
