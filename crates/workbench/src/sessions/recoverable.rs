//! Sessions that another process left behind, as shown to the user.

/// The newest work found.
#[derive(Debug, Clone, PartialEq)]
pub struct RecoverableWork {
    /// Name of the sound or project.
    pub name: String,
    /// Edits in it.
    pub n_edits: usize,
    /// A recording without a session.
    pub is_recording: bool,
    /// Seconds since the last write.
    pub secs_ago: Option<f64>,
    /// Other sessions that would be restored with it.
    pub n_more: usize,
    /// Whether an earlier attempt to recover it ended the program.
    pub was_tried: bool,
    /// Whether there is a last saved or opened file.
    pub has_fallback: bool,
}

/// What to do with the sessions found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveryAnswer {
    /// Restore everything.
    Recover,
    /// Open the last saved file instead.
    Fallback,
    /// Keep it for the next start.
    NotNow,
    /// Discard the newest.
    Discard,
}
