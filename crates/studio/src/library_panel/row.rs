//! A row of the list: thumbnail spectrogram, name, duration, key and loudness, and the reason for listing it.

use super::thumbs::Thumbs;
use crate::base::{length_from_secs, number};
use crate::studio::hooks::probe;
use crate::studio::widgets::theme;
use crate::studio::widgets::theme::Palette;
use crate::workbench::commands::table::icons;
use crate::workbench::{Browser, EntryNote, LibraryRow, duplicate_words};
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, CornerRadius, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Height of a row.
pub const HEIGHT: f32 = 44.0;
const PICTURE: egui::Vec2 = vec2(72.0, 36.0);

/// Draws the row of an entry.
pub fn ui(ui: &Ui, rect: Rect, browser: &Browser, at: usize, thumbs: &mut Thumbs) -> Response {
    let palette = theme::palette(ui.ctx());
    let entry = &browser.entries()[at];
    // Not focusable: the keyboard reaches rows through the list's own keys.
    let sense = Sense::CLICK | Sense::DRAG;
    let response = ui.interact(rect, ui.scope_id().with(("sound", entry.id)), sense);
    let row = browser.row(entry.id);
    let is_chosen = browser.chosen() == Some((at, entry.id));
    response.widget_info(|| {
        let words = row.map_or_else(|| "Sound that is being read".to_owned(), |row| spoken(row, entry.note));
        WidgetInfo::selected(Role::Button, true, is_chosen, words)
    });
    let painter = ui.painter();
    let face = match is_chosen {
        true => Some(palette.accent_soft),
        false if response.hovered() => Some(palette.hover),
        false => group_face(entry.note, palette),
    };
    if let Some(face) = face {
        painter.rect_filled(rect, CornerRadius::ZERO, face);
    }
    if is_chosen {
        let bar = Rect::from_min_size(rect.min, vec2(2.0, rect.height()));
        painter.rect_filled(bar, CornerRadius::ZERO, palette.accent);
    }
    let picture = Rect::from_min_size(pos2(rect.left() + 8.0, rect.top() + 4.0), PICTURE);
    match browser.picture(entry.id).and_then(|found| thumbs.get(ui.ctx(), entry.id, found)) {
        Some(texture) => {
            let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            painter.image(texture, picture, all, Color32::WHITE);
        }
        None => {
            painter.rect_filled(picture, CornerRadius::ZERO, palette.well);
        }
    }
    let left = picture.right() + 8.0;
    let Some(row) = row else { return response };
    probe::note_control(ui.ctx(), &row.name(), rect);
    let right = note(ui, rect, entry.note, entry.id, palette);
    let line = |y: f32, right: f32, text: &str, font: egui::FontId, colour: Color32| {
        let mut job = LayoutJob::simple_singleline(text.to_owned(), font, colour);
        job.wrap = TextWrapping::truncate_at_width((right - left).max(0.0));
        let galley = painter.layout_job(job);
        painter.galley(pos2(left, y - galley.size().y / 2.0), galley, colour);
    };
    let middle = rect.center().y;
    line(middle - 9.0, right, &row.name(), theme::regular(theme::BODY), palette.text_strong);
    line(middle + 9.0, rect.right() - 8.0, &figures(row), theme::regular(theme::CAPTION), palette.text_weak);
    response.on_hover_text(crate::base::shown_path(&row.path))
}

/// Groups of duplicates alternate between two backgrounds.
fn group_face(note: EntryNote, palette: &Palette) -> Option<Color32> {
    matches!(note, EntryNote::Copy { group, .. } if group % 2 == 1).then_some(palette.raised)
}

/// The reason for listing it, at the right; returns where the rest of the row ends.
fn note(ui: &Ui, rect: Rect, note: EntryNote, id: i64, palette: &Palette) -> f32 {
    let painter = ui.painter();
    let at = pos2(rect.right() - 8.0, rect.center().y - 9.0);
    let words = match note {
        EntryNote::Found => return rect.right() - 8.0,
        EntryNote::Alike(score) => number(f64::from(score), 0),
        EntryNote::Copy { overlap_secs: Some(_), level, keep, .. } if keep == id => duplicate_words(level).to_owned(),
        EntryNote::Copy { overlap_secs: Some(secs), level, .. } => {
            format!("{} {}", duplicate_words(level), length(f64::from(secs), 1))
        }
        EntryNote::Copy { keep, .. } if keep == id => {
            let font = theme::icons(14.0);
            return painter.text(at, Align2::RIGHT_CENTER, icons::CHECK, font, palette.accent).left() - 8.0;
        }
        EntryNote::Copy { level, .. } => duplicate_words(level).to_owned(),
    };
    painter.text(at, Align2::RIGHT_CENTER, words, theme::medium(theme::CAPTION), palette.text).left() - 8.0
}

/// `0.25 s`, with a narrow space.
fn length(secs: f64, decimals: usize) -> String {
    length_from_secs(secs, decimals).replace(' ', "\u{2009}")
}

/// `0.25 s   A minor   −18.2 LUFS`
fn figures(row: &LibraryRow) -> String {
    let secs = row.duration_secs;
    let mut all = vec![length(secs, if secs < 10.0 { 2 } else { 1 })];
    if !row.is_analysed {
        all.push("not analysed yet".to_owned());
    }
    all.extend(row.key.clone());
    all.extend(row.lufs.map(|lufs| format!("{}\u{2009}LUFS", number(lufs, 1))));
    if row.n_files > 1 {
        all.push(format!("{} files", row.n_files));
    }
    all.join("   ")
}

fn spoken(row: &LibraryRow, note: EntryNote) -> String {
    let why = match note {
        EntryNote::Found => String::new(),
        EntryNote::Alike(score) => format!(", {} of 100 alike", number(f64::from(score), 0)),
        EntryNote::Copy { overlap_secs: Some(_), keep, .. } if keep == row.id => ", which others overlap".to_owned(),
        EntryNote::Copy { overlap_secs: Some(secs), .. } => {
            format!(", overlaps by {}", length_from_secs(f64::from(secs), 1))
        }
        EntryNote::Copy { keep, .. } if keep == row.id => ", the one to keep".to_owned(),
        EntryNote::Copy { level, .. } => format!(", {}", duplicate_words(level)),
    };
    format!("{}, {}{why}", row.name(), figures(row).replace("   ", ", "))
}
