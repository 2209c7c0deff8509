//! The card that finds a command by words.

use super::card_parts::{CardAnswer, heading, move_row, takes_enter, weak};
use super::theme;
use crate::workbench::commands::{COMMANDS, Command, Facts, WindowCommand};
use egui::{Button, Ui, vec2};

/// Rows in view at once.
const ROWS: usize = 10;

/// What other programs call a command, by its id: who types it whole finds that first, whether it can be done now or not.
const CALLED: [(&str, &str); 35] = [
    ("amplify", "tool_gain"),
    ("apply", "apply_to_selection"),
    ("bounce", "export"),
    ("clear", "erase_selection"),
    ("crop", "cut"),
    ("declick", "find_clicks"),
    ("dehum", "remove_hum"),
    ("delete", "erase_selection"),
    ("delta", "delta"),
    ("denoise", "reduce_noise"),
    ("gain", "tool_gain"),
    ("image", "open_picture"),
    ("inpaint", "heal_selection"),
    ("latency", "output"),
    ("loudness", "normalise"),
    ("lufs", "normalise"),
    ("marker", "cursor"),
    ("maximize", "normalise"),
    ("mute", "erase_selection"),
    ("noise reduction", "reduce_noise"),
    ("normalize", "normalise"),
    ("peak", "normalise"),
    ("pitch", "pitch_shift"),
    ("preferences", "larger_interface"),
    ("remove", "erase_selection"),
    ("render", "export"),
    ("repair", "heal_selection"),
    ("screenshot", "save_figure"),
    ("shortcuts", "keys"),
    ("silence", "erase_selection"),
    ("speed", "time_stretch"),
    ("tempo", "time_stretch"),
    ("transpose", "pitch_shift"),
    ("trim", "cut"),
    ("volume", "tool_gain"),
];

/// Words of other programs, and those of ours that mean the same.
const SYNONYMS: [(&str, &str); 11] = [
    ("center", "centre"),
    ("clear", "erase"),
    ("color", "colour"),
    ("delete", "erase"),
    ("denoise", "noise"),
    ("flip", "reverse"),
    ("image", "picture"),
    ("marker", "cursor"),
    ("preferences", "interface"),
    ("remove", "erase"),
    ("volume", "gain"),
];

/// A field, and the commands that fit what is typed; Enter takes the one in hand.
pub(super) fn ui(ui: &mut Ui, text: &mut String, row: &mut usize, facts: &Facts) -> Option<CardAnswer> {
    let mut answer = heading(ui, "Find a command");
    let field =
        ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY).hint_text("zoom, erase, log \u{2026}"));
    let field = field.accessible_name("Command to find");
    if field.changed() {
        *row = 0;
    }
    field.request_focus();
    let found = matching(text, facts);
    let has_moved = move_row(ui, row, found.len());
    if found.is_empty() {
        weak(ui, "Nothing found. Try another word for it.");
    }
    let height = ROWS as f32 * (theme::ROW_HEIGHT + ui.spacing().item_spacing.y);
    let list = egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink([false, true]);
    list.show(ui, |ui| {
        for (i, &command) in found.iter().enumerate() {
            let spec = command.row();
            let enabled = command.enabled(facts);
            let beside = match enabled {
                Ok(()) => spec.keys.first().map(ToString::to_string).unwrap_or_default(),
                Err(why) => why.to_string(),
            };
            let button = Button::new(spec.name).shortcut_text(beside).selected(i == *row).frame_when_inactive(false);
            let button = button.min_size(vec2(ui.available_width(), theme::ROW_HEIGHT));
            let response = ui.add_enabled(enabled.is_ok(), button);
            if i == *row && (has_moved || field.changed()) {
                response.scroll_to_me(None);
            }
            if response.accessible_name(spec.name).on_hover_text(spec.what).clicked() {
                answer = Some(CardAnswer::Run(command));
            }
        }
    });
    if let Some(&command) = found.get(*row).filter(|command| command.enabled(facts).is_ok())
        && takes_enter(ui.ctx())
    {
        answer = Some(CardAnswer::Run(command));
    }
    answer
}

/// What has words that begin with all that are typed, or with words that mean the same: first what is called so, here or in
/// other programs, then what can be done now before what cannot, whose name begins so before those with the words in their names, these before those
/// with synonyms of them and with the words in their sentences; each in the order of the menus.
pub fn matching(text: &str, facts: &Facts) -> Vec<Command> {
    let text = text.trim().to_lowercase();
    let typed: Vec<&str> = words(&text).collect();
    let has = |place: &str, word: &str| words(place).any(|own| own.starts_with(word));
    let has_synonym = |place: &str, word: &str| {
        let is_meant = |(other, own): (&str, &str)| word.len() > 2 && other.starts_with(word) && has(place, own);
        SYNONYMS.into_iter().any(is_meant)
    };
    let has_all = |place: &str| typed.iter().all(|word| has(place, word));
    let means_all = |place: &str| typed.iter().all(|word| has(place, word) || has_synonym(place, word));
    let rank = |command: Command| {
        let spec = command.row();
        let name = spec.name.to_lowercase();
        let is_called = |fits: &dyn Fn(&str) -> bool| CALLED.iter().any(|(word, id)| *id == spec.id && fits(word));
        let all = format!("{name} {} {}", spec.menu.name(), spec.what).to_lowercase();
        match () {
            () if name == text || is_called(&|word| word == text) => Some(0),
            () if name.starts_with(&text) || text.len() > 2 && is_called(&|word| word.starts_with(&text)) => Some(1),
            () if has_all(&name) => Some(2),
            () if means_all(&name) => Some(3),
            () => means_all(&all).then_some(4),
        }
    };
    let is_offered = |command: Command| command != Command::Window(WindowCommand::Palette) && command.is_listed(facts);
    let others = COMMANDS.into_iter().filter(|&command| is_offered(command));
    let mut ranked: Vec<(i32, Command)> = others.filter_map(|command| Some((rank(command)?, command))).collect();
    ranked.sort_by_key(|(rank, command)| (*rank > 0 && command.enabled(facts).is_err(), *rank));
    ranked.into_iter().map(|(_, command)| command).collect()
}

/// The words of a text, without the signs around them.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_sign = |letter: char| !letter.is_alphanumeric() && letter != '\u{2212}';
    text.split(is_sign).filter(|word| !word.is_empty())
}
