//! The database as a file: place, tables, versions, files beside it, import and check.
//! May touch: the database, the library's folder and nothing else on the disk.

pub(super) mod below;
pub(super) mod foreign;
pub(super) mod import;
pub(super) mod open;
pub(super) mod place;
pub(super) mod schema;
pub(super) mod side_files;
pub(super) mod verify;
