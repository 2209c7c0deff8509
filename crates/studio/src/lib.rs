//! The window: canvas, bars, panels, cards, and converting input to commands, on top of the workbench.

extern crate base;
extern crate document;
extern crate dsp;
extern crate engine;
extern crate media;
extern crate self as studio;
extern crate view;
extern crate workbench;

use audio::{playback, recording};
use engine::gpu;

mod app;
mod apply;
pub mod bars;
pub mod canvas;
mod canvas_menus;
pub mod cards;
pub mod desktop;
pub mod hooks;
pub mod input;
mod library_panel;
mod notices;
mod options;
mod panels;
pub mod profiler;
pub mod widgets;

pub use app::run::{DrawableAdapters, StudioOptions, device_descriptor, machine, open_window, run, wgpu_setup};
pub use app::{Machine, Studio};
pub use desktop::dialogs::SystemDialogs;
