//! `sonobrush info`

use super::terminal::Terminal;
use crate::base::{Result, clock_from_secs};
use crate::media::FileInfo;
use std::path::Path;

pub(super) fn run(input: &Path, json: bool, terminal: &Terminal) -> Result<()> {
    let info = terminal.with_progress("reading", |progress| FileInfo::of(input, progress))?;
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
