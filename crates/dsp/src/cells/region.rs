//! Rectangles of cells on a spectrogram's grid, and regions, which hold such cells in polar form.

use super::planes;
use std::ops::Range;

/// A rectangle of cells: ranges of frames and bins on the grid, ends exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct CellRect {
    /// Frames; 0 is the first of the signal.
    pub frames: Range<usize>,
    /// Bins; 0 is DC.
    pub bins: Range<usize>,
}

impl CellRect {
    /// The rectangle of these frames and bins.
    pub fn new(frames: Range<usize>, bins: Range<usize>) -> CellRect {
        CellRect { frames, bins }
    }

    /// Frames times bins.
    pub fn n_cells(&self) -> usize {
        self.frames.len() * self.bins.len()
    }

    /// Whether the rectangle contains no cell.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty() || self.bins.is_empty()
    }

    /// The intersection of both rectangles.
    #[must_use]
    pub fn intersect(&self, other: &CellRect) -> CellRect {
        let clip = |a: &Range<usize>, b: &Range<usize>| {
            let start = a.start.max(b.start);
            start..a.end.min(b.end).max(start)
        };
        CellRect { frames: clip(&self.frames, &other.frames), bins: clip(&self.bins, &other.bins) }
    }

    /// The smallest rectangle around both; an empty one adds nothing.
    #[must_use]
    pub fn union(&self, other: &CellRect) -> CellRect {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        let span = |a: &Range<usize>, b: &Range<usize>| a.start.min(b.start)..a.end.max(b.end);
        CellRect { frames: span(&self.frames, &other.frames), bins: span(&self.bins, &other.bins) }
    }

    /// The rectangle grown on all sides by `frames` and `bins`, clipped to `within`.
    #[must_use]
    pub fn grown(&self, frames: usize, bins: usize, within: &CellRect) -> CellRect {
        let grow = |range: &Range<usize>, by: usize| range.start.saturating_sub(by)..range.end.saturating_add(by);
        CellRect { frames: grow(&self.frames, frames), bins: grow(&self.bins, bins) }.intersect(within)
    }

    /// Whether `other` lies inside; true if it is empty.
    pub fn contains(&self, other: &CellRect) -> bool {
        other.is_empty() || self.intersect(other) == *other
    }
}

/// Cells of one channel: magnitude (linear, at least 0) and phase in turns ([-0.5, 0.5), centre-referenced).
///
/// Both planes are frame-major: cell `(frame, bin)` of the rectangle has the index
/// `(frame - rect.frames.start) * rect.bins.len() + bin - rect.bins.start`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    /// Position on the grid.
    pub rect: CellRect,
    /// Linear magnitudes `|X|`.
    pub magnitude: Vec<f32>,
    /// Phases in turns.
    pub phase: Vec<f32>,
}

/// Returns its planes to the pool.
impl Drop for Region {
    fn drop(&mut self) {
        planes::give(std::mem::take(&mut self.magnitude));
        planes::give(std::mem::take(&mut self.phase));
    }
}

impl Region {
    /// A region of zeros.
    pub fn zeros(rect: CellRect) -> Region {
        let n_cells = rect.n_cells();
        Region { rect, magnitude: planes::zeros(n_cells), phase: planes::zeros(n_cells) }
    }

    /// A region with unspecified values, to be overwritten.
    pub fn unwritten(rect: CellRect) -> Region {
        let n_cells = rect.n_cells();
        Region { rect, magnitude: planes::take(n_cells), phase: planes::take(n_cells) }
    }

    /// Consumes the region and returns its magnitudes.
    pub fn into_magnitude(mut self) -> Vec<f32> {
        std::mem::take(&mut self.magnitude)
    }

    /// Number of frames.
    pub fn n_frames(&self) -> usize {
        self.rect.frames.len()
    }

    /// Number of bins.
    pub fn n_bins(&self) -> usize {
        self.rect.bins.len()
    }

    /// Index of a cell given by its frame and bin on the grid.
    ///
    /// # Panics
    /// In debug builds, if the cell lies outside.
    pub fn index(&self, frame: usize, bin: usize) -> usize {
        debug_assert!(self.rect.frames.contains(&frame) && self.rect.bins.contains(&bin));
        (frame - self.rect.frames.start) * self.n_bins() + bin - self.rect.bins.start
    }

    /// Overwrites cells with those of `other`, which must lie inside.
    pub fn paste(&mut self, other: &Region) {
        let n = other.n_bins();
        for frame in other.rect.frames.clone().filter(|_| n > 0) {
            let (from, to) = (other.index(frame, other.rect.bins.start), self.index(frame, other.rect.bins.start));
            self.magnitude[to..to + n].copy_from_slice(&other.magnitude[from..from + n]);
            self.phase[to..to + n].copy_from_slice(&other.phase[from..from + n]);
        }
    }

    /// Replaces the cells that are louder in `other`, which covers the same rectangle.
    pub fn keep_louder(&mut self, other: &Region) {
        let own = self.magnitude.iter_mut().zip(&mut self.phase);
        for ((magnitude, phase), (&other_magnitude, &other_phase)) in own.zip(other.magnitude.iter().zip(&other.phase))
        {
            if other_magnitude > *magnitude {
                (*magnitude, *phase) = (other_magnitude, other_phase);
            }
        }
    }

    /// The frames whose number is a multiple of `every`, renumbered by dividing by `every`: a grid of `every` times the
    /// hop.
    #[must_use]
    pub fn every_frame(&self, every: usize) -> Region {
        let frames = self.rect.frames.start.div_ceil(every)..self.rect.frames.end.div_ceil(every);
        let rect = CellRect::new(frames.start..frames.end.max(frames.start), self.rect.bins.clone());
        let mut coarse = Region { rect: rect.clone(), magnitude: Vec::new(), phase: Vec::new() };
        for frame in rect.frames {
            let start = self.index(frame * every, rect.bins.start);
            coarse.magnitude.extend_from_slice(&self.magnitude[start..start + rect.bins.len()]);
            coarse.phase.extend_from_slice(&self.phase[start..start + rect.bins.len()]);
        }
        coarse
    }

    /// A copy of the cells of `rect`, which must lie inside.
    #[must_use]
    pub fn crop(&self, rect: &CellRect) -> Region {
        let mut cropped = Region::unwritten(rect.clone());
        for frame in rect.frames.clone() {
            if rect.bins.is_empty() {
                break;
            }
            let (from, to, n) =
                (self.index(frame, rect.bins.start), cropped.index(frame, rect.bins.start), rect.bins.len());
            cropped.magnitude[to..to + n].copy_from_slice(&self.magnitude[from..from + n]);
            cropped.phase[to..to + n].copy_from_slice(&self.phase[from..from + n]);
        }
        cropped
    }
}
