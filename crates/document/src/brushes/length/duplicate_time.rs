//! Duplicate time: repeats the range after itself and moves everything that follows.

use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{Operation, TimeBrush};
use crate::brushes::parameter::{FADE, FADE_SECS, Parameter, ParameterLimits, ParameterValue};
use crate::document::edits::time::{Retimed, Side, TimeChange, TimePlace};

/// The selected range of time, repeated after itself in all channels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DuplicateTime {
    /// Number of repetitions, 1 to 1,000.
    pub times: u32,
    /// Length of the fade at each join, 0 to 0.1 s.
    pub fade_secs: f64,
}

/// Maximum number of repetitions.
const MAX_REPEATS: f64 = 1000.0;

impl BrushModule for DuplicateTime {
    const KIND: &'static str = "duplicate_time";
    const NAME: &'static str = "Duplicate time";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::optional("times", ParameterLimits::Within(1.0, MAX_REPEATS)).note("how often it is repeated"),
        FADE,
    ];

    fn omitted() -> Option<DuplicateTime> {
        Some(DuplicateTime { times: 1, fade_secs: FADE_SECS })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Whole(&mut self.times), ParameterValue::Number(&mut self.fade_secs)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Time(self)
    }
}

impl TimeBrush for DuplicateTime {
    fn changes(&self, place: &TimePlace<'_>) -> Result<Vec<TimeChange>> {
        let range = place.range()?;
        let added = (range.end - range.start).saturating_mul(self.times.into());
        Ok(vec![TimeChange { at: range.end, removed: 0, added }])
    }

    fn retimed(&self, place: &TimePlace<'_>, _: &[TimeChange]) -> Result<Retimed> {
        let (sound, range) = (place.sound, place.range()?);
        let (n, at) = (range.end - range.start, range.end);
        let n_fade = place.n_samples_of(self.fade_secs).min(n);
        let (ending, beginning) = (Side::of(sound, range.end), Side::of(sound, range.start));
        let mut repeated = sound.clone();
        for _ in 0..self.times {
            place.progress.check()?;
            repeated = repeated.with_copy(range.clone(), at)?;
        }
        let mut retimed = Retimed::of(repeated);
        for i in 0..u64::from(self.times) {
            retimed.join(at + i * n, n_fade, [&ending, &beginning])?;
        }
        Ok(retimed)
    }
}
