//! The stroke and the selection of an edit on the grid of a sound, as masks and dabs.

use crate::base::{Error, ErrorKind, Result};
use crate::document::Signal;
use crate::document::stroke::{Drawn, MAX_LENGTH_RADII, STENCIL_FRAMES, cell_of};
use crate::dsp::selections::mask;
use crate::dsp::strokes::tone::ToneTrack;
use crate::dsp::warps::displacement::{Dab, PushField, dabs};
use crate::dsp::{Axis, CellRect, Grid, GridPlan, Mask, Point, Selection, Stft, Stroke};
use crate::engine::{EngineRegion, PlannedGrid};
use std::borrow::Cow;
use std::sync::Arc;

/// The dabs of a stroke, in order; empty for a stroke that does not build up.
pub type Dabs<'a> = Cow<'a, [Dab]>;

/// The stroke and the selection of an edit on the grid of a sound.
#[derive(Debug)]
pub struct Placement<'a> {
    /// The grid that the edit works on.
    pub grid: Grid,
    /// The plan of its transform.
    pub plan: GridPlan,
    /// The edit's stroke.
    pub stroke: Option<&'a Stroke>,
    /// The edit's selection.
    pub select: Option<&'a Selection>,
    /// Every cell that stroke and selection may reach.
    pub bounds: CellRect,
    /// Strength without a stroke, 0 to 1.
    strength: f64,
    /// A session's state of the stroke; without it, all points are read.
    drawn: Option<&'a Drawn>,
}

impl<'a> Placement<'a> {
    /// A stroke and a selection with a strength, on a grid.
    pub fn new(
        PlannedGrid { grid, plan }: PlannedGrid,
        stroke: Option<&'a Stroke>,
        select: Option<&'a Selection>,
        strength: f64,
        drawn: Option<&'a Drawn>,
    ) -> Placement<'a> {
        let bounds = drawn.map_or_else(|| mask::bounds(&grid, stroke, select), Drawn::bounds);
        let bounds = bounds.intersect(&grid.own_cells());
        Placement { grid, plan, stroke, select, bounds, strength, drawn }
    }

    /// The plan of an STFT, for brushes that work only on an STFT.
    ///
    /// # Errors
    /// [`Internal`](ErrorKind::Internal) on rows, which such brushes have already refused.
    pub fn stft(&self) -> Result<&Arc<Stft>> {
        self.plan.stft()
    }

    /// The mask of stroke and selection over `rect`.
    pub fn mask(&self, rect: &CellRect) -> Mask {
        match self.drawn {
            Some(drawn) => drawn.mask(self.select, rect),
            None => mask::evaluate(&self.grid, self.stroke, self.select, self.strength, rect),
        }
    }

    /// The strength of stroke and selection at each pair of the times `secs` and the frequencies `hz`, both ascending:
    /// one row of `hz.len()` values per time.
    pub fn strength_at(&self, secs: &[f64], hz: &[f64]) -> Vec<f32> {
        mask::evaluate_at(secs, hz, self.stroke, self.select, self.strength)
    }

    /// The mask of the selection alone over `rect`.
    pub fn selected(&self, rect: &CellRect) -> Mask {
        mask::evaluate(&self.grid, None, self.select, 1.0, rect)
    }

    /// The mask of an added sound, whose stroke is not a mask: the selection, times the strength if there is no stroke.
    pub fn mask_of_addition(&self, rect: &CellRect) -> Mask {
        let strength = if self.stroke.is_none() { self.strength } else { 1.0 };
        mask::evaluate(&self.grid, None, self.select, strength, rect)
    }

    /// The axis for units of an edit that names none: that of its stroke, otherwise of its first selection.
    pub fn axis(&self) -> Axis {
        axis_of(self.stroke, self.select)
    }

    /// Whether the stroke builds up: its brush acts once per dab.
    pub fn is_built_up(&self) -> bool {
        self.stroke.is_some_and(|stroke| stroke.build_up)
    }

    /// The dabs of the stroke, if it builds up.
    ///
    /// # Errors
    /// As [`dabs`](Placement::dabs).
    pub fn built_up_dabs(&self, kind: &str) -> Result<Dabs<'a>> {
        if self.is_built_up() { self.dabs(kind) } else { Ok(Dabs::default()) }
    }

    /// The dabs of the stroke, for a brush of a kind.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) without a stroke, and for one that is too long for its radius.
    pub fn dabs(&self, kind: &str) -> Result<Dabs<'a>> {
        let Some(stroke) = self.stroke else {
            return Err(Error::new(ErrorKind::Script, format!("{kind} needs a stroke")));
        };
        if let Some(drawn) = self.drawn {
            refuse_length(drawn.length_radii())?;
            return Ok(Dabs::Borrowed(drawn.dabs()));
        }
        refuse_longest(stroke)?;
        Ok(Dabs::Owned(dabs(stroke)))
    }

    /// The mask of one dab; `None` if it reaches no cell of `rect`.
    pub fn dab_mask(&self, dab: &Dab, rect: &CellRect) -> Option<Mask> {
        let stroke = self.stroke?;
        let hz = stroke.axis.hz_from_units(dab.at[1] * stroke.radius[1]);
        let point = Point { secs: dab.at[0] * stroke.radius[0], hz, pressure: dab.pressure };
        let Stroke { axis, radius, hardness, strength, build_up, .. } = *stroke;
        let single = Stroke { points: vec![point], axis, radius, hardness, strength, build_up };
        let under = mask::stroke_bounds(&self.grid, &single).intersect(rect);
        let mask = mask::evaluate(&self.grid, Some(&single), self.select, self.strength, &under);
        let tight = mask.tight_bounds();
        (!tight.is_empty()).then(|| mask.crop(&tight))
    }

    /// The mask over `rect` of a brush that acts once: of all dabs, joined by `sum`, or of the whole stroke if there
    /// are none.
    pub fn mask_of_dabs(&self, dabs: &[Dab], rect: &CellRect, sum: impl Fn(f32, f32) -> f32 + Sync + Send) -> Mask {
        if dabs.is_empty() {
            return self.mask(rect);
        }
        if let Some(drawn) = self.drawn {
            let all = self.grid.all_cells();
            return drawn.summed(rect, |dab| self.dab_mask(dab, &all), sum);
        }
        let mut all = Mask::zeros(rect.clone());
        for mask in dabs.iter().filter_map(|dab| self.dab_mask(dab, rect)) {
            for (frame, row) in mask.rect.frames.clone().zip(mask.values.chunks_exact(mask.rect.bins.len())) {
                let start = (frame - rect.frames.start) * rect.bins.len() + mask.rect.bins.start - rect.bins.start;
                all.values[start..][..row.len()].iter_mut().zip(row).for_each(|(value, m)| *value = sum(*value, *m));
            }
        }
        all
    }

    /// Frames and bins from one dab to another, in whole cells.
    pub fn cells_between(&self, from: &Dab, to: &Dab) -> [i64; 2] {
        let Some(stroke) = self.stroke else { return [0, 0] };
        let [from, to] = [from, to].map(|dab| cell_of(&self.grid, stroke, dab));
        [to[0] - from[0], to[1] - from[1]]
    }

    /// Frames beyond the bounds read when dragging from dab to dab: the longest step, and the reach of the stencil.
    pub fn step_halo(&self, dabs: &[Dab]) -> usize {
        let longest =
            || dabs.windows(2).map(|pair| self.cells_between(&pair[0], &pair[1])[0].unsigned_abs() as usize).max();
        self.drawn.map_or_else(|| longest().unwrap_or(0) + STENCIL_FRAMES, Drawn::step_halo)
    }

    /// The frame at which phases running through the whole edit begin.
    pub fn first_frame(&self) -> usize {
        self.drawn.map_or(self.bounds.frames.start, |drawn| drawn.first_frame(&self.bounds))
    }

    /// The field of a push in a session; `None` without one.
    pub fn field(&self) -> Option<&'a PushField> {
        self.drawn.and_then(Drawn::field)
    }

    /// The track of a tone in a session; `None` without one.
    pub fn track(&self) -> Option<&'a ToneTrack> {
        self.drawn.and_then(Drawn::track)
    }

    /// The cells of a signal painted with all dabs in a session.
    pub fn painted(&self, signal: Signal) -> Option<&'a EngineRegion> {
        self.drawn.and_then(|drawn| drawn.painted(signal))
    }
}

/// See [`Placement::axis`].
pub fn axis_of(stroke: Option<&Stroke>, select: Option<&Selection>) -> Axis {
    let of_selection = || select.map(Selection::axis);
    stroke.map(|stroke| stroke.axis).or_else(of_selection).unwrap_or_default()
}

/// Refuses a stroke with too many dabs.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for a stroke that is too long for its radius.
pub fn refuse_longest(stroke: &Stroke) -> Result<()> {
    let places: Vec<[f64; 2]> = stroke.points.iter().map(|point| stroke.scaled(point.secs, point.hz)).collect();
    let way = |pair: &[[f64; 2]]| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
    refuse_length(places.windows(2).map(way).sum())
}

/// Refuses a stroke by its length in radii.
fn refuse_length(length: f64) -> Result<()> {
    if length.is_nan() || length > MAX_LENGTH_RADII {
        return Err(Error::new(
            ErrorKind::Script,
            "this stroke is over 120,000 times as long as its radius; use a larger radius or several strokes",
        ));
    }
    Ok(())
}
