//! Measures the STFT, the transform to rows, and their inverses.

use super::stopwatch::{RATE_HZ, Stopwatch, noise};
use crate::base::Result;
use crate::dsp::transforms::rows::RowsParams;
use crate::dsp::{CellRect, Grid, GridPlan, Region, RowsPlan, StftParams};
use crate::engine::Engine;
use std::ops::Range;

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    if stopwatch.wants("stft_2048_512_60s")? {
        stft(stopwatch, "stft_2048_512_60s", 60, 1)?;
    }
    if stopwatch.wants("inverse_2048_512_60s")? {
        inverse(stopwatch, "inverse_2048_512_60s")?;
    }
    if stopwatch.wants("stft_2048_512_2s_stereo")? {
        stft(stopwatch, "stft_2048_512_2s_stereo", 2, 2)?;
    }
    if stopwatch.wants("rows_24_2s")? {
        rows(stopwatch, "rows_24_2s")?;
    }
    Ok(())
}

/// Measures analysis and synthesis of two seconds on 24 rows per octave. On the GPU, groups are processed one by one,
/// as in an edit of the whole sound, and the upload and download of samples are included.
fn rows(stopwatch: &mut Stopwatch<'_>, name: &str) -> Result<()> {
    let engine = stopwatch.engine;
    let samples = noise(2 * RATE_HZ as usize);
    let bank = engine.plans().rows(&RowsParams::music(), RATE_HZ)?;
    if engine.gpu().is_none() {
        return stopwatch.time(name, || {
            std::hint::black_box(bank.synthesise(&bank.analyse(&samples), samples.len()));
            Ok(())
        });
    }
    let mut groups = Vec::new();
    for plan in RowsPlan::of_groups(&bank) {
        let rect = CellRect::new(0..plan.group().n_columns(samples.len() as u64), plan.group().rows());
        let plan = GridPlan::Rows(plan);
        let under = padded(&samples, plan.samples_read(&rect));
        groups.push((engine.upload(Region::zeros(rect.clone()))?, plan, under, rect));
    }
    stopwatch.time(name, || {
        for (silence, plan, under, rect) in &groups {
            engine.difference(plan, silence, &engine.analyse(plan, under, rect)?)?;
        }
        Ok(())
    })
}

fn grid(n_samples: usize) -> Grid {
    Grid::new(StftParams::default(), RATE_HZ, n_samples as u64)
}

/// The samples under a range of frames; 0 beyond the ends of the sound.
fn under(grid: &Grid, samples: &[f32], frames: &Range<usize>) -> Vec<f32> {
    padded(samples, grid.samples_under(frames))
}

/// A range of the samples; 0 beyond the ends of the sound.
fn padded(samples: &[f32], range: Range<i64>) -> Vec<f32> {
    let at = |i: i64| usize::try_from(i).ok().and_then(|i| samples.get(i)).copied().unwrap_or(0.0);
    range.map(at).collect()
}

/// Splits the frames of a grid into ranges that an engine processes in a call.
pub(super) fn pieces(engine: &Engine, grid: &Grid) -> Vec<Range<usize>> {
    let n = (engine.max_cells() / grid.n_bins()).max(1);
    (0..grid.n_frames()).step_by(n).map(|start| start..(start + n).min(grid.n_frames())).collect()
}

/// Measures analysis by STFT; on the GPU including the upload of the samples.
fn stft(stopwatch: &mut Stopwatch<'_>, name: &str, secs: usize, n_channels: usize) -> Result<()> {
    let engine = stopwatch.engine;
    let samples = noise(secs * RATE_HZ as usize);
    let grid = grid(samples.len());
    let stft = engine.plans().get(grid.transform().stft()?);
    if engine.gpu().is_none() {
        let padded = under(&grid, &samples, &(0..grid.n_frames()));
        let mut spectra = vec![Default::default(); grid.n_frames() * grid.n_bins()];
        return stopwatch.time_on(
            name,
            &mut spectra,
            |_| Ok(()),
            |spectra| {
                (0..n_channels).for_each(|_| stft.forward(&padded, spectra));
                Ok(())
            },
        );
    }
    let (plan, pieces) = (GridPlan::from(stft), pieces(engine, &grid));
    let inputs: Vec<_> = pieces.iter().map(|frames| under(&grid, &samples, frames)).collect();
    stopwatch.time(name, || {
        for _ in 0..n_channels {
            for (frames, samples) in pieces.iter().zip(&inputs) {
                engine.analyse(&plan, samples, &grid.all_bins(frames.clone()))?;
            }
        }
        engine.finish();
        Ok(())
    })
}

fn inverse(stopwatch: &mut Stopwatch<'_>, name: &str) -> Result<()> {
    let engine = stopwatch.engine;
    let samples = noise(60 * RATE_HZ as usize);
    let grid = grid(samples.len());
    let stft = engine.plans().get(grid.transform().stft()?);
    if engine.gpu().is_none() {
        let padded = under(&grid, &samples, &(0..grid.n_frames()));
        let mut spectra = vec![Default::default(); grid.n_frames() * grid.n_bins()];
        stft.forward(&padded, &mut spectra);
        let mut back = vec![0.0; padded.len()];
        return stopwatch.time_on(
            name,
            &mut back,
            |_| Ok(()),
            |back| {
                stft.inverse(&spectra, 0, grid.n_frames(), back);
                Ok(())
            },
        );
    }
    // As for an edit: the inverse of the difference from silence, including the download.
    let (mut regions, plan) = (Vec::new(), GridPlan::from(stft.clone()));
    for frames in pieces(engine, &grid) {
        let rect = CellRect::new(frames.clone(), 0..grid.n_bins());
        let sound = engine.analyse(&plan, &under(&grid, &samples, &frames), &rect)?;
        let silence = engine.analyse(&plan, &vec![0.0; stft.n_samples_under(frames.len())], &rect)?;
        regions.push((silence, sound));
    }
    stopwatch.time(name, || {
        for (silence, sound) in &regions {
            engine.difference(&plan, silence, sound)?;
        }
        Ok(())
    })
}
