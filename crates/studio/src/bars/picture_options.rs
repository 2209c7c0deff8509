//! The option bar for a floating picture.

use super::super::widgets::values::{Captioned, Value};
use super::super::widgets::{self, ButtonStyle};
use super::super::widgets::{theme, values};
use super::overflow;
use crate::document::brushes::{PictureBrush, PictureMode, PicturePhase};
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{ClipboardCommand, Facts};
use crate::workbench::{Acts, DocumentAct};
use egui::{Align, DragValue, Layout, RichText, Ui};

const MODES: [PictureMode; 3] = [PictureMode::Add, PictureMode::Replace, PictureMode::Filter];
const PHASES: [PicturePhase; 4] =
    [PicturePhase::Random, PicturePhase::Rebuild, PicturePhase::Beneath, PicturePhase::Bank];

/// Draws mode, phases, steps and levels of the floating picture.
pub fn bar(ui: &mut Ui, facts: &Facts, brush: &PictureBrush, acts: &mut Acts) {
    let mut edited = brush.clone();
    let palette = theme::palette(ui.ctx());
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        widgets::sign(ui, icons::MAXIMIZE, 18.0, palette.accent);
        ui.label(RichText::new("Picture").font(theme::semibold(theme::BODY)).color(palette.text_strong));
        widgets::bar_rule(ui);
        overflow::in_bar(ui, 82.0, |ui| fields(ui, facts, &mut edited, acts));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(10.0);
            overflow::menu(ui, |ui| fields(ui, facts, &mut edited, acts));
        });
    });
    if edited != *brush {
        acts.push(DocumentAct::FloatPicture(Box::new(edited)));
    }
}

fn fields(ui: &mut Ui, facts: &Facts, brush: &mut PictureBrush, acts: &mut Acts) {
    if let Some(mode) = widgets::captioned_choice(ui, "Picture mode", 104.0, brush.mode, &MODES, mode_name) {
        brush.mode = mode;
    }
    if brush.mode != PictureMode::Filter
        && let Some(phase) = widgets::captioned_choice(ui, "Phases", 132.0, brush.phase, &PHASES, phase_name)
    {
        brush.phase = phase;
    }
    let value = |name, what, width, unit| Value { name, what, width, unit, caption: Captioned::Name };
    if brush.mode != PictureMode::Filter && brush.phase != PicturePhase::Bank {
        let steps = value("Steps", "How often phases are refined; more is closer to the picture.", 44.0, "");
        let field = DragValue::new(&mut brush.steps).speed(0.1).fixed_decimals(0);
        steps.show_within(ui, field, 0.0..=f64::from(PictureBrush::MAX_STEPS));
    }
    let [dark, white] = &mut brush.range_db;
    let min = value("Darkest", "Level of the darkest grey; black is silent.", 76.0, "dB");
    min.show_within(ui, DragValue::new(dark).speed(0.2).fixed_decimals(1), -200.0..=23.0);
    let max = value("Brightest", "Level of white; 0 dB is a full-scale sine.", 76.0, "dB");
    max.show_within(ui, DragValue::new(white).speed(0.2).fixed_decimals(1), -199.0..=24.0);
    if brush.mode != PictureMode::Filter {
        peak(ui, brush);
    }
    values::tick(ui, "Invert", "Dark is loud and bright is quiet.", &mut brush.look.is_inverted);
    values::tick(ui, "Stereo colours", "Red is the left channel, green the right one.", &mut brush.is_stereo);
    for command in [ClipboardCommand::TurnPicture, ClipboardCommand::FlipPicture] {
        if overflow::has_place(ui, command.row().name, 28.0) {
            widgets::command_icon(ui, facts, command, ButtonStyle::icon(28.0, 16.0), acts);
        }
    }
}

/// Fields for normalising the picture's sound to a peak.
fn peak(ui: &mut Ui, brush: &mut PictureBrush) {
    let mut is_levelled = brush.peak_db.is_some();
    let what = "Raises or lowers all levels together so that the picture's sound has this peak.";
    values::tick(ui, "To peak", what, &mut is_levelled);
    if is_levelled != brush.peak_db.is_some() {
        brush.peak_db = is_levelled.then_some(PictureBrush::PEAK_DB);
    }
    if let Some(peak_db) = &mut brush.peak_db {
        let [min, max] = PictureBrush::PEAK_RANGE_DB;
        let field = Value {
            name: "Peak",
            what: "Peak of the picture's own sound.",
            width: 84.0,
            unit: "dBFS",
            caption: Captioned::Name,
        };
        field.show_within(ui, DragValue::new(peak_db).speed(0.1).fixed_decimals(1), min..=max);
    }
}

fn mode_name(mode: PictureMode) -> String {
    match mode {
        PictureMode::Add => "Add",
        PictureMode::Replace => "Replace",
        PictureMode::Filter => "Filter",
    }
    .into()
}

fn phase_name(phase: PicturePhase) -> String {
    match phase {
        PicturePhase::Random => "Random phases",
        PicturePhase::Rebuild => "Rebuilt phases",
        PicturePhase::Beneath => "Phases beneath",
        PicturePhase::Bank => "Bank of sines",
    }
    .into()
}
