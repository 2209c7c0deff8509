//! Limits on memory and disk.

use crate::base::Settings;

/// Limits on memory and disk for the documents opened next.
#[derive(Debug, Clone, Copy)]
pub struct Budgets {
    /// Memory for undo, shared by all documents, in bytes; the excess is stored on disk.
    pub history_bytes: u64,
    /// Maximum size of a sound kept in memory, in bytes; larger ones are read from disk.
    pub source_bytes: u64,
    /// Disk space that decoded sound must leave free, in bytes; `None`: a fraction of the disk.
    pub reserve_bytes: Option<u64>,
    /// Memory for analysing library sounds, in bytes; `None`: half of the available memory.
    pub library_bytes: Option<u64>,
}

impl Default for Budgets {
    fn default() -> Budgets {
        let usual = Settings::default();
        Budgets {
            history_bytes: usual.history_bytes(),
            source_bytes: usual.source_bytes(),
            reserve_bytes: None,
            library_bytes: None,
        }
    }
}
