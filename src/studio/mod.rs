//! The window: canvas, tools, panels, transport, commands and jobs.

pub mod canvas;
pub mod jobs;
pub mod probe;
pub mod state;
pub mod theme;
