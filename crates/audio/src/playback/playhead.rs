//! Maps frames of the ring to positions in the document.

use std::collections::VecDeque;

/// Starts of contiguous runs of frames.
#[derive(Debug, Default)]
pub struct Playhead {
    /// Frame of the ring and sample of the document, ascending by frame.
    jumps: VecDeque<(f64, f64)>,
    /// Frames of the ring per sample of the document.
    ratio: f64,
    /// Samples of the document per second.
    rate_hz: f64,
}

/// Maximum number of jumps: a loop of 10 ms jumps 200 times in the 2 s between writing and hearing.
const MAX_LOOP_JUMPS: usize = 512;

impl Playhead {
    /// Resets the map with new rates.
    pub fn begin(&mut self, rate_hz: f64, ratio: f64) {
        *self = Playhead { jumps: VecDeque::new(), ratio, rate_hz };
    }

    /// The document continues at sample `document` from frame `ring` on.
    pub fn jump(&mut self, ring: f64, document: f64) {
        if self.jumps.len() == MAX_LOOP_JUMPS {
            self.jumps.pop_front();
        }
        self.jumps.push_back((ring, document));
    }

    /// Seconds in the document at a frame of the ring, clamped to the start of the first run. `None` if nothing was
    /// written.
    pub fn secs_at(&self, ring: f64) -> Option<f64> {
        let first = self.jumps.front()?;
        let &(start, document) = self.jumps.iter().rev().find(|(start, _)| *start <= ring).unwrap_or(first);
        Some((document + (ring - start).max(0.0) / self.ratio) / self.rate_hz)
    }
}
