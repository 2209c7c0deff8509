//! State remembered between runs: theme, window size, panels, view, tools and recent files. Stored in the settings
//! file; invalid values there are skipped individually.

use super::layout::Layout;
use super::recent::Recent;
use crate::base::{Folders, Settings, khz_from_hz};
use crate::bench::limits::{MIN_RANGE_DB, PARTS, PHASE_PARTS, RANGE_DB, WINDOW_POINTS, held_single};
use crate::commands::N_RECENT;
use crate::documents::{OpenDocument, Panes, View, limits_of};
use crate::dsp::{Axis, StftParams, Window};
use crate::settings::tools::Tools;
use crate::view::{Colormap, Limits};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

/// Minimum and maximum scale of the interface.
pub const SCALES: [f32; 2] = [1.0, 2.0];

/// All remembered state.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SavedState {
    /// Theme, size and place of the window.
    pub window: WindowPreferences,
    /// Panels and curves.
    pub layout: Layout,
    /// View settings for newly opened files.
    pub view: ViewPreferences,
    /// The current tool, and the settings of all tools.
    pub tools: Tools,
    /// Recently opened files, latest first.
    pub recent: Vec<Recent>,
    /// Notices for new users that were shown.
    pub lessons: Lessons,
}

/// Notices for new users, each shown once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lessons {
    /// Whether the user has painted, and the notice on playing and undoing it was shown.
    pub has_painted: bool,
}

/// Theme, size and place of the window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowPreferences {
    /// Whether the theme is light rather than dark.
    pub is_light: bool,
    /// Scale in addition to the system's, 1 to 2.
    pub scale: f32,
    /// Width and height when not maximised, in points at a scale of 1.
    pub size: [f32; 2],
    /// Left and top edge when not maximised, in points at a scale of 1; `None`: chosen by the system.
    pub position: Option<[f32; 2]>,
    /// Whether the window is maximised.
    pub is_maximized: bool,
}

impl Default for WindowPreferences {
    fn default() -> WindowPreferences {
        WindowPreferences { is_light: false, scale: 1.0, size: [1280.0, 800.0], position: None, is_maximized: false }
    }
}

impl WindowPreferences {
    /// The preferences with each number clamped to its range; a non-finite one is taken from `otherwise`.
    #[must_use]
    pub(super) fn within_limits(self, otherwise: &WindowPreferences) -> WindowPreferences {
        let scale = held_single(self.scale, SCALES.map(f64::from), otherwise.scale);
        let size = [0, 1].map(|side| held_single(self.size[side], WINDOW_POINTS, otherwise.size[side]));
        let is_place = |place: &[f32; 2]| place.iter().all(|points| f64::from(points.abs()) <= WINDOW_POINTS[1]);
        let position = self.position.filter(is_place);
        WindowPreferences { scale, size, position, ..self }
    }
}

/// View settings shared by all files. The displayed channels, and whether they are stacked, are set per file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewPreferences {
    /// The frequency axis.
    pub axis: Axis,
    /// The displayed planes: magnitude, phase or both.
    pub panes: Panes,
    /// Colour map of the magnitude.
    pub colormap: Colormap,
    /// Levels of the darkest and the brightest colour.
    pub range_db: [f32; 2],
    /// Whether the raw phase is shown.
    pub raw_phase: bool,
    /// Whether levels are interpolated between the centres of large cells.
    pub smooth: bool,
    /// Whether the range of levels is locked.
    pub range_locked: bool,
    /// Opacity of the waveform over the picture, 0 to 1.
    pub waveform: f32,
    /// Whether the time ruler shows the time of day.
    pub time_of_day: bool,
    /// Height of the phase pane, as a fraction of the canvas.
    pub phase_part: f32,
    /// Window function of the transform.
    pub window: Window,
    /// Frame length divided by the hop: 2, 4, 8 or 16.
    pub overlap: usize,
    /// Samples per frame; `None`: the default for the file's sample rate.
    pub n_fft: Option<usize>,
}

impl Default for ViewPreferences {
    fn default() -> ViewPreferences {
        let stft = StftParams::for_rate(44_100.0);
        ViewPreferences {
            axis: Axis::Log,
            panes: Panes::Magnitude,
            colormap: Colormap::default(),
            range_db: [-100.0, 0.0],
            raw_phase: false,
            smooth: true,
            range_locked: true,
            waveform: 0.0,
            time_of_day: false,
            phase_part: 0.2,
            window: stft.window,
            overlap: stft.n_fft / stft.hop,
            n_fft: None,
        }
    }
}

impl ViewPreferences {
    /// The preferences that reproduce a document's view.
    pub fn of(document: &OpenDocument, phase_part: f32) -> ViewPreferences {
        let View { axis, panes, colormap, range_db, raw_phase, smooth, range_locked, waveform, time_of_day, .. } =
            *document.view();
        let stft = document.view().transform.stft_or_default();
        let usual = StftParams::for_rate(document.history().original().sample_rate_hz());
        ViewPreferences {
            axis,
            panes,
            colormap,
            range_db,
            raw_phase,
            smooth,
            range_locked,
            waveform,
            time_of_day,
            phase_part,
            window: stft.window,
            overlap: stft.n_fft / stft.hop.max(1),
            n_fft: (stft.n_fft != usual.n_fft).then_some(stft.n_fft),
        }
    }

    /// Applies the preferences to a document's view.
    pub fn apply(&self, document: &mut OpenDocument) {
        let limits = limits_of(document.history().original());
        document.change_view(|view| self.apply_to(view, &limits));
    }

    fn apply_to(&self, view: &mut View, limits: &Limits) {
        view.set_axis(self.axis, limits);
        (view.panes, view.colormap, view.raw_phase) = (self.panes, self.colormap, self.raw_phase);
        (view.smooth, view.range_locked) = (self.smooth, self.range_locked);
        view.time_of_day = self.time_of_day;
        view.waveform = held_single(self.waveform, PARTS, 0.0);
        let [dark, bright] = self.range_db;
        let is_level = |db: f32| (RANGE_DB[0]..=RANGE_DB[1]).contains(&f64::from(db));
        if is_level(dark) && is_level(bright) && bright - dark >= MIN_RANGE_DB {
            view.range_db = self.range_db;
        }
        let own = view.transform.stft_or_default();
        let n_fft = self.n_fft.unwrap_or(own.n_fft);
        let stft = StftParams { n_fft, hop: n_fft / self.overlap.max(1), window: self.window };
        view.transform = stft.validated().unwrap_or(own).into();
    }
}

impl SavedState {
    /// Loads the saved state, or the defaults on failure; also returns a message for the user, if any.
    pub fn load(folders: &Folders) -> (SavedState, Option<String>) {
        match Settings::remembered(folders) {
            Ok((value, notice)) => (SavedState::from_value(&value), notice),
            Err(error) => (SavedState::default(), Some(format!("{error}; using the default layout"))),
        }
    }

    /// The entry of a document in the list of recent files. `None` if it has no file, or only one in the folder
    /// `state`, such as the demo clip.
    pub fn recent_of(&self, document: &OpenDocument, state: &Path) -> Option<Recent> {
        let path = document.file().filter(|path| !path.starts_with(state))?;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let info = document.history().original().source().info();
        let channels = match info.n_channels {
            1 => "mono".to_owned(),
            2 => "stereo".to_owned(),
            n => format!("{n} channels"),
        };
        let rate = khz_from_hz(f64::from(info.sample_rate_hz));
        let format = format!("{rate}, {}, {channels}", info.description);
        Some(Recent { path, duration_secs: document.duration_secs(), format })
    }

    /// Moves a file to the front of the recent files, or adds it.
    pub fn note_recent(&mut self, recent: Option<Recent>) {
        if let Some(recent) = recent {
            self.recent.retain(|one| one.path != recent.path);
            self.recent.insert(0, recent);
            self.recent.truncate(N_RECENT);
        }
    }

    /// The state with all valid values of a settings file, and defaults for others.
    fn from_value(value: &Value) -> SavedState {
        let recent = value["recent"].as_array().into_iter().flatten();
        let recent = recent.filter_map(|one| serde_json::from_value(one.clone()).ok()).take(N_RECENT).collect();
        let mut window: WindowPreferences = section(&value["window"]);
        let usual = WindowPreferences::default();
        if !(SCALES[0]..=SCALES[1]).contains(&window.scale) {
            window.scale = usual.scale;
        }
        if !window.size.iter().all(|points| (WINDOW_POINTS[0]..=WINDOW_POINTS[1]).contains(&f64::from(*points))) {
            window.size = usual.size;
        }
        let window = window.within_limits(&usual);
        let mut view: ViewPreferences = section(&value["view"]);
        view.phase_part = held_single(view.phase_part, PHASE_PARTS, ViewPreferences::default().phase_part);
        let tools = section::<Tools>(&value["tools"]).within_limits();
        SavedState {
            window,
            layout: section::<Layout>(&value["layout"]).within_limits(),
            view,
            tools,
            recent,
            lessons: section(&value["lessons"]),
        }
    }
}

/// Reads a section: valid fields as saved, defaults for others.
fn section<T: Default + Serialize + DeserializeOwned>(found: &Value) -> T {
    let mut fields = match serde_json::to_value(T::default()) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    for (name, value) in found.as_object().into_iter().flatten() {
        let mut trial = fields.clone();
        trial.insert(name.clone(), value.clone());
        if serde_json::from_value::<T>(Value::Object(trial.clone())).is_ok() {
            fields = trial;
        }
    }
    serde_json::from_value(Value::Object(fields)).unwrap_or_default()
}
