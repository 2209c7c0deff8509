//! Conversion between the settings of tools and brushes.

use super::settings::ToolSettings;
use super::tool::Tool;
use crate::document::brushes::{Brush, DrawnVoice, ParameterValue, StrokeUse, VoicesBrush};
use crate::dsp::voices::Timbre;

impl ToolSettings {
    /// A tool's brush with its settings; `None` for tools that do not paint. The denoise brush is without a noise
    /// profile.
    pub fn brush_of(&self, tool: Tool) -> Option<Brush> {
        match tool {
            Tool::BAND_FILTER => Some(self.band_filter.brush().into()),
            Tool::MODULATION_FILTER => Some(self.modulation_filter.brush().into()),
            Tool::HEAL => Some(self.heal.heal().into()),
            Tool::Brush(tool) => self.brushes.or_first(tool.row().kind),
            _ => None,
        }
    }

    /// Whether a tool's brush can be applied to a selection as a whole. Clone cannot, as its source is relative to a
    /// stroke.
    pub fn works_without_stroke(&self, tool: Tool) -> bool {
        tool != Tool::CLONE && self.brush_of(tool).is_some_and(|brush| brush.stroke_use() == StrokeUse::Optional)
    }

    /// Stores a brush as the settings of its tool.
    pub fn keep(&mut self, brush: Brush) {
        match brush {
            // Kept in fields of their own, with settings for every mode; the option bar edits these directly.
            Brush::BandFilter(_) | Brush::ModulationFilter(_) | Brush::Heal(_) => {}
            other if other.parameters().iter().all(|parameter| parameter.controls.is_empty()) => {}
            other => self.brushes.keep(other),
        }
    }

    /// Changes a parameter of a tool's brush, by its field name in scripts.
    pub fn change_parameter(&mut self, tool: Tool, field: &str, change: impl FnOnce(ParameterValue<'_>)) {
        let Some(mut brush) = self.brush_of(tool) else { return };
        let place = brush.parameters().iter().zip(brush.values()).find(|(parameter, _)| parameter.field == field);
        if let Some((_, value)) = place {
            change(value);
            self.keep(brush);
        }
    }

    /// The voice that the voice brush draws.
    pub fn voice(&self) -> Option<DrawnVoice> {
        self.brushes_of_tools().into_iter().find_map(|brush| match brush {
            Brush::Voices(VoicesBrush::Drawn(voice)) => Some(voice),
            _ => None,
        })
    }

    /// Makes a measured timbre that of the voice brush.
    pub fn take_timbre(&mut self, timbre: Timbre) {
        self.keep(VoicesBrush::Drawn(self.voice().unwrap_or_default().with_measured(timbre)).into());
    }

    /// The brushes of all tools, with their settings.
    pub(super) fn brushes_of_tools(&self) -> Vec<Brush> {
        Tool::ALL.into_iter().filter_map(|tool| self.brush_of(tool)).collect()
    }
}
