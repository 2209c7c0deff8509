//! Pictures as sound, by the promises of `docs/pictures.md`: what is heard is what was seen, on every engine, against
//! levels that are computed here, from the definition.

mod cells;
mod command;
mod handles;
mod modes;
mod placed;
mod reference;
mod seen;

use crate::support::engines::cpu;
use crate::support::is_long;
use crate::support::pictures::Grey;
use sonobrush::base::Progress;
use sonobrush::document::brushes::{PictureBrush, PictureImage};
use sonobrush::document::{Applied, Brush, Channels, Edit, Snapshot, apply};
use sonobrush::dsp::picture::PictureArea;
use sonobrush::dsp::{Axis, CellRect, Grid, Region, StftParams};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::media::picture::EmbeddedPicture;
use std::sync::Arc;

const RATE: u32 = 44_100;

/// A picture in a brush, over a time and a band.
fn brush_of(png: Vec<u8>, secs: [f64; 2], hz: [f64; 2], axis: Axis) -> PictureBrush {
    let picture = EmbeddedPicture::from_png(png).unwrap();
    PictureBrush::new(PictureImage::Embedded(Arc::new(picture), Vec::new()), PictureArea { secs, hz, axis })
}

fn edit_of(brush: impl Into<Brush>) -> Edit {
    let transform = StftParams::default().into();
    let (stroke, select, channels) = (None, None, Channels::All);
    Edit { brush: brush.into(), stroke, select, channels, transform, strength: 1.0, consistency_steps: Some(0) }
}

fn sound_of(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE).unwrap())
}

fn silence(secs: f64) -> Snapshot {
    sound_of(vec![vec![0.0; (secs * f64::from(RATE)) as usize]])
}

fn applied(sound: &Snapshot, edit: &Edit, engine: &Engine) -> Applied {
    apply(sound, edit, engine, &Progress::new()).unwrap()
}

fn samples_of(sound: &Snapshot, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; sound.n_samples() as usize];
    sound.read(channel, 0, &mut samples).unwrap();
    samples
}

/// The cells of a rectangle, analysed anew.
fn cells_of(sound: &Snapshot, channel: usize, grid: &Grid, rect: &CellRect) -> Region {
    let mut samples = vec![0.0; grid.n_samples_under(rect.frames.len())];
    sound.read(channel, grid.first_sample_under(rect.frames.start), &mut samples).unwrap();
    cpu().plans().get(grid.transform().stft().unwrap()).analyse(&samples, rect)
}

/// Levels of cells in dB, where 0 is a full-scale sine.
fn levels_db(region: &Region, grid: &Grid) -> Vec<f64> {
    let unit = grid.transform().magnitude_from_db(0.0);
    region.magnitude.iter().map(|m| 20.0 * (f64::from(*m) / unit).log10()).collect()
}

/// The brightness that a picture asks of a cell, by the definition: the mean of the pixels inside it along a side where
/// these are more than 1.5 a cell, else straight between the two nearest.
fn asked_brightness(picture: &Grey, area: &PictureArea, grid: &Grid, frame: usize, bin: usize) -> f64 {
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
fn correlation(a: &[f64], b: &[f64]) -> f64 {
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
