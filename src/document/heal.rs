//! Plans the heal brush's modes on a grid: contexts in cells and samples, and limits.

use super::Edit;
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::heal::{Direction, Heal, Surroundings};
use crate::dsp::kernels::{Attenuation, Kernel, Mixing};
use crate::dsp::selection::joined;
use crate::dsp::{CellRect, Combine, Grid, Mask, Selection, Shape};
use std::ops::Range;

/// Largest hole: its cells hang together, so it is done at once.
const MAX_HEALED_CELLS: usize = 1 << 24;

/// A main lobe of a Hann window in bins: what is as far apart in frequency as a window is in time.
const LOBE_BINS: f32 = 4.0;

/// Span of the prediction's coefficients: 46 ms resolve tones 22 Hz apart.
const PREDICTION_SECS: f64 = 0.0465;
/// Its highest order, which is reached at 44.1 kHz.
const MOST_PREDICTION: usize = 2048;
/// A short gap needs a lower order, which is much faster: this many coefficients plus this many per sample (Janssen and
/// others use three per sample plus two).
const LEAST_PREDICTION: usize = 64;
const PREDICTION_PER_SAMPLE: usize = 4;
/// Samples on each side that are enough to learn a coefficient from.
const CONTEXT_PER_COEFFICIENT: u64 = 8;

/// Gaps closer than this many samples on average leave too few samples between them for separate predictions; they
/// share coefficients.
const CROWDED_SAMPLES: usize = 16;
/// Fewer are no crowd.
const LEAST_CROWD: usize = 16;
/// Samples from the first to the last of those that share coefficients.
const MOST_CROWDED_SAMPLES: u64 = 4096;

/// A mode made ready.
#[derive(Debug)]
pub(super) enum HealPlan {
    /// Cells out of the cells around them.
    Kernel(Kernel),
    /// Gaps predicted from the samples around them, in time order, in independent groups.
    Gaps(Vec<Vec<Gap>>),
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
    /// Every frame that hears it.
    pub frames: Range<usize>,
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
    /// The plan and the cells that may change: those of `bounds`, or for a gap every frame that contains it.
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
                let groups = grouped(gaps(grid, edit, *context_secs)?);
                let rect_of = |gaps: &Vec<Gap>| CellRect::new(frames_of_gaps(gaps), bounds.bins.clone());
                if groups.iter().any(|gaps| rect_of(gaps).n_cells() > MAX_HEALED_CELLS) {
                    return refuse("there are too many gaps to heal at once; select less time");
                }
                let rect = groups.iter().fold(CellRect::default(), |all, gaps| all.union(&rect_of(gaps)));
                return Ok((HealPlan::Gaps(groups), rect));
            }
            Heal::Pattern { context: [secs, hz], reach_secs } => {
                let context = [frames_of(grid, *secs), bins_of(grid, *hz)];
                HealPlan::Pattern { context, reach: frames_of(grid, *reach_secs) }
            }
        };
        if bounds.n_cells() > MAX_HEALED_CELLS {
            return refuse("this hole is too large to heal at once (over 16 million cells); select less");
        }
        Ok((plan, bounds.clone()))
    }

    /// Cells beyond those written that are read: frames and bins on each side.
    pub fn halo(&self) -> [usize; 2] {
        match self {
            HealPlan::Kernel(kernel) => kernel.halo(),
            HealPlan::Gaps(_) | HealPlan::Pattern { .. } => [0, 0],
        }
    }

    /// The mask of `rect`, given the edit's mask over `bounds`: a gap covers every frame that contains it, each bin
    /// with its maximum there.
    pub fn mask(&self, painted: Mask, rect: &CellRect) -> Mask {
        let HealPlan::Gaps(groups) = self else { return painted };
        let n_bins = rect.bins.len();
        let mut values = vec![0.0f32; painted.values.len()];
        // Of those that the same frames hear, one is enough.
        let mut gaps: Vec<&Gap> = groups.iter().flatten().collect();
        gaps.dedup_by(|a, b| a.frames == b.frames);
        for gap in gaps {
            let [start, end] = [gap.frames.start, gap.frames.end]
                .map(|frame| (frame.clamp(rect.frames.start, rect.frames.end) - rect.frames.start) * n_bins);
            if start == end {
                continue;
            }
            let mut strongest = vec![0.0f32; n_bins];
            for row in painted.values[start..end].chunks_exact(n_bins.max(1)) {
                strongest.iter_mut().zip(row).for_each(|(most, m)| *most = most.max(*m));
            }
            for row in values[start..end].chunks_exact_mut(n_bins.max(1)) {
                row.iter_mut().zip(&strongest).for_each(|(m, most)| *m = m.max(*most));
            }
        }
        Mask { rect: rect.clone(), values }
    }

    /// # Errors
    /// [`Script`](ErrorKind::Script) if the mode finds no sound around a hole.
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
            HealPlan::Gaps(_) | HealPlan::Pattern { .. } => false,
        };
        if lacks {
            return refuse(
                "there is no sound around this hole to heal it from; select less, or choose another direction",
            );
        }
        Ok(())
    }
}

/// A time in frames: none for 0, else at least one.
fn frames_of(grid: &Grid, secs: f64) -> usize {
    if secs > 0.0 { (grid.frames_in_secs(secs).round() as usize).max(1) } else { 0 }
}

/// A width in bins: none for 0, else at least one.
fn bins_of(grid: &Grid, hz: f64) -> usize {
    if hz > 0.0 { (grid.bin_from_hz(hz).round() as usize).max(1) } else { 0 }
}

/// The kernel of the mode attenuate.
pub fn attenuation(grid: &Grid, surroundings: &Surroundings) -> Kernel {
    let overlap = grid.frames_per_turn() as f32;
    Kernel::Attenuate(Attenuation {
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

/// The gaps of an edit in samples: one per connected range of selected time.
fn gaps(grid: &Grid, edit: &Edit, context_secs: [f64; 2]) -> Result<Vec<Gap>> {
    let painted = edit.stroke.as_ref().map(|stroke| {
        let secs = stroke.points.iter().map(|point| point.secs);
        let [first, last] = secs.fold([f64::MAX, f64::MIN], |[a, b], secs| [a.min(secs), b.max(secs)]);
        [first - stroke.radius[0], last + stroke.radius[0]]
    });
    let all_secs = grid.n_samples as f64 / grid.sample_rate_hz;
    let selected = edit.select.as_ref().map_or_else(|| vec![ALWAYS], runs_of);
    let within = |[start, end]: [f64; 2]| {
        let [from, to] = painted.unwrap_or(ALWAYS);
        [start.max(from).max(0.0), end.min(to).min(all_secs)]
    };
    let mut runs: Vec<[f64; 2]> = selected.iter().map(|run| within(*run)).filter(|[start, end]| start <= end).collect();
    if runs.is_empty() {
        // Only soft edges are left, if anything.
        let run = edit.select.as_ref().and_then(|select| select.extent()[0]).unwrap_or(ALWAYS);
        runs.push(within(run));
    }
    let longest_secs = runs.iter().fold(0.0, |most, [start, end]| f64::max(most, end - start));
    if longest_secs > Heal::LONGEST_GAP_SECS + 1e-9 {
        return refuse(format!(
            "{} {:.0} ms long, and the heal brush's full-band gap mode predicts at most {:.0} ms; select less time, or \
             choose another mode",
            if runs.len() > 1 { "one of these gaps is" } else { "this gap is" },
            longest_secs * 1000.0,
            Heal::LONGEST_GAP_SECS * 1000.0
        ));
    }
    let sample = |secs: f64| (secs * grid.sample_rate_hz).round().clamp(0.0, grid.n_samples as f64) as u64;
    let context = context_secs.map(|secs| (secs * grid.sample_rate_hz).round() as u64);
    let order = ((PREDICTION_SECS * grid.sample_rate_hz).round() as usize).clamp(8, MOST_PREDICTION);
    let gap = |[start, end]: [f64; 2]| {
        let samples = sample(start)..sample(end).max(sample(start) + 1).min(grid.n_samples);
        let n = (samples.end - samples.start) as usize;
        let order = order.min(LEAST_PREDICTION + PREDICTION_PER_SAMPLE * n);
        let context = context.map(|n| n.min(CONTEXT_PER_COEFFICIENT * order as u64));
        let segment = samples.start.saturating_sub(context[0])..(samples.end + context[1]).min(grid.n_samples);
        Gap { frames: grid.frames_over(&samples), samples, segment, order }
    };
    Ok(runs.into_iter().map(gap).collect())
}

/// Groups gaps within each other's surroundings or in the same frames.
fn grouped(gaps: Vec<Gap>) -> Vec<Vec<Gap>> {
    let mut groups: Vec<Vec<Gap>> = Vec::new();
    for gap in gaps {
        let hears = |last: &Gap| last.segment.end > gap.segment.start || last.frames.end > gap.frames.start;
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(hears) => group.push(gap),
            _ => groups.push(vec![gap]),
        }
    }
    groups
}

/// Those of some gaps, in order, that lie in the surroundings of one of them, which is among them.
pub(super) fn heard_by(gaps: &[Gap], gap: &Gap) -> Range<usize> {
    let start = gaps.partition_point(|other| other.samples.end <= gap.segment.start);
    start..gaps.partition_point(|other| other.samples.start < gap.segment.end).max(start)
}

/// The gaps, in order, that are dense enough to share coefficients; all others are predicted separately.
pub(super) fn crowds(gaps: &[Gap]) -> Vec<Range<usize>> {
    let mut crowds: Vec<Range<usize>> = Vec::new();
    for (index, gap) in gaps.iter().enumerate() {
        let (n, n_samples) = (heard_by(gaps, gap).len(), gap.segment.end - gap.segment.start);
        if n < LEAST_CROWD || ((n * CROWDED_SAMPLES) as u64) < n_samples {
            continue;
        }
        match crowds.last_mut() {
            Some(crowd)
                if crowd.end == index && gap.samples.end - gaps[crowd.start].samples.start <= MOST_CROWDED_SAMPLES =>
            {
                crowd.end += 1;
            }
            _ => crowds.push(index..index + 1),
        }
    }
    crowds
}

/// All frames that hear any of some gaps, which are in order.
pub(super) fn frames_of_gaps(gaps: &[Gap]) -> Range<usize> {
    gaps.iter().map(|gap| gap.frames.clone()).reduce(|all, frames| all.start..frames.end.max(all.end)).unwrap_or(0..0)
}

const ALWAYS: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// The selected times without soft edges, ascending and disjoint. Subtracted shapes count only if they cover all
/// frequencies.
fn runs_of(selection: &Selection) -> Vec<[f64; 2]> {
    let mut all: Option<Vec<[f64; 2]>> = None;
    for (combine, shape) in &selection.shapes {
        let runs = runs_of_shape(shape);
        all = match (all, combine) {
            (None, Combine::Subtract) => None,
            (None, _) => Some(runs),
            (Some(all), Combine::Add) => Some(joined(all.into_iter().chain(runs).collect())),
            (Some(all), Combine::Intersect) => Some(common(&all, &runs)),
            (Some(all), Combine::Subtract) => Some(match shape {
                Shape::Rectangle { secs: Some([start, end]), hz: None, .. } => {
                    common(&all, &[[f64::NEG_INFINITY, *start], [*end, f64::INFINITY]])
                }
                _ => all,
            }),
        };
    }
    all.unwrap_or_else(|| vec![ALWAYS])
}

fn runs_of_shape(shape: &Shape) -> Vec<[f64; 2]> {
    match shape {
        Shape::Group(group) => runs_of(group),
        Shape::Moments(moments) => moments.runs.to_vec(),
        Shape::Cells(cells) => {
            let [n_frames, n_bins] = cells.size;
            let secs = |frame: usize| cells.secs[0] + (cells.secs[1] - cells.secs[0]) * frame as f64 / n_frames as f64;
            let rows = cells.values.chunks_exact(n_bins.max(1)).enumerate();
            let chosen = rows.filter(|(_, row)| row.iter().any(|value| *value > 0.0));
            joined(chosen.map(|(frame, _)| [secs(frame), secs(frame + 1)]).collect())
        }
        shape => vec![shape.extent()[0].unwrap_or(ALWAYS)],
    }
}

/// What two lists share.
fn common(a: &[[f64; 2]], b: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| [a[0].max(b[0]), a[1].min(b[1])]));
    joined(pairs.filter(|[start, end]| start < end).collect())
}
