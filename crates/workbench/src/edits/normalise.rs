//! Normalises the selection or the whole file, and measures its level beforehand.

use super::whole_sound::over_selected_or_all;
use crate::base::Result;
use crate::bench::context::{Concern, Context};
use crate::bench::orders::{AfterEdits, next_ready};
use crate::document::{SoundLevels, measure_levels};
use crate::files::{NormaliseOptions, Question};
use crate::services::JobQueue;

/// Level measurements of a sound.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum MeasuredLevels {
    /// Being measured.
    #[default]
    Pending,
    /// The measurement failed, and a notice was shown.
    Unknown,
    /// Silence.
    Silent,
    /// Measured.
    Known(SoundLevels),
}

/// The document to measure once its edits are applied.
struct Measured(u64);

impl AfterEdits for Measured {
    fn document(&self) -> u64 {
        self.0
    }
}

/// Measures the sound to normalise while its card is open.
#[derive(Default)]
pub struct LevelAnalyser {
    queue: JobQueue<Measured, Option<SoundLevels>, ()>,
    levels: MeasuredLevels,
}

impl LevelAnalyser {
    /// Starts measuring the selection of the document in front, or the whole file, and asks the user for the new level.
    pub fn ask(&mut self, context: &mut Context) {
        let Some(document) = context.documents.active() else { return };
        let is_selection = document.selection().is_some();
        *self = LevelAnalyser::default();
        self.queue.push(Measured(document.id()));
        self.start_next(context);
        context.ask(Question::Normalise(NormaliseOptions { is_selection, ..NormaliseOptions::default() }));
    }

    /// The levels before normalising.
    pub fn levels(&self) -> MeasuredLevels {
        self.levels
    }

    fn start_next(&mut self, context: &mut Context) {
        let Some(Measured(id)) = next_ready(&mut self.queue, context) else { return };
        let Some(document) = context.documents.get(id) else { return };
        let edit = over_selected_or_all(document, NormaliseOptions::default().brush().into());
        let (sound, engine) = (document.history().current().clone(), context.engine.clone());
        let job = context.jobs.spawn("levels", move |progress| measure_levels(&sound, &edit, &engine, progress));
        self.queue.run((), job, context.now_secs());
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

impl Concern for LevelAnalyser {
    fn advance(&mut self, context: &mut Context) {
        if let Some(((), answer)) = self.queue.take_answer() {
            self.take(answer, context);
        }
        self.start_next(context);
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}

/// Normalises the selection of the document in front, or the whole file.
pub fn normalise(options: NormaliseOptions, context: &mut Context) {
    if let Some(document) = context.documents.active_mut() {
        let edit = over_selected_or_all(document, options.brush().into());
        document.edit(edit);
    }
}
