//! Renders a view on the CPU with the same results as the display shader, for `sonobrush image`.

use super::colormap::{Colormap, phase_step_rgb};
use crate::analysis::{Analysis, ChannelView};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::Snapshot;
use crate::dsp::{Axis, Transform};
use crate::engine::Plans;
use crate::gpu::PixelCells;
use crate::half::{PEAK_SCALE, f32_from_half};
use crate::levels::footprint::{CellStyle, Level};
use crate::levels::peaks::steps_of;
use rayon::prelude::*;
use std::ops::Range;

/// A plane of the spectrogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Plane {
    /// The level through a colour map.
    #[default]
    Magnitude,
    /// The phase through the cyclic map, with the level as brightness.
    Phase,
}

/// Content and size of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureSpec {
    /// Left and right edge in seconds.
    pub secs: [f64; 2],
    /// Lower and upper edge in hertz.
    pub hz: [f64; 2],
    /// Frequency axis.
    pub axis: Axis,
    /// The transform that the cells belong to.
    pub transform: Transform,
    /// The displayed channels.
    pub channels: ChannelView,
    /// The displayed plane.
    pub plane: Plane,
    /// Colours of the magnitude.
    pub colormap: Colormap,
    /// Darkest and brightest level.
    pub range_db: [f32; 2],
    /// Whether to show the unmodified phase instead of subtracting its bin's phase advance.
    pub raw_phase: bool,
    /// How to draw large cells of the magnitude; those of the phase are never interpolated.
    pub cells: CellStyle,
    /// Width and height in pixels.
    pub size: [usize; 2],
}

/// Rows of RGB bytes from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// `3 * width * height` bytes, sRGB.
    pub rgb: Vec<u8>,
}

/// Brightness of the phase of silence.
pub const SILENT_PHASE_BRIGHTNESS: f32 = 0.08;

/// Number of entries held in memory at a time.
const RUN_ENTRIES: usize = 256;

impl Picture {
    /// The colour of a pixel.
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let i = 3 * (y * self.size[0] + x);
        [self.rgb[i], self.rgb[i + 1], self.rgb[i + 2]]
    }
}

/// Renders a view in runs of frames, so that memory grows with the picture, not with the sound.
///
/// # Errors
/// For a channel that the sound does not have; [`Cancelled`](ErrorKind::Cancelled) and read errors.
pub fn picture(snapshot: &Snapshot, spec: &PictureSpec, progress: &Progress) -> Result<Picture> {
    let analysis =
        Analysis::new(snapshot, spec.channels, Plans::default().view(&spec.transform, snapshot.sample_rate_hz())?)?;
    let analysis = analysis.with_phases(spec.plane == Plane::Phase);
    let [width, height] = spec.size;
    if width == 0 || height == 0 {
        return Err(Error::new(ErrorKind::Unsupported, "an image needs at least one pixel in each direction"));
    }
    let level = Level::for_view(analysis.grid().clone(), spec.secs, width as f64);
    let style = if spec.plane == Plane::Magnitude { spec.cells } else { CellStyle::Bare };
    let columns = level.columns(spec.secs, width, style);
    let rows = level.rows(spec.hz, spec.axis, height, style);
    let mut rgb = vec![0u8; 3 * width * height];
    let mut x = 0;
    while x < width {
        progress.step(x as u64, width as u64)?;
        let first = columns[x].first as usize;
        let n_columns =
            columns[x..].iter().take_while(|column| column.end as usize <= first + RUN_ENTRIES).count().max(1);
        let run = &columns[x..x + n_columns];
        let cells = Cells::read(&analysis, &level, first..run[n_columns - 1].end as usize, spec, progress)?;
        rgb.par_chunks_mut(3 * width).zip(&rows).for_each(|(line, row)| {
            for (pixel, column) in line[3 * x..].as_chunks_mut::<3>().0.iter_mut().zip(run) {
                let (level_db, phase_step) = cells.shown(*column, *row, spec.range_db[0]);
                *pixel = pixel_rgb(spec, level_db, phase_step);
            }
        });
        x += n_columns;
    }
    progress.step(1, 1)?;
    Ok(Picture { size: spec.size, rgb })
}

/// The level of an amplitude in decibels; an amplitude of 1 is 0 dB.
pub fn db_from_amplitude(amplitude: f32) -> f32 {
    20.0 * amplitude.max(1e-12).log10()
}

/// The colour of a level and a phase. Twin of `colour` in `display.wgsl`.
fn pixel_rgb(spec: &PictureSpec, level_db: f32, phase_step: Option<u8>) -> [u8; 3] {
    let [dark, bright] = spec.range_db;
    let level = ((level_db - dark) / (bright - dark)).clamp(0.0, 1.0);
    match spec.plane {
        Plane::Magnitude => spec.colormap.rgb(level),
        Plane::Phase => {
            let brightness = SILENT_PHASE_BRIGHTNESS + (1.0 - SILENT_PHASE_BRIGHTNESS) * level;
            phase_step.map_or([255; 3], phase_step_rgb).map(|byte| (f32::from(byte) * brightness + 0.5) as u8)
        }
    }
}

/// The cells of a run of entries.
struct Cells {
    first: usize,
    n_rows: usize,
    scale: f32,
    magnitude: Vec<f32>,
    /// Phases in steps, if the phase is drawn.
    phase_steps: Option<Vec<u8>>,
}

impl Cells {
    fn read(
        analysis: &Analysis,
        level: &Level,
        entries: Range<usize>,
        spec: &PictureSpec,
        progress: &Progress,
    ) -> Result<Cells> {
        let (first, n_rows) = (entries.start, level.n_rows());
        // Index of the displayed kind of phase: relative to the bin's rotation, or raw.
        let shown = usize::from(spec.raw_phase);
        if level.index > 0 {
            let peaks = analysis.peaks(level, entries, progress)?;
            let Some(phases) = &peaks.phases else {
                return Ok(Cells { first, n_rows, scale: 1.0, magnitude: peaks.values, phase_steps: None });
            };
            // Rounded as in textures, so that the louder of two cells is the same one as in the shader.
            let magnitude = peaks.halves().values.into_iter().map(f32_from_half).collect();
            let phase_steps = Some(phases.iter().map(|steps| steps[shown]).collect());
            return Ok(Cells { first, n_rows, scale: 1.0 / PEAK_SCALE, magnitude, phase_steps });
        }
        let mut region = analysis.region(entries)?;
        let scale = analysis.amplitude_scale();
        scale.level_ends(&mut region.magnitude);
        let grid = analysis.grid();
        let step = |(i, turns): (usize, &f32)| {
            let turning = if spec.raw_phase { 0.0 } else { grid.turns_of_bin(first + i / n_rows, i % n_rows) };
            steps_of(*turns, turning)[shown]
        };
        let is_phase = spec.plane == Plane::Phase;
        let phase_steps = is_phase.then(|| region.phase.iter().enumerate().map(step).collect());
        Ok(Cells { first, n_rows, scale: scale.sine, magnitude: std::mem::take(&mut region.magnitude), phase_steps })
    }

    /// Level and phase of a pixel. Between cell centres, only the level, interpolated after raising each cell to at
    /// least `dark_db`. Twin of `picture` and `smooth_picture` in `display.wgsl`.
    fn shown(&self, column: PixelCells, row: PixelCells, dark_db: f32) -> (f32, Option<u8>) {
        if column.mix == 0.0 && row.mix == 0.0 {
            let (amplitude, phase_step) = self.loudest([column.first, column.end], [row.first, row.end]);
            return (db_from_amplitude(amplitude), phase_step);
        }
        let mut level_db = 0.0;
        for (entries, entry_weight) in parts(column) {
            for (rows, row_weight) in parts(row) {
                let cell_db = db_from_amplitude(self.loudest(entries, rows).0);
                level_db += entry_weight * row_weight * cell_db.max(dark_db);
            }
        }
        (level_db, None)
    }

    /// Amplitude and phase of the loudest of several cells.
    fn loudest(&self, entries: [u32; 2], rows: [u32; 2]) -> (f32, Option<u8>) {
        let (mut loudest, mut place) = (-1.0, 0);
        for entry in entries[0] as usize..entries[1] as usize {
            let start = (entry - self.first) * self.n_rows;
            for i in start + rows[0] as usize..start + rows[1] as usize {
                if self.magnitude[i] > loudest {
                    (loudest, place) = (self.magnitude[i], i);
                }
            }
        }
        (loudest * self.scale, self.phase_steps.as_ref().map(|steps| steps[place]))
    }
}

/// The two cells around a pixel along an axis, or all cells it shows, with their weights.
fn parts(cells: PixelCells) -> impl Iterator<Item = ([u32; 2], f32)> {
    let PixelCells { first, end, mix } = cells;
    let (one, other) =
        if mix > 0.0 { ([first, first + 1], Some(([first + 1, end], mix))) } else { ([first, end], None) };
    std::iter::once((one, 1.0 - mix)).chain(other)
}
