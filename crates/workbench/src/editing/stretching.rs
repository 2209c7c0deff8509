//! The selection at another pitch or of another length. What is stretched floats over the document until it is placed.

use super::afloat::{float_over, land};
use super::applying::tell_unchanged;
use super::whole::over_selection;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::context::{Concern, Context};
use crate::document::brushes::{Follows, PitchShift, TimeStretch};
use crate::document::{Edit, MOST_CLIP_SAMPLES, Snapshot, erasing, lifted_off, resolve, stretched_clip};
use crate::documents::{Clearing, Floating, FloatingSound, OpenDocument};
use crate::dsp::stretch::stretched_length;
use crate::dsp::{Axis, Clip, Selection};
use crate::engine::Engine;
use crate::files::StretchWish;
use crate::limits::{SEMITONES, STRETCH_PERCENT, held};
use crate::notices::Severity;
use crate::services::Job;
use crate::work::JobStatus;

/// Moves the selection by semitones.
pub fn shift_pitch(semitones: f64, context: &mut Context) {
    if !semitones.is_finite() {
        let what = "the number of semitones is not finite";
        return context.fail("shift the pitch", &Error::new(ErrorKind::Script, what));
    }
    let brush = PitchShift { semitones: held(semitones, SEMITONES, 0.0) };
    let Some(document) = context.documents.active_mut() else { return };
    match over_selection(document, brush.into(), 1.0) {
        Some(edit) => document.edit(edit),
        None => tell_nothing_selected(context),
    }
}

/// Stretches selections, one at a time.
#[derive(Default)]
pub struct Stretching {
    waiting: Option<(u64, StretchWish)>,
    running: Option<Running>,
}

struct Running {
    document: u64,
    snapshot: Snapshot,
    started_secs: f64,
    job: Job<Outcome>,
}

/// What was stretched.
struct Outcome {
    clip: Clip,
    /// The range of time that it takes.
    selection: Selection,
    /// What takes the original away; none where it stays.
    clearing: Option<Clearing>,
    /// In percent of what it was, and when that lasted, in seconds.
    stretch: (f64, [f64; 2]),
}

impl Stretching {
    /// Stretches what is selected in the document in front once its edits are applied.
    pub fn stretch(&mut self, wish: StretchWish, context: &mut Context) {
        if !wish.percent.is_finite() {
            return context.fail("stretch", &Error::new(ErrorKind::Script, "the new length is not a finite number"));
        }
        let wish = StretchWish { percent: held(wish.percent, STRETCH_PERCENT, 100.0), ..wish };
        land(context);
        let Some(document) = context.documents.active_mut() else { return };
        document.show_current();
        if document.selection().is_none() {
            return tell_nothing_selected(context);
        }
        // In whole samples, as the brush counts them. A copy that stays is a change at any length.
        let n_samples = n_selected(document);
        if wish.replaces && n_samples > 0 && stretched_length(n_samples, wish.percent) == n_samples {
            return tell_unchanged(context);
        }
        self.waiting = Some((document.id(), wish));
        self.start_next(context);
    }

    fn start_next(&mut self, context: &mut Context) {
        let Some((id, wish)) = self.waiting.filter(|_| self.running.is_none()) else { return };
        let Some(document) = context.documents.get_mut(id) else {
            self.waiting = None;
            return;
        };
        if document.edits().is_busy() {
            return;
        }
        self.waiting = None;
        let Some(selection) = document.selection().cloned() else { return };
        if n_samples_of(document, wish.percent) > MOST_CLIP_SAMPLES {
            let is_end = document.selected_secs().is_none_or(|[_, end]| end >= document.duration_secs());
            let follows = if is_end && wish.replaces { Follows::Push } else { Follows::Overlap };
            let brush = TimeStretch { percent: wish.percent, keeps_original: !wish.replaces, follows };
            let edit = over_selection(document, brush.into(), 1.0);
            edit.into_iter().for_each(|edit| document.edit(edit));
            let what = "The selection is too long to float; it is stretched in place.";
            return context.tell(Severity::Info, what, Some("What becomes longer is added to what follows."));
        }
        let snapshot = document.history().current().clone();
        let edit = erasing(selection, document.view().channels.edited(), document.view().transform.clone());
        let (sound, engine) = (snapshot.clone(), context.engine.clone());
        let job = context.jobs.spawn("stretch", move |progress| stretched(&sound, edit, wish, &engine, progress));
        self.running = Some(Running { document: id, snapshot, started_secs: context.now_secs(), job });
    }
}

/// Samples of a channel that are selected.
fn n_selected(document: &OpenDocument) -> u64 {
    let snapshot = document.history().current();
    let secs = document.selected_secs().map_or(f64::INFINITY, |[start, end]| end - start);
    (secs * snapshot.sample_rate_hz()).round().min(snapshot.n_samples() as f64) as u64
}

/// Samples of all channels that a clip of the selection would have, before or after it is stretched.
fn n_samples_of(document: &OpenDocument, percent: f64) -> u64 {
    let n_channels = document.history().current().n_channels();
    (n_selected(document) as f64 * n_channels as f64 * (percent / 100.0).max(1.0)) as u64
}

/// What the selection of an erasing edit holds, stretched.
fn stretched(
    snapshot: &Snapshot,
    edit: Edit,
    wish: StretchWish,
    engine: &Engine,
    progress: &Progress,
) -> Result<Outcome> {
    let percent = wish.percent;
    let selection = edit.select.clone().unwrap_or_default();
    let selection = match selection.needs_sound() {
        true => resolve(snapshot, &selection, edit.transform.clone(), &edit.channels, engine.plans(), progress)?,
        false => selection,
    };
    let (clip, applied) = lifted_off(snapshot, &edit, engine, progress)?;
    let [secs, hz] = selection.extent();
    let [start_secs, end_secs] = secs.unwrap_or(clip.secs());
    let start_secs = start_secs.max(0.0);
    let pivot = (start_secs * clip.sample_rate_hz).round() as i64;
    let clip = stretched_clip(&clip, percent, pivot, engine.plans(), progress)?;
    let secs = [start_secs, start_secs + (end_secs - start_secs) * percent / 100.0];
    let clearing = wish.replaces.then(|| Clearing { edit, base: snapshot.clone(), applied });
    let selection = Selection::rectangle(Some(secs), hz, [0.0; 2], Axis::Linear);
    Ok(Outcome { clip, selection, clearing, stretch: (percent, [start_secs, end_secs]) })
}

impl Concern for Stretching {
    fn advance(&mut self, context: &mut Context) {
        if let Some(running) = &mut self.running
            && let Some(answer) = running.job.poll()
            && let Some(running) = self.running.take()
        {
            match answer {
                Ok(outcome) => take_stretched(&running, outcome, context),
                Err(error) => context.fail("stretch", &error),
            }
        }
        self.start_next(context);
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        let running = self.running.as_ref()?;
        let part = running.job.progress().fraction();
        Some(JobStatus { name: "Stretching", part, since_secs: running.started_secs })
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.waiting.is_some() || self.running.is_some()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.waiting.take().is_some() | self.running.take().is_some()
    }
}

/// What was stretched floats where it was, over what is left of the sound.
fn take_stretched(running: &Running, outcome: Outcome, context: &mut Context) {
    let Some(document) = context.documents.get(running.document) else {
        let what = "Stretching had no effect because its file was closed.";
        return context.tell(Severity::Warning, what, Some("Open the file again first."));
    };
    if !running.snapshot.is_same(document.history().current()) || document.edits().is_busy() {
        let what = "Stretching had no effect because the sound changed in the meantime.";
        return context.tell(Severity::Warning, what, Some("Repeat it."));
    }
    let Outcome { clip, selection, clearing, stretch } = outcome;
    let axis = if document.view().axis == Axis::Linear { Axis::Linear } else { Axis::Log };
    let rate_hz = clip.sample_rate_hz;
    let mut floating = Floating::new(FloatingSound::Clip(clip), selection, axis, rate_hz);
    (floating.clearing, floating.stretch) = (clearing, Some(stretch));
    context.notices.succeed("stretch");
    let what = "The stretched sound is floating: drag it, or move it with the arrow keys.";
    float_over(running.document, floating, what, context);
}

fn tell_nothing_selected(context: &mut Context) {
    context.tell(Severity::Info, "Nothing is selected.", Some("Select a sound first."));
}
