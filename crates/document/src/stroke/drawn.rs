//! The state of a stroke in a session, extended point by point, so that plans need not read all points again.

use super::canvas::DabCanvas;
use super::span::SoundSpan;
use crate::base::lock;
use crate::document::Signal;
use crate::dsp::selections::mask;
use crate::dsp::selections::mask::{StrokeMask, SummedMask};
use crate::dsp::strokes::tone::ToneTrack;
use crate::dsp::warps::displacement::{Dab, DabResampler, PushField};
use crate::dsp::{CellRect, Grid, Mask, Point, Selection, Stroke};
use crate::engine::EngineRegion;
use std::sync::Mutex;

/// The kind of data that a brush uses from its stroke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrokeForm {
    /// A mask; dabs if the stroke builds up.
    Mask,
    /// Dabs, in order.
    Dabs,
    /// The field of a push, which follows the dabs.
    PushField,
    /// A frequency at each time.
    Track,
    /// A sound from its first time to its last.
    Sound,
}

/// A stroke as drawn so far, on the grid of its edit.
#[derive(Debug)]
pub struct Drawn {
    form: StrokeForm,
    pub(super) mask: StrokeMask,
    /// Cells that the selection may contain.
    selected: CellRect,
    /// Whether the brush needs dabs.
    has_dabs: bool,
    resampler: DabResampler,
    dabs: Vec<Dab>,
    n_pushed: usize,
    field: Option<PushField>,
    last: Option<[f64; 2]>,
    length_radii: f64,
    last_frame: Option<i64>,
    /// Maximum number of frames between dabs.
    longest_step: usize,
    /// Frame at which phases running through the whole edit begin.
    first_frame: Option<usize>,
    /// The mask of brushes whose dabs form one, with the number of dabs in it.
    sum: Mutex<(usize, SummedMask)>,
    pub(super) canvas: DabCanvas,
    /// The track of a tone.
    track: Option<ToneTrack>,
    /// The span of a sound.
    span: Option<SoundSpan>,
}

impl Drawn {
    /// An edit's stroke before its first point.
    pub(super) fn new(grid: &Grid, form: StrokeForm, select: Option<&Selection>, stroke: &Stroke) -> Drawn {
        Drawn {
            form,
            mask: StrokeMask::new(grid, stroke),
            selected: mask::bounds(grid, None, select),
            has_dabs: stroke.build_up || matches!(form, StrokeForm::Dabs | StrokeForm::PushField),
            resampler: DabResampler::default(),
            dabs: Vec::new(),
            n_pushed: 0,
            field: None,
            last: None,
            length_radii: 0.0,
            last_frame: None,
            longest_step: 0,
            first_frame: None,
            sum: Mutex::default(),
            canvas: DabCanvas::default(),
            track: (form == StrokeForm::Track).then(|| ToneTrack::new(grid, stroke)),
            span: (form == StrokeForm::Sound).then(SoundSpan::default),
        }
    }

    /// The complete stroke of an edit, for the plan on release; `None` for a push, or if the stroke is so large that
    /// its mask is better computed in pieces.
    pub fn whole(grid: &Grid, form: StrokeForm, select: Option<&Selection>, stroke: &Stroke) -> Option<Drawn> {
        // The plan checks the length of a push before it computes any cell, so nothing is computed here.
        if form == StrokeForm::PushField {
            return None;
        }
        if mask::stroke_bounds(grid, stroke).n_cells() > MAX_WHOLE_CELLS {
            return None;
        }
        let mut drawn = Drawn::new(grid, form, select, stroke);
        drawn.extend(stroke, &stroke.points);
        drawn.finish(stroke);
        Some(drawn)
    }

    /// Whether it is the stroke of a push.
    pub(super) fn is_push(&self) -> bool {
        self.form == StrokeForm::PushField
    }

    /// Adds points; those of `stroke` are not read. Returns the cells this may change.
    pub(super) fn extend(&mut self, stroke: &Stroke, points: &[Point]) -> CellRect {
        let reached = self.mask.extend(points);
        let n_dabs = self.dabs.len();
        if let Some(track) = &mut self.track {
            track.extend(points);
        }
        for point in points {
            let at = stroke.scaled(point.secs, point.hz);
            let way = self.last.replace(at).map_or(0.0, |last| (at[0] - last[0]).hypot(at[1] - last[1]));
            self.length_radii += way;
            // The plan refuses longer strokes, so further dabs are not needed.
            if self.has_dabs && self.length_radii <= MAX_LENGTH_RADII {
                self.resampler.extend(Dab { at, pressure: point.pressure }, &mut self.dabs);
            }
        }
        self.measure_steps(stroke, n_dabs);
        let reached = self.span.as_mut().map_or(reached, |span| span.extend(self.mask.grid(), points));
        reached.intersect(&self.selected)
    }

    /// Ends the stroke. Returns the cells this may change.
    pub(super) fn finish(&mut self, end: &Stroke) -> CellRect {
        if !self.has_dabs {
            return CellRect::default();
        }
        let n_dabs = self.dabs.len();
        self.resampler.finish(&mut self.dabs);
        self.measure_steps(end, n_dabs);
        mask::stroke_bounds(self.mask.grid(), end).intersect(&self.selected)
    }

    fn measure_steps(&mut self, stroke: &Stroke, n_before: usize) {
        for dab in &self.dabs[n_before..] {
            let frame = cell_of(self.mask.grid(), stroke, dab)[0];
            let step = self.last_frame.replace(frame).map_or(0, |last| last.abs_diff(frame) as usize);
            self.longest_step = self.longest_step.max(step);
        }
    }

    /// Moves the field of a push by the new dabs, after enlarging it to contain `needed`. Returns the cells moved.
    pub(super) fn push(&mut self, stroke: &Stroke, select: Option<&Selection>, needed: &CellRect) -> CellRect {
        let grid = self.mask.grid();
        let holds = self.field.as_ref().is_some_and(|field| field.rect().contains(needed));
        if !holds {
            // Grown by half, so that a long stroke seldom needs a larger one.
            let is_first = self.field.is_none();
            let room = if is_first { [0; 2] } else { [needed.frames.len() / 2, needed.bins.len() / 2] };
            let mut field = PushField::new(grid, stroke, select, &needed.grown(room[0], room[1], &grid.all_cells()));
            if let Some(before) = self.field.take() {
                field.take_over(&before);
            }
            self.field = Some(field);
        }
        let mut moved = CellRect::default();
        if let Some(field) = &mut self.field {
            for pair in self.dabs[self.n_pushed..].windows(2) {
                moved = moved.union(&field.push(pair[0], pair[1]));
            }
        }
        self.n_pushed = self.dabs.len().saturating_sub(1);
        moved
    }

    /// The current field of a push.
    pub fn field(&self) -> Option<&PushField> {
        self.field.as_ref()
    }

    /// The current track of a tone.
    pub fn track(&self) -> Option<&ToneTrack> {
        self.track.as_ref()
    }

    /// All cells that the edit may change.
    pub fn bounds(&self) -> CellRect {
        let reached = self.span.map_or_else(|| self.mask.bounds(), |span| span.cells(self.mask.grid()));
        reached.intersect(&self.selected)
    }

    /// The mask of the stroke and a selection.
    pub fn mask(&self, select: Option<&Selection>, rect: &CellRect) -> Mask {
        self.mask.evaluate(select, rect)
    }

    /// The current dabs; after finishing, the last one is at the stroke's end.
    pub fn dabs(&self) -> &[Dab] {
        &self.dabs
    }

    /// The length of the stroke, divided by its radius on each axis.
    pub fn length_radii(&self) -> f64 {
        self.length_radii
    }

    /// Number of frames that smudging reads beyond the cells that it changes.
    pub fn step_halo(&self) -> usize {
        self.longest_step + STENCIL_FRAMES
    }

    /// The frame at which phases begin. Constant while the stroke grows, so that painted cells need not be rotated
    /// again; that of the whole edit once the stroke is finished.
    pub fn first_frame(&self, bounds: &CellRect) -> usize {
        self.first_frame.unwrap_or(bounds.frames.start)
    }

    /// Sets [`first_frame`](Drawn::first_frame); returns false if it had a different value.
    pub(super) fn set_first_frame(&mut self, frame: usize) -> bool {
        self.first_frame.replace(frame).is_none_or(|before| before == frame)
    }

    pub(super) fn has_first_frame(&self) -> bool {
        self.first_frame.is_some()
    }

    /// One mask over `rect` for all current dabs; `mask` returns that of one, `sum` joins it to the previous ones.
    pub fn summed(
        &self,
        rect: &CellRect,
        mask: impl Fn(&Dab) -> Option<Mask>,
        sum: impl Fn(f32, f32) -> f32 + Sync + Send,
    ) -> Mask {
        let mut state = lock(&self.sum);
        let (n_done, summed) = &mut *state;
        let mut masks = Vec::new();
        let mut n_cells = 0;
        for mask in self.dabs[*n_done..].iter().filter_map(&mask) {
            n_cells += mask.values.len();
            masks.push(mask);
            if n_cells > CELLS_AT_ONCE {
                summed.add(&masks, &sum);
                (masks, n_cells) = (Vec::new(), 0);
            }
        }
        summed.add(&masks, &sum);
        *n_done = self.dabs.len();
        summed.evaluate(rect)
    }

    /// The cells of a signal after the dabs; `None` if they were not painted.
    pub fn painted(&self, signal: Signal) -> Option<&EngineRegion> {
        self.canvas.painted(signal, self.dabs.len())
    }

    /// Work done since the stroke began: segments and dabs drawn into tiles of masks, dabs painted and pushed.
    pub(super) fn n_visits(&self) -> u64 {
        let summed = lock(&self.sum).1.n_visits();
        self.mask.n_visits() + summed + self.canvas.n_painted + self.n_pushed as u64
    }
}

/// Number of frames that resampling reads around the position of a source.
pub const STENCIL_FRAMES: usize = 3;

/// The whole cell nearest to a dab of a stroke.
pub fn cell_of(grid: &Grid, stroke: &Stroke, dab: &Dab) -> [i64; 2] {
    let hz = stroke.axis.hz_from_units(dab.at[1] * stroke.radius[1]);
    [grid.frame_from_secs(dab.at[0] * stroke.radius[0]).round() as i64, grid.bin_from_hz(hz).round() as i64]
}

/// Maximum length of a stroke painted dab by dab, in radii: two hours with a radius of 60 ms. Each radius takes eight
/// passes over the cells under the brush.
pub const MAX_LENGTH_RADII: f64 = 120_000.0;

/// Maximum size of a mask, in cells, computed in one step for a release: 32 MB.
const MAX_WHOLE_CELLS: usize = 4 << 20;

/// Maximum number of cells in the masks of dabs held at a time, not counting the last mask.
const CELLS_AT_ONCE: usize = 1 << 20;
