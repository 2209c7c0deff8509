//! Unit tests, by row.

mod workbench;
