//! The selection at another level, and how loud it is now.

use super::whole::over_selected_or_all;
use crate::base::Result;
use crate::context::{Concern, Context};
use crate::document::{SoundLevels, measure_levels};
use crate::files::{NormaliseWish, Question};
use crate::services::Job;

/// What is known of how loud a sound is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum MeasuredLevels {
    /// It is being measured.
    #[default]
    Pending,
    /// It could not be measured; the user was told why.
    Unknown,
    /// There is only silence.
    Silent,
    /// This loud.
    Known(SoundLevels),
}

/// Measures what is to be normalised while the user is asked how.
#[derive(Default)]
pub struct Normalising {
    /// The document that is measured once its edits are applied.
    waiting: Option<u64>,
    running: Option<Job<Option<SoundLevels>>>,
    levels: MeasuredLevels,
}

impl Normalising {
    /// Asks to which level the selection of the document in front, or the whole file, is brought.
    pub fn ask(&mut self, context: &mut Context) {
        let Some(document) = context.documents.active() else { return };
        let is_selection = document.selection().is_some();
        *self = Normalising { waiting: Some(document.id()), ..Normalising::default() };
        self.start_next(context);
        context.ask(Question::Normalise(NormaliseWish { is_selection, ..NormaliseWish::default() }));
    }

    /// How loud what is to be normalised is.
    pub fn levels(&self) -> MeasuredLevels {
        self.levels
    }

    fn start_next(&mut self, context: &Context) {
        let Some(id) = self.waiting else { return };
        let Some(document) = context.documents.get(id) else {
            self.waiting = None;
            return;
        };
        if document.edits().is_busy() {
            return;
        }
        self.waiting = None;
        let edit = over_selected_or_all(document, NormaliseWish::default().brush().into());
        let (sound, engine) = (document.history().current().clone(), context.engine.clone());
        let job = context.jobs.spawn("levels", move |progress| measure_levels(&sound, &edit, &engine, progress));
        self.running = Some(job);
    }

    fn take(&mut self, answer: Result<Option<SoundLevels>>, context: &mut Context) {
        self.levels = match answer {
            Ok(Some(levels)) => {
                context.notices.succeed("measure the level");
                MeasuredLevels::Known(levels)
            }
            Ok(None) => MeasuredLevels::Silent,
            Err(error) => {
                context.fail("measure the level", &error);
                MeasuredLevels::Unknown
            }
        };
    }
}

impl Concern for Normalising {
    fn advance(&mut self, context: &mut Context) {
        if let Some(answer) = self.running.as_mut().and_then(Job::poll) {
            self.running = None;
            self.take(answer, context);
        }
        self.start_next(context);
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.waiting.is_some() || self.running.is_some()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}

/// Brings the selection of the document in front, or the whole file, to a level.
pub fn normalise(wish: NormaliseWish, context: &mut Context) {
    if let Some(document) = context.documents.active_mut() {
        let edit = over_selected_or_all(document, wish.brush().into());
        document.edit(edit);
    }
}
