//! Presets: settings of a tool or an edit, saved by name.

use super::repair::Repair;
use super::settings::{Radius, ToolSettings};
use super::tool::Tool;
use crate::base::{Error, ErrorKind, Result, json_reason};
use crate::document::brushes::Brush;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Settings of a tool, or of an edit with a preview or a card.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolPreset {
    /// Size of the brush.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<Radius>,
    /// Hardness of the brush, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardness: Option<f64>,
    /// Strength, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// Whether the brush acts once per dab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_up: Option<bool>,
    /// Settings specific to the tool or edit. Those of a brush are in the format of scripts.
    pub settings: Value,
}

impl ToolPreset {
    /// A preset with only these specific settings.
    pub(crate) fn of(settings: &impl Serialize) -> ToolPreset {
        ToolPreset { settings: serde_json::to_value(settings).unwrap_or_default(), ..ToolPreset::default() }
    }

    /// The specific settings, deserialised.
    ///
    /// # Errors
    /// [`Malformed`](ErrorKind::Malformed) for settings of another tool or edit.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T> {
        T::deserialize(&self.settings).map_err(|error| malformed(&json_reason(&error)))
    }

    /// The brush in the specific settings.
    ///
    /// # Errors
    /// [`Malformed`](ErrorKind::Malformed) if it is not of the same kind as `like`.
    fn brush_like(&self, like: &Brush) -> Result<Brush> {
        let brush = Brush::from_json(&self.settings.to_string()).map_err(|error| malformed(error.message()))?;
        match brush.kind() == like.kind() {
            true => Ok(brush),
            false => Err(malformed(&format!("it is one of {}, not of {}", brush.kind(), like.kind()))),
        }
    }
}

fn malformed(why: &str) -> Error {
    Error::new(ErrorKind::Malformed, format!("is not a preset that fits: {why}"))
}

fn brush_value(brush: &Brush) -> Value {
    serde_json::from_str(&brush.to_json()).unwrap_or_default()
}

impl ToolSettings {
    /// The settings of a tool as a preset.
    pub fn preset(&self, tool: Tool) -> ToolPreset {
        let settings = match tool {
            Tool::BAND_FILTER => ToolPreset::of(&self.band_filter).settings,
            Tool::MODULATION_FILTER => ToolPreset::of(&self.modulation_filter).settings,
            Tool::HEAL => ToolPreset::of(&self.heal).settings,
            Tool::Wand => json!({"tolerance_db": self.wand_tolerance_db}),
            Tool::SelectHarmonics => json!({"count": self.harmonic_count, "width_hz": self.harmonic_width_hz}),
            tool => self.brush_of(tool).map_or(Value::Null, |brush| brush_value(&brush)),
        };
        ToolPreset {
            radius: tool.is_shaped().then(|| self.radius_of(tool)),
            hardness: tool.is_shaped().then_some(self.hardness),
            strength: tool.is_brush().then_some(self.strength),
            build_up: tool.builds_up().then_some(self.build_up),
            settings,
        }
    }

    /// The settings with a preset applied to a tool; fields that the preset omits are unchanged.
    ///
    /// # Errors
    /// [`Malformed`](ErrorKind::Malformed) for a preset that belongs to another tool.
    pub fn with_preset(mut self, tool: Tool, preset: &ToolPreset) -> Result<ToolSettings> {
        match tool {
            Tool::BAND_FILTER => self.band_filter = preset.read()?,
            Tool::MODULATION_FILTER => self.modulation_filter = preset.read()?,
            Tool::HEAL => self.heal = preset.read()?,
            Tool::Wand => {
                #[derive(Deserialize)]
                struct Wand {
                    tolerance_db: f64,
                }
                self.wand_tolerance_db = preset.read::<Wand>()?.tolerance_db;
            }
            Tool::SelectHarmonics => {
                #[derive(Deserialize)]
                struct Harmonics {
                    count: usize,
                    width_hz: f64,
                }
                let Harmonics { count, width_hz } = preset.read()?;
                (self.harmonic_count, self.harmonic_width_hz) = (count, width_hz);
            }
            tool => {
                if let Some(brush) = self.brush_of(tool) {
                    self.keep(preset.brush_like(&brush)?);
                }
            }
        }
        if let Some(radius) = preset.radius.filter(|_| tool.is_shaped()) {
            self.set_radius(tool, radius);
        }
        self.hardness = preset.hardness.filter(|_| tool.is_shaped()).unwrap_or(self.hardness);
        self.strength = preset.strength.filter(|_| tool.is_brush()).unwrap_or(self.strength);
        self.build_up = preset.build_up.filter(|_| tool.builds_up()).unwrap_or(self.build_up);
        Ok(self)
    }

    /// The settings of a repair as a preset.
    pub fn repair_preset(&self, repair: Repair) -> ToolPreset {
        let strength = (repair == Repair::Hum).then_some(self.hum_strength);
        ToolPreset { strength, settings: brush_value(&self.repair(repair)), ..ToolPreset::default() }
    }

    /// The settings with a preset applied to a repair.
    ///
    /// # Errors
    /// [`Malformed`](ErrorKind::Malformed) for a preset that belongs to another repair.
    pub fn with_repair_preset(mut self, repair: Repair, preset: &ToolPreset) -> Result<ToolSettings> {
        self.keep(preset.brush_like(&self.repair(repair))?);
        self.hum_strength = preset.strength.filter(|_| repair == Repair::Hum).unwrap_or(self.hum_strength);
        Ok(self)
    }
}
