//! Pitch-shifts, stretches and moves the selection. Stretched and moved sound floats over the document until it is
//! placed.

use super::apply::notify_unchanged;
use super::floating_paste::{float_over, land};
use super::whole_sound::over_selection;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::bench::context::{Concern, Context};
use crate::bench::limits::{SEMITONES, STRETCH_PERCENT, held};
use crate::bench::notices::Severity;
use crate::bench::orders::{AfterEdits, JobTarget, next_ready};
use crate::bench::work::JobStatus;
use crate::document::brushes::{Follows, PitchShift, TimeStretch};
use crate::document::{Edit, MAX_CLIP_SAMPLES, Snapshot, erasing, lifted_off, resolve, stretched_clip};
use crate::documents::{Floating, FloatingSound, OpenDocument, PendingClearing};
use crate::dsp::warps::peak_locking::LockedPeaks;
use crate::dsp::warps::stretch::stretched_length;
use crate::dsp::{Axis, Clip, Selection};
use crate::engine::Engine;
use crate::files::StretchOptions;
use crate::services::JobQueue;

/// Shifts the pitch of the selection by semitones.
pub fn shift_pitch(semitones: f64, context: &mut Context) {
    if !semitones.is_finite() {
        let what = "the number of semitones is not finite";
        return context.fail("shift the pitch", &Error::new(ErrorKind::Script, what));
    }
    let brush = PitchShift::by(held(semitones, SEMITONES, 0.0));
    let Some(document) = context.documents.active_mut() else { return };
    match over_selection(document, brush.into(), 1.0) {
        Some(edit) => document.edit(edit),
        None => notify_nothing_selected(context),
    }
}

/// Lifts the sound of selections, stretched or unchanged, one at a time.
#[derive(Default)]
pub struct SelectionLifter {
    queue: JobQueue<(u64, Lift), LiftedSelection, Lifting>,
}

/// The purpose of a lift.
#[derive(Debug, Clone, Copy)]
enum Lift {
    Stretched(StretchOptions),
    /// The sound floats unchanged, to be moved.
    Moved,
}

impl Lift {
    /// Completes "Cannot ...".
    fn verb(self) -> &'static str {
        match self {
            Lift::Stretched(_) => "stretch",
            Lift::Moved => "cut to float",
        }
    }

    fn operation(self) -> &'static str {
        match self {
            Lift::Stretched(_) => "Stretching",
            Lift::Moved => "Cutting to float",
        }
    }

    /// The new length in percent of the old one.
    fn percent(self) -> f64 {
        match self {
            Lift::Stretched(options) => options.percent,
            Lift::Moved => 100.0,
        }
    }
}

/// A selection being lifted, and its document.
struct Lifting {
    lift: Lift,
    target: JobTarget,
}

impl AfterEdits for (u64, Lift) {
    fn document(&self) -> u64 {
        self.0
    }
}

/// A lifted selection.
struct LiftedSelection {
    clip: Clip,
    /// The area of the lifted sound.
    selection: Selection,
    /// The edit that clears the original; `None` where it stays.
    clearing: Option<PendingClearing>,
    /// For stretched sound: the new length in percent of the old one, and the original range in seconds.
    stretch: Option<(f64, [f64; 2])>,
}

impl SelectionLifter {
    /// Stretches the selection of the document in front once its edits are applied.
    pub fn stretch(&mut self, options: StretchOptions, context: &mut Context) {
        if !options.percent.is_finite() {
            return context.fail("stretch", &Error::new(ErrorKind::Script, "the new length is not a finite number"));
        }
        let options = StretchOptions { percent: held(options.percent, STRETCH_PERCENT, 100.0), ..options };
        land(context);
        let Some(document) = context.documents.active_mut() else { return };
        document.show_current();
        if document.selection().is_none() {
            return notify_nothing_selected(context);
        }
        // Compares whole samples, as the brush does. If the original stays, any length is a change.
        let n_samples = n_selected(document);
        if options.replaces && n_samples > 0 && stretched_length(n_samples, options.percent) == n_samples {
            return notify_unchanged(context);
        }
        let id = document.id();
        self.give(id, Lift::Stretched(options), context);
    }

    /// Floats the selection of the document in front once its edits are applied; the original is cleared on placing.
    pub fn cut_to_float(&mut self, context: &mut Context) {
        land(context);
        let Some(document) = context.documents.active_mut() else { return };
        document.show_current();
        let id = document.selection().map(|_| document.id());
        id.into_iter().for_each(|id| self.give(id, Lift::Moved, context));
    }

    /// Queues a lift, replacing a waiting one.
    fn give(&mut self, id: u64, lift: Lift, context: &mut Context) {
        self.queue.clear_waiting();
        self.queue.push((id, lift));
        self.start_next(context);
    }

    fn start_next(&mut self, context: &mut Context) {
        let Some((id, lift)) = next_ready(&mut self.queue, context) else { return };
        let Some(document) = context.documents.get_mut(id) else { return };
        let Some(selection) = document.selection().cloned() else { return };
        if n_samples_of(document, lift.percent()) > MAX_CLIP_SAMPLES {
            let Lift::Stretched(options) = lift else {
                let what = "The selection is too long to float.";
                return context.notify(Severity::Info, what, Some("Select a shorter range."));
            };
            let is_end = document.selected_secs().is_none_or(|[_, end]| end >= document.duration_secs());
            let follows = if is_end && options.replaces { Follows::Push } else { Follows::Overlap };
            let StretchOptions { percent, replaces, .. } = options;
            let peaks = LockedPeaks::Narrow;
            let brush = TimeStretch { percent, keeps_original: !replaces, follows, peaks };
            let edit = over_selection(document, brush.into(), 1.0);
            edit.into_iter().for_each(|edit| document.edit(edit));
            let what = "The selection is too long to float; it is stretched in place.";
            return context.notify(Severity::Info, what, Some("What becomes longer is added to what follows."));
        }
        let edit = erasing(selection, document.view().channels.edited(), document.view().transform.clone());
        let target = JobTarget::of(lift.operation(), document).with_sound(document);
        let (sound, engine) = (document.history().current().clone(), context.engine.clone());
        let job = context.jobs.spawn("lift off", move |progress| match lift {
            Lift::Stretched(options) => stretched(&sound, edit, options, &engine, progress),
            Lift::Moved => moved(&sound, edit, &engine, progress),
        });
        self.queue.run(Lifting { lift, target }, job, context.now_secs());
    }
}

/// Number of selected samples per channel.
fn n_selected(document: &OpenDocument) -> u64 {
    let snapshot = document.history().current();
    let secs = document.selected_secs().map_or(f64::INFINITY, |[start, end]| end - start);
    (secs * snapshot.sample_rate_hz()).round().min(snapshot.n_samples() as f64) as u64
}

/// Number of samples over all channels of the selection's clip, before or after stretching, whichever is larger.
fn n_samples_of(document: &OpenDocument, percent: f64) -> u64 {
    let n_channels = document.history().current().n_channels();
    (n_selected(document) as f64 * n_channels as f64 * (percent / 100.0).max(1.0)) as u64
}

/// The sound that an edit would erase, stretched.
fn stretched(
    snapshot: &Snapshot,
    edit: Edit,
    options: StretchOptions,
    engine: &Engine,
    progress: &Progress,
) -> Result<LiftedSelection> {
    let percent = options.percent;
    let selection = resolved(snapshot, &edit, engine, progress)?;
    let (clip, applied) = lifted_off(snapshot, &edit, engine, progress)?;
    let [secs, hz] = selection.extent();
    let [start_secs, end_secs] = secs.unwrap_or(clip.secs());
    let start_secs = start_secs.max(0.0);
    let pivot = (start_secs * clip.sample_rate_hz).round() as i64;
    let clip = stretched_clip(&clip, percent, pivot, engine.plans(), progress)?;
    let secs = [start_secs, start_secs + (end_secs - start_secs) * percent / 100.0];
    let clearing = options.replaces.then(|| PendingClearing { edit, base: snapshot.clone(), applied });
    let selection = Selection::rectangle(Some(secs), hz, [0.0; 2], Axis::Linear);
    Ok(LiftedSelection { clip, selection, clearing, stretch: Some((percent, [start_secs, end_secs])) })
}

/// The sound that an edit would erase, unchanged.
fn moved(snapshot: &Snapshot, edit: Edit, engine: &Engine, progress: &Progress) -> Result<LiftedSelection> {
    let selection = resolved(snapshot, &edit, engine, progress)?;
    let (clip, applied) = lifted_off(snapshot, &edit, engine, progress)?;
    let clearing = Some(PendingClearing { edit, base: snapshot.clone(), applied });
    Ok(LiftedSelection { clip, selection, clearing, stretch: None })
}

/// The selection of an edit, with its sound-dependent shapes resolved.
fn resolved(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Selection> {
    let selection = edit.select.clone().unwrap_or_default();
    match selection.needs_sound() {
        true => resolve(snapshot, &selection, edit.transform.clone(), &edit.channels, engine.plans(), progress),
        false => Ok(selection),
    }
}

impl Concern for SelectionLifter {
    fn advance(&mut self, context: &mut Context) {
        match self.queue.take_answer() {
            Some((lifting, Ok(lifted))) => take_lifted(&lifting, lifted, context),
            Some((lifting, Err(error))) => context.fail(lifting.lift.verb(), &error),
            None => {}
        }
        self.start_next(context);
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |lifting| lifting.lift.operation())
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.queue.clear()
    }
}

/// Floats the lifted sound in its original area, over the cleared sound.
fn take_lifted(lifting: &Lifting, lifted: LiftedSelection, context: &mut Context) {
    let document = match lifting.target.find(&mut context.documents) {
        Ok(document) => document,
        Err(report) => return context.report(Some(report)),
    };
    let id = document.id();
    let LiftedSelection { clip, selection, clearing, stretch } = lifted;
    let axis = if document.view().axis == Axis::Linear { Axis::Linear } else { Axis::Log };
    let rate_hz = clip.sample_rate_hz;
    let mut floating = Floating::new(FloatingSound::Clip(clip), selection, axis, rate_hz);
    (floating.clearing, floating.stretch) = (clearing, stretch);
    context.notices.succeed(lifting.lift.verb());
    let what = match lifting.lift {
        Lift::Stretched(_) => "The stretched sound is floating: drag it, or move it with the arrow keys.",
        Lift::Moved => "The selected sound is floating: drag it, or move it with the arrow keys.",
    };
    float_over(id, floating, what, context);
}

fn notify_nothing_selected(context: &mut Context) {
    context.notify(Severity::Info, "Nothing is selected.", Some("Select a sound first."));
}
