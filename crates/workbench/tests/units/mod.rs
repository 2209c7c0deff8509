//! Parts alone, by row.

mod workbench;
