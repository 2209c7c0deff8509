//! Unit tests of single functions.

mod view;
