//! How often the window draws while something moves, and how long a frame takes.

use std::collections::VecDeque;

/// Seconds of frames that count.
const WINDOW_SECS: f64 = 1.0;
/// Frames further apart are not consecutive: nothing moved between them.
const MAX_GAP_SECS: f64 = 0.1;

/// The frames of the last second.
#[derive(Debug, Default)]
pub struct FrameMeter {
    frames: VecDeque<DrawnFrame>,
    started_secs: Option<f64>,
}

#[derive(Debug, Clone, Copy)]
struct DrawnFrame {
    start_secs: f64,
    ui_secs: f64,
}

/// Rate and times of frames drawn in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameRate {
    /// Frames per second.
    pub per_sec: f64,
    /// The longest time from one frame to the next, in milliseconds.
    pub longest_ms: f64,
    /// The mean time that the program took for a frame, without waiting for the display, in milliseconds.
    pub ui_ms: f64,
}

impl FrameMeter {
    /// Call when a frame starts.
    pub fn begin(&mut self, now_secs: f64) {
        self.started_secs = Some(now_secs);
    }

    /// Call when a frame is laid out.
    pub fn end(&mut self, now_secs: f64) {
        let Some(start_secs) = self.started_secs.take() else { return };
        self.frames.push_back(DrawnFrame { start_secs, ui_secs: now_secs - start_secs });
        while self.frames.front().is_some_and(|frame| frame.start_secs < now_secs - WINDOW_SECS) {
            self.frames.pop_front();
        }
    }

    /// The rate over the last second; `None` if no frame followed another within 0.1 s.
    pub fn rate(&self, now_secs: f64) -> Option<FrameRate> {
        let recent = || self.frames.iter().filter(|frame| frame.start_secs >= now_secs - WINDOW_SECS);
        let gaps = recent().zip(recent().skip(1)).map(|(one, next)| next.start_secs - one.start_secs);
        let gaps: Vec<f64> = gaps.filter(|gap| *gap <= MAX_GAP_SECS).collect();
        if gaps.is_empty() {
            return None;
        }
        Some(FrameRate {
            per_sec: gaps.len() as f64 / gaps.iter().sum::<f64>(),
            longest_ms: 1e3 * gaps.iter().copied().fold(0.0, f64::max),
            ui_ms: 1e3 * recent().map(|frame| frame.ui_secs).sum::<f64>() / recent().count() as f64,
        })
    }
}
