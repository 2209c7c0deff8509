//! Unit tests, by row.

mod library;
