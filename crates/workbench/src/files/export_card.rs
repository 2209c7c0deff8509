//! The state of the export card: presets, expected clipping, and the planned files of an export by label.

use super::options::PartsOptions;
use super::parts_planner::{PartsPlanner, PartsShown};
use super::questions::{ExportOptions, PresetAnswer};
use crate::base::Result;
use crate::bench::context::Context;
use crate::bench::notices::Severity;
use crate::document::{Delivery, ExportPresets, Snapshot, forecast, preset_folder};
use crate::documents::OpenDocument;
use crate::media::{Clipping, Container};
use crate::services::{JobQuestion, JobQueue, Latest};
use std::ops::Range;
use std::path::PathBuf;

/// The sound and export settings of a clipping forecast.
#[derive(Clone)]
struct ForecastQuery {
    snapshot: Snapshot,
    samples: Range<u64>,
    path: PathBuf,
    delivery: Delivery,
}

impl JobQuestion for ForecastQuery {
    fn is_same(&self, other: &ForecastQuery) -> bool {
        self.snapshot.is_same(&other.snapshot)
            && self.samples == other.samples
            && Container::of(&self.path) == Container::of(&other.path)
            && self.delivery == other.delivery
    }
}

/// The export on the open card.
#[derive(Debug, Clone)]
pub enum ExportQuery<'a> {
    /// An export of one file, with its typed path.
    File(&'a ExportOptions, &'a str),
    /// An export by label, with the typed folder.
    Parts(&'a PartsOptions, PathBuf),
}

/// Computes what the export card shows.
#[derive(Default)]
pub struct ExportCardState {
    /// Whether an export card is open.
    is_requested: bool,
    presets: Latest<u64, ExportPresets>,
    /// Incremented whenever the presets may have changed, so that they are read again.
    n_changes: u64,
    /// Changes of presets in progress, each with its success message. They run in parallel.
    changing: JobQueue<String, ()>,
    /// The last request, while the card is open.
    wanted: Option<ForecastQuery>,
    forecasts: Latest<ForecastQuery, Result<Clipping>>,
    parts: PartsPlanner,
}

/// Clipping that an export would cause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ClippingShown<'a> {
    /// Being computed.
    Pending,
    /// The expected clipping.
    Known(Clipping),
    /// The reason why the sound cannot be written with these settings.
    Refused(&'a str),
}

/// The information that the export card shows about its sound.
#[derive(Clone, Copy)]
pub struct ExportShown<'a> {
    /// The presets, once they are read.
    pub presets: Option<&'a ExportPresets>,
    /// Expected clipping.
    pub clipping: ClippingShown<'a>,
    /// Sample rate in hertz.
    pub rate_hz: u32,
    /// Number of channels.
    pub n_channels: usize,
    /// Channel mask of the file, if it has one: the speakers of its channels.
    pub channel_mask: Option<u32>,
    /// Playback speed.
    pub speed: f64,
    /// Length in seconds.
    pub secs: f64,
    /// Format of the source file, or WAV if that is lossy or cannot be written.
    pub own_container: Container,
    /// The files of an export by label.
    pub parts: PartsShown<'a>,
}

impl ExportCardState {
    /// Called once per frame with the export on the open card; `None` while no such card is open.
    pub fn follow(&mut self, requested: Option<ExportQuery<'_>>, context: &mut Context) {
        self.take_changes(context);
        match (requested.is_some(), std::mem::replace(&mut self.is_requested, requested.is_some())) {
            (true, _) => {
                let (folder, n_changes) = (preset_folder(&context.folders), self.n_changes);
                self.presets.ask(&n_changes, &context.jobs, "presets", move |_, _| Ok(ExportPresets::read(&folder)));
            }
            // Another process may change the presets before the card is opened again.
            (false, true) => self.n_changes += 1,
            (false, false) => {}
        }
        let (file, parts) = match &requested {
            Some(ExportQuery::File(options, text)) => (Some((*options, *text)), None),
            Some(ExportQuery::Parts(options, folder)) => (None, Some((*options, folder.as_path()))),
            None => (None, None),
        };
        self.parts.follow(parts, context);
        self.follow_clipping(file, context);
    }

    /// Starts a clipping forecast when the sound or the settings of a one-file export change.
    fn follow_clipping(&mut self, requested: Option<(&ExportOptions, &str)>, context: &Context) {
        let requested = requested.and_then(|(options, text)| {
            let document = options.document.or(context.documents.active_id())?;
            Some((options, text, context.documents.get(document)?))
        });
        let Some((options, text, document)) = requested else {
            if self.wanted.take().is_some() {
                self.forecasts.clear();
            }
            return;
        };
        let snapshot = document.history().current().clone();
        let secs = document.selected_secs().filter(|_| options.is_selection);
        let samples = samples_of(&snapshot, secs);
        let delivery = Delivery { name: None, ..(*options.delivery).clone() };
        let question = ForecastQuery { snapshot, samples, path: PathBuf::from(text.trim()), delivery };
        if !document.edits().is_busy() && !document.is_reading() {
            self.forecasts.ask(&question, &context.jobs, "clipping", |requested, progress| {
                let ForecastQuery { snapshot, samples, path, delivery } = requested;
                match forecast(snapshot, samples.clone(), path, delivery, progress) {
                    Err(error) if progress.is_cancelled() => Err(error),
                    answer => Ok(answer),
                }
            });
        }
        self.wanted = Some(question);
    }

    /// Saves or removes a preset, in a job.
    pub fn answer(&mut self, answer: PresetAnswer, context: &Context) {
        let folder = preset_folder(&context.folders);
        let (said, job) = match answer {
            PresetAnswer::Keep(name, delivery) => (
                format!("Saved the preset {}.", name.trim()),
                context.jobs.spawn("keep a preset", move |_| folder.keep(&name, &delivery)),
            ),
            PresetAnswer::Remove(name) => (
                format!("Removed the preset {name}."),
                context.jobs.spawn("remove a preset", move |_| folder.remove(&name)),
            ),
        };
        self.changing.run(said, job, context.now_secs());
    }

    fn take_changes(&mut self, context: &mut Context) {
        while let Some((said, answer)) = self.changing.take_answer() {
            self.n_changes += 1;
            match answer {
                Ok(()) => {
                    context.notices.succeed("change the presets");
                    context.notify(Severity::Info, said, None);
                }
                Err(error) => context.fail("change the presets", &error),
            }
        }
    }

    /// The information to show about `document`; `speed` is the current playback speed.
    pub fn shown(&self, document: Option<&OpenDocument>, speed: f64) -> ExportShown<'_> {
        let info = document.map(|document| document.history().original().source().info());
        ExportShown {
            // The previous presets until they have been read again.
            presets: self.presets.last().map(|(_, presets)| presets),
            clipping: self.clipping(),
            rate_hz: info.map_or(0, |info| info.sample_rate_hz),
            n_channels: info.map_or(1, |info| info.n_channels),
            channel_mask: info.and_then(|info| info.channel_mask),
            speed,
            secs: document.map_or(0.0, OpenDocument::duration_secs),
            own_container: document.and_then(OpenDocument::path).map_or(Container::Wav, Container::lossless_like),
            parts: self.parts.shown(),
        }
    }

    /// Clipping that the export on the card would cause.
    fn clipping(&self) -> ClippingShown<'_> {
        match self.wanted.as_ref().and_then(|wanted| self.forecasts.answer_to(wanted)) {
            Some(Ok(clipping)) => ClippingShown::Known(*clipping),
            Some(Err(error)) => ClippingShown::Refused(error.message()),
            None => ClippingShown::Pending,
        }
    }

    /// Whether any job is running.
    pub fn is_busy(&self) -> bool {
        self.presets.is_busy() || self.forecasts.is_busy() || self.parts.is_busy() || self.changing.is_busy()
    }
}

/// The samples in a range of seconds; all samples without a range.
pub fn samples_of(snapshot: &Snapshot, secs: Option<[f64; 2]>) -> Range<u64> {
    let sample = |secs: f64| (secs * snapshot.sample_rate_hz()).round().max(0.0) as u64;
    secs.map_or(0..snapshot.n_samples(), |[start, end]| sample(start)..sample(end))
}
