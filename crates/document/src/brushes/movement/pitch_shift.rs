//! Pitch shift: transposes the range without changing its length.

use super::stretch::PEAKS;
use crate::base::Result;
use crate::brushes::module::BrushModule;
use crate::brushes::operation::Operation;
use crate::brushes::parameter::{Parameter, ParameterLimits, ParameterValue};
use crate::brushes::sample_edit::{SampleEdit, SamplePass, all_signals};
use crate::document::edits::selected_sound::SelectedSound;
use crate::dsp::warps::peak_locking::LockedPeaks;
use crate::dsp::warps::stretch::stretched_length;
use crate::media::Resampled;
use std::f64::consts::PI;

/// Transposes every partial by the same interval: stretches the range in time, then resamples it to its original
/// length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitchShift {
    /// Interval in semitones, -12 to 12; positive is higher.
    pub semitones: f64,
    /// Which bins count as peaks, whose phase relations to the bins around them are kept; wide in scripts that omit it.
    pub peaks: LockedPeaks,
}

impl PitchShift {
    /// Minimum and maximum interval in semitones.
    pub const SEMITONES: [f64; 2] = [-12.0, 12.0];

    /// A shift with narrow peaks, the choice for new edits.
    pub fn by(semitones: f64) -> PitchShift {
        PitchShift { semitones, peaks: LockedPeaks::Narrow }
    }
}

/// Length of the crossfade between the result and the surrounding sound.
const EDGE_SECS: f64 = 0.005;

impl BrushModule for PitchShift {
    const KIND: &'static str = "pitch_shift";
    const NAME: &'static str = "Pitch shift";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::required("semitones", ParameterLimits::Within(PitchShift::SEMITONES[0], PitchShift::SEMITONES[1]))
            .note("above 0 is higher; the length stays"),
        PEAKS,
    ];

    fn omitted() -> Option<PitchShift> {
        Some(PitchShift { semitones: 0.0, peaks: LockedPeaks::Wide })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        vec![ParameterValue::Number(&mut self.semitones), ParameterValue::Choice(&mut self.peaks)]
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Samples(self)
    }
}

impl SampleEdit for PitchShift {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let range = sound.range();
        let ratio = (self.semitones / 12.0).exp2();
        let n_stretched = stretched_length(range.end - range.start, 100.0 * ratio);
        if self.semitones == 0.0 || n_stretched == 0 {
            return Ok(Box::new(move |signal, piece| sound.read(signal, piece)));
        }
        let mut stretched = sound.stretched(n_stretched, self.peaks)?;
        let mut resampled = Resampled::new(ratio, 1.0, sound.n_signals())?;
        let n_edge = (EDGE_SECS * sound.sample_rate_hz()).min((range.end - range.start) as f64 / 4.0);
        // 0 at an edge that lies within the sound, 1 within the range.
        let weight = move |at: u64| {
            let from_start = if range.start == 0 { n_edge } else { (at - range.start) as f64 + 0.5 };
            let from_end = if range.end == sound.n_samples() { n_edge } else { (range.end - at) as f64 - 0.5 };
            let part = (from_start.min(from_end) / n_edge).min(1.0);
            (0.5 - 0.5 * (PI * part).cos()) as f32
        };
        Ok(all_signals(move |piece| {
            let n = (piece.end - piece.start) as usize;
            let mut shifted = resampled.next(n, &mut |n| stretched.next(n))?;
            for (signal, shifted) in shifted.iter_mut().enumerate() {
                let before = sound.read(signal, piece.clone())?;
                for ((shifted, before), at) in shifted.iter_mut().zip(before).zip(piece.clone()) {
                    let weight = weight(at);
                    *shifted = if weight < 1.0 { before + weight * (*shifted - before) } else { *shifted };
                }
            }
            Ok(shifted)
        }))
    }
}
