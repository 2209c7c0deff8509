//! Cards: dialogs over the canvas that ask questions. An open card takes all keys and clicks; Escape closes it.

pub(super) mod beat_card;
pub(super) mod card_parts;
pub(super) mod delivery_rows;
pub(super) mod export_card;
pub(super) mod export_presets;
pub mod finder;
pub(super) mod first_steps;
pub(super) mod graphics_card;
pub mod help_cards;
pub(super) mod label_card;
pub(super) mod new_card;
pub(super) mod normalise_card;
pub(super) mod output_card;
pub(super) mod parts_card;
pub(super) mod project_cards;
pub mod record_card;
pub(super) mod run_files_card;
pub(super) mod stretch_cards;

use super::input::keys::CardKeys;
use super::options::preset_options;
use super::widgets::theme;
use crate::workbench::{Purpose, Then};
use crate::workbench::{Question, Reply};
use card_parts::{
    CardAnswer, CardContext, expanded, heading, keep_command_enter, path_field, primary, select_name, takes_enter, weak,
};
use egui::{Align2, RichText, Ui, vec2};
use std::path::PathBuf;

/// The open card.
pub enum Card {
    /// A question of the workbench, with the state of its fields.
    Question(Question),
    /// The command finder.
    Palette {
        /// The typed text.
        text: String,
        /// Row that Enter chooses.
        row: usize,
    },
    /// An introduction in three pictures.
    FirstSteps,
    /// The keyboard shortcuts.
    Keys {
        /// The typed text.
        text: String,
    },
    /// Version, engine, licences.
    About,
}

impl Card {
    /// The keys that close the card.
    pub fn keys(&self) -> CardKeys {
        match self {
            Card::Question(_) | Card::Palette { .. } | Card::FirstSteps | Card::About => CardKeys::Escape,
            Card::Keys { .. } => CardKeys::EscapeOrF1,
        }
    }

    /// The question of the workbench that the card shows; `None` for other cards.
    pub fn question(&self) -> Option<&Question> {
        match self {
            Card::Question(question) => Some(question),
            Card::Palette { .. } | Card::FirstSteps | Card::Keys { .. } | Card::About => None,
        }
    }

    /// Whether the card asks for the location of the sound of a project or session.
    pub fn is_about_location(&self) -> bool {
        matches!(self, Card::Question(Question::Locate { .. }))
    }
}

/// Draws the open card near the top of `canvas`; returns the user's answer, if any.
pub fn ui(ctx: &egui::Context, canvas: egui::Rect, card: &mut Card, about: &CardContext<'_>) -> Option<CardAnswer> {
    let palette = theme::palette(ctx);
    // An id per kind of card, since egui remembers a size per id.
    let kind = match card {
        Card::Question(question) => (0, Some(std::mem::discriminant(question))),
        Card::Palette { .. } => (1, None),
        Card::Keys { .. } => (2, None),
        Card::FirstSteps => (3, None),
        Card::About => (4, None),
    };
    let id = egui::Id::unique(("card", kind));
    shield(ctx, id);
    let is_new = is_new(ctx, id);
    let area = egui::Area::new(id)
        .order(egui::Order::Foreground)
        .pivot(Align2::CENTER_TOP)
        .fixed_pos(canvas.center_top() + vec2(0.0, 40.0));
    let shown = area.show(ctx, |ui| {
        let frame = egui::Frame::new()
            .fill(palette.raised)
            .stroke(egui::Stroke::new(1.0, palette.stroke_strong))
            .corner_radius(theme::RADIUS_CARD)
            .inner_margin(16);
        frame.show(ui, |ui| {
            ui.set_width(match card {
                Card::Keys { .. } | Card::FirstSteps => 760.0f32.min(canvas.width() - 48.0),
                Card::Question(Question::Export { .. } | Question::ExportParts(_) | Question::FilesRun(_)) => {
                    export_card::WIDTH.min(ctx.content_rect().width() - 48.0)
                }
                // May extend over the panels, so that a narrow canvas does not shrink it.
                _ => 420.0f32.min(ctx.content_rect().width() - 48.0),
            });
            ui.spacing_mut().item_spacing = vec2(8.0, 8.0);
            keep_command_enter(ctx);
            match card {
                Card::Question(question) => {
                    let answer = requested(ui, question, about, is_new);
                    answer.or_else(|| preset_options::card_presets(ui, question, about.keeping))
                }
                Card::Palette { text, row } => finder::ui(ui, text, row, about.facts),
                Card::FirstSteps => first_steps::ui(ui, about, canvas.height() - 90.0),
                Card::Keys { text } => help_cards::keys(ui, text, canvas.height() - 150.0, is_new),
                Card::About => help_cards::about(ui, about),
            }
        })
    });
    shown.inner.inner
}

fn requested(ui: &mut Ui, question: &mut Question, about: &CardContext<'_>, is_new: bool) -> Option<CardAnswer> {
    match question {
        Question::Export { options, text, replaces } => export_card::ui(ui, options, text, replaces, about, is_new),
        Question::ExportParts(options) => parts_card::ui(ui, options, about, is_new),
        Question::Path { purpose, text, replaces } => path(ui, purpose, text, replaces, is_new),
        Question::Unsaved { document, then } => unsaved(ui, *document, *then, about),
        Question::SaveProject(options) => project_cards::save(ui, options, &about.name),
        Question::Locate { what, lost } => project_cards::locate(ui, what, lost),
        Question::Recover(left) => project_cards::left(ui, left),
        Question::Output(outputs) => output_card::ui(ui, outputs),
        Question::Graphics(choice) => graphics_card::ui(ui, choice, about),
        Question::Record(options) => record_card::ui(ui, options, about.recording),
        Question::StillRecording => record_card::still_recording(ui),
        Question::New(options) => new_card::new_canvas(ui, options, is_new),
        Question::Lengthen { secs } => new_card::lengthen(ui, secs, is_new),
        Question::InsertSilence { at_secs, secs } => new_card::insert_silence(ui, *at_secs, secs, is_new),
        Question::Label(options) => label_card::label(ui, options, is_new),
        Question::Beat(options) => beat_card::ui(ui, options, about.beat, is_new),
        Question::PitchShift { semitones } => stretch_cards::pitch_shift(ui, semitones, is_new),
        Question::Stretch(options) => stretch_cards::stretch(ui, options, is_new),
        Question::Normalise(options) => normalise_card::ui(ui, options, about.levels, is_new),
        Question::Resample(options) => stretch_cards::resample(ui, options, is_new),
        Question::RunFiles(options) => run_files_card::ask(ui, options, is_new),
        Question::FilesRun(run) => run_files_card::report(ui, run),
        Question::Keep(options) => preset_options::name_card(ui, options, is_new),
        Question::Kept(question) => preset_options::which_card(ui, question, is_new),
    }
}

/// Blocks clicks, scrolling and focus behind the card.
fn shield(ctx: &egui::Context, card: egui::Id) {
    let window = ctx.content_rect();
    let behind = egui::Area::new(egui::Id::unique("behind the card")).order(egui::Order::Middle);
    behind.fixed_pos(window.min).show(ctx, |ui| ui.allocate_exact_size(window.size(), egui::Sense::click_and_drag()));
    ctx.memory_mut(|memory| memory.set_modal_layer(egui::LayerId::new(egui::Order::Foreground, card)));
}

/// Whether the card has just opened. If so, clears the keyboard focus.
fn is_new(ctx: &egui::Context, card: egui::Id) -> bool {
    let frame = ctx.cumulative_frame_nr();
    let seen = ctx.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default::<u64>(card), frame));
    let is_new = seen + 1 < frame;
    if is_new {
        ctx.memory_mut(|memory| memory.focused().into_iter().for_each(|id| memory.surrender_focus(id)));
    }
    is_new
}

fn path(
    ui: &mut Ui,
    purpose: &Purpose,
    text: &mut String,
    replaces: &mut Option<PathBuf>,
    is_new: bool,
) -> Option<CardAnswer> {
    let (title, button) = match purpose {
        Purpose::Open => ("Open by path", "Open"),
        Purpose::OpenPicture => ("Open picture by path", "Open"),
        Purpose::OpenCells => ("Open edited cells by path", "Open"),
        Purpose::Export(_) => ("Export by path", if replaces.is_some() { "Replace" } else { "Export" }),
        Purpose::Project(_) => ("Save project by path", if replaces.is_some() { "Replace" } else { "Save" }),
        Purpose::Cells(_) => ("Save cells by path", if replaces.is_some() { "Replace" } else { "Save" }),
        Purpose::Picture(_) => ("Save picture by path", if replaces.is_some() { "Replace" } else { "Save" }),
        Purpose::Locate(_) => ("Locate source file", "Open"),
        Purpose::AddFolder => ("Add folder to the library", "Add"),
        // These have cards of their own with more fields.
        Purpose::RunFiles(..) => ("Run on files", "Run"),
        Purpose::PartsFolder(_) => ("Export by label", "Export"),
        Purpose::ImportLabels(_) => ("Import labels by path", "Import"),
        Purpose::Labels(_) => ("Export labels by path", if replaces.is_some() { "Replace" } else { "Export" }),
        Purpose::Pitch(_) => ("Save pitch line by path", if replaces.is_some() { "Replace" } else { "Save" }),
        Purpose::Measurements(_) => ("Save measurements by path", if replaces.is_some() { "Replace" } else { "Save" }),
    };
    let mut answer = heading(ui, title);
    let field = path_field(ui, text, hint_of(purpose));
    if field.changed() {
        *replaces = None;
    }
    if is_new {
        field.request_focus();
        select_name(ui.ctx(), field.id, text);
    }
    let entered = field.lost_focus() && takes_enter(ui.ctx());
    if replaces.is_some() {
        let palette = theme::palette(ui.ctx());
        let what = match purpose {
            Purpose::Cells(_) => "Files of these cells already exist and would be replaced.",
            _ => "This file already exists and would be replaced.",
        };
        ui.label(RichText::new(what).color(palette.danger));
    }
    ui.horizontal(|ui| {
        if (primary(ui, button) || entered) && !text.trim().is_empty() {
            let (purpose, path) = (purpose.clone(), expanded(text));
            answer = Some(CardAnswer::Reply(Reply::Path { purpose, path, replaces: replaces.clone() }));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

/// Hint in the empty field.
fn hint_of(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::AddFolder | Purpose::RunFiles(..) | Purpose::PartsFolder(_) => {
            "A folder of sounds, such as /home/you/Music"
        }
        Purpose::OpenPicture => "A picture, such as /home/you/picture.png",
        Purpose::OpenCells | Purpose::Cells(_) => "A picture of cells, such as /home/you/cells.exr",
        Purpose::Picture(_) => "A picture, such as /home/you/sound.png",
        Purpose::ImportLabels(_) | Purpose::Labels(_) => "A file of labels, such as /home/you/sound.csv",
        Purpose::Pitch(_) => "A table, such as /home/you/sound-pitch.csv",
        Purpose::Measurements(_) => "A table, such as /home/you/sound-measured.csv",
        Purpose::Project(_) => "A project, such as /home/you/sound.sonobrush",
        Purpose::Open | Purpose::Export(_) | Purpose::Locate(_) => "A sound, such as /home/you/sound.wav",
    }
}

fn unsaved(ui: &mut Ui, document: u64, then: Then, about: &CardContext<'_>) -> Option<CardAnswer> {
    let (title, lost) = match about.is_recording {
        true => (format!("{} is not saved", about.name), "the recording"),
        false => (format!("{} has unsaved edits", about.name), "them"),
    };
    let mut answer = heading(ui, &title);
    let closed = match then {
        Then::Quit => "window",
        Then::Close(_) => "file",
    };
    weak(ui, &format!("Closing the {closed} would lose {lost}."));
    ui.horizontal_wrapped(|ui| {
        if primary(ui, "Save project") {
            answer = Some(CardAnswer::Reply(Reply::SaveFirst { document, then }));
        }
        if about.facts.saves_back && ui.button("Save back to file").clicked() {
            answer = Some(CardAnswer::Reply(Reply::SaveBackFirst { document, then }));
        }
        if ui.button("Export\u{2026}").clicked() {
            answer = Some(CardAnswer::Reply(Reply::ExportFirst { document, then }));
        }
        let palette = theme::palette(ui.ctx());
        if ui
            .button(
                RichText::new(if about.is_recording { "Discard recording" } else { "Discard edits" })
                    .color(palette.danger),
            )
            .clicked()
        {
            answer = Some(CardAnswer::Reply(Reply::Discard { document, then }));
        }
        if ui.button("Keep editing").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}
