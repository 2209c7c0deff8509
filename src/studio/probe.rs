//! What the window tests see of the studio: its state as one line of JSON in the file that `SONOBRUSH_STATE_FILE`
//! names, written anew whenever it changes. Without that variable nothing is done.

use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The variable that names the file.
const VARIABLE: &str = "SONOBRUSH_STATE_FILE";

/// Everything that a test may wait for. Rectangles are left, top, width and height in points of the window.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ProbeState {
    /// The open document.
    pub document: Option<ProbeDocument>,
    /// Whether the canvas shows all that it will show of the present state.
    pub settled: bool,
    /// Whether an edit is being applied, or a file is being opened or written.
    pub busy: bool,
    /// Whether a stroke is being drawn.
    pub painting: bool,
    /// Whether the pointer is over the canvas.
    pub is_hovering: bool,
    /// Whether sound is going out.
    pub playing: bool,
    /// The command id of the tool in hand: `tool_erase`.
    pub tool: String,
    /// Notices shown now, the newest last.
    pub notices: Vec<String>,
    /// Title of the open card.
    pub card: Option<String>,
    /// Pixels per point.
    pub pixels_per_point: f32,
    /// The panes of the canvas.
    pub panes: Vec<ProbePane>,
    /// Places of controls by accessible label: those that no key reaches.
    pub controls: BTreeMap<String, [f32; 4]>,
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
    /// Whether the opened file is shown instead.
    pub show_before: bool,
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
    written: String,
}

impl Probe {
    /// On where the variable names a file.
    pub fn from_environment() -> Probe {
        Probe { file: std::env::var_os(VARIABLE).map(PathBuf::from), written: String::new() }
    }

    /// Whether anyone looks.
    pub fn is_on(&self) -> bool {
        self.file.is_some()
    }

    /// Writes the state if it is another than the last one. A file that cannot be written is logged, once.
    pub fn write_if_changed(&mut self, state: &ProbeState) {
        let Some(file) = &self.file else { return };
        let Ok(line) = serde_json::to_string(state) else { return };
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

/// Keeps where a control is, for [`controls`], until the next frame draws it elsewhere.
pub fn note_control(ctx: &egui::Context, label: &str, rect: egui::Rect) {
    let rect = [rect.left(), rect.top(), rect.width(), rect.height()];
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
