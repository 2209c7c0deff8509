//! Options of the voice brush: its timbre and its chord.

use super::timbre_editor;
use crate::document::brushes::{Brush, DrawnVoice, VoicesBrush};
use crate::dsp::voices::Timbre;
use crate::widgets;
use crate::workbench::{Tool, ToolSettings};
use egui::Ui;
use std::sync::Arc;

/// Offered chords, in semitones above the pen.
const CHORDS: [(&str, &[f64]); 13] = [
    ("Single note", &[0.0]),
    ("Octave", &[0.0, 12.0]),
    ("Fifth", &[0.0, 7.0]),
    ("Major", &[0.0, 4.0, 7.0]),
    ("Minor", &[0.0, 3.0, 7.0]),
    ("Diminished", &[0.0, 3.0, 6.0]),
    ("Augmented", &[0.0, 4.0, 8.0]),
    ("Suspended 2nd", &[0.0, 2.0, 7.0]),
    ("Suspended 4th", &[0.0, 5.0, 7.0]),
    ("Major 7th", &[0.0, 4.0, 7.0, 11.0]),
    ("Dominant 7th", &[0.0, 4.0, 7.0, 10.0]),
    ("Minor 7th", &[0.0, 3.0, 7.0, 10.0]),
    ("Diminished 7th", &[0.0, 3.0, 6.0, 9.0]),
];

/// Index of a custom choice.
const CUSTOM: usize = usize::MAX;

/// Timbre and chord of the voice brush; nothing for other tools.
pub fn fields(ui: &mut Ui, tool: Tool, settings: &mut ToolSettings) {
    let Some(Brush::Voices(VoicesBrush::Drawn(mut voice))) = settings.brush_of(tool) else { return };
    let is_changed = timbre(ui, &mut voice) | edited(ui, &mut voice) | chord(ui, &mut voice);
    if is_changed {
        settings.keep(VoicesBrush::Drawn(voice).into());
    }
}

fn timbre(ui: &mut Ui, voice: &mut DrawnVoice) -> bool {
    let named: Vec<Option<Timbre>> = Timbre::NAMES.iter().map(|name| Timbre::named(name)).collect();
    let current = named.iter().position(|timbre| timbre.as_ref() == Some(&*voice.timbre)).unwrap_or(CUSTOM);
    let label = |index: usize| match Timbre::NAMES.get(index) {
        Some(name) => capitalised(name),
        None if voice.timbre.measured.is_some() => "Taken from the sound".into(),
        None => "Own timbre".into(),
    };
    let Some(chosen) = widgets::captioned_choice(ui, "Timbre", 96.0, current, &offered(named.len(), current), label)
    else {
        return false;
    };
    let Some(Some(timbre)) = named.into_iter().nth(chosen) else { return false };
    voice.timbre = Arc::new(timbre);
    true
}

/// The timbre, edited field by field.
fn edited(ui: &mut Ui, voice: &mut DrawnVoice) -> bool {
    let mut timbre = (*voice.timbre).clone();
    timbre_editor::button(ui, &mut timbre);
    let is_changed = timbre != *voice.timbre;
    if is_changed {
        voice.timbre = Arc::new(timbre);
    }
    is_changed
}

fn chord(ui: &mut Ui, voice: &mut DrawnVoice) -> bool {
    let current = CHORDS.iter().position(|(_, chord)| *chord == voice.chord).unwrap_or(CUSTOM);
    let label = |index: usize| CHORDS.get(index).map_or("Own chord", |(name, _)| name).to_owned();
    let chosen = widgets::captioned_choice(ui, "Chord", 112.0, current, &offered(CHORDS.len(), current), label);
    let Some((_, chord)) = chosen.and_then(|chosen| CHORDS.get(chosen)) else { return false };
    voice.chord = chord.to_vec();
    true
}

/// The indices of `n` choices, followed by [`CUSTOM`] if the current choice is custom.
fn offered(n: usize, current: usize) -> Vec<usize> {
    (0..n).chain((current == CUSTOM).then_some(CUSTOM)).collect()
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
