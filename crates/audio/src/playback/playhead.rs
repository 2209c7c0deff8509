//! Maps frames of the ring to positions in the document.

use std::collections::VecDeque;

/// A map from frames of the ring to positions in the document, made of contiguous runs.
#[derive(Debug, Default)]
pub struct Playhead {
    /// Start of each run: frame of the ring and sample of the document, ascending by frame.
    jumps: VecDeque<(f64, f64)>,
    /// Frames of the ring per sample of the document; negative for backward playback.
    ratio: f64,
    /// Samples of the document per second.
    rate_hz: f64,
}

/// Maximum number of runs kept: a loop of 10 ms jumps 200 times in the 2 s between writing a frame and hearing it.
const MAX_LOOP_JUMPS: usize = 512;

impl Playhead {
    /// Resets the map with new rates.
    pub fn begin(&mut self, rate_hz: f64, ratio: f64) {
        *self = Playhead { jumps: VecDeque::new(), ratio, rate_hz };
    }

    /// Starts a run: frame `ring` is sample `document` of the document.
    pub fn jump(&mut self, ring: f64, document: f64) {
        if self.jumps.len() == MAX_LOOP_JUMPS {
            self.jumps.pop_front();
        }
        self.jumps.push_back((ring, document));
    }

    /// Position in the document, in seconds, of a frame of the ring; frames before the first run have its start. `None`
    /// if there is no run yet.
    pub fn secs_at(&self, ring: f64) -> Option<f64> {
        let first = self.jumps.front()?;
        let &(start, document) = self.jumps.iter().rev().find(|(start, _)| *start <= ring).unwrap_or(first);
        Some((document + (ring - start).max(0.0) / self.ratio) / self.rate_hz)
    }
}
