//! Estimates a suitable colour range in dB for the visible part from some of its frames.

use crate::base::Result;
use crate::document::Snapshot;
use crate::dsp::Transform;
use crate::{Analysis, ChannelView, Plans, db_from_amplitude};

/// Maximum number of frames analysed, evenly spaced over the visible part.
const N_FRAMES: usize = 48;
/// Minimum and maximum width of a range, in dB.
const SPAN_DB: [f32; 2] = [40.0, 110.0];
/// Fraction of the cells that may be darker than the darkest colour: the noise between sounds.
const DARK_PART: f64 = 0.2;

/// The visible part of a sound.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The sound.
    pub snapshot: Snapshot,
    /// Left and right edge in seconds.
    pub secs: [f64; 2],
    /// Lower and upper edge in hertz.
    pub hz: [f64; 2],
    /// The transform that the cells belong to.
    pub transform: Transform,
    /// The displayed channels.
    pub channels: ChannelView,
}

impl Seen {
    /// Whether sound, time and frequency range, transform and channels are equal.
    pub fn is_same(&self, other: &Seen) -> bool {
        self.snapshot.is_same(&other.snapshot)
            && (self.secs, self.hz) == (other.secs, other.hz)
            && (&self.transform, self.channels) == (&other.transform, other.channels)
    }

    /// The range from the darkest to the brightest level, in whole decibels; `None` for silence.
    ///
    /// # Errors
    /// Read errors.
    pub fn range_db(&self, plans: &Plans) -> Result<Option<[f32; 2]>> {
        let analysis =
            Analysis::new(&self.snapshot, self.channels, plans.view(&self.transform, self.snapshot.sample_rate_hz())?)?;
        let grid = analysis.grid().clone();
        let last = grid.n_frames() - 1;
        let [first, end] = self.secs.map(|secs| (grid.frame_from_secs(secs).round().max(0.0) as usize).min(last));
        let [low, high] = self.hz.map(|hz| (grid.bin_from_hz(hz).round().max(0.0) as usize).min(grid.n_bins() - 1));
        let n = (end - first + 1).min(N_FRAMES);
        let scale = analysis.amplitude_scale();
        let mut magnitudes = Vec::new();
        for i in 0..n {
            let frame = first + (end - first) * i / n.max(2).saturating_sub(1);
            let region = analysis.region(frame..frame + 1)?;
            let mut cells = region.into_magnitude();
            scale.level_ends(&mut cells);
            magnitudes.extend_from_slice(&cells[low..=high]);
        }
        magnitudes.retain(|magnitude| *magnitude > 0.0);
        magnitudes.sort_by(f32::total_cmp);
        let Some(&max) = magnitudes.last() else { return Ok(None) };
        let dark = magnitudes[(magnitudes.len() as f64 * DARK_PART) as usize];
        let bright_db = db_from_amplitude(max * scale.sine).ceil().clamp(-60.0, 6.0);
        let dark_db = db_from_amplitude(dark * scale.sine).floor();
        Ok(Some([dark_db.clamp(bright_db - SPAN_DB[1], bright_db - SPAN_DB[0]).max(-120.0), bright_db]))
    }
}
