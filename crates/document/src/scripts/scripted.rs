//! Applies a script to a sound, edit by edit; the only such loop, used by commands, batches and projects.

use super::script::Script;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::brushes::Brush;
use crate::edits::anchored::{AnchorFound, find_anchor};
use crate::edits::apply::{Applied, apply};
use crate::engine::Engine;
use crate::labels::LabelSet;
use crate::sound::history::{History, labels_after};
use crate::{Edit, Snapshot};
use std::fmt;
use std::path::Path;

/// A step in painting a file. Its `Display` text is for progress bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaintStep {
    /// Decoding the file.
    Reading,
    /// An edit of the script: its index, and the number of edits.
    Edit(usize, usize),
    /// Encoding the output.
    Writing,
}

impl fmt::Display for PaintStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PaintStep::Reading => f.write_str("reading"),
            PaintStep::Edit(index, n_edits) => write!(f, "edit {} of {n_edits}", index + 1),
            PaintStep::Writing => f.write_str("writing"),
        }
    }
}

/// Watches a script applied to a file: runs each step with its own progress, and receives notices.
pub trait PaintWatch {
    /// Runs a step.
    ///
    /// # Errors
    /// The error of the work.
    fn step<T>(&mut self, step: PaintStep, work: impl FnOnce(&Progress) -> Result<T>) -> Result<T>;

    /// Receives notices, one sentence each.
    fn add_notices(&mut self, notices: Vec<String>);

    /// Receives the resolved place of an anchor.
    fn anchored(&mut self, _: AnchorFound) {}
}

/// A script with its file, for errors.
#[derive(Debug, Clone, Copy)]
pub struct NamedScript<'a> {
    /// The script.
    pub script: &'a Script,
    /// Its file.
    pub path: &'a Path,
}

/// A completed step of a script, with the edit as applied: sound-dependent data is resolved.
pub struct ScriptedEdit<'a> {
    /// The edit.
    pub edit: &'a Edit,
    /// Result of the edit; `None` for the step that adds the script's labels.
    pub applied: Option<&'a Applied>,
}

/// A sound with its labels and its next label id.
#[derive(Debug, Clone)]
pub struct LabelledSound {
    /// The sound.
    pub snapshot: Snapshot,
    /// Its labels.
    pub labels: LabelSet,
    /// Id of the next label: above all ids ever used.
    pub next_label_id: u64,
}

impl LabelledSound {
    /// The current step of a history.
    pub fn of(history: &History) -> LabelledSound {
        LabelledSound {
            snapshot: history.current().clone(),
            labels: history.labels().clone(),
            next_label_id: history.next_label_id(),
        }
    }
}

impl NamedScript<'_> {
    /// Applies the labels and then every edit. `take` receives each completed step.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) with the position in the script and its file; errors of [`apply`].
    pub fn run<W: PaintWatch>(
        &self,
        mut sound: LabelledSound,
        engine: &Engine,
        watch: &mut W,
        take: &mut dyn FnMut(ScriptedEdit<'_>),
    ) -> Result<LabelledSound> {
        watch.add_notices(self.script.swapped_notice().into_iter().collect());
        if let Some(edit) = self.script.labels_edit(sound.next_label_id) {
            sound.labels = put_in(&edit, &sound.labels).map_err(|error| self.of_labels(&error))?;
            take(ScriptedEdit { edit: &edit, applied: None });
        }
        let n_edits = self.script.edits.len();
        for (index, edit) in self.script.edits.iter().enumerate() {
            let step = PaintStep::Edit(index, n_edits);
            let Some(anchor) = self.script.anchors.get(&index) else {
                self.apply(step, edit, &mut sound, (engine, watch), take)?;
                continue;
            };
            let places = (&sound.snapshot, &sound.labels);
            let found = watch
                .step(step, |progress| find_anchor(anchor, index, places, engine.plans(), progress))
                .map_err(|error| self.at_edit(error, index))?;
            if found.is_empty() {
                watch.add_notices(vec![format!("edits[{index}]: skipped, as what it is anchored to is not there")]);
            }
            // Starts with the last place, so that earlier ones stay valid even if the edit cuts or adds time.
            for (anchor, placing) in found.into_iter().rev() {
                watch.anchored(anchor);
                self.apply(step, &edit.placed(&placing), &mut sound, (engine, watch), take)?;
            }
        }
        Ok(sound)
    }

    /// Applies one edit, whose place is resolved.
    fn apply<W: PaintWatch>(
        &self,
        step: PaintStep,
        edit: &Edit,
        sound: &mut LabelledSound,
        (engine, watch): (&Engine, &mut W),
        take: &mut dyn FnMut(ScriptedEdit<'_>),
    ) -> Result<()> {
        let PaintStep::Edit(index, _) = step else { return Ok(()) };
        let applied = watch
            .step(step, |progress| apply(&sound.snapshot, edit, engine, progress))
            .map_err(|error| self.at_edit(error, index))?;
        let past = applied.report.past_end_secs.map(|secs| {
            format!("edits[{index}]: extends {secs:.3} s past the end of the sound; add a lengthen edit before it")
        });
        watch.add_notices(past.into_iter().collect());
        watch.add_notices(applied.report.notices.iter().map(|notice| format!("edits[{index}]: {notice}")).collect());
        let found = applied.resolved.as_deref().unwrap_or(edit);
        sound.labels =
            labels_after(&sound.labels, &sound.snapshot, found).map_err(|error| self.at_edit(error, index))?;
        take(ScriptedEdit { edit: found, applied: Some(&applied) });
        sound.snapshot = applied.snapshot;
        Ok(())
    }

    fn of_labels(&self, error: &Error) -> Error {
        Error::new(error.kind(), format!("labels: {}", error.message())).at(self.path)
    }

    /// Adds the place in the script to an error of an edit that doesn't fit the sound.
    fn at_edit(&self, error: Error, index: usize) -> Error {
        let is_of_edit = matches!(error.kind(), ErrorKind::Script | ErrorKind::Limit | ErrorKind::Unsupported);
        if !is_of_edit || error.path().is_some() && error.kind() != ErrorKind::Script {
            return error;
        }
        Error::new(error.kind(), format!("edits[{index}]: {}", error.message())).at(self.path)
    }
}

fn put_in(edit: &Edit, labels: &LabelSet) -> Result<LabelSet> {
    match &edit.brush {
        Brush::Labels(brush) => brush.applied(labels),
        _ => Ok(labels.clone()),
    }
}
