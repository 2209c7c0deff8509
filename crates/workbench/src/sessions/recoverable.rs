//! Description of the sessions left behind by another process, for the user.

/// Description of the newest recoverable work.
#[derive(Debug, Clone, PartialEq)]
pub struct RecoverableWork {
    /// Name of the sound or project.
    pub name: String,
    /// Number of edits.
    pub n_edits: usize,
    /// Whether it is a recording that was not saved.
    pub is_recording: bool,
    /// Seconds since the session was last written.
    pub secs_ago: Option<f64>,
    /// Number of other sessions that would be restored as well.
    pub n_more: usize,
    /// Whether the program ended during an earlier attempt to recover it.
    pub was_tried: bool,
    /// Whether there is a file to open instead: the last saved or opened one.
    pub has_fallback: bool,
}

/// The user's decision about the sessions found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveryAnswer {
    /// Restore all sessions.
    Recover,
    /// Open the last saved file instead.
    Fallback,
    /// Keep all for the next start.
    NotNow,
    /// Delete the newest.
    Discard,
}
