//! The files of a run: manifest, arrays, index, log and report, built under a temporary name.
//! Writes only to the folder of the run, which `guard` recognises as the program's own.

pub(super) mod claim;
pub(super) mod disk;
pub(super) mod guard;
pub(super) mod index;
pub(super) mod log;
pub(super) mod manifest;
pub(super) mod merge;
pub(super) mod output;
pub(super) mod report;
pub(super) mod stored_path;
pub(super) mod verify;
