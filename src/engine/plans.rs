//! A cache of transform plans: FFTs, windows and weights.

use crate::base::{Result, lock};
use crate::dsp::{FftPlans, Stft, StftParams, Transform};
use std::sync::{Arc, Mutex, OnceLock};

/// Cached plans: enough for a view, its finer grid, a loupe and some edits. The largest take 2 MB each.
const MOST_PLANS: usize = 12;

/// Transforms remembered as valid.
const MOST_CHECKED: usize = 64;

/// The plans of an engine, made on first use; the least recently used are dropped beyond a dozen. Clones share the
/// cache.
#[derive(Debug, Clone, Default)]
pub struct Plans(Arc<PlanCache>);

#[derive(Debug, Default)]
struct PlanCache {
    kept: Mutex<Vec<(StftParams, PlanCell)>>,
    checked: Mutex<Vec<Transform>>,
    ffts: FftPlans,
}

/// Filled outside the lock, so that callers that need another plan do not wait.
type PlanCell = Arc<OnceLock<Arc<Stft>>>;

impl Plans {
    /// The plan of a [valid](Transform::validated) transform. Making one takes milliseconds, so never call this on a UI
    /// thread.
    pub fn get(&self, transform: impl Into<Transform>) -> Arc<Stft> {
        let Transform::Stft(params) = transform.into();
        let slot = self.slot(params);
        slot.get_or_init(|| Arc::new(Stft::with_ffts(params, &self.0.ffts))).clone()
    }

    fn slot(&self, params: StftParams) -> PlanCell {
        let mut kept = lock(&self.0.kept);
        let found = kept.iter().position(|(of, _)| *of == params);
        let entry = found.map_or_else(|| (params, PlanCell::default()), |at| kept.remove(at));
        let slot = entry.1.clone();
        kept.push(entry);
        let n_over = kept.len().saturating_sub(MOST_PLANS);
        kept.drain(..n_over);
        slot
    }

    /// Returns the transform if it is valid. The check computes a window, so its result is remembered.
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
        let n_over = (checked.len() + 1).saturating_sub(MOST_CHECKED);
        checked.drain(..n_over);
        checked.push(transform.clone());
        Ok(transform)
    }

    /// FFT plans for kernels.
    pub(super) fn ffts(&self) -> &FftPlans {
        &self.0.ffts
    }

    /// Makes everything that edits on a transform need, so that nothing is planned during a stroke.
    pub fn ready(&self, transform: &Transform) {
        self.0.ffts.ready();
        for transform in [transform.clone(), transform.for_moves()] {
            self.get(transform).ready();
        }
    }

    /// Number of plans, windows and weight tables made so far.
    pub fn n_made(&self) -> u64 {
        self.0.ffts.n_made()
    }
}
