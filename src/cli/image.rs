//! `sonobrush image`

use super::args::ImageCommand;
use super::input;
use super::outputs::{refuse_other_format, refuse_same_file};
use super::terminal::Terminal;
use crate::base::{Folders, Result, Settings};
use crate::dsp::StftParams;
use crate::view::{ImageOptions, render_image, write_png};

pub(super) fn run(typed: &ImageCommand, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    refuse_same_file(&typed.input, &typed.output)?;
    refuse_other_format(&typed.output, &["png"], "PNG")?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    terminal.notices(&opened.notices);
    let snapshot = opened.history.current().clone();
    let options = ImageOptions {
        plane: typed.plane,
        axis: typed.axis,
        colormap: typed.colormap,
        range_db: typed.range.0.map(|db| db as f32),
        smooth: typed.smooth,
        size: typed.size.0,
        secs: typed.time.map(|pair| pair.0),
        hz: typed.frequency.map(|pair| pair.0),
        channels: typed.channel,
        transform: Some(typed.transform.over(StftParams::for_rate(snapshot.sample_rate_hz()))?.into()),
        raw: typed.raw,
    };
    let image = terminal.with_progress("drawing", |progress| render_image(&snapshot, &options, progress))?;
    write_png(&typed.output, &image)
}
