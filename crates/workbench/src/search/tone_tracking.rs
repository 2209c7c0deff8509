//! The pitch course of a gliding tone in the sound of a document.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::Cells;
use crate::dsp::pitch::glide::{ToneCourse, ToneFinder, TonePlace};
use crate::view::Analysis;

/// Frames analysed together.
const CHUNK_FRAMES: usize = 64;

/// Maximum number of cells of a course.
const MAX_CELLS: usize = 1 << 24;

/// A tone to follow, and its harmonics.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrackedTone {
    /// The frame where it was found.
    pub home: usize,
    pub f0_hz: f64,
    /// First and last frame; `None` follows the tone as long as it lasts.
    pub frames: Option<[usize; 2]>,
    /// The tone ends where its level has fallen by this factor.
    pub fall: f64,
    /// Number of harmonics, including the fundamental.
    pub count: usize,
    /// Width of the band around each partial.
    pub width_hz: f64,
}

impl TrackedTone {
    /// Bands that follow the tone and its harmonics; `None` where bands of constant frequency would do as well.
    ///
    /// # Errors
    /// Errors reading the sound, and [`Script`](ErrorKind::Script) for too many cells.
    pub fn gliding_cells(&self, analysis: &Analysis, progress: &Progress) -> Result<Option<Cells>> {
        let grid = analysis.grid();
        let finder = ToneFinder::new(grid, self.count);
        let [start, end] = self.frames.unwrap_or([0, grid.n_frames() - 1]);
        let home = self.home.clamp(start, end);
        let Some(first) = finder.first(&analysis.region(home..home + 1)?.magnitude, self.f0_hz) else {
            return Ok(None);
        };
        let later = self.followed(analysis, &finder, (home + 1..end + 1, false), first, progress)?;
        let earlier = self.followed(analysis, &finder, (start..home, true), first, progress)?;
        let first_frame = home + 1 - earlier.len();
        let places: Vec<TonePlace> = earlier.into_iter().rev().chain(later.into_iter().skip(1)).collect();
        let course = ToneCourse { first_frame, places }.without_jumps();
        if course.is_steady(grid, self.f0_hz, self.count, self.width_hz) {
            return Ok(None);
        }
        if course.places.len() * grid.n_bins() > MAX_CELLS {
            let what = "this tone is too long to follow (over 16 million cells); drag along a part of it";
            return Err(Error::new(ErrorKind::Script, what));
        }
        progress.check()?;
        Ok(course.cells(grid, self.count, self.width_hz))
    }

    /// Follows the tone through frames from `first` on, forward or backward, `first` included. Stops where the tone
    /// ends; if the frames are given, holds the frequency there instead.
    fn followed(
        &self,
        analysis: &Analysis,
        finder: &ToneFinder<'_>,
        (frames, is_back): (std::ops::Range<usize>, bool),
        first: TonePlace,
        progress: &Progress,
    ) -> Result<Vec<TonePlace>> {
        let n_bins = analysis.grid().n_bins();
        let mut places = vec![first];
        let mut rest = frames;
        while !rest.is_empty() {
            progress.check()?;
            let n = rest.len().min(CHUNK_FRAMES);
            let chunk = if is_back { rest.end - n..rest.end } else { rest.start..rest.start + n };
            rest = if is_back { rest.start..chunk.start } else { chunk.end..rest.end };
            let region = analysis.region(chunk)?;
            for i in 0..n {
                let at = if is_back { n - 1 - i } else { i };
                let magnitude = &region.magnitude[at * n_bins..(at + 1) * n_bins];
                let found = finder.next(magnitude, &places).filter(|place| place.level >= first.level * self.fall);
                match (found, self.frames, places.last()) {
                    (Some(place), _, _) => places.push(place),
                    (None, Some(_), Some(last)) => places.push(TonePlace { hz: last.hz, level: 0.0 }),
                    (None, _, _) => return Ok(places),
                }
            }
        }
        Ok(places)
    }
}
