//! Noise: adds white noise.

use crate::base::Result;
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey};
use crate::brushes::operation::{CellBrush, Operation};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::trial::BrushTrial;
use crate::document::edits::plan::{BrushPlan, Dabs, EditPiece, Placement, PlannedBrush, Scope};
use crate::dsp::signal::noise::{noise_samples, noise_sigma};
use crate::dsp::{CellRect, GridPlan, StftParams};

/// White noise, added where the brush acts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Mean power on the scale of the spectrogram; 0 dB is a full-scale sine.
    pub level_db: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl BrushModule for Noise {
    const KIND: &'static str = "noise";
    const NAME: &'static str = "Noise";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Noise::KIND,
        id: "tool_noise",
        name: "Noise brush",
        what: "Adds noise.",
        keys: &[ToolKey::shift('N')],
        // Lucide's audio-waveform.
        icon: '\u{e495}',
        group: BrushGroup::Draw,
    });
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::required("level_db", ParameterLimits::Within(-200.0, 24.0))
            .note("the mean power of its cells, where 0 dB is a full-scale sine")
            .controls(&[
                OptionControl::number("Level", "Mean power of the noise, as shown in the spectrogram.", "dB").brief()
            ]),
        Parameter::optional("seed", ParameterLimits::Any),
    ];

    fn omitted() -> Option<Noise> {
        Some(Noise { level_db: -60.0, seed: 0 })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.level_db), ParameterValue::Seed(&mut self.seed)]
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Noise>> {
        vec![BrushTrial::new(Noise::KIND, Noise { level_db: -40.0, seed: 1 })]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Noise {
    fn makes_sound(&self) -> bool {
        true
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        // On rows, the level refers to the default STFT of the sample rate, so that the noise is equally loud on both.
        let [sum, power] = match &place.plan {
            GridPlan::Stft(stft) => [stft.window_sum(), stft.window_power()],
            GridPlan::Rows(_) => StftParams::for_rate(place.grid.sample_rate_hz).window_sums(),
        };
        let (seed, sigma) = (self.seed, noise_sigma(self.level_db, sum, power));
        let dabs = place.built_up_dabs(Noise::KIND)?;
        Ok(Some(BrushPlan::new(PlannedNoise { seed, sigma, dabs }, place.bounds.clone())))
    }
}

/// Noise with a standard deviation, added once, or once per dab if the stroke builds up.
#[derive(Debug)]
struct PlannedNoise<'a> {
    seed: u64,
    sigma: f64,
    dabs: Dabs<'a>,
}

impl PlannedBrush for PlannedNoise<'_> {
    fn scope(&self) -> Scope {
        Scope::Local
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        // Each dab adds its sound again.
        let mask = place.mask_of_dabs(&self.dabs, &rect, |sum, m| sum + m);
        Ok(EditPiece::new(self.read(place, &rect), mask, |pass, piece, before| {
            let read = pass.place.plan.samples_read(&piece.rect);
            let n_samples = (read.end - read.start) as usize;
            let draw = || noise_samples(self.seed, pass.signal.number(), read.start, n_samples, self.sigma);
            let samples = pass.engine.here("noise", "noise is drawn sample by sample", draw);
            let noise = pass.engine.analyse(&pass.place.plan, &samples, &piece.rect)?;
            pass.engine.combine(before, &noise, &piece.mask, 1.0)
        }))
    }
}
