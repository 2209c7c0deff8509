//! Publishes the state of the studio for window tests, as a line of JSON in the file named by `SONOBRUSH_STATE_FILE`.
//! It is rewritten on each change, a frame late, when the state is on the screen. Without the variable nothing is
//! written. `SONOBRUSH_DIALOG_ANSWERS` names a file whose lines answer file dialogs in order.

mod controls;
mod watch;

pub use controls::{controls, note_control};

use crate::desktop::dialogs::SystemDialogs;
use crate::workbench::{AnsweredDialogs, Dialogs, Logged};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

const STATE_VARIABLE: &str = "SONOBRUSH_STATE_FILE";
const ANSWERS_VARIABLE: &str = "SONOBRUSH_DIALOG_ANSWERS";

/// State that tests wait for. Rectangles are left, top, width and height in points of the window.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ProbeState {
    /// Names of the open documents, from left to right.
    pub tabs: Vec<String>,
    /// The document in front.
    pub document: Option<ProbeDocument>,
    /// Whether the canvas shows the current state completely.
    pub settled: bool,
    /// Whether work ordered by the user is in progress or queued: edits, opening or writing files, selections, learning
    /// noise, searches.
    pub busy: bool,
    /// Counts of handled input. Tests that send input wait for the count, so that they do not read an older state.
    pub input: Input,
    /// Whether a stroke is being drawn.
    pub painting: bool,
    /// Whether the pointer is over the canvas.
    pub is_hovering: bool,
    /// Whether sound is playing.
    pub playing: bool,
    /// Number of underruns in the audio callback.
    pub underruns: u64,
    /// Command id of the current tool, such as `tool_erase`.
    pub tool: String,
    /// The last twenty notices, visible or not, newest first.
    pub notices: Vec<Logged>,
    /// Whether a text field has the focus.
    pub is_typing: bool,
    /// Name of the open card, such as `export`, `path` or `palette`.
    pub card: Option<String>,
    /// Number of restarts within the last minute at startup.
    pub restarts: usize,
    /// Description of the engines, such as `CPU engine, drawn by llvmpipe`.
    pub engine: String,
    /// Pixels per point.
    pub pixels_per_point: f32,
    /// Width and height of the window in points.
    pub size: [f32; 2],
    /// The panes of the canvas.
    pub panes: Vec<ProbePane>,
    /// The library of sounds.
    pub library: ProbeLibrary,
    /// Areas of recorded controls, by accessible label.
    pub controls: BTreeMap<String, [f32; 4]>,
}

/// Counts of input since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Input {
    /// Number of key presses, without repeats and modifiers.
    pub keys: u64,
    /// Number of characters typed.
    pub characters: u64,
    /// Number of mouse button presses.
    pub presses: u64,
    /// Number of mouse button releases.
    pub releases: u64,
    /// Number of wheel events.
    pub wheel: u64,
    /// Number of files dropped.
    pub drops: u64,
    /// Pointer position at the last drop, in points of the window.
    pub dropped_at: Option<[f32; 2]>,
    /// Whether files are being dragged over the window.
    pub is_file_over: bool,
    /// Whether a drag out of the window is in progress.
    pub is_out: bool,
    /// Pointer position, in points of the window.
    pub pointer: Option<[f32; 2]>,
}

impl Input {
    /// Counts the events of a frame.
    pub fn count(&mut self, input: &egui::InputState) {
        for event in &input.raw.events {
            match event {
                egui::Event::Key { pressed: true, repeat: false, .. }
                | egui::Event::Copy
                | egui::Event::Cut
                | egui::Event::Paste(_)
                | egui::Event::PasteImage(_) => self.keys += 1,
                egui::Event::Text(text) => self.characters += text.chars().count() as u64,
                egui::Event::PointerButton { pressed: true, .. } => self.presses += 1,
                egui::Event::PointerButton { pressed: false, .. } => self.releases += 1,
                egui::Event::MouseWheel { .. } => self.wheel += 1,
                _ => {}
            }
        }
        self.drops += input.raw.dropped_files.len() as u64;
        self.is_file_over = !input.raw.hovered_files.is_empty();
        self.pointer = input.pointer.latest_pos().map(|at| [at.x, at.y]);
        if !input.raw.dropped_files.is_empty() {
            self.dropped_at = self.pointer;
        }
    }
}

/// The library of sounds.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ProbeLibrary {
    /// Number of listed sounds.
    pub n_listed: usize,
    /// Whether folders are being added.
    pub is_adding: bool,
    /// Id of the current sound.
    pub chosen: Option<i64>,
    /// Names of the first twenty listed sounds, as far as read.
    pub names: Vec<String>,
    /// Residual level of the last null test.
    pub null_rms_db: Option<f64>,
}

/// The document in front and its view.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeDocument {
    /// Path of its sound file.
    pub path: Option<PathBuf>,
    /// Position in the history; 0 is the opened file.
    pub position: usize,
    /// Number of entries in the history, including the opened file.
    pub n_entries: usize,
    /// Left and right edge of the view in seconds.
    pub secs: [f64; 2],
    /// Lower and upper edge of the view in hertz.
    pub hz: [f64; 2],
    /// Frequency axis: `linear`, `log`, `mel` or `bark`.
    pub axis: &'static str,
    /// Darkest and brightest level.
    pub range_db: [f32; 2],
    /// The brush's radius in points; `None` while it is locked to seconds and octaves.
    pub radius_points: Option<f32>,
    /// Offset of the floating paste from its origin, in seconds and units of its axis.
    pub floating: Option<[f64; 2]>,
    /// Selected range of time in seconds.
    pub selected_secs: Option<[f64; 2]>,
    /// Number of selected search results.
    pub n_places: usize,
    /// Number of labels.
    pub n_labels: usize,
    /// Text, start and end of the first 200 labels.
    pub labels: Vec<(String, [f64; 2])>,
    /// Whether picture and sound of the open preview have its current settings; `None` without a preview.
    pub preview: Option<bool>,
    /// Whether the opened file is shown instead of the edited sound.
    pub show_before: bool,
    /// Path of its project.
    pub project: Option<PathBuf>,
    /// Number of edits, from the first on, that are on disk in the session.
    pub n_kept: usize,
    /// The folder of its session.
    pub session: Option<PathBuf>,
}

/// A pane of the canvas.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbePane {
    /// `magnitude` or `phase`.
    pub plane: &'static str,
    /// Area of the picture.
    pub rect: [f32; 4],
}

/// Writes the state to the file.
#[derive(Debug, Default)]
pub struct Probe {
    file: Option<PathBuf>,
    n_restarts: usize,
    input: Input,
    /// The state of the previous frame.
    drawn: String,
    written: String,
}

impl Probe {
    /// A probe, enabled if the variable is set.
    pub fn from_environment() -> Probe {
        let file = std::env::var_os(STATE_VARIABLE).map(PathBuf::from);
        Probe { file, n_restarts: crate::app::restart::n_restarts(), ..Probe::default() }
    }

    /// Whether the probe is enabled.
    pub fn is_on(&self) -> bool {
        self.file.is_some()
    }

    /// Counts the input of this frame.
    pub fn count_input(&mut self, ctx: &egui::Context) {
        ctx.input(|input| self.input.count(input));
    }

    /// Writes the state if it equals the previous frame's and differs from the last one written. Logs an unwritable
    /// file once.
    pub fn write_if_changed(&mut self, ctx: &egui::Context, state: &ProbeState) {
        let Some(file) = &self.file else { return };
        let Ok(line) = serde_json::to_string(state) else { return };
        if line != self.drawn {
            self.drawn = line;
            ctx.request_repaint();
            return;
        }
        if line == self.written {
            return;
        }
        // Renamed into place, so that readers never see a partial file. Not synced, as it need not survive a crash.
        let half = file.with_extension("half");
        if let Err(error) = std::fs::write(&half, format!("{line}\n")).and_then(|()| std::fs::rename(&half, file)) {
            tracing::warn!(%error, "no state for tests");
            self.file = None;
        }
        self.written = line;
    }
}

/// The system's dialogs, or those scripted by a test.
pub fn dialogs() -> Arc<dyn Dialogs> {
    match std::env::var_os(ANSWERS_VARIABLE) {
        Some(file) => Arc::new(AnsweredDialogs::new(PathBuf::from(file))),
        None => Arc::new(SystemDialogs),
    }
}
