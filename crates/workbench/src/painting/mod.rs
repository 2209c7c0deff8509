//! Strokes from the press of the pen until the sound shown includes them: their previews on the canvas. Their sound is
//! the task of [hearing](super::hearing).

mod hand;
mod pen;
mod shown;
mod stroke;
mod worker;

pub use hand::LiveStrokes;
pub use pen::{StartedStroke, StrokeAct};
pub use shown::{LevelTile, ShownCells, ShownStroke, StrokePlace};
