//! The start page, shown while no file is open.

use crate::bars::overflow;
use crate::base::length_from_secs;
use crate::view::{Colormap, colours_from_png};
use crate::widgets;
use crate::widgets::short_names::without_middle;
use crate::widgets::theme;
use crate::widgets::theme::Palette;
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{Facts, FileCommand};
use crate::workbench::{Acts, Jobs, Latest, Recent};
use egui::{Align2, CornerRadius, Rect, RichText, Role, Sense, TextureHandle, Ui, WidgetInfo, pos2, vec2};

const CARD_WIDTH: f32 = 720.0;
/// Number of recent files listed here; the File menu lists all.
const N_ROWS: usize = 4;

/// Width of the icon column of a recent file, in points.
const ICON: f32 = 44.0;
/// Gap between columns, in points.
const GAP: f32 = 12.0;

/// Aspect ratio of the picture on the demo clip's card.
const PICTURE_SHAPE: f32 = 720.0 / 152.0;
/// Spectrogram of the demo clip, made by `sonobrush image` in grey.
const DEMO_PICTURE: &[u8] = include_bytes!("../../../../assets/clips/guitar_chord.png");

/// The picture on the demo clip's card, decoded in a job on demand.
#[derive(Default)]
pub struct DemoPicture(Latest<Colormap, TextureHandle>);

impl DemoPicture {
    /// Whether it is being decoded.
    pub fn is_busy(&self) -> bool {
        self.0.is_busy()
    }

    /// Cancels decoding; call when the picture is no longer shown.
    pub fn put_away(&mut self) {
        self.0.cancel();
    }

    /// The picture in the user's colour map, once decoded.
    pub fn get(&mut self, colormap: Colormap, ctx: &egui::Context, jobs: &Jobs) -> Option<&TextureHandle> {
        let ctx = ctx.clone();
        self.0.ask_in_turn(&colormap, jobs, "picture", move |colormap, _| {
            let (size, grey) = colours_from_png(DEMO_PICTURE)?;
            let levels = grey.chunks_exact(3).map(|pixel| f32::from(pixel[0]) / 255.0);
            let rgb: Vec<u8> = levels.flat_map(|part| colormap.rgb(part)).collect();
            let image = egui::ColorImage::from_rgb(size, &rgb);
            Ok(ctx.load_texture("demo clip", image, egui::TextureOptions::LINEAR))
        });
        self.0.last().map(|(_, texture)| texture)
    }
}

/// Draws the start page: a sentence, buttons, recent files and the demo clip.
pub fn ui(
    ui: &mut Ui,
    facts: &Facts,
    demo: Option<&TextureHandle>,
    recent: &[Recent],
    is_file_over: bool,
    acts: &mut Acts,
) {
    let palette = theme::palette(ui.ctx());
    let rect = ui.max_rect();
    ui.painter().rect_filled(rect, egui::CornerRadius::ZERO, palette.window);
    // Scrolls in a short window.
    let scroll = egui::ScrollArea::vertical().auto_shrink([false, false]);
    scroll.show(ui, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space((rect.height() * 0.3 - 110.0).max(16.0));
            let sentence = "Drop a sound here to see it, hear it and paint on it.";
            ui.label(RichText::new(sentence).font(theme::semibold(20.0)).color(palette.text_strong));
            ui.add_space(20.0);
            open_button(ui, acts);
            ui.add_space(8.0);
            let picture = FileCommand::OpenPicture;
            widgets::command_button(ui, facts, picture, picture.row().name, acts);
            ui.add_space(16.0);
            recent_rows(ui, recent, acts);
            demo_card(ui, facts, demo, acts);
            ui.add_space(24.0);
            let formats =
                "WAV, FLAC, AIFF, CAF, MP3, M4A, Ogg Vorbis, Opus. Your file is never changed: you export a new one.";
            ui.label(RichText::new(formats).size(theme::CAPTION).color(palette.text_weak));
            let others = "A picture (PNG, JPEG, OpenEXR) becomes sound, and so do the notes of a MIDI file.";
            ui.label(RichText::new(others).size(theme::CAPTION).color(palette.text_weak));
            ui.add_space(16.0);
        })
    });
    if is_file_over {
        drop_outline(ui, rect);
    }
}

/// Rows of recent files with name, folder, length and format; a click opens the file.
fn recent_rows(ui: &mut Ui, recent: &[Recent], acts: &mut Acts) {
    if recent.is_empty() {
        return;
    }
    let palette = theme::palette(ui.ctx());
    let width = CARD_WIDTH.min(ui.available_width() - 32.0);
    ui.spacing_mut().item_spacing.y = 0.0;
    let (rect, _) = ui.allocate_exact_size(vec2(width, 22.0), Sense::hover());
    let font = theme::regular(theme::CAPTION);
    let at = rect.left_center() + vec2(12.0, 0.0);
    ui.painter().text(at, Align2::LEFT_CENTER, "Recent", font, palette.text_weak);
    let widths = widths(ui, recent, width - ICON);
    for (i, one) in recent.iter().take(N_ROWS).enumerate() {
        let [name, folder] = one.words();
        let (rect, response) = ui.allocate_exact_size(vec2(width, 28.0), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Open {name} from {folder}")));
        if response.hovered() {
            ui.painter().rect_filled(rect, theme::RADIUS_BUTTON, palette.hover);
        }
        let middle = rect.center().y;
        let icon = theme::icons(14.0);
        let ink = palette.text;
        ui.painter().text(pos2(rect.left() + 20.0, middle), Align2::CENTER_CENTER, icons::FILE_AUDIO, icon, ink);
        let mut left = rect.left() + ICON;
        for ((text, colour), width) in cells(one, palette).into_iter().zip(widths) {
            let text = without_middle(&text, |text| overflow::text_width(ui, text) <= width - GAP);
            let font = theme::regular(theme::BODY);
            ui.painter().text(pos2(left, middle), Align2::LEFT_CENTER, text, font, colour);
            left += width;
        }
        if response.clicked() {
            acts.push(FileCommand::OpenRecent(i));
        }
        response.on_hover_text(crate::base::shown_path(&one.path));
    }
    ui.add_space(20.0);
}

/// Text and colour of the cells of a recent file: name, folder, length and format.
fn cells(one: &Recent, palette: &Palette) -> [(String, egui::Color32); 4] {
    let [name, folder] = one.words();
    let secs = length_from_secs(one.duration_secs, 1);
    let weak = palette.text_weak;
    [(name, palette.text_strong), (folder, weak), (secs, weak), (one.format.clone(), weak)]
}

/// Widths of these columns. Lengths and formats are never truncated; names and folders share the rest.
fn widths(ui: &Ui, recent: &[Recent], room: f32) -> [f32; 4] {
    let palette = theme::palette(ui.ctx());
    let widest = |column: usize| {
        let all = recent.iter().take(N_ROWS).map(|one| overflow::text_width(ui, &cells(one, palette)[column].0) + GAP);
        all.fold(0.0, f32::max)
    };
    let [secs, format] = [2, 3].map(widest);
    let rest = (room - secs - format).max(0.0);
    [0.62 * rest, 0.38 * rest, secs, format]
}

/// A 2-point outline inside the canvas while a file is dragged over the window.
pub fn drop_outline(ui: &Ui, rect: egui::Rect) {
    let stroke = egui::Stroke::new(2.0, theme::palette(ui.ctx()).accent);
    ui.painter().rect_stroke(rect, egui::CornerRadius::ZERO, stroke, egui::StrokeKind::Inside);
}

fn open_button(ui: &mut Ui, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let spec = FileCommand::Open.row();
    let (rect, response) = ui.allocate_exact_size(vec2(158.0, 32.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, spec.name));
    let painter = ui.painter();
    painter.rect_filled(rect, theme::RADIUS_BUTTON, palette.accent);
    let middle = rect.center().y;
    let ink = palette.on_accent;
    painter.text(pos2(rect.left() + 22.0, middle), Align2::CENTER_CENTER, icons::FOLDER_OPEN, theme::icons(16.0), ink);
    let font = theme::semibold(theme::BODY);
    painter.text(pos2(rect.left() + 38.0, middle), Align2::LEFT_CENTER, spec.name, font, ink);
    let key = spec.keys.first().map(ToString::to_string).unwrap_or_default();
    let font = theme::regular(theme::CAPTION);
    painter.text(pos2(rect.right() - 10.0, middle), Align2::RIGHT_CENTER, key, font, ink);
    if response.clicked() {
        acts.push(FileCommand::Open);
    }
    widgets::tooltip(response, FileCommand::Open, None);
}

fn demo_card(ui: &mut Ui, facts: &Facts, picture: Option<&TextureHandle>, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let spec = FileCommand::OpenDemo.row();
    let width = CARD_WIDTH.min(ui.available_width() - 32.0);
    // Less of the picture is visible in a short window.
    let picture_height = (ui.ctx().content_rect().height() - 560.0).clamp(0.0, width / PICTURE_SHAPE);
    let (rect, response) = ui.allocate_exact_size(vec2(width, 56.0 + picture_height), Sense::click());
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Button, FileCommand::OpenDemo.row().enabled(facts).is_ok(), spec.name)
    });
    let face = if response.hovered() { palette.hover } else { palette.panel };
    let painter = ui.painter();
    let stroke = egui::Stroke::new(1.0, palette.stroke_strong);
    painter.rect_filled(rect, theme::RADIUS_CARD, face);
    let shown = Rect::from_min_size(rect.min, vec2(width, picture_height));
    if let Some(picture) = picture.filter(|_| picture_height > 0.0) {
        // Shows the lower part, where the tones are, if there is no room for all.
        let top = 1.0 - picture_height / (width / PICTURE_SHAPE);
        let part = Rect::from_min_max(pos2(0.0, top), pos2(1.0, 1.0));
        let corners = CornerRadius { nw: 6, ne: 6, sw: 0, se: 0 };
        let image =
            egui::epaint::RectShape::filled(shown, corners, egui::Color32::WHITE).with_texture(picture.id(), part);
        painter.add(image);
    }
    painter.rect_stroke(rect, theme::RADIUS_CARD, stroke, egui::StrokeKind::Inside);
    let middle = (shown.bottom() + rect.bottom()) / 2.0;
    painter.text(
        pos2(rect.left() + 24.0, middle),
        Align2::CENTER_CENTER,
        icons::PLAY,
        theme::icons(18.0),
        palette.accent,
    );
    let left = rect.left() + 44.0;
    let font = theme::regular(theme::BODY);
    painter.text(pos2(left, middle - 8.0), Align2::LEFT_CENTER, spec.name, font, palette.text_strong);
    let font = theme::regular(theme::CAPTION);
    painter.text(pos2(left, middle + 10.0), Align2::LEFT_CENTER, spec.what, font, palette.text_weak);
    let at = pos2(rect.right() - 20.0, middle);
    painter.text(at, Align2::CENTER_CENTER, icons::CHEVRON_RIGHT, theme::icons(16.0), palette.text);
    if response.clicked() {
        acts.push(FileCommand::OpenDemo);
    }
}
