//! The tool in hand, what it is set to, and the noise that was learnt.

use super::settings::{Radius, ToolSettings};
use super::tool::Tool;
use crate::document::{Brush, KeptNoise};
use crate::dsp::{Denoise, NoiseFrom, NoiseProfile};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The tool in hand and the settings of all, one set for all documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tools {
    active: Tool,
    /// The last brush in hand that needs no stroke.
    last_brush: Tool,
    /// The tool that was in hand before labels were drawn.
    #[serde(skip)]
    before_labels: Option<Tool>,
    snapping: bool,
    #[serde(flatten)]
    settings: ToolSettings,
    /// The noise in hand.
    #[serde(skip)]
    noise: Option<NoiseInHand>,
    /// The last learnt noise, which need not be the current one.
    #[serde(skip)]
    learnt: Option<NoiseInHand>,
    #[serde(skip)]
    is_learning: bool,
}

/// A noise that is in hand.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseInHand {
    /// The noise, and what it was learnt from.
    pub kept: KeptNoise,
    /// The name that it is saved by; none as it was learnt.
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
    /// The tool in hand.
    pub fn active(&self) -> Tool {
        self.active
    }

    /// Whether edges and the cursor snap to onsets and peaks.
    pub fn is_snapping(&self) -> bool {
        self.snapping
    }

    /// What all tools are set to.
    pub fn settings(&self) -> &ToolSettings {
        &self.settings
    }

    /// The size of the active tool's brush.
    pub fn radius(&self) -> Radius {
        self.settings.radius_of(self.active)
    }

    /// The size of the active tool's brush times a factor.
    pub(super) fn scale_radius(&mut self, factor: f64) {
        let (tool, radius) = (self.active, self.radius().scaled(factor));
        self.change(|settings| settings.set_radius(tool, radius));
    }

    /// The noise in hand: the one that was learnt last, or the saved one that was chosen since; none before. It is of
    /// one recording, and not remembered.
    pub fn noise(&self) -> Option<&Arc<NoiseProfile>> {
        self.noise.as_ref().map(|noise| &noise.kept.profile)
    }

    /// The noise in hand, with the name that it is saved by.
    pub fn noise_in_hand(&self) -> Option<&NoiseInHand> {
        self.noise.as_ref()
    }

    /// The noise that was learnt last, which may be another than the one in hand.
    pub fn learnt_noise(&self) -> Option<&NoiseInHand> {
        self.learnt.as_ref()
    }

    /// Whether another noise is being learnt: denoise waits for it.
    pub fn is_learning(&self) -> bool {
        self.is_learning
    }

    /// The active tool's brush; none for tools that don't paint, and for denoise before a noise was learnt.
    pub fn brush(&self) -> Option<Brush> {
        self.brush_of(self.active)
    }

    /// A tool's brush; as for [`brush`](Tools::brush).
    fn brush_of(&self, tool: Tool) -> Option<Brush> {
        match tool {
            Tool::DENOISE => Some(self.denoise()?.into()),
            tool => self.settings.brush_of(tool),
        }
    }

    /// The tool whose brush is applied to a selection: the one in hand if it paints, else the last one that needs no
    /// stroke.
    pub fn applied(&self) -> Tool {
        if self.active.is_brush() { self.active } else { self.last_brush }
    }

    /// A tool's brush as it is applied to a selection; none if it needs a stroke, and for denoise before a noise was
    /// learnt.
    pub fn brush_without_stroke(&self, tool: Tool) -> Option<Brush> {
        self.brush_of(tool).filter(|_| self.settings.works_without_stroke(tool))
    }

    /// Reduction of the noise that was learnt last; none before.
    pub fn denoise(&self) -> Option<Denoise> {
        let noise = NoiseFrom::Profile(self.noise()?.clone());
        match self.settings.brush_of(Tool::DENOISE) {
            Some(Brush::Denoise(denoise)) => Some(Denoise { noise, ..denoise }),
            _ => None,
        }
    }

    /// Takes a tool in hand.
    pub fn pick(&mut self, tool: Tool) {
        if tool == Tool::Label && self.active != Tool::Label {
            self.before_labels = Some(self.active);
        }
        self.active = tool;
        if self.settings.works_without_stroke(tool) {
            self.last_brush = tool;
        }
    }

    /// Lays the label tool down: the tool before it is in hand again.
    pub(crate) fn leave_labels(&mut self) {
        if self.active == Tool::Label {
            let before = self.before_labels.take().unwrap_or(Tool::SelectBox);
            self.pick(before);
        }
    }

    /// Snaps edges and the cursor, or no longer.
    pub fn toggle_snapping(&mut self) {
        self.snapping = !self.snapping;
    }

    /// Replaces all settings, each number within what its control takes; what is no number stays as it was.
    pub fn set(&mut self, settings: ToolSettings) {
        self.settings = settings.within_limits(&self.settings);
    }

    /// Changes some settings; as for [`set`](Tools::set).
    pub fn change(&mut self, change: impl FnOnce(&mut ToolSettings)) {
        let mut settings = self.settings.clone();
        change(&mut settings);
        self.set(settings);
    }

    /// A noise was learnt: it is in hand. `learnt_from` says what it was learnt from: `1.00 s of tape.wav`.
    pub fn learn(&mut self, profile: Arc<NoiseProfile>, learnt_from: String) {
        self.learnt = Some(NoiseInHand { kept: KeptNoise { learnt_from, profile }, name: None });
        self.noise = self.learnt.clone();
    }

    /// Takes a saved noise in hand.
    pub(crate) fn use_noise(&mut self, name: String, kept: KeptNoise) {
        self.noise = Some(NoiseInHand { kept, name: Some(name) });
    }

    /// Takes the noise that was learnt last in hand again.
    pub(crate) fn use_learnt_noise(&mut self) {
        self.noise = self.learnt.clone().or(self.noise.take());
    }

    /// A noise is being learnt, or no longer.
    pub fn set_learning(&mut self, is_learning: bool) {
        self.is_learning = is_learning;
    }

    /// The settings of the active tool, and the brush's shape, as they were at the start; the tool stays in hand.
    pub fn reset_active(&mut self) {
        self.settings.reset(self.active);
    }

    /// As a file said, each number within what its control takes: a file may say anything.
    #[must_use]
    pub fn within_limits(self) -> Tools {
        let settings = self.settings.within_limits(&ToolSettings::default());
        let is_brush = settings.works_without_stroke(self.last_brush);
        let last_brush = if is_brush { self.last_brush } else { Tools::default().last_brush };
        Tools { settings, last_brush, ..self }
    }
}
