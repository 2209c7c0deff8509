//! Magnitudes of the frames of many sounds, their medians and their mels, which a device computes in one batch.
//!
//! Pieces of sounds are concatenated to one signal, each including the silence around its sound. A piece contains
//! everything that its frames need, so that its planes do not depend on other pieces; frames that overlap two pieces
//! belong to neither.

use super::analysis::{FRAME_SAMPLES, N_BINS, STEP_SAMPLES};
use super::harmonic_ratio::{HALF, MEDIAN_WINDOW};
use super::mel_levels::{N_MELS, bank};
use crate::dsp::kernels::medians;
use crate::dsp::transforms::frame_stream::{FrameCutter, FrameSpectra};
use crate::dsp::{CellRect, Region, StftParams, Window};
use std::ops::Range;
use std::sync::OnceLock;

/// Maximum number of frames per piece, about 12 s, since all planes of a piece are read back together.
pub const PIECE_FRAMES: usize = 1_024;
/// Number of frames that overlap two pieces.
const OVERLAP_FRAMES: usize = FRAME_SAMPLES / STEP_SAMPLES - 1;

/// Planes of a piece, one row per frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FramePlanes {
    /// `|X|` by bin.
    pub magnitude: Vec<f32>,
    /// Medians along time, by bin.
    pub harmonic: Vec<f32>,
    /// Medians along frequency, by bin.
    pub percussive: Vec<f32>,
    /// Power by mel.
    pub mels: Vec<f32>,
}

impl FramePlanes {
    /// Planes filled with 0.
    pub fn zeros(n_frames: usize) -> FramePlanes {
        let plane = || vec![0.0; n_frames * N_BINS];
        FramePlanes { magnitude: plane(), harmonic: plane(), percussive: plane(), mels: vec![0.0; n_frames * N_MELS] }
    }
}

/// Pieces of sounds, concatenated to one signal.
#[derive(Debug, Clone, Default)]
pub struct PlaneBatch {
    samples: Vec<f32>,
    lines: Vec<[u32; 2]>,
    pieces: Vec<PlanePiece>,
}

/// Frames of a sound, with the surrounding frames that medians need.
#[derive(Debug, Clone, Copy)]
struct PlanePiece {
    first_row: usize,
    n_rows: usize,
    n_before: usize,
    n_frames: usize,
}

impl PlaneBatch {
    /// The transform of the frames.
    pub fn transform() -> StftParams {
        StftParams::of_size(FRAME_SAMPLES, FRAME_SAMPLES / STEP_SAMPLES, Window::Hann)
    }

    /// Number of frames of a sound of `n_samples`.
    pub fn n_frames(n_samples: usize) -> usize {
        FrameCutter::n_frames(STEP_SAMPLES, n_samples as u64) as usize
    }

    /// Device memory for a piece of `n_frames`, in bytes: samples, planes, and a second copy of the planes for reading
    /// back.
    pub fn bytes_of(n_frames: usize) -> u64 {
        let n_rows = n_frames + 2 * HALF + OVERLAP_FRAMES;
        4 * (n_rows * (STEP_SAMPLES + 2 * (3 * N_BINS + N_MELS))) as u64
    }

    /// Adds frames of a sound, at most [`PIECE_FRAMES`] and at least one.
    pub fn push(&mut self, samples: &[f32], frames: Range<usize>) {
        let n_all = PlaneBatch::n_frames(samples.len());
        let around = frames.start.saturating_sub(HALF)..(frames.end + HALF).min(n_all);
        if !self.pieces.is_empty() {
            self.lines.extend([[0; 2]; OVERLAP_FRAMES]);
        }
        let (first_row, n_rows) = (self.lines.len(), around.len());
        self.lines.extend(std::iter::repeat_n([first_row as u32, n_rows as u32], n_rows));
        self.pieces.push(PlanePiece {
            first_row,
            n_rows,
            n_before: frames.start - around.start,
            n_frames: frames.len(),
        });
        // From half a frame before the centre of the first frame; outside the sound is silence.
        let first = around.start * STEP_SAMPLES;
        let n_silent = (FRAME_SAMPLES / 2).saturating_sub(first);
        let inside = &samples[first.saturating_sub(FRAME_SAMPLES / 2)..];
        let n = (n_rows - 1) * STEP_SAMPLES + FRAME_SAMPLES;
        let inside = &inside[..inside.len().min(n - n_silent)];
        let place = self.samples.len() + n_silent;
        self.samples.resize(self.samples.len() + n, 0.0);
        self.samples[place..place + inside.len()].copy_from_slice(inside);
    }

    /// Number of pieces.
    pub fn n_pieces(&self) -> usize {
        self.pieces.len()
    }

    /// The concatenated signal.
    pub fn samples(&self) -> &[f32] {
        &self.samples
    }

    /// For each frame of the signal, the first frame of its piece and the piece's number of frames; zeros for frames
    /// between pieces.
    pub fn lines(&self) -> &[[u32; 2]] {
        &self.lines
    }

    /// The frames of the signal that [`push`](PlaneBatch::push) added for a piece, without those around them.
    pub fn rows(&self, piece: usize) -> Range<usize> {
        let PlanePiece { first_row, n_before, n_frames, .. } = self.pieces[piece];
        first_row + n_before..first_row + n_before + n_frames
    }

    /// The samples of a frame of the signal.
    pub fn frame(&self, row: usize) -> &[f32] {
        &self.samples[row * STEP_SAMPLES..][..FRAME_SAMPLES]
    }

    /// The planes of a piece, computed on the CPU.
    pub fn planes(&self, piece: usize) -> FramePlanes {
        let PlanePiece { first_row, n_rows, n_before, n_frames } = self.pieces[piece];
        let rect = |frames| CellRect::new(frames, 0..N_BINS);
        let mut region = Region::zeros(rect(0..n_rows));
        let (mut spectra, mut power) = (FrameSpectra::new(FRAME_SAMPLES), vec![0.0; N_BINS]);
        for (row, magnitude) in region.magnitude.chunks_exact_mut(N_BINS).enumerate() {
            spectra.power(self.frame(first_row + row), &mut power);
            magnitude.iter_mut().zip(&power).for_each(|(out, power)| *out = power.sqrt() as f32);
        }
        let requested = rect(n_before..n_before + n_frames);
        let [harmonic, percussive] = medians([MEDIAN_WINDOW; 2], &region, &requested);
        let magnitude = region.magnitude[n_before * N_BINS..][..requested.n_cells()].to_vec();
        let mut mels = vec![0.0; n_frames * N_MELS];
        let bank = bank();
        for (magnitude, mels) in magnitude.chunks_exact(N_BINS).zip(mels.chunks_exact_mut(N_MELS)) {
            let power: Vec<f32> = magnitude.iter().map(|value| value * value).collect();
            bank.apply(&power, mels);
        }
        FramePlanes { magnitude, harmonic, percussive, mels }
    }
}

/// The filter bank of the mels, in the form of [`MelBank::flat`](crate::dsp::mels::mel::MelBank::flat).
pub fn mel_tables() -> &'static (Vec<[u32; 3]>, Vec<f32>) {
    static TABLES: OnceLock<(Vec<[u32; 3]>, Vec<f32>)> = OnceLock::new();
    TABLES.get_or_init(|| bank().flat())
}
