//! Denoise: reduces a learnt noise. Scripts contain a full profile, or the range to learn it from.

use super::noise_source::{place_noise, read_noise, write_noise};
use crate::base::{Error, ErrorKind, JsonFields, Result};
use crate::brushes::module::{BrushGroup, BrushModule, BrushTool, ToolKey, read_parameters, write_parameters};
use crate::brushes::operation::{CellBrush, Operation};
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue};
use crate::brushes::trial::BrushTrial;
use crate::document::Signal;
use crate::document::edits::placing::EditPlacing;
use crate::document::edits::plan::{
    BrushPlan, Cuts, DabWork, DabWorks, Dabs, EditPiece, Placement, PlannedBrush, Scope,
};
use crate::document::noise::learn::{EditSound, learnt_noise};
use crate::dsp::{CellRect, Denoise, Kernel, NoiseProfile, NoiseSignal, NoiseSource};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Placeholder for a noise that is not learnt yet.
const UNLEARNT_NOISE: NoiseSource = NoiseSource::Range { secs: [0.0, 1.0], hz: None };

impl BrushModule for Denoise {
    const KIND: &'static str = "denoise";
    const NAME: &'static str = "Denoise";
    const TOOL: Option<BrushTool> = Some(BrushTool {
        kind: Denoise::KIND,
        id: "tool_denoise",
        name: "Denoise brush",
        what: "Removes a noise; first learn it from a selection of noise alone.",
        keys: &[ToolKey::shift('Q')],
        // Lucide's wind.
        icon: '\u{e1b0}',
        group: BrushGroup::Retouch,
    });
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("reduction_db", ParameterLimits::Within(0.0, 80.0)).controls(&[OptionControl::number(
            "Reduction",
            "How far pure noise is attenuated.",
            "dB",
        )]),
        Parameter::optional("margin_db", ParameterLimits::Within(-12.0, 12.0)).controls(&[OptionControl::number(
            "Margin",
            "Offset added to the level of the learnt noise.",
            "dB",
        )
        .steps(1, 0.05)]),
        Parameter::optional("smoothing", ParameterLimits::UpTo(Denoise::MAX_SMOOTHING))
            .note("seconds and hertz")
            .controls(&[
                OptionControl::millis(
                    "Smoothing in time",
                    "Evens the reduction out: less warbling, softer onsets.",
                    2.0,
                )
                .wide(84.0),
                OptionControl::number(
                    "Smoothing in frequency",
                    "Evens the reduction out: less warbling, broader tones.",
                    "Hz",
                )
                .within(0.0, 20_000.0)
                .steps(1, 1.0)
                .wide(84.0),
            ]),
        Parameter::flag("even_gains").sparse().controls(&[OptionControl::tick(
            "For voices",
            "Keeps more of a voice in noise, and a little less of music.",
        )]),
    ];

    /// Settings with a noise that is not learnt yet.
    fn omitted() -> Option<Denoise> {
        Some(Denoise::of(UNLEARNT_NOISE))
    }

    fn first() -> Option<Denoise> {
        Some(Denoise {
            margin_db: Denoise::EVEN_MARGIN_DB,
            smoothing: Denoise::EVEN_SMOOTHING,
            ..Denoise::of(UNLEARNT_NOISE)
        })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![
            ParameterValue::Number(&mut self.reduction_db),
            ParameterValue::Number(&mut self.margin_db),
            ParameterValue::Pair(&mut self.smoothing),
            ParameterValue::Flag(&mut self.even_gains),
        ]
    }

    fn read(fields: &JsonFields) -> Result<Denoise> {
        let Some(noise) = read_noise(fields)? else {
            return fields.at.refuse("denoise needs \"learn\": [from, to] in seconds of noise alone, or a \"profile\"");
        };
        let mut denoise = Denoise::of(noise);
        read_parameters(&mut denoise, fields)?;
        Ok(denoise)
    }

    fn write(&self, object: &mut Map<String, Value>) {
        write_parameters(self, object);
        write_noise(&self.noise, object);
    }

    fn table_cell() -> String {
        let ([secs, hz], [even_secs, even_hz]) = (Denoise::SMOOTHING, Denoise::EVEN_SMOOTHING);
        format!(
            "`learn`, a range of seconds (or `{{\"time\": [..], \"frequency\": [..]}}`), or a `profile`: the name of a \
             saved one, the path of its file, or the numbers that stored edits contain; `reduction_db` {}; `margin_db` {}; `smoothing` [{secs}, {hz}] seconds and hertz; `even_gains` \
             false: whether bins share their gains with their neighbours, which keeps more of a voice and less of music; \
             edits of the studio begin with `margin_db` {} and `smoothing` [{even_secs}, {even_hz}]",
            Denoise::REDUCTION_DB,
            Denoise::MARGIN_DB,
            Denoise::EVEN_MARGIN_DB
        )
    }

    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Denoise>> {
        // The negative margin underestimates the noise, so that no cell takes the fast path for noise alone.
        let noise = NoiseSource::Range { secs: [0.0, 1.0], hz: None };
        vec![BrushTrial::new(Denoise::KIND, Denoise { margin_db: -6.0, ..Denoise::even(noise) })]
    }

    fn resolved(&self, sound: &EditSound<'_>) -> Result<Option<Denoise>> {
        let learnt = learnt_noise(&self.noise, sound)?;
        Ok(learnt.map(|noise| Denoise { noise, ..self.clone() }))
    }

    fn place(&mut self, placing: &EditPlacing) {
        place_noise(&mut self.noise, placing);
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for Denoise {
    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let NoiseSource::Profile(profile) = &self.noise else {
            return Err(Error::new(ErrorKind::Internal, "learn the noise before reducing it"));
        };
        let dabs = place.built_up_dabs(Denoise::KIND)?;
        // The halo is the same for every signal.
        let of = profile.spectra.first().map_or(NoiseSignal::Channel(0), |(of, _)| *of);
        let halo = self.kernel(profile, of, &place.grid, &place.plan).halo();
        Ok(Some(BrushPlan::new(PlannedDenoise { denoise: self, profile, halo, dabs }, place.bounds.clone())))
    }
}

/// Noise reduction, once or once per dab: each signal has its own kernel.
#[derive(Debug)]
struct PlannedDenoise<'a> {
    denoise: &'a Denoise,
    profile: &'a NoiseProfile,
    halo: [usize; 2],
    dabs: Dabs<'a>,
}

impl PlannedDenoise<'_> {
    fn kernel(&self, place: &Placement<'_>, signal: Signal) -> Kernel {
        Kernel::Denoise(Arc::new(self.denoise.kernel(self.profile, signal.noise_of(), &place.grid, &place.plan)))
    }
}

impl PlannedBrush for PlannedDenoise<'_> {
    fn halo(&self) -> [usize; 2] {
        self.halo
    }

    fn cuts(&self) -> Cuts {
        if self.dabs.is_empty() || self.halo == [0, 0] { Cuts::Anywhere } else { Cuts::NowhereByDabs }
    }

    fn scope(&self) -> Scope {
        if self.dabs.is_empty() { Scope::Whole } else { Scope::Dabs }
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let (read, mask) = (self.read(place, &rect), place.mask(&rect));
        if !self.dabs.is_empty() {
            return Ok(EditPiece::of_dabs(read, mask, self));
        }
        Ok(EditPiece::new(read, mask, |pass, piece, before| {
            pass.engine.run(&self.kernel(pass.place, pass.signal), before, &piece.mask)
        }))
    }

    fn dabs_from<'b>(
        &'b self,
        place: &'b Placement<'_>,
        first: usize,
        rect: &'b CellRect,
        signal: Signal,
    ) -> DabWorks<'b> {
        let kernel = self.kernel(place, signal);
        let masks = self.dabs.iter().skip(first).filter_map(move |dab| place.dab_mask(dab, rect));
        Box::new(masks.map(move |mask| Ok(DabWork::new(kernel.clone(), mask))))
    }
}
