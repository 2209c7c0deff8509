//! What the studio remembers of itself from one start to the next: theme, size, panels, how files are looked at, tools
//! and recent files. It stands in the settings file; values that are wrong there are passed over one by one.

use super::app::Studio;
use super::jobs::Job;
use super::notices::Level;
use super::state::{Layout, OpenDocument, Panes, Tools, View};
use super::theme;
use crate::base::{Folders, Result, Settings};
use crate::dsp::{Axis, StftParams, Window};
use crate::view::Colormap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Recent files that are kept.
pub const N_RECENT: usize = 8;
/// It is written when nothing has changed for so long.
const KEEP_AFTER_SECS: f64 = 1.0;
/// The interface may be so much larger.
pub const SCALES: [f32; 2] = [1.0, 2.0];

/// All of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Remembered {
    /// The window as such.
    pub window: WindowHabits,
    /// Panels and curves.
    pub layout: Layout,
    /// How files are looked at.
    pub view: ViewHabits,
    /// The tool in hand and the settings of all.
    pub tools: Tools,
    /// Files that were opened, the last one first.
    pub recent: Vec<Recent>,
}

/// The window as such.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowHabits {
    /// Light instead of dark.
    pub is_light: bool,
    /// How much larger than the system says, 1 to 2.
    pub scale: f32,
    /// Width and height in points, at a scale of 1.
    pub size: [f32; 2],
}

impl Default for WindowHabits {
    fn default() -> WindowHabits {
        WindowHabits { is_light: false, scale: 1.0, size: [1280.0, 800.0] }
    }
}

/// How files are looked at, whichever they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewHabits {
    /// How hertz lie.
    pub axis: Axis,
    /// Which planes.
    pub panes: Panes,
    /// The colours of the magnitude.
    pub colormap: Colormap,
    /// Darkest and brightest level.
    pub range_db: [f32; 2],
    /// The phase as it is.
    pub raw_phase: bool,
    /// Channels one above the other.
    pub stacked: bool,
    /// The colours' range keeps still.
    pub range_locked: bool,
    /// Opacity of the waveform over the picture, 0 to 1.
    pub waveform: f32,
    /// The phase pane's part of the height.
    pub phase_part: f32,
    /// The window of the transform.
    pub window: Window,
    /// Hops in a frame: 2, 4, 8 or 16.
    pub overlap: usize,
    /// Samples of a frame; none: as the file's rate asks.
    pub n_fft: Option<usize>,
}

impl Default for ViewHabits {
    fn default() -> ViewHabits {
        let stft = StftParams::for_rate(44_100.0);
        ViewHabits {
            axis: Axis::Log,
            panes: Panes::Magnitude,
            colormap: Colormap::default(),
            range_db: [-100.0, 0.0],
            raw_phase: false,
            stacked: false,
            range_locked: true,
            waveform: 0.0,
            phase_part: 0.2,
            window: stft.window,
            overlap: stft.n_fft / stft.hop,
            n_fft: None,
        }
    }
}

/// A file that was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recent {
    /// Where it was.
    pub path: PathBuf,
    /// How long it was.
    pub duration_secs: f64,
    /// Its rate, depth and channels, in words.
    pub format: String,
}

impl ViewHabits {
    /// Those of a view of a file.
    pub fn of(document: &OpenDocument, phase_part: f32) -> ViewHabits {
        let View { axis, panes, colormap, range_db, raw_phase, stft, stacked, range_locked, waveform, .. } =
            document.view;
        let usual = StftParams::for_rate(document.history.original().sample_rate_hz());
        ViewHabits {
            axis,
            panes,
            colormap,
            range_db,
            raw_phase,
            stacked,
            range_locked,
            waveform,
            phase_part,
            window: stft.window,
            overlap: stft.n_fft / stft.hop.max(1),
            n_fft: (stft.n_fft != usual.n_fft).then_some(stft.n_fft),
        }
    }

    /// Looks at a file like this.
    pub fn apply(&self, document: &mut OpenDocument) {
        let limits = super::state::limits_of(document.history.original());
        let view = &mut document.view;
        view.set_axis(self.axis, &limits);
        (view.panes, view.colormap, view.raw_phase) = (self.panes, self.colormap, self.raw_phase);
        (view.stacked, view.range_locked) = (self.stacked, self.range_locked);
        view.waveform = if self.waveform.is_finite() { self.waveform.clamp(0.0, 1.0) } else { 0.0 };
        let [dark, bright] = self.range_db;
        if (-160.0..=24.0).contains(&dark) && (-160.0..=24.0).contains(&bright) && bright - dark >= 6.0 {
            view.range_db = self.range_db;
        }
        let n_fft = self.n_fft.unwrap_or(view.stft.n_fft);
        let stft = StftParams { n_fft, hop: n_fft / self.overlap.max(1), window: self.window };
        view.stft = stft.validated().unwrap_or(view.stft);
    }
}

impl Remembered {
    /// What was written, or the defaults; and what the user should know about it.
    pub fn load(folders: &Folders) -> (Remembered, Option<String>) {
        match Settings::remembered(folders) {
            Ok((value, notice)) => (Remembered::from_value(&value), notice),
            Err(error) => (Remembered::default(), Some(format!("{error}; the studio looks as it came"))),
        }
    }

    /// Every value that is right.
    fn from_value(value: &Value) -> Remembered {
        let recent = value["recent"].as_array().into_iter().flatten();
        let recent = recent.filter_map(|one| serde_json::from_value(one.clone()).ok()).take(N_RECENT).collect();
        let mut window: WindowHabits = section(&value["window"]);
        let usual = WindowHabits::default();
        if !(SCALES[0]..=SCALES[1]).contains(&window.scale) {
            window.scale = usual.scale;
        }
        if !window.size.iter().all(|points| (320.0..=16_384.0).contains(points)) {
            window.size = usual.size;
        }
        let mut view: ViewHabits = section(&value["view"]);
        view.phase_part = view.phase_part.clamp(0.05, 0.95);
        let tools = section::<Tools>(&value["tools"]).within_limits();
        Remembered { window, layout: section(&value["layout"]), view, tools, recent }
    }
}

/// A part of what was written: each field that is right, the others as they come.
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

/// Writes it when it has changed, a while after the last change, and at the end.
#[derive(Default)]
pub struct Keeper {
    /// As it stands in the file.
    kept: Remembered,
    /// As it was in the frame before, and since when.
    seen: Option<(Remembered, f64)>,
    job: Option<(Remembered, Job<()>)>,
    has_told: bool,
}

impl Keeper {
    /// What stands in the file.
    pub fn new(kept: Remembered) -> Keeper {
        Keeper { kept, ..Keeper::default() }
    }

    /// Whether it is being written.
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }
}

impl Studio {
    /// What would be remembered now.
    fn habits(&self) -> Remembered {
        let phase_part = self.canvas.as_ref().map_or(self.remembered.view.phase_part, |canvas| canvas.phase_part());
        let view = match &self.document {
            Some(document) => ViewHabits::of(document, phase_part),
            None => self.remembered.view.clone(),
        };
        let Remembered { window, recent, .. } = self.remembered.clone();
        Remembered { window, layout: self.layout.clone(), view, tools: self.tools.clone(), recent }
    }

    /// Takes over what was remembered, once, before the first frame.
    pub(super) fn recall(&mut self, ctx: &egui::Context, remembered: Remembered) {
        ctx.set_theme(if remembered.window.is_light { egui::Theme::Light } else { egui::Theme::Dark });
        ctx.set_zoom_factor(remembered.window.scale);
        if let Some(canvas) = &mut self.canvas {
            canvas.set_phase_part(remembered.view.phase_part);
        }
        self.layout = remembered.layout.clone();
        self.tools = remembered.tools.clone();
        self.keeper = Keeper::new(remembered.clone());
        self.remembered = remembered;
    }

    /// Once a frame: notes how things are, and writes them once they have been like that for a while.
    pub(super) fn keep(&mut self, ctx: &egui::Context, now_secs: f64) {
        self.note_window(ctx);
        self.remembered = self.habits();
        if let Some((kept, job)) = &mut self.keeper.job
            && let Some(answer) = job.poll()
        {
            match answer {
                Ok(()) => self.keeper.has_told = false,
                Err(error) => {
                    if !std::mem::replace(&mut self.keeper.has_told, true) {
                        let what = format!("How the window looks is not kept: {error}.");
                        let advice = Some("Free some space, or let this user write there.");
                        self.notices.tell(now_secs, Level::Warning, what, advice);
                    }
                }
            }
            // Also after a failure: what did not work now is not tried again until something changes.
            self.keeper.kept = kept.clone();
            self.keeper.job = None;
        }
        if self.remembered == self.keeper.kept || self.keeper.job.is_some() {
            self.keeper.seen = None;
            return;
        }
        match &self.keeper.seen {
            Some((seen, since_secs)) if *seen == self.remembered => {
                let left_secs = since_secs + KEEP_AFTER_SECS - now_secs;
                if left_secs > 0.0 {
                    ctx.request_repaint_after(Duration::from_secs_f64(left_secs));
                    return;
                }
                let (folders, habits) = (self.services.folders.clone(), self.remembered.clone());
                let theirs = habits.clone();
                let job = self.services.jobs.spawn("habits", move |_| write(&folders, &theirs));
                self.keeper.job = Some((habits, job));
            }
            _ => {
                self.keeper.seen = Some((self.remembered.clone(), now_secs));
                ctx.request_repaint_after(Duration::from_secs_f64(KEEP_AFTER_SECS));
            }
        }
    }

    /// The window is gone: what was not written yet is written now.
    pub(super) fn keep_at_the_end(&mut self) {
        self.remembered = self.habits();
        if self.remembered != self.keeper.kept
            && let Err(error) = write(&self.services.folders, &self.remembered)
        {
            tracing::warn!(%error, "how the window looks is not kept");
        }
    }

    fn note_window(&mut self, ctx: &egui::Context) {
        let window = &mut self.remembered.window;
        window.is_light = ctx.theme() == egui::Theme::Light;
        window.scale = ctx.zoom_factor();
        let (size, is_whole) = ctx.input(|input| {
            let viewport = input.viewport();
            let is_whole = viewport.maximized == Some(true) || viewport.fullscreen == Some(true);
            (viewport.inner_rect.map(|rect| rect.size()), is_whole || viewport.minimized == Some(true))
        });
        if let Some(size) = size.filter(|size| !is_whole && size.min_elem() > 0.0) {
            let size = size * window.scale;
            window.size = [size.x.round(), size.y.round()];
        }
    }

    /// A file was opened: it is the most recent one. Our own demo clip is none of the user's files.
    pub(super) fn note_recent(&mut self, document: &OpenDocument) {
        let Some(path) = document.file().filter(|path| !path.starts_with(self.services.folders.state())) else {
            return;
        };
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let info = document.history.original().source().info();
        let channels = match info.n_channels {
            1 => "mono".to_owned(),
            2 => "stereo".to_owned(),
            n => format!("{n} channels"),
        };
        let khz = f64::from(info.sample_rate_hz) / 1000.0;
        let decimals = usize::from(khz.fract() != 0.0);
        let format = format!("{} kHz, {}, {channels}", theme::number(khz, decimals), info.description);
        let recent = &mut self.remembered.recent;
        recent.retain(|one| one.path != path);
        recent.insert(0, Recent { path, duration_secs: document.duration_secs(), format });
        recent.truncate(N_RECENT);
    }

    /// Files that were opened, the last one first.
    pub fn recent(&self) -> &[Recent] {
        &self.remembered.recent
    }

    /// Larger or smaller by a quarter of the usual size.
    pub(super) fn scale_interface(ctx: &egui::Context, by: f32) {
        let scale = ((ctx.zoom_factor() + by) * 4.0).round() / 4.0;
        ctx.set_zoom_factor(scale.clamp(SCALES[0], SCALES[1]));
    }
}

fn write(folders: &Folders, habits: &Remembered) -> Result<()> {
    let value = serde_json::to_value(habits).map_err(|error| {
        crate::base::Error::new(crate::base::ErrorKind::Internal, format!("habits cannot be written: {error}"))
    })?;
    Settings::remember(folders, value)
}

impl Recent {
    /// Name and folder, for people; the home folder is `~`.
    pub fn words(&self) -> [String; 2] {
        let name = self.path.file_name().map_or_else(String::new, |name| crate::base::shown_path(Path::new(name)));
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.parent().is_some());
        let folder = match home.and_then(|home| folder.strip_prefix(home).ok().map(Path::to_path_buf)) {
            Some(inside) => Path::new("~").join(inside),
            None => folder.to_path_buf(),
        };
        [name, crate::base::shown_path(&folder)]
    }
}
