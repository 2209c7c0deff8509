//! Searches whose results become selections: clicks, hum, clipping, speech, or sounds similar to the selection. They
//! only find ranges of time or frequency, which brushes repair.

mod alike;
mod click_repair;
mod clicks;
mod clipping;
mod hum;

pub use alike::{Patch, matches};
pub use click_repair::clicks_by_repair;
pub use clicks::clicks;
pub use clipping::{clipped_runs, peak};
pub use hum::{HumSpectrum, hum_lines};

/// A kind of damage or sound to search for.
#[derive(Debug, Clone, PartialEq)]
pub enum Find {
    /// Samples that their neighbours do not predict.
    Clicks {
        /// Minimum error of a sample relative to the usual error, 1 to 100.
        threshold: f64,
        /// How clicks are distinguished from sounds.
        method: ClickMethod,
    },
    /// A steady low tone and its multiples.
    Hum {
        /// Search range of the fundamental, in hertz.
        f0_hz: [f64; 2],
        /// Number of harmonics searched for, 1 to 512.
        count: usize,
        /// Width of the selected bands in hertz.
        width_hz: f64,
        /// Minimum level of a spectral line above the usual level around it, 3 to 60 dB.
        prominence_db: f64,
    },
    /// Runs of samples at the positive or negative peak of the wave.
    Clipping {
        /// Minimum level of a run as a fraction of the signal's peak of the same sign, 0 to 1.
        level: f64,
    },
    /// Other times at which the same band resembles a patch.
    Alike {
        /// Start and end of the patch, in seconds.
        secs: [f64; 2],
        /// Band of the patch; `None` for all frequencies.
        hz: Option<[f64; 2]>,
        /// Minimum correlation of the levels, -1 to 1.
        similarity: f64,
        /// Method of comparison.
        method: AlikeMethod,
    },
    /// Passages with speech.
    Speech,
    /// Passages without speech.
    Pauses,
    /// The fraction of speech in each cell.
    SpeechCells,
}

/// How clicks are distinguished from sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClickMethod {
    /// By prediction errors alone; the default of scripts.
    #[default]
    Prediction,
    /// By how much interpolating the damaged samples improves the prediction.
    Repair,
}

impl ClickMethod {
    /// The name in scripts.
    pub fn name(self) -> &'static str {
        match self {
            ClickMethod::Prediction => "prediction",
            ClickMethod::Repair => "repair",
        }
    }
}

/// Methods of comparing patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlikeMethod {
    /// By the power in 48 bands, down to 70 dB below the loudest level of the sound, the best matches first; the
    /// default of scripts.
    #[default]
    Bands,
    /// By [`likeness`](crate::comparison::likeness), as in *Find similar*.
    Likeness,
}

impl AlikeMethod {
    /// The name in scripts.
    pub fn name(self) -> &'static str {
        match self {
            AlikeMethod::Bands => "bands",
            AlikeMethod::Likeness => "likeness",
        }
    }

    /// Default minimum correlation.
    pub fn similarity(self) -> f64 {
        match self {
            AlikeMethod::Bands => 0.75,
            AlikeMethod::Likeness => 0.6,
        }
    }
}

impl Find {
    /// Default search for clicks.
    pub const CLICKS: Find = Find::Clicks { threshold: 10.0, method: ClickMethod::Repair };
    /// Default search for hum: mains of 50 and 60 Hz, with a margin for the speed of tapes.
    pub const HUM: Find = Find::Hum { f0_hz: [45.0, 65.0], count: 32, width_hz: 12.0, prominence_db: 9.0 };
    /// Default search for clipping.
    pub const CLIPPING: Find = Find::Clipping { level: 0.995 };

    /// Name of the search's shape in scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Find::Clicks { .. } => "clicks",
            Find::Hum { .. } => "hum",
            Find::Clipping { .. } => "clipping",
            Find::Alike { .. } => "alike",
            Find::Speech => "speech",
            Find::Pauses => "pauses",
            Find::SpeechCells => "speech_cells",
        }
    }
}
