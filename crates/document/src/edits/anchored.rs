//! Finds the anchors of edits in a sound.

use super::placing::EditPlacing;
use crate::analysis::isolation::survey_speech;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::pitch::onsets::{onset_transform, onsets};
use crate::engine::Plans;
use crate::labels::{Label, LabelSet, text_matches};
use crate::scripts::script::{AnchorEdge, AnchorTo, AnchorWhich, EditAnchor};
use crate::{Channels, Signal, Snapshot};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Number of samples per piece in the onset search.
const PIECE_SAMPLES: usize = 1 << 23;
/// Length of the sound analysed before and after a piece, so that onsets at its edges are found.
const CONTEXT_SECS: f64 = 0.5;
/// Length of each of the two spans, before and after an onset, whose levels are compared.
const RISE_SECS: f64 = 0.02;
/// Rise of the level at which the confidence is 1.
const SURE_RISE_DB: f64 = 20.0;
/// Fall of the level beyond which a position counts as an end.
const END_DB: f64 = -3.0;

/// An anchor that was found for an edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnchorFound {
    /// The number of the edit in its script.
    pub edit: usize,
    /// Kind of anchor, such as `label`.
    pub to: Cow<'static, str>,
    /// The text of the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Position in time.
    pub time: [f64; 2],
    /// Confidence, 0 to 1: that of a label, the rise of the level at an onset, the voice's level above the noise in
    /// speech, or the reverse in a pause.
    pub margin: f64,
}

/// An anchor that was found, and the mapping that places the edit there.
pub(crate) type PlacedAnchor = (AnchorFound, EditPlacing);

/// Finds the anchors of edit number `index`, in order of time; empty if the anchor is optional and missing.
///
/// # Errors
/// [`Script`](ErrorKind::Script) where it is missing; read errors; cancelled.
pub(crate) fn find_anchor(
    anchor: &EditAnchor,
    index: usize,
    (sound, labels): (&Snapshot, &LabelSet),
    plans: &Plans,
    progress: &Progress,
) -> Result<Vec<PlacedAnchor>> {
    let found = |text: Option<String>, time: [f64; 2], margin: f64| AnchorFound {
        edit: index,
        to: Cow::Borrowed(anchor.to.name()),
        text,
        time,
        margin,
    };
    let end_secs = sound.n_samples() as f64 / sound.sample_rate_hz();
    match anchor.to {
        AnchorTo::Start => Ok(vec![(found(None, [0.0; 2], 1.0), anchor.at(0.0))]),
        AnchorTo::End => Ok(vec![(found(None, [end_secs; 2], 1.0), anchor.at(end_secs))]),
        AnchorTo::Label => {
            let pattern: Option<Vec<char>> = anchor.text.as_ref().map(|text| text.chars().collect());
            let fits = |label: &&Label| pattern.as_ref().is_none_or(|pattern| text_matches(pattern, &label.text));
            let all: Vec<&Label> = labels.iter().filter(fits).collect();
            let text = anchor.text.as_ref().map_or_else(String::new, |text| format!(" \"{text}\""));
            let chosen = anchor.chosen(&all, &format!("label{text}"))?;
            let top_hz = sound.sample_rate_hz() / 2.0;
            let placed = |label: &&Label| {
                let margin = label.confidence.unwrap_or(1.0);
                Ok((found(Some(label.text.to_string()), label.secs, margin), anchor.over(label, top_hz)?))
            };
            chosen.iter().map(placed).collect()
        }
        AnchorTo::Onset => {
            let all = onsets_of(sound, plans, progress)?;
            let chosen = anchor.chosen(&all, "onset")?;
            let placed = |(secs, margin): &(f64, f64)| (found(None, [*secs; 2], *margin), anchor.at(*secs));
            Ok(chosen.iter().map(placed).collect())
        }
        AnchorTo::Speech | AnchorTo::Pause => {
            let signals = Signal::of(&Channels::All, sound.n_channels())?;
            let survey = survey_speech(sound, &signals, plans, progress)?;
            let (all, what) = match anchor.to {
                AnchorTo::Pause => (survey.pauses(), "pause"),
                _ => (survey.speech_secs.clone(), "speech"),
            };
            let chosen = anchor.chosen(&all, what)?;
            let placed = |secs: &[f64; 2]| (found(None, *secs, survey.margin(*secs)), anchor.along(*secs));
            Ok(chosen.iter().map(placed).collect())
        }
    }
}

impl EditAnchor {
    /// The mapping that places the edit's time 0 at `secs`, plus the anchor's offset.
    fn at(&self, secs: f64) -> EditPlacing {
        EditPlacing { from_secs: secs + self.plus_secs, per_sec: 1.0, band_hz: None }
    }

    /// The mapping that spans a range of time, or counts from one of its edges.
    fn along(&self, [start, end]: [f64; 2]) -> EditPlacing {
        match self.edge {
            AnchorEdge::Start => self.at(start),
            AnchorEdge::End => self.at(end),
            AnchorEdge::Span => EditPlacing { per_sec: end - start, ..self.at(start) },
        }
    }

    /// Places an edit over a label.
    fn over(&self, label: &Label, top_hz: f64) -> Result<EditPlacing> {
        let refuse = |what: &str| {
            let text: String = label.text.chars().take(40).collect();
            Err(Error::new(ErrorKind::Script, format!("the label \"{text}\" {what}")))
        };
        let band_hz = match (self.fills_band, label.band_hz(top_hz)) {
            (false, _) => None,
            (true, Some(band_hz)) => Some(band_hz),
            (true, None) => return refuse("has no band that frequencies could fill"),
        };
        if self.edge == AnchorEdge::Span && label.is_marker() {
            return refuse("is a marker, which no times can fill");
        }
        Ok(EditPlacing { band_hz, ..self.along(label.secs) })
    }

    /// Selects the requested ones of all anchors found.
    fn chosen<T: Clone>(&self, all: &[T], what: &str) -> Result<Vec<T>> {
        let chosen = match self.which {
            AnchorWhich::Each => all.to_vec(),
            AnchorWhich::Nth(n) => all.get(n).into_iter().cloned().collect(),
        };
        if !chosen.is_empty() || self.is_optional {
            return Ok(chosen);
        }
        let sentence = match (self.which, all.len()) {
            (AnchorWhich::Nth(n), 1..) => {
                format!("there is no {what} number {n}, as there are {}, counted from 0", all.len())
            }
            _ => format!("there is no {what}"),
        };
        Err(Error::new(ErrorKind::Script, sentence))
    }
}

/// Onsets in the mean of all channels: time in seconds, and confidence, 0 to 1.
fn onsets_of(sound: &Snapshot, plans: &Plans, progress: &Progress) -> Result<Vec<(f64, f64)>> {
    let rate_hz = sound.sample_rate_hz();
    let stft = plans.get(onset_transform(rate_hz));
    let around = (CONTEXT_SECS * rate_hz) as u64;
    let mut found = Vec::new();
    for first in (0..sound.n_samples()).step_by(PIECE_SAMPLES) {
        progress.check()?;
        let end = (first + PIECE_SAMPLES as u64).min(sound.n_samples());
        let from = first.saturating_sub(around);
        let samples = mean(sound, from, ((end + around).min(sound.n_samples()) - from) as usize)?;
        for at in onsets(&stft, &samples, rate_hz) {
            let place = from + at as u64;
            let rise_db = rise_db(&samples, at, (RISE_SECS * rate_hz) as usize);
            // The search, which measures spectral change, also finds ends of sounds; their level falls.
            if (first..end).contains(&place) && rise_db > END_DB {
                found.push((place as f64 / rate_hz, (rise_db / SURE_RISE_DB).clamp(0.0, 1.0)));
            }
        }
    }
    Ok(found)
}

fn mean(sound: &Snapshot, first: u64, n: usize) -> Result<Vec<f32>> {
    let (mut mean, mut channel_samples) = (vec![0.0f32; n], vec![0.0f32; n]);
    let share = 1.0 / sound.n_channels() as f32;
    for channel in 0..sound.n_channels() {
        sound.read(channel, first as i64, &mut channel_samples)?;
        mean.iter_mut().zip(&channel_samples).for_each(|(mean, sample)| *mean += share * sample);
    }
    Ok(mean)
}

/// Rise of the level across a sample, in dB.
fn rise_db(samples: &[f32], at: usize, reach: usize) -> f64 {
    let energy = |samples: &[f32]| {
        samples.iter().map(|sample| f64::from(*sample) * f64::from(*sample)).sum::<f64>() / samples.len().max(1) as f64
    };
    let before = energy(&samples[at.saturating_sub(reach)..at]);
    let after = energy(&samples[at..(at + reach).min(samples.len())]);
    if before <= 0.0 {
        return SURE_RISE_DB;
    }
    10.0 * (after / before).log10()
}
