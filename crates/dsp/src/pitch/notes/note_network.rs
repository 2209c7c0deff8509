//! Basic Pitch: convolutions over rows and frames, which estimate pitches, sounding keys and onsets.

use super::note_rows::{N_ROWS, NoteRows};
use super::{N_KEYS, ROWS_PER_KEY, WINDOW_FRAMES, WINDOW_SAMPLES};
use crate::base::{Error, Result};
use crate::dsp::numeric::network::{Activation, Convolution, ConvolutionShape, LayerFrames, WeightReader};

const MAGIC: &[u8; 8] = b"SBBPN1\x01\0";
/// Offsets in rows from a fundamental to the rows stacked with it: an octave below, itself, and six overtones.
const SHIFTS: [isize; 8] = [-36, 0, 36, 57, 72, 84, 93, 101];
/// Number of channels of inner layers.
const N_CONTOUR: usize = 8;
const N_INNER: usize = 32;

/// The network and its weights.
#[derive(Debug)]
pub struct NoteNetwork {
    rows: NoteRows,
    /// Factor and offset of the convolutions' input.
    scale: [f32; 2],
    contour: [Convolution; 2],
    note: [Convolution; 2],
    onset: [Convolution; 2],
}

/// Posteriors of the frames of a window, each from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteWindow {
    /// Pitches, three bands a semitone.
    pub contours: LayerFrames,
    /// Sounding keys.
    pub notes: LayerFrames,
    /// Onsets of keys.
    pub onsets: LayerFrames,
}

impl NoteNetwork {
    /// Reads the weights from a file's bytes.
    ///
    /// # Errors
    /// [`Unsupported`](crate::base::ErrorKind::Unsupported) for another file, or a damaged one.
    pub fn read(bytes: &[u8]) -> Result<NoteNetwork> {
        let mut weights = WeightReader::of_f32(bytes, MAGIC)?;
        let rows = NoteRows::read(&mut weights)?;
        let [factor, offset] = [weights.tensor(&[1])?, weights.tensor(&[1])?].map(|numbers| numbers[0]);
        let mut layer = |kernel: [usize; 2], step, [n_in, n_out]: [usize; 2], activation| {
            let numbers = weights.tensor(&[n_out, n_in, kernel[0], kernel[1]])?;
            let bias = weights.tensor(&[n_out])?;
            let shape = ConvolutionShape { step, ..ConvolutionShape::new(kernel, 1, [n_in, n_out]) };
            Ok::<_, Error>(Convolution::new(shape, &numbers, Some(bias), activation))
        };
        let n_shifts = SHIFTS.len();
        let [inner, outer] = [Activation::Relu, Activation::Sigmoid];
        let network = NoteNetwork {
            rows,
            scale: [factor, offset],
            contour: [layer([3, 39], 1, [n_shifts, N_CONTOUR], inner)?, layer([5, 5], 1, [N_CONTOUR, 1], outer)?],
            note: [layer([7, 7], ROWS_PER_KEY, [1, N_INNER], inner)?, layer([7, 3], 1, [N_INNER, 1], outer)?],
            onset: [
                layer([5, 5], ROWS_PER_KEY, [n_shifts, N_INNER], inner)?,
                layer([3, 3], 1, [1 + N_INNER, 1], outer)?,
            ],
        };
        weights.done()?;
        Ok(network)
    }

    /// The posteriors of [`WINDOW_SAMPLES`] samples; more are ignored, and fewer are padded with zeros.
    pub fn run(&self, samples: &[f32]) -> NoteWindow {
        let mut window = samples[..samples.len().min(WINDOW_SAMPLES)].to_vec();
        window.resize(WINDOW_SAMPLES, 0.0);
        let shifted = self.shifted(&self.rows.make(&window));
        let [contour, contour_out] = &self.contour;
        let contours = contour_out.run(&contour.run(&shifted.padded(1)).padded(2));
        let [note, note_out] = &self.note;
        let notes = note_out.run(&note.run(&contours.padded(3)).padded(3));
        let [onset, onset_out] = &self.onset;
        let onsets = onset_out.run(&notes.beside(&onset.run(&shifted.padded(2))).padded(1));
        NoteWindow { contours, notes, onsets }
    }

    /// Stacks the rows of fundamentals with those of their overtones; 0 beyond the rows.
    fn shifted(&self, rows: &LayerFrames) -> LayerFrames {
        let [factor, offset] = self.scale;
        let (n_bands, n_shifts) = (N_KEYS * ROWS_PER_KEY, SHIFTS.len());
        let mut values = Vec::with_capacity(WINDOW_FRAMES * n_bands * n_shifts);
        for frame in 0..rows.n_frames() {
            let row = rows.frame(frame);
            for band in 0..n_bands {
                let seen = SHIFTS.map(|shift| band.checked_add_signed(shift).and_then(|at| row.get(at)));
                values.extend(seen.map(|value| value.map_or(0.0, |value| value * factor + offset)));
            }
        }
        debug_assert!(rows.n_bands() == N_ROWS);
        LayerFrames::new([n_bands, n_shifts], values)
    }
}
