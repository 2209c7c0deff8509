//! Edits as JSON, and scripts applied to sounds and files.
//! May touch: `brushes`, `edits`, `labels`, `sound` and `output`. The one reader and writer of edits as text.

pub(super) mod paint_file;
pub(super) mod script;
pub(super) mod scripted;
