//! Voices: notes of a score, rendered as sums of sines under envelopes.
//!
//! A [`Score`] holds notes and their [`Timbre`]s. Each note is one voice per unison part, each voice a set of
//! oscillators. The CPU computes control values in f64 at the edges of blocks of 64 samples, counted from the note's
//! start; either engine renders the samples between them. A sample depends on the score alone: splitting the time or
//! the threads differently gives the same bits.

mod bank;
mod burst;
mod chance;
mod chord;
mod chunk;
mod control;
mod drawn;
mod fundamental;
mod live;
mod measure;
mod measured;
mod named;
mod note;
mod pool;
mod render;
mod score;
mod sine;
mod start;
mod timbre;

pub use bank::SineBank;
pub use burst::Burst;
pub use chance::chance;
pub use chord::{Chord, midi_from_name};
pub use chunk::VoiceChunk;
pub use control::layouts;
pub use control::{ControlPoint, VoiceRun};
pub use drawn::DrawnNotes;
pub use fundamental::fundamental;
pub use live::LiveVoices;
pub use measure::measure;
pub use measured::MeasuredTimbre;
pub use note::ScoreNote;
pub use pool::{VoicePool, VoiceStream};
pub use score::{NoteProblem, Score};
pub use sine::COEFFICIENTS as SINE_COEFFICIENTS;
pub use sine::sine;
pub use timbre::{Adsr, Cutoff, Timbre, TimbrePartial, Vibrato};

/// Samples between two edges at which control values are computed.
pub const BLOCK: usize = 64;

/// Samples rendered at a time on the CPU.
pub const CHUNK: usize = 4096;

/// Maximum number of simultaneous oscillators.
pub const MAX_OSCILLATORS: usize = 8192;

/// Maximum number of partials of a timbre.
pub const MAX_PARTIALS: usize = 128;
