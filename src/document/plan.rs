//! Turns an edit into kernels on rectangles of cells: which cells, in which pieces, with which tables.

mod dabs;
mod kernels;
mod scope;

pub use dabs::dab_mask;
use dabs::{dab_halo, dabs_of, refuse_longest, step_halo};
use kernels::modulation_patch;
pub use kernels::{cell_kernel, modulation_kernel};
pub(super) use scope::Scope;

use super::heal::{Gap, HealPlan, frames_of_gaps};
use super::stroke::Drawn;
use super::{Edit, Signal, Snapshot, paste};
use crate::base::{Error, ErrorKind, Result};
use crate::document::brushes::{Brush, CloneSource, ModulationFilter, Noise, Smudge, Warp};
use crate::dsp::brush::{Tone, WarpMode};
use crate::dsp::displacement::{Dab, Displacement, PushField, dabs};
use crate::dsp::kernels::Kernel;
use crate::dsp::noise::noise_sigma;
use crate::dsp::partials::Carried;
use crate::dsp::tone::ToneLine;
use crate::dsp::{Axis, CellRect, Clip, Denoise, Grid, Mask, NoiseFrom, NoiseProfile, Region, Stft, mask};
use crate::engine::Plans;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Largest patch of a modulation filter, in cells after padding.
const MAX_PADDED_CELLS: usize = 1 << 26;

/// Largest warp: its field is computed at once, at some 40 bytes per cell.
const MAX_WARP_CELLS: usize = 1 << 25;

/// Largest region painted dab by dab at once: overlapping dabs cannot be split into pieces.
const MAX_DABBED_CELLS: usize = 1 << 24;

/// Maximum number of cells, over all source bins, whose phases are processed at once: some 30 bytes each.
const MAX_FINISHED_CELLS: usize = 1 << 24;

/// Maximum distance of a clone's source, so that sums of sample positions never overflow.
pub(super) const FARTHEST_SAMPLES: i64 = 1 << 52;

/// Maximum number of cells moved by the dabs of one push, counting repeats: some ten seconds of work.
const MAX_PUSHED_CELLS: usize = 1 << 29;

/// An edit laid out on the grid of a sound.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The grid that the edit works on.
    pub grid: Grid,
    /// The plan of its transform.
    pub stft: Arc<Stft>,
    edit: &'a Edit,
    /// What a session keeps of the edit's stroke; without it, all points are read.
    drawn: Option<&'a Drawn>,
    /// Every cell that may change.
    bounds: CellRect,
    /// Cells beyond those written that are read.
    halo: [usize; 2],
    frames_per_piece: usize,
    /// What is the same for all pieces.
    recipe: Recipe<'a>,
    finish: Option<Finish>,
    /// State of moving partials carried from one piece to the next, by signal and first frame.
    carried: Mutex<HashMap<(u64, usize), Carried>>,
}

/// How the phases of painted cells are finished: by one function on the CPU, for both engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// They are [rebuilt](crate::dsp::phase) from the magnitudes, in this many steps.
    Rebuild(u32),
    /// Tones [keep their frequency](crate::dsp::peak_locking).
    Lock,
}

/// Of a stroke; empty if it does not build up.
type Dabs<'a> = Cow<'a, [Dab]>;

#[derive(Debug)]
enum Recipe<'a> {
    /// Each piece has its own mask and the same kernel.
    Cells(Kernel),
    /// Each piece has its own mask, each signal its own kernel.
    Denoise { denoise: Denoise, profile: Arc<NoiseProfile>, dabs: Dabs<'a> },
    /// One patch, whose mask is already made.
    Patch(Kernel, Mask),
    /// Pieces of one field.
    Warp(Displacement),
    /// A kernel per dab.
    Dabs(Dabs<'a>),
    /// A drag from dab to dab.
    Smudge(Dabs<'a>),
    /// Adds noise with a seed and a standard deviation, once per dab if there are any.
    Noise { seed: u64, sigma: f64, dabs: Dabs<'a> },
    /// Cells stay, but for how the edit finishes.
    Keep,
    /// A tone, added.
    Tone(Box<ToneLine>),
    /// Fills a hole from its surroundings, once; dabs, if any, form one mask.
    Heal(HealPlan, Dabs<'a>),
    /// Copies sound from `samples` later (and `units` higher), once per dab.
    Clone { samples: i64, axis: Axis, units: f64, dabs: Dabs<'a> },
    /// Adds a clip with its first sample at `first`, shifted by units of an axis.
    Paste { clip: Clip, first: i64, axis: Axis, units: f64 },
}

/// One piece of an edit.
#[derive(Debug)]
pub struct Work {
    /// Cells that are written.
    pub rect: CellRect,
    /// Cells that are read.
    pub read: CellRect,
    /// The brush, made ready.
    pub action: Action,
    /// Over `rect`; above 0 wherever a cell may change.
    pub mask: Mask,
}

/// What is done to the cells of a piece.
#[derive(Debug, Clone)]
pub enum Action {
    /// Nothing.
    Keep,
    /// One kernel, once.
    Kernel(Kernel),
    /// The [noise reduction](Plan::noise_reduction) of the signal, once.
    Denoise,
    /// The [dabs](Plan::dabs) that overlap the piece, each applied to the result of the one before.
    Dabs,
    /// Adds these cells, with a factor each for left and right in stereo.
    Add(Region, [f32; 2]),
    /// Analyses and adds noise with a seed and a standard deviation.
    Noise {
        /// Whose noise.
        seed: u64,
        /// Of its samples.
        sigma: f64,
    },
    /// Predicts the samples of gaps and analyses them.
    Gaps(Vec<Gap>),
    /// Replaces the cells by the best-matching sound nearby.
    Pattern {
        /// Frames and bins around the hole that must fit.
        context: [usize; 2],
        /// Frames between the hole and its pattern, at most.
        reach: usize,
    },
    /// Replaces the cells by the sound this many samples later, shifted in frequency.
    Clone {
        /// From a sample to its source.
        samples: i64,
        /// Moves it in frequency.
        pitch: Option<Pitch>,
    },
    /// Adds a clip with its first sample at `first`, shifted in frequency.
    Paste {
        /// What is added.
        clip: Clip,
        /// Where, in samples.
        first: i64,
        /// Moves it in frequency.
        pitch: Option<Pitch>,
    },
}

/// How sound is moved in frequency.
#[derive(Debug, Clone)]
pub enum Pitch {
    /// All of it by the same hertz.
    Rigid(Kernel),
    /// [Each partial](crate::dsp::partials) by so many units of an axis.
    Partials(Axis, f64),
}

impl<'a> Plan<'a> {
    /// The plan of an edit; `None` if it covers no cell. No piece reads more than `max_cells`, if the brush allows
    /// splitting.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the edit is too large for its brush, or its transform is invalid.
    pub fn new(snapshot: &Snapshot, edit: &'a Edit, max_cells: usize, plans: &Plans) -> Result<Option<Plan<'a>>> {
        Plan::of_drawn(snapshot, edit, None, max_cells, plans)
    }

    /// [`new`](Plan::new) with what a session keeps of the edit's stroke, so that its points are not read again.
    ///
    /// # Errors
    /// As [`new`](Plan::new).
    pub fn of_drawn(
        snapshot: &Snapshot,
        edit: &'a Edit,
        drawn: Option<&'a Drawn>,
        max_cells: usize,
        plans: &Plans,
    ) -> Result<Option<Plan<'a>>> {
        let grid = grid_of(snapshot, edit, plans)?;
        let (stroke, select) = (edit.stroke.as_ref(), edit.select.as_ref());
        let bounds = drawn.map_or_else(|| mask::bounds(&grid, stroke, select), Drawn::bounds);
        if bounds.is_empty() {
            return Ok(None);
        }
        let stft = plans.get(grid.transform());
        let Some((recipe, bounds)) = recipe_of(&grid, &stft, edit, drawn, bounds)? else { return Ok(None) };
        // The bounding rectangle of a stroke may contain cells outside its mask.
        if bounds.is_empty() {
            return Ok(None);
        }
        let finish = finish_of(&grid, edit, &recipe, &bounds)?;
        let halo = halo_of(&grid, &stft, edit, drawn, &recipe)?;
        let frames_per_piece = match finish {
            Some(_) => bounds.frames.len(),
            None => frames_per_piece(&grid, edit, &recipe, &bounds, halo, max_cells)?,
        };
        let carried = Mutex::default();
        Ok(Some(Plan { grid, stft, edit, drawn, bounds, halo, frames_per_piece, recipe, finish, carried }))
    }

    /// Cells that may change, over all pieces.
    pub fn n_cells(&self) -> usize {
        self.bounds.n_cells()
    }

    /// What is done to phases at the end.
    pub fn finish(&self) -> Option<Finish> {
        self.finish
    }

    /// How many pieces there are.
    pub fn n_pieces(&self) -> usize {
        match &self.recipe {
            Recipe::Heal(HealPlan::Gaps(groups), _) => groups.len(),
            _ => self.bounds.frames.len().div_ceil(self.frames_per_piece),
        }
    }

    /// The pieces in time order, computed lazily.
    pub fn pieces(&self) -> impl Iterator<Item = Result<Work>> + '_ {
        (0..self.n_pieces()).map(|index| self.piece(index))
    }

    /// One of the pieces.
    ///
    /// # Errors
    /// As [`new`](Plan::new).
    pub fn piece(&self, index: usize) -> Result<Work> {
        let start = self.bounds.frames.start + index * self.frames_per_piece;
        let frames = match &self.recipe {
            Recipe::Heal(HealPlan::Gaps(groups), _) => frames_of_gaps(&groups[index]),
            _ => start..(start + self.frames_per_piece).min(self.bounds.frames.end),
        };
        self.work(index, CellRect::new(frames, self.bounds.bins.clone()))
    }

    /// What a piece does on `rect`, which must be all of the piece unless the plan is [`Local`](Scope::Local).
    fn work(&self, index: usize, rect: CellRect) -> Result<Work> {
        let all = self.grid.all_cells();
        let select = self.edit.select.as_ref();
        let painted = || painted(&self.grid, self.edit, self.drawn, &rect);
        let read = rect.grown(self.halo[0], self.halo[1], &all);
        Ok(match &self.recipe {
            Recipe::Cells(kernel) => Work { mask: painted(), read, rect, action: Action::Kernel(kernel.clone()) },
            Recipe::Denoise { dabs, .. } if dabs.is_empty() => {
                Work { mask: painted(), read, rect, action: Action::Denoise }
            }
            Recipe::Dabs(_) | Recipe::Denoise { .. } => Work { mask: painted(), read, rect, action: Action::Dabs },
            // Sound that moves in frequency comes from any bin.
            Recipe::Smudge(_) => {
                Work { mask: painted(), read: CellRect::new(read.frames, all.bins), rect, action: Action::Dabs }
            }
            Recipe::Noise { seed, sigma, dabs } => {
                // Each dab adds its sound again.
                let mask = self.summed(dabs, &rect, |sum, m| sum + m).unwrap_or_else(painted);
                Work { mask, read, rect, action: Action::Noise { seed: *seed, sigma: *sigma } }
            }
            Recipe::Tone(line) => {
                let mask = mask::evaluate(&self.grid, None, select, 1.0, &rect);
                Work { action: Action::Add(line.cells(&rect), line.gains()), mask, read, rect }
            }
            Recipe::Heal(plan, dabs) => {
                // Each dab leaves `1 - m` of what was there.
                let painted = self.summed(dabs, &rect, |sum, m| sum + m * (1.0 - sum)).unwrap_or_else(painted);
                let mask = plan.mask(painted, &rect);
                plan.check_surroundings(&mask, &read)?;
                let action = match plan {
                    HealPlan::Kernel(kernel) => Action::Kernel(kernel.clone()),
                    HealPlan::Gaps(groups) => Action::Gaps(groups[index].clone()),
                    HealPlan::Pattern { context, reach } => Action::Pattern { context: *context, reach: *reach },
                };
                Work { mask, read, rect, action }
            }
            Recipe::Clone { samples, axis, units, dabs } => {
                // Each dab leaves `1 - m` of what was there.
                let mask = self.summed(dabs, &rect, |sum, m| sum + m * (1.0 - sum)).unwrap_or_else(painted);
                let pitch = self.pitch(&mask, *axis, *units);
                Work { mask, read, rect, action: Action::Clone { samples: *samples, pitch } }
            }
            Recipe::Paste { clip, first, axis, units } => {
                let mask = painted();
                let pitch = self.pitch(&mask, *axis, *units);
                Work { mask, read, rect, action: Action::Paste { clip: clip.clone(), first: *first, pitch } }
            }
            Recipe::Keep => Work { mask: painted(), read, rect, action: Action::Keep },
            Recipe::Patch(kernel, mask) => {
                Work { read: rect.clone(), rect, action: Action::Kernel(kernel.clone()), mask: mask.clone() }
            }
            Recipe::Warp(field) => {
                let displacement = field.crop(&rect);
                let sources = displacement.frames_read(self.grid.n_frames());
                let read = rect.union(&CellRect::new(sources, rect.bins.clone()));
                let values = displacement.acts.iter().map(|&acts| acts as f32).collect();
                let mask = Mask { rect: rect.clone(), values };
                // Sound moves in from any bin; if one piece contains everything, only the source bins count.
                let bins = match self.finish {
                    Some(Finish::Lock) => displacement.bins_read(all.bins.len()),
                    _ => all.bins,
                };
                let action = Action::Kernel(Kernel::resampling(&self.grid, displacement));
                Work { read: CellRect::new(read.frames, bins), rect, action, mask }
            }
        })
    }

    /// How sound from `units` higher on an axis is moved to the cells of a mask.
    fn pitch(&self, mask: &Mask, axis: Axis, units: f64) -> Option<Pitch> {
        if units == 0.0 {
            return None;
        }
        let first_frame = self.bounds.frames.start;
        Some(match axis {
            Axis::Linear => Pitch::Rigid(Kernel::resampling(
                &self.grid,
                Displacement::shift(&self.grid, mask, axis, units, first_frame),
            )),
            _ => Pitch::Partials(axis, -units),
        })
    }

    /// The state that a signal's piece starting at `frame` takes over from the previous one, if that was painted.
    pub fn carried_to(&self, signal: Signal, frame: usize) -> Carried {
        let carried = self.carried.lock().unwrap_or_else(PoisonError::into_inner);
        carried.get(&(signal.number(), frame)).cloned().unwrap_or_default()
    }

    /// Stores the state for the piece starting at `frame`.
    pub fn carry_to(&self, signal: Signal, frame: usize, what: Carried) {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner).insert((signal.number(), frame), what);
    }

    /// The tables of noise reduction for a signal; none for other brushes.
    pub fn noise_reduction(&self, signal: Signal) -> Option<Kernel> {
        let Recipe::Denoise { denoise, profile, .. } = &self.recipe else { return None };
        Some(Kernel::Denoise(Arc::new(denoise.kernel(profile, signal.noise_of(), &self.grid, &self.stft))))
    }
}

/// What an edit does on its bounds, and the part of them that it can change; `None` if there is none.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if it does not fit its brush, or is too large for it.
fn recipe_of<'a>(
    grid: &Grid,
    stft: &Stft,
    edit: &Edit,
    drawn: Option<&'a Drawn>,
    bounds: CellRect,
) -> Result<Option<(Recipe<'a>, CellRect)>> {
    let (stroke, select) = (edit.stroke.as_ref(), edit.select.as_ref());
    let is_built_up = stroke.is_some_and(|stroke| stroke.build_up);
    let built_up_dabs = || if is_built_up { dabs_of(edit, drawn) } else { Ok(Dabs::default()) };
    Ok(Some(match &edit.brush {
        Brush::Smudge(Smudge) => (Recipe::Smudge(dabs_of(edit, drawn)?), bounds),
        brush if is_built_up && !brush.builds_up() => {
            return Err(Error::new(ErrorKind::Script, format!("{} does not build up", brush.kind())));
        }
        Brush::Noise(Noise { level_db, seed }) => {
            let sigma = noise_sigma(*level_db, stft);
            (Recipe::Noise { seed: *seed, sigma, dabs: built_up_dabs()? }, bounds)
        }
        Brush::Clone(CloneSource { offset: [secs, units] }) => {
            let samples = (secs * grid.sample_rate_hz).round() as i64;
            let recipe = Recipe::Clone {
                samples: samples.clamp(-FARTHEST_SAMPLES, FARTHEST_SAMPLES),
                axis: axis_of(edit),
                units: *units,
                dabs: built_up_dabs()?,
            };
            (recipe, bounds)
        }
        Brush::Paste(paste) => {
            let Some((first, rect)) = paste::place(grid, paste)? else { return Ok(None) };
            let bounds = bounds.intersect(&rect);
            if bounds.is_empty() {
                return Ok(None);
            }
            (Recipe::Paste { clip: paste.clip.clone(), first, axis: paste.axis, units: -paste.offset[1] }, bounds)
        }
        Brush::Heal(heal) => {
            let (plan, rect) = HealPlan::new(grid, edit, heal, &bounds)?;
            (Recipe::Heal(plan, built_up_dabs()?), rect)
        }
        Brush::Denoise(denoise) => {
            let NoiseFrom::Profile(profile) = &denoise.noise else {
                return Err(Error::new(ErrorKind::Internal, "learn the noise before reducing it"));
            };
            (Recipe::Denoise { denoise: denoise.clone(), profile: profile.clone(), dabs: built_up_dabs()? }, bounds)
        }
        _ if is_built_up => (Recipe::Dabs(dabs_of(edit, drawn)?), bounds),
        Brush::Tone(tone) => {
            let Some(line) = tone_line(grid, stft, edit, drawn, *tone)? else { return Ok(None) };
            let rect = line.rect().intersect(&mask::bounds(grid, None, select));
            (Recipe::Tone(Box::new(line)), rect)
        }
        Brush::ModulationFilter(ModulationFilter { along, filters, .. }) => {
            let Some((kernel, mask)) = modulation_patch(grid, edit, drawn, &bounds, *along, filters)? else {
                return Ok(None);
            };
            let patch = mask.rect.clone();
            (Recipe::Patch(kernel, mask), patch)
        }
        Brush::Warp(Warp { mode, .. }) => {
            let Some(field) = warp_field(grid, edit, drawn, &bounds, *mode)? else { return Ok(None) };
            let rect = field.rect.clone();
            (Recipe::Warp(field), rect)
        }
        Brush::RebuildPhase(_) => (Recipe::Keep, bounds),
        _ => (Recipe::Cells(cell_kernel(grid, &edit.brush)?), bounds),
    }))
}

/// The course of a tone; `None` if its stroke has no cell.
fn tone_line(grid: &Grid, stft: &Stft, edit: &Edit, drawn: Option<&Drawn>, tone: Tone) -> Result<Option<ToneLine>> {
    let Some(stroke) = &edit.stroke else {
        return Err(Error::new(ErrorKind::Script, "tone needs a stroke"));
    };
    let line = match drawn.and_then(Drawn::track) {
        Some(track) => ToneLine::of(track, stft, stroke, tone),
        None => ToneLine::new(grid, stft, stroke, tone),
    };
    Ok((!line.rect().is_empty()).then_some(line))
}

/// What is done to phases at the end.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if that takes more cells at once than are allowed.
fn finish_of(grid: &Grid, edit: &Edit, recipe: &Recipe, bounds: &CellRect) -> Result<Option<Finish>> {
    let locks = matches!(edit.brush, Brush::Warp(Warp { peak_locking: true, .. }));
    let finish = match recipe {
        Recipe::Warp(field) if locks && field.stretches_time() => Some(Finish::Lock),
        _ => edit.brush.phase_steps().map(Finish::Rebuild),
    };
    let n_finished_bins = match recipe {
        Recipe::Warp(field) => field.bins_read(grid.n_bins()).len(),
        _ => grid.n_bins(),
    };
    if finish.is_some() && bounds.frames.len() * n_finished_bins > MAX_FINISHED_CELLS {
        return Err(Error::new(
            ErrorKind::Script,
            format!(
                "{} works on the whole area at once, which is too large (over 16 million cells); select less time",
                edit.brush.kind()
            ),
        ));
    }
    Ok(finish)
}

/// Frames and bins that are read beyond the cells that are written.
fn halo_of(grid: &Grid, stft: &Stft, edit: &Edit, drawn: Option<&Drawn>, recipe: &Recipe) -> Result<[usize; 2]> {
    Ok(match recipe {
        Recipe::Cells(kernel) => kernel.halo(),
        Recipe::Denoise { denoise, profile, .. } => {
            // The same for every signal.
            let of = profile.spectra.first().map_or(crate::dsp::NoiseOf::Channel(0), |(of, _)| *of);
            denoise.kernel(profile, of, grid, stft).halo()
        }
        Recipe::Dabs(_) => dab_halo(grid, &edit.brush)?,
        Recipe::Heal(plan, _) => plan.halo(),
        Recipe::Smudge(dabs) => [drawn.map_or_else(|| step_halo(grid, edit, dabs), Drawn::step_halo), 0],
        _ => [0, 0],
    })
}

/// Frames of a piece that reads at most `max_cells`, where the brush allows splitting.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if it does not, and the edit is too large for one piece.
fn frames_per_piece(
    grid: &Grid,
    edit: &Edit,
    recipe: &Recipe,
    bounds: &CellRect,
    halo: [usize; 2],
    max_cells: usize,
) -> Result<usize> {
    let reaches_across = halo != [0, 0] || matches!(edit.brush, Brush::ModulationFilter(_));
    let pieces_of = |max_cells: usize| (max_cells / grid.n_bins()).saturating_sub(2 * halo[0]).max(64);
    Ok(match recipe {
        Recipe::Patch(..) | Recipe::Heal(..) => bounds.frames.len(),
        Recipe::Denoise { dabs, .. } if dabs.is_empty() => pieces_of(max_cells),
        Recipe::Dabs(_) | Recipe::Smudge(_) | Recipe::Denoise { .. } if reaches_across => {
            if bounds.n_cells() > MAX_DABBED_CELLS {
                return Err(Error::new(
                    ErrorKind::Script,
                    "this stroke covers too large an area for a brush that works dab by dab (over 16 million \
                     cells); use several strokes",
                ));
            }
            bounds.frames.len()
        }
        _ => pieces_of(max_cells),
    })
}

/// The grid that an edit works on: its own transform, for brushes that move sound through time with at least eight
/// frames per window.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the transform is not allowed, or not for this brush.
pub fn grid_of(snapshot: &Snapshot, edit: &Edit, plans: &Plans) -> Result<Grid> {
    let own = plans.validated(&edit.transform)?;
    edit.brush.works_on(&edit.transform)?;
    Ok(snapshot.grid(if edit.brush.is_on_fine_grid() { own.for_moves() } else { own }))
}

/// The axis for the units of an edit without its own: that of its stroke, otherwise of its first selection.
pub fn axis_of(edit: &Edit) -> Axis {
    let of_selection = || edit.select.as_ref().map(crate::dsp::Selection::axis);
    edit.stroke.as_ref().map(|stroke| stroke.axis).or_else(of_selection).unwrap_or_default()
}

/// The mask of an edit.
fn painted(grid: &Grid, edit: &Edit, drawn: Option<&Drawn>, rect: &CellRect) -> Mask {
    match drawn {
        Some(drawn) => drawn.mask(edit.select.as_ref(), rect),
        None => mask::evaluate(grid, edit.stroke.as_ref(), edit.select.as_ref(), edit.strength, rect),
    }
}

fn warp_field(
    grid: &Grid,
    edit: &Edit,
    drawn: Option<&Drawn>,
    bounds: &CellRect,
    mode: WarpMode,
) -> Result<Option<Displacement>> {
    if bounds.n_cells() > MAX_WARP_CELLS {
        return Err(Error::new(
            ErrorKind::Script,
            "this warp covers too large an area (over 33 million cells); select less time or fewer frequencies",
        ));
    }
    let field = match (mode, &edit.stroke) {
        (WarpMode::Grab { shift }, _) => {
            Displacement::grab(grid, &painted(grid, edit, drawn, bounds), axis_of(edit), shift)
        }
        (WarpMode::Push, Some(stroke)) => {
            if let Some(field) = drawn.and_then(Drawn::field) {
                let rect = bounds.grown(1, 1, &grid.all_cells()).intersect(field.rect());
                let field = field.displacement(&rect);
                return Ok(field.acts.contains(&1).then_some(field));
            }
            refuse_longest(stroke)?;
            let mut field = PushField::new(grid, stroke, edit.select.as_ref(), bounds);
            let dabs = dabs(stroke);
            if dabs.len().saturating_mul(field.cells_under_brush()) > MAX_PUSHED_CELLS {
                return Err(Error::new(
                    ErrorKind::Script,
                    "this push is too long for its radius; use a smaller radius or several strokes",
                ));
            }
            for pair in dabs.windows(2) {
                field.push(pair[0], pair[1]);
            }
            field.displacement(&field.rect().clone())
        }
        (WarpMode::Push, None) => return Err(Error::new(ErrorKind::Script, "warp with mode push needs a stroke")),
    };
    Ok(field.acts.contains(&1).then_some(field))
}
