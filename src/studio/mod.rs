//! The window: canvas, tools, panels, transport, commands and jobs.

mod app;
mod apply;
mod audition;
mod bars;
pub mod canvas;
mod cards;
pub mod commands;
mod edits;
mod empty;
mod files;
pub mod icons;
pub mod jobs;
mod keys;
mod measure;
mod meters;
mod notices;
mod output_card;
mod overflow;
mod panels;
pub mod probe;
mod profiler;
mod run;
mod selecting;
pub mod services;
pub mod state;
pub mod theme;
mod transport;
mod transport_bar;
mod widgets;

pub use app::{Machine, Studio};
pub use audition::Hearing;
pub use measure::Figures;
pub use notices::{Level, Notice, Notices};
pub use run::{StudioOptions, device_descriptor, machine, run, wgpu_setup};
