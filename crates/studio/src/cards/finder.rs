//! The command finder: a card that finds commands by words.

use super::card_parts::{CardAnswer, heading, move_row, takes_enter, weak};
use crate::widgets::theme;
use crate::workbench::commands::{COMMANDS, Command, Facts, WindowCommand};
use egui::{Button, Ui, vec2};
use std::borrow::Cow;

/// Number of visible rows.
const ROWS: usize = 10;

/// Names that other programs give to commands, each with the id of our command. Typing such a name in full lists the
/// command first, even if it is disabled.
const COMMAND_ALIASES: [(&str, &str); 84] = [
    ("amplify", "tool_gain"),
    ("apply", "apply_to_selection"),
    ("batch", "run_on_files"),
    ("bounce", "export"),
    ("bpm", "beat_grid"),
    ("chord", "tool_voices"),
    ("clear", "erase_selection"),
    ("click", "find_clicks"),
    ("clip", "declip"),
    ("clipping", "declip"),
    ("convert", "export"),
    ("cough", "heal_selection"),
    ("crop", "keep_time"),
    ("declick", "find_clicks"),
    ("declip", "declip"),
    ("dehum", "remove_hum"),
    ("deplosive", "remove_plosives"),
    ("dereverb", "reduce_reverb"),
    ("delta", "delta"),
    ("denoise", "reduce_noise"),
    ("dialog", "isolate_speech"),
    ("dialogue", "isolate_speech"),
    ("eq", "tool_gain"),
    ("equaliser", "tool_gain"),
    ("equalizer", "tool_gain"),
    ("gain", "tool_gain"),
    ("gpu", "graphics"),
    ("hiss", "reduce_noise"),
    ("hum", "remove_hum"),
    ("image", "open_picture"),
    ("inpaint", "heal_selection"),
    ("latency", "output"),
    ("louder", "tool_gain"),
    ("loudness", "normalise"),
    ("lufs", "normalise"),
    ("marker", "add_label"),
    ("maximize", "normalise"),
    ("mono", "export"),
    ("mp3", "export"),
    ("mute", "erase_selection"),
    ("noise", "reduce_noise"),
    ("noise reduction", "reduce_noise"),
    ("normalize", "normalise"),
    ("note", "tool_voices"),
    ("ogg", "export"),
    ("opus", "export"),
    ("peak", "normalise"),
    ("pitch", "pitch_shift"),
    ("plosive", "remove_plosives"),
    ("pop", "remove_plosives"),
    ("preferences", "larger_interface"),
    ("quieter", "tool_gain"),
    ("region", "add_label"),
    ("regions to files", "export_by_label"),
    ("remove", "erase_selection"),
    ("remove reverb", "reduce_reverb"),
    ("render", "export"),
    ("repair", "heal_selection"),
    ("reverb", "reduce_reverb"),
    ("save", "save_project"),
    ("screenshot", "save_picture"),
    ("script", "run_on_files"),
    ("settings", "larger_interface"),
    ("shortcuts", "keys"),
    ("sibilance", "de_ess"),
    ("sibilant", "de_ess"),
    ("silence", "erase_selection"),
    ("slice", "export_by_label"),
    ("slow", "time_stretch"),
    ("slower", "time_stretch"),
    ("speech", "isolate_speech"),
    ("speed", "time_stretch"),
    ("split", "split_to_new"),
    ("split at markers", "export_by_label"),
    ("split by label", "export_by_label"),
    ("stretch", "time_stretch"),
    ("synth", "tool_voices"),
    ("tempo", "time_stretch"),
    ("transpose", "pitch_shift"),
    ("trim", "keep_time"),
    ("undelete", "undo"),
    ("vad", "find_speech"),
    ("voice", "select_speech"),
    ("volume", "tool_gain"),
];

/// Common functions that do not exist: search words, a reply, and the id of the nearest command.
const MISSING: [(&[&str], &str, &str); 5] = [
    (&["compress"], "No compressor", "tool_contrast"),
    (&["compressor"], "No compressor", "tool_contrast"),
    (&["cut", "silence"], "No removal of silence", "delete_time"),
    (&["join"], "No joining of documents", "paste_inserting"),
    (&["swap"], "No swapping", "cut_and_close"),
];

/// Words used by other programs, each with our word.
const SYNONYMS: [(&str, &str); 12] = [
    ("center", "centre"),
    ("clear", "erase"),
    ("color", "colour"),
    ("delete", "erase"),
    ("denoise", "noise"),
    ("flip", "reverse"),
    ("image", "picture"),
    ("marker", "label"),
    ("preferences", "interface"),
    ("region", "label"),
    ("remove", "erase"),
    ("volume", "gain"),
];

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinderRow {
    /// Name of the command; for a missing function, the reply and the name of the nearest command.
    pub text: Cow<'static, str>,
    /// Command that the row runs.
    pub command: Command,
}

/// Draws the search field and the list of matching commands; Enter runs the current row.
pub(crate) fn ui(ui: &mut Ui, text: &mut String, row: &mut usize, facts: &Facts) -> Option<CardAnswer> {
    let mut answer = heading(ui, "Find a command");
    let field =
        ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY).hint_text("zoom, erase, log \u{2026}"));
    let field = field.accessible_name("Command to find");
    if field.changed() {
        *row = 0;
    }
    field.request_focus();
    let found = rows(text, facts);
    let has_moved = move_row(ui, row, found.len());
    if found.is_empty() {
        weak(ui, "Nothing found. Try another word for it.");
    }
    let height = ROWS as f32 * (theme::ROW_HEIGHT + ui.spacing().item_spacing.y);
    let list = egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink([false, true]);
    list.show(ui, |ui| {
        for (i, FinderRow { text, command }) in found.iter().enumerate() {
            let spec = command.row();
            let enabled = command.enabled(facts);
            let beside = match enabled {
                Ok(()) => spec.keys.first().map(ToString::to_string).unwrap_or_default(),
                Err(why) => why.to_string(),
            };
            let button =
                Button::new(text.as_ref()).shortcut_text(beside).selected(i == *row).frame_when_inactive(false);
            let button = button.min_size(vec2(ui.available_width(), theme::ROW_HEIGHT));
            let response = ui.add_enabled(enabled.is_ok(), button);
            if i == *row && (has_moved || field.changed()) {
                response.scroll_to_me(None);
            }
            if response.accessible_name(text.as_ref()).on_hover_text(spec.what).clicked() {
                answer = Some(CardAnswer::Run(*command));
            }
        }
    });
    if let Some(found) = found.get(*row).filter(|row| row.command.enabled(facts).is_ok())
        && takes_enter(ui.ctx())
    {
        answer = Some(CardAnswer::Run(found.command));
    }
    answer
}

/// The rows for a typed text: first a reply if it names a missing function, then the matching commands.
pub fn rows(text: &str, facts: &Facts) -> Vec<FinderRow> {
    let typed = plain(text);
    let typed: Vec<&str> = words(&typed).collect();
    let is_requested = |(requested, ..): &&(&[&str], &str, &str)| requested.iter().all(|word| typed.contains(word));
    let missing = MISSING.iter().find(is_requested).and_then(|(_, what, nearest)| {
        let command = COMMANDS.into_iter().find(|command| command.row().id == *nearest)?;
        Some(FinderRow { text: format!("{what}. Nearest: {}", command.row().name).into(), command })
    });
    let matching = matching(text, facts).into_iter();
    missing.into_iter().chain(matching.map(|command| FinderRow { text: command.row().name.into(), command })).collect()
}

/// Commands that match all typed words, directly or as synonyms. Full names, here or in other programs, come first;
/// then whole words of names, then prefixes and synonyms, then descriptions. Within each of these classes except the
/// first, enabled commands come before disabled ones; then better matches; then the order of the menus.
pub fn matching(text: &str, facts: &Facts) -> Vec<Command> {
    let text = plain(text);
    let typed: Vec<&str> = words(&text).collect();
    let is_offered = |command: Command| command != Command::Window(WindowCommand::Palette) && command.is_listed(facts);
    let others = COMMANDS.into_iter().filter(|&command| is_offered(command));
    let ranked = others.filter_map(|command| Some((Rank::of(command, &text, &typed)?, command)));
    let mut ranked: Vec<(Rank, Command)> = ranked.collect();
    ranked.sort_by_key(|(rank, command)| {
        let cannot_now = *rank != Rank::Called && command.enabled(facts).is_err();
        (rank.class(), cannot_now, *rank)
    });
    ranked.into_iter().map(|(_, command)| command).collect()
}

/// How well a command matches, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The text is its name, or its name in other programs.
    Called,
    /// Its name begins with the typed words.
    NameStart,
    /// Its name contains the typed words.
    NameWord,
    /// Its name, or its name in other programs, begins with the typed text.
    NamePart,
    /// Each typed word begins a word of its name.
    NameParts,
    /// Each typed word, or our synonym of it, begins a word of its name.
    NameMeaning,
    /// Its name, menu and description contain the typed words.
    DescriptionWord,
    /// Each typed word, or our synonym of it, begins a word of its name, menu or description.
    DescriptionPart,
}

impl Rank {
    /// Class of the rank. Within a class other than 0, enabled commands come first.
    fn class(self) -> u8 {
        match self {
            Rank::Called => 0,
            Rank::NameStart | Rank::NameWord => 1,
            Rank::NamePart | Rank::NameParts | Rank::NameMeaning => 2,
            Rank::DescriptionWord | Rank::DescriptionPart => 3,
        }
    }

    fn of(command: Command, text: &str, typed: &[&str]) -> Option<Rank> {
        let spec = command.row();
        let name = plain(spec.name);
        let is_called =
            |fits: &dyn Fn(&str) -> bool| COMMAND_ALIASES.iter().any(|(word, id)| *id == spec.id && fits(word));
        let has_word = |place: &str| typed.iter().all(|word| words(place).any(|own| own == *word));
        let begins = |place: &str, word: &str| words(place).any(|own| own.starts_with(word));
        let means = |place: &str, word: &str| {
            let is_meant = |(other, own): (&str, &str)| word.len() > 2 && other.starts_with(word) && begins(place, own);
            begins(place, word) || SYNONYMS.into_iter().any(is_meant)
        };
        let starts_with_words = words(&name).zip(typed).filter(|(own, word)| own == *word).count() == typed.len();
        let all = plain(&format!("{name} {} {}", spec.menu.name(), spec.what));
        match () {
            () if words(&name).eq(typed.iter().copied()) || is_called(&|word| word == text) => Some(Rank::Called),
            () if starts_with_words => Some(Rank::NameStart),
            () if has_word(&name) => Some(Rank::NameWord),
            () if name.starts_with(text) => Some(Rank::NamePart),
            () if text.len() > 2 && is_called(&|word| word.starts_with(text)) => Some(Rank::NamePart),
            () if typed.iter().all(|word| begins(&name, word)) => Some(Rank::NameParts),
            () if typed.iter().all(|word| means(&name, word)) => Some(Rank::NameMeaning),
            () if has_word(&all) => Some(Rank::DescriptionWord),
            () => typed.iter().all(|word| means(&all, word)).then_some(Rank::DescriptionPart),
        }
    }
}

/// Normalises a text for comparison: lower case, without hyphens.
fn plain(text: &str) -> String {
    text.trim().to_lowercase().replace('-', "")
}

/// The words of a text, without punctuation.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_sign = |letter: char| !letter.is_alphanumeric() && letter != '\u{2212}';
    text.split(is_sign).filter(|word| !word.is_empty())
}
