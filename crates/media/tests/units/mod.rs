//! Unit tests, by row.

mod media;
