//! The card that explains the program in three pictures, drawn over the demo clip's spectrogram in the user's colour
//! map.

use super::card_parts::{CardAnswer, CardContext, heading, primary, weak};
use crate::widgets::theme;
use crate::widgets::theme::{CANVAS_DARK, CANVAS_LIGHT};
use crate::workbench::commands::FileCommand;
use crate::workbench::commands::table::icons;
use egui::{Align2, Color32, CornerRadius, Painter, Pos2, Rect, RichText, Role, Sense, Shape, Stroke, Ui, WidgetInfo};
use egui::{pos2, vec2};

/// Aspect ratio of a picture.
const SHAPE: f32 = 1.5;
/// Displayed part of the clip's picture: left, top, right and bottom as fractions of its sides.
const PART: [f32; 4] = [0.0, 0.06, 0.62, 1.0];
/// The stroke that erases a partial in the second picture: its ends, its vertical position and half its height, as
/// fractions of the displayed part.
const STROKE: [f32; 2] = [0.125, 0.66];
const STROKE_Y: f32 = 0.498;
const STROKE_HALF: f32 = 0.03;

/// A step: title, text, and a function that draws over the picture.
type Step = (&'static str, &'static str, fn(&Painter, Rect, Color32));

const STEPS: [Step; 3] = [
    ("1. See", "Time goes to the right, pitch goes up, bright is loud. Each line is one partial of a tone.", axes),
    (
        "2. Paint",
        "Take a brush and paint. Only the cells under the brush change; Ctrl+Z takes any stroke back.",
        stroke,
    ),
    ("3. Hear", "Space plays what you see. Export writes a new file; what you did not touch keeps its bits.", playhead),
];

pub(crate) fn ui(ui: &mut Ui, about: &CardContext<'_>, height: f32) -> Option<CardAnswer> {
    let mut answer = heading(ui, "First steps");
    egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
        let is_wide = ui.available_width() > 560.0;
        let width = if is_wide { (ui.available_width() - 32.0) / 3.0 } else { ui.available_width() };
        let width = width.min(320.0);
        let each = |ui: &mut Ui| STEPS.iter().for_each(|step| one(ui, step, width, about.demo));
        if is_wide {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 16.0;
                each(ui);
            });
        } else {
            each(ui);
        }
        weak(ui, "F1 lists all keys, Ctrl+Shift+P finds any command by its name. Tooltips say what each control does.");
        ui.horizontal(|ui| {
            if primary(ui, "Try it on the demo clip") {
                answer = Some(CardAnswer::Run(FileCommand::OpenDemo.into()));
            }
            if ui.button("Open a file\u{2026}").clicked() {
                answer = Some(CardAnswer::Run(FileCommand::Open.into()));
            }
        });
    });
    answer
}

fn one(ui: &mut Ui, (title, words, draw): &Step, width: f32, demo: Option<egui::TextureId>) {
    let palette = theme::palette(ui.ctx());
    ui.vertical(|ui| {
        ui.set_width(width);
        let (rect, response) = ui.allocate_exact_size(vec2(width, width / SHAPE), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("Picture: {title}")));
        let painter = ui.painter().with_clip_rect(rect);
        painter.rect_filled(rect, CornerRadius::ZERO, palette.well);
        if let Some(demo) = demo {
            let [left, top, right, bottom] = PART;
            let part = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
            painter.image(demo, rect, part, Color32::WHITE);
        }
        draw(&painter, rect, palette.accent);
        ui.label(RichText::new(*title).font(theme::semibold(theme::BODY)).color(palette.text_strong));
        ui.label(RichText::new(*words).color(palette.text));
    });
}

/// A point in a rectangle, given as fractions of its sides.
fn place(rect: Rect, x: f32, y: f32) -> Pos2 {
    rect.lerp_inside(vec2(x, y))
}

/// A light line with a dark outline.
fn line(painter: &Painter, points: &[Pos2]) {
    for (width, colour) in [(4.0, CANVAS_DARK.gamma_multiply(0.65)), (1.75, CANVAS_LIGHT)] {
        painter.add(Shape::line(points.to_vec(), Stroke::new(width, colour)));
    }
}

fn arrow(painter: &Painter, from: Pos2, to: Pos2) {
    let way = (to - from).normalized();
    let (back, side) = (to - 7.0 * way, 4.0 * way.rot90());
    line(painter, &[from, to, back + side, to, back - side]);
}

fn tag(painter: &Painter, at: Pos2, words: &str) {
    let galley = painter.layout_no_wrap(words.to_owned(), theme::medium(theme::CAPTION), CANVAS_LIGHT);
    let rect = Rect::from_min_size(at, galley.size() + vec2(8.0, 4.0));
    painter.rect_filled(rect, 3.0, CANVAS_DARK.gamma_multiply(0.75));
    painter.galley(rect.min + vec2(4.0, 2.0), galley, CANVAS_LIGHT);
}

fn axes(painter: &Painter, rect: Rect, _: Color32) {
    let corner = rect.left_bottom() + vec2(14.0, -14.0);
    arrow(painter, corner, corner + vec2(rect.width() * 0.42, 0.0));
    arrow(painter, corner, corner - vec2(0.0, rect.height() * 0.55));
    tag(painter, corner + vec2(rect.width() * 0.42 + 6.0, -9.0), "Time");
    tag(painter, corner - vec2(8.0, rect.height() * 0.55 + 20.0), "Pitch");
}

/// Draws the erased part of the partial, and the brush at its end.
fn stroke(painter: &Painter, rect: Rect, _: Color32) {
    let [from, to] = STROKE;
    let half = STROKE_HALF * rect.height();
    let (start, end) = (place(rect, from, STROKE_Y), place(rect, to, STROKE_Y));
    let done = Rect::from_min_max(start - vec2(0.0, half), end + vec2(0.0, half));
    painter.rect_filled(done, half, CANVAS_DARK.gamma_multiply(0.85));
    let ring =
        (0..=32).map(|i| end + vec2(10.0, half + 3.0) * egui::Vec2::angled(i as f32 * std::f32::consts::TAU / 32.0));
    line(painter, &ring.collect::<Vec<Pos2>>());
    let cross = [vec2(3.0, 0.0), vec2(0.0, 3.0)];
    cross.into_iter().for_each(|arm| line(painter, &[end - arm, end + arm]));
}

fn playhead(painter: &Painter, rect: Rect, accent: Color32) {
    let x = rect.left() + 0.45 * rect.width();
    line(painter, &[pos2(x, rect.top()), pos2(x, rect.bottom())]);
    let middle = rect.right_bottom() - vec2(24.0, 24.0);
    painter.circle_filled(middle, 15.0, CANVAS_DARK.gamma_multiply(0.75));
    painter.text(middle, Align2::CENTER_CENTER, icons::PLAY, theme::icons(18.0), accent);
}
