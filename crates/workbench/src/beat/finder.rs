//! Detects the tempo and the first onset of a sound in a background job.

use super::found::FoundBeat;
use crate::base::{Progress, Result};
use crate::bench::context::{Concern, Context};
use crate::document::Snapshot;
use crate::documents::OpenDocument;
use crate::dsp::descriptors::RATE_HZ;
use crate::dsp::pitch::onsets::{onset_transform, onsets};
use crate::library::describe::{SpectralSound, rhythm_of};
use crate::media::Resampled;
use crate::services::JobQueue;
use crate::view::Plans;
use std::ops::Range;

/// Operation named in the notice if the sound cannot be read.
const FINDING: &str = "find the beat";
/// Maximum duration analysed, from the start.
const MAX_SECS: f64 = 600.0;
/// Resampled samples computed at a time.
const BLOCK_SAMPLES: usize = 1 << 16;
/// Minimum regularity of the rhythm: noise and speech have less, and thus no beat.
const MIN_STABILITY: f64 = 0.15;

/// Detects the beat of a sound while the beat card is open.
#[derive(Default)]
pub struct BeatFinder {
    finding: JobQueue<(), FoundBeat>,
    found: FoundBeat,
}

impl BeatFinder {
    /// The latest result.
    pub fn found(&self) -> FoundBeat {
        self.found
    }

    /// Discards the result and cancels a running search.
    pub(super) fn clear(&mut self) {
        *self = BeatFinder::default();
    }

    /// Starts detecting the beat in the selected time of a document, or in all of it without a selection.
    pub(super) fn find(&mut self, id: u64, context: &Context) {
        let Some(document) = context.documents.get(id) else { return };
        let (sound, range) = (document.shown().clone(), range_of(document));
        let plans = context.engine.plans().clone();
        let job = context.jobs.spawn("beat", move |progress| beat_of(&sound, range, &plans, progress));
        self.finding.run_instead_unseen((), job);
        self.found = FoundBeat::Pending;
    }
}

impl Concern for BeatFinder {
    fn advance(&mut self, context: &mut Context) {
        let Some(((), answer)) = self.finding.take_answer() else { return };
        self.found = match answer {
            Ok(found) => {
                context.notices.succeed(FINDING);
                found
            }
            Err(error) => {
                context.fail(FINDING, &error);
                FoundBeat::Unasked
            }
        };
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.finding.is_busy()
    }

    fn is_ordered(&self) -> bool {
        false
    }
}

/// The samples to analyse: the selected time or the whole sound, at most [`MAX_SECS`] from its start.
fn range_of(document: &OpenDocument) -> Range<u64> {
    let sound = document.shown();
    let rate_hz = sound.sample_rate_hz();
    let sample = |secs: f64| ((secs * rate_hz).round().max(0.0) as u64).min(sound.n_samples());
    let range = match document.selected_secs().map(|secs| secs.map(sample)) {
        Some([start, end]) if start < end => start..end,
        _ => 0..sound.n_samples(),
    };
    range.start..range.end.min(range.start + (MAX_SECS * rate_hz) as u64)
}

/// Detects the tempo with the library's rhythm analysis, and the first onset. Returns [`FoundBeat::None`] if the rhythm
/// is too irregular or there is no onset.
fn beat_of(sound: &Snapshot, range: Range<u64>, plans: &Plans, progress: &Progress) -> Result<FoundBeat> {
    let samples = mono(sound, range.clone(), progress)?;
    let duration_secs = samples.len() as f64 / f64::from(RATE_HZ);
    let rhythm = rhythm_of(&SpectralSound { samples: &samples, duration_secs });
    let is_steady = rhythm.rhythm_stability.is_some_and(|stability| stability >= MIN_STABILITY);
    progress.check()?;
    let rate_hz = f64::from(RATE_HZ);
    let first = onsets(&plans.get(onset_transform(rate_hz)), &samples, rate_hz).into_iter().next();
    Ok(match (rhythm.tempo_bpm.filter(|_| is_steady), first) {
        (Some(tempo_bpm), Some(first)) => {
            let first_secs = range.start as f64 / sound.sample_rate_hz() + first as f64 / rate_hz;
            FoundBeat::Found { tempo_bpm, first_secs }
        }
        _ => FoundBeat::None,
    })
}

/// The mean of all channels in a range of samples, resampled to `RATE_HZ`, the rate of the library's analysis.
fn mono(sound: &Snapshot, range: Range<u64>, progress: &Progress) -> Result<Vec<f32>> {
    let n_channels = sound.n_channels();
    let mut next = range.start;
    let mut read = |n: usize| {
        let (mut sum, mut one) = (vec![0.0f32; n], vec![0.0f32; n]);
        for channel in 0..n_channels {
            sound.read(channel, next as i64, &mut one)?;
            sum.iter_mut().zip(&one).for_each(|(sum, sample)| *sum += sample / n_channels as f32);
        }
        // Samples after the end of the range count as silence.
        let n_left = range.end.saturating_sub(next) as usize;
        sum.iter_mut().skip(n_left).for_each(|sample| *sample = 0.0);
        next += n as u64;
        Ok(vec![sum])
    };
    let (from_hz, to_hz) = (sound.sample_rate_hz(), f64::from(RATE_HZ));
    let n_wanted = ((range.end - range.start) as f64 * to_hz / from_hz).round() as usize;
    let mut resampled = Resampled::new(from_hz, to_hz, 1)?;
    let mut samples = Vec::with_capacity(n_wanted);
    while samples.len() < n_wanted {
        progress.step(samples.len() as u64, n_wanted as u64)?;
        let n = BLOCK_SAMPLES.min(n_wanted - samples.len());
        samples.extend(resampled.next(n, &mut read)?.into_iter().flatten());
    }
    Ok(samples)
}
