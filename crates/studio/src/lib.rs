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
mod bars;
mod bass_offer;
mod beat_card;
mod boxes;
pub mod canvas;
mod canvas_menus;
mod card_parts;
mod cards;
mod compare_strip;
mod cursor;
mod delivery_rows;
mod dialogs;
#[cfg(target_os = "linux")]
pub mod display;
mod drops;
mod empty;
mod ending;
mod export_card;
mod export_presets;
mod filter_options;
pub mod finder;
mod first_steps;
#[cfg(feature = "hooks")]
mod frame_times;
mod hand;
mod heal_options;
pub mod help_cards;
pub mod keys;
mod label_card;
mod label_options;
mod label_words;
mod library_panel;
mod meter_row;
mod new_card;
#[cfg(not(feature = "hooks"))]
mod no_hooks;
mod normalise_card;
mod note_options;
mod notices;
mod output_card;
mod overflow;
pub mod overview;
mod panels;
mod parts_card;
mod pictures;
pub mod placing;
mod preset_options;
#[cfg(feature = "hooks")]
pub mod probe;
mod profiler;
mod project_cards;
pub mod record_card;
mod restart;
mod run;
mod run_files_card;
mod segments;
pub mod short_names;
mod snap_key;
mod splitter;
mod stretch_cards;
#[cfg(feature = "hooks")]
mod test_commands;
pub mod theme;
mod timbre_editor;
mod transport_bar;
pub mod typed;
mod typing;
mod typing_strip;
pub mod uri_list;
mod values;
mod voice_options;
mod widgets;
#[cfg(target_os = "linux")]
mod x11_drag;
#[cfg(target_os = "linux")]
mod x11_drop;
#[cfg(target_os = "linux")]
mod xdnd;

#[cfg(not(feature = "hooks"))]
use no_hooks::{frame_times, probe, test_commands};

pub use app::{Machine, Studio};
pub use dialogs::SystemDialogs;
pub use run::{StudioOptions, device_descriptor, machine, open_window, run, wgpu_setup};
