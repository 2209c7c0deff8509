//! Plans the files of an export by label for its card: their number and names, and conflicts that prevent writing them.

use super::options::PartsOptions;
use crate::base::Result;
use crate::bench::context::Context;
use crate::document::{PartsConflict, PartsOrder, PartsPlan, PartsSound};
use crate::documents::OpenDocument;
use crate::services::{JobQuestion, Latest};
use std::path::Path;

/// Interval in seconds at which the folder is checked while the card is open.
const POLL_INTERVAL_SECS: f64 = 2.0;

/// The input of a plan, with a number that changes whenever the folder is to be checked again.
#[derive(Clone)]
struct PartsPlanQuery {
    sound: PartsSound,
    order: PartsOrder,
    look: u64,
}

impl JobQuestion for PartsPlanQuery {
    fn is_same(&self, other: &PartsPlanQuery) -> bool {
        self.look == other.look
            && self.sound.snapshot.is_same(&other.sound.snapshot)
            && self.sound.labels.is_same(&other.sound.labels)
            && self.sound.name == other.sound.name
            && self.order == other.order
    }
}

/// The planned files.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedParts {
    /// Number of files, not counting the table.
    pub n_files: usize,
    /// Name of the first file.
    pub first: String,
    /// Name of the table.
    pub table: Option<String>,
    /// Number of labels outside the sound.
    pub n_outside: usize,
    /// The conflict that prevents writing, if any.
    pub hindrance: Option<PartsConflict>,
}

/// State of the plan of an export by label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PartsShown<'a> {
    /// Being planned.
    Pending,
    /// The reason why nothing can be exported.
    Refused(&'a str),
    /// Planned.
    Planned(&'a PlannedParts),
}

/// Plans the files for the open card.
#[derive(Default)]
pub(super) struct PartsPlanner {
    /// The reason why the current settings are invalid.
    refused: Option<String>,
    plans: Latest<PartsPlanQuery, Result<PlannedParts>>,
}

impl PartsPlanner {
    /// Called once per frame with the settings of the open card and its typed folder; `None` while it is closed.
    pub(super) fn follow(&mut self, requested: Option<(&PartsOptions, &Path)>, context: &Context) {
        self.refused = None;
        let Some((options, folder)) = requested else { return self.plans.clear() };
        let Some(document) = context.documents.get(options.document) else { return self.plans.clear() };
        if document.edits().is_busy() || document.is_reading() {
            return;
        }
        let sound = sound_of(document);
        let order = match options.order(folder, &sound) {
            Ok(order) => order,
            Err(error) => {
                self.refused = Some(error.message().to_owned());
                return self.plans.clear();
            }
        };
        let requested = PartsPlanQuery { sound, order, look: (context.now_secs() / POLL_INTERVAL_SECS) as u64 };
        self.plans.ask_in_turn(&requested, &context.jobs, "parts", |requested, _| Ok(planned(requested)));
    }

    /// The latest plan, which may still be for earlier settings.
    pub(super) fn shown(&self) -> PartsShown<'_> {
        match (&self.refused, self.plans.last()) {
            (Some(why), _) => PartsShown::Refused(why),
            (None, Some((_, Ok(planned)))) => PartsShown::Planned(planned),
            (None, Some((_, Err(error)))) => PartsShown::Refused(error.message()),
            (None, None) => PartsShown::Pending,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.plans.is_busy()
    }
}

/// The current sound of a document, with its labels.
pub(super) fn sound_of(document: &OpenDocument) -> PartsSound {
    let history = document.history();
    PartsSound { snapshot: history.current().clone(), labels: history.labels().clone(), name: document.sound_name() }
}

fn planned(requested: &PartsPlanQuery) -> Result<PlannedParts> {
    let PartsPlanQuery { sound, order, .. } = requested;
    let plan = PartsPlan::of(order.clone(), sound.parts(&order.choice)?, sound)?;
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(PlannedParts {
        n_files: plan.names().len(),
        first: plan.names().first().cloned().unwrap_or_default(),
        table: plan.table().and_then(name),
        n_outside: plan.n_outside(),
        hindrance: plan.hindrance(sound),
    })
}
