//! Snapping: landmarks of the visible range, computed in advance.

use crate::document::{BeatGrid, PitchLine};
use crate::dsp::NoteScale;
use crate::view::{LandmarkQuery, Landmarks, Plans, SNAP_POINTS, Viewport, beat_near};
use crate::workbench::{Jobs, Latest, OpenDocument, Tools};
use std::sync::Arc;

/// Targets that drawn notes snap to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoteCatch {
    /// The scale of pitches.
    pub scale: NoteScale,
    /// The beat grid, if its lines are shown.
    pub beat: Option<BeatGrid>,
}

impl NoteCatch {
    /// Snaps a time to a nearby line of the beat grid.
    pub fn secs(&self, viewport: &Viewport, secs: f64) -> f64 {
        let line = self.beat.as_ref().and_then(|grid| beat_near(grid, viewport, secs, SNAP_POINTS));
        line.unwrap_or(secs)
    }
}

/// Snap targets: onsets and peaks of the visible range, the scale, the beat grid and the pitch line.
#[derive(Default)]
pub struct Snapper {
    /// Targets of drawn notes; `None` while snapping is off.
    catch: Option<NoteCatch>,
    /// The pitch line that is shown; none while snapping is off.
    line: Option<Arc<PitchLine>>,
    landmarks: Latest<LandmarkQuery, Landmarks>,
}

impl Snapper {
    /// Once a frame; computes nothing while snapping is off.
    pub fn follow(&mut self, document: &OpenDocument, tools: &Tools, jobs: &Jobs, plans: &Plans) {
        let catch = NoteCatch { scale: tools.settings().note_scale, beat: document.shown_beat().copied() };
        self.catch = tools.is_snapping().then_some(catch);
        self.line = document.pitch_line().filter(|_| tools.is_snapping()).cloned();
        if self.catch.is_none() {
            self.landmarks.clear();
            return;
        }
        let view = document.view();
        let requested = LandmarkQuery {
            snapshot: document.shown().clone(),
            transform: view.transform.clone(),
            channels: view.channels,
            secs: view.secs,
        };
        let plans = plans.clone();
        self.landmarks
            .ask_in_turn(&requested, jobs, "landmarks", move |requested, progress| requested.find(&plans, progress));
    }

    /// Targets of drawn notes; `None` while snapping is off.
    pub fn catch(&self) -> Option<NoteCatch> {
        self.catch
    }

    /// The pitch line that strokes snap to; none while it is hidden or snapping is off.
    pub fn line(&self) -> Option<&Arc<PitchLine>> {
        self.line.as_ref()
    }

    /// Whether landmarks are being computed.
    pub fn is_busy(&self) -> bool {
        self.landmarks.is_busy()
    }

    fn marks(&self) -> Option<&Landmarks> {
        self.landmarks.last().filter(|_| self.catch.is_some()).map(|(_, marks)| marks)
    }

    /// The onset or beat line near a position in a viewport, whichever is nearer.
    pub fn secs(&self, viewport: &Viewport, secs: f64) -> Option<f64> {
        let onset = self.marks().and_then(|marks| marks.secs(viewport, secs));
        let beat = self.catch.and_then(|catch| catch.beat);
        let line = beat.and_then(|grid| beat_near(&grid, viewport, secs, SNAP_POINTS));
        let off = |at: &f64| (at - secs).abs();
        onset.into_iter().chain(line).min_by(|a, b| off(a).total_cmp(&off(b)))
    }

    /// A position in points, snapped to an onset or a beat line, and to a peak, if any are near.
    pub fn place(&self, viewport: &Viewport, at: [f64; 2]) -> [f64; 2] {
        let secs = viewport.secs_from_x(at[0]);
        let y = self.marks().map_or(at[1], |marks| marks.place(viewport, at)[1]);
        [self.secs(viewport, secs).map_or(at[0], |secs| viewport.x_from_secs(secs)), y]
    }
}
