//! Tracks the pitch of a gliding tone, in order to select its harmonics.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::PitchLine;
use crate::dsp::pitch::glide::{ToneCourse, ToneFinder, TonePlace};
use crate::dsp::{Cells, Grid};
use crate::view::Analysis;

/// Number of frames analysed at a time.
const CHUNK_FRAMES: usize = 64;

/// Maximum number of cells of a tracked tone: frames times all bins.
const MAX_CELLS: usize = 1 << 24;

/// Maximum distance in octaves at which a spectral peak refines the pitch line. The line is only a few cents off, and
/// in short windows the peaks of low voices merge.
const REFINED_OCTAVES: f64 = 0.025;

/// A tone to track, and its harmonics.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrackedTone {
    /// The frame in which it was found.
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
    /// Bands that follow the tone and its harmonics; `None` if bands of constant frequency suffice.
    ///
    /// # Errors
    /// Read errors of the sound, and [`Script`](ErrorKind::Script) for too many cells.
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
        progress.check()?;
        cells_of(&course, grid, self.count, self.width_hz)
    }

    /// Tracks the tone from `first` through frames, forward or backward; the result includes `first`. Stops where the
    /// tone ends, or if `self.frames` is given, holds its last frequency instead.
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

/// The course of a tone along a pitch line between two times, refined by the peaks of the sound. Frames where the line
/// has no pitch have 0 Hz; `None` if all have.
///
/// # Errors
/// Read errors of the sound.
pub(super) fn course_along(
    line: &PitchLine,
    [from_secs, to_secs]: [f64; 2],
    analysis: &Analysis,
    count: usize,
    progress: &Progress,
) -> Result<Option<ToneCourse>> {
    let grid = analysis.grid();
    let finder = ToneFinder::new(grid, count);
    let frame = |secs: f64| (grid.frame_from_secs(secs).round().max(0.0) as usize).min(grid.n_frames() - 1);
    let (first_frame, end) = (frame(from_secs), frame(to_secs) + 1);
    let mut places = Vec::with_capacity(end - first_frame);
    for start in (first_frame..end).step_by(CHUNK_FRAMES) {
        progress.check()?;
        let frames = start..(start + CHUNK_FRAMES).min(end);
        let magnitude = analysis.region(frames.clone())?.into_magnitude();
        for (at, magnitude) in frames.zip(magnitude.chunks_exact(grid.n_bins())) {
            let Some(hz) = line.hz_at(grid.secs_from_frame(at as f64)) else {
                places.push(TonePlace { hz: 0.0, level: 0.0 });
                continue;
            };
            let peaks = finder.first(magnitude, hz);
            let refined = peaks.filter(|place| (place.hz / hz).log2().abs() <= REFINED_OCTAVES);
            places.push(TonePlace { hz: refined.map_or(hz, |place| place.hz), level: 1.0 });
        }
    }
    Ok(places.iter().any(|place| place.hz > 0.0).then_some(ToneCourse { first_frame, places }))
}

/// Bands that follow a tone's course.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for too many cells.
pub(super) fn cells_of(course: &ToneCourse, grid: &Grid, count: usize, width_hz: f64) -> Result<Option<Cells>> {
    if course.places.len() * grid.n_bins() > MAX_CELLS {
        let what = "this tone is too long to follow (over 16 million cells); drag along a part of it";
        return Err(Error::new(ErrorKind::Script, what));
    }
    Ok(course.cells(grid, count, width_hz))
}
