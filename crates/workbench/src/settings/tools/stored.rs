//! Serialised tool settings. Reads the current format and that of version 0.1, in which each brush had fields of its
//! own.

use super::settings::ToolSettings;
use super::tool::Tool;
use crate::document::brushes::{Brush, ParameterValue};
use crate::dsp::strokes::brush::{Along, HarmonicPercussive, Pass, Tone};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Settings as in a file; omitted fields have their initial values.
#[derive(Deserialize)]
struct StoredSettings {
    #[serde(flatten, with = "ToolSettings")]
    settings: ToolSettings,
    #[serde(flatten)]
    fields: BrushFields,
}

/// The fields of brushes in version 0.1.
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

impl<'de> Deserialize<'de> for ToolSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ToolSettings, D::Error> {
        let StoredSettings { mut settings, fields } = Deserialize::deserialize(deserializer)?;
        fields.move_into(&mut settings);
        Ok(settings)
    }
}

impl Serialize for ToolSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ToolSettings::serialize(self, serializer)
    }
}

impl BrushFields {
    /// Copies each field to its place in the current settings.
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
        // Version 0.1 always shared gains between neighbouring bins; now that is an option.
        let had_even_gains = self.denoise_reduction_db.or(self.denoise_margin_db).map(|_| true);
        let flags = [
            (Tool::BLUR, "rebuild_phase", self.blur_phase),
            (Tool::WARP, "peak_locking", self.warp_locking),
            (Tool::DENOISE, "even_gains", had_even_gains),
        ];
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

/// Sets a parameter of a tool's brush, if there is a value.
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
