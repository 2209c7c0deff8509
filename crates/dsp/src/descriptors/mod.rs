//! Descriptors of a sound: each file measures one kind, reading the sound in pieces and returning a result at the end.
//!
//! Unless said otherwise a sound is the mean of its channels at [`RATE_HZ`], its frames are those of
//! [`frame_stream`](super::transforms::frame_stream) with [`FRAME_SAMPLES`] and [`STEP_SAMPLES`], and a value that a
//! sound does not have is `None`.

mod analysis;
mod bands;
mod chroma;
mod frame_planes;
mod harmonic_ratio;
mod key;
mod levels;
mod mel_levels;
mod mfcc;
mod onset_count;
mod pitch;
mod rhythm;
mod spectrum;
mod statistics;
mod stereo;

pub use analysis::{FRAME_SAMPLES, FrameReading, N_BINS, RATE_HZ, STEP_SAMPLES};
pub use bands::{BandDescriptors, BandMeter};
pub use chroma::{ChromaAtoms, ChromaColumns, ChromaDescriptors, ChromaFrame, ChromaMeter};
pub use frame_planes::{FramePlanes, PIECE_FRAMES, PlaneBatch, mel_tables};
pub use harmonic_ratio::{HarmonicMeter, MEDIAN_WINDOW};
pub use key::MusicalKey;
pub use levels::{LevelDescriptors, LevelMeter};
pub use mel_levels::{MelLevels, N_MELS};
pub use mfcc::{MfccDescriptors, MfccMeter, N_MFCC};
pub use onset_count::OnsetCounter;
pub use pitch::{PITCH_FRAME_SAMPLES, PitchDescriptors, PitchMeter};
pub use rhythm::{RhythmDescriptors, RhythmMeter};
pub use spectrum::{SpectrumDescriptors, SpectrumMeter};
pub use statistics::{median, quantile};
pub use stereo::{StereoDescriptors, StereoMeter};
