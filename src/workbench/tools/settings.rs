//! The tools, their settings, and the brushes that these make.

use super::brush_settings::BrushSettings;
use super::heal::HealTool;
use super::paint_tool::PaintTool;
use crate::document::Brush;
use crate::dsp::brush::{Along, HarmonicPercussive, Pass, Tone};
use crate::dsp::{Denoise, NoiseProfile};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many tools have a name of their own.
const N_NAMED: usize = 23;

/// What the pointer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Selects a range of time.
    SelectTime,
    /// Selects a band of frequencies.
    SelectBand,
    /// Selects a box.
    SelectBox,
    /// Selects what a line runs around.
    Lasso,
    /// Paints the selection.
    SelectBrush,
    /// Selects what hangs together and is about as loud.
    Wand,
    /// Selects a tone and those above it.
    SelectHarmonics,
    /// Paints gain.
    Gain,
    /// Paints silence.
    Erase,
    /// Paints blur.
    Blur,
    /// Paints a band filter.
    BandFilter,
    /// Paints a modulation filter.
    ModulationFilter,
    /// Pushes sound along.
    Warp,
    /// Paints with sound from elsewhere.
    Clone,
    /// Fills holes from their surroundings.
    Heal,
    /// Drags sound along like wet paint.
    Smudge,
    /// Draws tones.
    Tone,
    /// Paints noise.
    Noise,
    /// Brings out what differs from its surroundings.
    Sharpen,
    /// Pulls down a noise that was learnt.
    Denoise,
    /// Gain of tones and of hits.
    HarmonicPercussive,
    /// Makes phases anew.
    RebuildPhase,
    /// Pans the view.
    Hand,
    /// Paints with a brush that states its tool.
    #[serde(untagged)]
    Brush(PaintTool),
}

impl Tool {
    /// Every tool, from top to bottom: those of brushes that state theirs stand above the hand.
    pub const ALL: [Tool; N_NAMED + PaintTool::ALL.len()] = {
        let mut all = [Tool::Hand; N_NAMED + PaintTool::ALL.len()];
        let mut i = 0;
        while i < N_NAMED - 1 {
            all[i] = Tool::NAMED[i];
            i += 1;
        }
        while i - (N_NAMED - 1) < PaintTool::ALL.len() {
            all[i] = Tool::Brush(PaintTool::ALL[i - (N_NAMED - 1)]);
            i += 1;
        }
        all
    };

    /// Those that are named here, the hand the last.
    const NAMED: [Tool; N_NAMED] = [
        Tool::SelectTime,
        Tool::SelectBand,
        Tool::SelectBox,
        Tool::Lasso,
        Tool::SelectBrush,
        Tool::Wand,
        Tool::SelectHarmonics,
        Tool::Gain,
        Tool::Erase,
        Tool::Blur,
        Tool::BandFilter,
        Tool::ModulationFilter,
        Tool::Warp,
        Tool::Heal,
        Tool::Clone,
        Tool::Smudge,
        Tool::Tone,
        Tool::Noise,
        Tool::Sharpen,
        Tool::Denoise,
        Tool::HarmonicPercussive,
        Tool::RebuildPhase,
        Tool::Hand,
    ];

    /// Whether it paints.
    pub fn is_brush(self) -> bool {
        !self.selects() && self != Tool::Hand
    }

    /// Whether it selects.
    pub fn selects(self) -> bool {
        matches!(
            self,
            Tool::SelectTime
                | Tool::SelectBand
                | Tool::SelectBox
                | Tool::Lasso
                | Tool::SelectBrush
                | Tool::Wand
                | Tool::SelectHarmonics
        )
    }

    /// Whether it can act once per dab.
    pub fn builds_up(self) -> bool {
        match self {
            Tool::Warp | Tool::Tone | Tool::Smudge | Tool::RebuildPhase => false,
            Tool::Brush(tool) => Brush::usual(tool.row().kind).is_some_and(|brush| brush.builds_up()),
            tool => tool.is_brush(),
        }
    }

    /// Whether it has a radius and a hardness.
    pub fn has_radius(self) -> bool {
        self.is_brush() || self == Tool::SelectBrush
    }
}

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

/// The tool in hand and the settings of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tools {
    /// The tool in hand.
    pub active: Tool,
    /// Whether edges and the cursor catch on onsets and peaks.
    pub snapping: bool,
    /// Size of every brush.
    pub radius: Radius,
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
    /// The noise that was learnt last; none before. It is of one recording, and not remembered.
    #[serde(skip)]
    pub noise: Option<Arc<NoiseProfile>>,
    /// Another noise is being learnt: denoise waits for it.
    #[serde(skip)]
    pub is_learning: bool,
    /// Denoise brush: how far noise is pulled down, 0 to 80 dB.
    pub denoise_reduction_db: f64,
    /// How much louder than learnt the noise is taken to be, -12 to 12 dB.
    pub denoise_margin_db: f64,
    /// Its smoothing in seconds and hertz.
    pub denoise_smoothing: [f64; 2],
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

impl Default for Tools {
    fn default() -> Tools {
        Tools {
            active: Tool::Gain,
            snapping: false,
            radius: Radius::Screen { points: 32.0 },
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
            tone: Tone { level_db: -24.0, harmonics: 1, spacing: 1.0, inharmonicity: 0.0, slope_db: -6.0, pan: 0.0 },
            noise_db: -60.0,
            heal: HealTool::default(),
            sharpen_amount: 1.0,
            sharpen_sigma: [0.02, 60.0],
            noise: None,
            is_learning: false,
            denoise_reduction_db: Denoise::REDUCTION_DB,
            denoise_margin_db: Denoise::MARGIN_DB,
            denoise_smoothing: Denoise::SMOOTHING,
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

impl Tools {
    /// The same, with each number where the studio's fields keep it: what a file says may be anything.
    #[must_use]
    pub fn within_limits(mut self) -> Tools {
        let usual = Tools::default();
        let hold = |value: &mut f64, usual: f64, least: f64, most: f64| {
            *value = if value.is_finite() { value.clamp(least, most) } else { usual };
        };
        hold(&mut self.hardness, usual.hardness, 0.0, 1.0);
        hold(&mut self.strength, usual.strength, 0.0, 1.0);
        hold(&mut self.wand_tolerance_db, usual.wand_tolerance_db, 0.0, 120.0);
        hold(&mut self.harmonic_width_hz, usual.harmonic_width_hz, 0.0, 5000.0);
        hold(&mut self.band_bend_hz, usual.band_bend_hz, 0.1, 96_000.0);
        for (cutoff, usual, least, most) in [
            (&mut self.band_cutoff_hz, usual.band_cutoff_hz, 0.1, 96_000.0),
            (&mut self.modulation_time_cutoff, usual.modulation_time_cutoff, 0.001, 1000.0),
            (&mut self.modulation_frequency_cutoff, usual.modulation_frequency_cutoff, 0.001, 1000.0),
        ] {
            let is_right = cutoff.iter().all(|cutoff| (least..=most).contains(cutoff)) && cutoff[0] < cutoff[1];
            if !is_right {
                *cutoff = usual;
            }
        }
        hold(&mut self.find_sensitivity, usual.find_sensitivity, 0.0, 1.0);
        if !self.heal.is_usable() {
            self.heal = usual.heal;
        }
        self.band_order = self.band_order.clamp(1, 8);
        self.modulation_order = self.modulation_order.clamp(1, 8);
        self.harmonic_count = self.harmonic_count.clamp(1, 512);
        match &mut self.radius {
            Radius::Screen { points } if points.is_finite() => *points = points.clamp(2.0, 400.0),
            Radius::Locked { secs, octaves } if secs.is_finite() && octaves.is_finite() => {
                (*secs, *octaves) = (secs.clamp(1e-4, 60.0), octaves.clamp(0.001, 10.0));
            }
            Radius::Screen { .. } | Radius::Locked { .. } => self.radius = usual.radius,
        }
        for brush in self.settings() {
            self.keep(brush.confined());
        }
        self
    }

    /// The settings of the active tool, and the brush's shape, as they were at the start; the tool stays in hand.
    pub fn reset_active(&mut self) {
        let fresh = Tools { active: self.active, ..Tools::default() };
        (self.radius, self.hardness, self.strength) = (fresh.radius, fresh.hardness, fresh.strength);
        self.build_up = fresh.build_up;
        if let Some(brush) = fresh.active_settings() {
            self.keep(brush);
        }
        match self.active {
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
