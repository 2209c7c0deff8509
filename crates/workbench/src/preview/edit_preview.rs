//! One preview: the wanted edit, what is known of its result, and what is being computed.

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

/// Once the known result is this old, a half-finished job is left to finish even if its settings are outdated: dragging
/// a field without a pause still updates the sound.
const STALE_SECS: f64 = 0.25;

/// The kind of a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewKind {
    /// The selection healed.
    Heal,
    /// The learnt noise reduced, in the selection or the whole file.
    ReduceNoise,
    /// A repair, over the selected time or the whole file.
    Repair(Repair),
    /// A tool's brush applied to the selection.
    Brush(Tool),
}

/// The place of a preview's edit, instead of the document's selection and the displayed channels.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewPlace {
    /// Its selection.
    pub select: Option<Selection>,
    /// The channels it changes.
    pub channels: Channels,
    /// The noise it learns, instead of the learnt one; `None` if it learns none.
    pub noise: Option<NoiseSource>,
}

/// Completeness of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// New near the playback position, unchanged elsewhere: of a long sound.
    Near,
    /// The fast version, without what only applying computes.
    Heard,
    /// Bit-identical to applying.
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
    /// Whether it replaces a step that was undone for it.
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

    /// Its kind.
    pub fn kind(&self) -> PreviewKind {
        self.kind
    }

    /// Its place; `None` where it follows the selection and the displayed channels.
    pub(super) fn place(&self) -> Option<&PreviewPlace> {
        self.place.as_ref()
    }

    /// The sound below it.
    pub fn base(&self) -> &Snapshot {
        &self.base
    }

    /// The sound with the edit, as far as it is known: with the previous settings until the present ones are computed.
    pub fn sound(&self) -> &Snapshot {
        self.known.as_ref().map_or(&self.base, |known| &known.applied.snapshot)
    }

    /// The edit with its present settings.
    pub fn edit(&self) -> &Edit {
        &self.wanted
    }

    /// Whether picture and sound have the present settings.
    pub fn is_up_to_date(&self) -> bool {
        self.stage().is_some_and(|stage| stage > Stage::Near)
    }

    /// Why the present settings have no result.
    pub fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }

    /// Remarks of the edit with the present settings, as a sentence without a full stop.
    pub fn notice(&self) -> Option<&str> {
        let known = self.known.as_ref().filter(|known| known.edit == self.wanted)?;
        known.applied.report.notices.first().map(String::as_str)
    }

    /// A summary of what the edit found with the present settings.
    pub fn found(&self) -> Option<&str> {
        let known = self.known.as_ref().filter(|known| known.edit == self.wanted)?;
        known.applied.report.found.as_deref()
    }

    /// The fraction of speech in each cell, of a preview that isolates speech.
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

    /// Whether anything is being computed.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.comparison.as_ref().is_some_and(Comparison::is_busy)
    }

    /// Progress until the sound can be heard; `None` once it is.
    pub fn work(&self) -> Option<JobStatus> {
        let running = self.running.as_ref().filter(|_| !self.is_up_to_date())?;
        let part = running.job.progress().fraction();
        Some(JobStatus { name: "Computing the preview", part, since_secs: running.since_secs })
    }

    /// Completeness of the present settings' result.
    fn stage(&self) -> Option<Stage> {
        self.known.as_ref().filter(|known| known.edit == self.wanted).map(|known| known.stage)
    }

    /// Whether the earlier edits are in the history, so that its base is final.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Sets the base once the earlier edits are applied.
    pub(super) fn begin_on(&mut self, base: &Snapshot) {
        if !self.has_begun {
            (self.base, self.has_begun) = (base.clone(), true);
        }
    }

    /// Sets the wanted edit.
    pub(super) fn want(&mut self, edit: Edit) {
        if edit != self.wanted {
            self.wanted = edit;
            self.fault = None;
            self.take_compared();
        }
    }

    /// Takes a result computed for the comparison, if its settings are the present ones.
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
            // Nothing to do where it is heard next says nothing of the rest.
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

    /// Starts what is missing for the present settings, replacing outdated work; of a long sound, first around
    /// `near_secs`.
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
            // The same at once.
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

    /// Whether an outdated job is worth finishing, as the only update to come soon.
    fn is_worth_waiting(&self, running: &Running, now_secs: f64) -> bool {
        let is_old = self.known.as_ref().is_some_and(|known| now_secs - known.at_secs > STALE_SECS);
        is_old
            && running.stage != Stage::Exact
            && running.edit != self.wanted
            && running.job.progress().fraction() > 0.5
    }

    /// Marks it applied and stops computing; returns the edit, and its result if that is exact.
    pub(super) fn apply(&mut self) -> (Edit, Option<Applied>) {
        self.is_applied = true;
        (self.running, self.comparison) = (None, None);
        let known = self.known.as_ref().filter(|known| known.edit == self.wanted && known.stage == Stage::Exact);
        (self.wanted.clone(), known.map(|known| known.applied.clone()))
    }
}
