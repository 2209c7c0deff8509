//! Limits of memory and disk.

use crate::base::Settings;

/// How much memory and disk the next documents may take.
#[derive(Debug, Clone, Copy)]
pub struct Budgets {
    /// Memory that undo takes, over all documents; the rest is on disk.
    pub history_bytes: u64,
    /// Sounds that take more are read from disk.
    pub source_bytes: u64,
    /// Bytes that decoded sound leaves free on its disk; none: a part of it.
    pub reserve_bytes: Option<u64>,
    /// Memory that analysing sounds for the library may take; none: half of what is available.
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
