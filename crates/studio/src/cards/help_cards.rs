//! Cards of the Help menu: the keyboard shortcuts, from the table of commands, and information about the program.

use super::card_parts::{CardAnswer, CardContext, heading, weak};
use super::finder::words;
use crate::base::version;
use crate::media::Container;
use crate::widgets::theme;
use crate::workbench::commands::{COMMANDS, Command, Menu};
use egui::{Align2, RichText, Ui, vec2};

/// Gestures and keys without a command.
const GESTURES: [(&str, &str); 12] = [
    ("Wheel", "Zoom time at the pointer"),
    ("Ctrl+Wheel", "Zoom frequency"),
    ("Shift+Wheel", "Scroll time"),
    ("Middle drag", "Move the view"),
    ("Right-click", "Menu of what can be done there"),
    ("Shift+Right-click", "Brushes and colours at the pointer"),
    ("Drag edge of selection", "Resize the selection"),
    ("Drag grip of selection", "Move the selection, or give its sound to another program"),
    ("Ctrl+drag on ruler", "Hear the sound at the speed of the pointer"),
    ("Ctrl+click", "Set the source of the clone brush"),
    ("Tab", "Next button or field"),
    ("Enter", "Press the focused button"),
];

/// A group of shortcuts: a heading, and keys and name of each row.
type Group = (&'static str, Vec<(String, &'static str)>);

/// The shortcuts, grouped by menu, and gestures that match a typed text: each of its words begins a word of the name or
/// of the keys. Empty groups are omitted.
pub fn keys_matching(text: &str) -> Vec<Group> {
    let text = text.to_lowercase();
    let typed: Vec<&str> = text.split_whitespace().collect();
    let fits = |keys: &str, what: &str| {
        let place = format!("{keys} {what}").to_lowercase();
        let begins = |word: &str| words(&place).any(|own| own.starts_with(word));
        // Also matches combinations as displayed, such as ctrl+shift+z, and keys that are symbols.
        typed.iter().all(|word| begins(word) || keys.to_lowercase().split(", ").any(|key| key.starts_with(word)))
    };
    let of_menu = |menu: Menu| {
        let with_keys = COMMANDS.into_iter().map(Command::row).filter(|row| row.menu == menu && !row.keys.is_empty());
        let rows = with_keys.map(|row| {
            let keys: Vec<String> = row.keys.iter().map(ToString::to_string).collect();
            (keys.join(", "), row.name)
        });
        (menu.name(), rows.filter(|(keys, what)| fits(keys, what)).collect())
    };
    let gestures = GESTURES.into_iter().filter(|(keys, what)| fits(keys, what));
    let gestures = ("Pointer and focus", gestures.map(|(keys, what)| (keys.to_owned(), what)).collect());
    let all = Menu::ALL.into_iter().map(of_menu).chain([gestures]);
    all.filter(|(_, rows): &Group| !rows.is_empty()).collect()
}

/// Draws the search field, and all matching shortcuts below.
pub(crate) fn keys(ui: &mut Ui, text: &mut String, height: f32, is_new: bool) -> Option<CardAnswer> {
    let answer = heading(ui, "Keyboard shortcuts");
    let field = egui::TextEdit::singleline(text).desired_width(f32::INFINITY);
    let field = ui.add(field.hint_text("Search: undo, zoom, Ctrl+Z \u{2026}")).accessible_name("Key to find");
    if is_new {
        field.request_focus();
    }
    let groups = keys_matching(text);
    if groups.is_empty() {
        weak(ui, "No key does that. Find a command also lists commands without a key.");
    }
    let (width, height) = (ui.available_width(), height.max(120.0));
    let list = egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink([false, false]);
    list.scroll_bar_visibility(egui::scroll_area::ScrollBarVisibility::AlwaysVisible).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        // Leaves room for the scroll bar, which lies over the right edge.
        let column = (width - 16.0) / 2.0;
        for (title, rows) in groups {
            let palette = theme::palette(ui.ctx());
            ui.add_space(4.0);
            ui.label(RichText::new(title).font(theme::semibold(theme::HEADING)).color(palette.text_strong));
            for pair in rows.chunks(2) {
                ui.horizontal(|ui| pair.iter().for_each(|(keys, what)| key_row(ui, column, keys, what)));
            }
            ui.add_space(8.0);
        }
    });
    answer
}

fn key_row(ui: &mut Ui, width: f32, keys: &str, what: &str) {
    let palette = theme::palette(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(width, theme::ROW_HEIGHT), egui::Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{what}: {keys}")));
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let font = theme::regular(theme::BODY);
    let drawn = painter.text(rect.left_center(), Align2::LEFT_CENTER, keys, font.clone(), palette.text_weak);
    let at = rect.left_center() + vec2((width * 0.45).min(132.0).max(drawn.width() + 12.0), 0.0);
    painter.text(at, Align2::LEFT_CENTER, what, font, palette.text);
}

/// Licences of the program's components.
const LICENCES: [(&str, &str); 11] = [
    ("Sonobrush", "MIT or Apache 2.0, as you choose"),
    ("Symphonia, decoders", "MPL 2.0"),
    ("libopus, for Opus", "BSD, 3 clauses"),
    ("LAME, MP3 encoder, and its binding", "LGPL 2 or later, LGPL 3"),
    ("Inter, the typeface", "SIL Open Font License 1.1"),
    ("Lucide, the icons", "ISC, parts MIT"),
    ("DeepFilterNet3, the speech model", "MIT or Apache 2.0"),
    ("SwiftF0, the pitch model", "MIT"),
    ("Basic Pitch, the model of notes", "Apache 2.0"),
    ("Demo clip", "CC0"),
    ("Other libraries", "MIT, Apache 2.0, BSD, ISC, Zlib, MPL 2.0, CC0, Unlicense"),
];

/// The licences of LAME and its binding, which must accompany every copy of the program.
const LAME_TEXTS: [&str; 2] = [
    include_str!("../../../../assets/licences/LAME-LGPL-2.txt"),
    include_str!("../../../../assets/licences/LGPL-3.0.txt"),
];

/// Draws version, engine and licences, and a button that copies information for a bug report.
pub(crate) fn about(ui: &mut Ui, about: &CardContext<'_>) -> Option<CardAnswer> {
    let answer = heading(ui, "About Sonobrush");
    let palette = theme::palette(ui.ctx());
    let numbered = format!("Version {}", version());
    let (engine, why) = about.engine;
    let system = format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH);
    ui.label(RichText::new(numbered).font(theme::medium(theme::BODY)).color(palette.text_strong));
    weak(ui, "A sound is a picture that you paint on. Your file is never changed: you export a new one.");
    let pair = |ui: &mut Ui, name: &str, value: &str| {
        ui.label(RichText::new(name).color(palette.text_weak));
        ui.add(egui::Label::new(RichText::new(value).color(palette.text)).wrap());
        ui.end_row();
    };
    egui::Grid::new("about").num_columns(2).spacing(vec2(16.0, 4.0)).show(ui, |ui| {
        pair(ui, "Engine", engine);
        pair(ui, "", why);
        pair(ui, "System", &system);
    });
    ui.label(RichText::new("Licences").font(theme::semibold(theme::HEADING)).color(palette.text_strong));
    egui::Grid::new("licences").num_columns(2).spacing(vec2(16.0, 4.0)).show(ui, |ui| {
        LICENCES.into_iter().for_each(|(name, licence)| pair(ui, name, licence));
    });
    ui.horizontal(|ui| {
        if ui.button("Copy for a bug report").on_hover_text("Copies version, engine and system.").clicked() {
            ui.ctx().copy_text(format!("Sonobrush {}\n{engine}: {why}\n{system}", version()));
        }
        let has_lame = Container::Mp3.is_in_build();
        if has_lame && ui.button("Copy LAME's licences").on_hover_text("Copies the texts of both licences.").clicked() {
            ui.ctx().copy_text(LAME_TEXTS.join("\n"));
        }
    });
    answer
}
