//! One preview: the edit that is wanted, what is known of its result, and what is being computed.

use super::comparison::Comparison;
use super::computing::{Handed, computed, near};
use crate::base::{Error, ErrorKind};
use crate::document::{Applied, Channels, Edit, Snapshot};
use crate::dsp::isolation::SpeechMap;
use crate::dsp::{NoiseFrom, Selection};
use crate::engine::Engine;
use crate::services::{Job, Jobs};
use crate::tools::{Repair, Tool};
use crate::work::JobStatus;
use std::sync::Arc;

/// A result that is older than this lets a job that is half done come to its end, though another is wanted by now: who
/// drags a field without a pause hears something.
const STALE_SECS: f64 = 0.25;

/// What is previewed.
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

/// Where the edit of a preview acts, in place of the document's selection and the channels shown.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewPlace {
    /// What it is confined to.
    pub select: Option<Selection>,
    /// The channels that it changes.
    pub channels: Channels,
    /// The noise that it learns, in place of the learnt one; `None` where it learns none of its own.
    pub noise: Option<NoiseFrom>,
}

/// How much of a result is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Where it is heard next, and as it was everywhere else: of a long sound.
    Near,
    /// As it is heard: without what only the release computes.
    Heard,
    /// To the bit what applying gives.
    Exact,
}

/// What is being computed.
struct Running {
    edit: Edit,
    stage: Stage,
    since_secs: f64,
    job: Job<Applied>,
}

/// What was computed.
struct Known {
    edit: Edit,
    stage: Stage,
    applied: Applied,
    at_secs: f64,
}

/// An edit over the sound of a document, in no history until it is applied.
pub struct EditPreview {
    kind: PreviewKind,
    place: Option<PreviewPlace>,
    base: Snapshot,
    wanted: Edit,
    running: Option<Running>,
    known: Option<Known>,
    fault: Option<Error>,
    has_begun: bool,
    is_applied: bool,
    /// Whether it stands in the place of a step that was taken back for it.
    pub(super) replaces_step: bool,
    pub(super) comparison: Option<Comparison>,
}

impl EditPreview {
    /// Of an edit of `base`; nothing is known of it.
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

    /// What is previewed.
    pub fn kind(&self) -> PreviewKind {
        self.kind
    }

    /// Where it acts; none where it follows the selection and the channels shown.
    pub(super) fn place(&self) -> Option<&PreviewPlace> {
        self.place.as_ref()
    }

    /// The sound below it.
    pub fn base(&self) -> &Snapshot {
        &self.base
    }

    /// The sound with the edit, as far as it is known: of the settings before until the present ones are computed.
    pub fn sound(&self) -> &Snapshot {
        self.known.as_ref().map_or(&self.base, |known| &known.applied.snapshot)
    }

    /// The edit, with the settings that it has now.
    pub fn edit(&self) -> &Edit {
        &self.wanted
    }

    /// Whether what is seen and heard has the present settings.
    pub fn is_up_to_date(&self) -> bool {
        self.stage().is_some_and(|stage| stage > Stage::Near)
    }

    /// Why the present settings have no result.
    pub fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }

    /// What the edit found out of the ordinary with the present settings, as a sentence without a full stop.
    pub fn notice(&self) -> Option<&str> {
        let known = self.known.as_ref().filter(|known| known.edit == self.wanted)?;
        known.applied.report.notices.first().map(String::as_str)
    }

    /// What the edit found with the present settings, in short.
    pub fn found(&self) -> Option<&str> {
        let known = self.known.as_ref().filter(|known| known.edit == self.wanted)?;
        known.applied.report.found.as_deref()
    }

    /// What of each cell is speech, of a preview that isolates it.
    pub fn speech(&self) -> Option<&Arc<SpeechMap>> {
        self.known.as_ref()?.applied.report.speech.as_ref()
    }

    /// The modes of heal side by side, while they are compared.
    pub fn comparison(&self) -> Option<&Comparison> {
        self.comparison.as_ref()
    }

    /// Whether it was applied and is on its way into the history.
    pub fn is_applied(&self) -> bool {
        self.is_applied
    }

    /// Whether anything is being computed.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.comparison.as_ref().is_some_and(Comparison::is_busy)
    }

    /// How far the sound that will be heard is computed; none once it is heard.
    pub fn work(&self) -> Option<JobStatus> {
        let running = self.running.as_ref().filter(|_| !self.is_up_to_date())?;
        let part = running.job.progress().fraction();
        Some(JobStatus { name: "Computing the preview", part, since_secs: running.since_secs })
    }

    /// What is known of the present settings.
    fn stage(&self) -> Option<Stage> {
        self.known.as_ref().filter(|known| known.edit == self.wanted).map(|known| known.stage)
    }

    /// Whether the edits before it are in the history, so that it stands on the sound it is of.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The edits before it gave this sound.
    pub(super) fn begin_on(&mut self, base: &Snapshot) {
        if !self.has_begun {
            (self.base, self.has_begun) = (base.clone(), true);
        }
    }

    /// Wants this edit from now on.
    pub(super) fn want(&mut self, edit: Edit) {
        if edit != self.wanted {
            self.wanted = edit;
            self.fault = None;
            self.take_compared();
        }
    }

    /// Takes a result that was computed to compare modes, if it is that of the present settings.
    fn take_compared(&mut self) {
        let compared = self.comparison.as_ref().and_then(|comparison| comparison.applied(&self.wanted));
        if let Some(applied) = compared.cloned() {
            self.running = None;
            self.known = Some(Known { edit: self.wanted.clone(), stage: Stage::Exact, applied, at_secs: 0.0 });
        }
    }

    /// Takes the answer of the job.
    pub(super) fn poll(&mut self, now_secs: f64) {
        let Some(answer) = self.running.as_mut().and_then(|running| running.job.poll()) else { return };
        let Some(Running { edit, stage, .. }) = self.running.take() else { return };
        match answer {
            Ok(applied) => self.known = Some(Known { edit, stage, applied, at_secs: now_secs }),
            Err(error) if error.kind() == ErrorKind::Cancelled => {}
            // Nothing to do where it is heard next says nothing of the rest.
            Err(error) if stage == Stage::Near && error.kind() == ErrorKind::Script => {
                let applied = Applied::unchanged(&self.base);
                self.known = Some(Known { edit, stage, applied, at_secs: now_secs });
            }
            Err(error) if edit == self.wanted => {
                self.known = None;
                self.fault = Some(error);
            }
            Err(_) => {}
        }
    }

    /// Starts what is missing of the present settings, in the place of what is no longer wanted; of a long sound that
    /// around `near_secs` first.
    pub(super) fn start(
        &mut self,
        handed: impl FnOnce() -> Option<Handed>,
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
        let is_wanted = |running: &Running| running.edit == self.wanted && running.stage == stage;
        if self.running.as_ref().is_some_and(|running| is_wanted(running) || self.is_worth_waiting(running, now_secs)) {
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

    /// Whether a job of settings that are no longer wanted is the only news for a while.
    fn is_worth_waiting(&self, running: &Running, now_secs: f64) -> bool {
        let is_old = self.known.as_ref().is_some_and(|known| now_secs - known.at_secs > STALE_SECS);
        is_old
            && running.stage != Stage::Exact
            && running.edit != self.wanted
            && running.job.progress().fraction() > 0.5
    }

    /// It is applied: the edit, and its result if that is known to the bit. Nothing more is computed.
    pub(super) fn apply(&mut self) -> (Edit, Option<Applied>) {
        self.is_applied = true;
        (self.running, self.comparison) = (None, None);
        let known = self.known.as_ref().filter(|known| known.edit == self.wanted && known.stage == Stage::Exact);
        (self.wanted.clone(), known.map(|known| known.applied.clone()))
    }
}
