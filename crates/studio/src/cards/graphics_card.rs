//! The card for choosing the graphics adapter and the engine.

use super::card_parts::{CardAnswer, CardContext, captioned, heading, weak};
use crate::base::EngineChoice;
use crate::widgets::{self, boxes};
use crate::workbench::{GraphicsChoice, Reply};
use egui::Ui;

const ENGINES: [EngineChoice; 3] = [EngineChoice::Auto, EngineChoice::Gpu, EngineChoice::Cpu];

/// Draws the card.
pub fn ui(ui: &mut Ui, choice: &mut GraphicsChoice, about: &CardContext<'_>) -> Option<CardAnswer> {
    let mut answer = heading(ui, "Graphics");
    weak(ui, &format!("Now: {}", about.engine.0));
    let before = choice.clone();
    if boxes::radio(ui, choice.adapter.is_none(), "Best adapter").clicked() {
        choice.adapter = None;
    }
    for name in &before.adapters {
        if boxes::radio(ui, before.is_chosen(name), name).clicked() {
            choice.adapter = Some(name.clone());
        }
    }
    captioned(ui, "Engine", |ui, name| {
        if let Some(engine) = widgets::named_choice(ui, name, "Engine", 200.0, choice.engine, &ENGINES, words) {
            choice.engine = engine;
        }
    });
    weak(ui, "Applies when Sonobrush starts again.");
    if *choice != before {
        answer = Some(CardAnswer::Reply(Reply::Graphics(choice.adapter.clone(), choice.engine)));
    }
    answer
}

fn words(engine: EngineChoice) -> String {
    match engine {
        EngineChoice::Auto => "GPU where there is one",
        EngineChoice::Gpu => "GPU, software too",
        EngineChoice::Cpu => "CPU",
    }
    .into()
}
