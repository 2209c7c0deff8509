//! The state of the studio for the window tests: one line of JSON in the file that `SONOBRUSH_STATE_FILE` names,
//! rewritten on each change, one frame late, when the state is on the screen. Without that variable nothing is written.
//! `SONOBRUSH_DIALOG_ANSWERS` names a file whose lines answer file dialogs, one each.

mod controls;
mod watch;

pub use controls::{controls, note_control};

use super::dialogs::SystemDialogs;
use crate::workbench::{AnsweredDialogs, Dialogs, Logged};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

const STATE_VARIABLE: &str = "SONOBRUSH_STATE_FILE";
const ANSWERS_VARIABLE: &str = "SONOBRUSH_DIALOG_ANSWERS";

/// Everything that a test may wait for. Rectangles are left, top, width and height in points of the window.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ProbeState {
    /// Names of the open documents, from left to right.
    pub tabs: Vec<String>,
    /// The document in front.
    pub document: Option<ProbeDocument>,
    /// Whether the canvas shows all that it will show of the present state.
    pub settled: bool,
    /// Whether anything that was ordered is in progress or waits: an edit, a file to open or to write, a selection, a
    /// noise to learn, something to find.
    pub busy: bool,
    /// Counts of the input handled so far. A sender of input waits for its count, so that it never reads a state from
    /// before that input.
    pub input: Input,
    /// Whether a stroke is being drawn.
    pub painting: bool,
    /// Whether the pointer is over the canvas.
    pub is_hovering: bool,
    /// Whether sound is going out.
    pub playing: bool,
    /// Times that the ring of the audio callback was found empty.
    pub underruns: u64,
    /// The command id of the tool in hand: `tool_erase`.
    pub tool: String,
    /// The last twenty notices, shown or not, the newest first.
    pub notices: Vec<Logged>,
    /// Whether keys go to a field for text.
    pub is_typing: bool,
    /// The open card: `export`, `path`, `unsaved`, `palette`, `keys`.
    pub card: Option<String>,
    /// How often the window was opened again within a minute.
    pub restarts: usize,
    /// What computes: `CPU engine, drawn by llvmpipe`.
    pub engine: String,
    /// Pixels per point.
    pub pixels_per_point: f32,
    /// Width and height of the window in points.
    pub size: [f32; 2],
    /// The panes of the canvas.
    pub panes: Vec<ProbePane>,
    /// The library of sounds.
    pub library: ProbeLibrary,
    /// Places of controls by accessible label: those that no key reaches.
    pub controls: BTreeMap<String, [f32; 4]>,
}

/// Counts of what came in since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Input {
    /// Keys pressed, repeats and modifiers not counted.
    pub keys: u64,
    /// Characters typed.
    pub characters: u64,
    /// Mouse buttons pressed.
    pub presses: u64,
    /// Mouse buttons released.
    pub releases: u64,
    /// Turns of the wheel.
    pub wheel: u64,
    /// Files dropped.
    pub drops: u64,
    /// Where the pointer was when the last of them were, in points of the window.
    pub dropped_at: Option<[f32; 2]>,
    /// Whether files are held over the window.
    pub is_file_over: bool,
    /// Whether something is dragged out of the window.
    pub is_out: bool,
    /// Where the pointer is, in points of the window.
    pub pointer: Option<[f32; 2]>,
}

impl Input {
    /// Adds the events of a frame.
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
    /// Sounds that are listed.
    pub n_listed: usize,
    /// Whether folders are being added.
    pub is_adding: bool,
    /// The number of the sound in hand.
    pub chosen: Option<i64>,
    /// Names of the first twenty that are listed, in their order, as far as they were read.
    pub names: Vec<String>,
    /// Level of what the last null test left.
    pub null_rms_db: Option<f64>,
}

/// The open document and how it is seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeDocument {
    /// Its file.
    pub path: Option<PathBuf>,
    /// Position in the history, 0 the opened file.
    pub position: usize,
    /// Steps in the history.
    pub n_entries: usize,
    /// Left and right edge in seconds.
    pub secs: [f64; 2],
    /// Lower and upper edge in hertz.
    pub hz: [f64; 2],
    /// `linear`, `log`, `mel` or `bark`.
    pub axis: &'static str,
    /// Darkest and brightest level.
    pub range_db: [f32; 2],
    /// The brush's radius in points.
    pub radius_points: Option<f32>,
    /// How far what floats is from where it was read or copied: seconds, and units of its axis.
    pub floating: Option<[f64; 2]>,
    /// The selection's extent in time.
    pub selected_secs: Option<[f64; 2]>,
    /// How many places were found and are selected.
    pub n_places: usize,
    /// How many labels there are.
    pub n_labels: usize,
    /// Texts and times of the first of them.
    pub labels: Vec<(String, [f64; 2])>,
    /// Whether what is seen and heard of the open preview has its present settings.
    pub preview: Option<bool>,
    /// Whether the opened file is shown instead.
    pub show_before: bool,
    /// The project that it is.
    pub project: Option<PathBuf>,
    /// Edits that are on the disk, from the first on.
    pub n_kept: usize,
    /// The folder of its session.
    pub session: Option<PathBuf>,
}

/// One plane on the canvas.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbePane {
    /// `magnitude` or `phase`.
    pub plane: &'static str,
    /// Where its picture is.
    pub rect: [f32; 4],
}

/// Writes the state where tests look for it.
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
    /// On where the variable names a file.
    pub fn from_environment() -> Probe {
        let file = std::env::var_os(STATE_VARIABLE).map(PathBuf::from);
        Probe { file, n_restarts: super::restart::n_restarts(), ..Probe::default() }
    }

    /// Whether anyone looks.
    pub fn is_on(&self) -> bool {
        self.file.is_some()
    }

    /// Counts what came in with this frame.
    pub fn count_input(&mut self, ctx: &egui::Context) {
        ctx.input(|input| self.input.count(input));
    }

    /// Writes the state if the frame before had the same, and it is another than the last one written. A file that
    /// cannot be written is logged, once.
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
        // By rename, so that a reader never sees half of it; no need to outlive a crash.
        let half = file.with_extension("half");
        if let Err(error) = std::fs::write(&half, format!("{line}\n")).and_then(|()| std::fs::rename(&half, file)) {
            tracing::warn!(%error, "no state for tests");
            self.file = None;
        }
        self.written = line;
    }
}

/// The system's dialogs, or the answers that a test left.
pub fn dialogs() -> Arc<dyn Dialogs> {
    match std::env::var_os(ANSWERS_VARIABLE) {
        Some(file) => Arc::new(AnsweredDialogs::new(PathBuf::from(file))),
        None => Arc::new(SystemDialogs),
    }
}
