//! The active tool, the settings of all tools, and the current noise profile.

use super::settings::{Radius, ToolSettings};
use super::tool::Tool;
use crate::document::{Brush, SavedNoise};
use crate::dsp::{Denoise, NoiseProfile, NoiseSource};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The active tool and the settings of all tools, shared by all documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tools {
    active: Tool,
    /// The last active brush that can be applied without a stroke.
    last_brush: Tool,
    /// The tool that was active before the label tool.
    #[serde(skip)]
    before_labels: Option<Tool>,
    snapping: bool,
    #[serde(flatten)]
    settings: ToolSettings,
    /// The current noise profile.
    #[serde(skip)]
    noise: Option<CurrentNoise>,
    /// The last learnt noise profile, which may differ from the current one.
    #[serde(skip)]
    learnt: Option<CurrentNoise>,
    #[serde(skip)]
    is_learning: bool,
}

/// The current noise profile.
#[derive(Debug, Clone, PartialEq)]
pub struct CurrentNoise {
    /// The profile, and a description of its source.
    pub kept: SavedNoise,
    /// The name under which it is saved; `None` for a learnt profile that is not saved.
    pub name: Option<String>,
}

impl Default for Tools {
    fn default() -> Tools {
        Tools {
            active: Tool::GAIN,
            last_brush: Tool::GAIN,
            before_labels: None,
            snapping: false,
            settings: ToolSettings::default(),
            noise: None,
            learnt: None,
            is_learning: false,
        }
    }
}

impl Tools {
    /// The active tool.
    pub fn active(&self) -> Tool {
        self.active
    }

    /// Whether edges and the cursor snap to onsets and peaks.
    pub fn is_snapping(&self) -> bool {
        self.snapping
    }

    /// The settings of all tools.
    pub fn settings(&self) -> &ToolSettings {
        &self.settings
    }

    /// The radius of the active tool's brush.
    pub fn radius(&self) -> Radius {
        self.settings.radius_of(self.active)
    }

    /// Scales the radius of the active tool's brush.
    pub(super) fn scale_radius(&mut self, factor: f64) {
        let (tool, radius) = (self.active, self.radius().scaled(factor));
        self.change(|settings| settings.set_radius(tool, radius));
    }

    /// The current noise profile: the last one learnt or loaded; `None` before the first. Since noise differs between
    /// recordings, it is not remembered between runs.
    pub fn noise(&self) -> Option<&Arc<NoiseProfile>> {
        self.noise.as_ref().map(|noise| &noise.kept.profile)
    }

    /// The current noise profile with its name and source.
    pub fn current_noise(&self) -> Option<&CurrentNoise> {
        self.noise.as_ref()
    }

    /// The last learnt noise profile, which may differ from the current one.
    pub fn learnt_noise(&self) -> Option<&CurrentNoise> {
        self.learnt.as_ref()
    }

    /// Whether a noise profile is being learnt, for which denoise waits.
    pub fn is_learning(&self) -> bool {
        self.is_learning
    }

    /// The active tool's brush; `None` for tools that do not paint, and for denoise without a noise profile.
    pub fn brush(&self) -> Option<Brush> {
        self.brush_of(self.active)
    }

    /// A tool's brush, as for [`brush`](Tools::brush).
    fn brush_of(&self, tool: Tool) -> Option<Brush> {
        match tool {
            Tool::DENOISE => Some(self.denoise()?.into()),
            tool => self.settings.brush_of(tool),
        }
    }

    /// The tool whose brush is applied to a selection: the active one if it paints, else the last active brush that
    /// needs no stroke.
    pub fn applied(&self) -> Tool {
        if self.active.is_brush() { self.active } else { self.last_brush }
    }

    /// A tool's brush, to apply to a selection; `None` if it needs a stroke, and for denoise without a noise profile.
    pub fn brush_without_stroke(&self, tool: Tool) -> Option<Brush> {
        self.brush_of(tool).filter(|_| self.settings.works_without_stroke(tool))
    }

    /// The denoise brush with the current noise profile; `None` without a profile.
    pub fn denoise(&self) -> Option<Denoise> {
        let noise = NoiseSource::Profile(self.noise()?.clone());
        match self.settings.brush_of(Tool::DENOISE) {
            Some(Brush::Denoise(denoise)) => Some(Denoise { noise, ..denoise }),
            _ => None,
        }
    }

    /// Selects a tool.
    pub fn pick(&mut self, tool: Tool) {
        if tool == Tool::Label && self.active != Tool::Label {
            self.before_labels = Some(self.active);
        }
        self.active = tool;
        if self.settings.works_without_stroke(tool) {
            self.last_brush = tool;
        }
    }

    /// Leaves the label tool for the previous tool.
    pub(crate) fn leave_labels(&mut self) {
        if self.active == Tool::Label {
            let before = self.before_labels.take().unwrap_or(Tool::SelectBox);
            self.pick(before);
        }
    }

    /// Toggles snapping of edges and the cursor.
    pub fn toggle_snapping(&mut self) {
        self.snapping = !self.snapping;
    }

    /// Replaces all settings. Numbers are clamped to the ranges of their controls; non-finite ones keep their previous
    /// values.
    pub fn set(&mut self, settings: ToolSettings) {
        self.settings = settings.within_limits(&self.settings);
    }

    /// Changes some settings, with the limits of [`set`](Tools::set).
    pub fn change(&mut self, change: impl FnOnce(&mut ToolSettings)) {
        let mut settings = self.settings.clone();
        change(&mut settings);
        self.set(settings);
    }

    /// Makes a learnt noise profile current. `learnt_from` describes its source, such as `1.00 s of tape.wav`.
    pub fn learn(&mut self, profile: Arc<NoiseProfile>, learnt_from: String) {
        self.learnt = Some(CurrentNoise { kept: SavedNoise { learnt_from, profile }, name: None });
        self.noise = self.learnt.clone();
    }

    /// Makes a saved noise profile current.
    pub(crate) fn use_noise(&mut self, name: String, kept: SavedNoise) {
        self.noise = Some(CurrentNoise { kept, name: Some(name) });
    }

    /// Makes the last learnt noise profile current again.
    pub(crate) fn use_learnt_noise(&mut self) {
        self.noise = self.learnt.clone().or(self.noise.take());
    }

    /// Sets whether a noise profile is being learnt.
    pub fn set_learning(&mut self, is_learning: bool) {
        self.is_learning = is_learning;
    }

    /// Resets the settings of the active tool, and the brush's shape, to their initial values; the tool stays active.
    pub fn reset_active(&mut self) {
        self.settings.reset(self.active);
    }

    /// The tools as read from a file, with each number limited to the range of its control.
    #[must_use]
    pub fn within_limits(self) -> Tools {
        let settings = self.settings.within_limits(&ToolSettings::default());
        let is_brush = settings.works_without_stroke(self.last_brush);
        let last_brush = if is_brush { self.last_brush } else { Tools::default().last_brush };
        Tools { settings, last_brush, ..self }
    }
}
