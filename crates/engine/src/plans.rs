//! A cache of transform plans: FFTs, windows and weights.

use crate::base::{Result, lock};
use crate::dsp::transforms::rows::{RowBank, RowsParams};
use crate::dsp::{FftPlans, Grid, GridPlan, RowsPlan, Stft, StftParams, Transform, ViewPlan};
use std::sync::{Arc, Mutex, OnceLock};

/// Maximum number of cached plans: enough for a view, its finer grid, a loupe and some edits. The largest take 2 MB
/// each.
const MAX_PLANS: usize = 12;

/// Maximum number of cached row tables: for a view, a loupe, an edit and a comparison. Fine ones take some 50 MB each.
const MAX_BANKS: usize = 4;

/// Maximum number of transforms remembered as valid.
const MAX_VALIDATED_TRANSFORMS: usize = 64;

/// The plans of an engine, created on first use; the least recently used are dropped beyond a dozen. Clones share the
/// cache.
#[derive(Debug, Clone, Default)]
pub struct Plans(Arc<PlanCache>);

#[derive(Debug, Default)]
struct PlanCache {
    stfts: Slots<StftParams, Arc<Stft>>,
    /// By parameters and the bits of the sample rate.
    banks: Slots<(RowsParams, u64), Result<Arc<RowBank>>>,
    views: Slots<(RowsParams, u64), ViewPlan>,
    checked: Mutex<Vec<Transform>>,
    ffts: FftPlans,
}

/// A cache, the most recently used last. Slots are filled outside the lock, so that callers that need another plan do
/// not wait.
type Slots<K, T> = Mutex<Vec<(K, Slot<T>)>>;
type Slot<T> = Arc<OnceLock<T>>;

/// A grid with its plan.
#[derive(Debug, Clone)]
pub struct PlannedGrid {
    /// The grid.
    pub grid: Grid,
    /// Plan for computing its cells.
    pub plan: GridPlan,
}

impl Plans {
    /// The plan of a [valid](StftParams::validated) STFT. Creating one takes milliseconds, so never call this on a UI
    /// thread.
    pub fn get(&self, params: StftParams) -> Arc<Stft> {
        let slot = slot(&self.0.stfts, params, MAX_PLANS);
        slot.get_or_init(|| Arc::new(Stft::with_ffts(params, &self.0.ffts))).clone()
    }

    /// The tables of rows at a sample rate. Creating them takes from milliseconds to a tenth of a second.
    ///
    /// # Errors
    /// [`Script`](crate::base::ErrorKind::Script) if the parameters are invalid, or invalid at this rate.
    pub fn rows(&self, params: &RowsParams, sample_rate_hz: f64) -> Result<Arc<RowBank>> {
        let slot = slot(&self.0.banks, (params.clone(), sample_rate_hz.to_bits()), MAX_BANKS);
        let bank = slot.get_or_init(|| RowBank::with_ffts(params, sample_rate_hz, &self.0.ffts).map(Arc::new));
        bank.clone()
    }

    /// The plan for displaying a transform.
    ///
    /// # Errors
    /// [`Script`](crate::base::ErrorKind::Script) if the transform is invalid, or invalid at this rate.
    pub fn view(&self, transform: &Transform, sample_rate_hz: f64) -> Result<ViewPlan> {
        match transform {
            Transform::Stft(params) => Ok(self.get(*params).into()),
            Transform::Rows(params) => {
                let bank = self.rows(params, sample_rate_hz)?;
                let slot = slot(&self.0.views, (params.clone(), sample_rate_hz.to_bits()), MAX_BANKS);
                Ok(slot.get_or_init(|| ViewPlan::of_rows(bank)).clone())
            }
        }
    }

    /// The grids of a transform's cells over a signal: one for an STFT, one per group of rows.
    ///
    /// # Errors
    /// [`Script`](crate::base::ErrorKind::Script) if the transform is invalid, or invalid at this rate.
    pub fn grids(&self, transform: &Transform, sample_rate_hz: f64, n_samples: u64) -> Result<Vec<PlannedGrid>> {
        match self.validated(transform)? {
            Transform::Stft(params) => {
                let grid = Grid::new(params, sample_rate_hz, n_samples);
                Ok(vec![PlannedGrid { grid, plan: self.get(params).into() }])
            }
            Transform::Rows(params) => {
                let bank = self.rows(&params, sample_rate_hz)?;
                let on_grid = |plan: RowsPlan| PlannedGrid::of_rows(plan, n_samples);
                Ok(RowsPlan::of_groups(&bank).into_iter().map(on_grid).collect())
            }
        }
    }

    /// Returns the transform if it is valid. The check computes a window, so its result is cached.
    ///
    /// # Errors
    /// As [`Transform::validated`].
    pub fn validated(&self, transform: impl Into<Transform>) -> Result<Transform> {
        let transform = transform.into();
        if lock(&self.0.checked).contains(&transform) {
            return Ok(transform);
        }
        self.0.ffts.note_made();
        let transform = transform.validated()?;
        let mut checked = lock(&self.0.checked);
        let n_over = (checked.len() + 1).saturating_sub(MAX_VALIDATED_TRANSFORMS);
        checked.drain(..n_over);
        checked.push(transform.clone());
        Ok(transform)
    }

    /// FFT plans for kernels and for edits of samples.
    pub fn ffts(&self) -> &FftPlans {
        &self.0.ffts
    }

    /// Creates everything that edits on a transform need, so that no plan is created during a stroke.
    pub fn ready(&self, transform: &Transform) {
        self.0.ffts.ready();
        for params in [transform, &transform.for_moves()].into_iter().filter_map(Transform::as_stft) {
            self.get(*params).ready();
        }
    }

    /// Number of plans, windows and weight tables created so far.
    pub fn n_made(&self) -> u64 {
        self.0.ffts.n_made()
    }
}

impl PlannedGrid {
    /// The grid of a group of rows.
    pub fn of_rows(plan: RowsPlan, n_samples: u64) -> PlannedGrid {
        PlannedGrid { grid: Grid::of_group(&plan.bank, plan.group(), n_samples), plan: GridPlan::Rows(plan) }
    }
}

/// The slot of a key, which becomes the most recently used; the least recently used beyond `max` are dropped.
fn slot<K: PartialEq, T>(slots: &Slots<K, T>, key: K, max: usize) -> Slot<T> {
    let mut kept = lock(slots);
    let found = kept.iter().position(|(of, _)| *of == key);
    let entry = found.map_or_else(|| (key, Arc::default()), |at| kept.remove(at));
    let slot = entry.1.clone();
    kept.push(entry);
    let n_over = kept.len().saturating_sub(max);
    kept.drain(..n_over);
    slot
}
