//! Delete time: cuts out the range and closes the gap.

use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{Operation, TimeBrush};
use crate::brushes::parameter::{FADE, FADE_SECS, Parameter, ParameterValue};
use crate::document::edits::time::{Retimed, Side, TimeChange, TimePlace, refused};

/// The selected range of time, cut out of all channels, with a crossfade at the join.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeleteTime {
    /// Length of the fade at a join, 0 to 0.1 s.
    pub fade_secs: f64,
}

impl BrushModule for DeleteTime {
    const KIND: &'static str = "delete_time";
    const NAME: &'static str = "Delete time";
    const PARAMETERS: &'static [Parameter] = &[FADE];

    fn omitted() -> Option<DeleteTime> {
        Some(DeleteTime { fade_secs: FADE_SECS })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.fade_secs)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Time(self)
    }
}

impl TimeBrush for DeleteTime {
    fn changes(&self, place: &TimePlace<'_>) -> Result<Vec<TimeChange>> {
        let range = place.range()?;
        let removed = range.end - range.start;
        if removed == place.sound.n_samples() {
            return Err(refused("This would leave nothing."));
        }
        Ok(vec![TimeChange { at: range.start, removed, added: 0 }])
    }

    fn retimed(&self, place: &TimePlace<'_>, _: &[TimeChange]) -> Result<Retimed> {
        let (sound, range) = (place.sound, place.range()?);
        let mut retimed = Retimed::of(sound.without(range.clone()));
        let sides = [&Side::of(sound, range.start), &Side::of(sound, range.end)];
        retimed.join(range.start, place.n_samples_of(self.fade_secs), sides)?;
        Ok(retimed)
    }
}
