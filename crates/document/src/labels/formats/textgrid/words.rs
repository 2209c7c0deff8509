//! What readers and writer of TextGrids share.

use crate::base::{Error, ErrorKind};
use crate::document::labels::Columns;
use std::sync::Arc;

/// The column that holds the name of a label's tier.
pub(super) const TIER: &str = "tier";
pub(super) const MAGIC: &[u8] = b"ooBinaryFile\x08TextGrid";
pub(super) const CHRONOLOGICAL: &str = "Praat chronological TextGrid text file";
pub(super) const INTERVALS: &str = "IntervalTier";
pub(super) const POINTS: &str = "TextTier";

/// The columns of labels of a tier.
pub(super) fn tier_columns(name: &str) -> Columns {
    [(Arc::from(TIER), Arc::from(name))].into_iter().collect()
}

/// # Errors
/// A binary grid that is cut short.
pub(super) fn cut_short(at: usize) -> Error {
    Error::new(ErrorKind::Malformed, format!("byte {at}: expected more of the grid; the file is cut short"))
}
