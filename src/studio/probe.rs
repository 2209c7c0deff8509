//! What the window tests see of the studio: its state as one line of JSON in the file that `SONOBRUSH_STATE_FILE`
//! names, written anew whenever it changes, one frame late: by then what it says is on the screen. Without that variable
//! nothing is done. `SONOBRUSH_DIALOG_ANSWERS` names a file whose lines answer file dialogs, one each.

use super::app::Studio;
use super::canvas::Canvas;
use super::cards::Card;
use super::dialogs::SystemDialogs;
use crate::workbench::Question;
use crate::workbench::commands::ToolCommand;
use crate::workbench::{AnsweredDialogs, Dialogs, Logged, Panes, Radius};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

const STATE_VARIABLE: &str = "SONOBRUSH_STATE_FILE";
const ANSWERS_VARIABLE: &str = "SONOBRUSH_DIALOG_ANSWERS";

/// Everything that a test may wait for. Rectangles are left, top, width and height in points of the window.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ProbeState {
    /// The open document.
    pub document: Option<ProbeDocument>,
    /// Whether the canvas shows all that it will show of the present state.
    pub settled: bool,
    /// Whether anything that was ordered is in progress or waits: an edit, a file to open or to write, a selection, a
    /// noise to learn, something to find.
    pub busy: bool,
    /// What came in and was acted on so far: whoever sends input waits for its count, and so never takes the state from
    /// before for the one after.
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
                | egui::Event::Paste(_) => self.keys += 1,
                egui::Event::Text(text) => self.characters += text.chars().count() as u64,
                egui::Event::PointerButton { pressed: true, .. } => self.presses += 1,
                egui::Event::PointerButton { pressed: false, .. } => self.releases += 1,
                egui::Event::MouseWheel { .. } => self.wheel += 1,
                _ => {}
            }
        }
        self.drops += input.raw.dropped_files.len() as u64;
        self.pointer = input.pointer.latest_pos().map(|at| [at.x, at.y]);
    }
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
    /// The selection's extent in time.
    pub selected_secs: Option<[f64; 2]>,
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
    /// Of the frame before.
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

impl Studio {
    /// Tells tests how things are, if any look.
    pub(super) fn watch(&mut self, ctx: &egui::Context) {
        if self.watched.probe.is_on() {
            self.watched.probe.count_input(ctx);
            let state = self.probe_state(ctx);
            self.watched.probe.write_if_changed(ctx, &state);
        }
    }

    /// What tests may wait for, as of this frame.
    pub(super) fn probe_state(&self, ctx: &egui::Context) -> ProbeState {
        ProbeState {
            document: self.probe_document(),
            settled: self.canvas.as_ref().is_none_or(Canvas::is_settled),
            busy: self.bench.is_working(),
            input: self.watched.probe.input,
            painting: self.hand.is_painting,
            is_hovering: self.bench.readout().is_some(),
            playing: self.bench.transport().status.playing,
            underruns: self.bench.transport().status.underruns,
            tool: ToolCommand::Pick(self.bench.tools().active).row().id.to_owned(),
            notices: self.bench.notices().log().cloned().collect(),
            is_typing: ctx.egui_wants_keyboard_input(),
            card: self.card.as_ref().map(card_name),
            restarts: self.watched.probe.n_restarts,
            engine: self.graphics.words.clone(),
            pixels_per_point: ctx.pixels_per_point(),
            size: ctx.content_rect().size().into(),
            panes: self.probe_panes(),
            controls: controls(ctx),
        }
    }

    fn probe_document(&self) -> Option<ProbeDocument> {
        let document = self.bench.document()?;
        let radius_points = match self.bench.tools().radius {
            Radius::Screen { points } => Some(points),
            Radius::Locked { .. } => None,
        };
        Some(ProbeDocument {
            path: document.path.clone(),
            position: document.history.position(),
            n_entries: document.history.entries().len(),
            secs: document.view.secs,
            hz: document.view.hz,
            axis: document.view.axis.name(),
            range_db: document.view.range_db,
            radius_points,
            selected_secs: document.selected_secs(),
            show_before: document.show_before,
            project: document.project.as_ref().map(|project| project.path.clone()),
            n_kept: self.n_kept(),
            session: self.session_folder(),
        })
    }

    fn probe_panes(&self) -> Vec<ProbePane> {
        let Some(rects) = self.canvas.as_ref().and_then(Canvas::rects) else { return Vec::new() };
        let upper = match self.bench.document().map(|document| document.view.panes) {
            Some(Panes::Phase) => "phase",
            _ => "magnitude",
        };
        let pane = |plane, rect: egui::Rect| ProbePane { plane, rect: of_rect(rect) };
        std::iter::once(pane(upper, rects.picture)).chain(rects.phase.map(|rect| pane("phase", rect))).collect()
    }
}

fn card_name(card: &Card) -> String {
    let name = match card {
        Card::Asked(question) => match question {
            Question::Export(_) => "export",
            Question::Path { .. } => "path",
            Question::Unsaved { .. } => "unsaved",
            Question::SaveProject(_) => "save_project",
            Question::Locate { .. } => "locate",
            Question::Left(_) => "left",
            Question::New(_) => "new",
            Question::Lengthen { .. } => "lengthen",
            Question::Output(_) => "output",
        },
        Card::Palette { .. } => "palette",
        Card::Keys => "keys",
    };
    name.into()
}

fn of_rect(rect: egui::Rect) -> [f32; 4] {
    [rect.left(), rect.top(), rect.width(), rect.height()]
}

/// Keeps where a control is, for [`controls`], until the next frame draws it elsewhere.
pub fn note_control(ctx: &egui::Context, label: &str, rect: egui::Rect) {
    let rect = of_rect(rect);
    let frame = ctx.cumulative_frame_nr();
    ctx.data_mut(|data| {
        let seen = data.get_temp_mut_or_default::<BTreeMap<String, ([f32; 4], u64)>>(id());
        seen.insert(label.to_owned(), (rect, frame));
    });
}

/// The controls that were drawn in this frame or the one before.
pub fn controls(ctx: &egui::Context) -> BTreeMap<String, [f32; 4]> {
    let frame = ctx.cumulative_frame_nr();
    let seen = ctx.data(|data| data.get_temp::<BTreeMap<String, ([f32; 4], u64)>>(id())).unwrap_or_default();
    seen.into_iter().filter(|(_, (_, drawn))| drawn + 1 >= frame).map(|(label, (rect, _))| (label, rect)).collect()
}

fn id() -> egui::Id {
    egui::Id::unique("controls of the probe")
}
