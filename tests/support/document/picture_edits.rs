//! Pictures in edits, and levels of cells by the definition.

use crate::engines::cpu;
use crate::pictures::Grey;
use base::Progress;
use document::brushes::{PictureBrush, PictureImage};
use document::{Applied, Brush, Channels, Edit, Snapshot, apply};
use dsp::strokes::picture::PictureArea;
use dsp::{Axis, CellRect, Grid, Region, StftParams};
use engine::Engine;
use media::Source;
use media::picture::EmbeddedPicture;
use std::sync::Arc;

pub const RATE: u32 = 44_100;

/// A picture in a brush, over a time and a band.
pub fn brush_of(png: Vec<u8>, secs: [f64; 2], hz: [f64; 2], axis: Axis) -> PictureBrush {
    let picture = EmbeddedPicture::from_png(png).unwrap();
    PictureBrush::new(PictureImage::Embedded(Arc::new(picture), Vec::new()), PictureArea { secs, hz, axis })
}

pub fn edit_of(brush: impl Into<Brush>) -> Edit {
    let transform = StftParams::default().into();
    let (stroke, select, channels) = (None, None, Channels::All);
    Edit { brush: brush.into(), stroke, select, channels, transform, strength: 1.0, consistency_steps: Some(0) }
}

pub fn sound_of(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE).unwrap())
}

pub fn silence(secs: f64) -> Snapshot {
    sound_of(vec![vec![0.0; (secs * f64::from(RATE)) as usize]])
}

pub fn applied(sound: &Snapshot, edit: &Edit, engine: &Engine) -> Applied {
    apply(sound, edit, engine, &Progress::new()).unwrap()
}

pub fn samples_of(sound: &Snapshot, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; sound.n_samples() as usize];
    sound.read(channel, 0, &mut samples).unwrap();
    samples
}

/// Analyses the cells of a rectangle.
pub fn cells_of(sound: &Snapshot, channel: usize, grid: &Grid, rect: &CellRect) -> Region {
    let mut samples = vec![0.0; grid.n_samples_under(rect.frames.len())];
    sound.read(channel, grid.first_sample_under(rect.frames.start), &mut samples).unwrap();
    cpu().plans().get(grid.transform().stft().unwrap()).analyse(&samples, rect)
}

/// Levels of cells in dB, where 0 is a full-scale sine.
pub fn levels_db(region: &Region, grid: &Grid) -> Vec<f64> {
    let unit = grid.transform().magnitude_from_db(0.0);
    region.magnitude.iter().map(|m| 20.0 * (f64::from(*m) / unit).log10()).collect()
}

/// The brightness that a picture asks of a cell, by the definition: the mean of the pixels inside it along a side where
/// these are more than 1.5 a cell, else straight between the two nearest.
pub fn asked_brightness(picture: &Grey, area: &PictureArea, grid: &Grid, frame: usize, bin: usize) -> f64 {
    let [low, high] = area.hz.map(|hz| area.axis.units_from_hz(hz));
    let across = |frame: f64| (grid.secs_from_frame(frame) - area.secs[0]) / (area.secs[1] - area.secs[0]);
    let up = |bin: f64| (area.axis.units_from_hz(grid.hz_from_bin(bin)) - low) / (high - low);
    let weights = |n: usize, centre: f64, from: f64, to: f64| -> Vec<(usize, f64)> {
        let inside: Vec<usize> = (0..n).filter(|i| (from..to).contains(&((*i as f64 + 0.5) / n as f64))).collect();
        if (to - from) * n as f64 > 1.5 && !inside.is_empty() {
            return inside.iter().map(|i| (*i, 1.0 / inside.len() as f64)).collect();
        }
        let place = (centre * n as f64 - 0.5).clamp(0.0, n as f64 - 1.0);
        let next = (place as usize + 1).min(n - 1);
        vec![(place as usize, 1.0 - place.fract()), (next, place.fract())]
    };
    let (frame, bin) = (frame as f64, bin as f64);
    let columns = weights(picture.width, across(frame), across(frame - 0.5), across(frame + 0.5));
    let rows = weights(picture.height, 1.0 - up(bin), 1.0 - up(bin + 0.5), 1.0 - up(bin - 0.5));
    let part = |(x, wx): &(usize, f64)| rows.iter().map(|(y, wy)| wx * wy * picture.at(*x, *y)).sum::<f64>();
    columns.iter().map(part).sum()
}

/// Pearson's correlation.
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let n = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - mean_a, b - mean_b);
        (ab, aa, bb) = (ab + a * b, aa + a * a, bb + b * b);
    }
    ab / (aa * bb).sqrt()
}

/// Whether the loud cells of a white picture's sound end at its edges, to `by` cells; else what is wrong.
pub fn ends_at(sound: &Snapshot, area: &PictureArea, by: usize) -> Result<(), String> {
    let grid = sound.grid(StftParams::for_rate(sound.sample_rate_hz()));
    let all = grid.all_cells();
    let levels = levels_db(&cells_of(sound, 0, &grid, &all), &grid);
    let mean_db = |rect: &CellRect| {
        let powers = rect.frames.clone().flat_map(|frame| {
            let row = frame * grid.n_bins();
            levels[row + rect.bins.start..row + rect.bins.end].iter().map(|level| 10f64.powf(level / 10.0))
        });
        10.0 * (powers.sum::<f64>() / rect.n_cells() as f64).log10()
    };
    // Rows and columns of cells, by their mean.
    let inside = area.cells(&grid);
    let row = |bin: usize| mean_db(&CellRect::new(inside.frames.clone(), bin..bin + 1));
    let column = |frame: usize| mean_db(&CellRect::new(frame..frame + 1, inside.bins.clone()));
    let must = |holds: bool, what: &str, level: f64| match holds {
        true => Ok(()),
        false => Err(format!("{level:.1} dB {what}")),
    };
    for level in [row(inside.bins.start + by), row(inside.bins.end - 1 - by)] {
        must((-24.0..-17.0).contains(&level), "in a row at an edge", level)?;
    }
    for level in [column(inside.frames.start + by), column(inside.frames.end - 1 - by)] {
        must((-24.0..-17.0).contains(&level), "in a column at an edge", level)?;
    }
    // Two cells on, a window's skirt is left.
    for level in [row(inside.bins.start - 3 - by), row(inside.bins.end + 2 + by)] {
        must(level < -45.0, "in a row beyond an edge", level)?;
    }
    for level in [column(inside.frames.start - 3 - by), column(inside.frames.end + 2 + by)] {
        must(level < -40.0, "in a column beyond an edge", level)?;
    }
    Ok(())
}
