//! The one function that changes sound.
//!
//! Works channel by channel in pieces of frames, so that memory use depends on the piece size and the changed samples,
//! not on the length of the file.

mod overlap;
mod signal;

use overlap::joined;
pub(super) use overlap::{Changes, OverlapSum};
pub use signal::Signal;

use super::consistency::{self, Spread};
use super::heal::{Gap, crowds, heard_by};
use super::plan::{Action, Finish, Pitch, Plan, Work, grid_of};
use super::stroke::Drawn;
use super::wand::resolved;
use super::{Edit, Snapshot, paste};
use crate::base::{Error, ErrorKind, Progress, Result, trace};
use crate::document::brushes::{Brush, Lengthen};
use crate::dsp::kernels::{CutOff, GainKernel, best_pattern, bridge, fill_gap, fill_gaps};
use crate::dsp::noise::noise_samples;
use crate::dsp::{CellRect, Kernel, Mask, partials, peak_locking, phase};
use crate::engine::{Engine, EngineRegion};
use std::borrow::Cow;
use std::ops::Range;

/// What an edit did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EditReport {
    /// `gpu` or `cpu`.
    pub engine: &'static str,
    /// Frames with at least one changed coefficient, summed over channels.
    pub touched_frames: u64,
    /// Samples written, summed over channels.
    pub touched_samples: u64,
    /// Distance of the sound's own cells from the painted ones, relative to the change of the edit:
    /// `20 log10(||STFT(y) - C'|| / ||C' - C||)` over the cells under the brush. `None` if nothing changed, and while a
    /// stroke is in progress.
    pub consistency_db: Option<f64>,
    /// How far the edit extends past the end of the sound, in seconds; `None` if it fits.
    pub past_end_secs: Option<f64>,
    /// Notices for the user, such as an edit that covers no cell.
    pub notices: Vec<String>,
}

/// The new sound, and what was done.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The sound after the edit.
    pub snapshot: Snapshot,
    /// Figures.
    pub report: EditReport,
    /// The edit with everything that depends on the sound resolved (cells of a wand, a learnt noise), so that it can be
    /// applied to other sound; `None` if nothing does.
    pub resolved: Option<Box<Edit>>,
    /// Runs of samples that may have changed, any channel, ascending and disjoint.
    pub changed: Vec<Range<u64>>,
}

/// Applies an edit: `y = x + OLA(C' - C) / sum(w^2)` over the touched frames, then its steps towards consistency.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the edit does not fit the sound (a missing channel, too large an area),
/// [`Cancelled`](ErrorKind::Cancelled), and errors of the engine.
pub fn apply(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Applied> {
    apply_on(snapshot, edit, engine, progress, true)
}

/// [`apply`] for a stroke in progress, which is heard and never kept: without consistency steps and without measuring
/// consistency.
///
/// # Errors
/// As [`apply`].
pub fn apply_live(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Applied> {
    apply_on(snapshot, edit, engine, progress, false)
}

/// [`apply_live`] for a session, from what it keeps of its stroke. On another engine than the session's nothing is
/// kept, so there is no fallback within.
///
/// # Errors
/// As [`apply`].
pub(super) fn apply_drawn(
    snapshot: &Snapshot,
    edit: &Edit,
    drawn: &Drawn,
    engine: &Engine,
    progress: &Progress,
) -> Result<Applied> {
    apply_to(snapshot, edit, Some(drawn), engine, engine.max_cells(), progress, false)
}

/// Applies the edit on an engine, with its fallback.
fn apply_on(
    snapshot: &Snapshot,
    edit: &Edit,
    engine: &Engine,
    progress: &Progress,
    is_commit: bool,
) -> Result<Applied> {
    if let Brush::Lengthen(Lengthen { secs }) = edit.brush {
        return lengthen(snapshot, secs, engine);
    }
    let edit = resolved(snapshot, edit, engine.plans(), progress)?;
    let (mut applied, notice) = engine
        .with_fallback(|engine, most_cells| apply_to(snapshot, &edit, None, engine, most_cells, progress, is_commit))?;
    applied.report.notices.extend(notice);
    if let Cow::Owned(found) = edit {
        applied.resolved = Some(Box::new(found));
    }
    Ok(applied)
}

fn apply_to(
    snapshot: &Snapshot,
    edit: &Edit,
    drawn: Option<&Drawn>,
    engine: &Engine,
    most_cells: usize,
    progress: &Progress,
    is_commit: bool,
) -> Result<Applied> {
    let _span = trace::span(if is_commit { "apply" } else { "apply while drawn" });
    let signals = Signal::of(&edit.channels, snapshot.n_channels())?;
    let (engine, notice) = engine.for_transform(&edit.transform);
    let mut report =
        EditReport { engine: engine.name(), notices: notice.into_iter().collect(), ..EditReport::default() };
    report.past_end_secs = paste::secs_past_end(snapshot, edit);
    let most_cells = most_cells.min(engine.max_cells());
    // A release reads its stroke as the steps before it did.
    let whole = match drawn {
        Some(_) => None,
        None => Drawn::whole(&grid_of(snapshot, edit, engine.plans())?, edit),
    };
    let drawn = drawn.or(whole.as_ref());
    let Some(plan) = Plan::of_drawn(snapshot, edit, drawn, most_cells, engine.plans())? else {
        return Ok(without_a_cell(snapshot, report));
    };
    // Phases are finished in one piece.
    let engine = if plan.finish().is_some() && plan.n_cells() > engine.max_cells() { engine.on_cpu() } else { engine };
    report.engine = engine.name();
    // One editing pass, optional consistency passes, and one measuring pass.
    let n_passes = if is_commit { 2 + u64::from(edit.consistency_steps.unwrap_or(0)) } else { 1 };
    let n_steps = (signals.len() * plan.n_pieces()) as u64 * n_passes;
    let mut counter = Counter { progress, step: 0, n_steps };
    let mut sound = snapshot.clone();
    let mut changed = Vec::new();
    let mut squares = [0.0; 2];
    let (mut reaches_a_cell, mut n_too_large) = (false, 0);
    for signal in &signals {
        let is_live = !is_commit;
        let pass = Pass { snapshot, signal: *signal, engine: &engine, plan: &plan, most_cells, is_live };
        let painted = pass.paint(&mut sound, &mut changed, &mut report, &mut counter, is_commit)?;
        reaches_a_cell |= !painted.pieces.is_empty();
        n_too_large += painted.n_too_large;
        if is_commit {
            let _span = trace::span("consistency");
            consistency::approach(&pass, edit, &painted, &mut sound, &mut counter)?;
            let more = consistency::squares(&pass, &painted, &sound, &mut counter)?;
            squares = [squares[0] + more[0], squares[1] + more[1]];
        }
    }
    if n_too_large > 0 {
        report.notices.push(format!("{n_too_large} samples are too large to edit and were left unchanged"));
    }
    progress.step(n_steps, n_steps)?;
    if !reaches_a_cell {
        return Ok(without_a_cell(snapshot, report));
    }
    report.consistency_db = consistency::decibels(squares);
    Ok(Applied { snapshot: sound, report, resolved: None, changed: joined(changed) })
}

/// The cells of some signals after an edit, on the edit's own grid: the preview of a stroke. `None` if it covers no
/// cell or more than `most_cells`, or must be computed in pieces.
///
/// # Errors
/// As [`apply`].
pub fn painted_cells(
    snapshot: &Snapshot,
    edit: &Edit,
    signals: &[Signal],
    engine: &Engine,
    most_cells: usize,
) -> Result<Option<Vec<EngineRegion>>> {
    let (engine, _) = engine.for_transform(&edit.transform);
    let Some(plan) = Plan::new(snapshot, edit, engine.max_cells(), engine.plans())? else { return Ok(None) };
    if plan.n_pieces() != 1 || plan.n_cells() * signals.len() > most_cells {
        return Ok(None);
    }
    let work = plan.piece(0)?;
    let cells = |signal: &Signal| {
        let most_cells = engine.max_cells();
        let is_live = true;
        let pass = Pass { snapshot, signal: *signal, engine: &engine, plan: &plan, most_cells, is_live };
        // Magnitudes are final; phases are finished on release.
        pass.painted(&work).map(|[_, after]| after)
    };
    signals.iter().map(cells).collect::<Result<_>>().map(Some)
}

/// Prepares the first piece of an edit on its first signal, then calls the closure with the brush step and its cells:
/// for benchmarks that exclude the analysis.
///
/// # Errors
/// As [`apply`], and an edit that covers no cell.
pub fn with_step<T>(
    snapshot: &Snapshot,
    edit: &Edit,
    engine: &Engine,
    call: impl FnOnce(&dyn Fn() -> Result<EngineRegion>, &CellRect) -> Result<T>,
) -> Result<T> {
    let nothing = || Error::new(ErrorKind::Script, "this edit covers no cell of the spectrogram");
    let edit = &*resolved(snapshot, edit, engine.plans(), &Progress::new())?;
    let (engine, _) = engine.for_transform(&edit.transform);
    let most_cells = engine.max_cells();
    let plan = Plan::new(snapshot, edit, most_cells, engine.plans())?.ok_or_else(nothing)?;
    let work = plan.piece(0)?;
    let signal = Signal::of(&edit.channels, snapshot.n_channels())?.first().copied().ok_or_else(nothing)?;
    let is_live = false;
    let pass = Pass { snapshot, signal, engine: &engine, plan: &plan, most_cells, is_live };
    let before = pass.analyse(snapshot, &work.read, 0)?;
    // What finishes phases analyses by itself.
    let step = || match plan.finish() {
        None => pass.after(&work, &before),
        Some(_) => pass.cells(&work).map(|[_, after]| after),
    };
    call(&step, &work.rect)
}

/// Pieces done, of all that there are.
pub(super) struct Counter<'a> {
    progress: &'a Progress,
    step: u64,
    n_steps: u64,
}

impl Counter<'_> {
    /// Another piece is done.
    ///
    /// # Errors
    /// [`Cancelled`](ErrorKind::Cancelled).
    pub fn count(&mut self) -> Result<()> {
        self.progress.step(self.step.min(self.n_steps), self.n_steps)?;
        self.step += 1;
        Ok(())
    }
}

/// One signal of an edit.
pub(super) struct Pass<'a> {
    pub snapshot: &'a Snapshot,
    pub signal: Signal,
    pub engine: &'a Engine,
    pub plan: &'a Plan<'a>,
    /// Of what is kept from one pass over the pieces to the next.
    pub most_cells: usize,
    /// Whether the stroke is still drawn.
    pub is_live: bool,
}

/// What was painted of one signal.
#[derive(Default)]
pub(super) struct Painted {
    /// Pieces that have a cell under the brush.
    pub pieces: Vec<PaintedPiece>,
    /// How far the brush reaches.
    pub spread: Spread,
    /// Number of samples left unchanged because the result overflows 32-bit float.
    pub n_too_large: u64,
}

/// A piece that was painted.
pub(super) struct PaintedPiece {
    index: usize,
    /// Per frame of the piece.
    pub touched: Vec<bool>,
    /// If all pieces together have too many cells, they are painted again instead of being kept.
    kept: Option<(Work, [EngineRegion; 2])>,
}

impl Pass<'_> {
    /// Paints every piece and adds the difference to `sound`, which starts as this signal of the snapshot.
    fn paint(
        &self,
        sound: &mut Snapshot,
        changed: &mut Vec<Range<u64>>,
        report: &mut EditReport,
        counter: &mut Counter<'_>,
        is_kept: bool,
    ) -> Result<Painted> {
        let is_small = is_kept && self.plan.n_cells() <= self.most_cells;
        let mut painted = Painted::default();
        let mut sum = self.sum();
        let mut changes = Changes::new(sound);
        for (index, work) in self.plan.pieces().enumerate() {
            counter.count()?;
            let work = work?;
            if work.mask.values.iter().all(|&m| m == 0.0) {
                continue;
            }
            let [before, after] = self.cells(&work)?;
            let difference = self.engine.difference(&self.plan.stft, &before, &after)?;
            report.touched_frames += difference.touched.iter().filter(|touched| **touched).count() as u64;
            sum.add(&self.plan.stft, self.snapshot, &work.rect.frames, &difference)?;
            changes.take(&mut sum)?;
            painted.spread.add(&work.mask);
            let kept = is_small.then_some((work, [before, after]));
            painted.pieces.push(PaintedPiece { index, touched: difference.touched, kept });
        }
        painted.n_too_large = sum.finish(&self.plan.stft, self.snapshot)?;
        changes.take(&mut sum)?;
        report.touched_samples += changes.n_samples;
        changed.append(&mut changes.ranges);
        *sound = changes.finish();
        Ok(painted)
    }

    /// Calls with a piece that was painted, and its cells before and after.
    pub fn with_piece<T>(
        &self,
        piece: &PaintedPiece,
        call: impl FnOnce(&Work, &[EngineRegion; 2]) -> Result<T>,
    ) -> Result<T> {
        if let Some((work, cells)) = &piece.kept {
            return call(work, cells);
        }
        let work = self.plan.piece(piece.index)?;
        let cells = self.cells(&work)?;
        call(&work, &cells)
    }

    pub fn sum(&self) -> OverlapSum {
        OverlapSum::new(self.signal, self.plan, self.snapshot.n_channels())
    }

    /// Analyses the cells of `rect` in a sound.
    pub fn analyse(&self, sound: &Snapshot, rect: &CellRect, samples_later: i64) -> Result<EngineRegion> {
        let first = self.plan.grid.first_sample_under(rect.frames.start).saturating_add(samples_later);
        let mut samples = vec![0.0; self.plan.grid.n_samples_under(rect.frames.len())];
        {
            let _span = trace::span("read samples");
            self.signal.read(sound, first, &mut samples)?;
        }
        self.engine.analyse(&self.plan.stft, &samples, rect)
    }

    /// The cells that a piece reads, and those that it writes.
    pub fn cells(&self, work: &Work) -> Result<[EngineRegion; 2]> {
        let Some(finish) = self.plan.finish() else { return self.painted(work) };
        let on_cpu = self.engine.on_cpu();
        let painted = Pass { engine: &on_cpu, ..*self }.painted(work)?;
        let [before, after] = painted.map(|region| on_cpu.download(region));
        let (before, mut after) = (before?, after?);
        match (finish, &work.action) {
            (Finish::Lock, Action::Kernel(Kernel::Resample { displacement, .. })) => {
                peak_locking::lock(&self.plan.grid, displacement, &before, &mut after);
            }
            (Finish::Lock, _) => {}
            (Finish::Rebuild(steps), _) => {
                let around = work.rect.grown(phase::HALO, phase::HALO, &self.plan.grid.all_cells());
                let known = Pass { engine: &on_cpu, ..*self }.analyse(self.snapshot, &around, 0)?;
                let known = on_cpu.download(known)?;
                let steps = if self.is_live { 0 } else { steps };
                after = phase::rebuild(&self.plan.stft, &self.plan.grid, &known, &after, &work.mask, steps);
            }
        }
        Ok([self.engine.upload(before)?, self.engine.upload(after)?])
    }

    /// The cells that a piece reads, and those it writes after the brush, before phases are finished.
    pub fn painted(&self, work: &Work) -> Result<[EngineRegion; 2]> {
        let before = self.analyse(self.snapshot, &work.read, 0)?;
        let after = self.after(work, &before)?;
        Ok([before, after])
    }

    /// What the brush makes of the cells that a piece reads.
    pub fn after(&self, work: &Work, before: &EngineRegion) -> Result<EngineRegion> {
        let engine = self.engine;
        Ok(match &work.action {
            Action::Keep => engine.crop(before, &work.rect)?,
            Action::Kernel(kernel) => engine.run(kernel, before, &work.mask)?,
            Action::Denoise => {
                let Some(kernel) = self.plan.noise_reduction(self.signal) else {
                    return Err(Error::new(ErrorKind::Internal, "a denoise plan has no noise profile"));
                };
                engine.run(&kernel, before, &work.mask)?
            }
            Action::Add(cells, gains) => match self.signal {
                Signal::Channel(side @ 0..=1) if self.snapshot.n_channels() == 2 && gains[side] == 0.0 => {
                    engine.crop(before, &work.rect)?
                }
                Signal::Channel(side @ 0..=1) if self.snapshot.n_channels() == 2 => {
                    let mut cells = cells.clone();
                    cells.magnitude.iter_mut().for_each(|magnitude| *magnitude *= gains[side]);
                    engine.combine(before, &engine.upload(cells)?, &work.mask, 1.0)?
                }
                _ => engine.combine(before, &engine.upload(cells.clone())?, &work.mask, 1.0)?,
            },
            Action::Noise { seed, sigma } => {
                let n = self.plan.grid.n_samples_under(work.rect.frames.len());
                let samples = noise_samples(
                    *seed,
                    self.signal.number(),
                    self.plan.grid.first_sample_under(work.rect.frames.start),
                    n,
                    *sigma,
                );
                let noise = engine.analyse(&self.plan.stft, &samples, &work.rect)?;
                engine.combine(before, &noise, &work.mask, 1.0)?
            }
            Action::Gaps(gaps) => {
                let healed = engine.analyse(&self.plan.stft, &self.with_gaps_filled(gaps, &work.rect)?, &work.rect)?;
                engine.combine(before, &healed, &work.mask, 0.0)?
            }
            Action::Pattern { context, reach } => {
                let pattern = self.pattern(work, *context, *reach)?;
                engine.combine(before, &pattern, &work.mask, 0.0)?
            }
            Action::Clone { samples, pitch } => {
                // A shift by whole samples is computed exactly from frames shifted by as much.
                let n = self.plan.grid.n_samples_under(work.rect.frames.len());
                let mut sound = vec![0.0; n];
                let first = self.plan.grid.first_sample_under(work.rect.frames.start).saturating_add(*samples);
                self.signal.read(self.snapshot, first, &mut sound)?;
                engine.combine(before, &self.moved(work, &sound, pitch.as_ref())?, &work.mask, 0.0)?
            }
            Action::Paste { clip, first, pitch } => {
                let from = self.plan.grid.first_sample_under(work.rect.frames.start).saturating_sub(*first);
                let n = self.plan.grid.n_samples_under(work.rect.frames.len());
                let samples = paste::read(clip, self.signal, self.snapshot.n_channels(), from, n);
                engine.combine(before, &self.moved(work, &samples, pitch.as_ref())?, &work.mask, 1.0)?
            }
            Action::Dabs => {
                let is_here = |region: &EngineRegion| matches!(region, EngineRegion::Gpu(_)) == engine.gpu().is_some();
                if let Some(painted) = self.plan.painted(self.signal).filter(|painted| is_here(painted)) {
                    return engine.crop(painted, &work.rect);
                }
                let mut canvas = engine.crop(before, &work.read)?;
                for dab in self.plan.dabs(&work.rect, self.signal) {
                    dab?.paint(engine, &mut canvas)?;
                }
                engine.crop(&canvas, &work.rect)?
            }
        })
    }
}

/// Sound from elsewhere.
impl Pass<'_> {
    /// The cells of a piece in the samples under its frames, moved in frequency.
    fn moved(&self, work: &Work, samples: &[f32], pitch: Option<&Pitch>) -> Result<EngineRegion> {
        let (plan, frames) = (self.plan, work.rect.frames.clone());
        let all_bins = plan.grid.all_bins(frames.clone());
        match pitch {
            None => self.engine.analyse(&self.plan.stft, samples, &work.rect),
            Some(Pitch::Rigid(kernel)) => {
                let bins = match kernel {
                    Kernel::Resample { displacement, .. } => displacement.bins_read(plan.grid.n_bins()),
                    _ => all_bins.bins,
                };
                let source = self.engine.analyse(&self.plan.stft, samples, &CellRect::new(frames, bins))?;
                self.engine.run(kernel, &source, &work.mask)
            }
            // Analysed on the CPU too, so that both engines find the same peaks.
            Some(Pitch::Partials(axis, units)) => {
                let on_cpu = self.engine.on_cpu();
                let source = on_cpu.analyse(&plan.stft, samples, &all_bins)?;
                let source = on_cpu.download(source)?;
                let mut carried = plan.carried_to(self.signal, frames.start);
                let moved = partials::shift(&plan.grid, &plan.stft, *axis, *units, &source, &work.mask, &mut carried);
                plan.carry_to(self.signal, frames.end, carried);
                self.engine.upload(moved)
            }
        }
    }
}

fn lengthen(snapshot: &Snapshot, secs: f64, engine: &Engine) -> Result<Applied> {
    let n_more = (secs * snapshot.sample_rate_hz()).round().max(0.0) as u64;
    let longer = snapshot.lengthened(n_more)?;
    let report = EditReport { engine: engine.name(), ..EditReport::default() };
    let changed = snapshot.n_samples()..longer.n_samples();
    let changed = if n_more > 0 { vec![changed] } else { Vec::new() };
    Ok(Applied { snapshot: longer, report, resolved: None, changed })
}

/// Halo of healing: cells read beyond those written.
impl Pass<'_> {
    /// The samples under the frames of `rect`, with the gaps predicted from their surroundings.
    fn with_gaps_filled(&self, gaps: &[Gap], rect: &CellRect) -> Result<Vec<f32>> {
        let start = gaps.iter().map(|gap| gap.segment.start).min().unwrap_or(0);
        let end = gaps.iter().map(|gap| gap.segment.end).max().unwrap_or(start);
        let mut known = vec![0.0; (end - start) as usize];
        self.signal.read(self.snapshot, start as i64, &mut known)?;
        let mut filled: Vec<f64> = known.iter().map(|&sample| f64::from(sample)).collect();
        let at = |range: &Range<u64>| (range.start - start) as usize..(range.end - start) as usize;
        let cut_offs: Vec<Option<CutOff>> = gaps.iter().map(|gap| CutOff::of(&filled[at(&gap.samples)])).collect();
        // Other gaps are excluded from learning; of clipped gaps only the clipped samples are.
        for (gap, _) in gaps.iter().zip(&cut_offs).filter(|(_, cut_off)| gaps.len() > 1 && cut_off.is_none()) {
            filled[at(&gap.samples)].fill(0.0);
        }
        let crowds = crowds(gaps);
        let unknown = crowds.iter().flat_map(Range::clone).filter(|&index| cut_offs[index].is_none());
        bridge(&mut filled, unknown.map(|index| at(&gaps[index].samples)));
        // Gaps within each other's surroundings are predicted again after all are filled.
        for is_again in [false, true] {
            let mut crowds = crowds.iter().peekable();
            let mut index = 0;
            while let Some(gap) = gaps.get(index) {
                if let Some(crowd) = crowds.next_if(|crowd| crowd.start == index) {
                    fill_crowd(&mut filled, start, &gaps[crowd.clone()], &cut_offs[crowd.clone()]);
                    index = crowd.end;
                    continue;
                }
                if !is_again || heard_by(gaps, gap).len() > 1 {
                    let offset = (gap.samples.start - gap.segment.start) as usize;
                    let n = (gap.samples.end - gap.samples.start) as usize;
                    fill_gap(&mut filled[at(&gap.segment)], offset..offset + n, gap.order, cut_offs[index]);
                }
                index += 1;
            }
        }
        let first = self.plan.grid.first_sample_under(rect.frames.start);
        let mut samples = vec![0.0; self.plan.grid.n_samples_under(rect.frames.len())];
        self.signal.read(self.snapshot, first, &mut samples)?;
        for gap in gaps {
            // Every frame that hears the gap is there, so all of it is.
            let offset = gap.samples.start as i64 - first;
            for (i, filled) in filled[at(&gap.samples)].iter().enumerate() {
                if let Some(sample) = usize::try_from(offset + i as i64).ok().and_then(|i| samples.get_mut(i)) {
                    *sample = *filled as f32;
                }
            }
        }
        Ok(samples)
    }

    /// The cells of the best-matching passage nearby, level-adjusted.
    fn pattern(&self, work: &Work, context: [usize; 2], reach: usize) -> Result<EngineRegion> {
        let frames = reach.saturating_add(work.rect.frames.len() + context[0]);
        let wide = work.rect.grown(frames, context[1], &self.plan.grid.all_cells());
        let cells = self.engine.download(self.analyse(self.snapshot, &wide, 0)?)?;
        let Some(found) = best_pattern(&self.plan.grid, &cells, &work.mask, context, reach) else {
            let why =
                "there is no other passage as long as this hole within reach; increase the reach, or select less time";
            return Err(Error::new(ErrorKind::Script, why));
        };
        let source = self.analyse(self.snapshot, &work.rect, found.samples)?;
        let whole = Mask { rect: work.rect.clone(), values: vec![1.0; work.rect.n_cells()] };
        self.engine.run(&GainKernel { log2_gain: found.log2_gain }.into(), &source, &whole)
    }
}

/// Fills gaps that share their coefficients, in samples that begin at `start` of the sound.
fn fill_crowd(samples: &mut [f64], start: u64, gaps: &[Gap], cut_offs: &[Option<CutOff>]) {
    let first = gaps.iter().map(|gap| gap.segment.start).min().unwrap_or(start);
    let end = gaps.iter().map(|gap| gap.segment.end).max().unwrap_or(first);
    let order = gaps.iter().map(|gap| gap.order).max().unwrap_or(0);
    let within = |gap: &Gap| (gap.samples.start - first) as usize..(gap.samples.end - first) as usize;
    let within: Vec<_> = gaps.iter().map(within).zip(cut_offs.iter().copied()).collect();
    fill_gaps(&mut samples[(first - start) as usize..(end - start) as usize], &within, order);
}

/// The sound as it was, and that the edit found nothing to do.
fn without_a_cell(snapshot: &Snapshot, mut report: EditReport) -> Applied {
    let what = match report.past_end_secs {
        Some(_) => "this edit is past the end of the sound; lengthen the sound first",
        None => "this edit covers no cell of the spectrogram; nothing was changed",
    };
    report.notices.push(what.into());
    Applied { snapshot: snapshot.clone(), report, resolved: None, changed: Vec::new() }
}
