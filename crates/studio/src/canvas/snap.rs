//! Snapping: the landmarks of what is in view, known before the pointer asks.

use crate::view::{Landmarks, LandmarksOf, Plans, Viewport};
use crate::workbench::{Jobs, Latest, OpenDocument};

/// Keeps the landmarks of what is in view.
#[derive(Default)]
pub struct Snapper {
    is_on: bool,
    landmarks: Latest<LandmarksOf, Landmarks>,
}

impl Snapper {
    /// Once a frame; while it is off nothing is computed.
    pub fn follow(&mut self, document: &OpenDocument, is_on: bool, jobs: &Jobs, plans: &Plans) {
        self.is_on = is_on;
        if !is_on {
            self.landmarks.clear();
            return;
        }
        let view = document.view();
        let asked = LandmarksOf {
            snapshot: document.shown().clone(),
            transform: view.transform.clone(),
            channels: view.channels,
            secs: view.secs,
        };
        let plans = plans.clone();
        self.landmarks.ask_in_turn(&asked, jobs, "landmarks", move |asked, progress| asked.find(&plans, progress));
    }

    /// Whether it snaps.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether landmarks are being found.
    pub fn is_busy(&self) -> bool {
        self.landmarks.is_busy()
    }

    fn marks(&self) -> Option<&Landmarks> {
        self.landmarks.last().filter(|_| self.is_on).map(|(_, marks)| marks)
    }

    /// The onset near a place of a viewport.
    pub fn secs(&self, viewport: &Viewport, secs: f64) -> Option<f64> {
        self.marks()?.secs(viewport, secs)
    }

    /// A place in points, moved to an onset and to a peak where there are any near.
    pub fn place(&self, viewport: &Viewport, at: [f64; 2]) -> [f64; 2] {
        self.marks().map_or(at, |marks| marks.place(viewport, at))
    }
}
