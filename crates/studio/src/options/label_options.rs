//! Options of the label tool: name and colour of the current class, and all classes.

use crate::bars::overflow;
use crate::document::labels::N_COLOURS;
use crate::hooks::probe;
use crate::widgets::theme;
use crate::workbench::commands::LabelCommand;
use crate::workbench::{Acts, LabelClass, LabelTool};
use egui::{Button, Popup, RichText, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

/// Width of the name field, and maximum width of a class.
const NAME: f32 = 150.0;
const CLASS: f32 = 110.0;
/// Maximum number of displayed characters of a name.
const MAX_SHOWN_CHARS: usize = 12;

/// The current class, then all classes, each with its digit.
pub fn fields(ui: &mut Ui, suggested: &[LabelClass], tool: &mut LabelTool, acts: &mut Acts) {
    let classes = tool.classes_or(suggested).to_vec();
    let class = classes.get(tool.class).cloned();
    let mut edited = class.clone().unwrap_or(LabelClass { name: String::new(), colour: tool.class as u8 % N_COLOURS });
    if overflow::has_place(ui, "Class name", NAME + 36.0) {
        colour(ui, &mut edited.colour);
        let field = egui::TextEdit::singleline(&mut edited.name).desired_width(NAME - 16.0);
        let field = ui.add(field.hint_text(format!("name of class {}", tool.class + 1)));
        probe::note_control(ui.ctx(), "Name of the class", field.rect);
        field.accessible_name("Name of the class").on_hover_text("The text of labels that you draw.");
    }
    let is_named = !edited.name.is_empty() || class.is_some();
    if is_named && class.as_ref() != Some(&edited) {
        tool.classes = with_class(classes.clone(), tool.class, edited);
    }
    for (at, class) in classes.iter().enumerate().take(LabelTool::N_CLASSES) {
        if !overflow::has_place(ui, &format!("Class {}", at + 1), CLASS) {
            continue;
        }
        let short: String = class.name.chars().take(MAX_SHOWN_CHARS).collect();
        let colour = theme::label_colour(Some(class.colour), theme::palette(ui.ctx()));
        let mark = RichText::new(format!("{} {short}", at + 1));
        let button = Button::new(mark).selected(at == tool.class).stroke(Stroke::new(1.0, colour));
        let button = ui.add(button).accessible_name(format!("Class {}: {}", at + 1, class.name));
        if button.on_hover_text("Draws labels of this class.").clicked() {
            acts.push(LabelCommand::Class(at));
        }
    }
    let next = classes.len();
    if next < LabelTool::N_CLASSES && overflow::has_place(ui, "New class", 36.0) {
        let button = ui.add(Button::new("+").selected(tool.class >= next).min_size(vec2(26.0, 26.0)));
        probe::note_control(ui.ctx(), "New class", button.rect);
        if button.accessible_name("New class").on_hover_text("Adds a class; type its name.").clicked() {
            tool.class = next;
        }
    }
}

/// Classes with one of them replaced, or appended if there are fewer.
fn with_class(mut classes: Vec<LabelClass>, at: usize, class: LabelClass) -> Vec<LabelClass> {
    // Clearing the name of the last class removes it.
    if class.name.is_empty() && at + 1 == classes.len() {
        classes.pop();
        return classes;
    }
    match classes.get_mut(at) {
        Some(place) => *place = class,
        None => classes.push(class),
    }
    classes
}

/// A swatch with the colour of the class, which opens a palette.
fn colour(ui: &mut Ui, colour: &mut u8) {
    let palette = theme::palette(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(26.0, 26.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "Colour of the class"));
    ui.painter().rect_filled(rect.shrink(4.0), theme::RADIUS_SEGMENT, theme::label_colour(Some(*colour), palette));
    let response = response.on_hover_text("Colour of the class.");
    Popup::menu(&response).show(|ui| {
        ui.horizontal_wrapped(|ui| {
            ui.set_max_width(6.0 * 30.0);
            for at in 0..N_COLOURS {
                let (rect, response) = ui.allocate_exact_size(vec2(26.0, 26.0), Sense::click());
                let line = Stroke::new(if *colour == at { 2.0 } else { 0.0 }, palette.text_strong);
                let fill = theme::label_colour(Some(at), palette);
                ui.painter().rect(rect.shrink(4.0), theme::RADIUS_SEGMENT, fill, line, StrokeKind::Outside);
                let name = format!("Colour {}", at + 1);
                response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, *colour == at, &name));
                if response.clicked() {
                    *colour = at;
                    ui.close();
                }
            }
        });
    });
}
