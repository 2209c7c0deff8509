//! Differences between a picture of cells and the sound: the cells of an edit.

use super::CellsFormat;
use super::codec::CellPixels;
use super::read::{ReadCells, read_cells};
use super::sidecar::SidecarSource;
use crate::base::{Error, ErrorKind, Result, khz_from_hz, shown_path};
use crate::document::Signal;
use crate::document::noise::learn::EditSound;
use crate::dsp::{CellRect, Grid, Region, Stft};
use std::path::Path;

/// Maximum number of cells in one edit.
const MAX_CELLS: usize = 1 << 23;

/// Number of columns analysed at a time.
const RUN_COLUMNS: usize = 256;

/// Maximum deviation of an unchanged cell from that of the sound, relative to the largest magnitude in its column.
const MAX_RELATIVE_DEVIATION: f64 = 1e-6;

/// Cells that replace those of a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct CellsChange {
    /// The signal whose cells are replaced.
    pub signal: Signal,
    /// Sample rate of the sound in hertz.
    pub rate_hz: f64,
    /// Columns with at least one changed cell, ascending.
    pub columns: Vec<CellColumn>,
}

/// Cells of one frame.
#[derive(Debug, Clone, PartialEq)]
pub struct CellColumn {
    /// Index of the frame.
    pub frame: usize,
    /// Bin of its first cell.
    pub first_bin: usize,
    /// Magnitudes as given by the transform; [`UNCHANGED_MARK`](CellColumn::UNCHANGED_MARK) for unchanged cells.
    pub magnitude: Vec<f32>,
    /// Phases in turns, [-0.5, 0.5).
    pub phase: Vec<f32>,
}

impl CellColumn {
    /// Magnitude that marks an unchanged cell.
    pub const UNCHANGED_MARK: f32 = -1.0;
}

/// The cells of a picture that differ from the sound, and notices, one sentence each.
///
/// # Errors
/// Errors of reading the picture or its sidecar; [`Script`](ErrorKind::Script) if it does not fit the sound or the
/// edit, or changes too many cells; [`Cancelled`](ErrorKind::Cancelled), and read errors of the sound.
pub fn changed_cells(path: &Path, sound: &EditSound<'_>) -> Result<(CellsChange, Vec<String>)> {
    let picture = read_cells(path)?;
    let refuse = |what: String| Err(Error::new(ErrorKind::Script, what).at(path));
    let sidecar = &picture.sidecar;
    let transform = sidecar.transform().map_err(|error| error.at(path))?;
    if transform != sound.plans.validated(sound.transform)? {
        return refuse(format!("shows cells of another transform; give the edit \"transform\": {}", sidecar.transform));
    }
    let rate_hz = sound.snapshot.sample_rate_hz();
    if sidecar.source.rate != rate_hz {
        let [shown, own] = [sidecar.source.rate, rate_hz].map(khz_from_hz);
        return refuse(format!("shows a sound at {shown}, and this one is at {own}"));
    }
    let signal = sidecar.signal().map_err(|error| error.at(path))?;
    if !Signal::of(sound.channels, sound.snapshot.n_channels())?.contains(&signal) {
        return refuse(format!(
            "shows the channel {}, which this edit does not change; give the edit other \"channels\"",
            sidecar.channel
        ));
    }
    let grid = sound.snapshot.grid(&transform);
    let rect = sidecar.rect();
    if rect.is_empty() || !grid.all_cells().contains(&rect) {
        return refuse("shows cells that this sound does not have; it is too short".into());
    }
    let mut notices = picture.notices.clone();
    if SidecarSource::of(sound.snapshot, signal)?.blake3 != sidecar.source.blake3 {
        notices.push(format!("the sound has changed since {} was written", shown_path(path)));
    }
    let columns = Comparison { picture: &picture, sound, signal, grid, rect }.columns()?;
    let n_cells: usize = columns.iter().map(|column| column.magnitude.len()).sum();
    if n_cells > MAX_CELLS {
        return refuse(format!(
            "changes {n_cells} cells, over the limit of {} million for one edit; write shorter times",
            MAX_CELLS / 1_000_000
        ));
    }
    Ok((CellsChange { signal, rate_hz, columns }, notices))
}

/// Compares a picture with the current cells of the sound.
struct Comparison<'a> {
    picture: &'a ReadCells,
    sound: &'a EditSound<'a>,
    signal: Signal,
    grid: Grid,
    rect: CellRect,
}

impl Comparison<'_> {
    /// Every column with a changed cell.
    fn columns(&self) -> Result<Vec<CellColumn>> {
        let (sidecar, n_columns) = (&self.picture.sidecar, self.rect.frames.len());
        let is_changed =
            |column: &usize| self.picture.pixels.column_hash(*column, n_columns) != sidecar.hashes[*column];
        let changed: Vec<usize> = (0..n_columns).filter(is_changed).collect();
        let stft = self.sound.plans.get(self.grid.transform().stft()?);
        let mut found = Vec::new();
        let mut at = 0;
        while at < changed.len() {
            self.sound.progress.check()?;
            // A run of adjacent changed columns.
            let first = changed[at];
            let n = (at..changed.len()).take_while(|i| changed[*i] == first + i - at).take(RUN_COLUMNS).count();
            let start = self.rect.frames.start + first;
            let run = CellRect::new(start..start + n, self.rect.bins.clone());
            let mut samples = vec![0.0; self.grid.n_samples_under(n)];
            self.signal.read(self.sound.snapshot, self.grid.first_sample_under(start), &mut samples)?;
            let now = stft.analyse(&samples, &run);
            found.extend(run.frames.clone().filter_map(|frame| self.column(frame, &now, &stft)));
            at += n;
        }
        Ok(found)
    }

    /// The changed cells of a frame; `None` if there are none.
    fn column(&self, frame: usize, now: &Region, stft: &Stft) -> Option<CellColumn> {
        let bins = self.rect.bins.clone();
        let scale = self.picture.sidecar.amplitude_scale(stft);
        let row = now.index(frame, bins.start)..now.index(frame, bins.start) + bins.len();
        let (own, own_turns) = (&now.magnitude[row.clone()], &now.phase[row]);
        let largest = own.iter().fold(0.0f32, |largest, m| largest.max(*m));
        let mut magnitude = vec![CellColumn::UNCHANGED_MARK; bins.len()];
        let mut phase = vec![0.0; bins.len()];
        for index in 0..bins.len() {
            let scale = scale.of(bins.start + index);
            let pixel = (bins.len() - 1 - index) * self.rect.frames.len() + frame - self.rect.frames.start;
            let ([amplitude, turns], is_same) = match (&self.picture.pixels, self.picture.sidecar.format) {
                (CellPixels::Words(pixels), CellsFormat::Png { range_db }) => {
                    let fresh = CellsFormat::words(range_db, own[index] * scale, own_turns[index]);
                    (CellsFormat::cell_of_words(range_db, pixels[pixel]), fresh == pixels[pixel])
                }
                (CellPixels::Floats(pixels), _) => {
                    let cell = pixels[pixel];
                    let requested = (f64::from(cell[0]) / f64::from(scale), f64::from(cell[1]));
                    let apart = distance(requested, (f64::from(own[index]), f64::from(own_turns[index])));
                    (cell, apart <= MAX_RELATIVE_DEVIATION * f64::from(largest))
                }
                (CellPixels::Words(_), CellsFormat::Exr) => return None,
            };
            if !is_same {
                magnitude[index] = (f64::from(amplitude) / f64::from(scale)) as f32;
                let turns = turns - turns.round();
                phase[index] = if turns >= 0.5 { -0.5 } else { turns };
            }
        }
        let is_changed = |m: &f32| *m != CellColumn::UNCHANGED_MARK;
        let (first, last) = (magnitude.iter().position(is_changed)?, magnitude.iter().rposition(is_changed)?);
        Some(CellColumn {
            frame,
            first_bin: bins.start + first,
            magnitude: magnitude[first..=last].to_vec(),
            phase: phase[first..=last].to_vec(),
        })
    }
}

/// Distance of two cells, each given by a magnitude and a phase in turns.
fn distance((a, a_turns): (f64, f64), (b, b_turns): (f64, f64)) -> f64 {
    let part = |magnitude: f64, turns: f64| {
        let (sin, cos) = (turns * std::f64::consts::TAU).sin_cos();
        [magnitude * cos, magnitude * sin]
    };
    let ([ax, ay], [bx, by]) = (part(a, a_turns), part(b, b_turns));
    (ax - bx).hypot(ay - by)
}
