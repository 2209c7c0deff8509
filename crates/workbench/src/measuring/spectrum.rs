//! Spectra of the sound shown, found in jobs, one at a time, whenever place, sound, selection or transform have changed.

use crate::base::Result;
use crate::documents::OpenDocument;
use crate::dsp::NoiseProfile;
use crate::services::{Job, Jobs};
use crate::view::{Extent, ExtentOf, Plans, Slice, SliceOf, spectrum_csv};
use std::sync::Arc;

/// Keeps the spectra up to date.
#[derive(Default)]
pub struct Spectrum {
    slice_job: Option<(SliceOf, Job<Slice>)>,
    slice: Option<(SliceOf, Arc<Slice>)>,
    /// What could not be read, and is not asked for again and again.
    unreadable: Option<SliceOf>,
    extent_job: Option<(ExtentOf, Job<Extent>)>,
    extent: Option<(ExtentOf, Result<Arc<Extent>>)>,
    copying: Option<Job<String>>,
    plans: Plans,
}

impl Spectrum {
    /// Nothing yet, with the plans of an engine.
    pub fn with(plans: &Plans) -> Spectrum {
        Spectrum { plans: plans.clone(), ..Spectrum::default() }
    }

    /// Whether a spectrum is being found.
    pub fn is_busy(&self) -> bool {
        self.slice_job.is_some() || self.extent_job.is_some() || self.copying.is_some()
    }

    /// The slice that is shown: of the place asked for, or of the one before until that is known.
    pub fn slice(&self) -> Option<&Arc<Slice>> {
        self.slice.as_ref().map(|(_, slice)| slice)
    }

    /// Mean and maximum over what is selected, once they are known.
    pub fn extent(&self) -> Option<&Arc<Extent>> {
        self.extent.as_ref().and_then(|(_, extent)| extent.as_ref().ok())
    }

    /// Once a frame: takes answers, and asks for what is not known at `secs`, beside the noise that was learnt.
    pub fn follow(
        &mut self,
        document: Option<&OpenDocument>,
        noise: Option<&Arc<NoiseProfile>>,
        secs: f64,
        jobs: &Jobs,
    ) {
        let Some(document) = document else {
            (self.slice_job, self.slice, self.unreadable) = (None, None, None);
            (self.extent_job, self.extent) = (None, None);
            return;
        };
        self.follow_slice(document, noise, secs, jobs);
        self.follow_extent(document, jobs);
    }

    fn follow_slice(&mut self, document: &OpenDocument, noise: Option<&Arc<NoiseProfile>>, secs: f64, jobs: &Jobs) {
        if let Some((of, job)) = &mut self.slice_job
            && let Some(answer) = job.poll()
        {
            match answer {
                Ok(slice) => self.slice = Some((of.clone(), Arc::new(slice))),
                Err(_) => self.unreadable = Some(of.clone()),
            }
            self.slice_job = None;
        }
        let after = document.beneath().clone();
        let transform = document.view().transform.clone();
        let grid = crate::view::grid_of(&after, &transform);
        let frame = (grid.frame_from_secs(secs).round().max(0.0) as usize).min(grid.n_frames() - 1);
        let before = (document.history().position() > 0).then(|| document.history().original().clone());
        let of = SliceOf { after, before, transform, channels: document.view().channels, frame, noise: noise.cloned() };
        let is_known = self
            .slice
            .as_ref()
            .map(|(known, _)| known)
            .into_iter()
            .chain(&self.unreadable)
            .any(|known| known.is_same(&of));
        if !is_known && self.slice_job.is_none() {
            let (plans, theirs) = (self.plans.clone(), of.clone());
            self.slice_job = Some((of, jobs.spawn("spectrum", move |_| theirs.find(&plans))));
        }
    }

    fn follow_extent(&mut self, document: &OpenDocument, jobs: &Jobs) {
        let Some(selection) = document.selection().cloned() else {
            (self.extent_job, self.extent) = (None, None);
            return;
        };
        let of = ExtentOf {
            selection,
            snapshot: document.shown().clone(),
            transform: document.view().transform.clone(),
            channels: document.view().channels,
        };
        if let Some((asked, job)) = &mut self.extent_job {
            if !asked.is_same(&of) {
                self.extent_job = None;
            } else if let Some(answer) = job.poll() {
                self.extent = Some((asked.clone(), answer.map(Arc::new)));
                self.extent_job = None;
            }
        }
        let is_known = self.extent.as_ref().is_some_and(|(known, _)| known.is_same(&of));
        if !is_known && self.extent_job.is_none() {
            let (plans, theirs) = (self.plans.clone(), of.clone());
            self.extent_job = Some((of, jobs.spawn("spectra", move |progress| theirs.find(&plans, progress))));
        }
    }

    /// Writes what is shown as comma-separated values, in a job: a long transform has many lines.
    pub fn copy(&mut self, jobs: &Jobs) {
        let Some(slice) = self.slice().cloned() else { return };
        let extent = self.extent().cloned();
        self.copying = Some(jobs.spawn("copy", move |_| Ok(spectrum_csv(&slice, extent.as_deref()))));
    }

    /// What is to be copied, once it is written.
    pub fn take_copy(&mut self) -> Option<String> {
        let answer = self.copying.as_mut()?.poll()?;
        self.copying = None;
        answer.ok()
    }
}
