//! What is known of the beat of a sound.

/// What is known of the beat of a sound.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FoundBeat {
    /// No search was started, or it failed with a notice.
    #[default]
    Unasked,
    /// It is being looked for.
    Pending,
    /// There is none.
    None,
    /// This one.
    Found {
        /// Beats per minute.
        tempo_bpm: f64,
        /// Where the first sound begins, in seconds.
        first_secs: f64,
    },
}
