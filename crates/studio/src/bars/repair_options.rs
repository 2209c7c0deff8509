//! The controls of a repair's settings.

use super::super::widgets;
use super::options::{parameters, percent};
use crate::document::brushes::{Brush, DeEss, Dereverb};
use crate::document::{HumRange, HumSearch};
use crate::workbench::{Repair, ToolSettings};
use egui::Ui;

/// Initial reverberation time of a manual decay, in seconds.
const FIRST_RT60_SECS: f64 = 0.6;

/// Draws the settings of a repair, for a sound with this sample rate.
pub(super) fn fields(ui: &mut Ui, repair: Repair, settings: &mut ToolSettings, rate_hz: f64) {
    let mut brush = settings.repair(repair);
    match &mut brush {
        Brush::RemoveHum(hum) => fundamental(ui, &mut hum.f0),
        Brush::DeEss(de_ess) => band(ui, de_ess, rate_hz),
        Brush::Dereverb(dereverb) => decay(ui, dereverb),
        _ => {}
    }
    parameters(ui, &mut brush, None);
    if repair == Repair::Hum {
        percent(ui, "Strength", "How much of the hum is taken off.", &mut settings.hum_strength);
    }
    if brush != settings.repair(repair) {
        settings.keep(brush);
    }
}

/// Search range of the hum's fundamental.
fn fundamental(ui: &mut Ui, f0: &mut HumRange) {
    let is_mains = *f0 == HumRange::Mains;
    let label = |is_mains: bool| if is_mains { "50/60 Hz" } else { "From/To" }.to_owned();
    match widgets::captioned_choice(ui, "Fundamental", 92.0, is_mains, &[true, false], label) {
        Some(true) => *f0 = HumRange::Mains,
        Some(false) if is_mains => *f0 = HumRange::Within(HumSearch::NEAR_MAINS_HZ),
        Some(false) | None => {}
    }
}

/// Frequency range of sibilants.
fn band(ui: &mut Ui, de_ess: &mut DeEss, rate_hz: f64) {
    let is_usual = de_ess.band_hz.is_none();
    let label = |is_usual: bool| if is_usual { "Of a voice" } else { "From/To" }.to_owned();
    match widgets::captioned_choice(ui, "Band", 100.0, is_usual, &[true, false], label) {
        Some(true) => de_ess.band_hz = None,
        Some(false) if is_usual => de_ess.band_hz = de_ess.band_at(rate_hz).ok(),
        Some(false) | None => {}
    }
}

/// Choice whether the decay is estimated or set manually.
fn decay(ui: &mut Ui, dereverb: &mut Dereverb) {
    let is_found = dereverb.rt60_secs.is_none();
    let label = |is_found: bool| if is_found { "Found" } else { "Given" }.to_owned();
    match widgets::captioned_choice(ui, "Decay", 84.0, is_found, &[true, false], label) {
        Some(true) => dereverb.rt60_secs = None,
        Some(false) if is_found => dereverb.rt60_secs = Some(FIRST_RT60_SECS),
        Some(false) | None => {}
    }
}
