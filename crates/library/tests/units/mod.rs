//! Unit tests of the library crate.

mod library;
