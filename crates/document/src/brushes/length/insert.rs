//! Insert: inserts a clip at a position and moves everything that follows.

use super::clip::{check_rate, clip, clip_to_value, samples_for};
use crate::base::{JsonAt, JsonFields, Result};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{Operation, TimeBrush};
use crate::brushes::parameter::{FADE_SECS, MAX_FADE_SECS};
use crate::document::edits::placing::EditPlacing;
use crate::document::edits::time::{Retimed, Side, TimeChange, TimePlace};
use crate::document::{Signal, Snapshot};
use crate::dsp::Clip;
use serde_json::{Map, Value, json};

/// A clip inserted into all channels.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// Position of the insertion, in seconds.
    pub at_secs: f64,
    /// Inserted clip; its own position is ignored.
    pub clip: Clip,
    /// Length of the crossfades at both of its ends, 0 to 0.1 s; half of each lies within the clip.
    pub fade_secs: f64,
}

impl BrushModule for Insert {
    const KIND: &'static str = "insert";
    const NAME: &'static str = "Paste inserting";

    fn omitted() -> Option<Insert> {
        None
    }

    fn read(fields: &JsonFields) -> Result<Insert> {
        Ok(Insert {
            at_secs: fields.required("at")?.not_negative()?,
            clip: clip(&fields.required("clip")?)?,
            fade_secs: fields.or("fade", FADE_SECS, |at: &JsonAt| at.number_in(0.0, MAX_FADE_SECS))?,
        })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        object.insert("at".into(), json!(self.at_secs));
        if self.fade_secs != FADE_SECS {
            object.insert("fade".into(), json!(self.fade_secs));
        }
        object.insert("clip".into(), clip_to_value(&self.clip));
    }

    fn table_cell() -> String {
        "`at`, in seconds; `clip`, as of `paste`; `fade` 0.005 (0 to 0.1): seconds of the fades at its ends".into()
    }

    fn place(&mut self, placing: &EditPlacing) {
        self.at_secs = placing.secs(self.at_secs).max(0.0);
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Time(self)
    }
}

impl TimeBrush for Insert {
    fn changes(&self, place: &TimePlace<'_>) -> Result<Vec<TimeChange>> {
        check_rate(&self.clip, place.sound.sample_rate_hz())?;
        let at = place.sample_from_secs(self.at_secs)?;
        Ok(vec![TimeChange { at, removed: 0, added: self.clip.n_samples() as u64 }])
    }

    fn retimed(&self, place: &TimePlace<'_>, _: &[TimeChange]) -> Result<Retimed> {
        let (sound, at, added) = (place.sound, place.sample_from_secs(self.at_secs)?, self.clip.n_samples() as u64);
        let inserted = self.inserted(sound, at)?;
        let n_fade = place.n_samples_of(self.fade_secs).min(added);
        let (around, mut retimed) = (Side::of(sound, at), Retimed::of(inserted.clone()));
        retimed.join(at, n_fade, [&around, &Side::beginning(&inserted, at)])?;
        retimed.join(at + added, n_fade, [&Side::ending(&inserted, at + added), &around])?;
        Ok(retimed)
    }
}

impl Insert {
    /// The sound with the clip inserted unchanged.
    fn inserted(&self, sound: &Snapshot, at: u64) -> Result<Snapshot> {
        let n = self.clip.n_samples();
        let mut edit = sound.with_silence(at, n as u64)?.edit();
        for channel in 0..sound.n_channels() {
            let samples = samples_for(&self.clip, Signal::Channel(channel), sound.n_channels(), 0, n);
            edit.write(channel, at, &samples)?;
        }
        Ok(edit.finish())
    }
}
