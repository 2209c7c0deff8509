//! Writing a sound's cells as pictures.

use super::CellsFormat;
use super::codec::CellPixels;
use super::sidecar::{CellsSidecar, SidecarSource, VERSION, value_from_signal};
use crate::base::{Error, ErrorKind, Progress, Result, shown_json, write_atomic};
use crate::document::scripts::script::fields::stft_fields;
use crate::document::{Channels, Signal, Snapshot};
use crate::dsp::{CellRect, Grid, Transform};
use crate::engine::Plans;
use crate::media::picture::{MAX_PICTURE_SIDE, write_exr_planes, write_grey16};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Maximum number of pixels in a picture of cells: half a gigabyte while it is written.
const MAX_PIXELS: usize = 1 << 25;

/// Number of frames analysed at a time.
const RUN_FRAMES: usize = 256;

/// A picture of cells to write.
#[derive(Debug, Clone, PartialEq)]
pub struct CellsOutput {
    /// The signal whose cells are written.
    pub signal: Signal,
    /// The transform of the cells, which must be an STFT.
    pub transform: Transform,
    /// Frames centred within this range of seconds; `None` for all.
    pub secs: Option<[f64; 2]>,
    /// Bins within this band in hertz; `None` for all.
    pub hz: Option<[f64; 2]>,
    /// Format of the picture.
    pub format: CellsFormat,
}

/// The files of a picture of cells named `path`: its pictures, then its sidecar. For `P.exr` they are `P.exr` and
/// `P.json`; for `P.png` they are `P.level.png`, `P.phase.png` and `P.json`.
pub fn cells_files(path: &Path, format: CellsFormat) -> (Vec<PathBuf>, PathBuf) {
    let pictures = match format {
        CellsFormat::Exr => vec![path.to_path_buf()],
        CellsFormat::Png { .. } => vec![path.with_extension("level.png"), path.with_extension("phase.png")],
    };
    (pictures, path.with_extension("json"))
}

/// The signals to write under a name, each with its picture: for several channels `P.ch1.exr`, `P.ch2.exr` and so on.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for channels that the sound does not have.
pub fn cells_outputs(
    channels: &Channels,
    n_channels: usize,
    path: &Path,
    format: CellsFormat,
) -> Result<Vec<(Signal, PathBuf)>> {
    let signals = Signal::of(channels, n_channels)?;
    let is_numbered = *channels == Channels::All && signals.len() > 1;
    let ending = if format == CellsFormat::Exr { "exr" } else { "png" };
    let picture = |(index, signal)| match is_numbered {
        true => (signal, path.with_extension(format!("ch{}.{ending}", index + 1))),
        false => (signal, path.to_path_buf()),
    };
    Ok(signals.into_iter().enumerate().map(picture).collect())
}

/// Writes a picture of cells, each file atomically, the sidecar last.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for an invalid transform or range, [`Limit`](ErrorKind::Limit) for too large a
/// picture, [`Io`](ErrorKind::Io), read errors of the source, and [`Cancelled`](ErrorKind::Cancelled).
pub fn write_cells(
    snapshot: &Snapshot,
    output: &CellsOutput,
    path: &Path,
    plans: &Plans,
    progress: &Progress,
) -> Result<()> {
    let transform = plans.validated(&output.transform)?;
    let Some(stft) = transform.as_stft() else {
        return Err(Error::new(ErrorKind::Script, "only cells of an STFT can be written as a picture"));
    };
    let grid = snapshot.grid(&transform);
    let rect = rect_of(&grid, output)?;
    let pixels = pixels_of(snapshot, output, &grid, &rect, plans, progress)?;
    let (columns, rows) = (rect.frames.len(), rect.bins.len());
    let (pictures, sidecar_path) = cells_files(path, output.format);
    match &pixels {
        CellPixels::Floats(pixels) => write_exr_planes(&pictures[0], [columns, rows], pixels)?,
        CellPixels::Words(pixels) => {
            for (plane, picture) in pictures.iter().enumerate() {
                let words: Vec<u16> = pixels.iter().map(|pixel| pixel[plane]).collect();
                write_grey16(picture, [columns, rows], &words)?;
            }
        }
    }
    let sidecar = CellsSidecar {
        version: VERSION,
        format: output.format,
        source: SidecarSource::of(snapshot, output.signal)?,
        transform: stft_fields(stft),
        channel: value_from_signal(output.signal),
        first_frame: rect.frames.start,
        first_bin: rect.bins.start,
        columns,
        rows,
        hashes: (0..columns).map(|column| pixels.column_hash(column, columns)).collect(),
    };
    let text = serde_json::to_string_pretty(&sidecar)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("the sidecar could not be written: {error}")))?;
    let text = shown_json(&text);
    write_atomic(&sidecar_path, |out| {
        writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", &sidecar_path))
    })
}

/// The cells within the time and the band of a picture.
fn rect_of(grid: &Grid, output: &CellsOutput) -> Result<CellRect> {
    let all = grid.all_cells();
    let inside = |n: usize, range: Option<[f64; 2]>, place: &dyn Fn(f64) -> f64| {
        let Some([from, to]) = range else { return 0..n };
        let start = (0..n).find(|index| place(*index as f64) >= from).unwrap_or(n);
        let end = (start..n).rfind(|index| place(*index as f64) <= to).map_or(start, |last| last + 1);
        start..end
    };
    let frames = inside(all.frames.len(), output.secs, &|frame| grid.secs_from_frame(frame));
    let bins = inside(all.bins.len(), output.hz, &|bin| grid.hz_from_bin(bin));
    let rect = CellRect::new(frames, bins);
    if rect.is_empty() {
        let what = "there is no cell of the spectrogram within this time and this band";
        return Err(Error::new(ErrorKind::Script, what));
    }
    let (columns, rows) = (rect.frames.len(), rect.bins.len());
    if columns.max(rows) > MAX_PICTURE_SIDE || columns * rows > MAX_PIXELS {
        let what = format!(
            "a picture of {columns} x {rows} cells is too large (over {MAX_PICTURE_SIDE} a side or {} million); choose \
             a shorter time, a smaller band or a larger hop",
            MAX_PIXELS / 1_000_000
        );
        return Err(Error::new(ErrorKind::Limit, what));
    }
    Ok(rect)
}

fn pixels_of(
    snapshot: &Snapshot,
    output: &CellsOutput,
    grid: &Grid,
    rect: &CellRect,
    plans: &Plans,
    progress: &Progress,
) -> Result<CellPixels> {
    let stft = plans.get(grid.transform().stft()?);
    let (columns, rows) = (rect.frames.len(), rect.bins.len());
    let scale = stft.amplitude_scale();
    let mut floats = Vec::new();
    let mut words = Vec::new();
    match output.format {
        CellsFormat::Exr => floats.resize(columns * rows, [0.0f32; 2]),
        CellsFormat::Png { .. } => words.resize(columns * rows, [0u16; 2]),
    }
    for start in rect.frames.clone().step_by(RUN_FRAMES) {
        progress.step((start - rect.frames.start) as u64, columns as u64)?;
        let run = CellRect::new(start..(start + RUN_FRAMES).min(rect.frames.end), rect.bins.clone());
        let mut samples = vec![0.0; grid.n_samples_under(run.frames.len())];
        output.signal.read(snapshot, grid.first_sample_under(run.frames.start), &mut samples)?;
        let region = stft.analyse(&samples, &run);
        for frame in run.frames.clone() {
            for bin in run.bins.clone() {
                let cell = region.index(frame, bin);
                let (amplitude, turns) = (region.magnitude[cell] * scale.of(bin), region.phase[cell]);
                let pixel = (rect.bins.end - 1 - bin) * columns + frame - rect.frames.start;
                match output.format {
                    CellsFormat::Exr => floats[pixel] = [amplitude, turns],
                    CellsFormat::Png { range_db } => words[pixel] = CellsFormat::words(range_db, amplitude, turns),
                }
            }
        }
    }
    Ok(match output.format {
        CellsFormat::Exr => CellPixels::Floats(floats),
        CellsFormat::Png { .. } => CellPixels::Words(words),
    })
}
