//! State of a preview: the edit with its current settings, its last result, and the computation in progress.

use super::comparison::Comparison;
use super::compute::{PlayerHandover, computed, near};
use crate::base::{Error, ErrorKind};
use crate::bench::work::JobStatus;
use crate::document::{Applied, Channels, Edit, Snapshot};
use crate::dsp::repair::isolation::SpeechMap;
use crate::dsp::{NoiseSource, Selection};
use crate::engine::Engine;
use crate::services::{Job, Jobs};
use crate::settings::tools::{Repair, Tool};
use std::sync::Arc;

/// Once the last result is older than this, a job that is more than half done may finish although its settings are
/// outdated. Thus the sound keeps updating while a field is dragged without pause.
const STALE_SECS: f64 = 0.25;

/// The operation that a preview computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewKind {
    /// Heals the selection.
    Heal,
    /// Reduces the learnt noise in the selection or the whole file.
    ReduceNoise,
    /// Repairs the selected time or the whole file.
    Repair(Repair),
    /// Applies a tool's brush to the selection.
    Brush(Tool),
}

/// Selection, channels and noise of a preview's edit, replacing the document's selection and displayed channels.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewPlace {
    /// Selection to edit; `None`: the whole sound.
    pub select: Option<Selection>,
    /// Channels to edit.
    pub channels: Channels,
    /// For isolating: a source of noise that replaces the learnt one; `None` keeps that.
    pub noise: Option<NoiseSource>,
}

/// Completeness of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Computed near the playback position only, elsewhere unchanged; for long ranges.
    Near,
    /// Computed by [`apply_live`](crate::document::apply_live), which omits the consistency steps.
    Heard,
    /// Bit-identical to the applied edit.
    Exact,
}

/// The computation in progress.
struct Running {
    edit: Edit,
    stage: Stage,
    since_secs: f64,
    job: Job<Applied>,
}

/// A computed result.
struct ComputedResult {
    edit: Edit,
    stage: Stage,
    applied: Applied,
    at_secs: f64,
}

/// An edit over the sound of a document, not in the history until it is applied.
pub struct EditPreview {
    kind: PreviewKind,
    place: Option<PreviewPlace>,
    base: Snapshot,
    wanted: Edit,
    running: Option<Running>,
    known: Option<ComputedResult>,
    fault: Option<Error>,
    has_begun: bool,
    is_applied: bool,
    /// Whether it replaces a history step that was undone for it, and redone if it is cancelled.
    pub(super) replaces_step: bool,
    pub(super) comparison: Option<Comparison>,
}

impl EditPreview {
    /// A preview of an edit of `base`, without a result.
    pub(super) fn new((kind, place): (PreviewKind, Option<PreviewPlace>), base: Snapshot, wanted: Edit) -> EditPreview {
        let (running, known, fault, comparison) = (None, None, None, None);
        EditPreview {
            kind,
            place,
            base,
            wanted,
            running,
            known,
            fault,
            has_begun: false,
            is_applied: false,
            replaces_step: false,
            comparison,
        }
    }

    /// The operation that it computes.
    pub fn kind(&self) -> PreviewKind {
        self.kind
    }

    /// Its own selection and channels; `None` if it follows those of the document.
    pub(super) fn place(&self) -> Option<&PreviewPlace> {
        self.place.as_ref()
    }

    /// The sound without the edit.
    pub fn base(&self) -> &Snapshot {
        &self.base
    }

    /// The sound with the edit, as last computed: with outdated settings until those of [`edit`](EditPreview::edit) are
    /// computed, and without the edit before the first result.
    pub fn sound(&self) -> &Snapshot {
        self.known.as_ref().map_or(&self.base, |known| &known.applied.snapshot)
    }

    /// The edit with its current settings.
    pub fn edit(&self) -> &Edit {
        &self.wanted
    }

    /// Whether the whole of [`sound`](EditPreview::sound) has the current settings.
    pub fn is_up_to_date(&self) -> bool {
        self.stage().is_some_and(|stage| stage > Stage::Near)
    }

    /// The error of the current settings, if they failed to compute.
    pub fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }

    /// The first notice of the edit with its current settings, as a sentence without a full stop.
    pub fn notice(&self) -> Option<&str> {
        let known = self.known.as_ref().filter(|known| known.edit == self.wanted)?;
        known.applied.report.notices.first().map(String::as_str)
    }

    /// Summary of the findings of the edit with its current settings.
    pub fn found(&self) -> Option<&str> {
        let known = self.known.as_ref().filter(|known| known.edit == self.wanted)?;
        known.applied.report.found.as_deref()
    }

    /// Fraction of speech in each cell, if the edit isolates speech.
    pub fn speech(&self) -> Option<&Arc<SpeechMap>> {
        self.known.as_ref()?.applied.report.speech.as_ref()
    }

    /// The comparison of heal modes, while open.
    pub fn comparison(&self) -> Option<&Comparison> {
        self.comparison.as_ref()
    }

    /// Whether it was applied and is being committed to the history.
    pub fn is_applied(&self) -> bool {
        self.is_applied
    }

    /// Whether a job is in progress.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.comparison.as_ref().is_some_and(Comparison::is_busy)
    }

    /// Progress until the sound has the current settings; `None` once it does.
    pub fn work(&self) -> Option<JobStatus> {
        let running = self.running.as_ref().filter(|_| !self.is_up_to_date())?;
        let part = running.job.progress().fraction();
        Some(JobStatus { name: "Computing the preview", part, since_secs: running.since_secs })
    }

    /// Completeness of the result with the current settings; `None` if there is none.
    fn stage(&self) -> Option<Stage> {
        self.known.as_ref().filter(|known| known.edit == self.wanted).map(|known| known.stage)
    }

    /// Whether the base is final: all earlier edits are in the history.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Sets the base, once: call when all earlier edits are in the history.
    pub(super) fn begin_on(&mut self, base: &Snapshot) {
        if !self.has_begun {
            (self.base, self.has_begun) = (base.clone(), true);
        }
    }

    /// Sets the edit with its current settings.
    pub(super) fn want(&mut self, edit: Edit) {
        if edit != self.wanted {
            self.wanted = edit;
            self.fault = None;
            self.take_compared();
        }
    }

    /// Takes the result from the comparison, if it was computed there with the current settings.
    fn take_compared(&mut self) {
        let compared = self.comparison.as_ref().and_then(|comparison| comparison.applied(&self.wanted));
        if let Some(applied) = compared.cloned() {
            self.running = None;
            self.known = Some(ComputedResult { edit: self.wanted.clone(), stage: Stage::Exact, applied, at_secs: 0.0 });
        }
    }

    /// Takes the job's result.
    pub(super) fn poll(&mut self, now_secs: f64) {
        let Some(answer) = self.running.as_mut().and_then(|running| running.job.poll()) else { return };
        let Some(Running { edit, stage, .. }) = self.running.take() else { return };
        match answer {
            Ok(applied) => self.known = Some(ComputedResult { edit, stage, applied, at_secs: now_secs }),
            Err(error) if error.kind() == ErrorKind::Cancelled => {}
            // An edit with nothing to do near the playback position may still have work elsewhere: not its error.
            Err(error) if stage == Stage::Near && error.kind() == ErrorKind::Script => {
                let applied = Applied::unchanged(&self.base);
                self.known = Some(ComputedResult { edit, stage, applied, at_secs: now_secs });
            }
            Err(error) if edit == self.wanted => {
                self.known = None;
                self.fault = Some(error);
            }
            Err(_) => {}
        }
    }

    /// Starts the next computation for the current settings, replacing an outdated one. For long ranges, first computes
    /// the surroundings of `near_secs`.
    pub(super) fn start(
        &mut self,
        handed: impl FnOnce() -> Option<PlayerHandover>,
        near_secs: f64,
        (jobs, engine): (&Jobs, &Engine),
        now_secs: f64,
    ) {
        let near = near(&self.wanted, &self.base, near_secs);
        let stage = match self.stage() {
            _ if self.is_applied || self.fault.is_some() => return,
            Some(Stage::Exact) => return,
            Some(Stage::Heard) => Stage::Exact,
            None if near.is_some() => Stage::Near,
            // Edits of samples have no fast version.
            Some(Stage::Near) | None if self.wanted.brush.is_of_samples() => Stage::Exact,
            Some(Stage::Near) | None => Stage::Heard,
        };
        let is_requested = |running: &Running| running.edit == self.wanted && running.stage == stage;
        if self
            .running
            .as_ref()
            .is_some_and(|running| is_requested(running) || self.is_worth_waiting(running, now_secs))
        {
            return;
        }
        let (base, edit, engine) = (self.base.clone(), self.wanted.clone(), engine.clone());
        let heard = match stage {
            Stage::Near | Stage::Heard => None,
            Stage::Exact => {
                let known = self.known.as_ref().filter(|_| self.stage() == Some(Stage::Heard));
                known.map(|known| known.applied.snapshot.clone())
            }
        };
        let computed_edit = near.filter(|_| stage == Stage::Near).unwrap_or_else(|| edit.clone());
        let work = computed(base, computed_edit, heard, handed(), engine);
        self.running = Some(Running { edit, stage, since_secs: now_secs, job: jobs.spawn("preview", work) });
    }

    /// Whether an outdated job may finish, since no other result would come soon.
    fn is_worth_waiting(&self, running: &Running, now_secs: f64) -> bool {
        let is_old = self.known.as_ref().is_some_and(|known| now_secs - known.at_secs > STALE_SECS);
        is_old
            && running.stage != Stage::Exact
            && running.edit != self.wanted
            && running.job.progress().fraction() > 0.5
    }

    /// Marks the preview as applied and stops computing. Returns the edit, and its result if that is exact.
    pub(super) fn apply(&mut self) -> (Edit, Option<Applied>) {
        self.is_applied = true;
        (self.running, self.comparison) = (None, None);
        let known = self.known.as_ref().filter(|known| known.edit == self.wanted && known.stage == Stage::Exact);
        (self.wanted.clone(), known.map(|known| known.applied.clone()))
    }
}
