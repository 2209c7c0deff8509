//! `sonobrush image`

use crate::base::{Folders, Result, Settings, refuse_other_json};
use crate::cli::args::{ImageCommand, TransformChoice};
use crate::cli::common::input;
use crate::cli::common::outputs::{refuse_output, refuse_same_file};
use crate::cli::common::terminal::Terminal;
use crate::cli::transform::typed_transform;
use crate::document::Snapshot;
use crate::document::output::cells_file::{CellsFormat, CellsOutput, cells_files, cells_outputs, write_cells};
use crate::dsp::{StftParams, Transform};
use crate::engine::Plans;
use crate::view::{Axes, ImageOptions, render_image, write_png};

/// Keys that every JSON sidecar of a picture of cells has.
const SIDECAR_KEYS: [&str; 4] = ["version", "source", "columns", "hashes"];

pub(in crate::cli) fn run(
    typed: &ImageCommand,
    settings: &Settings,
    folders: &Folders,
    terminal: &Terminal,
) -> Result<()> {
    refuse_same_file(&typed.input, &typed.output)?;
    let format = cells_format(typed);
    let endings: &[&str] = if typed.raw { &["png"] } else { &["png", "exr"] };
    refuse_output(&typed.output, endings, "PNG")?;
    let opened = input::open(&typed.input, &typed.project, settings, folders, terminal)?;
    let mut file_notices = terminal.file_notices();
    file_notices.add_notices(opened.notices);
    let snapshot = opened.history.current().clone();
    let transform = transform(typed, snapshot.sample_rate_hz())?;
    if let Some(format) = format {
        write_all_cells(typed, &snapshot, &transform, format, terminal)?;
        file_notices.add_notices(snapshot.source().take_notice());
        return Ok(());
    }
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
        transform: Some(transform),
        raw: typed.raw,
        axes: typed.axes.then_some(Axes { text_px: typed.text_size }),
    };
    let image = terminal.with_progress("drawing", |progress| render_image(&snapshot, &options, progress))?;
    file_notices.add_notices(snapshot.source().take_notice());
    write_png(&typed.output, &image)
}

/// The typed transform; the studio's STFT for the rate if none was given.
fn transform(typed: &ImageCommand, sample_rate_hz: f64) -> Result<Transform> {
    if typed.preset.is_none() && typed.transform_json.is_none() {
        return typed.transform.over(StftParams::for_rate(sample_rate_hz)).map(Transform::from);
    }
    let choice =
        TransformChoice { preset: typed.preset, transform: typed.transform_json.clone(), ..TransformChoice::default() };
    typed_transform(&choice)
}

/// Format of a picture whose pixels are cells; `None` for an image of a view.
fn cells_format(typed: &ImageCommand) -> Option<CellsFormat> {
    let is_exr = typed.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exr"));
    match (is_exr, typed.cells) {
        (true, _) if !typed.raw => Some(CellsFormat::Exr),
        (false, true) => Some(CellsFormat::Png { range_db: typed.range.0 }),
        _ => None,
    }
}

/// Writes a picture of cells for each requested channel.
fn write_all_cells(
    typed: &ImageCommand,
    snapshot: &Snapshot,
    transform: &Transform,
    format: CellsFormat,
    terminal: &Terminal,
) -> Result<()> {
    let outputs = cells_outputs(&typed.channel.edited(), snapshot.n_channels(), &typed.output, format)?;
    for (_, path) in &outputs {
        let (pictures, sidecar) = cells_files(path, format);
        pictures.iter().chain([&sidecar]).try_for_each(|file| refuse_same_file(&typed.input, file))?;
        refuse_other_json(&sidecar, &SIDECAR_KEYS, "the sidecar of a picture of cells")?;
    }
    let plans = Plans::default();
    for (signal, path) in outputs {
        let output = CellsOutput {
            signal,
            transform: transform.clone(),
            secs: typed.time.map(|pair| pair.0),
            hz: typed.frequency.map(|pair| pair.0),
            format,
        };
        terminal.with_progress("writing", |progress| write_cells(snapshot, &output, &path, &plans, progress))?;
    }
    Ok(())
}
