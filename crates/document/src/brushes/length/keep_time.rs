//! Keep time: cuts off everything outside the range.

use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{Operation, TimeBrush};
use crate::brushes::parameter::{FADE, FADE_SECS, Parameter, ParameterValue};
use crate::document::edits::time::{Retimed, TimeChange, TimePlace};

/// The selected range of time, with everything before and after it cut off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeepTime {
    /// Length of the fade at a join, 0 to 0.1 s; unused, since the ends of the range become those of the sound.
    pub fade_secs: f64,
}

impl BrushModule for KeepTime {
    const KIND: &'static str = "keep_time";
    const NAME: &'static str = "Trim to selection";
    const PARAMETERS: &'static [Parameter] = &[FADE];

    fn omitted() -> Option<KeepTime> {
        Some(KeepTime { fade_secs: FADE_SECS })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.fade_secs)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Time(self)
    }
}

impl TimeBrush for KeepTime {
    fn changes(&self, place: &TimePlace<'_>) -> Result<Vec<TimeChange>> {
        let (range, n_samples) = (place.range()?, place.sound.n_samples());
        let cuts = [(range.end, n_samples - range.end), (0, range.start)];
        let cuts = cuts.into_iter().filter(|(_, removed)| *removed > 0);
        Ok(cuts.map(|(at, removed)| TimeChange { at, removed, added: 0 }).collect())
    }

    fn retimed(&self, place: &TimePlace<'_>, changes: &[TimeChange]) -> Result<Retimed> {
        let cut = |sound: crate::document::Snapshot, change: &TimeChange| {
            sound.without(change.at..change.at + change.removed)
        };
        Ok(Retimed::of(changes.iter().fold(place.sound.clone(), cut)))
    }
}
