//! Previews of strokes on the canvas, from pen down until the displayed sound includes their edit. Playback of strokes
//! is in [`devices::monitor`](crate::devices::monitor).

mod live_strokes;
mod pen;
mod stroke;
mod stroke_display;
mod worker;

pub use live_strokes::LiveStrokes;
pub use pen::{StartedStroke, StrokeAct};
pub use stroke_display::{LevelTile, ShownCells, ShownStroke, StrokePlace};
