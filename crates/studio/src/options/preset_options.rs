//! Lists of noise profiles and presets in the option bar and on cards.

use crate::bars::overflow;
use crate::cards::card_parts::{CardAnswer, captioned, heading, move_row, primary, takes_enter, type_at_once, weak};
use crate::widgets;
use crate::widgets::{ButtonStyle, theme};
use crate::workbench::commands::{Command, Facts, PresetCommand};
use crate::workbench::{
    Acts, PresetAct, PresetCard, PresetKind, PresetPurpose, PresetQuestion, PresetSaveOptions, PresetStore, Question,
    Tools,
};
use egui::{Button, RichText, TextEdit, Ui, vec2};

/// Label of the list of presets, to distinguish it from the presets of a transform.
const SAVED_PRESET: &str = "Saved preset";
/// Width of a list of names.
const NAMES: f32 = 136.0;
/// Width of an icon beside it.
const ICON: f32 = 28.0;
/// Maximum number of displayed characters of a name.
const MAX_SHOWN_CHARS: usize = 40;
/// Number of visible names.
const ROWS: usize = 8;

/// The current noise profile, the choice of another, and the buttons that save and delete one.
pub fn noise(ui: &mut Ui, facts: &Facts, tools: &Tools, keeping: &PresetStore, acts: &mut Acts) {
    let names = keeping.names(PresetKind::Noise);
    let in_progress = tools.current_noise();
    let now =
        in_progress.and_then(|noise| noise.name.as_ref()).and_then(|name| names.iter().position(|one| one == name));
    // A profile stays current even if its file was removed meanwhile.
    let unnamed = in_progress.filter(|_| now.is_none()).or(tools.learnt_noise());
    let words = |at: Option<usize>| match (at.and_then(|at| names.get(at)), unnamed) {
        (Some(name), _) => shortened(name),
        (None, Some(noise)) => shortened(&noise.kept.learnt_from),
        (None, None) => "No noise learnt".to_owned(),
    };
    let has_unnamed = unnamed.is_some() || in_progress.is_none();
    let all: Vec<Option<usize>> = has_unnamed.then_some(None).into_iter().chain((0..names.len()).map(Some)).collect();
    match widgets::captioned_choice(ui, "Noise", NAMES, now, &all, words) {
        Some(Some(at)) if Some(at) != now => {
            let name = names[at].clone();
            acts.push(PresetAct::Use { kind: PresetKind::Noise, name, reduces: false });
        }
        Some(None) if in_progress.is_some_and(|noise| noise.name.is_some()) => acts.push(PresetAct::UseLearnt),
        _ => {}
    }
    buttons(ui, facts, [PresetCommand::SaveNoise, PresetCommand::RemoveNoise], acts);
}

/// The current preset of the options, the choice of another, and the buttons that save and delete one.
pub fn presets(ui: &mut Ui, facts: &Facts, kind: PresetKind, tools: &Tools, keeping: &PresetStore, acts: &mut Acts) {
    let names = keeping.names(kind);
    // The first preset is saved through the Edit menu, since the bar has no room for an empty list.
    if names.is_empty() {
        return;
    }
    widgets::bar_rule(ui);
    if let Some(name) = chosen(ui, &names, keeping.current_preset(kind, tools.settings())) {
        acts.push(PresetAct::Use { kind, name, reduces: false });
    }
    buttons(ui, facts, [PresetCommand::SavePreset, PresetCommand::RemovePreset], acts);
}

/// The choice of a preset by name.
fn chosen(ui: &mut Ui, names: &[String], in_progress: Option<&str>) -> Option<String> {
    let (now, all) = rows(names, in_progress);
    let at = widgets::captioned_choice(ui, SAVED_PRESET, NAMES, now, &all, |at| row_words(names, at))??;
    names.get(at).cloned()
}

/// The current row and all rows; without a current preset, the first row is a dash.
fn rows(names: &[String], in_progress: Option<&str>) -> (Option<usize>, Vec<Option<usize>>) {
    let now = in_progress.and_then(|name| names.iter().position(|one| one == name));
    (now, now.is_none().then_some(None).into_iter().chain((0..names.len()).map(Some)).collect())
}

fn row_words(names: &[String], at: Option<usize>) -> String {
    at.and_then(|at| names.get(at)).map_or_else(|| "\u{2013}".to_owned(), |name| shortened(name))
}

fn buttons(ui: &mut Ui, facts: &Facts, commands: [PresetCommand; 2], acts: &mut Acts) {
    for command in commands {
        // Disabled commands are hidden to save room.
        let is_shown = Command::from(command).enabled(facts).is_ok();
        if is_shown && overflow::has_place(ui, command.row().name, ICON) {
            widgets::command_icon(ui, facts, command, ButtonStyle::icon(ICON, 16.0), acts);
        }
    }
}

fn shortened(name: &str) -> String {
    let short: String = name.chars().take(MAX_SHOWN_CHARS).collect();
    if short.len() < name.len() { format!("{short}\u{2026}") } else { short }
}

/// The presets of a card with settings to save.
pub(crate) fn card_presets(ui: &mut Ui, question: &Question, keeping: &PresetStore) -> Option<CardAnswer> {
    let card = PresetCard::of(question)?;
    let kind = card.kind();
    let names = keeping.names(kind);
    let mut answer = None;
    ui.separator();
    captioned(ui, "Preset", |ui, caption| {
        if !names.is_empty() {
            let (now, all) = rows(&names, keeping.preset_on_card(&card));
            let chosen = widgets::named_choice(ui, caption, SAVED_PRESET, 160.0, now, &all, |at| row_words(&names, at));
            if let Some(name) = chosen.flatten().and_then(|at| names.get(at)) {
                answer = Some(CardAnswer::Keep(PresetAct::UseOnCard { name: name.clone(), card }));
            }
        }
        if ui.button("Save as\u{2026}").on_hover_text("Saves the settings on this card under a name.").clicked() {
            answer = Some(CardAnswer::Keep(PresetAct::AskName { kind, card: Some(card) }));
        }
        let remove = ui.add_enabled(!names.is_empty(), Button::new("Remove\u{2026}"));
        if remove.on_hover_text("Deletes a saved preset.").clicked() {
            answer = Some(CardAnswer::Keep(PresetAct::AskWhich { kind, purpose: PresetPurpose::Remove }));
        }
    });
    answer
}

/// The card that asks for a name.
pub(crate) fn name_card(ui: &mut Ui, options: &mut PresetSaveOptions, is_new: bool) -> Option<CardAnswer> {
    let title = match options.kind {
        PresetKind::Noise => "Save noise profile".to_owned(),
        kind => format!("Save preset: {}", kind.name()),
    };
    let mut answer = heading(ui, &title);
    let field =
        TextEdit::singleline(&mut options.text).desired_width(f32::INFINITY).hint_text("A name, such as Tape hiss");
    let field = ui.add(field).accessible_name("Name");
    crate::hooks::probe::note_control(ui.ctx(), "Name", field.rect);
    type_at_once(&field, is_new);
    let name = options.text.trim().to_owned();
    let entered = field.lost_focus() && takes_enter(ui.ctx());
    let is_taken = options.names.contains(&name) || options.replaces.as_ref() == Some(&name);
    if is_taken {
        let what = format!("There is a {} of this name, which would be replaced.", options.kind.noun());
        ui.label(RichText::new(what).color(theme::palette(ui.ctx()).danger));
    }
    ui.horizontal(|ui| {
        if (primary(ui, if is_taken { "Replace" } else { "Save" }) || entered) && !name.is_empty() {
            let replaces = is_taken.then_some(name);
            answer = Some(CardAnswer::Keep(PresetAct::Save(PresetSaveOptions { replaces, ..options.clone() })));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

/// The card for choosing one of the names.
pub(crate) fn which_card(ui: &mut Ui, question: &mut PresetQuestion, is_new: bool) -> Option<CardAnswer> {
    let title = match (question.kind, question.purpose) {
        (PresetKind::Noise, PresetPurpose::Use) => "Use noise profile".to_owned(),
        (PresetKind::Noise, PresetPurpose::Reduce) => "Reduce noise: choose its profile".to_owned(),
        (PresetKind::Noise, PresetPurpose::Remove) => "Remove noise profile".to_owned(),
        (kind, PresetPurpose::Use | PresetPurpose::Reduce) => format!("Use preset: {}", kind.name()),
        (kind, PresetPurpose::Remove) => format!("Remove preset: {}", kind.name()),
    };
    let mut answer = heading(ui, &title);
    if question.purpose == PresetPurpose::Remove {
        weak(ui, "Its file is deleted. Edits that were made with it stay as they are.");
    }
    let field = TextEdit::singleline(&mut question.text).desired_width(f32::INFINITY).hint_text("Find a name");
    let field = ui.add(field).accessible_name("Name to find");
    type_at_once(&field, is_new);
    field.request_focus();
    if field.changed() {
        question.row = 0;
    }
    let found: Vec<String> = question.matching().into_iter().map(str::to_owned).collect();
    let has_moved = move_row(ui, &mut question.row, found.len());
    if found.is_empty() {
        weak(ui, "No name fits. Type other letters.");
    }
    let height = ROWS.min(question.names.len()) as f32 * (theme::ROW_HEIGHT + ui.spacing().item_spacing.y);
    egui::ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        for (i, name) in found.iter().enumerate() {
            let button = Button::new(shortened(name)).selected(i == question.row).frame_when_inactive(false);
            let response = ui.add(button.min_size(vec2(ui.available_width(), theme::ROW_HEIGHT)));
            crate::hooks::probe::note_control(ui.ctx(), name, response.rect);
            if i == question.row && has_moved {
                response.scroll_to_me(None);
            }
            if response.accessible_name(name).clicked() {
                answer = Some(CardAnswer::Keep(question.act(name)));
            }
        }
    });
    if let Some(name) = found.get(question.row)
        && takes_enter(ui.ctx())
    {
        answer = Some(CardAnswer::Keep(question.act(name)));
    }
    answer
}
