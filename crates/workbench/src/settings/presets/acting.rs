//! Performs commands and acts on saved noise profiles and presets.
#![deny(clippy::wildcard_enum_match_arm)]

use super::kind::PresetKind;
use super::options::kind_of_options;
use super::preset_card::{PresetAct, PresetCard, PresetPurpose, PresetQuestion, PresetSaveOptions};
use super::preset_store::{PresetStore, PresetTask, preset_of};
use crate::bench::context::Context;
use crate::commands::PresetCommand;
use crate::files::Question;

/// Performs a command on saved noise profiles or presets.
pub fn perform_keep(command: PresetCommand, keeping: &mut PresetStore, context: &mut Context) {
    let options = kind_of_options(context.documents.active(), &context.tools);
    let act = match command {
        PresetCommand::SaveNoise => PresetAct::AskName { kind: PresetKind::Noise, card: None },
        PresetCommand::UseNoise => PresetAct::AskWhich { kind: PresetKind::Noise, purpose: PresetPurpose::Use },
        PresetCommand::RemoveNoise => PresetAct::AskWhich { kind: PresetKind::Noise, purpose: PresetPurpose::Remove },
        PresetCommand::SavePreset => PresetAct::AskName { kind: options, card: None },
        PresetCommand::UsePreset => PresetAct::AskWhich { kind: options, purpose: PresetPurpose::Use },
        PresetCommand::RemovePreset => PresetAct::AskWhich { kind: options, purpose: PresetPurpose::Remove },
    };
    keeping.act(act, context);
}

impl PresetStore {
    /// Performs an act on saved noise profiles or presets.
    pub fn act(&mut self, act: PresetAct, context: &mut Context) {
        match act {
            PresetAct::Use { kind, name, reduces } => {
                self.push(PresetTask::Read { kind, name, reduces, card: None }, context);
            }
            PresetAct::UseOnCard { name, card } => {
                self.push(PresetTask::Read { kind: card.kind(), name, reduces: false, card: Some(card) }, context);
            }
            PresetAct::UseLearnt => context.tools.use_learnt_noise(),
            PresetAct::AskName { kind, card } => self.ask_name(kind, card, context),
            PresetAct::AskWhich { kind, purpose } => {
                let names = self.names(kind);
                let at = names.iter().position(|name| Some(name.as_str()) == self.in_progress(kind, context));
                let row = at.unwrap_or_default();
                context.ask(Question::Kept(PresetQuestion { kind, purpose, names, text: String::new(), row }));
            }
            PresetAct::Save(request) => {
                let noise = context.tools.current_noise().filter(|_| request.kind == PresetKind::Noise);
                let noise = noise.map(|noise| noise.kept.clone());
                if noise.is_some() || request.kind != PresetKind::Noise {
                    self.push(PresetTask::Write { request, noise }, context);
                }
            }
            PresetAct::Remove { kind, name } => self.push(PresetTask::Remove { kind, name }, context),
        }
    }

    /// The name of the preset or noise profile of a kind that is in use.
    fn in_progress<'a>(&'a self, kind: PresetKind, context: &'a Context) -> Option<&'a str> {
        if kind == PresetKind::Noise {
            return context.tools.current_noise()?.name.as_deref();
        }
        self.current_preset(kind, context.tools.settings())
    }

    fn ask_name(&self, kind: PresetKind, card: Option<PresetCard>, context: &mut Context) {
        let preset = match &card {
            Some(card) => card.preset(),
            None => preset_of(kind, context.tools.settings()).unwrap_or_default(),
        };
        let text = self.in_progress(kind, context).unwrap_or_default().to_owned();
        let request = PresetSaveOptions { kind, text, names: self.names(kind), replaces: None, preset, card };
        context.ask(Question::Keep(request));
    }
}
