//! The view of a document.

use crate::document::Snapshot;
use crate::dsp::{Axis, Transform};
use crate::view::{ChannelView, Limits};

/// The planes of the transform to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
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
    /// In the order of the menu.
    pub const ALL: [Panes; 3] = [Panes::Magnitude, Panes::Phase, Panes::Both];
}

/// All channel views of a file with `n_channels` channels, in menu order.
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

/// Abbreviations of speakers in the bit order of the channel mask of extensible WAV headers.
const SPEAKERS: [&str; 18] =
    ["L", "R", "C", "LFE", "Lb", "Rb", "Lc", "Rc", "Cb", "Ls", "Rs", "T", "TL", "TC", "TR", "TLb", "TCb", "TRb"];

/// The speaker of a channel, if the channel mask has this number of channels.
fn speaker(channel: usize, n_channels: usize, mask: Option<u32>) -> Option<&'static str> {
    let mask = mask.filter(|mask| mask.count_ones() as usize == n_channels)?;
    (0..SPEAKERS.len()).filter(|bit| mask >> bit & 1 == 1).nth(channel).map(|bit| SPEAKERS[bit])
}

/// A channel's label: `All`, `L` and `R` of stereo, speakers by the file's channel mask, else a number.
pub fn channel_label(view: ChannelView, n_channels: usize, mask: Option<u32>) -> String {
    match view {
        ChannelView::All => "All".into(),
        ChannelView::One(0) if n_channels == 2 => "L".into(),
        ChannelView::One(1) if n_channels == 2 => "R".into(),
        ChannelView::One(channel) => {
            speaker(channel, n_channels, mask).map_or_else(|| (channel + 1).to_string(), str::to_owned)
        }
        ChannelView::Mid => "Mid".into(),
        ChannelView::Side => "Side".into(),
    }
}

/// The view of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Left and right edge in seconds.
    pub secs: [f64; 2],
    /// Lower and upper edge in hertz.
    pub hz: [f64; 2],
    /// The frequency axis.
    pub axis: Axis,
    /// The planes shown.
    pub panes: Panes,
    /// The channels shown.
    pub channels: ChannelView,
    /// The transform that makes the cells.
    pub transform: Transform,
    /// Colour map of the magnitude.
    pub colormap: crate::view::Colormap,
    /// Darkest and brightest level, in decibels.
    pub range_db: [f32; 2],
    /// Shows phases as they are, rather than with each bin's phase advance subtracted.
    pub raw_phase: bool,
    /// Interpolates levels between the centres of large cells; otherwise each cell has one colour.
    pub smooth: bool,
    /// With all channels: one pane per channel, stacked.
    pub stacked: bool,
    /// Fixes the range of levels; otherwise it follows the visible levels.
    pub range_locked: bool,
    /// Opacity of the waveform over the picture, 0 to 1.
    pub waveform: f32,
    /// The time ruler shows the time of day, where the file states it.
    pub time_of_day: bool,
    /// Lines at bars and beats are shown, where the document has a beat grid.
    pub beat_lines: bool,
    /// The pitch line is drawn over the picture.
    pub pitch_line: bool,
}

impl View {
    /// The default range of levels, in decibels.
    pub const RANGE_DB: [f32; 2] = [-100.0, 0.0];
    /// Default opacity of a waveform that was just turned on.
    pub const WAVEFORM: f32 = 0.5;

    /// A view of a whole sound on a log axis from 20 Hz, magnitude only, -100 to 0 dB.
    pub fn of(snapshot: &Snapshot) -> View {
        View {
            secs: [0.0, snapshot.n_samples() as f64 / snapshot.sample_rate_hz()],
            hz: limits_of(snapshot).all_hz(Axis::Log),
            axis: Axis::Log,
            panes: Panes::Magnitude,
            channels: ChannelView::All,
            transform: Transform::for_rate(snapshot.sample_rate_hz()),
            colormap: crate::view::Colormap::default(),
            range_db: View::RANGE_DB,
            raw_phase: false,
            smooth: true,
            stacked: false,
            range_locked: true,
            waveform: 0.0,
            time_of_day: false,
            beat_lines: true,
            pitch_line: false,
        }
    }

    /// The channels of the panes, from top to bottom, of a sound with `n_channels` channels.
    pub fn lanes(&self, n_channels: usize) -> Vec<ChannelView> {
        if self.stacked && self.channels == ChannelView::All && n_channels > 1 {
            return (0..n_channels).map(ChannelView::One).collect();
        }
        vec![self.channels]
    }

    /// Sets the axis; a log axis starts above 0 Hz.
    pub fn set_axis(&mut self, axis: Axis, limits: &Limits) {
        let was_whole = self.hz == limits.all_hz(self.axis);
        self.axis = axis;
        self.hz = if was_whole { limits.all_hz(axis) } else { limits.clamp_hz(self.hz, axis) };
    }
}

/// Limits for scrolling and zooming the view of a sound: its length and Nyquist frequency, and the smallest visible
/// ranges.
pub fn limits_of(snapshot: &Snapshot) -> Limits {
    let rate_hz = snapshot.sample_rate_hz();
    Limits {
        duration_secs: snapshot.n_samples() as f64 / rate_hz,
        nyquist_hz: rate_hz / 2.0,
        // Zooming in further would only show the inside of a cell.
        min_secs: 32.0 / rate_hz,
        min_hz: 4.0,
    }
}
