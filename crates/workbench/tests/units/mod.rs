//! Unit tests of single types of the workbench.

mod workbench;
