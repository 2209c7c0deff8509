//! Spectra of the displayed sound, updated in jobs when pointer, sound, selection or transform change.

use crate::documents::OpenDocument;
use crate::dsp::NoiseProfile;
use crate::services::{JobQueue, Jobs, Latest};
use crate::view::{Extent, ExtentQuery, Plans, Slice, SliceQuery, spectrum_csv};
use std::sync::Arc;

/// Keeps the spectrum at a given time and the spectra over the selection up to date.
#[derive(Default)]
pub struct Spectrum {
    slice: Latest<SliceQuery, Arc<Slice>>,
    extent: Latest<ExtentQuery, Arc<Extent>>,
    copying: JobQueue<(), String>,
    /// Id of the document whose spectra these are.
    document: Option<u64>,
    plans: Plans,
}

impl Spectrum {
    /// Spectra without results, which use the transform plans of an engine.
    pub fn with(plans: &Plans) -> Spectrum {
        Spectrum { plans: plans.clone(), ..Spectrum::default() }
    }

    /// Whether a spectrum is being computed.
    pub fn is_busy(&self) -> bool {
        self.slice.is_busy() || self.extent.is_busy() || self.copying.is_busy()
    }

    /// The displayed spectrum of one frame: the last one computed, which may lag behind the requested frame.
    pub fn slice(&self) -> Option<&Arc<Slice>> {
        self.slice.last().map(|(_, slice)| slice)
    }

    /// Mean and maximum spectrum over the selection, once known.
    pub fn extent(&self) -> Option<&Arc<Extent>> {
        self.extent.last().map(|(_, extent)| extent)
    }

    /// Call once a frame: takes results, and requests the spectrum at `secs`, with the learnt noise, and that of the
    /// selection.
    pub fn follow(
        &mut self,
        document: Option<&OpenDocument>,
        noise: Option<&Arc<NoiseProfile>>,
        secs: f64,
        jobs: &Jobs,
    ) {
        // Spectra of another document are never shown.
        if document.is_none_or(|document| self.document != Some(document.id())) {
            self.slice.clear();
            self.extent.clear();
            self.document = document.map(OpenDocument::id);
        }
        let Some(document) = document else { return };
        self.follow_slice(document, noise, secs, jobs);
        self.follow_extent(document, jobs);
    }

    fn follow_slice(&mut self, document: &OpenDocument, noise: Option<&Arc<NoiseProfile>>, secs: f64, jobs: &Jobs) {
        let after = document.beneath().clone();
        let transform = document.view().transform.clone();
        let grid = crate::view::grid_of(&after, &transform);
        let frame = (grid.frame_from_secs(secs).round().max(0.0) as usize).min(grid.n_frames() - 1);
        let before = (document.history().position() > 0).then(|| document.history().original().clone());
        let of =
            SliceQuery { after, before, transform, channels: document.view().channels, frame, noise: noise.cloned() };
        let plans = self.plans.clone();
        self.slice.ask_in_turn(&of, jobs, "spectrum", move |of, _| of.find(&plans).map(Arc::new));
    }

    fn follow_extent(&mut self, document: &OpenDocument, jobs: &Jobs) {
        let Some(selection) = document.selection().cloned() else {
            self.extent.clear();
            return;
        };
        let of = ExtentQuery {
            selection,
            snapshot: document.shown().clone(),
            transform: document.view().transform.clone(),
            channels: document.view().channels,
        };
        let plans = self.plans.clone();
        self.extent.ask(&of, jobs, "spectra", move |of, progress| of.find(&plans, progress).map(Arc::new));
    }

    /// Formats the displayed spectrum as CSV, in a job since long transforms have many bins.
    pub fn copy(&mut self, jobs: &Jobs) {
        let Some(slice) = self.slice().cloned() else { return };
        let extent = self.extent().cloned();
        let job = jobs.spawn("copy", move |_| Ok(spectrum_csv(&slice, extent.as_deref())));
        self.copying.run_instead_unseen((), job);
    }

    /// Takes the CSV text to copy, once it is ready.
    pub fn take_copy(&mut self) -> Option<String> {
        self.copying.take_answer().and_then(|((), answer)| answer.ok())
    }
}
