//! The settings of the tools as files have them: today's, and those of version 0.1, where each brush had fields of its own.

use super::brush_settings::BrushSettings;
use super::filters::{BandFilterTool, ModulationFilterTool};
use super::heal::HealTool;
use super::settings::{Radius, ToolSettings};
use super::tool::Tool;
use crate::document::brushes::{Brush, ParameterValue};
use crate::dsp::brush::{Along, HarmonicPercussive, Pass, Tone};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// What a file says; what it leaves out is as at the start.
#[derive(Deserialize)]
#[serde(default)]
struct StoredSettings {
    radius: Radius,
    radii: BTreeMap<Tool, Radius>,
    hardness: f64,
    strength: f64,
    band_filter: BandFilterTool,
    modulation_filter: ModulationFilterTool,
    heal: HealTool,
    wand_tolerance_db: f64,
    harmonic_count: usize,
    harmonic_width_hz: f64,
    hum_strength: f64,
    find_sensitivity: f64,
    build_up: bool,
    brushes: BrushSettings,
    #[serde(flatten)]
    fields: BrushFields,
}

/// The fields that brushes had in version 0.1.
#[derive(Default, Deserialize)]
#[serde(default)]
struct BrushFields {
    gain_db: Option<f64>,
    blur_sigma: Option<[f64; 2]>,
    blur_phase: Option<bool>,
    band_pass: Option<Pass>,
    band_bend_hz: Option<f64>,
    band_cutoff_hz: Option<[f64; 2]>,
    band_order: Option<u32>,
    modulation_pass: Option<Pass>,
    modulation_along: Option<Along>,
    modulation_time_cutoff: Option<[f64; 2]>,
    modulation_frequency_cutoff: Option<[f64; 2]>,
    modulation_order: Option<u32>,
    modulation_phase: Option<bool>,
    tone: Option<Tone>,
    noise_db: Option<f64>,
    sharpen_amount: Option<f64>,
    sharpen_sigma: Option<[f64; 2]>,
    denoise_reduction_db: Option<f64>,
    denoise_margin_db: Option<f64>,
    denoise_smoothing: Option<[f64; 2]>,
    parts: Option<HarmonicPercussive>,
    warp_locking: Option<bool>,
}

impl Default for StoredSettings {
    fn default() -> StoredSettings {
        let ToolSettings {
            radius,
            radii,
            hardness,
            strength,
            band_filter,
            modulation_filter,
            heal,
            wand_tolerance_db,
            harmonic_count,
            harmonic_width_hz,
            hum_strength,
            find_sensitivity,
            build_up,
            brushes,
        } = ToolSettings::default();
        StoredSettings {
            radius,
            radii,
            hardness,
            strength,
            band_filter,
            modulation_filter,
            heal,
            wand_tolerance_db,
            harmonic_count,
            harmonic_width_hz,
            hum_strength,
            find_sensitivity,
            build_up,
            brushes,
            fields: BrushFields::default(),
        }
    }
}

impl<'de> Deserialize<'de> for ToolSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ToolSettings, D::Error> {
        StoredSettings::deserialize(deserializer).map(ToolSettings::from)
    }
}

impl From<StoredSettings> for ToolSettings {
    fn from(stored: StoredSettings) -> ToolSettings {
        let mut settings = ToolSettings {
            radius: stored.radius,
            radii: stored.radii,
            hardness: stored.hardness,
            strength: stored.strength,
            band_filter: stored.band_filter,
            modulation_filter: stored.modulation_filter,
            heal: stored.heal,
            wand_tolerance_db: stored.wand_tolerance_db,
            harmonic_count: stored.harmonic_count,
            harmonic_width_hz: stored.harmonic_width_hz,
            hum_strength: stored.hum_strength,
            find_sensitivity: stored.find_sensitivity,
            build_up: stored.build_up,
            brushes: stored.brushes,
        };
        stored.fields.move_into(&mut settings);
        settings
    }
}

impl BrushFields {
    /// Takes each field over into the brush, or the filter, that has it now.
    fn move_into(self, settings: &mut ToolSettings) {
        take(&mut settings.band_filter.pass, self.band_pass);
        take(&mut settings.band_filter.bend_hz, self.band_bend_hz);
        take(&mut settings.band_filter.cutoff_hz, self.band_cutoff_hz);
        take(&mut settings.band_filter.order, self.band_order);
        let filter = &mut settings.modulation_filter;
        take(&mut filter.pass, self.modulation_pass);
        take(&mut filter.along, self.modulation_along);
        take(&mut filter.time_cutoff, self.modulation_time_cutoff);
        take(&mut filter.frequency_cutoff, self.modulation_frequency_cutoff);
        take(&mut filter.order, self.modulation_order);
        take(&mut filter.rebuild_phase, self.modulation_phase);
        for brush in [self.tone.map(Brush::Tone), self.parts.map(Brush::HarmonicPercussive)].into_iter().flatten() {
            settings.keep(brush);
        }
        let numbers = [
            (Tool::GAIN, "gain_db", self.gain_db),
            (Tool::NOISE, "level_db", self.noise_db),
            (Tool::SHARPEN, "amount", self.sharpen_amount),
            (Tool::DENOISE, "reduction_db", self.denoise_reduction_db),
            (Tool::DENOISE, "margin_db", self.denoise_margin_db),
        ];
        for (tool, field, number) in numbers {
            set(settings, tool, field, number, |value, number| {
                if let ParameterValue::Number(value) = value {
                    *value = number;
                }
            });
        }
        let pairs = [
            (Tool::BLUR, "sigma", self.blur_sigma),
            (Tool::SHARPEN, "sigma", self.sharpen_sigma),
            (Tool::DENOISE, "smoothing", self.denoise_smoothing),
        ];
        for (tool, field, pair) in pairs {
            set(settings, tool, field, pair, |value, pair| {
                if let ParameterValue::Pair(value) = value {
                    *value = pair;
                }
            });
        }
        let flags = [(Tool::BLUR, "rebuild_phase", self.blur_phase), (Tool::WARP, "peak_locking", self.warp_locking)];
        for (tool, field, flag) in flags {
            set(settings, tool, field, flag, |value, flag| {
                if let ParameterValue::Flag(value) = value {
                    *value = flag;
                }
            });
        }
    }
}

fn take<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Sets a parameter of a tool's brush.
fn set<T>(
    settings: &mut ToolSettings,
    tool: Tool,
    field: &str,
    value: Option<T>,
    write: impl FnOnce(ParameterValue<'_>, T),
) {
    if let Some(value) = value {
        settings.change_parameter(tool, field, |place| write(place, value));
    }
}
