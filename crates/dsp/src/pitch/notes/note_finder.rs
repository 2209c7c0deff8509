//! Computes the posteriors of a sound, from blocks of samples.

use super::found_note::spans;
use super::{
    EDGE_FRAMES, FIRST_KEY, FoundNote, N_KEYS, NoteNetwork, RATE_HZ, STEP_SAMPLES, WINDOW_FRAMES, WINDOW_SAMPLES,
};

/// Number of frames kept per window.
const KEPT_FRAMES: usize = WINDOW_FRAMES - 2 * EDGE_FRAMES;
/// Peak below which a step is silent, since the network normalises its input and would take dither for notes.
const SILENCE: f32 = 1e-4;

/// Finds the notes of sound at [`RATE_HZ`], in blocks; the result does not depend on their lengths.
///
/// Windows advance by their kept frames, so that frames are evenly spaced; the original package advances by a fraction
/// of a frame less, and corrects its times afterwards.
pub struct NoteFinder<'a> {
    network: &'a NoteNetwork,
    /// The sound, starting with the next window; before the start of the sound there are zeros.
    samples: Vec<f32>,
    n_samples: usize,
    chances: NoteChances,
}

/// Posteriors of sounding keys and of their onsets, in frames [`STEP_SAMPLES`] apart: 705 bytes a frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NoteChances {
    notes: Vec<f32>,
    onsets: Vec<f32>,
    is_audible: Vec<bool>,
}

impl<'a> NoteFinder<'a> {
    /// A finder before the first sample.
    pub fn new(network: &'a NoteNetwork) -> NoteFinder<'a> {
        let samples = vec![0.0; EDGE_FRAMES * STEP_SAMPLES];
        NoteFinder { network, samples, n_samples: 0, chances: NoteChances::default() }
    }

    /// Processes the next samples.
    pub fn push(&mut self, samples: &[f32]) {
        self.samples.extend_from_slice(samples);
        self.n_samples += samples.len();
        while self.samples.len() >= WINDOW_SAMPLES {
            self.take_window();
        }
    }

    /// The posteriors of the frames centred within the sound.
    pub fn finish(mut self) -> NoteChances {
        let n_frames = self.n_samples.div_ceil(STEP_SAMPLES);
        while self.chances.n_frames() < n_frames {
            self.samples.resize(WINDOW_SAMPLES, 0.0);
            self.take_window();
        }
        let NoteChances { notes, onsets, is_audible } = &mut self.chances;
        notes.truncate(n_frames * N_KEYS);
        onsets.truncate(n_frames * N_KEYS);
        is_audible.truncate(n_frames);
        self.chances
    }

    /// Adds the posteriors of the next window, 0 for a silent one.
    fn take_window(&mut self) {
        let window = &self.samples[..WINDOW_SAMPLES];
        let is_loud = |samples: &[f32]| samples.iter().any(|sample| sample.abs() >= SILENCE);
        let kept = EDGE_FRAMES..EDGE_FRAMES + KEPT_FRAMES;
        let NoteChances { notes, onsets, is_audible } = &mut self.chances;
        is_audible.extend(kept.clone().map(|frame| is_loud(&window[frame * STEP_SAMPLES..][..STEP_SAMPLES])));
        if is_loud(window) {
            let said = self.network.run(window);
            for frame in kept {
                notes.extend_from_slice(said.notes.frame(frame));
                onsets.extend_from_slice(said.onsets.frame(frame));
            }
        } else {
            notes.resize(notes.len() + KEPT_FRAMES * N_KEYS, 0.0);
            onsets.resize(onsets.len() + KEPT_FRAMES * N_KEYS, 0.0);
        }
        self.samples.drain(..KEPT_FRAMES * STEP_SAMPLES);
    }
}

impl NoteChances {
    /// Number of frames.
    pub fn n_frames(&self) -> usize {
        self.is_audible.len()
    }

    /// Posteriors of sounding keys, frame after frame.
    pub fn notes(&self) -> &[f32] {
        &self.notes
    }

    /// Posteriors of onsets, frame after frame.
    pub fn onsets(&self) -> &[f32] {
        &self.onsets
    }

    /// The notes, sorted by start and key, excluding those that are silent throughout.
    pub fn found(&self) -> Vec<FoundNote> {
        let secs = |frame: usize| (frame * STEP_SAMPLES) as f64 / RATE_HZ;
        let mut found: Vec<FoundNote> = spans(&self.notes, &self.onsets)
            .into_iter()
            .filter(|span| self.is_audible[span.frames.clone()].contains(&true))
            .map(|span| FoundNote {
                start_secs: secs(span.frames.start),
                end_secs: secs(span.frames.end),
                midi: FIRST_KEY + span.key as u8,
                amplitude: span.amplitude,
            })
            .collect();
        found.sort_by(|a, b| a.start_secs.total_cmp(&b.start_secs).then(a.midi.cmp(&b.midi)));
        found
    }
}
