//! Maps frames of the ring to positions in the document.

use std::collections::VecDeque;

/// Starts of continuous runs of frames.
#[derive(Debug, Default)]
pub(super) struct Playhead {
    /// Frame of the ring and sample of the document, ascending by frame.
    jumps: VecDeque<(f64, f64)>,
    /// Frames of the ring per sample of the document.
    ratio: f64,
    /// Samples of the document per second.
    rate_hz: f64,
}

/// A loop of 10 ms jumps 200 times within the 2 s between writing and hearing.
const MOST_JUMPS: usize = 512;

impl Playhead {
    /// Resets the map with new rates.
    pub(super) fn begin(&mut self, rate_hz: f64, ratio: f64) {
        *self = Playhead { jumps: VecDeque::new(), ratio, rate_hz };
    }

    /// From frame `ring` on the document goes on at `document`.
    pub(super) fn jump(&mut self, ring: f64, document: f64) {
        if self.jumps.len() == MOST_JUMPS {
            self.jumps.pop_front();
        }
        self.jumps.push_back((ring, document));
    }

    /// Seconds of the document at a frame of the ring, clamped to the first run's start. `None` if nothing was written.
    pub(super) fn secs_at(&self, ring: f64) -> Option<f64> {
        let first = self.jumps.front()?;
        let &(start, document) = self.jumps.iter().rev().find(|(start, _)| *start <= ring).unwrap_or(first);
        Some((document + (ring - start).max(0.0) / self.ratio) / self.rate_hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_jumps_and_rates() {
        let mut playhead = Playhead::default();
        assert_eq!(playhead.secs_at(10.0), None);
        playhead.begin(24_000.0, 2.0);
        playhead.jump(100.0, 24_000.0);
        playhead.jump(4_900.0, 12_000.0);
        assert_eq!(playhead.secs_at(0.0), Some(1.0));
        assert_eq!(playhead.secs_at(2_500.0), Some(1.05));
        assert_eq!(playhead.secs_at(4_900.0), Some(0.5));
        assert_eq!(playhead.secs_at(9_700.0), Some(0.6));
    }
}
