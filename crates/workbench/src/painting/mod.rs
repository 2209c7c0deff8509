//! Strokes from their press until the sound shown holds them: what is seen of them while they are drawn. What is heard
//! of the stroke in hand is [hearing](super::hearing)'s.

mod hand;
mod pen;
mod shown;
mod stroke;
mod worker;

pub use hand::Painting;
pub use pen::{StrokeAct, StrokeBegun};
pub use shown::{LevelTile, ShownCells, ShownStroke, StrokePlace};
