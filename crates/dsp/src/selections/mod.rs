//! Which cells an edit acts on: shapes, masks, the magic wand, and searches whose results become selections. May touch:
//! `cells`, `strokes`, `transforms`, and the analyses that `find` uses. Never modifies samples.

pub mod find;
pub mod mask;
pub mod selection;
pub mod wand;
