//! JSON read with places for errors, reasons in plain words, and the program's own files beside outputs.
//! May touch: `error`, `files` and `text`. Knows no document.

pub(super) mod json_at;
pub(super) mod json_reason;
pub(super) mod own_json;
