//! Late reverberation: predicts a frame from earlier sound by the decay of the room (Lebart, Boucher and Denbigh,
//! 2001).

use super::MIN_POWER;
use super::band_levels::squared;
use super::frames::{FrameCells, FrameEdit, GainFrames};
use super::wpe::MultichannelPrediction;
use std::collections::VecDeque;
use std::f64::consts::LN_10;

/// Attenuates late reverberation.
pub struct LateReverb {
    early: Option<MultichannelPrediction>,
    /// Factor by which power decays over the delay.
    factor: f64,
    n_delay_frames: usize,
    min_gain: f64,
    smooth: Vec<f64>,
    /// The smoothed powers of the last frames, oldest first.
    kept: VecDeque<Vec<f64>>,
    /// The frame whose change is pending: the original, and the frame without the predicted part.
    pending: Option<[FrameCells; 2]>,
    /// The gains of the frame before the pending one, and those of the pending one.
    gains: [Vec<f64>; 2],
}

impl LateReverb {
    /// Frame length in seconds.
    pub const FRAME_SECS: f64 = 0.032;
    /// Weight of the previous value in the smoothed power.
    const SMOOTHING: f64 = 0.8;
    /// Time after which a frame no longer has any effect, not counting the delay.
    const MEMORY_SECS: f64 = 1.0;

    /// A filter for an RT60 and a delay, both in seconds; reverberation after the delay counts as late. `floor_db` is
    /// the minimum gain of a cell, 0 or negative. With `early`, the part of each channel that is predicted from all
    /// linked channels is subtracted first.
    pub fn new(
        frames: &GainFrames,
        [rt60_secs, delay_secs]: [f64; 2],
        floor_db: f64,
        early: Option<MultichannelPrediction>,
    ) -> LateReverb {
        let n_delay_frames = ((delay_secs / frames.step_secs()).round() as usize).max(1);
        let decays = -6.0 * LN_10 / rt60_secs;
        let nothing = vec![0.0; frames.n_bins()];
        LateReverb {
            early,
            factor: (decays * n_delay_frames as f64 * frames.step_secs()).exp(),
            n_delay_frames,
            min_gain: 10f64.powf(floor_db / 20.0),
            smooth: nothing.clone(),
            kept: VecDeque::from(vec![nothing.clone(); n_delay_frames]),
            pending: None,
            gains: [vec![1.0; nothing.len()], vec![1.0; nothing.len()]],
        }
    }

    /// Number of earlier frames that affect a frame.
    pub fn n_frames_before(&self, frames: &GainFrames) -> usize {
        self.n_delay_frames + (Self::MEMORY_SECS / frames.step_secs()) as usize
    }

    /// The gains of the next frame, before they are smoothed.
    fn gains(&mut self, frame: &FrameCells) -> Vec<f64> {
        let late = self.kept.pop_front().unwrap_or_default();
        let mut gains = Vec::with_capacity(self.smooth.len());
        for (bin, smooth) in self.smooth.iter_mut().enumerate() {
            let power = frame.iter().map(|channel| squared(&channel[bin])).sum::<f64>() / frame.len() as f64;
            *smooth = Self::SMOOTHING * *smooth + (1.0 - Self::SMOOTHING) * power;
            let kept = 1.0 - self.factor * late[bin] / power.max(MIN_POWER);
            gains.push(kept.max(self.min_gain * self.min_gain).sqrt());
        }
        self.kept.push_back(self.smooth.clone());
        gains
    }
}

impl FrameEdit for LateReverb {
    fn delay(&self) -> usize {
        1
    }

    fn next(&mut self, frame: FrameCells) -> Option<FrameCells> {
        let early = self.early.as_mut().map_or_else(|| frame.clone(), |early| early.next(&frame));
        let gains = self.gains(&early);
        let pending = self.pending.replace([frame, early]);
        let smoothed: Vec<f32> = (self.gains[0].iter().zip(&self.gains[1]).zip(&gains))
            .map(|((before, own), after)| ((before + 2.0 * own + after) / 4.0) as f32)
            .collect();
        self.gains.rotate_left(1);
        self.gains[1] = gains;
        let [before, mut after] = pending?;
        for (after, before) in after.iter_mut().zip(&before) {
            for ((after, before), gain) in after.iter_mut().zip(before).zip(&smoothed) {
                *after = *after * *gain - *before;
            }
        }
        Some(after)
    }
}
