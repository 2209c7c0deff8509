//! The settings of all tools.

use super::brush_settings::BrushSettings;
use super::filters::{BandFilterTool, ModulationFilterTool};
use super::heal::HealTool;
use super::label_tool::LabelTool;
use super::note_quantise::NoteQuantise;
use super::repair::Repair;
use super::tool::Tool;
use crate::bench::limits::{
    HARMONIC_HZ, HARMONICS, PARTS, RADIUS_OCTAVES, RADIUS_POINTS, RADIUS_SECS, TOLERANCE_DB, held, held_single,
};
use crate::document::brushes::Brush;
use crate::dsp::NoteScale;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Radius of a brush.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Radius {
    /// In points on screen, independent of zoom.
    Screen {
        /// Points.
        points: f32,
    },
    /// In seconds and octaves, so that it covers the same sound at any zoom.
    Locked {
        /// Seconds.
        secs: f64,
        /// Octaves (at the pointer's frequency on axes other than log).
        octaves: f64,
    },
}

/// The settings of all tools. The window edits a copy and sends it as an act; only [`Tools`](super::Tools) changes the
/// original.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, remote = "Self")]
pub struct ToolSettings {
    /// Radius of brushes without an entry in `radii`.
    pub radius: Radius,
    /// Radii of brushes that the user changed.
    pub radii: BTreeMap<Tool, Radius>,
    /// Fraction of the brush radius with full effect, 0 to 1.
    pub hardness: f64,
    /// Strength of brushes at full pressure, 0 to 1.
    pub strength: f64,
    /// The band filter, with the settings of each pass.
    pub band_filter: BandFilterTool,
    /// The modulation filter, with the settings of each direction.
    pub modulation_filter: ModulationFilterTool,
    /// The heal brush, with the settings of each mode.
    pub heal: HealTool,
    /// Magic wand: level tolerance.
    pub wand_tolerance_db: f64,
    /// Number of bands when selecting harmonics.
    pub harmonic_count: usize,
    /// Width of each band when selecting harmonics.
    pub harmonic_width_hz: f64,
    /// Strength of hum removal, 0 to 1.
    pub hum_strength: f64,
    /// Sensitivity of the searches for clicks, hum, clipping and similar sounds, 0 to 1.
    pub find_sensitivity: f64,
    /// The label tool, with its classes and the current one.
    pub labels: LabelTool,
    /// The notes that tones and voices snap to.
    pub note_scale: NoteScale,
    /// Quantisation of recorded notes.
    pub note_quantise: NoteQuantise,
    /// Whether brushes act once per dab, where supported.
    pub build_up: bool,
    /// Settings of the brushes of all other tools.
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
            band_filter: BandFilterTool::default(),
            modulation_filter: ModulationFilterTool::default(),
            heal: HealTool::default(),
            wand_tolerance_db: 12.0,
            harmonic_count: 16,
            harmonic_width_hz: 60.0,
            hum_strength: 1.0,
            find_sensitivity: 0.5,
            labels: LabelTool::default(),
            note_scale: NoteScale::default(),
            note_quantise: NoteQuantise::default(),
            build_up: false,
            brushes: BrushSettings::default(),
        }
    }
}

impl ToolSettings {
    /// The radius of a tool's brush.
    pub fn radius_of(&self, tool: Tool) -> Radius {
        self.radii.get(&tool).copied().unwrap_or(self.radius)
    }

    /// Sets the radius of a tool's brush; other tools keep theirs.
    pub fn set_radius(&mut self, tool: Tool, radius: Radius) {
        if radius != self.radius_of(tool) {
            self.radii.insert(tool, radius);
        }
    }

    /// The settings with each number clamped to the range of its control. Non-finite numbers and invalid ranges are
    /// replaced by those of `otherwise`.
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
        self.band_filter = self.band_filter.within_limits(&otherwise.band_filter);
        self.modulation_filter = self.modulation_filter.within_limits(&otherwise.modulation_filter);
        self.heal = self.heal.within_limits(&otherwise.heal);
        self.labels = self.labels.within_limits();
        self.note_scale = self.note_scale.within_limits();
        self.hum_strength = held(self.hum_strength, PARTS, otherwise.hum_strength);
        for repair in Repair::ALL {
            self.keep(self.repair(repair).confined());
        }
        for brush in self.brushes_of_tools() {
            self.keep(brush.confined());
        }
        self
    }

    /// The brush of a repair, with its settings.
    pub fn repair(&self, repair: Repair) -> Brush {
        let first = repair.first();
        self.brushes.or_first(first.kind()).unwrap_or(first)
    }

    /// Strength of a repair, 0 to 1.
    pub fn repair_strength(&self, repair: Repair) -> f64 {
        if repair == Repair::Hum { self.hum_strength } else { 1.0 }
    }

    /// Resets the settings of a tool, and the brush's shape, to their initial values.
    pub(super) fn reset(&mut self, tool: Tool) {
        let fresh = ToolSettings::default();
        self.set_radius(tool, fresh.radius);
        (self.hardness, self.strength) = (fresh.hardness, fresh.strength);
        self.build_up = fresh.build_up;
        match tool {
            Tool::BAND_FILTER => self.band_filter = fresh.band_filter,
            Tool::MODULATION_FILTER => self.modulation_filter = fresh.modulation_filter,
            Tool::HEAL => self.heal = fresh.heal,
            Tool::Wand => self.wand_tolerance_db = fresh.wand_tolerance_db,
            Tool::SelectHarmonics => {
                self.harmonic_count = fresh.harmonic_count;
                self.harmonic_width_hz = fresh.harmonic_width_hz;
            }
            tool => {
                if let Some(brush) = tool.first_brush() {
                    if brush.is_pitched() {
                        self.note_scale = fresh.note_scale;
                    }
                    self.keep(brush);
                }
            }
        }
    }
}

impl Radius {
    /// The radius clamped to the ranges of its fields; `otherwise` if it is not finite.
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

    /// The radius times a factor, clamped to its range.
    pub(super) fn scaled(self, factor: f64) -> Radius {
        let scaled = match self {
            Radius::Screen { points } => Radius::Screen { points: points * factor as f32 },
            Radius::Locked { secs, octaves } => Radius::Locked { secs: secs * factor, octaves: octaves * factor },
        };
        scaled.within_limits(self)
    }
}
