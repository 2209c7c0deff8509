//! Controls above the list: modes, search, chips, dials, the null test.

use super::context::LibraryContext;
use crate::base::number;
use crate::studio::bars::overflow;
use crate::studio::widgets;
use crate::studio::widgets::segments::segments;
use crate::studio::widgets::theme;
use crate::studio::widgets::values::{Captioned, Value};
use crate::workbench::commands::{BrowseCommand, Command};
use crate::workbench::{Acts, Browser, CHIPS, EntryNote, LibraryAct, LibraryChip, LibraryMode, LibraryQuery};
use egui::{DragValue, RichText, Ui, vec2};

/// Width of a chip without its text: margins and the arrow.
const CHIP_FRAME: f32 = 38.0;
/// Maximum of a dial.
const MAX_DIAL: f64 = 4.0;

/// A segmented control for the list's mode.
pub fn modes(ui: &mut Ui, context: LibraryContext<'_>, acts: &mut Acts) {
    let mode = context.browser.mode();
    let choices = [
        (Command::from(BrowseCommand::All), "All", mode == LibraryMode::All),
        (BrowseCommand::Similar.into(), "Similar", mode == LibraryMode::Similar && !context.browser.is_filling()),
        (BrowseCommand::Donors.into(), "Donors", context.browser.is_filling()),
        (BrowseCommand::Duplicates.into(), "Duplicates", mode == LibraryMode::Duplicates),
    ];
    let width = ui.available_width();
    segments(ui, context.facts, width, &choices, acts);
}

/// Draws the search field. True if Down was pressed in it, which moves the keyboard on to the list.
pub fn search(ui: &mut Ui, text: &mut String, browser: &Browser, acts: &mut Acts) -> bool {
    let field = egui::TextEdit::singleline(text).desired_width(f32::INFINITY).hint_text("Search names and tags");
    let height = theme::FIELD_HEIGHT;
    let field = ui.add(field.min_size(vec2(0.0, height))).accessible_name("Search the library");
    if field.changed() {
        acts.push(LibraryAct::Find(LibraryQuery { text: text.clone(), ..browser.query().clone() }));
    } else if !field.has_focus() && *text != browser.query().text {
        text.clone_from(&browser.query().text);
    }
    field.has_focus() && ui.input(|input| input.key_pressed(egui::Key::ArrowDown))
}

/// A drop-down list for each filter. Each is as wide as its text, so that no word is cut; a row holds as many as fit,
/// which share the remaining width.
pub fn chips(ui: &mut Ui, browser: &Browser, acts: &mut Acts) {
    let mut query = browser.query().clone();
    let (room, gap) = (ui.available_width(), ui.spacing().item_spacing.x);
    let widths: [f32; CHIPS.len()] =
        std::array::from_fn(|i| overflow::text_width(ui, words(&CHIPS[i], query.chips[i])) + CHIP_FRAME);
    let mut first = 0;
    while let Some((n, extra)) = row_of_chips(&widths[first..], room, gap) {
        ui.horizontal(|ui| {
            for i in first..first + n {
                let (chip, chosen) = (&CHIPS[i], &mut query.chips[i]);
                let all: Vec<Option<usize>> = std::iter::once(None).chain((0..chip.choices.len()).map(Some)).collect();
                let label = |chosen: Option<usize>| words(chip, chosen).to_owned();
                let width = widths[i] + extra;
                ui.allocate_ui(vec2(width, theme::FIELD_HEIGHT), |ui| {
                    if let Some(now) = widgets::choice(ui, chip.name, width, *chosen, &all, label) {
                        *chosen = now;
                    }
                });
            }
        });
        first += n;
    }
    if query != *browser.query() {
        acts.push(LibraryAct::Find(query));
    }
}

/// Text of a chip: its name, or its choice.
fn words(chip: &LibraryChip, chosen: Option<usize>) -> &'static str {
    chosen.and_then(|chosen| chip.choices.get(chosen)).map_or(chip.name, |choice| choice.label)
}

/// Number of chips in the next row, at least one, and the extra width of each; `None` after the last.
fn row_of_chips(widths: &[f32], room: f32, gap: f32) -> Option<(usize, f32)> {
    let mut used = *widths.first()?;
    let mut n = 1;
    while let Some(more) = widths.get(n).map(|width| gap + width).filter(|more| used + more <= room) {
        (used, n) = (used + more, n + 1);
    }
    Some((n, ((room - used) / n as f32).max(0.0)))
}

/// Buttons that fill the selection from the current sound, and that make this sound the source of the clone brush.
pub fn filling(ui: &mut Ui, context: LibraryContext<'_>, acts: &mut Acts) {
    ui.horizontal(|ui| {
        widgets::command_button(ui, context.facts, BrowseCommand::Fill, "Fill selection", acts);
        widgets::command_button(ui, context.facts, BrowseCommand::Clone, "Clone from it", acts);
    });
}

/// Fields for the weights of similarity.
pub fn dials(ui: &mut Ui, browser: &Browser, acts: &mut Acts) {
    let before = browser.dials();
    let mut dials = before;
    let width = (ui.available_width() - 16.0) / 5.0;
    ui.horizontal(|ui| {
        let all = [
            ("Timbre", "How much the timbre counts.", &mut dials.timbre),
            ("Texture", "How much noise and change within the sound count.", &mut dials.texture),
            ("Pitch", "How much octaves between the pitches count.", &mut dials.pitch),
            ("Bright", "How much the brightness counts.", &mut dials.brightness),
            ("Time", "How much length and onsets count.", &mut dials.time),
        ];
        for (name, what, dial) in all {
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                ui.set_width(width);
                let colour = theme::palette(ui.ctx()).text_weak;
                ui.label(RichText::new(name).size(theme::CAPTION).color(colour));
                let value = Value { name, what, width, unit: "", caption: Captioned::Nothing };
                value.show_within(ui, DragValue::new(dial).speed(0.02).fixed_decimals(1), 0.0..=MAX_DIAL);
            });
        }
    });
    if dials != before {
        acts.push(LibraryAct::Dials(dials));
    }
}

/// A button for the null test of the current duplicate against the sound to keep, and its result.
pub fn null_test(ui: &mut Ui, browser: &Browser, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let entry = browser.chosen().and_then(|(at, _)| browser.entries().get(at));
    let ids = entry.and_then(|entry| match entry.note {
        EntryNote::Copy { keep, .. } if keep != entry.id => Some([keep, entry.id]),
        _ => None,
    });
    let button = egui::Button::new("Null test").min_size(vec2(0.0, theme::FIELD_HEIGHT));
    let response = ui.add_enabled(ids.is_some(), button);
    crate::studio::hooks::probe::note_control(ui.ctx(), "Null test", response.rect);
    if let Some(ids) = ids.filter(|_| response.clicked()) {
        acts.push(LibraryAct::NullTest(ids));
    }
    let what = "Subtracts the chosen duplicate from the sound to keep, and says what is left.";
    response.on_hover_text(what).on_disabled_hover_text("Choose a duplicate that is not the one to keep.");
    let Some(pair) = browser.null_pair().filter(|pair| ids.is_none_or(|ids| ids == pair.ids)) else { return };
    let words = match &pair.test {
        None => "Comparing\u{2026}".to_owned(),
        Some(test) => {
            let db = |db: Option<f64>| db.map_or_else(|| "nothing".to_owned(), |db| format!("{} dB", number(db, 1)));
            let (left, matched) = (db(test.rms_db), db(test.matched_db));
            format!("Left: {left}; with levels matched ({} dB): {matched}.", number(test.gain_db, 1))
        }
    };
    ui.label(RichText::new(words).color(palette.text));
}
