//! Converts packet time stamps to samples: encoder delay precedes time 0, padding follows the end, and ticks need not
//! be samples.

use crate::formats::mp4::EditedRange;

/// Maximum duration of a pause before the sound; longer stated pauses are ignored.
const MAX_PAUSE_SECS: f64 = 3600.0;

/// Converts time stamps to samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TrackTiming {
    /// Samples per second and ticks per second; `None` if they are equal.
    scale: Option<(u32, u32)>,
    /// Offset added to a time stamp, in samples.
    pub(crate) offset: i64,
    /// Intended silence before the sound, in samples.
    pub(crate) pause: usize,
    /// Number of samples to be played, including the pause; `None` for all.
    pub(crate) length: Option<u64>,
}

impl TrackTiming {
    /// Timing in which ticks are samples. The sound starts at sample `first`, and has `length` samples or, if `None`,
    /// all that follow.
    pub(crate) fn from_sample(first: i64, length: Option<u64>) -> TrackTiming {
        TrackTiming { scale: None, offset: first.saturating_neg(), pause: 0, length }
    }

    /// Timing as stated by an MP4.
    pub(crate) fn of_mp4(heard: &EditedRange, sample_rate_hz: u32) -> TrackTiming {
        let scale = (heard.timescale != sample_rate_hz).then_some((sample_rate_hz, heard.timescale));
        let all = TrackTiming { scale, offset: 0, pause: 0, length: None };
        let secs = if heard.silence_secs <= MAX_PAUSE_SECS { heard.silence_secs } else { 0.0 };
        let pause = (secs * f64::from(sample_rate_hz)).round() as usize;
        let samples = |ticks: u64| all.sample(i64::try_from(ticks).unwrap_or(i64::MAX));
        TrackTiming {
            scale,
            offset: (pause as i64).saturating_sub(samples(heard.first)),
            pause,
            // If a tick is longer than a sample, the position of the last sample is not known exactly.
            length: heard
                .length
                .filter(|_| !heard.is_to_the_end || heard.timescale >= sample_rate_hz)
                .map(|ticks| (samples(ticks) as u64).saturating_add(pause as u64)),
        }
    }

    /// Position of a time stamp in the sound; negative before the start.
    pub(crate) fn sample(&self, ticks: i64) -> i64 {
        let samples = match self.scale {
            None => i128::from(ticks),
            Some((rate, timescale)) => {
                let doubled = 2 * i128::from(ticks) * i128::from(rate) + i128::from(timescale);
                doubled.div_euclid(2 * i128::from(timescale))
            }
        };
        i64::try_from(samples).unwrap_or(i64::MAX).saturating_add(self.offset)
    }

    /// Precision of time stamps in samples; gaps up to this length are ignored.
    pub(crate) fn slack(&self) -> i64 {
        self.scale.map_or(0, |(rate, timescale)| i64::from(rate.div_ceil(timescale)))
    }
}
