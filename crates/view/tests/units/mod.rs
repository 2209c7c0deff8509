//! Unit tests, by row.

mod view;
