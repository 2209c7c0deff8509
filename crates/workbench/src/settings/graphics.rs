//! Choice of the graphics adapter and of the engine for the next start, saved in the settings.

use crate::base::{EngineChoice, LoadedSettings};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::Severity;
use crate::files::Question;
use crate::services::{JobQueue, SettingsChanges};
use crate::settings::graphics_choice::GraphicsChoice;

/// The jobs that read the choice and save it.
#[derive(Default)]
pub struct GraphicsSettings {
    reading: JobQueue<(), GraphicsChoice>,
    saving: SettingsChanges,
}

impl GraphicsSettings {
    /// Reads the settings in a job, then asks the user to choose among these adapters.
    pub fn ask(&mut self, adapters: Vec<String>, context: &Context) {
        let folders = context.folders.clone();
        let job = context.jobs.spawn("graphics settings", move |_| {
            let settings = LoadedSettings::load(&folders, |name| std::env::var(name).ok())?.settings;
            Ok(GraphicsChoice { adapters, adapter: settings.adapter, engine: settings.engine })
        });
        self.reading.run_instead_unseen((), job);
    }

    /// Saves an adapter (`None`: the best) and an engine for the next start.
    pub fn choose(&mut self, adapter: Option<String>, engine: EngineChoice) {
        self.saving.push(move |settings| {
            settings.adapter = adapter;
            settings.engine = engine;
        });
    }
}

impl Concern for GraphicsSettings {
    fn advance(&mut self, context: &mut Context) {
        if let Some(((), answer)) = self.reading.take_answer() {
            match answer {
                Ok(choice) => context.ask(Question::Graphics(choice)),
                Err(error) => context.fail("read the settings", &error),
            }
        }
        if let Some(error) = self.saving.advance(&context.folders, &context.jobs) {
            let advice = Some("Check the settings folder, then choose again.");
            context.notify(Severity::Warning, format!("The choice was not saved: {error}."), advice);
        }
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.reading.is_busy() || self.saving.is_busy()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}
