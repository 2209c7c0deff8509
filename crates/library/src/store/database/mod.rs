//! The database as a file: location, tables, versions, files beside it, import and check.
//! Writes only to the database and the library's folder.

pub(super) mod below;
pub(super) mod foreign;
pub(super) mod import;
pub(super) mod open;
pub(super) mod place;
pub(super) mod schema;
pub(super) mod side_files;
pub(super) mod verify;
