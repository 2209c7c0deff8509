//! Declip: restores clipped peaks.

use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::parameter::{OptionControl, Parameter, ParameterLimits, ParameterValue, choice};
use crate::brushes::sample_edit::{SampleEdit, SamplePass, SelectionUse};
use crate::document::analysis::declip::{DeclipLevels, Declipped};
use crate::document::edits::selected_sound::SelectedSound;
use crate::dsp::repair::declip::DeclipQuality;

choice! { DeclipQuality:
    Best = "best", "Best";
    Fast = "fast", "Fast";
}

/// Restores clipped samples, each channel independently; all other samples keep their bits. A selection limits the
/// change in time. The edit's transform has no effect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Declip {
    /// Quality of the restoration.
    pub quality: DeclipQuality,
    /// The clipping levels: detected or given.
    pub levels: DeclipLevels,
}

impl Declip {
    /// Detected levels, best quality.
    pub const DEFAULT: Declip = Declip { quality: DeclipQuality::Best, levels: DeclipLevels::Found };
}

impl BrushModule for Declip {
    const KIND: &'static str = "declip";
    const NAME: &'static str = "Declip";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("quality", ParameterLimits::Any)
            .note("or `\"fast\"`, which takes a quarter of the time")
            .controls(&[OptionControl::number("Quality", "Best takes four times as long as Fast.", "").wide(92.0)]),
        Parameter::optional("levels", ParameterLimits::Any)
            .note("or a level above 0 and one below, such as `[0.8, -0.8]`: samples there and beyond are clipped"),
    ];

    fn omitted() -> Option<Declip> {
        Some(Declip::DEFAULT)
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Choice(&mut self.quality), ParameterValue::ClipLevels(&mut self.levels)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl SampleEdit for Declip {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let mut declipped = Declipped::of(sound, self.levels, self.quality)?.into_writer();
        let all = move |signal, piece| declipped.write(sound, signal, piece);
        let all = std::cell::RefCell::new(all);
        Ok(Box::new(move |signal, piece| (all.borrow_mut())(signal, piece)))
    }

    fn takes_selection(&self) -> SelectionUse {
        SelectionUse::Time
    }
}
