//! What the studio knows: the open document, how it is viewed, the tools and their settings. Plain data; panels read it
//! and push commands, the canvas reads it and reports gestures.

use crate::document::{Edit, History, Snapshot};
use crate::dsp::brush::{Along, Pass, Tone};
use crate::dsp::{Axis, Brush, Combine, Selection, StftParams};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub use crate::view::ChannelView;
use crate::view::Limits;

/// An open document.
#[derive(Debug, Clone)]
pub struct OpenDocument {
    /// Unique in this process, never reused: answers of jobs carry it.
    pub id: u64,
    /// Where it came from.
    pub path: Option<PathBuf>,
    /// Sound, and all edits.
    pub history: History,
    /// What brushes and commands are confined to.
    pub selection: Option<Selection>,
    /// What was selected before nothing was.
    pub last_selection: Option<Selection>,
    /// Figures of what is selected, once they are known.
    pub figures: Option<super::Figures>,
    /// How it is looked at.
    pub view: View,
    /// Where playback starts.
    pub cursor_secs: f64,
    /// While true the canvas and the player show the opened file instead of the current snapshot.
    pub show_before: bool,
    /// Position in the history at the last export; none if never exported, or if that step was since replaced.
    pub exported_at: Option<usize>,
}

/// How far views of a sound may reach.
pub fn limits_of(snapshot: &Snapshot) -> Limits {
    let rate_hz = snapshot.sample_rate_hz();
    Limits {
        duration_secs: snapshot.n_samples() as f64 / rate_hz,
        nyquist_hz: rate_hz / 2.0,
        // A few samples, and a few cycles a second: more is nothing but a blur of one cell.
        least_secs: 32.0 / rate_hz,
        least_hz: 4.0,
    }
}

impl OpenDocument {
    /// A file just decoded, seen whole.
    pub fn new(path: Option<PathBuf>, snapshot: Snapshot) -> OpenDocument {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let view = View::of(&snapshot);
        OpenDocument {
            id: NEXT.fetch_add(1, Relaxed),
            path,
            history: History::new(snapshot),
            selection: None,
            last_selection: None,
            figures: None,
            view,
            cursor_secs: 0.0,
            show_before: false,
            exported_at: None,
        }
    }

    /// The file's name, for people.
    pub fn name(&self) -> String {
        match self.path.as_deref().and_then(Path::file_name) {
            Some(name) => crate::base::shown_path(Path::new(name)),
            None => "Untitled".into(),
        }
    }

    /// Length in seconds.
    pub fn duration_secs(&self) -> f64 {
        let snapshot = self.history.original();
        snapshot.n_samples() as f64 / snapshot.sample_rate_hz()
    }

    /// The sound that is shown and heard.
    pub fn shown(&self) -> &Snapshot {
        if self.show_before { self.history.original() } else { self.history.current() }
    }

    /// Whether closing would lose something.
    pub fn has_unsaved_edits(&self) -> bool {
        self.history.position() != 0 && self.exported_at != Some(self.history.position())
    }

    /// Adds a step to the history. An export of a step that this replaces counts no more.
    pub fn commit(&mut self, edit: Edit, snapshot: Snapshot) {
        self.exported_at = self.exported_at.filter(|&position| position <= self.history.position());
        self.history.push(edit, snapshot);
    }

    /// The range of time that is selected, over all shapes; none without a selection or if it holds all times.
    pub fn selected_secs(&self) -> Option<[f64; 2]> {
        let [start, end] = self.selection.as_ref()?.extent()[0]?;
        let duration_secs = self.duration_secs();
        Some([start.clamp(0.0, duration_secs), end.clamp(0.0, duration_secs)])
    }

    /// The band that is selected, over all shapes; none without a selection or if it holds all frequencies.
    pub fn selected_hz(&self) -> Option<[f64; 2]> {
        let [low, high] = self.selection.as_ref()?.extent()[1]?;
        let nyquist_hz = self.history.original().sample_rate_hz() / 2.0;
        Some([low.clamp(0.0, nyquist_hz), high.clamp(0.0, nyquist_hz)])
    }

    /// Selects something else, or nothing; what was selected can be had again.
    pub fn select(&mut self, selection: Option<Selection>) {
        let before = std::mem::replace(&mut self.selection, selection);
        if self.selection.is_none() {
            self.last_selection = before.or(self.last_selection.take());
        }
    }
}

/// Which planes are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Panes {
    /// The magnitude.
    #[default]
    Magnitude,
    /// The phase.
    Phase,
    /// Magnitude above, phase below.
    Both,
}

impl Panes {
    /// In the order in which they are offered.
    pub const ALL: [Panes; 3] = [Panes::Magnitude, Panes::Phase, Panes::Both];
}

/// Every view of a file of so many channels, in the order in which they are offered.
pub fn channel_views(n_channels: usize) -> Vec<ChannelView> {
    let mut all = vec![ChannelView::All];
    if n_channels > 1 {
        all.extend((0..n_channels).map(ChannelView::One));
    }
    if n_channels == 2 {
        all.extend([ChannelView::Mid, ChannelView::Side]);
    }
    all
}

/// For people: `All`, `L`, `R` of stereo, else a number.
pub fn channel_label(view: ChannelView, n_channels: usize) -> String {
    match view {
        ChannelView::All => "All".into(),
        ChannelView::One(0) if n_channels == 2 => "L".into(),
        ChannelView::One(1) if n_channels == 2 => "R".into(),
        ChannelView::One(channel) => (channel + 1).to_string(),
        ChannelView::Mid => "Mid".into(),
        ChannelView::Side => "Side".into(),
    }
}

/// How a document is looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Left and right edge in seconds.
    pub secs: [f64; 2],
    /// Lower and upper edge in hertz.
    pub hz: [f64; 2],
    /// How hertz lie between them.
    pub axis: Axis,
    /// Which planes.
    pub panes: Panes,
    /// Which channels.
    pub channels: ChannelView,
    /// The grid of cells.
    pub stft: StftParams,
    /// Name of the colour map of the magnitude.
    pub colormap: crate::view::Colormap,
    /// Darkest and brightest level.
    pub range_db: [f32; 2],
    /// The phase as it is, not less its bin's own turning.
    pub raw_phase: bool,
}

impl View {
    /// The whole of a sound on a log axis from 20 Hz, magnitude alone, -100 to 0 dB.
    pub fn of(snapshot: &Snapshot) -> View {
        View {
            secs: [0.0, snapshot.n_samples() as f64 / snapshot.sample_rate_hz()],
            hz: limits_of(snapshot).all_hz(Axis::Log),
            axis: Axis::Log,
            panes: Panes::Magnitude,
            channels: ChannelView::All,
            stft: StftParams::for_rate(snapshot.sample_rate_hz()),
            colormap: crate::view::Colormap::default(),
            range_db: [-100.0, 0.0],
            raw_phase: false,
        }
    }

    /// Another axis; a log axis ends above 0 Hz.
    pub fn set_axis(&mut self, axis: Axis, limits: &Limits) {
        let was_whole = self.hz == limits.all_hz(self.axis);
        self.axis = axis;
        self.hz = if was_whole { limits.all_hz(axis) } else { limits.clamp_hz(self.hz, axis) };
    }
}

/// What the pointer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Selects a range of time.
    SelectTime,
    /// Selects a band of frequencies.
    SelectBand,
    /// Selects a box.
    SelectBox,
    /// Selects what a line runs around.
    Lasso,
    /// Paints the selection.
    SelectBrush,
    /// Selects what hangs together and is about as loud.
    Wand,
    /// Selects a tone and those above it.
    SelectHarmonics,
    /// Paints gain.
    Gain,
    /// Paints silence.
    Erase,
    /// Paints blur.
    Blur,
    /// Paints a band filter.
    BandFilter,
    /// Paints a modulation filter.
    ModulationFilter,
    /// Pushes sound along.
    Warp,
    /// Paints with sound from elsewhere.
    Clone,
    /// Drags sound along like wet paint.
    Smudge,
    /// Draws tones.
    Tone,
    /// Paints noise.
    Noise,
    /// Brings out what differs from its surroundings.
    Sharpen,
    /// Makes phases anew.
    RebuildPhase,
    /// Pans the view.
    Hand,
}

impl Tool {
    /// Every tool, from top to bottom.
    pub const ALL: [Tool; 20] = [
        Tool::SelectTime,
        Tool::SelectBand,
        Tool::SelectBox,
        Tool::Lasso,
        Tool::SelectBrush,
        Tool::Wand,
        Tool::SelectHarmonics,
        Tool::Gain,
        Tool::Erase,
        Tool::Blur,
        Tool::BandFilter,
        Tool::ModulationFilter,
        Tool::Warp,
        Tool::Clone,
        Tool::Smudge,
        Tool::Tone,
        Tool::Noise,
        Tool::Sharpen,
        Tool::RebuildPhase,
        Tool::Hand,
    ];

    /// Whether it paints.
    pub fn is_brush(self) -> bool {
        !self.selects() && self != Tool::Hand
    }

    /// Whether it selects.
    pub fn selects(self) -> bool {
        match self {
            Tool::SelectTime | Tool::SelectBand | Tool::SelectBox | Tool::Lasso => true,
            Tool::SelectBrush | Tool::Wand | Tool::SelectHarmonics => true,
            Tool::Gain | Tool::Erase | Tool::Blur | Tool::BandFilter | Tool::ModulationFilter => false,
            Tool::Warp | Tool::Clone | Tool::Smudge | Tool::Tone | Tool::Noise | Tool::Sharpen => false,
            Tool::RebuildPhase | Tool::Hand => false,
        }
    }

    /// Whether it has a radius and a hardness.
    pub fn has_radius(self) -> bool {
        self.is_brush() || self == Tool::SelectBrush
    }
}

/// A brush's size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Radius {
    /// Points on screen: the same at any zoom.
    Screen {
        /// Points.
        points: f32,
    },
    /// The same sound at any zoom.
    Locked {
        /// Seconds.
        secs: f64,
        /// Octaves (at the pointer's frequency on axes other than log).
        octaves: f64,
    },
}

/// The tool in hand and the settings of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Tools {
    /// The tool in hand.
    pub active: Tool,
    /// Size of every brush.
    pub radius: Radius,
    /// 0 to 1.
    pub hardness: f64,
    /// 0 to 1.
    pub strength: f64,
    /// Gain brush, -120 to +24.
    pub gain_db: f64,
    /// Blur brush: standard deviations in seconds and hertz.
    pub blur_sigma: [f64; 2],
    /// Band filter.
    pub band_pass: Pass,
    /// The cutoff of low and high pass in hertz.
    pub band_bend_hz: f64,
    /// The cutoffs of band pass and notch in hertz.
    pub band_cutoff_hz: [f64; 2],
    /// Its order, 1 to 8.
    pub band_order: u32,
    /// Modulation filter.
    pub modulation_pass: Pass,
    /// Its direction.
    pub modulation_along: Along,
    /// Its cutoffs along time in hertz.
    pub modulation_time_cutoff: [f64; 2],
    /// Its cutoffs along frequency in cycles per kilohertz.
    pub modulation_frequency_cutoff: [f64; 2],
    /// Its order, 1 to 8.
    pub modulation_order: u32,
    /// Magic wand: how far levels may differ.
    pub wand_tolerance_db: f64,
    /// Harmonics of a tone: how many bands.
    pub harmonic_count: usize,
    /// The width of each.
    pub harmonic_width_hz: f64,
    /// Tone brush.
    pub tone: Tone,
    /// Level of the noise brush.
    pub noise_db: f64,
    /// Sharpen brush: how much, 0 to 16.
    pub sharpen_amount: f64,
    /// Its standard deviations in seconds and hertz.
    pub sharpen_sigma: [f64; 2],
    /// Whether the blur brush makes phases anew.
    pub blur_phase: bool,
    /// Whether the modulation filter does.
    pub modulation_phase: bool,
    /// Whether tones keep their frequency where the warp brush stretches time.
    pub warp_locking: bool,
    /// Whether brushes act once per dab, where they can.
    pub build_up: bool,
}

impl Default for Tools {
    fn default() -> Tools {
        Tools {
            active: Tool::Gain,
            radius: Radius::Screen { points: 32.0 },
            hardness: 0.5,
            strength: 1.0,
            gain_db: -12.0,
            blur_sigma: [0.02, 60.0],
            // What acts wherever most sound is.
            band_pass: Pass::Low,
            band_bend_hz: 1000.0,
            band_cutoff_hz: [500.0, 2000.0],
            band_order: 4,
            modulation_pass: Pass::Low,
            modulation_along: Along::Time,
            modulation_time_cutoff: [8.0, 16.0],
            modulation_frequency_cutoff: [2.0, 4.0],
            modulation_order: 4,
            wand_tolerance_db: 12.0,
            harmonic_count: 16,
            harmonic_width_hz: 60.0,
            tone: Tone { level_db: -24.0, harmonics: 1, spacing: 1.0, inharmonicity: 0.0, slope_db: -6.0 },
            noise_db: -60.0,
            sharpen_amount: 1.0,
            sharpen_sigma: [0.02, 60.0],
            blur_phase: false,
            modulation_phase: false,
            warp_locking: true,
            build_up: false,
        }
    }
}

impl Tools {
    /// The settings of the active tool, and the brush's shape, as they were at the start; the tool stays in hand.
    pub fn reset_active(&mut self) {
        let fresh = Tools { active: self.active, ..Tools::default() };
        (self.radius, self.hardness, self.strength) = (fresh.radius, fresh.hardness, fresh.strength);
        self.build_up = fresh.build_up;
        match self.active {
            Tool::Gain => self.gain_db = fresh.gain_db,
            Tool::Blur => (self.blur_sigma, self.blur_phase) = (fresh.blur_sigma, fresh.blur_phase),
            Tool::BandFilter => {
                self.band_pass = fresh.band_pass;
                self.band_bend_hz = fresh.band_bend_hz;
                self.band_cutoff_hz = fresh.band_cutoff_hz;
                self.band_order = fresh.band_order;
            }
            Tool::ModulationFilter => {
                self.modulation_pass = fresh.modulation_pass;
                self.modulation_along = fresh.modulation_along;
                self.modulation_time_cutoff = fresh.modulation_time_cutoff;
                self.modulation_frequency_cutoff = fresh.modulation_frequency_cutoff;
                self.modulation_order = fresh.modulation_order;
                self.modulation_phase = fresh.modulation_phase;
            }
            Tool::Warp => self.warp_locking = fresh.warp_locking,
            Tool::Wand => self.wand_tolerance_db = fresh.wand_tolerance_db,
            Tool::SelectHarmonics => {
                self.harmonic_count = fresh.harmonic_count;
                self.harmonic_width_hz = fresh.harmonic_width_hz;
            }
            Tool::Tone => self.tone = fresh.tone,
            Tool::Noise => self.noise_db = fresh.noise_db,
            Tool::Sharpen => {
                self.sharpen_amount = fresh.sharpen_amount;
                self.sharpen_sigma = fresh.sharpen_sigma;
            }
            Tool::Clone | Tool::Smudge | Tool::RebuildPhase => {}
            Tool::SelectTime | Tool::SelectBand | Tool::SelectBox | Tool::Lasso | Tool::SelectBrush => {}
            Tool::Erase | Tool::Hand => {}
        }
    }

    /// The active tool's brush; none for tools that don't paint.
    pub fn brush(&self) -> Option<Brush> {
        use crate::dsp::brush::{Butterworth, WarpMode};
        let filter = |pass, cutoff: [f64; 2], order| {
            let n = if matches!(pass, Pass::Low | Pass::High) { 1 } else { 2 };
            Butterworth { pass, cutoff: cutoff[..n].to_vec(), order }
        };
        Some(match self.active {
            Tool::SelectTime | Tool::SelectBand | Tool::SelectBox | Tool::Lasso | Tool::SelectBrush => return None,
            Tool::Wand | Tool::SelectHarmonics | Tool::Hand => return None,
            Tool::Gain => Brush::Gain { gain_db: self.gain_db },
            Tool::Erase => Brush::Erase,
            Tool::Blur => Brush::Blur { sigma: self.blur_sigma, rebuild_phase: self.blur_phase },
            Tool::BandFilter => {
                let is_one = matches!(self.band_pass, Pass::Low | Pass::High);
                let cutoff = if is_one { [self.band_bend_hz; 2] } else { self.band_cutoff_hz };
                Brush::BandFilter(filter(self.band_pass, cutoff, self.band_order))
            }
            Tool::ModulationFilter => {
                let time = filter(self.modulation_pass, self.modulation_time_cutoff, self.modulation_order);
                let frequency = filter(self.modulation_pass, self.modulation_frequency_cutoff, self.modulation_order);
                let filters = match self.modulation_along {
                    Along::Time => vec![time],
                    Along::Frequency => vec![frequency],
                    Along::Both => vec![time, frequency],
                };
                Brush::ModulationFilter { along: self.modulation_along, filters, rebuild_phase: self.modulation_phase }
            }
            Tool::Warp => Brush::Warp { mode: WarpMode::Push, peak_locking: self.warp_locking },
            // Where from is known when the stroke begins.
            Tool::Clone => Brush::Clone { offset: [0.0; 2] },
            Tool::Smudge => Brush::Smudge,
            Tool::Tone => Brush::Tone(self.tone),
            Tool::Noise => Brush::Noise { level_db: self.noise_db, seed: 0 },
            Tool::Sharpen => Brush::Sharpen { sigma: self.sharpen_sigma, amount: self.sharpen_amount },
            Tool::RebuildPhase => Brush::RebuildPhase { steps: crate::dsp::phase::DEFAULT_STEPS },
        })
    }
}

/// What the canvas reports of one frame; the studio acts on it.
#[derive(Debug, Default)]
pub struct Gestures {
    /// A stroke was released: apply it.
    pub finished: Option<Edit>,
    /// A stroke is being drawn.
    pub painting: bool,
    /// The user clicked a place in time (with a selection tool, or on the time ruler): the cursor goes there.
    pub cursor_secs: Option<f64>,
    /// A new selection, or with `Some(None)` none any more.
    pub selection: Option<Option<Selection>>,
    /// A selection that depends on the sound: find it.
    pub wish: Option<SelectWish>,
    /// What is under the pointer.
    pub readout: Option<Readout>,
    /// What the user should be told.
    pub notice: Option<crate::base::Error>,
}

/// A shape that only the sound can tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelectWish {
    /// How it joins the selection there is; none replaces it.
    pub combine: Option<Combine>,
    /// Which shape.
    pub what: Wanted,
}

/// What is to be found in the sound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wanted {
    /// Cells that hang together and are about as loud.
    Wand {
        /// Seconds and hertz.
        at: [f64; 2],
        /// How far levels may differ.
        tolerance_db: f64,
    },
    /// A tone and its harmonics.
    Harmonics {
        /// Seconds and hertz.
        at: [f64; 2],
        /// How far around the place the tone may be, low and high.
        near_hz: [f64; 2],
        /// From when to when; none is as long as the tone lasts.
        secs: Option<[f64; 2]>,
        /// How many.
        count: usize,
        /// Of each.
        width_hz: f64,
    },
}

/// What is under the pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Readout {
    /// Time at the pointer.
    pub secs: f64,
    /// Frequency at the pointer.
    pub hz: f64,
    /// Frequency of the peak whose main lobe the pointer is in, interpolated to 0.1 bin; none elsewhere.
    pub peak_hz: Option<f64>,
    /// Level of that peak, to 0.1 dB, or else of the cell under the pointer; 0 dB is a full-scale sine. None in silence.
    pub level_db: Option<f32>,
    /// Phase of the cell under the pointer as it is drawn, in turns.
    pub phase_turns: Option<f32>,
}
