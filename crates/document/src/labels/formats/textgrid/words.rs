//! Common parts of the TextGrid readers and the writer.

use crate::base::{Error, ErrorKind};
use crate::document::labels::Columns;
use std::sync::Arc;

/// The column with the name of a label's tier.
pub(super) const TIER: &str = "tier";
pub(super) const MAGIC: &[u8] = b"ooBinaryFile\x08TextGrid";
pub(super) const CHRONOLOGICAL: &str = "Praat chronological TextGrid text file";
pub(super) const INTERVALS: &str = "IntervalTier";
pub(super) const POINTS: &str = "TextTier";

/// What errors say was expected in place of a file's number of tiers.
pub(super) const N_TIERS: &str = "the number of tiers, a whole number from 0 on";
/// What errors say was expected in place of a tier's number of labels.
pub(super) const N_LABELS: &str = "the number of labels of the tier, a whole number from 0 on";

/// The columns of labels of a tier.
pub(super) fn tier_columns(name: &str) -> Columns {
    [(Arc::from(TIER), Arc::from(name))].into_iter().collect()
}

/// The error for a binary grid that is truncated at a byte.
pub(super) fn cut_short(at: usize) -> Error {
    Error::new(ErrorKind::Malformed, format!("byte {at}: expected more of the grid; the file is cut short"))
}
