//! A sound to search for damage.

use crate::base::{Progress, Result};
use crate::document::analysis::declip::ChannelClipping;
use crate::document::analysis::isolation::SpeechSurvey;
use crate::document::edits::selected_sound::SelectedSound;
use crate::document::{Channels, Signal, Snapshot};
use crate::dsp::StftParams;
use crate::engine::Plans;
use std::ops::Range;

/// A sound to search for damage, with preliminary results.
pub struct Examined<'a> {
    /// The sound.
    pub snapshot: &'a Snapshot,
    /// Clipping of each channel; `None` for unclipped channels.
    pub clippings: Vec<Option<ChannelClipping>>,
    /// Sample ranges of dropouts per channel: a constant value, with audible sound on both sides.
    pub dropouts: Vec<Vec<Range<u64>>>,
    /// Ranges and levels of speech; `None` if there is too little speech, or if the sample rate is too low for a voice.
    pub speech: Option<SpeechSurvey>,
}

impl Examined<'_> {
    /// Samples per second.
    pub fn rate_hz(&self) -> f64 {
        self.snapshot.sample_rate_hz()
    }

    /// Number of channels.
    pub fn n_channels(&self) -> usize {
        self.snapshot.n_channels()
    }

    /// STFT parameters of the repairs, chosen for the sample rate.
    pub fn transform(&self) -> StftParams {
        StftParams::for_rate(self.rate_hz())
    }

    /// Start and end of a range of samples, in seconds.
    pub fn secs(&self, samples: &Range<u64>) -> [f64; 2] {
        [samples.start, samples.end].map(|at| at as f64 / self.rate_hz())
    }

    /// The channels of an edit, from channel indices in ascending order.
    pub fn channels(&self, list: &[usize]) -> Channels {
        if list.len() == self.n_channels() { Channels::All } else { Channels::List(list.to_vec()) }
    }

    /// Calls `look` with the whole sound.
    ///
    /// # Errors
    /// Errors of `look`.
    pub fn with_sound<T>(&self, progress: &Progress, look: impl FnOnce(&SelectedSound<'_>) -> Result<T>) -> Result<T> {
        let (plans, all) = (Plans::default(), 0..self.snapshot.n_samples());
        let signals = Signal::of(&Channels::All, self.n_channels())?;
        look(&SelectedSound::all_of(self.snapshot, signals, all, &plans, progress))
    }

    /// Analyses each channel separately, and returns the analyses in channel order. `start` creates an analysis; `add`
    /// feeds it the next piece, with the index of the piece's first sample.
    ///
    /// # Errors
    /// Read errors of the source, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn look<T>(
        &self,
        progress: &Progress,
        mut start: impl FnMut() -> T,
        mut add: impl FnMut(&mut T, u64, &[f32]),
    ) -> Result<Vec<T>> {
        self.with_sound(progress, |sound| {
            let mut looks = Vec::new();
            for signal in 0..sound.n_signals() {
                progress.step(signal as u64, sound.n_signals() as u64)?;
                let mut looked = start();
                sound.each_piece(signal, &[sound.range()], |first, samples| add(&mut looked, first, samples))?;
                looks.push(looked);
            }
            Ok(looks)
        })
    }
}
