//! Edits on their way into the history: one at a time, in the order given.

use super::jobs::{Job, Jobs};
use super::state::OpenDocument;
use crate::base::{Error, ErrorKind, clock_from_secs};
use crate::document::{Applied, Edit, EditReport, Snapshot};
use crate::dsp::Brush;
use crate::engine::Engine;
use std::collections::VecDeque;

/// The queue.
#[derive(Default)]
pub struct Edits {
    waiting: VecDeque<(u64, Edit)>,
    running: Option<Running>,
}

struct Running {
    document: u64,
    edit: Edit,
    base: Snapshot,
    started_secs: f64,
    job: Job<Applied>,
}

/// How an edit ended.
#[derive(Debug)]
pub enum Outcome {
    /// It is in the history.
    Committed(EditReport),
    /// It changed no sample, and is in no history.
    Empty(Box<Edit>, EditReport),
    /// The sound is no longer the one that it was made for; nothing was changed.
    Stale(Box<Edit>),
    /// Nothing was changed; the preview is worth nothing.
    Failed(Error),
}

impl Edits {
    /// Adds an edit of a document at the end.
    pub fn push(&mut self, document: u64, edit: Edit) {
        self.waiting.push_back((document, edit));
    }

    /// Whether any is waiting or running.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || !self.waiting.is_empty()
    }

    /// Takes the edit given last back; false if there is none.
    pub fn cancel_last(&mut self) -> bool {
        self.waiting.pop_back().is_some() || self.running.take().is_some()
    }

    /// Drops all of them.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.running = None;
    }

    /// What is running: the name of its brush, the part that is done, when it began.
    pub fn work(&self) -> Option<(&'static str, f32, f64)> {
        let running = self.running.as_ref()?;
        Some((brush_name(&running.edit), running.job.progress().fraction(), running.started_secs))
    }

    /// Takes the answer of the edit that runs, and starts the next. At most one edit ends.
    pub fn advance(
        &mut self,
        document: Option<&mut OpenDocument>,
        jobs: &Jobs,
        engine: &Engine,
        now_secs: f64,
    ) -> Option<Outcome> {
        let Some(document) = document else {
            self.clear();
            return None;
        };
        let mut outcome = None;
        if let Some(answer) = self.running.as_mut().and_then(|running| running.job.poll())
            && let Some(running) = self.running.take()
        {
            outcome = finish(running, answer, document);
            if matches!(outcome, Some(Outcome::Failed(_) | Outcome::Stale(_))) {
                // Later edits were made on a picture that held this one.
                self.waiting.clear();
            }
        }
        if self.running.is_none()
            && let Some((id, edit)) = self.waiting.pop_front()
        {
            if id != document.id {
                return outcome.or(Some(Outcome::Stale(Box::new(edit))));
            }
            let (base, engine) = (document.history.current().clone(), engine.clone());
            let (job_base, job_edit) = (base.clone(), edit.clone());
            let job =
                jobs.spawn("edit", move |progress| crate::document::apply(&job_base, &job_edit, &engine, progress));
            self.running = Some(Running { document: id, edit, base, started_secs: now_secs, job });
        }
        outcome
    }
}

/// Takes an edit into the history, unless it was cancelled, or made from a sound that is no longer current.
fn finish(running: Running, answer: Result<Applied, Error>, document: &mut OpenDocument) -> Option<Outcome> {
    let Running { document: id, edit, base, .. } = running;
    match answer {
        Err(error) if error.kind() == ErrorKind::Cancelled => None,
        Err(error) => Some(Outcome::Failed(error)),
        Ok(_) if id != document.id || !base.is_same(document.history.current()) => Some(Outcome::Stale(Box::new(edit))),
        Ok(applied) if applied.snapshot.is_same(&base) => Some(Outcome::Empty(Box::new(edit), applied.report)),
        Ok(applied) => {
            document.commit(applied.resolved.map_or(edit, |found| *found), applied.snapshot);
            document.history.note_consistency(applied.report.consistency_db);
            Some(Outcome::Committed(applied.report))
        }
    }
}

/// What an edit is called in the history and in the status.
pub fn brush_name(edit: &Edit) -> &'static str {
    match edit.brush.kind() {
        "gain" => "Gain",
        "erase" => "Erase",
        "blur" => "Blur",
        "band_filter" => "Band filter",
        "modulation_filter" => "Modulation filter",
        "warp" => "Warp",
        "sharpen" => "Sharpen",
        "noise" => "Noise",
        "clone" => "Clone",
        "tone" => "Tone",
        "smudge" => "Smudge",
        "paste" => "Paste",
        "lengthen" => "Lengthen",
        "heal" => "Heal",
        "denoise" => "Denoise",
        "harmonic_percussive" => "Tones and hits",
        "rebuild_phase" => "Rebuild phase",
        other => other,
    }
}

/// An edit in the words of the history: `Gain −12.0 dB, stroke`.
pub fn describe(edit: &Edit) -> String {
    match &edit.brush {
        Brush::Paste(paste) => {
            let taken_secs = paste.clip.first_sample as f64 / paste.clip.sample_rate_hz;
            return format!("Paste at {}", clock_from_secs((taken_secs + paste.offset[0]).max(0.0)));
        }
        Brush::Lengthen { secs } => return format!("Lengthen by {} s", super::theme::number(*secs, 3)),
        _ => (),
    }
    let how = match (&edit.stroke, &edit.select) {
        (Some(_), None) => "stroke",
        (Some(_), Some(_)) => "stroke in selection",
        (None, Some(_)) => "selection",
        (None, None) => "whole file",
    };
    let amount = match &edit.brush {
        Brush::Gain { gain_db } => format!(" {} dB", super::theme::number(*gain_db, 1)),
        Brush::Heal(heal) => format!(" by {}", heal.mode()),
        _ => String::new(),
    };
    format!("{}{amount}, {how}", brush_name(edit))
}
