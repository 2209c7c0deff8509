//! Choice of the graphics adapter and of the engine for the next start, saved in the settings.

use crate::base::{EngineChoice, LoadedSettings};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::Severity;
use crate::files::Question;
use crate::services::{JobQueue, SettingsChanges};

/// The adapters that can draw the window, and what the settings choose.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphicsChoice {
    /// Names of the adapters, each once.
    pub adapters: Vec<String>,
    /// Number or part of the name of the chosen one; `None`: the best.
    pub adapter: Option<String>,
    /// The chosen engine.
    pub engine: EngineChoice,
}

impl GraphicsChoice {
    /// Whether the settings choose the adapter of this name.
    pub fn is_chosen(&self, name: &str) -> bool {
        let wanted = self.adapter.as_ref().map(|wanted| wanted.to_lowercase());
        wanted.is_some_and(|wanted| match self.adapters.iter().find(|name| name.to_lowercase() == wanted) {
            Some(exact) => exact == name,
            None => name.to_lowercase().contains(&wanted),
        })
    }
}

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
