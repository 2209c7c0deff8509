//! Computes the points of a pitch line from blocks of samples.

use super::pitch_network::{FrameOutput, PitchNetwork};
use super::{CONTEXT_FRAMES, MAX, RANGE_HZ, RATE_HZ, STEP_SAMPLES};
use crate::dsp::pitch::yin::{PitchReading, Yin};

/// Number of frames that go through the network together, including context.
const BLOCK_FRAMES: usize = 256;
/// Peak below which a step counts as silent and unvoiced, since the network was not trained on silence.
const SILENCE: f32 = 1e-3;
/// Length of YIN's window, and of its frame, in samples.
const YIN_WINDOW: usize = 512;
const YIN_FRAME: usize = 857;
/// Pitch in hertz below which the network is often wrong.
const MIN_TRUSTED_HZ: f64 = 70.0;
/// Aperiodicity below which YIN is reliable.
const MAX_RELIABLE_APERIODICITY: f64 = 0.1;
/// Minimum distance in octaves between pitches that are different harmonics: an octave minus the tolerance of both
/// estimates.
const HARMONIC_SEPARATION_OCTAVES: f64 = 1.0 - 1.0 / 24.0;

/// A point of a pitch line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitchPoint {
    /// Fundamental frequency in hertz; an estimate even if the point is unvoiced.
    pub hz: f64,
    /// Probability of a pitch, 0 to 1.
    pub confidence: f64,
}

/// Finds the pitch of sound at [`RATE_HZ`], in blocks whose boundaries don't affect the result.
pub struct PitchTracker<'a> {
    network: &'a PitchNetwork,
    yin: Yin,
    /// The sound from `first` on, with zeros before its start.
    samples: Vec<f32>,
    /// Position of the first of `samples`, counted from `MAX / 2` samples before the start of the sound.
    first: usize,
    n_samples: usize,
    points: Vec<PitchPoint>,
}

impl<'a> PitchTracker<'a> {
    /// A tracker before the first sample.
    pub fn new(network: &'a PitchNetwork) -> PitchTracker<'a> {
        let yin = Yin::new(RATE_HZ, [YIN_FRAME, YIN_WINDOW, STEP_SAMPLES], RANGE_HZ);
        PitchTracker { network, yin, samples: vec![0.0; MAX / 2], first: 0, n_samples: 0, points: Vec::new() }
    }

    /// Processes the next samples.
    pub fn push(&mut self, samples: &[f32]) {
        self.samples.extend_from_slice(samples);
        self.n_samples += samples.len();
        // Tracks the blocks for which all required samples have arrived.
        while self.n_samples >= self.block_end() * STEP_SAMPLES + MAX {
            self.track(self.block_end(), self.block_end() - CONTEXT_FRAMES);
        }
    }

    /// The points of the whole sound: one for each whole step, at least one.
    pub fn finish(mut self) -> Vec<PitchPoint> {
        let n_frames = (self.n_samples / STEP_SAMPLES).max(1);
        self.samples.extend([0.0; MAX + STEP_SAMPLES]);
        while self.points.len() < n_frames {
            match self.block_end() {
                end if end < n_frames => self.track(end, end - CONTEXT_FRAMES),
                _ => self.track(n_frames, n_frames),
            }
        }
        self.points
    }

    /// One past the last frame of the next block.
    fn block_end(&self) -> usize {
        self.block_start() + BLOCK_FRAMES
    }

    /// First frame of the next block, including its context.
    fn block_start(&self) -> usize {
        self.points.len().saturating_sub(CONTEXT_FRAMES)
    }

    /// Computes the points up to `n_points` from the frames up to `end`, both exclusive.
    fn track(&mut self, end: usize, n_points: usize) {
        let start = self.block_start();
        let forget = start * STEP_SAMPLES - self.first;
        self.samples.drain(..forget);
        self.first += forget;
        let spectra = self.network.spectra.make(&self.samples, end - start);
        let outputs = self.network.run(&spectra);
        for at in self.points.len()..n_points {
            let centre = (at - start) * STEP_SAMPLES + MAX / 2;
            let step = &self.samples[centre..centre + STEP_SAMPLES];
            let is_silent = step.iter().all(|sample| sample.abs() < SILENCE);
            let reading = self.yin.read(&self.samples[centre - YIN_FRAME / 2..][..YIN_FRAME]);
            self.points.push(point(outputs[at - start], reading, is_silent));
        }
    }
}

/// The network's result, unless YIN is more reliable.
fn point(output: FrameOutput, reading: Option<PitchReading>, is_silent: bool) -> PitchPoint {
    let FrameOutput { hz, confidence } = output;
    let corrected =
        reading.filter(|reading| reading.aperiodicity < MAX_RELIABLE_APERIODICITY).map(|reading| reading.hz);
    let is_doubtful = |yin_hz: &f64| hz < MIN_TRUSTED_HZ || (yin_hz / hz).log2().abs() >= HARMONIC_SEPARATION_OCTAVES;
    let hz = corrected.filter(is_doubtful).unwrap_or(hz);
    PitchPoint { hz, confidence: if is_silent { 0.0 } else { confidence } }
}
