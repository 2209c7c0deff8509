//! Finds notes in posteriors as the original package does: first the note that starts at each onset, then notes in the
//! remaining cells, in descending order of posterior.

use super::N_KEYS;
use std::ops::Range;

/// Minimum posterior of an onset.
const ONSET: f32 = 0.5;
/// Minimum posterior of a sounding key.
const MIN_SOUNDING_POSTERIOR: f32 = 0.3;
/// Length in frames that a note must exceed: 127.7 ms.
const MIN_FRAMES: usize = 11;
/// Number of frames below [`MIN_SOUNDING_POSTERIOR`] that end a note.
const PAUSE_FRAMES: usize = 11;
/// Number of earlier frames with which a frame is compared to measure its rise.
const COMPARED_FRAMES: usize = 2;

/// A detected note.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundNote {
    /// Start in seconds.
    pub start_secs: f64,
    /// End in seconds, after the start.
    pub end_secs: f64,
    /// MIDI number, 21 to 108.
    pub midi: u8,
    /// Mean posterior of its frames: above 0, at most 1. Louder notes tend to have a higher one.
    pub amplitude: f64,
}

/// A note in frames.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NoteSpan {
    pub frames: Range<usize>,
    /// Key, counted from the lowest.
    pub key: usize,
    pub amplitude: f64,
}

/// Finds the notes in posteriors of sounding keys and of onsets, stored frame after frame.
pub(super) fn spans(notes: &[f32], onsets: &[f32]) -> Vec<NoteSpan> {
    let mut search = SpanSearch { notes, left: notes.to_vec(), found: Vec::new() };
    for at in onset_places(notes, onsets).into_iter().rev() {
        search.take_from_onset(at);
    }
    let mut sounding: Vec<usize> = (0..notes.len()).filter(|at| search.left[*at] > MIN_SOUNDING_POSTERIOR).collect();
    sounding.sort_by(|a, b| search.left[*b].total_cmp(&search.left[*a]).then(a.cmp(b)));
    for at in sounding {
        // Cells that have become part of another note are cleared.
        if search.left[at] > MIN_SOUNDING_POSTERIOR {
            search.take_around(at);
        }
    }
    search.found
}

/// Cells where a note begins: peaks over time of the network's onsets, or of the rise of a key's posterior, scaled to
/// the same maximum.
fn onset_places(notes: &[f32], onsets: &[f32]) -> Vec<usize> {
    let rise = |at: usize| {
        if at < COMPARED_FRAMES * N_KEYS {
            return 0.0;
        }
        let min = (1..=COMPARED_FRAMES).map(|n| notes[at] - notes[at - n * N_KEYS]).fold(f32::INFINITY, f32::min);
        min.max(0.0)
    };
    let max_onset = onsets.iter().fold(0.0f32, |max, onset| max.max(*onset));
    let max_rise = (0..notes.len()).map(rise).fold(0.0, f32::max);
    let scale = if max_rise > 0.0 { max_onset / max_rise } else { 0.0 };
    let strength = |at: usize| onsets[at].max(scale * rise(at));
    let last = notes.len().saturating_sub(N_KEYS);
    let is_onset = |at: &usize| {
        let own = strength(*at);
        own >= ONSET && own > strength(at - N_KEYS) && own > strength(at + N_KEYS)
    };
    (N_KEYS.min(last)..last).filter(is_onset).collect()
}

/// State of the search for notes; cells are stored frame after frame.
struct SpanSearch<'a> {
    notes: &'a [f32],
    /// The same posteriors, set to 0 where a note was found.
    left: Vec<f32>,
    found: Vec<NoteSpan>,
}

impl SpanSearch<'_> {
    fn n_frames(&self) -> usize {
        self.notes.len() / N_KEYS
    }

    /// Adds the note that begins in a cell, unless it is too short.
    fn take_from_onset(&mut self, at: usize) {
        let (start, key) = (at / N_KEYS, at % N_KEYS);
        let last = self.n_frames() - 1;
        let (mut end, mut n_below) = (start + 1, 0);
        while end < last && n_below < PAUSE_FRAMES {
            n_below = if self.left[end * N_KEYS + key] < MIN_SOUNDING_POSTERIOR { n_below + 1 } else { 0 };
            end += 1;
        }
        let frames = start..end - n_below;
        if frames.len() > MIN_FRAMES {
            frames.clone().for_each(|frame| self.clear(frame, key));
            self.add(frames, key);
        }
    }

    /// Adds the note around a cell; drops it if it is too short.
    fn take_around(&mut self, at: usize) {
        let (middle, key) = (at / N_KEYS, at % N_KEYS);
        self.left[at] = 0.0;
        let last = self.n_frames() - 1;
        let (mut end, mut n_below) = (middle + 1, 0);
        while end < last && n_below < PAUSE_FRAMES {
            n_below = if self.left[end * N_KEYS + key] < MIN_SOUNDING_POSTERIOR { n_below + 1 } else { 0 };
            self.clear(end, key);
            end += 1;
        }
        let end = end - 1 - n_below;
        let (mut start, mut n_below) = (middle, 0);
        while start > 1 && n_below < PAUSE_FRAMES {
            start -= 1;
            n_below = if self.left[start * N_KEYS + key] < MIN_SOUNDING_POSTERIOR { n_below + 1 } else { 0 };
            self.clear(start, key);
        }
        let start = start + n_below;
        if end.saturating_sub(start) > MIN_FRAMES {
            self.add(start..end, key);
        }
    }

    /// Clears a cell and those of the adjacent keys.
    fn clear(&mut self, frame: usize, key: usize) {
        let first = frame * N_KEYS;
        self.left[first + key.saturating_sub(1)..=first + (key + 1).min(N_KEYS - 1)].fill(0.0);
    }

    fn add(&mut self, frames: Range<usize>, key: usize) {
        let sum: f64 = frames.clone().map(|frame| f64::from(self.notes[frame * N_KEYS + key])).sum();
        let amplitude = sum / frames.len() as f64;
        self.found.push(NoteSpan { frames, key, amplitude });
    }
}
