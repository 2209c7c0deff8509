//! Writes the remembered state shortly after its last change, and at the end of the program.

use super::saved::{SavedState, ViewPreferences};
use crate::base::{Error, ErrorKind, Folders, Result, Settings};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::Severity;
use crate::services::JobQueue;

/// Delay in seconds from the last change until it is written.
const SAVE_DELAY_SECS: f64 = 1.0;

/// Compares the remembered state with the settings file, and writes changes in jobs.
#[derive(Default)]
pub struct PreferencesWriter {
    /// State in the settings file.
    kept: SavedState,
    /// Unsaved state in the previous frame, and the time of its last change in seconds.
    seen: Option<(SavedState, f64)>,
    writing: JobQueue<SavedState, ()>,
    has_reported: bool,
}

impl PreferencesWriter {
    /// A writer for a file that contains the state `kept`.
    pub fn new(kept: SavedState) -> PreferencesWriter {
        PreferencesWriter { kept, ..PreferencesWriter::default() }
    }

    /// Writes unsaved changes at the end of the program.
    pub fn end(&mut self, context: &mut Context) {
        context.remembered = preferences(context);
        if context.remembered != self.kept
            && let Err(error) = write(&context.folders, &context.remembered)
        {
            tracing::warn!(%error, "how the window looks is not kept");
        }
    }
}

impl Concern for PreferencesWriter {
    fn advance(&mut self, context: &mut Context) {
        context.remembered = preferences(context);
        if let Some((kept, answer)) = self.writing.take_answer() {
            match answer {
                Ok(()) => self.has_reported = false,
                Err(error) => {
                    if !std::mem::replace(&mut self.has_reported, true) {
                        let what = format!("The window's layout was not saved: {error}.");
                        let advice = Some("Free some disk space, or allow writing to that folder.");
                        context.notify(Severity::Warning, what, advice);
                    }
                }
            }
            // Also after a failure, so that it is not retried until the state changes again.
            self.kept = kept;
        }
        if context.remembered == self.kept || self.writing.is_busy() {
            self.seen = None;
            return;
        }
        match &self.seen {
            Some((seen, since_secs)) if *seen == context.remembered => {
                let left_secs = since_secs + SAVE_DELAY_SECS - context.now_secs();
                if left_secs > 0.0 {
                    return context.wake_after(left_secs);
                }
                let (folders, preferences) = (context.folders.clone(), context.remembered.clone());
                let theirs = preferences.clone();
                let job = context.jobs.spawn("habits", move |_| write(&folders, &theirs));
                self.writing.run_unseen(preferences, job);
            }
            _ => {
                self.seen = Some((context.remembered.clone(), context.now_secs()));
                context.wake_after(SAVE_DELAY_SECS);
            }
        }
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.writing.is_busy()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}

/// The state to remember now.
fn preferences(context: &Context) -> SavedState {
    let SavedState { window, layout, view, recent, lessons, .. } = context.remembered.clone();
    let view = match context.documents.active() {
        Some(document) => ViewPreferences::of(document, view.phase_part),
        None => view,
    };
    SavedState { window, layout, view, tools: context.tools.clone(), recent, lessons }
}

fn write(folders: &Folders, preferences: &SavedState) -> Result<()> {
    let value = serde_json::to_value(preferences)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("preferences cannot be written: {error}")))?;
    Settings::remember(folders, value)
}
