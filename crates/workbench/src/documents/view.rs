//! How a document is looked at.

use crate::document::Snapshot;
use crate::dsp::{Axis, Transform};
use crate::view::{ChannelView, Limits};

/// Which planes are shown.
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
    /// In the order in which they are offered.
    pub const ALL: [Panes; 3] = [Panes::Magnitude, Panes::Phase, Panes::Both];
}

/// Every view of a file with `n_channels` channels, in menu order.
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

/// Speakers in the order of the bits of a channel mask, as extensible WAV headers have it.
const SPEAKERS: [&str; 18] =
    ["L", "R", "C", "LFE", "Lb", "Rb", "Lc", "Rc", "Cb", "Ls", "Rs", "T", "TL", "TC", "TR", "TLb", "TCb", "TRb"];

/// The speaker of a channel, where the file says which speakers it is for and has as many channels.
fn speaker(channel: usize, n_channels: usize, mask: Option<u32>) -> Option<&'static str> {
    let mask = mask.filter(|mask| mask.count_ones() as usize == n_channels)?;
    (0..SPEAKERS.len()).filter(|bit| mask >> bit & 1 == 1).nth(channel).map(|bit| SPEAKERS[bit])
}

/// For people: `All`, `L`, `R` of stereo, speakers as the file's channel mask names them, else a number.
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
    pub transform: Transform,
    /// Name of the colour map of the magnitude.
    pub colormap: crate::view::Colormap,
    /// Darkest and brightest level.
    pub range_db: [f32; 2],
    /// The phase as it is, not less its bin's own turning.
    pub raw_phase: bool,
    /// Levels go over into each other between the centres of large cells; otherwise each cell is of one colour.
    pub smooth: bool,
    /// With all channels: each in a pane of its own, one above the other.
    pub stacked: bool,
    /// The range of levels stays as it is; otherwise it follows what is seen.
    pub range_locked: bool,
    /// How strongly the waveform is drawn over the picture, 0 to 1.
    pub waveform: f32,
    /// The time ruler shows the time of day, where the file says it.
    pub time_of_day: bool,
    /// Lines at bars and beats are shown, where the document has a beat grid.
    pub beat_lines: bool,
    /// The pitch is drawn over the picture.
    pub pitch_line: bool,
}

impl View {
    /// The usual range of levels.
    pub const RANGE_DB: [f32; 2] = [-100.0, 0.0];
    /// Default strength of a waveform that was just turned on.
    pub const WAVEFORM: f32 = 0.5;

    /// The whole of a sound on a log axis from 20 Hz, magnitude alone, -100 to 0 dB.
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

    /// Another axis; a log axis ends above 0 Hz.
    pub fn set_axis(&mut self, axis: Axis, limits: &Limits) {
        let was_whole = self.hz == limits.all_hz(self.axis);
        self.axis = axis;
        self.hz = if was_whole { limits.all_hz(axis) } else { limits.clamp_hz(self.hz, axis) };
    }
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
