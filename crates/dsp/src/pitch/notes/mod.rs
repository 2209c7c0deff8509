//! Polyphonic note detection by Basic Pitch (Bittner and others, 2022).
//!
//! The network's input is the magnitudes of a constant-Q transform at 22,050 Hz, three rows per semitone, stacked with
//! those of overtones; its output is the posterior of each of 88 keys and of its onset in each frame. It works best on
//! struck and plucked sounds, and misses most notes of strings and organs. There is no twin in `shaders/`: see
//! [`network`](crate::dsp::numeric::network).

mod found_note;
mod note_finder;
mod note_network;
mod note_rows;

pub use found_note::FoundNote;
pub use note_finder::{NoteChances, NoteFinder};
pub use note_network::{NoteNetwork, NoteWindow};

/// Sample rate of the network in hertz.
pub const RATE_HZ: f64 = 22_050.0;
/// Samples from a frame to the next; the first is centred on the first sample.
pub const STEP_SAMPLES: usize = 256;
/// Number of samples and frames per window, whose levels are scaled together.
pub const WINDOW_SAMPLES: usize = 43_844;
/// See [`WINDOW_SAMPLES`].
pub const WINDOW_FRAMES: usize = 172;
/// Number of keys: those of a piano.
pub const N_KEYS: usize = 88;
/// MIDI number of the first key.
pub const FIRST_KEY: u8 = 21;
/// Number of rows per semitone.
const ROWS_PER_KEY: usize = 3;
/// Number of frames dropped at each end of a window.
const EDGE_FRAMES: usize = 15;
