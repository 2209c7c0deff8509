//! Work that a process left behind, as the user is asked about it.

/// The newest work found.
#[derive(Debug, Clone, PartialEq)]
pub struct Left {
    /// Name of the sound or project.
    pub name: String,
    /// Edits in it.
    pub n_edits: usize,
    /// It is a recording, of which no session speaks.
    pub is_recording: bool,
    /// Seconds since it was written last.
    pub secs_ago: Option<f64>,
    /// Other sessions, which come back with it.
    pub n_more: usize,
    /// Recovering it ended the program before.
    pub was_tried: bool,
    /// There is a file that was last saved or opened.
    pub has_fallback: bool,
}

/// What to do with the work found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftAnswer {
    /// All of it is given back.
    Recover,
    /// The file that was last saved is opened instead.
    Fallback,
    /// It stays for the next start.
    NotNow,
    /// The newest is thrown away.
    Discard,
}
