//! Common parts and answers of cards.

use crate::desktop::uri_list::file_of_uri;
use crate::media::{MAX_RATE_HZ, MIN_RATE_HZ, SampleFormat};
use crate::widgets::theme;
use crate::widgets::values::{Captioned, Value};
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{Command, Facts};
use crate::workbench::{ExportShown, FoundBeat, MeasuredLevels, PresetAct, PresetStore, RecordingShown, Reply};
use egui::{Align, Button, DragValue, Id, Layout, Response, RichText, Ui, vec2};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Width of captions in [`captioned`], in points.
const CAPTION_WIDTH: f32 = 56.0;

/// Width of the button beside a path, in points.
const CHOOSE_WIDTH: f32 = 84.0;

/// Size of the close button in a heading, in points.
const CROSS: f32 = 24.0;

/// Maximum number of characters of a typed number.
const MAX_CHARS: usize = 64;

/// The user's answer on a card.
pub enum CardAnswer {
    /// Close the card.
    Close,
    /// Answer the question of the card.
    Reply(Reply),
    /// Run a command.
    Run(Command),
    /// Act on saved noise profiles and presets.
    Keep(PresetAct),
}

/// State that cards show.
pub struct CardContext<'a> {
    /// State that decides which commands are enabled.
    pub facts: &'a Facts,
    /// Name of the open file.
    pub name: String,
    /// The selected range of time in that file.
    pub selected_secs: Option<[f64; 2]>,
    /// Sample format of the source.
    pub source_format: Option<SampleFormat>,
    /// Whether the document is a recording that exists nowhere else.
    pub is_recording: bool,
    /// State of the recording.
    pub recording: RecordingShown<'a>,
    /// Levels of the sound to normalise.
    pub levels: MeasuredLevels,
    /// Saved presets.
    pub keeping: &'a PresetStore,
    /// Result of the beat detection.
    pub beat: FoundBeat,
    /// Properties of the sound to export.
    pub export: ExportShown<'a>,
    /// Description of the computing engine, and the reason for it.
    pub engine: (&'a str, &'a str),
    /// The picture of the demo clip, once loaded.
    pub demo: Option<egui::TextureId>,
}

/// The title and the close button of a card.
pub(crate) fn heading(ui: &mut Ui, text: &str) -> Option<CardAnswer> {
    let palette = theme::palette(ui.ctx());
    let mut answer = None;
    ui.horizontal_top(|ui| {
        // Wraps, since file names in titles may be long.
        let room = vec2(ui.available_width() - CROSS - ui.spacing().item_spacing.x, CROSS);
        ui.allocate_ui_with_layout(room, Layout::top_down(Align::Min), |ui| {
            ui.set_min_size(room);
            ui.add_space(4.0);
            let title = RichText::new(text).font(theme::semibold(theme::BODY)).color(palette.text_strong);
            ui.add(egui::Label::new(title).wrap());
        });
        ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
            let cross = RichText::new(icons::X).font(theme::icons(16.0));
            let close = ui.add(Button::new(cross).frame(false).min_size(vec2(CROSS, CROSS)));
            if close.accessible_name("Close dialog").on_hover_text("Close dialog (Esc)").clicked() {
                answer = Some(CardAnswer::Close);
            }
        });
    });
    answer
}

/// A field of a card, with its name beside it.
pub(crate) struct CardField<'a>(Value<'a>);

impl CardField<'_> {
    /// Sets its width, in points.
    pub(crate) fn wide(self, width: f32) -> Self {
        CardField(Value { width, ..self.0 })
    }

    /// As [`Value::show`].
    pub(crate) fn show(&self, ui: &mut Ui, value: DragValue<'_>) -> Response {
        ui.horizontal(|ui| self.0.show(ui, value)).inner
    }

    /// As [`Value::show_within`].
    pub(crate) fn show_within(&self, ui: &mut Ui, value: DragValue<'_>, range: RangeInclusive<f64>) -> Response {
        ui.horizontal(|ui| self.0.show_within(ui, value, range)).inner
    }
}

/// A field of a card, with its name beside it.
pub(crate) fn value<'a>(name: &'a str, what: &'a str, unit: &'a str) -> CardField<'a> {
    CardField(Value { name, what, width: 112.0, unit, caption: Captioned::Name })
}

/// The field of a path, with its caption above, and a hint while empty.
pub(crate) fn path_field(ui: &mut Ui, text: &mut String, hint: &str) -> Response {
    let name = caption(ui, "Path");
    let field = ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY).hint_text(hint));
    field.labelled_by(name).accessible_name("Path")
}

/// The field of a path, and a button for a file dialog; also returns whether the button was clicked.
pub(crate) fn chosen_path(ui: &mut Ui, text: &mut String, name: &str, hint: &str) -> (Response, bool) {
    captioned(ui, name, |ui, caption| {
        let width = (ui.available_width() - CHOOSE_WIDTH).max(80.0);
        let field = ui.add(egui::TextEdit::singleline(text).desired_width(width).hint_text(hint));
        let field = field.labelled_by(caption).accessible_name(name);
        let button = ui.button("Choose\u{2026}").on_hover_text("Choose it in a dialog.");
        (field, button.accessible_name(format!("Choose {}", name.to_lowercase())).clicked())
    })
}

/// The field of a sample rate, with buttons for common rates.
pub(crate) fn sample_rate(ui: &mut Ui, rate_hz: &mut u32) -> Response {
    ui.horizontal(|ui| {
        let field = DragValue::new(rate_hz).speed(100.0).range(MIN_RATE_HZ..=MAX_RATE_HZ);
        let field = field.custom_parser(crate::input::typed::hz_from_text);
        let response = value("Sample rate", "Samples per second.", "Hz").show(ui, field);
        for usual_hz in [44_100, 48_000, 96_000] {
            let label = format!("{}", f64::from(usual_hz) / 1000.0);
            if ui.button(label).on_hover_text(format!("{usual_hz} Hz")).clicked() {
                *rate_hz = usual_hz;
            }
        }
        response
    })
    .inner
}

/// Moves the current row of a list with Up and Down, while the field above has the focus. Returns whether it moved.
pub(crate) fn move_row(ui: &Ui, row: &mut usize, n_rows: usize) -> bool {
    let before = *row;
    ui.input(|input| {
        if input.key_pressed(egui::Key::ArrowDown) {
            *row += 1;
        }
        if input.key_pressed(egui::Key::ArrowUp) {
            *row = row.saturating_sub(1);
        }
    });
    *row = (*row).min(n_rows.saturating_sub(1));
    *row != before
}

/// If the card has just opened, focuses a field and selects its text, so that typing replaces it.
pub(crate) fn type_at_once(field: &Response, is_new: bool) {
    if is_new {
        field.request_focus();
        select_chars(&field.ctx, field.id, [0, MAX_CHARS]);
    }
}

/// A caption and its widgets, aligned with others of the same card. `add` gets the id of the caption.
pub(crate) fn captioned<R>(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui, Id) -> R) -> R {
    captioned_within(ui, name, CAPTION_WIDTH, add)
}

/// As [`captioned`], with the width of the caption in points.
pub(crate) fn captioned_within<R>(ui: &mut Ui, name: &str, width: f32, add: impl FnOnce(&mut Ui, Id) -> R) -> R {
    ui.horizontal(|ui| {
        let size = vec2(width, theme::FIELD_HEIGHT);
        let named = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_width(width);
            caption(ui, name)
        });
        add(ui, named.inner)
    })
    .inner
}

/// Dimmed text.
pub(crate) fn weak(ui: &mut Ui, text: &str) {
    caption(ui, text);
}

/// The caption of the following field; returns the caption's id.
pub(crate) fn caption(ui: &mut Ui, name: &str) -> Id {
    let palette = theme::palette(ui.ctx());
    ui.label(RichText::new(name).color(palette.text_weak)).id
}

/// The button that Enter presses, unless another widget has the focus. Returns whether it was pressed.
pub(crate) fn primary(ui: &mut Ui, text: &str) -> bool {
    let palette = theme::palette(ui.ctx());
    let label = RichText::new(text).color(palette.on_accent).font(theme::medium(theme::BODY));
    let response = ui.add(Button::new(label).fill(palette.accent).min_size(vec2(88.0, theme::FIELD_HEIGHT)));
    crate::hooks::probe::note_control(ui.ctx(), text, response.rect);
    if takes_command_enter(ui.ctx()) {
        return true;
    }
    // Ctrl+Enter also works in a field, which first takes the typed text.
    let is_free = ui.memory(|memory| memory.focused().is_none()) || ui.input(|input| input.modifiers.command);
    // Enter clicks a button that has the focus.
    match ui.input(|input| input.key_pressed(egui::Key::Enter)) {
        true => (response.clicked() || is_free) && takes_enter(ui.ctx()),
        false => response.clicked(),
    }
}

/// After a card took Enter, another Enter within this time is ignored as a double press.
const ENTER_SPENT_SECS: f64 = 0.5;

fn enter_key() -> Id {
    Id::unique("when a card took Enter")
}

/// Call before a card is drawn: reserves Ctrl+Enter for the primary button, hiding it from focused lists and buttons.
pub(crate) fn keep_command_enter(ctx: &egui::Context) {
    let is_pressed = !ctx.text_edit_focused()
        && ctx.input_mut(|input| input.consume_key(egui::Modifiers::COMMAND, egui::Key::Enter));
    ctx.data_mut(|data| data.insert_temp(command_enter_key(), is_pressed));
}

fn command_enter_key() -> Id {
    Id::unique("whether Ctrl+Enter was pressed over a card")
}

/// Whether Ctrl+Enter presses the primary button; true once per press.
fn takes_command_enter(ctx: &egui::Context) -> bool {
    let is_pressed = ctx.data_mut(|data| data.remove_temp(command_enter_key())).unwrap_or(false);
    is_pressed && spends_enter(ctx)
}

/// Whether Enter was pressed in this frame and is not ignored as a double press. If so, records its time.
pub(crate) fn takes_enter(ctx: &egui::Context) -> bool {
    ctx.input(|input| input.key_pressed(egui::Key::Enter)) && spends_enter(ctx)
}

/// Records the time of a press of Enter; false if it follows another within `ENTER_SPENT_SECS`.
fn spends_enter(ctx: &egui::Context) -> bool {
    let is_taken = !is_enter_spent(ctx);
    if is_taken {
        let now_secs = ctx.input(|input| input.time);
        ctx.data_mut(|data| data.insert_temp(enter_key(), now_secs));
    }
    is_taken
}

/// Whether a card took Enter in an earlier frame within the last `ENTER_SPENT_SECS`, so that another is ignored.
pub(crate) fn is_enter_spent(ctx: &egui::Context) -> bool {
    let now_secs = ctx.input(|input| input.time);
    let taken_secs = ctx.data(|data| data.get_temp::<f64>(enter_key()));
    taken_secs.is_some_and(|taken| taken < now_secs && now_secs < taken + ENTER_SPENT_SECS)
}

/// Whether an event is a press of Enter.
pub(crate) fn is_enter(event: &egui::Event) -> bool {
    matches!(event, egui::Event::Key { key: egui::Key::Enter, pressed: true, .. })
}

/// Call once a frame: any click, text or other key ends the time in which another Enter is ignored.
pub(crate) fn renew_enter(ctx: &egui::Context) {
    let is_other = |event: &egui::Event| match event {
        egui::Event::Text(_) | egui::Event::PointerButton { pressed: true, .. } => true,
        egui::Event::Key { key, pressed, .. } => *pressed && *key != egui::Key::Enter,
        _ => false,
    };
    if ctx.input(|input| input.events.iter().take_while(|event| !is_enter(event)).any(is_other)) {
        ctx.data_mut(|data| data.remove::<f64>(enter_key()));
    }
}

/// The path of a typed text: expands `~/x`, and decodes URIs such as `file:///x%20y`, which file managers copy.
pub(crate) fn expanded(text: &str) -> PathBuf {
    let text = text.trim();
    if let Some(file) = file_of_uri(text.as_bytes(), "") {
        return file;
    }
    match (text.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(text),
    }
}

/// Selects the file name in a path field, without folders and extension, so that typing replaces it.
pub(crate) fn select_name(ctx: &egui::Context, field: egui::Id, path: &str) {
    let name_at = path.rfind('/').map_or(0, |at| at + 1);
    let end = path[name_at..].rfind('.').filter(|at| *at > 0).map_or(path.len(), |at| name_at + at);
    select_chars(ctx, field, [name_at, end].map(|at| path[..at].chars().count()));
}

/// Selects a range of characters in a text field, clamped to its length.
fn select_chars(ctx: &egui::Context, field: egui::Id, chars: [usize; 2]) {
    let [from, to] = chars.map(egui::text::CCursor::new);
    let mut state = egui::text_edit::TextEditState::load(ctx, field).unwrap_or_default();
    state.cursor.set_char_range(Some(egui::text::CCursorRange::two(from, to)));
    state.store(ctx, field);
}
