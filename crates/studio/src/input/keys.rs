//! Maps egui's key events to commands.

use super::typing::TypingKeyboard;
use crate::cards::card_parts::{is_enter_spent, renew_enter};
use crate::workbench::commands::{COMMANDS, ClipboardCommand, Code, Command, Facts, Key, KeyContext, WindowCommand};

/// The keys that close the open card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardKeys {
    /// Escape.
    Escape,
    /// Escape, or F1, which opened it.
    EscapeOrF1,
}

/// Receivers of keys that take precedence over commands.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyTakers {
    /// egui id of the canvas.
    pub canvas: Option<egui::Id>,
    /// Whether the typing keyboard is on.
    pub is_typing: bool,
    /// Whether keys still count as text, as while a card closes and the next opens.
    pub is_text_due: bool,
}

/// Seconds without a text field after which keys are commands again.
const TEXT_DUE_SECS: f64 = 0.3;
/// Maximum number of seconds to wait for the card that a command opens.
const CARD_DUE_SECS: f64 = 3.0;
/// Number of frames after which an open card is expected to have drawn and focused its fields.
const FRAMES_TO_OPEN: u32 = 2;

/// Decides whether keys are text although no field has the focus: shortly after a card with a field closes, and while a
/// card that a command opens is awaited. Text typed meanwhile goes to that card, or is dropped if it does not open.
#[derive(Debug, Clone, Default)]
pub struct PendingText {
    until_secs: Option<f64>,
    /// Time since which a card is awaited.
    due_since_secs: Option<f64>,
    /// Whether the awaited card follows another one, for which the text may have been meant: the text is dropped.
    follows_card: bool,
    /// Number of frames since the card opened.
    n_frames_open: u32,
    /// Whether a command opened the card, and its first field has not had the focus yet.
    is_opening: bool,
    kept: Vec<egui::Event>,
}

impl PendingText {
    /// Call once a frame with the state of cards and fields. Returns whether keys are text.
    pub fn follow(&mut self, ctx: &egui::Context, has_card: bool, has_field: bool, is_asking: bool) -> bool {
        let is_text = self.follow_cards(ctx, has_card, has_field, is_asking);
        renew_enter(ctx);
        is_text
    }

    fn follow_cards(&mut self, ctx: &egui::Context, has_card: bool, has_field: bool, is_asking: bool) -> bool {
        let now_secs = ctx.input(|input| input.time);
        let is_due = is_asking && !has_card;
        if is_due && self.due_since_secs.is_none() {
            self.follows_card = self.n_frames_open > 0;
        }
        self.due_since_secs = if is_due { self.due_since_secs.or(Some(now_secs)) } else { None };
        self.n_frames_open = if has_card { self.n_frames_open.saturating_add(1) } else { 0 };
        if self.due_since_secs.is_some_and(|since| now_secs < since + CARD_DUE_SECS) {
            self.keep(ctx);
            return true;
        }
        if has_card && (self.is_opening || !self.kept.is_empty()) {
            // In the first frame the focus may still be in the command finder.
            if has_field && self.n_frames_open > 1 || self.n_frames_open > FRAMES_TO_OPEN {
                self.is_opening = false;
                let kept = std::mem::take(&mut self.kept);
                ctx.input_mut(|input| drop(input.events.splice(0..0, kept)));
            } else {
                // The card's field takes the focus in its first frame.
                self.keep(ctx);
                ctx.request_repaint();
            }
        }
        if !has_card {
            self.kept.clear();
            self.is_opening = false;
        }
        if has_field || has_card && is_asking {
            self.until_secs = Some(now_secs + TEXT_DUE_SECS);
        }
        self.until_secs = self.until_secs.filter(|until| now_secs < *until);
        self.until_secs.is_some()
    }

    /// Call when a command of this frame opens a card: keeps the text typed after it for that card. `index` is the
    /// event that chose the command; `None` for a click.
    pub fn keep_after(&mut self, ctx: &egui::Context, index: Option<usize>) {
        self.follows_card = false;
        self.n_frames_open = 0;
        self.is_opening = true;
        if let Some(index) = index {
            self.keep_from(ctx, index + 1);
        }
        ctx.request_repaint();
    }

    /// Moves all events that write or edit text from this frame's input to `kept`.
    fn keep(&mut self, ctx: &egui::Context) {
        self.keep_from(ctx, 0);
    }

    fn keep_from(&mut self, ctx: &egui::Context, first: usize) {
        let is_kept = |event: &egui::Event| match event {
            egui::Event::Text(_) => true,
            egui::Event::Key { key, modifiers, .. } => is_text(*key, *modifiers),
            _ => false,
        };
        let room = if self.follows_card { 0 } else { MAX_QUEUED_EVENTS.saturating_sub(self.kept.len()) };
        let taken = ctx.input_mut(|input| {
            let first = first.min(input.events.len());
            input.events.extract_if(first.., |event| is_kept(event)).collect::<Vec<_>>()
        });
        self.kept.extend(taken.into_iter().take(room));
    }
}

/// Maximum number of events kept until a card opens, far more than a user can type meanwhile.
const MAX_QUEUED_EVENTS: usize = 1024;

/// The commands whose keys were pressed in this frame, in order, each with the index of its event. None during text
/// input; while a card is open, only the one that closes it. A key that is assigned in several contexts runs the
/// command of the first active one in this order: the current label; the focused canvas with a selection tool; a
/// polygon being drawn; a preview; a floating picture; the focused canvas with another tool; another floating paste;
/// the label tool; search results; the window. While the typing keyboard is on, its letters are not commands.
pub fn commands_pressed(
    ctx: &egui::Context,
    card: Option<CardKeys>,
    KeyTakers { canvas, is_typing, is_text_due }: KeyTakers,
    facts: &Facts,
) -> Vec<(usize, Command)> {
    if let Some(card) = card {
        // A list that is open on the card takes precedence for Escape.
        let is_escape = !egui::Popup::is_any_open(ctx) && ctx.input(|input| input.key_pressed(egui::Key::Escape));
        let is_sheet = card == CardKeys::EscapeOrF1 && ctx.input(|input| input.key_pressed(egui::Key::F1));
        return if is_escape || is_sheet { vec![(0, Command::Window(WindowCommand::Cancel))] } else { Vec::new() };
    }
    if ctx.text_edit_focused() {
        return Vec::new();
    }
    // A focused widget handles Space, Enter and the arrows itself.
    let focused = ctx.memory(|memory| memory.focused());
    let on_canvas = focused.is_some() && focused == canvas;
    let is_focused = focused.is_some() && !on_canvas;
    let has_list = egui::Popup::is_any_open(ctx);
    let is_enter_spent = is_enter_spent(ctx);
    let is_sound_in_hand = facts.is_floating || facts.has_picture || facts.is_previewing || facts.is_drawing_polygon;
    let has_label = facts.has_label_in_hand && !is_sound_in_hand && !facts.is_moving_label;
    let mut pressed = Vec::new();
    ctx.input(|input| {
        for (at, event) in input.events.iter().enumerate() {
            // The windowing layer turns the clipboard's keys into events.
            let of_clipboard = match event {
                egui::Event::Copy => Some(ClipboardCommand::Copy),
                egui::Event::Cut => Some(ClipboardCommand::Cut),
                egui::Event::Paste(_) => Some(ClipboardCommand::Paste),
                _ => None,
            };
            pressed.extend(of_clipboard.map(|command| (at, Command::Clipboard(command))));
            let egui::Event::Key { key, pressed: true, repeat, modifiers, .. } = event else { continue };
            // Tab moves the focus; Ctrl+Tab switches the document.
            let is_tab_change = *key == egui::Key::Tab && modifiers.command;
            if modifiers.alt || is_focused && is_for_widgets(*key) && !is_tab_change {
                continue;
            }
            if is_enter_spent && *key == egui::Key::Enter {
                continue;
            }
            // In an open list or menu these keys cancel or choose.
            if has_list && matches!(key, egui::Key::Escape | egui::Key::Enter) {
                continue;
            }
            if is_text_due && is_text(*key, *modifiers) {
                continue;
            }
            if is_typing && modifiers.is_none() && TypingKeyboard::takes(*key) {
                continue;
            }
            let find = |context: KeyContext| {
                COMMANDS.iter().find(|command| {
                    let row = command.row();
                    row.context == context && row.keys.iter().any(|own| matches(own, *key, *modifiers))
                })
            };
            let contexts = [
                (has_label, KeyContext::Label),
                (on_canvas && facts.is_selecting, KeyContext::Canvas),
                (facts.is_drawing_polygon, KeyContext::Polygon),
                (facts.is_previewing, KeyContext::Preview),
                (facts.has_picture, KeyContext::Picture),
                (on_canvas, KeyContext::Canvas),
                (facts.is_floating, KeyContext::Floating),
                (facts.is_labelling && !facts.is_moving_label, KeyContext::Labelling),
                (facts.n_places > 0, KeyContext::Places),
                (true, KeyContext::Window),
            ];
            let found = contexts.into_iter().find_map(|(counts, context)| counts.then(|| find(context)).flatten());
            if let Some(&command) = found
                && (!repeat || command.row().repeats)
            {
                pressed.push((at, command));
            }
        }
    });
    if pressed.iter().any(|(_, command)| matches!(command.row().context, KeyContext::Places | KeyContext::Label)) {
        // Keeps Tab from moving the focus.
        ctx.memory_mut(|memory| memory.move_focus(egui::FocusDirection::None));
    }
    pressed
}

/// Whether a key of a command is held down.
pub fn is_down(ctx: &egui::Context, command: impl Into<Command>) -> bool {
    let keys = command.into().row().keys.iter().filter_map(egui_key);
    ctx.input(|input| keys.into_iter().any(|(key, _)| input.key_down(key)))
}

/// Whether a key writes or edits text.
fn is_text(key: egui::Key, modifiers: egui::Modifiers) -> bool {
    let is_function = key.name().len() > 1 && key.name().starts_with('F') && key != egui::Key::F;
    !modifiers.command && key != egui::Key::Escape && !is_function
}

fn is_for_widgets(key: egui::Key) -> bool {
    use egui::Key::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Enter, Escape, Space, Tab};
    matches!(key, Space | Enter | Tab | ArrowLeft | ArrowRight | ArrowUp | ArrowDown | Escape)
}

/// Whether a key and its modifiers, as egui reports them, equal a key of the command table.
pub fn matches(own: &Key, key: egui::Key, modifiers: egui::Modifiers) -> bool {
    if own.ctrl != modifiers.command {
        return false;
    }
    let Some((wanted, shift)) = egui_key(own) else { return false };
    // Whether signs need Shift depends on the keyboard layout. A brace may be reported as Shift and a bracket.
    let is_brace = |brace, bracket| wanted == brace && key == bracket && modifiers.shift;
    if is_brace(egui::Key::OpenCurlyBracket, egui::Key::OpenBracket)
        || is_brace(egui::Key::CloseCurlyBracket, egui::Key::CloseBracket)
    {
        return true;
    }
    let is_sign = matches!(own.code, Code::Char(sign) if !sign.is_ascii_alphanumeric());
    let is_bracket = matches!(own.code, Code::Char('[' | ']'));
    wanted == key && ((is_sign && !is_bracket) || shift == modifiers.shift)
}

/// The egui key of a key of the table, and whether it needs Shift; `None` if egui has no such key.
pub fn egui_key(key: &Key) -> Option<(egui::Key, bool)> {
    let code = match key.code {
        Code::Char(letter) => egui::Key::from_name(letter.encode_utf8(&mut [0; 4]))?,
        Code::F(number) => egui::Key::from_name(&format!("F{number}"))?,
        Code::Space => egui::Key::Space,
        Code::Delete => egui::Key::Delete,
        Code::Backspace => egui::Key::Backspace,
        Code::Home => egui::Key::Home,
        Code::End => egui::Key::End,
        Code::Escape => egui::Key::Escape,
        Code::Enter => egui::Key::Enter,
        Code::Tab => egui::Key::Tab,
        Code::PageUp => egui::Key::PageUp,
        Code::PageDown => egui::Key::PageDown,
        Code::Left => egui::Key::ArrowLeft,
        Code::Right => egui::Key::ArrowRight,
        Code::Up => egui::Key::ArrowUp,
        Code::Down => egui::Key::ArrowDown,
    };
    Some((code, key.shift))
}
