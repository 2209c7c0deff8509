//! The window: canvas, bars, panels, cards, and the input that becomes commands. What they work on is the workbench.

mod app;
mod apply;
mod bars;
pub mod canvas;
mod cards;
mod cursor;
mod dialogs;
mod empty;
mod ending;
mod frame_times;
mod heal_options;
mod keys;
mod new_card;
mod notices;
mod output_card;
mod overflow;
mod overview;
mod panels;
pub mod probe;
mod profiler;
mod project_cards;
pub mod restart;
mod run;
mod snap_key;
mod test_commands;
pub mod theme;
mod transport_bar;
mod typed;
mod widgets;

pub use app::{Machine, Studio};
pub use dialogs::SystemDialogs;
pub use restart::run;
pub use run::{StudioOptions, device_descriptor, machine, open_window, wgpu_setup};
