//! JSON values with positions for error messages, readable parser errors, and the program's own files beside outputs.
//! May touch: `error`, `files` and `text`. Independent of documents.

pub(super) mod json_at;
pub(super) mod json_reason;
pub(super) mod own_json;
