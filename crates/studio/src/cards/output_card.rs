//! The card for choosing the playback device and its buffer size.

use super::card_parts::{CardAnswer, caption, heading, weak};
use crate::widgets;
use crate::widgets::boxes;
use crate::workbench::{Outputs, Reply};
use egui::Ui;

/// Available buffer sizes in frames.
const BUFFERS: [u32; 3] = [512, 768, 1024];

/// Draws the card.
pub fn ui(ui: &mut Ui, outputs: &mut Outputs) -> Option<CardAnswer> {
    let mut answer = heading(ui, "Sound output");
    let before = outputs.clone();
    if boxes::radio(ui, outputs.device.is_none(), "System default").clicked() {
        outputs.device = None;
    }
    for name in before.devices {
        let is_chosen = outputs.device.as_ref() == Some(&name);
        if boxes::radio(ui, is_chosen, &name).clicked() {
            outputs.device = Some(name);
        }
    }
    ui.horizontal(|ui| {
        let name = caption(ui, "Buffer");
        let label = |frames: u32| format!("{frames} frames");
        if let Some(frames) = widgets::named_choice(ui, name, "Buffer", 110.0, outputs.buffer_frames, &BUFFERS, label) {
            outputs.buffer_frames = frames;
        }
    });
    weak(ui, "A larger buffer is safer on a busy machine but adds latency.");
    if (&outputs.device, outputs.buffer_frames) != (&before.device, before.buffer_frames) {
        answer = Some(CardAnswer::Reply(Reply::Output(outputs.device.clone(), outputs.buffer_frames)));
    }
    answer
}
