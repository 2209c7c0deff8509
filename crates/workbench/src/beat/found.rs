//! Result of the beat detection.

/// Result of the beat detection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FoundBeat {
    /// No search has started, or the last one failed with a notice.
    #[default]
    Unasked,
    /// The search is running.
    Pending,
    /// The sound has no onset or no steady beat.
    None,
    /// The beat of the sound.
    Found {
        /// Beats per minute.
        tempo_bpm: f64,
        /// Time of the first onset, in seconds.
        first_secs: f64,
    },
}
