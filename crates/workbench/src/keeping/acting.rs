//! Acts and commands about saved noise profiles and presets.
#![deny(clippy::wildcard_enum_match_arm)]

use super::kept_names::{KeptNames, Task, preset_of};
use super::kind::KeptKind;
use super::options::kind_of_options;
use super::wish::{KeepAct, KeepWish, KeptCard, KeptPurpose, KeptQuestion};
use crate::commands::KeepCommand;
use crate::context::Context;
use crate::files::Question;

/// Performs a command about saved noise profiles and presets.
pub fn perform_keep(command: KeepCommand, keeping: &mut KeptNames, context: &mut Context) {
    let options = kind_of_options(context.documents.active(), &context.tools);
    let act = match command {
        KeepCommand::SaveNoise => KeepAct::AskName { kind: KeptKind::Noise, card: None },
        KeepCommand::UseNoise => KeepAct::AskWhich { kind: KeptKind::Noise, purpose: KeptPurpose::Use },
        KeepCommand::RemoveNoise => KeepAct::AskWhich { kind: KeptKind::Noise, purpose: KeptPurpose::Remove },
        KeepCommand::SavePreset => KeepAct::AskName { kind: options, card: None },
        KeepCommand::UsePreset => KeepAct::AskWhich { kind: options, purpose: KeptPurpose::Use },
        KeepCommand::RemovePreset => KeepAct::AskWhich { kind: options, purpose: KeptPurpose::Remove },
    };
    keeping.act(act, context);
}

impl KeptNames {
    /// Performs an act.
    pub fn act(&mut self, act: KeepAct, context: &mut Context) {
        match act {
            KeepAct::Use { kind, name, reduces } => {
                self.push(Task::Read { kind, name, reduces, card: None }, context);
            }
            KeepAct::UseOnCard { name, card } => {
                self.push(Task::Read { kind: card.kind(), name, reduces: false, card: Some(card) }, context);
            }
            KeepAct::UseLearnt => context.tools.use_learnt_noise(),
            KeepAct::AskName { kind, card } => self.ask_name(kind, card, context),
            KeepAct::AskWhich { kind, purpose } => {
                let names = self.names(kind);
                let at = names.iter().position(|name| Some(name.as_str()) == self.in_hand(kind, context));
                let row = at.unwrap_or_default();
                context.ask(Question::Kept(KeptQuestion { kind, purpose, names, text: String::new(), row }));
            }
            KeepAct::Save(wish) => {
                let noise = context.tools.noise_in_hand().filter(|_| wish.kind == KeptKind::Noise);
                let noise = noise.map(|noise| noise.kept.clone());
                if noise.is_some() || wish.kind != KeptKind::Noise {
                    self.push(Task::Write { wish, noise }, context);
                }
            }
            KeepAct::Remove { kind, name } => self.push(Task::Remove { kind, name }, context),
        }
    }

    /// The name of a kind that is currently in use.
    fn in_hand<'a>(&'a self, kind: KeptKind, context: &'a Context) -> Option<&'a str> {
        if kind == KeptKind::Noise {
            return context.tools.noise_in_hand()?.name.as_deref();
        }
        self.preset_in_hand(kind, context.tools.settings())
    }

    fn ask_name(&self, kind: KeptKind, card: Option<KeptCard>, context: &mut Context) {
        let preset = match &card {
            Some(card) => card.preset(),
            None => preset_of(kind, context.tools.settings()).unwrap_or_default(),
        };
        let text = self.in_hand(kind, context).unwrap_or_default().to_owned();
        let wish = KeepWish { kind, text, names: self.names(kind), replaces: None, preset, card };
        context.ask(Question::Keep(wish));
    }
}
