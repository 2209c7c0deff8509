//! Time stretch: changes the length of the range at constant pitch.

use crate::base::{Error, ErrorKind, Result};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{Operation, TimeBrush};
use crate::brushes::parameter::{Parameter, ParameterLimits, ParameterValue, choice};
use crate::brushes::sample_edit::{SampleEdit, SamplePass, all_signals};
use crate::document::STRETCH_PERCENT;
use crate::document::edits::selected_sound::{SelectedSound, pieces_of};
use crate::document::edits::time::{Retimed, Side, TimeChange, TimePlace, refused};
use crate::dsp::warps::peak_locking::LockedPeaks;
use crate::dsp::warps::stretch::stretched_length;
use std::f64::consts::PI;

/// Stretches the range in time from its start, at constant pitch. The result replaces the original, or is added to it
/// if the original is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeStretch {
    /// New length in percent of the old one, 50 to 200.
    pub percent: f64,
    /// Whether the original stays beneath the result.
    pub keeps_original: bool,
    /// Whether the following sound moves by the change of length.
    pub follows: Follows,
    /// Which bins count as peaks, whose phase relations to the bins around them are kept; wide in scripts that omit it.
    pub peaks: LockedPeaks,
}

/// Whether the sound after a stretched range moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follows {
    /// It stays: a longer result is added to it, and a shorter one leaves silence.
    Overlap,
    /// It moves by the change of length.
    Push,
}

choice! { Follows:
    Overlap = "overlap", "Overlap";
    Push = "push", "Push";
}

choice! { LockedPeaks:
    Wide = "wide", "Wide";
    Narrow = "narrow", "Narrow";
}

/// The parameter `peaks` of edits that stretch. Narrow peaks give a result closer to the same sound played slower; the
/// default in scripts is wide, so that older ones are unchanged.
pub(super) const PEAKS: Parameter = Parameter::flag("peaks")
    .sparse()
    .note("narrow takes each bin louder than the next ones for a partial, wide each louder than two on each side");

/// Length of the fade at the end of the result, and at its start if it is added to the original; also of both
/// crossfades if the following sound moves.
const EDGE_SECS: f64 = 0.005;

impl BrushModule for TimeStretch {
    const KIND: &'static str = "stretch";
    const NAME: &'static str = "Time stretch";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::required("percent", ParameterLimits::Within(STRETCH_PERCENT[0], STRETCH_PERCENT[1]))
            .note("the new length; from the start of the selection on, over what follows"),
        Parameter::flag("keeps_original").sparse().note("true adds it to what is selected"),
        Parameter::flag("follows").sparse().note("overlap leaves what follows where it is, push moves it along"),
        PEAKS,
    ];

    fn omitted() -> Option<TimeStretch> {
        Some(TimeStretch { percent: 100.0, keeps_original: false, follows: Follows::Overlap, peaks: LockedPeaks::Wide })
    }

    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        let TimeStretch { percent, keeps_original, follows, peaks } = self;
        vec![
            ParameterValue::Number(percent),
            ParameterValue::Flag(keeps_original),
            ParameterValue::Choice(follows),
            ParameterValue::Choice(peaks),
        ]
    }

    fn operation(&self) -> Operation<'_> {
        match self.follows {
            Follows::Overlap => Operation::Samples(self),
            Follows::Push => Operation::Time(self),
        }
    }
}

impl TimeStretch {
    /// Number of samples of the range, and of the result.
    fn lengths(&self, sound: &SelectedSound<'_>) -> [u64; 2] {
        let n = sound.range().end - sound.range().start;
        [n, stretched_length(n, self.percent)]
    }
}

impl SampleEdit for TimeStretch {
    fn pass<'a>(&'a self, sound: &'a SelectedSound<'a>) -> Result<SamplePass<'a>> {
        let (start, [n_input, n_output]) = (sound.range().start, self.lengths(sound));
        if n_output == n_input {
            return Ok(Box::new(move |signal, piece| sound.read(signal, piece)));
        }
        if n_output == 0 {
            return Err(too_short());
        }
        let mut stretched = sound.stretched(n_output, self.peaks)?;
        let n_edge = (EDGE_SECS * sound.sample_rate_hz()).min(n_output as f64 / 4.0);
        Ok(all_signals(move |piece| {
            let first = piece.start - start;
            let n = (piece.end - piece.start).min(n_output.saturating_sub(first)) as usize;
            let mut samples = stretched.next(n)?;
            for channel in &mut samples {
                for (sample, at) in channel.iter_mut().zip(first..) {
                    let n_to_end = n_output - at;
                    let n_to_edge = if self.keeps_original { n_to_end.min(at + 1) } else { n_to_end };
                    let part = (n_to_edge as f64 - 0.5) / n_edge;
                    if part < 1.0 {
                        *sample *= (0.5 - 0.5 * (PI * part).cos()) as f32;
                    }
                }
                channel.resize((piece.end - piece.start) as usize, 0.0);
            }
            Ok(samples)
        }))
    }

    fn adds(&self) -> bool {
        self.keeps_original
    }

    fn end(&self, sound: &SelectedSound<'_>) -> u64 {
        sound.range().start + self.lengths(sound)[1]
    }
}

impl TimeBrush for TimeStretch {
    fn changes(&self, place: &TimePlace<'_>) -> Result<Vec<TimeChange>> {
        if self.keeps_original {
            return Err(refused("keeps_original adds to what is there; leave it out, or let what follows overlap"));
        }
        let range = place.range()?;
        let removed = range.end - range.start;
        match stretched_length(removed, self.percent) {
            0 => Err(too_short()),
            added if added == removed => Ok(Vec::new()),
            added => Ok(vec![TimeChange { at: range.start, removed, added }]),
        }
    }

    fn retimed(&self, place: &TimePlace<'_>, changes: &[TimeChange]) -> Result<Retimed> {
        let (sound, &[TimeChange { at: start, removed, added }]) = (place.sound, changes) else {
            return Ok(Retimed::of(place.sound.clone()));
        };
        let (range, end) = (start..start + removed, start + added);
        let selected = place.selected(range.clone())?;
        let mut stretched = selected.stretched(added, self.peaks)?;
        let mut edit = sound.without(range.clone()).with_silence(start, added)?.edit();
        for piece in pieces_of(start..end) {
            place.progress.check()?;
            let samples = stretched.next((piece.end - piece.start) as usize)?;
            for (channel, samples) in samples.iter().enumerate() {
                edit.write(channel, piece.start, samples)?;
            }
            edit.settle();
        }
        let all = edit.finish();
        let n_fade = place.n_samples_of(EDGE_SECS).min(added);
        let mut retimed = Retimed::of(all.clone());
        retimed.join(start, n_fade, [&Side::of(sound, range.start), &Side::beginning(&all, start)])?;
        retimed.join(end, n_fade, [&Side::ending(&all, end), &Side::of(sound, range.end)])?;
        Ok(retimed)
    }
}

fn too_short() -> Error {
    Error::new(ErrorKind::Script, "the selection is too short to stretch; select more time")
}
