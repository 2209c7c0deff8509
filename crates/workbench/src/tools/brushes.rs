//! The settings of the brushes: from each tool to its brush, and back.

use super::settings::ToolSettings;
use super::tool::Tool;
use crate::document::brushes::{
    Blur, Brush, CloneSource, DrawnVoice, Erase, Gain, ModulationFilter, Noise, RebuildPhase, Sharpen, Smudge,
    StrokeUse, VoicesBrush, Warp,
};
use crate::dsp::brush::{Along, Butterworth, Pass, WarpMode};
use crate::dsp::voices::Timbre;
use crate::dsp::{Axis, Denoise, NoiseFrom};

impl ToolSettings {
    /// A tool's brush, with its settings; none for tools that don't paint. Denoise has no noise yet.
    pub fn brush_of(&self, tool: Tool) -> Option<Brush> {
        let filter = |pass, cutoff: [f64; 2], order| {
            let n = if matches!(pass, Pass::Low | Pass::High) { 1 } else { 2 };
            Butterworth { pass, cutoff: cutoff[..n].to_vec(), order }
        };
        Some(match tool {
            Tool::SelectTime | Tool::SelectBand | Tool::SelectBox | Tool::Lasso | Tool::SelectBrush => return None,
            Tool::Wand | Tool::SelectHarmonics | Tool::Hand => return None,
            Tool::Gain => Gain { gain_db: self.gain_db }.into(),
            Tool::Erase => Erase.into(),
            Tool::Blur => {
                Blur { sigma: self.blur_sigma, sigma_axis: Axis::Linear, rebuild_phase: self.blur_phase }.into()
            }
            Tool::BandFilter => {
                let is_one = matches!(self.band_pass, Pass::Low | Pass::High);
                let cutoff = if is_one { [self.band_bend_hz; 2] } else { self.band_cutoff_hz };
                filter(self.band_pass, cutoff, self.band_order).into()
            }
            Tool::ModulationFilter => {
                let time = filter(self.modulation_pass, self.modulation_time_cutoff, self.modulation_order);
                let frequency = filter(self.modulation_pass, self.modulation_frequency_cutoff, self.modulation_order);
                let filters = match self.modulation_along {
                    Along::Time => vec![time],
                    Along::Frequency => vec![frequency],
                    Along::Both => vec![time, frequency],
                };
                ModulationFilter { along: self.modulation_along, filters, rebuild_phase: self.modulation_phase }.into()
            }
            Tool::Warp => Warp { mode: WarpMode::Push, peak_locking: self.warp_locking }.into(),
            // Where from is known when the stroke begins.
            Tool::Clone => CloneSource { offset: [0.0; 2] }.into(),
            Tool::Smudge => Smudge.into(),
            Tool::Heal => self.heal.heal().into(),
            Tool::Tone => self.tone.into(),
            Tool::Noise => Noise { level_db: self.noise_db, seed: 0 }.into(),
            Tool::Sharpen => {
                Sharpen { sigma: self.sharpen_sigma, sigma_axis: Axis::Linear, amount: self.sharpen_amount }.into()
            }
            Tool::Brush(tool) => return self.brushes.or_usual(tool.row().kind),
            Tool::RebuildPhase => RebuildPhase { steps: crate::dsp::phase::DEFAULT_STEPS }.into(),
            Tool::Denoise => self.denoise_of(NoiseFrom::Range { secs: [0.0, 1.0], hz: None }).into(),
            Tool::HarmonicPercussive => self.parts.into(),
        })
    }

    /// Whether a tool's brush can be applied to a selection as a whole. A clone has no source without a stroke.
    pub fn works_without_stroke(&self, tool: Tool) -> bool {
        tool != Tool::Clone && self.brush_of(tool).is_some_and(|brush| brush.stroke_use() == StrokeUse::Optional)
    }

    /// Keeps a brush as the settings of its tool; those of brushes without fields here as scripts have them.
    pub fn keep(&mut self, brush: Brush) {
        match brush {
            Brush::Gain(brush) => self.gain_db = brush.gain_db,
            Brush::Blur(brush) => (self.blur_sigma, self.blur_phase) = (brush.sigma, brush.rebuild_phase),
            Brush::Sharpen(brush) => (self.sharpen_sigma, self.sharpen_amount) = (brush.sigma, brush.amount),
            Brush::Warp(brush) => self.warp_locking = brush.peak_locking,
            Brush::Noise(brush) => self.noise_db = brush.level_db,
            Brush::Tone(brush) => self.tone = brush,
            Brush::Denoise(brush) => {
                self.denoise_reduction_db = brush.reduction_db;
                self.denoise_margin_db = brush.margin_db;
                self.denoise_smoothing = brush.smoothing;
            }
            Brush::HarmonicPercussive(brush) => self.parts = brush,
            // The option bar changes their settings itself.
            Brush::BandFilter(_) | Brush::ModulationFilter(_) | Brush::Heal(_) => {}
            // It has no tool, and its preview has the controls.
            Brush::RemoveHum(_) => self.brushes.keep(brush),
            other if other.parameters().iter().all(|parameter| parameter.controls.is_empty()) => {}
            other => {
                self.brushes.keep(other);
            }
        }
    }

    /// What the voice brush is set to.
    pub fn voice(&self) -> Option<DrawnVoice> {
        self.brushes_of_tools().into_iter().find_map(|brush| match brush {
            Brush::Voices(VoicesBrush::Drawn(voice)) => Some(voice),
            _ => None,
        })
    }

    /// Takes a measured timbre into the voice brush.
    pub fn take_timbre(&mut self, timbre: Timbre) {
        self.keep(VoicesBrush::Drawn(self.voice().unwrap_or_default().with_measured(timbre)).into());
    }

    /// The brushes of all tools, with their settings.
    pub(super) fn brushes_of_tools(&self) -> Vec<Brush> {
        Tool::ALL.into_iter().filter_map(|tool| self.brush_of(tool)).collect()
    }

    /// Reduction of a noise.
    pub(super) fn denoise_of(&self, noise: NoiseFrom) -> Denoise {
        Denoise {
            noise,
            reduction_db: self.denoise_reduction_db,
            margin_db: self.denoise_margin_db,
            smoothing: self.denoise_smoothing,
            even_gains: true,
        }
    }
}
