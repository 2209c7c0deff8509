//! Common parts of label formats: times, numbers, tables, subtitles, losses, what is written.
//! May touch: text. Depends on no particular format.

pub(super) mod clock;
pub(super) mod delimited;
pub(super) mod import;
pub(super) mod losses;
pub(super) mod numbers;
pub(super) mod subtitles;
pub(super) mod textual;
pub(super) mod writing;
