//! Detects speech with the network's estimate of the local signal-to-noise ratio.

use super::DELAY_FRAMES;
use super::listener::SpeechListener;
use super::speech_network::{SpeechNetwork, SpeechState};
use std::ops::Range;

/// Frames over which ratios are averaged.
const MEAN_FRAMES: usize = 5;
/// Ratio in dB at which speech begins.
pub const BEGINS_DB: f32 = -5.0;
/// Ratio in dB below which speech ends.
pub const ENDS_DB: f32 = -8.0;
/// Minimum length of a pause in frames, and of speech: shorter pauses are bridged, shorter speech is dropped.
const MIN_PAUSE_FRAMES: usize = 20;
const MIN_SPEECH_FRAMES: usize = 6;

/// Measures the local signal-to-noise ratio of consecutive frames of linked channels.
pub struct SpeechMeter<'a> {
    network: &'a SpeechNetwork,
    state: SpeechState,
    listener: SpeechListener,
    snr_db: Vec<f32>,
}

impl<'a> SpeechMeter<'a> {
    /// A meter before its first frame.
    pub fn new(network: &'a SpeechNetwork) -> SpeechMeter<'a> {
        SpeechMeter { network, state: network.first_state(), listener: SpeechListener::default(), snr_db: Vec::new() }
    }

    /// Adds the next frame: the cells of each channel, at least one.
    pub fn push(&mut self, channels: Vec<super::SpeechCells>) {
        self.listener.push(channels);
    }

    /// Number of frames that can be measured so far.
    pub fn n_ready(&self) -> usize {
        self.listener.n_available() - self.listener.n_audible()
    }

    /// Measures the next frames that are ready, `n_most` at most.
    pub fn measure(&mut self, n_most: usize) {
        let end = self.listener.n_audible() + self.n_ready().min(n_most);
        let features = self.listener.features_until(end);
        self.snr_db.extend(self.network.snr_db(&mut self.state, &features));
        self.listener.forget(end);
    }

    /// Ends the input, and returns the ratio of each frame in dB.
    pub fn finish(mut self) -> Vec<f32> {
        self.listener.end();
        self.measure(usize::MAX);
        self.snr_db.drain(..DELAY_FRAMES.min(self.snr_db.len()));
        self.snr_db
    }
}

/// The frames of speech, ascending and disjoint.
pub fn speech_runs(snr_db: &[f32]) -> Vec<Range<usize>> {
    let n = snr_db.len();
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut began = None;
    for frame in 0..=n {
        let around = frame.saturating_sub(MEAN_FRAMES / 2)..(frame + MEAN_FRAMES / 2 + 1).min(n);
        let mean = (frame < n).then(|| snr_db[around.clone()].iter().sum::<f32>() / around.len() as f32);
        match (began, mean) {
            (None, Some(mean)) if mean >= BEGINS_DB => began = Some(frame),
            (Some(start), mean) if mean.is_none_or(|mean| mean < ENDS_DB) => {
                match runs.last_mut().filter(|run| start - run.end < MIN_PAUSE_FRAMES) {
                    Some(run) => run.end = frame,
                    None => runs.push(start..frame),
                }
                began = None;
            }
            _ => {}
        }
    }
    runs.retain(|run| run.len() >= MIN_SPEECH_FRAMES);
    runs
}
