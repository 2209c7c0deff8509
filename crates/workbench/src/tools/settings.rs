//! The settings of all tools.

use super::brush_settings::BrushSettings;
use super::heal::HealTool;
use super::tool::Tool;
use crate::document::brushes::{Brush, RemoveHum};
use crate::dsp::Denoise;
use crate::dsp::brush::{Along, HarmonicPercussive, Pass, Tone};
use crate::limits::{
    BAND_HZ, HARMONIC_HZ, HARMONICS, MODULATION, ORDER, PARTS, RADIUS_OCTAVES, RADIUS_POINTS, RADIUS_SECS,
    TOLERANCE_DB, held, held_range, held_single,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A brush's size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Radius {
    /// Points on screen: the same at any zoom.
    Screen {
        /// Points.
        points: f32,
    },
    /// The same sound at any zoom.
    Locked {
        /// Seconds.
        secs: f64,
        /// Octaves (at the pointer's frequency on axes other than log).
        octaves: f64,
    },
}

/// The settings of all tools: a table. The window edits a copy and sends it as an act; the workbench's own is changed by
/// [`Tools`](super::Tools) alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolSettings {
    /// Size of the brushes that have none of their own in `radii`.
    pub radius: Radius,
    /// Sizes of the brushes whose size was changed.
    pub radii: BTreeMap<Tool, Radius>,
    /// 0 to 1.
    pub hardness: f64,
    /// 0 to 1.
    pub strength: f64,
    /// Gain brush, -120 to +24.
    pub gain_db: f64,
    /// Blur brush: standard deviations in seconds and hertz.
    pub blur_sigma: [f64; 2],
    /// Band filter.
    pub band_pass: Pass,
    /// The cutoff of low and high pass in hertz.
    pub band_bend_hz: f64,
    /// The cutoffs of band pass and notch in hertz.
    pub band_cutoff_hz: [f64; 2],
    /// Its order, 1 to 8.
    pub band_order: u32,
    /// Modulation filter.
    pub modulation_pass: Pass,
    /// Its direction.
    pub modulation_along: Along,
    /// Its cutoffs along time in hertz.
    pub modulation_time_cutoff: [f64; 2],
    /// Its cutoffs along frequency in cycles per kilohertz.
    pub modulation_frequency_cutoff: [f64; 2],
    /// Its order, 1 to 8.
    pub modulation_order: u32,
    /// Magic wand: how far levels may differ.
    pub wand_tolerance_db: f64,
    /// Harmonics of a tone: how many bands.
    pub harmonic_count: usize,
    /// The width of each.
    pub harmonic_width_hz: f64,
    /// Tone brush.
    pub tone: Tone,
    /// Level of the noise brush.
    pub noise_db: f64,
    /// Heal brush.
    pub heal: HealTool,
    /// Sharpen brush: how much, 0 to 16.
    pub sharpen_amount: f64,
    /// Its standard deviations in seconds and hertz.
    pub sharpen_sigma: [f64; 2],
    /// Denoise brush: how far noise is pulled down, 0 to 80 dB.
    pub denoise_reduction_db: f64,
    /// How much louder than learnt the noise is taken to be, -12 to 12 dB.
    pub denoise_margin_db: f64,
    /// Its smoothing in seconds and hertz.
    pub denoise_smoothing: [f64; 2],
    /// How much of a hum is taken off, 0 to 1.
    pub hum_strength: f64,
    /// Gains of tones and of hits.
    pub parts: HarmonicPercussive,
    /// How readily clicks, hum, clipping and more of the same are found, 0 to 1.
    pub find_sensitivity: f64,
    /// Whether the blur brush makes phases anew.
    pub blur_phase: bool,
    /// Whether the modulation filter does.
    pub modulation_phase: bool,
    /// Whether tones keep their frequency where the warp brush stretches time.
    pub warp_locking: bool,
    /// Whether brushes act once per dab, where they can.
    pub build_up: bool,
    /// Settings of brushes that have no field here.
    #[serde(skip_serializing_if = "BrushSettings::is_empty")]
    pub brushes: BrushSettings,
}

impl Default for ToolSettings {
    fn default() -> ToolSettings {
        ToolSettings {
            radius: Radius::Screen { points: 32.0 },
            radii: BTreeMap::new(),
            hardness: 0.5,
            strength: 1.0,
            gain_db: -12.0,
            blur_sigma: [0.02, 60.0],
            // What acts wherever most sound is.
            band_pass: Pass::Low,
            band_bend_hz: 1000.0,
            band_cutoff_hz: [500.0, 2000.0],
            band_order: 4,
            modulation_pass: Pass::Low,
            modulation_along: Along::Time,
            modulation_time_cutoff: [8.0, 16.0],
            modulation_frequency_cutoff: [2.0, 4.0],
            modulation_order: 4,
            wand_tolerance_db: 12.0,
            harmonic_count: 16,
            harmonic_width_hz: 60.0,
            tone: Tone {
                level_db: -24.0,
                harmonics: 1,
                spacing: 1.0,
                inharmonicity: 0.0,
                slope_db: -6.0,
                pan: 0.0,
                fade_secs: Tone::usual_fade_secs(),
            },
            noise_db: -60.0,
            heal: HealTool::default(),
            sharpen_amount: 1.0,
            sharpen_sigma: [0.02, 60.0],
            denoise_reduction_db: Denoise::REDUCTION_DB,
            denoise_margin_db: Denoise::EVEN_MARGIN_DB,
            denoise_smoothing: Denoise::EVEN_SMOOTHING,
            hum_strength: 1.0,
            // What is most often wanted: the tones alone.
            parts: HarmonicPercussive { harmonic_db: 0.0, percussive_db: -24.0, reach: HarmonicPercussive::REACH },
            find_sensitivity: 0.5,
            blur_phase: false,
            modulation_phase: false,
            warp_locking: true,
            build_up: false,
            brushes: BrushSettings::default(),
        }
    }
}

impl ToolSettings {
    /// The size of a tool's brush.
    pub fn radius_of(&self, tool: Tool) -> Radius {
        self.radii.get(&tool).copied().unwrap_or(self.radius)
    }

    /// Sets the size of one tool's brush; the others keep theirs.
    pub fn set_radius(&mut self, tool: Tool, radius: Radius) {
        if radius != self.radius_of(tool) {
            self.radii.insert(tool, radius);
        }
    }

    /// The same, with each number within what its control takes. What is no number, or no range, is as in `otherwise`.
    #[must_use]
    pub fn within_limits(mut self, otherwise: &ToolSettings) -> ToolSettings {
        self.radius = self.radius.within_limits(otherwise.radius);
        for (tool, radius) in &mut self.radii {
            *radius = radius.within_limits(otherwise.radius_of(*tool));
        }
        self.hardness = held(self.hardness, PARTS, otherwise.hardness);
        self.strength = held(self.strength, PARTS, otherwise.strength);
        self.find_sensitivity = held(self.find_sensitivity, PARTS, otherwise.find_sensitivity);
        self.wand_tolerance_db = held(self.wand_tolerance_db, TOLERANCE_DB, otherwise.wand_tolerance_db);
        self.harmonic_count = self.harmonic_count.clamp(HARMONICS[0], HARMONICS[1]);
        self.harmonic_width_hz = held(self.harmonic_width_hz, HARMONIC_HZ, otherwise.harmonic_width_hz);
        self.band_bend_hz = held(self.band_bend_hz, BAND_HZ, otherwise.band_bend_hz);
        self.band_cutoff_hz = held_range(self.band_cutoff_hz, BAND_HZ, otherwise.band_cutoff_hz);
        self.band_order = self.band_order.clamp(ORDER[0], ORDER[1]);
        self.modulation_time_cutoff =
            held_range(self.modulation_time_cutoff, MODULATION, otherwise.modulation_time_cutoff);
        self.modulation_frequency_cutoff =
            held_range(self.modulation_frequency_cutoff, MODULATION, otherwise.modulation_frequency_cutoff);
        self.modulation_order = self.modulation_order.clamp(ORDER[0], ORDER[1]);
        self.heal = self.heal.within_limits(&otherwise.heal);
        self.hum_strength = held(self.hum_strength, PARTS, otherwise.hum_strength);
        self.keep(self.remove_hum().confined());
        for brush in self.brushes_of_tools() {
            self.keep(brush.confined());
        }
        // It has no control.
        self.tone.fade_secs = Tone::usual_fade_secs();
        self
    }

    /// How hum is removed.
    pub fn remove_hum(&self) -> Brush {
        self.brushes.or_usual("remove_hum").unwrap_or(Brush::RemoveHum(RemoveHum::DEFAULT))
    }

    /// The settings of a tool, and the brush's shape, as they were at the start.
    pub(super) fn reset(&mut self, tool: Tool) {
        let fresh = ToolSettings::default();
        self.set_radius(tool, fresh.radius);
        (self.hardness, self.strength) = (fresh.hardness, fresh.strength);
        self.build_up = fresh.build_up;
        if let Some(brush) = fresh.brush_of(tool) {
            self.keep(brush);
        }
        match tool {
            Tool::BandFilter => {
                self.band_pass = fresh.band_pass;
                self.band_bend_hz = fresh.band_bend_hz;
                self.band_cutoff_hz = fresh.band_cutoff_hz;
                self.band_order = fresh.band_order;
            }
            Tool::ModulationFilter => {
                self.modulation_pass = fresh.modulation_pass;
                self.modulation_along = fresh.modulation_along;
                self.modulation_time_cutoff = fresh.modulation_time_cutoff;
                self.modulation_frequency_cutoff = fresh.modulation_frequency_cutoff;
                self.modulation_order = fresh.modulation_order;
                self.modulation_phase = fresh.modulation_phase;
            }
            Tool::Wand => self.wand_tolerance_db = fresh.wand_tolerance_db,
            Tool::SelectHarmonics => {
                self.harmonic_count = fresh.harmonic_count;
                self.harmonic_width_hz = fresh.harmonic_width_hz;
            }
            Tool::Heal => self.heal = fresh.heal,
            _ => {}
        }
    }
}

impl Radius {
    /// The same, within what its fields take; `otherwise` if it is no number.
    fn within_limits(self, otherwise: Radius) -> Radius {
        match self {
            Radius::Screen { points } if points.is_finite() => {
                Radius::Screen { points: held_single(points, RADIUS_POINTS, points) }
            }
            Radius::Locked { secs, octaves } if secs.is_finite() && octaves.is_finite() => {
                let (secs, octaves) = (held(secs, RADIUS_SECS, secs), held(octaves, RADIUS_OCTAVES, octaves));
                Radius::Locked { secs, octaves }
            }
            Radius::Screen { .. } | Radius::Locked { .. } => otherwise,
        }
    }

    /// The same, larger or smaller.
    pub(super) fn scaled(self, factor: f64) -> Radius {
        let scaled = match self {
            Radius::Screen { points } => Radius::Screen { points: points * factor as f32 },
            Radius::Locked { secs, octaves } => Radius::Locked { secs: secs * factor, octaves: octaves * factor },
        };
        scaled.within_limits(self)
    }
}
