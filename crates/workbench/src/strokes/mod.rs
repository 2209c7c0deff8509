//! Strokes from the press of the pen until the sound shown includes them: their previews on the canvas. Their sound is
//! the task of [`devices::monitor`](crate::devices::monitor).

mod live_strokes;
mod pen;
mod stroke;
mod stroke_display;
mod worker;

pub use live_strokes::LiveStrokes;
pub use pen::{StartedStroke, StrokeAct};
pub use stroke_display::{LevelTile, ShownCells, ShownStroke, StrokePlace};
