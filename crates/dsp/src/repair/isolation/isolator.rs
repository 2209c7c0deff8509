//! Isolates speech, frame by frame.

use super::frames::{SpeechCells, band_of_bins};
use super::kept_noise::{IsolationNoise, keep_beside_speech};
use super::listener::SpeechListener;
use super::speech_map::SpeechShares;
use super::speech_network::{SpeechNetwork, SpeechOutput, SpeechState};
use super::{DELAY_FRAMES, N_BINS, N_FILTERED, N_TAPS};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;

/// The part that isolation keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IsolatedSide {
    /// The speech.
    Speech,
    /// Everything except the speech.
    Rest,
}

/// Settings of speech isolation.
#[derive(Debug, Clone)]
pub struct IsolationSettings {
    /// Maximum attenuation of the rest, in dB.
    pub limit_db: f64,
    /// The part that is kept.
    pub side: IsolatedSide,
    /// A noise profile; sound that exceeds it is kept, too. `None` keeps only speech.
    pub noise: Option<IsolationNoise>,
}

/// Result of isolation for a frame.
pub struct IsolatedFrame {
    /// Original cells of each channel.
    pub cells: Vec<SpeechCells>,
    /// Cells that are added to each channel.
    pub change: Vec<SpeechCells>,
    /// The fraction of speech in each cell.
    pub shares: SpeechShares,
}

/// Processes consecutive frames of linked channels, and returns the change of each. One network processes all channels,
/// so their stereo image is preserved.
pub struct SpeechIsolator<'a> {
    network: &'a SpeechNetwork,
    settings: IsolationSettings,
    state: SpeechState,
    listener: SpeechListener,
    band_of_bins: Vec<usize>,
    /// Number of frames whose change was returned.
    n_given: usize,
}

impl<'a> SpeechIsolator<'a> {
    /// An isolator before its first frame.
    pub fn new(network: &'a SpeechNetwork, settings: IsolationSettings) -> SpeechIsolator<'a> {
        SpeechIsolator {
            network,
            settings,
            state: network.first_state(),
            listener: SpeechListener::default(),
            band_of_bins: band_of_bins(),
            n_given: 0,
        }
    }

    /// Adds the next frame: the cells of each channel, at least one.
    pub fn push(&mut self, channels: Vec<SpeechCells>) {
        self.listener.push(channels);
    }

    /// Marks the end of the input: all remaining frames become ready.
    pub fn end(&mut self) {
        self.listener.end();
    }

    /// Number of frames ready. Each needs the 3 s that follow it.
    pub fn n_ready(&self) -> usize {
        self.listener.n_available().saturating_sub(DELAY_FRAMES) - self.n_given
    }

    /// The changes of the next ready frames, at most `n_most`.
    pub fn next_frames(&mut self, n_most: usize) -> Vec<IsolatedFrame> {
        let frames = self.n_given..self.n_given + self.n_ready().min(n_most);
        if frames.is_empty() {
            return Vec::new();
        }
        let n_audible = self.listener.n_audible();
        let features = self.listener.features_until(frames.end + DELAY_FRAMES);
        let output = self.network.run(&mut self.state, &features);
        let kept = self.settings.noise.as_ref().map(|noise| noise.min_gains(&self.listener, frames.clone()));
        let changes = frames.clone().into_par_iter().map(|frame| {
            let row = frame + DELAY_FRAMES - n_audible;
            let kept = kept.as_ref().map(|gains| &gains[(frame - frames.start) * N_BINS..][..N_BINS]);
            self.change(frame, (&output, row), kept)
        });
        let changes = changes.collect();
        self.n_given = frames.end;
        let n_kept = self.settings.noise.as_ref().map_or(0, IsolationNoise::halo_frames).max(N_TAPS / 2);
        self.listener.forget(frames.end.saturating_sub(n_kept));
        changes
    }

    /// The change of a frame, with gains and filters in a row of the network's output.
    fn change(&self, frame: usize, (output, row): (&SpeechOutput, usize), kept: Option<&[f32]>) -> IsolatedFrame {
        let around: Vec<Option<&[SpeechCells]>> = (0..N_TAPS)
            .map(|tap| (frame + tap).checked_sub(N_TAPS / 2).and_then(|frame| self.listener.frame(frame)))
            .collect();
        let (gains, filters) = (output.gains.frame(row), output.filters.frame(row));
        let share = 10f32.powf(-self.settings.limit_db as f32 / 20.0);
        let own = self.listener.frame(frame).unwrap_or_default();
        let mut speech: Vec<SpeechCells> = own
            .iter()
            .enumerate()
            .map(|(channel, cells)| {
                let speech_of = |(bin, cell): (usize, &Complex32)| {
                    let mut speech = cell * gains[self.band_of_bins[bin]];
                    if bin < N_FILTERED {
                        let taps = filters[2 * N_TAPS * bin..][..2 * N_TAPS].chunks_exact(2).zip(&around);
                        let filtered = taps.filter_map(|(tap, frame)| {
                            Some(frame.as_ref()?[channel][bin] * Complex32::new(tap[0], tap[1]))
                        });
                        speech = filtered.sum();
                    }
                    speech
                };
                cells.iter().enumerate().map(speech_of).collect()
            })
            .collect();
        if let Some(kept) = kept {
            keep_beside_speech(kept, own, &mut speech);
        }
        let change = |(cell, speech): (&Complex32, &Complex32)| {
            let left = speech + (cell - speech) * share;
            match self.settings.side {
                IsolatedSide::Speech => left - cell,
                IsolatedSide::Rest => -left,
            }
        };
        let change = own.iter().zip(&speech).map(|(cells, speech)| cells.iter().zip(speech).map(change).collect());
        IsolatedFrame { cells: own.to_vec(), change: change.collect(), shares: SpeechShares::new(own, &speech) }
    }
}
