//! Donors: library sounds that resemble the surroundings of a hole. The best-fitting passage of a donor replaces the
//! selection, or becomes the source of the clone brush. The edit stores its samples, like a paste.

use super::sound_loader::open;
use crate::base::{Progress, Result};
use crate::bench::context::Context;
use crate::bench::orders::JobTarget;
use crate::document::{Edit, erasing};
use crate::documents::Donor;
use crate::dsp::strokes::brush::Paste;
use crate::dsp::{Axis, Clip, Transform};
use crate::engine::Engine;
use crate::library::store::LibraryPlace;
use crate::services::JobQueue;
use crate::settings::tools::Tool;
use crate::view::HoledSound;

/// Margin of the donor beyond the hole on each side, so that frames at its edges are complete.
const MARGIN_SECS: f64 = 0.4;
/// Margin of the donor beyond the hole for the clone brush, which may paint outside it.
const CLONE_MARGIN_SECS: f64 = 3.0;

/// The hole to fill, and parameters of the fill.
#[derive(Debug, Clone)]
struct FillOrder {
    target: JobTarget,
    around: HoledSound,
    transform: Transform,
    /// Whether the donor is for the clone brush, rather than to fill the hole.
    is_for_brush: bool,
}

/// Fits donors to holes, in jobs.
#[derive(Default)]
pub struct Donors {
    fitting: JobQueue<FillOrder, Donor>,
}

impl Donors {
    /// Whether a donor is being fitted.
    pub fn is_busy(&self) -> bool {
        self.fitting.is_busy()
    }

    /// Cancels fitting, leaving the hole as it is. False if nothing is running.
    pub fn cancel(&mut self) -> bool {
        self.fitting.clear()
    }

    /// Fills the selection of the document in front from a library sound. With `is_for_brush`, the sound becomes the
    /// source of the clone brush instead, fitted to the selection or the last stroke.
    pub fn fit(&mut self, id: i64, is_for_brush: bool, place: &LibraryPlace, context: &Context) {
        let Some(document) = context.documents.active().filter(|document| !document.is_reading()) else { return };
        let Some(hole) = document.hole().filter(|hole| is_for_brush || !hole.is_stroke) else { return };
        let view = document.view();
        let around =
            HoledSound { snapshot: document.history().current().clone(), hole, channels: view.channels.edited() };
        let target = JobTarget::of("Filling", document);
        let target = if is_for_brush { target } else { target.with_sound(document).with_selection(document) };
        let order = FillOrder { target, around, transform: view.transform.clone(), is_for_brush };
        let (place, theirs, engine) = (place.clone(), order.clone(), context.engine.clone());
        let job = context.jobs.spawn("library donor", move |progress| fitted(id, &theirs, &place, &engine, progress));
        self.fitting.run_instead(order, job, context.now_secs());
    }

    /// Call once a frame: applies a donor that has been fitted.
    pub fn advance(&mut self, context: &mut Context) {
        let Some((order, answer)) = self.fitting.take_answer() else { return };
        let operation = if order.is_for_brush { "clone from the sound" } else { "fill the selection" };
        let donor = match answer {
            Ok(donor) => donor,
            Err(error) => return context.fail(operation, &error),
        };
        context.notices.succeed(operation);
        match order.target.find(&mut context.documents) {
            Ok(document) if order.is_for_brush => {
                document.set_donor(Some(donor));
                context.tools.pick(Tool::CLONE);
            }
            Ok(document) => document.edit(order.filled(donor.clip)),
            Err(report) => context.report(Some(report)),
        }
    }
}

impl FillOrder {
    /// The edit that fills the hole with a clip.
    fn filled(&self, clip: Clip) -> Edit {
        let HoledSound { hole, channels, .. } = &self.around;
        Edit {
            brush: Paste { clip, offset: [0.0; 2], axis: Axis::Linear, replaces: true, stretch: None }.into(),
            ..erasing(hole.area.clone(), channels.clone(), self.transform.clone())
        }
    }
}

fn fitted(id: i64, order: &FillOrder, place: &LibraryPlace, engine: &Engine, progress: &Progress) -> Result<Donor> {
    let (row, source) = open(id, place, progress)?;
    let beyond_secs = if order.is_for_brush { CLONE_MARGIN_SECS } else { MARGIN_SECS };
    let clip = order.around.fitted(&source, beyond_secs, engine, progress).map_err(|error| match error.path() {
        None => error.at(&row.path),
        Some(_) => error,
    })?;
    Ok(Donor { name: row.name(), clip })
}
