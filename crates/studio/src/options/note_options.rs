//! Options of tones and voices: the scale that their pitch snaps to.

use crate::base::Note;
use crate::dsp::ScaleKind;
use crate::widgets;
use crate::workbench::{Tool, ToolSettings};
use egui::Ui;

/// Key and scale of a tool whose strokes have a pitch; nothing for other tools.
pub fn fields(ui: &mut Ui, tool: Tool, settings: &mut ToolSettings) {
    if !settings.brush_of(tool).is_some_and(|brush| brush.is_pitched()) {
        return;
    }
    let scale = &mut settings.note_scale;
    let label = |kind: ScaleKind| kind.label().to_owned();
    if let Some(kind) = widgets::captioned_choice(ui, "Scale", 112.0, scale.kind, &ScaleKind::ALL, label) {
        scale.kind = kind;
    }
    // The chromatic scale is the same in every key.
    if scale.kind == ScaleKind::Chromatic {
        return;
    }
    let keys: Vec<u8> = (0..12).collect();
    if let Some(key) = widgets::captioned_choice(ui, "Key", 44.0, scale.key, &keys, key_name) {
        scale.key = key;
    }
}

/// Name of a key without an octave, such as `C♯`.
fn key_name(key: u8) -> String {
    let name = Note { midi: i32::from(key), cents: 0.0 }.name();
    name.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '-').to_owned()
}
