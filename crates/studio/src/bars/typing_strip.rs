//! The strip of the typing keyboard, with the controls that record and quantise its notes.

use crate::widgets;
use crate::widgets::{ButtonStyle, theme};
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{Facts, PlayCommand, WindowCommand};
use crate::workbench::{Act, Acts, NoteQuantise, NoteRecorder, Tools};
use egui::{RichText, Ui};

/// Height of the strip in points.
pub const HEIGHT: f32 = 36.0;

/// State that the strip shows.
pub struct TypingShown<'a> {
    /// The notes being recorded.
    pub take: &'a NoteRecorder,
    /// The tools.
    pub tools: &'a Tools,
    /// Whether the document has a beat grid to quantise to.
    pub has_beat: bool,
}

/// Draws the strip.
pub fn ui(ui: &mut Ui, facts: &Facts, shown: &TypingShown<'_>, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        widgets::sign(ui, icons::KEYBOARD, 16.0, palette.accent);
        ui.label(RichText::new("Typing keyboard").font(theme::semibold(theme::BODY)).color(palette.text_strong));
        widgets::bar_rule(ui);
        let row = PlayCommand::RecordNotes.row();
        let is_on = shown.take.is_on();
        let button = egui::Button::new(row.name).selected(is_on).min_size(egui::vec2(0.0, theme::FIELD_HEIGHT));
        let response = ui.add(button);
        crate::hooks::probe::note_control(ui.ctx(), row.name, response.rect);
        if response.clicked() {
            acts.push(PlayCommand::RecordNotes);
        }
        widgets::tooltip(response, PlayCommand::RecordNotes, None);
        quantise(ui, shown.tools, acts);
        ui.label(RichText::new(words(shown)).color(palette.text_weak));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(10.0);
            let look = ButtonStyle { swap: Some(icons::X), ..ButtonStyle::icon(26.0, 16.0) };
            widgets::command_icon(ui, facts, WindowCommand::TypingKeyboard, look, acts);
        });
    });
}

/// Choice of the grid to which the starts of notes are quantised.
fn quantise(ui: &mut Ui, tools: &Tools, acts: &mut Acts) {
    let current = tools.settings().note_quantise;
    let label = |one: NoteQuantise| one.label().to_owned();
    let name = "Quantise";
    if let Some(chosen) = widgets::captioned_choice(ui, name, 84.0, current, &NoteQuantise::ALL, label) {
        let mut settings = tools.settings().clone();
        settings.note_quantise = chosen;
        acts.push(Act::Tools(Box::new(settings)));
    }
}

/// State of the recording as text, with a hint on what to do next.
fn words(shown: &TypingShown<'_>) -> String {
    let is_moved = shown.tools.settings().note_quantise != NoteQuantise::Off;
    match (shown.take.is_on(), shown.take.n_notes()) {
        (false, _) => String::new(),
        (true, 0) if is_moved && !shown.has_beat => "Without a beat grid notes stay where they are played.".into(),
        (true, 0) => "The first key begins to play at the cursor.".into(),
        (true, 1) => "1 note; stop to put it in.".into(),
        (true, n_notes) => format!("{n_notes} notes; stop to put them in."),
    }
}
