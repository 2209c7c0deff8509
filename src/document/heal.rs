//! The heal brush's modes laid out on a grid: contexts in cells and samples, and what is refused.

use super::Edit;
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::heal::{Direction, Heal, Surroundings};
use crate::dsp::kernels::{Around, Kernel, Mixing};
use crate::dsp::{CellRect, Grid, Mask};
use std::ops::Range;

/// Largest hole: its cells hang together, so it is done at once.
const MAX_HEALED_CELLS: usize = 1 << 24;

/// A main lobe of a Hann window in bins: what is as far apart in frequency as a window is in time.
const LOBE_BINS: f32 = 4.0;

/// How far back the prediction of a gap looks: with 46 ms it tells tones 22 Hz apart.
const PREDICTION_SECS: f64 = 0.0465;
/// Its highest order, which is reached at 44.1 kHz.
const MOST_PREDICTION: usize = 2048;

/// A mode made ready.
#[derive(Debug)]
pub(super) enum HealPlan {
    /// Cells out of the cells around them.
    Kernel(Kernel),
    /// Samples out of the samples around them.
    Gap(Gap),
    /// Sound from nearby.
    Pattern {
        /// Frames and bins around the hole that must fit.
        context: [usize; 2],
        /// Frames.
        reach: usize,
    },
}

/// A gap in samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The samples to be predicted.
    pub samples: Range<u64>,
    /// These, and those that the prediction is learned from.
    pub segment: Range<u64>,
    /// Of the prediction.
    pub order: usize,
}

fn refuse<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Script, why))
}

impl HealPlan {
    /// The plan, and the cells that may change: those of `bounds`, or for a gap every frame that hears it.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script): the hole is too large or the gap too long.
    pub fn new(grid: &Grid, edit: &Edit, heal: &Heal, bounds: &CellRect) -> Result<(HealPlan, CellRect)> {
        let plan = match heal {
            Heal::Attenuate(surroundings) => HealPlan::Kernel(attenuation(grid, surroundings)),
            Heal::Interpolate { context_secs, order } => {
                let context = context_secs.map(|secs| frames_of(grid, secs));
                HealPlan::Kernel(Kernel::Interpolate { context, order: *order as usize })
            }
            Heal::Gap { context_secs } => {
                let gap = gap(grid, edit, *context_secs)?;
                let rect = CellRect::new(grid.frames_over(&gap.samples), bounds.bins.clone());
                return Ok((HealPlan::Gap(gap), rect));
            }
            Heal::Pattern { context: [secs, hz], reach_secs } => {
                let context = [frames_of(grid, *secs), bins_of(grid, *hz)];
                HealPlan::Pattern { context, reach: frames_of(grid, *reach_secs) }
            }
        };
        if bounds.n_cells() > MAX_HEALED_CELLS {
            return refuse("this hole is too large to be healed at once (over 16 million cells); select less");
        }
        Ok((plan, bounds.clone()))
    }

    /// Cells beyond those written that are read: frames and bins on each side.
    pub fn halo(&self) -> [usize; 2] {
        match self {
            HealPlan::Kernel(kernel) => kernel.halo(),
            HealPlan::Gap(_) | HealPlan::Pattern { .. } => [0, 0],
        }
    }

    /// The mask of `rect`, given that of the edit over `bounds`: a gap's cells are those of every frame that hears it,
    /// each bin as strong as anywhere.
    pub fn mask(&self, painted: Mask, rect: &CellRect) -> Mask {
        let HealPlan::Gap(_) = self else { return painted };
        let mut strongest = vec![0.0f32; rect.bins.len()];
        for row in painted.values.chunks_exact(rect.bins.len().max(1)) {
            strongest.iter_mut().zip(row).for_each(|(most, m)| *most = most.max(*m));
        }
        Mask { rect: rect.clone(), values: strongest.repeat(rect.frames.len()) }
    }

    /// # Errors
    /// [`Script`](ErrorKind::Script) if there is nothing around a hole that the mode could go by.
    pub fn check_surroundings(&self, mask: &Mask, read: &CellRect) -> Result<()> {
        let is_filled = !mask.values.contains(&0.0);
        let lacks_time = is_filled && read.frames == mask.rect.frames;
        let lacks_bins = is_filled && read.bins == mask.rect.bins;
        let lacks = match self {
            HealPlan::Kernel(Kernel::Attenuate(around)) => match around.mixing {
                Mixing::Time => lacks_time,
                Mixing::Frequency => lacks_bins,
                Mixing::Both | Mixing::Shape => lacks_time && lacks_bins,
            },
            HealPlan::Kernel(_) => lacks_time,
            HealPlan::Gap(_) | HealPlan::Pattern { .. } => false,
        };
        if lacks {
            return refuse("there is nothing around this hole to heal it from; select less, or another direction");
        }
        Ok(())
    }
}

/// A time in frames: none for 0, else at least one.
fn frames_of(grid: &Grid, secs: f64) -> usize {
    if secs > 0.0 { (grid.frame_from_secs(secs).round() as usize).max(1) } else { 0 }
}

/// A width in bins: none for 0, else at least one.
fn bins_of(grid: &Grid, hz: f64) -> usize {
    if hz > 0.0 { (grid.bin_from_hz(hz).round() as usize).max(1) } else { 0 }
}

/// The kernel of the mode attenuate.
pub fn attenuation(grid: &Grid, surroundings: &Surroundings) -> Kernel {
    let overlap = grid.stft.frames_per_turn() as f32;
    Kernel::Attenuate(Around {
        context: [
            surroundings.context_secs.map(|secs| frames_of(grid, secs)),
            surroundings.context_hz.map(|hz| bins_of(grid, hz)),
        ],
        weights: [surroundings.time_weights, surroundings.frequency_weights].map(|sides| sides.map(|w| w as f32)),
        units: [1.0 / overlap, 1.0 / LOBE_BINS],
        mixing: match surroundings.direction {
            Direction::Shape => Mixing::Shape,
            Direction::Time => Mixing::Time,
            Direction::Frequency => Mixing::Frequency,
            Direction::Both => Mixing::Both,
        },
    })
}

/// The gap that an edit spans in time, to the sample.
fn gap(grid: &Grid, edit: &Edit, context_secs: [f64; 2]) -> Result<Gap> {
    let painted = edit.stroke.as_ref().map(|stroke| {
        let secs = stroke.points.iter().map(|point| point.secs);
        let [first, last] = secs.fold([f64::MAX, f64::MIN], |[a, b], secs| [a.min(secs), b.max(secs)]);
        [first - stroke.radius[0], last + stroke.radius[0]]
    });
    let selected = edit.select.as_ref().and_then(|select| select.extent()[0]);
    let all_secs = grid.n_samples as f64 / grid.sample_rate_hz;
    let both = [painted, selected].into_iter().flatten();
    let [start, end] = both.fold([0.0, all_secs], |[a, b], [c, d]| [f64::max(a, c), f64::min(b, d)]);
    if end - start > Heal::LONGEST_GAP_SECS + 1e-9 {
        return refuse(format!(
            "this gap is {:.0} ms long and at most {:.0} ms can be predicted; select less time, or heal it in another mode",
            (end - start) * 1000.0,
            Heal::LONGEST_GAP_SECS * 1000.0
        ));
    }
    let sample = |secs: f64| (secs * grid.sample_rate_hz).round().clamp(0.0, grid.n_samples as f64) as u64;
    let samples = sample(start)..sample(end).max(sample(start) + 1).min(grid.n_samples);
    let context = context_secs.map(|secs| (secs * grid.sample_rate_hz).round() as u64);
    let segment = samples.start.saturating_sub(context[0])..(samples.end + context[1]).min(grid.n_samples);
    let order = ((PREDICTION_SECS * grid.sample_rate_hz).round() as usize).clamp(8, MOST_PREDICTION);
    Ok(Gap { samples, segment, order })
}
