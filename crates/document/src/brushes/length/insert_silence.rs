//! Insert silence: inserts silence at a position and moves everything that follows.

use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{Operation, TimeBrush};
use crate::brushes::parameter::{FADE, FADE_SECS, Parameter, ParameterLimits, ParameterValue};
use crate::document::edits::placing::EditPlacing;
use crate::document::edits::time::{Retimed, Side, TimeChange, TimePlace};

/// Silence inserted into all channels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InsertSilence {
    /// Position of the insertion, in seconds.
    pub at_secs: f64,
    /// Length of the silence, above 0.
    pub secs: f64,
    /// Length of the fades into it and out of it, 0 to 0.1 s.
    pub fade_secs: f64,
}

impl BrushModule for InsertSilence {
    const KIND: &'static str = "insert_silence";
    const NAME: &'static str = "Insert silence";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::required("at", ParameterLimits::NotNegative).note("where it begins, in seconds"),
        Parameter::required("secs", ParameterLimits::Positive).note("how much"),
        FADE,
    ];

    fn omitted() -> Option<InsertSilence> {
        Some(InsertSilence { at_secs: 0.0, secs: 1.0, fade_secs: FADE_SECS })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        let InsertSilence { at_secs, secs, fade_secs } = self;
        vec![ParameterValue::Number(at_secs), ParameterValue::Number(secs), ParameterValue::Number(fade_secs)]
    }

    fn place(&mut self, placing: &EditPlacing) {
        self.at_secs = placing.secs(self.at_secs).max(0.0);
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Time(self)
    }
}

impl TimeBrush for InsertSilence {
    fn changes(&self, place: &TimePlace<'_>) -> Result<Vec<TimeChange>> {
        let at = place.sample_from_secs(self.at_secs)?;
        Ok(vec![TimeChange { at, removed: 0, added: place.n_samples_of(self.secs) }])
    }

    fn retimed(&self, place: &TimePlace<'_>, _: &[TimeChange]) -> Result<Retimed> {
        let (sound, at, added) = (place.sound, place.sample_from_secs(self.at_secs)?, place.n_samples_of(self.secs));
        let mut retimed = Retimed::of(sound.with_silence(at, added)?);
        // At the ends of the sound there is nothing to fade.
        if at > 0 && at < sound.n_samples() {
            let n_fade = place.n_samples_of(self.fade_secs).min(added);
            let (silence, side) = (Side::silence(), Side::of(sound, at));
            retimed.join(at, n_fade, [&side, &silence])?;
            retimed.join(at + added, n_fade, [&silence, &side])?;
        }
        Ok(retimed)
    }
}
