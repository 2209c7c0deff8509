//! The one function that changes sound.
//!
//! Works channel by channel in pieces of frames, so that memory use depends on the piece size and the changed samples,
//! not on the length of the file.

mod changes;
mod consistency;
mod heard;
mod pass;
mod report;
mod samples;
mod spread;

pub use heard::apply_heard;
pub use report::EditReport;

use super::plan::{EditLayout, Plan, SignalPass, grid_of};
use super::selected_runs::sample_runs;
use super::selected_sound::{SelectedSound, whole_range};
use super::sums::SampleSums;
use super::time::{Retimed, TimeChange, TimePlace};
use super::wand::resolved;
use crate::analysis::levels::{SoundLevels, levels_of};
use crate::base::{Error, ErrorKind, Progress, Result, trace};
use crate::brushes::{CellBrush, Erase, Operation, SelectionUse};
use crate::dsp::selections::mask;
use crate::dsp::{CellRect, StftParams};
use crate::engine::{Engine, EngineRegion};
use crate::sound::added::{Mixed, mix};
use crate::stroke::Drawn;
use crate::{Channels, Edit, Signal, Snapshot, secs_past_end};
use changes::joined;
use heard::added_strength;
use pass::{Counter, EditPass};
use samples::apply_to_samples;
use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

/// Reason that edits of samples and of time run on the CPU.
const SAMPLES_WHY: &str = "samples are edited on the CPU";

/// Result of an edit.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The sound after the edit.
    pub snapshot: Snapshot,
    /// Report of the edit.
    pub report: EditReport,
    /// The edit with everything that depends on the sound resolved (cells of a wand, a learnt noise), so that it can be
    /// applied to other sounds; `None` if nothing does.
    pub resolved: Option<Box<Edit>>,
    /// Runs of samples that may have changed, any channel, ascending and disjoint.
    pub changed: Vec<Range<u64>>,
    /// Changes of time, in order; empty except for edits that cut or insert time.
    pub time: Vec<TimeChange>,
}

impl Applied {
    /// An unchanged sound.
    pub fn unchanged(snapshot: &Snapshot) -> Applied {
        let (changed, time) = (Vec::new(), Vec::new());
        Applied { snapshot: snapshot.clone(), report: EditReport::default(), resolved: None, changed, time }
    }
}

/// Applies an edit: `y = x + OLA(C' - C) / sum(w^2)` over the touched frames, then its steps towards consistency.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the edit does not fit the sound (a missing channel, too large an area),
/// [`Cancelled`](ErrorKind::Cancelled), and errors of the engine.
pub fn apply(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Applied> {
    apply_on(snapshot, edit, engine, progress, true)
}

/// As [`apply`], for a stroke in progress, which is heard but never stored: without consistency steps, and without
/// measuring consistency.
///
/// # Errors
/// As [`apply`].
pub fn apply_live(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Applied> {
    apply_on(snapshot, edit, engine, progress, false)
}

/// As [`apply_live`], with a session's state of the stroke. That state belongs to one engine, so there is no fallback.
///
/// # Errors
/// As [`apply`].
pub(crate) fn apply_drawn(
    snapshot: &Snapshot,
    edit: &Edit,
    drawn: &Drawn,
    engine: &Engine,
    progress: &Progress,
) -> Result<Snapshot> {
    let applied = apply_to(snapshot, edit, Some(drawn), engine, engine.max_cells(), progress, false)?;
    Ok(applied.snapshot)
}

/// Applies the edit on an engine, with its fallback, and reports the passes that ran.
fn apply_on(
    snapshot: &Snapshot,
    edit: &Edit,
    engine: &Engine,
    progress: &Progress,
    is_commit: bool,
) -> Result<Applied> {
    let engine = engine.noting();
    let mut applied = apply_within(snapshot, edit, &engine, progress, is_commit)?;
    applied.report.passes = engine.passes();
    Ok(applied)
}

/// As [`apply_on`], without reporting passes: the engine records them, possibly as part of an enclosing edit.
fn apply_within(
    snapshot: &Snapshot,
    edit: &Edit,
    engine: &Engine,
    progress: &Progress,
    is_commit: bool,
) -> Result<Applied> {
    let cleared = cleared(snapshot, edit, engine, progress, is_commit)?;
    let (base, snapshot) = (snapshot, cleared.as_ref().map_or(snapshot, |cleared| &cleared.snapshot));
    let edit = resolved_on(engine, snapshot, edit, progress)?;
    let mut applied = match edit.brush.operation() {
        Operation::Samples(brush) => {
            let sound = selected_sound(snapshot, &edit, engine, progress)?;
            let apply = || apply_to_samples(&sound, brush, edit.strength);
            let (snapshot, report, changed) = engine.here(edit.brush.kind(), SAMPLES_WHY, apply)?;
            Applied { snapshot, report, resolved: None, changed, time: Vec::new() }
        }
        Operation::Labels(_) => Applied::unchanged(snapshot),
        Operation::Time(brush) => {
            if edit.channels != Channels::All {
                let what = format!("{} changes the time of all channels; leave channels out", edit.brush.kind());
                return Err(Error::new(ErrorKind::Script, what));
            }
            let place = TimePlace { sound: snapshot, select: edit.select.as_ref(), plans: engine.plans(), progress };
            let changes = brush.changes(&place)?;
            let after = engine.here(edit.brush.kind(), SAMPLES_WHY, || brush.retimed(&place, &changes))?;
            retimed(snapshot, after, changes)
        }
        Operation::Cells(_) | Operation::Added(_) => {
            let on =
                |engine: &Engine, max_cells| apply_to(snapshot, &edit, None, engine, max_cells, progress, is_commit);
            let (mut applied, failure) = engine.attempt(on)?;
            let notice = failure.map(|error| error.continued("this edit was computed on the CPU"));
            applied.report.notices.extend(notice.map(|error| error.message().to_owned()));
            applied
        }
    };
    applied.report.notices.extend_from_slice(edit.brush.notices());
    if let Cow::Owned(found) = edit {
        applied.resolved = Some(Box::new(found));
    }
    if let Some(cleared) = cleared {
        follow_clearing(&mut applied, cleared, base);
    }
    Ok(applied)
}

/// The sound after an edit's erase step.
fn cleared(
    snapshot: &Snapshot,
    edit: &Edit,
    engine: &Engine,
    progress: &Progress,
    is_commit: bool,
) -> Result<Option<Applied>> {
    let Some(select) = edit.brush.operation().cells().and_then(CellBrush::clears) else { return Ok(None) };
    let erasing =
        Edit { brush: Erase.into(), strength: 1.0, stroke: None, select: Some(select.clone()), ..edit.clone() };
    apply_within(snapshot, &erasing, engine, &progress.quiet(), is_commit).map(Some)
}

/// The edit with its sound-dependent parts resolved; if there are any, the engine records a pass `find`.
fn resolved_on<'a>(engine: &Engine, snapshot: &Snapshot, edit: &'a Edit, progress: &Progress) -> Result<Cow<'a, Edit>> {
    let began = Instant::now();
    let edit = resolved(snapshot, edit, engine.plans(), progress)?;
    if let Cow::Owned(_) = edit {
        engine.note_here("find", "what depends on the sound is found on the CPU", began.elapsed());
    }
    Ok(edit)
}

/// Adds the report and changed samples of an edit's erase step to those of the edit. If neither step changed anything,
/// the result is `base`.
fn follow_clearing(applied: &mut Applied, cleared: Applied, base: &Snapshot) {
    applied.changed = joined([cleared.changed, std::mem::take(&mut applied.changed)].concat());
    applied.report.touched_frames += cleared.report.touched_frames;
    applied.report.touched_samples += cleared.report.touched_samples;
    applied.report.notices.splice(0..0, cleared.report.notices);
    if cleared.snapshot.is_same(base) && applied.snapshot.is_same(&cleared.snapshot) {
        applied.snapshot = base.clone();
    }
}

/// Level of the sound that a sample edit works on, over all of its channels; `None` for silence.
///
/// # Errors
/// As [`apply`].
pub fn measure_levels(
    snapshot: &Snapshot,
    edit: &Edit,
    engine: &Engine,
    progress: &Progress,
) -> Result<Option<SoundLevels>> {
    let edit = resolved(snapshot, edit, engine.plans(), progress)?;
    levels_of(&selected_sound(snapshot, &edit, engine, progress)?)
}

/// The sound that a sample edit works on. `edit` is resolved.
fn selected_sound<'a>(
    snapshot: &'a Snapshot,
    edit: &'a Edit,
    engine: &'a Engine,
    progress: &'a Progress,
) -> Result<SelectedSound<'a>> {
    let signals = Signal::of(&edit.channels, snapshot.n_channels())?;
    let all = |range| SelectedSound::all_of(snapshot, signals.clone(), range, engine.plans(), progress);
    if let Some(range) = whole_range(snapshot, edit.select.as_ref()) {
        return Ok(all(range));
    }
    let within =
        |runs: &[Range<u64>]| runs.first().zip(runs.last()).map_or(0..0, |(first, last)| first.start..last.end);
    if let (Operation::Samples(brush), Some(select)) = (edit.brush.operation(), &edit.select) {
        match brush.takes_selection() {
            SelectionUse::Sound => {}
            SelectionUse::Time => {
                let runs = sample_runs(snapshot, select);
                return Ok(SelectedSound { runs: Some(runs.clone()), ..all(within(&runs)) });
            }
            SelectionUse::Mask => {
                let grid = snapshot.grid(StftParams::for_rate(snapshot.sample_rate_hz()));
                let frames = mask::bounds(&grid, None, Some(select)).frames;
                let samples = grid.samples_under(&frames);
                let sample = |at: i64| (at.max(0) as u64).min(snapshot.n_samples());
                let range = if frames.is_empty() { 0..0 } else { sample(samples.start)..sample(samples.end) };
                return Ok(SelectedSound { mask: Some(select), ..all(range) });
            }
        }
    }
    let erasing = Edit { brush: Erase.into(), strength: 1.0, ..edit.clone() };
    let erased = apply_within(snapshot, &erasing, engine, &progress.quiet(), true)?;
    Ok(SelectedSound { rest: Some(erased.snapshot), ..all(within(&erased.changed)) })
}

fn apply_to(
    snapshot: &Snapshot,
    edit: &Edit,
    drawn: Option<&Drawn>,
    engine: &Engine,
    max_cells: usize,
    progress: &Progress,
    is_commit: bool,
) -> Result<Applied> {
    let _span = trace::span(if is_commit { "apply" } else { "apply while drawn" });
    let reaching = with_frames_beside(edit, snapshot.sample_rate_hz());
    let edit = reaching.as_ref().unwrap_or(edit);
    let signals = Signal::of(&edit.channels, snapshot.n_channels())?;
    if edit.select.is_none()
        && let Some(sound) = edit.brush.added(edit.stroke.as_ref(), snapshot.sample_rate_hz())?
    {
        let mixed = mix(snapshot, &*sound, added_strength(edit), &signals, (engine, progress), None)?;
        return Ok(added(snapshot, edit, mixed));
    }
    let engine = engine.clone();
    let mut report = EditReport { past_end_secs: secs_past_end(snapshot, edit), ..EditReport::default() };
    let max_cells = max_cells.min(engine.max_cells());
    // Without a session, the whole stroke is prepared as in a session, so that both give the same result.
    let whole = match drawn {
        Some(_) => None,
        None => whole_stroke(snapshot, edit, &engine)?,
    };
    let drawn = drawn.or(whole.as_ref());
    let Some(layout) = EditLayout::of_drawn(snapshot, edit, drawn, max_cells, engine.plans())? else {
        return Ok(without_a_cell(snapshot, report));
    };
    if is_commit {
        report.notices.extend(layout.plans().iter().find_map(Plan::notice).map(String::from));
    }
    // Phases are finished in one piece.
    let is_too_large = layout.finish().is_some() && layout.n_cells() > engine.max_cells();
    let engine =
        if is_too_large { engine.on_cpu_for("phases are finished in one piece, which is too large") } else { engine };
    report.notices.extend(layout.make_ready(snapshot, &engine, &progress.quiet())?);
    // One editing pass, optional consistency passes, and one measuring pass.
    let n_passes = if is_commit { 2 + u64::from(edit.consistency_steps.unwrap_or(0)) } else { 1 };
    let n_steps = (signals.len() * layout.pieces().len()) as u64 * n_passes;
    let mut counter = Counter::new(progress, n_steps);
    let mut sound = snapshot.clone();
    let mut changed = Vec::new();
    let mut squares = [0.0; 2];
    let (mut reaches_a_cell, mut sums) = (false, SampleSums::default());
    for (index, signal) in signals.iter().enumerate() {
        let (engine, layout, later_signals) = (&engine, &layout, &signals[index + 1..]);
        let pass =
            EditPass { snapshot, signal: *signal, later_signals, engine, layout, max_cells, is_live: !is_commit };
        let painted = pass.paint(&mut sound, &mut changed, &mut report, &mut counter, is_commit)?;
        reaches_a_cell |= !painted.pieces.is_empty();
        sums.join(painted.sums);
        if is_commit {
            let _span = trace::span("consistency");
            consistency::approach(&pass, edit, &painted, &mut sound, &mut counter)?;
            let more = consistency::squares(&pass, &painted, &sound, &mut counter)?;
            squares = [squares[0] + more[0], squares[1] + more[1]];
        }
    }
    report.notices.extend(sums.too_large_notice());
    report.notices.extend(sums.peak_notice().filter(|_| layout.plans().iter().any(Plan::adds_sound)));
    progress.step(n_steps, n_steps)?;
    if !reaches_a_cell {
        return Ok(without_a_cell(snapshot, report));
    }
    report.consistency_db = consistency::decibels(squares);
    Ok(Applied { snapshot: sound, report, resolved: None, changed: joined(changed), time: Vec::new() })
}

/// The edit with selected boxes and ranges extended by the context that its brush needs; `None` if no change is needed,
/// for other shapes, and for selections with moments, which have their own reach.
fn with_frames_beside(edit: &Edit, rate_hz: f64) -> Option<Edit> {
    let windows = edit.brush.operation().cells()?.windows_beside();
    let (stft, select) = (edit.transform.as_stft()?, edit.select.as_ref()?);
    if windows == 0.0 || edit.stroke.is_some() || select.has_moments() {
        return None;
    }
    let secs = windows * stft.window_len() as f64 / rate_hz;
    let everywhere = [[f64::NEG_INFINITY, f64::INFINITY]; 2];
    Some(Edit { select: Some(select.grown_rectangles([secs, 0.0], everywhere)?), ..edit.clone() })
}

/// The state of the edit's whole stroke; `None` if a plan should read its points instead.
fn whole_stroke(snapshot: &Snapshot, edit: &Edit, engine: &Engine) -> Result<Option<Drawn>> {
    if edit.transform.as_stft().is_none() {
        return Ok(None);
    }
    let grid = grid_of(snapshot, edit, engine.plans())?;
    let form = edit.brush.painting()?.stroke_form();
    let of_stroke = |stroke| Drawn::whole(&grid, form, edit.select.as_ref(), stroke);
    Ok(edit.stroke.as_ref().and_then(of_stroke))
}

/// The cells of some signals after an edit, on the edit's own grid: the preview of a stroke on an STFT. `None` if it
/// covers no cell or more than `max_cells`, or must be computed in pieces.
///
/// # Errors
/// As [`apply`].
pub fn painted_cells(
    snapshot: &Snapshot,
    edit: &Edit,
    signals: &[Signal],
    engine: &Engine,
    max_cells: usize,
) -> Result<Option<Vec<EngineRegion>>> {
    let Some(plan) = Plan::new(snapshot, edit, engine.max_cells(), engine.plans())? else { return Ok(None) };
    if plan.n_pieces() != 1 || plan.n_cells() * signals.len() > max_cells {
        return Ok(None);
    }
    let piece = plan.piece(0)?;
    let cells = |(index, signal): (usize, &Signal)| {
        let later_signals = &signals[index + 1..];
        let pass = SignalPass { snapshot, signal: *signal, later_signals, engine, place: &plan.place };
        // Magnitudes are final; phases are finished on release.
        pass::painted_cells(&pass, &piece).map(|[_, after]| after)
    };
    signals.iter().enumerate().map(cells).collect::<Result<_>>().map(Some)
}

/// Prepares the first piece of an edit on its first signal, then calls `call` with the brush step and its cells. For
/// benchmarks that exclude the analysis.
///
/// # Errors
/// As [`apply`], and if the edit covers no cell.
pub fn with_step<T>(
    snapshot: &Snapshot,
    edit: &Edit,
    engine: &Engine,
    call: impl FnOnce(&dyn Fn() -> Result<EngineRegion>, &CellRect) -> Result<T>,
) -> Result<T> {
    let nothing = || Error::new(ErrorKind::Script, "this edit covers no cell of the spectrogram");
    let edit = &*resolved(snapshot, edit, engine.plans(), &Progress::new())?;
    let max_cells = engine.max_cells();
    let layout = EditLayout::of_drawn(snapshot, edit, None, max_cells, engine.plans())?.ok_or_else(nothing)?;
    let plan = layout.plans().first().ok_or_else(nothing)?;
    let piece = plan.piece(0)?;
    let signal = Signal::of(&edit.channels, snapshot.n_channels())?.first().copied().ok_or_else(nothing)?;
    let pass = EditPass { snapshot, signal, later_signals: &[], engine, layout: &layout, max_cells, is_live: false };
    let signal = pass.on(plan);
    let before = signal.analyse(snapshot, &piece.read, 0)?;
    // A step that finishes phases includes its own analysis.
    let step = || match plan.finish() {
        None => piece.paint(&signal, &before),
        Some(_) => pass.cells(plan, &piece).map(|[_, after]| after),
    };
    call(&step, &piece.rect)
}

/// A document to which a sound was added.
fn added(before: &Snapshot, edit: &Edit, mixed: Mixed) -> Applied {
    let Mixed { snapshot, rendering, notices, n_samples, changed } = mixed;
    let mut report = EditReport {
        touched_samples: n_samples,
        past_end_secs: secs_past_end(before, edit),
        notices: [rendering, notices].concat(),
        ..EditReport::default()
    };
    if changed.is_empty() {
        report.notices.push(match report.past_end_secs {
            Some(_) => PAST_END.into(),
            None => "this edit adds no sound; nothing was changed".into(),
        });
    }
    Applied { snapshot, report, resolved: None, changed: joined(changed), time: Vec::new() }
}

/// Message for an edit that reaches no sample.
const PAST_END: &str = "this edit is past the end of the sound; lengthen the sound first";

/// A sound in which time was cut or inserted: everything from the first join on has moved.
fn retimed(before: &Snapshot, after: Retimed, time: Vec<TimeChange>) -> Applied {
    let Retimed { snapshot, first_mixed, n_mixed } = after;
    let added: u64 = time.iter().map(|change| change.added).sum();
    let report = EditReport { touched_samples: n_mixed + added, ..EditReport::default() };
    let first = time.iter().map(|change| change.at).chain(first_mixed).min();
    let n_samples = snapshot.n_samples().max(before.n_samples());
    let changed = first.map(|first| first..n_samples).filter(|range| !range.is_empty());
    Applied { snapshot, report, resolved: None, changed: changed.into_iter().collect(), time }
}

/// The unchanged sound, with a report that the edit found nothing to do.
fn without_a_cell(snapshot: &Snapshot, mut report: EditReport) -> Applied {
    let what = match report.past_end_secs {
        Some(_) => PAST_END,
        None => "this edit covers no cell of the spectrogram; nothing was changed",
    };
    report.notices.push(what.into());
    Applied { snapshot: snapshot.clone(), report, resolved: None, changed: Vec::new(), time: Vec::new() }
}
