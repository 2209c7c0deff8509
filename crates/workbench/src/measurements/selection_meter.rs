//! Measurements of the selection, updated in a job when selection, sound, channels or transform change.

use super::figures::Figures;
use crate::base::{Progress, Result};
use crate::bench::context::{Concern, Context};
use crate::documents::OpenDocument;
use crate::dsp::selections::mask;
use crate::dsp::{CellRect, Lobe, peak_near};
use crate::services::{Jobs, Latest};
use crate::view::{Analysis, ExtentQuery, Plans};

/// Number of frames analysed at a time.
const CHUNK_FRAMES: usize = 256;

/// Keeps the measurements of the selection up to date.
#[derive(Default)]
pub struct SelectionMeter {
    figures: Latest<ExtentQuery, Figures>,
    plans: Plans,
}

impl SelectionMeter {
    /// A meter without results, which uses the transform plans of an engine.
    pub fn with(plans: &Plans) -> SelectionMeter {
        SelectionMeter { plans: plans.clone(), ..SelectionMeter::default() }
    }

    /// Takes results, and starts a measurement if needed. Returns the measurements of the current selection, once
    /// known.
    fn follow(&mut self, document: Option<&OpenDocument>, jobs: &Jobs) -> Option<Figures> {
        let Some((document, selection)) = document.and_then(|d| Some((d, d.selection().cloned()?))) else {
            self.figures.clear();
            return None;
        };
        let requested = ExtentQuery {
            selection,
            snapshot: document.shown().clone(),
            transform: document.view().transform.clone(),
            channels: document.view().channels,
        };
        let plans = self.plans.clone();
        self.figures.ask(&requested, jobs, "figures", move |of, progress| figures(of, &plans, progress));
        self.figures.answer_to(&requested).copied()
    }
}

fn figures(of: &ExtentQuery, plans: &Plans, progress: &Progress) -> Result<Figures> {
    let analysis = Analysis::new(&of.snapshot, of.channels, plans.view(&of.transform, of.snapshot.sample_rate_hz())?)?;
    let grid = analysis.grid().clone();
    let scale = analysis.amplitude_scale();
    let shares: Vec<f64> = (0..grid.n_bins()).map(|bin| analysis.plan().power_share(bin)).collect();
    let bounds = mask::bounds(&grid, None, Some(&of.selection));
    let (mut power, mut moment, mut n_frames) = (0.0, 0.0, 0.0);
    let (mut cell_power, mut n_cells) = (0.0, 0.0);
    let mut peak: Option<(f32, Vec<f32>, usize)> = None;
    let mut start = bounds.frames.start;
    while start < bounds.frames.end {
        progress.check()?;
        let frames = start..(start + CHUNK_FRAMES).min(bounds.frames.end);
        let rect = CellRect::new(frames.clone(), 0..grid.n_bins());
        let mask = mask::evaluate(&grid, None, Some(&of.selection), 1.0, &rect);
        let signals = analysis.signals();
        for signal in &signals {
            let region = analysis.signal_region(*signal, frames.clone())?;
            let rows = region.magnitude.chunks_exact(grid.n_bins()).zip(mask.values.chunks_exact(grid.n_bins()));
            for (cells, mask) in rows {
                // Frames in soft edges are weighted by the square of their mask, as their power is.
                n_frames += f64::from(mask.iter().fold(0.0f32, |a, &b| a.max(b))).powi(2) / signals.len() as f64;
                for (bin, (&cell, &m)) in cells.iter().zip(mask).enumerate().filter(|(_, (_, m))| **m > 0.0) {
                    cell_power += f64::from(m) * f64::from(cell * scale.of(bin)).powi(2);
                    n_cells += f64::from(m);
                    let part = shares[bin] * f64::from(m * cell).powi(2) / signals.len() as f64;
                    power += part;
                    moment += part * grid.hz_from_bin(bin as f64);
                    if m >= 0.5 && peak.as_ref().is_none_or(|(max, ..)| cell > *max) {
                        peak = Some((cell, cells.to_vec(), bin));
                    }
                }
            }
        }
        start = frames.end;
    }
    let lobe = Lobe::of(&of.transform);
    let peak = peak.and_then(|(_, cells, bin)| peak_near(&cells, bin, &lobe.around(&grid, bin)));
    let db = |amplitude: f64| 20.0 * amplitude.max(1e-10).log10();
    Ok(Figures {
        peak_hz: peak.map(|(bin, _)| grid.hz_from_bin(bin)),
        peak_db: db(peak.map_or(0.0, |(bin, magnitude)| magnitude * f64::from(scale.of(bin.round() as usize)))),
        rms_db: db((power / f64::max(n_frames, 1e-9)).sqrt()),
        mean_db: (cell_power > 0.0).then(|| db((cell_power / n_cells).sqrt())),
        centroid_hz: (power > 0.0).then(|| moment / power),
    })
}

impl Concern for SelectionMeter {
    fn advance(&mut self, context: &mut Context) {
        // A file that is still being read is not measured.
        let whole = context.documents.active().filter(|document| !document.is_reading());
        let figures = self.follow(whole, &context.jobs);
        if let Some(document) = context.documents.active_mut() {
            document.set_figures(figures);
        }
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.figures.is_busy()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}
