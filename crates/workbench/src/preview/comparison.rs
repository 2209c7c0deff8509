//! Comparison of the modes of heal: each is computed on the selection, with a picture of its result.

use crate::base::{Error, Progress, Result};
use crate::document::{Applied, Edit, Snapshot, apply};
use crate::documents::View;
use crate::engine::Engine;
use crate::services::{JobQueue, Jobs};
use crate::settings::tools::HealMode;
use crate::view::{CellStyle, Picture, PictureSpec, Plane, picture};
use std::sync::Arc;
use std::time::Instant;

/// Width and height of the pictures in pixels.
const SIZE: [usize; 2] = [144, 72];
/// Margin of the pictures around the selection, as fractions of its length and of its bandwidth in axis units.
const MARGIN: [f64; 2] = [0.5, 0.25];
/// Minimum margin before and after the selection, in seconds.
const MIN_MARGIN_SECS: f64 = 0.05;

/// A mode of heal, and its result on the selection.
#[derive(Debug, Clone)]
pub struct ComparedMode {
    /// The mode.
    pub mode: HealMode,
    /// Computing time, in seconds.
    pub secs: f64,
    /// The result, or the error that prevented it.
    pub outcome: Result<ComparedResult>,
    edit: Edit,
}

/// The result of a mode.
#[derive(Debug, Clone)]
pub struct ComparedResult {
    /// Picture of the result, with its surroundings.
    pub picture: Arc<Picture>,
    /// Consistency as in [`EditReport`](crate::document::EditReport).
    pub consistency_db: Option<f64>,
    applied: Applied,
}

/// The modes computed so far.
#[derive(Default)]
pub struct Comparison {
    before: Option<Arc<Picture>>,
    modes: Vec<ComparedMode>,
    running: JobQueue<(HealMode, Edit), ComparisonResult>,
}

/// Result of a job: a mode, and the picture before healing if there was none yet.
type ComparisonResult = (ComparedMode, Option<Arc<Picture>>);

impl Comparison {
    /// The result of a mode; `None` until it is computed.
    pub fn of(&self, mode: HealMode) -> Option<&ComparedMode> {
        self.modes.iter().find(|compared| compared.mode == mode)
    }

    /// Picture of the selection before healing, once computed.
    pub fn before(&self) -> Option<&Arc<Picture>> {
        self.before.as_ref()
    }

    /// Whether a mode is being computed.
    pub fn is_busy(&self) -> bool {
        self.running.is_busy()
    }

    /// The result of applying `edit`, if a mode with this edit was computed.
    pub(super) fn applied(&self, edit: &Edit) -> Option<&Applied> {
        let compared = self.modes.iter().find(|compared| compared.edit == *edit)?;
        compared.outcome.as_ref().ok().map(|result| &result.applied)
    }

    /// Takes a result, and computes the next missing mode. `wanted` has the edit of each mode for the current settings;
    /// results of other edits are dropped.
    pub(super) fn advance(
        &mut self,
        wanted: Vec<(HealMode, Edit)>,
        base: &Snapshot,
        view: &View,
        (jobs, engine): (&Jobs, &Engine),
    ) {
        if let Some(((mode, edit), answer)) = self.running.take_answer() {
            let failed = |error: Error| ComparedMode { mode, secs: 0.0, outcome: Err(error), edit };
            let (compared, before) = answer.unwrap_or_else(|error| (failed(error), None));
            self.before = before.or(self.before.take());
            self.modes.retain(|known| known.mode != mode);
            self.modes.push(compared);
        }
        let is_requested = |mode: HealMode, edit: &Edit| wanted.iter().any(|(own, one)| (*own, one) == (mode, edit));
        let is_other_place =
            self.modes.iter().any(|known| !wanted.iter().any(|(_, edit)| edit.select == known.edit.select));
        if is_other_place {
            (self.modes, self.before) = (Vec::new(), None);
        }
        self.modes.retain(|known| is_requested(known.mode, &known.edit));
        self.running.drop_running(|(mode, edit)| !is_requested(*mode, edit));
        let missing = wanted.into_iter().find(|(mode, _)| self.of(*mode).is_none());
        if let Some((mode, edit)) = missing.filter(|_| !self.running.is_busy()) {
            let (theirs, base, engine) = (edit.clone(), base.clone(), engine.clone());
            let (spec, has_before) = (spec_of(&edit, &base, view), self.before.is_some());
            let work = move |progress: &Progress| {
                let before = match has_before {
                    true => None,
                    false => Some(Arc::new(picture(&base, &spec, &progress.quiet())?)),
                };
                Ok((compared(mode, theirs, &base, &spec, &engine, progress), before))
            };
            self.running.run_unseen((mode, edit), jobs.spawn("compare", work));
        }
    }
}

fn compared(
    mode: HealMode,
    edit: Edit,
    base: &Snapshot,
    spec: &PictureSpec,
    engine: &Engine,
    progress: &Progress,
) -> ComparedMode {
    let began = Instant::now();
    let applied = apply(base, &edit, engine, progress);
    let secs = began.elapsed().as_secs_f64();
    let outcome = applied.and_then(|applied| {
        let picture = Arc::new(picture(&applied.snapshot, spec, &progress.quiet())?);
        Ok(ComparedResult { picture, consistency_db: applied.report.consistency_db, applied })
    });
    ComparedMode { mode, secs, outcome, edit }
}

/// Picture parameters for the selection with its margin, in the style of the current view.
fn spec_of(edit: &Edit, base: &Snapshot, view: &View) -> PictureSpec {
    let [secs, hz] = edit.select.as_ref().map_or([None, None], |select| select.extent());
    let duration_secs = base.n_samples() as f64 / base.sample_rate_hz();
    let [start, end] = secs.unwrap_or([0.0, duration_secs]);
    let around_secs = (MARGIN[0] * (end - start)).max(MIN_MARGIN_SECS);
    let nyquist_hz = base.sample_rate_hz() / 2.0;
    let min_hz = view.hz[0].max(1.0).min(nyquist_hz / 2.0);
    let [low, high] = hz.unwrap_or([min_hz, nyquist_hz]);
    let [low, high] = [low.max(min_hz), high.min(nyquist_hz)].map(|hz| view.axis.units_from_hz(hz));
    let around = MARGIN[1] * (high - low).max(0.0);
    let hz_at = |units: f64| view.axis.hz_from_units(units).clamp(1.0, nyquist_hz);
    PictureSpec {
        secs: [(start - around_secs).max(0.0), (end + around_secs).min(duration_secs)],
        hz: [hz_at(low - around), hz_at(high + around).max(hz_at(low - around) + 1.0)],
        axis: view.axis,
        transform: view.transform.clone(),
        channels: view.channels,
        plane: Plane::Magnitude,
        colormap: view.colormap,
        range_db: view.range_db,
        raw_phase: false,
        cells: CellStyle::Bare,
        size: SIZE,
    }
}
