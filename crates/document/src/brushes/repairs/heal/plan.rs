//! Healing modes on a grid: contexts in cells, limits, and how each fills a hole.

use super::gaps::{Gap, frames_of_gaps, gaps, grouped, holes};
use super::prediction::Predictions;
use crate::base::{Error, ErrorKind, Result};
use crate::document::edits::plan::{Cuts, Dabs, EditPiece, Placement, PlannedBrush, SignalPass};
use crate::dsp::kernels::{Attenuation, GainKernel, Mixing, best_pattern};
use crate::dsp::repair::heal::{Direction, Heal, Surroundings};
use crate::dsp::selections::mask;
use crate::dsp::{CellRect, Combine, Grid, Kernel, Mask, Shape};
use crate::engine::EngineRegion;
use std::borrow::Cow;
use std::ops::Range;

/// Maximum size of a hole: its cells depend on each other, so it is healed in one piece.
const MAX_HEALED_CELLS: usize = 1 << 24;

/// A hole filled from its surroundings in one pass: dabs form a single mask.
#[derive(Debug)]
pub(super) struct PlannedHeal<'a> {
    means: HealMeans,
    dabs: Dabs<'a>,
    /// Sample ranges of the gaps, if they are healed at all frequencies; `None` if only some cells change.
    samples: Option<Vec<Range<u64>>>,
    predictions: Predictions,
}

impl<'a> PlannedHeal<'a> {
    /// The plan of an edit, and the cells that may change.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the hole is too large, a gap too long, or the stroke too long for its radius.
    pub fn new(place: &Placement<'a>, heal: &Heal, kind: &str) -> Result<(PlannedHeal<'a>, CellRect)> {
        let (means, bounds) = HealMeans::new(place, heal)?;
        let samples = match &means {
            HealMeans::Gaps(groups) if holds_all_frequencies(place) => {
                Some(groups.iter().flatten().map(|gap| gap.samples.clone()).collect())
            }
            HealMeans::Gaps(_) | HealMeans::Kernel(_) | HealMeans::Pattern { .. } => None,
        };
        let (dabs, predictions) = (place.built_up_dabs(kind)?, Predictions::default());
        Ok((PlannedHeal { means, dabs, samples, predictions }, bounds))
    }
}

impl PlannedBrush for PlannedHeal<'_> {
    fn halo(&self) -> [usize; 2] {
        self.means.halo()
    }

    fn cuts(&self) -> Cuts {
        match &self.means {
            HealMeans::Gaps(groups) => Cuts::Into(groups.iter().map(|gaps| frames_of_gaps(gaps)).collect()),
            HealMeans::Pattern { holes, .. } if holes.len() > 1 => Cuts::Into(holes.clone()),
            HealMeans::Kernel(_) | HealMeans::Pattern { .. } => Cuts::Nowhere,
        }
    }

    fn samples(&self) -> Option<&[Range<u64>]> {
        self.samples.as_deref()
    }

    fn piece(&self, place: &Placement<'_>, index: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        // Each dab leaves a fraction `1 - m` of the previous sound.
        let painted = |rect: &CellRect| place.mask_of_dabs(&self.dabs, rect, |sum, m| sum + m * (1.0 - sum));
        if let HealMeans::Kernel(kernel) = &self.means
            && let Some(hole) = rows_of_hole(place, kernel, &rect)?
        {
            return self.piece_across_groups(place, kernel, painted(&rect), painted(&hole));
        }
        let read = self.read(place, &rect);
        let mask = self.means.mask(painted(&rect), &rect);
        let read = if mask.rect == rect { read } else { mask.rect.clone() };
        self.means.check_surroundings(&mask, &read, &place.grid)?;
        Ok(match &self.means {
            HealMeans::Kernel(kernel) => EditPiece::of_kernel(read, mask, Cow::Borrowed(kernel)),
            HealMeans::Gaps(groups) => EditPiece::new(read, mask, move |pass, piece, before| {
                let fill = || self.predictions.with_gaps_filled(pass, groups, index, &piece.rect);
                let samples = pass.engine.here("predict", "predictions are made in f64", fill)?;
                let healed = pass.engine.analyse(&pass.place.plan, &samples, &piece.rect)?;
                pass.engine.combine(before, &healed, &piece.mask, 0.0)
            }),
            HealMeans::Pattern { context, reach, holes } => EditPiece::new(read, mask, move |pass, piece, before| {
                let pattern = pattern(pass, piece, *context, *reach, holes)?;
                pass.engine.combine(before, &pattern, &piece.mask, 0.0)
            }),
        })
    }
}

impl PlannedHeal<'_> {
    /// The piece of one group of rows whose hole extends into others: the whole hole is filled, and only this group's
    /// rows are kept.
    fn piece_across_groups<'p>(
        &'p self,
        place: &Placement<'_>,
        kernel: &'p Kernel,
        mask: Mask,
        hole: Mask,
    ) -> Result<EditPiece<'p>> {
        let read = self.read(place, &hole.rect);
        self.means.check_surroundings(&hole, &read, &place.grid)?;
        Ok(EditPiece::new(read, mask, move |pass, piece, before| {
            pass.engine.crop(&pass.engine.run(kernel, before, &hole)?, &piece.rect)
        }))
    }
}

/// The cells of a piece, extended to the rows of the hole that belong to other groups, at the piece's hop. `None` for
/// kernels that read only preceding and following cells, and on an STFT, whose hole is a single piece.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for too many cells.
fn rows_of_hole(place: &Placement<'_>, kernel: &Kernel, rect: &CellRect) -> Result<Option<CellRect>> {
    let Kernel::Attenuate(Attenuation { mixing: Mixing::Frequency | Mixing::Both | Mixing::Shape, .. }) = kernel else {
        return Ok(None);
    };
    if place.plan.rows().is_none() {
        return Ok(None);
    }
    let all = mask::bounds(&place.grid, place.stroke, place.select);
    let hole = CellRect::new(rect.frames.clone(), all.bins).intersect(&place.grid.all_cells());
    if hole.n_cells() > MAX_HEALED_CELLS {
        return refuse("this hole is too large to heal at once (over 16 million cells); select less");
    }
    Ok(Some(hole.union(rect)))
}

/// Whether the mask of an edit is equal at all frequencies, so that prediction changes only the gaps.
fn holds_all_frequencies(place: &Placement<'_>) -> bool {
    let is_whole = |(combine, shape): &(Combine, Shape)| {
        let is_wide = matches!(shape, Shape::Moments(_) | Shape::Rectangle { hz: None, .. });
        is_wide && *combine == Combine::Add
    };
    place.stroke.is_none() && place.select.is_none_or(|select| select.shapes.iter().all(is_whole))
}

/// The cells of the best-matching passage nearby, level-adjusted; preferably one without a hole.
fn pattern(
    pass: &SignalPass<'_>,
    piece: &EditPiece<'_>,
    context: [usize; 2],
    reach: usize,
    holes: &[Range<usize>],
) -> Result<EngineRegion> {
    let (grid, rect) = (&pass.place.grid, &piece.rect);
    let frames = reach.saturating_add(rect.frames.len() + context[0]);
    let wide = rect.grown(frames, context[1], &grid.all_cells());
    let cells = pass.engine.download(pass.analyse(pass.snapshot, &wide, 0)?)?;
    let is_other = |hole: &&Range<usize>| hole.end <= rect.frames.start || hole.start >= rect.frames.end;
    let others: Vec<Range<usize>> = holes.iter().filter(is_other).cloned().collect();
    let best = |others: &[Range<usize>]| best_pattern(grid, &cells, &piece.mask, context, reach, others);
    let find = || best(&others).or_else(|| best(&[]));
    let found = pass.engine.here("find_pattern", "the best passage is searched for on the CPU", find);
    let Some(found) = found else {
        return Err(Error::outcome("no passage this long nearby; increase Reach, or select less"));
    };
    let source = pass.analyse(pass.snapshot, rect, found.samples)?;
    let whole = Mask { rect: rect.clone(), values: vec![1.0; rect.n_cells()] };
    pass.engine.run(&GainKernel { log2_gain: found.log2_gain }.into(), &source, &whole)
}

/// Methods of filling a hole.
#[derive(Debug)]
enum HealMeans {
    /// Cells computed from the surrounding cells.
    Kernel(Kernel),
    /// Gaps predicted from the surrounding samples, ordered by time, in independent groups.
    Gaps(Vec<Vec<Gap>>),
    /// A matching passage from nearby.
    Pattern {
        /// Frames and bins around the hole that must match.
        context: [usize; 2],
        /// Search range in frames.
        reach: usize,
        /// Frames of each selected range; each range is filled separately.
        holes: Vec<Range<usize>>,
    },
}

fn refuse<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::Script, why))
}

impl HealMeans {
    /// The method, and the cells that may change: those of `bounds`, or for gaps all frames that contain a part of one.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the hole is too large or the gap too long.
    fn new(place: &Placement<'_>, heal: &Heal) -> Result<(HealMeans, CellRect)> {
        let (grid, bounds) = (&place.grid, &place.bounds);
        let means = match heal {
            Heal::Attenuate(surroundings) => HealMeans::Kernel(attenuation(grid, surroundings)),
            Heal::Interpolate { context_secs, order } => {
                let context = context_secs.map(|secs| frames_of(grid, secs));
                HealMeans::Kernel(Kernel::Interpolate { context, order: *order as usize })
            }
            Heal::Gap { context_secs, orders } => {
                let groups = grouped(gaps(place, *context_secs, *orders)?);
                let rect_of = |gaps: &Vec<Gap>| CellRect::new(frames_of_gaps(gaps), bounds.bins.clone());
                if groups.iter().any(|gaps| rect_of(gaps).n_cells() > MAX_HEALED_CELLS) {
                    return refuse("too many gaps to heal at once; select less");
                }
                let rect = groups.iter().fold(CellRect::default(), |all, gaps| all.union(&rect_of(gaps)));
                return Ok((HealMeans::Gaps(groups), rect));
            }
            Heal::Pattern { context: [secs, hz], reach_secs } => {
                let context = [frames_of(grid, *secs), bins_of(grid, *hz)];
                let holes = holes(place);
                let n_cells = |frames: &Range<usize>| CellRect::new(frames.clone(), bounds.bins.clone()).n_cells();
                if holes.len() > 1 && holes.iter().all(|frames| n_cells(frames) <= MAX_HEALED_CELLS) {
                    return Ok((
                        HealMeans::Pattern { context, reach: frames_of(grid, *reach_secs), holes },
                        bounds.clone(),
                    ));
                }
                HealMeans::Pattern { context, reach: frames_of(grid, *reach_secs), holes }
            }
        };
        if bounds.n_cells() > MAX_HEALED_CELLS {
            return refuse("this hole is too large to heal at once (over 16 million cells); select less");
        }
        Ok((means, bounds.clone()))
    }

    /// Cells beyond those written that are read: frames and bins on each side.
    fn halo(&self) -> [usize; 2] {
        match self {
            HealMeans::Kernel(kernel) => kernel.halo(),
            HealMeans::Gaps(_) | HealMeans::Pattern { .. } => [0, 0],
        }
    }

    /// The mask of a piece, given the edit's mask over its `rect`. A gap covers every frame that contains a part of it,
    /// each bin with its maximum over these frames. If there are several holes to fill with patterns, the mask is
    /// cropped to its tight bounds.
    fn mask(&self, painted: Mask, rect: &CellRect) -> Mask {
        let groups = match self {
            HealMeans::Gaps(groups) => groups,
            // Each of several holes is cropped to its tight bounds.
            HealMeans::Pattern { holes, .. } if holes.len() > 1 => {
                let tight = painted.tight_bounds();
                return if tight.is_empty() { painted } else { painted.crop(&tight) };
            }
            HealMeans::Kernel(_) | HealMeans::Pattern { .. } => return painted,
        };
        let n_bins = rect.bins.len();
        let mut values = vec![0.0f32; painted.values.len()];
        // Gaps within the same frames need only one pass.
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
                strongest.iter_mut().zip(row).for_each(|(max, m)| *max = max.max(*m));
            }
            for row in values[start..end].chunks_exact_mut(n_bins.max(1)) {
                row.iter_mut().zip(&strongest).for_each(|(m, max)| *m = m.max(*max));
            }
        }
        Mask { rect: rect.clone(), values }
    }

    /// Checks that the mode can find sound around the hole.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if there is none.
    fn check_surroundings(&self, mask: &Mask, read: &CellRect, grid: &Grid) -> Result<()> {
        let is_filled = !mask.values.contains(&0.0);
        // Frames centred past the end of the sound contain only silence.
        let end = grid.frame_from_secs(grid.duration_secs()).ceil().max(0.0) as usize;
        let is_whole = read.frames.start >= mask.rect.frames.start && read.frames.end.min(end) <= mask.rect.frames.end;
        let lacks_time = is_filled && is_whole;
        let lacks_bins = is_filled && read.bins == mask.rect.bins;
        let lacks = match self {
            HealMeans::Kernel(Kernel::Attenuate(around)) => match around.mixing {
                Mixing::Time => lacks_time,
                Mixing::Frequency => lacks_bins,
                Mixing::Both | Mixing::Shape => lacks_time && lacks_bins,
            },
            HealMeans::Kernel(_) => lacks_time,
            HealMeans::Gaps(_) | HealMeans::Pattern { .. } => false,
        };
        if lacks {
            return Err(Error::outcome("no sound around this hole; select less, or choose another direction"));
        }
        Ok(())
    }
}

/// A duration in frames: 0 for 0, otherwise at least 1.
fn frames_of(grid: &Grid, secs: f64) -> usize {
    if secs > 0.0 { (grid.frames_in_secs(secs).round() as usize).max(1) } else { 0 }
}

/// A bandwidth in bins: 0 for 0, otherwise at least 1.
fn bins_of(grid: &Grid, hz: f64) -> usize {
    if hz > 0.0 { (grid.bins_in_hz(hz).round() as usize).max(1) } else { 0 }
}

/// The kernel of the mode attenuate.
fn attenuation(grid: &Grid, surroundings: &Surroundings) -> Kernel {
    let overlap = grid.frames_per_window() as f32;
    let mixing = match surroundings.direction {
        // DC and Nyquist have no neighbours.
        _ if grid.all_cells().bins.len() == 1 => Mixing::Time,
        Direction::Shape => Mixing::Shape,
        Direction::Time => Mixing::Time,
        Direction::Frequency => Mixing::Frequency,
        Direction::Both => Mixing::Both,
    };
    Kernel::Attenuate(Attenuation {
        context: [
            surroundings.context_secs.map(|secs| frames_of(grid, secs)),
            surroundings.context_hz.map(|hz| bins_of(grid, hz)),
        ],
        weights: [surroundings.time_weights, surroundings.frequency_weights].map(|sides| sides.map(|w| w as f32)),
        units: [1.0 / overlap, 1.0 / grid.bins_per_lobe() as f32],
        mixing,
    })
}
