//! The job that computes a preview.

use crate::base::{Progress, Result, trace};
use crate::document::brushes::{Brush, Locality};
use crate::document::{Applied, Edit, Snapshot, apply, apply_live};
use crate::dsp::{Axis, Combine, Selection, Shape};
use crate::engine::Engine;
use crate::playback::{Sound, Ticket};

/// Number of samples compared at a time.
const CHUNK: usize = 1 << 16;

/// If the affected range is longer, the part near the playback position is computed first.
const LONG_SECS: f64 = 10.0;
/// Seconds before and after the playback position that are computed first.
const NEAR_SECS: [f64; 2] = [1.0, 6.0];

/// Hands a result to the player straight from the job, without waiting for the next frame of the UI.
pub struct PlayerHandover {
    /// Valid until another sound is requested.
    pub ticket: Ticket,
    /// Channel to play alone; `None`: all.
    pub solo: Option<usize>,
    /// Sound to subtract, if the difference is played.
    pub less: Option<Snapshot>,
    /// Time at which the computation was started, in nanoseconds of the trace's clock.
    pub requested_nanos: u64,
}

impl PlayerHandover {
    /// Hands a sound to the player. The trace records the latency of the first and of the exact sound separately.
    fn set_sound(self, snapshot: &Snapshot, is_first: bool) {
        self.ticket.set_sound(&Sound { snapshot: snapshot.clone(), less: self.less, solo: self.solo });
        trace::record_since(if is_first { "preview.heard" } else { "preview.exact" }, self.requested_nanos);
    }
}

/// Returns the job's closure. It computes a fast version of an edit of `base`, or the exact one if the fast version is
/// given as `heard`. If both have the same bits it returns the snapshot `heard`, so that nothing is redrawn or
/// reloaded.
pub fn computed(
    base: Snapshot,
    edit: Edit,
    heard: Option<Snapshot>,
    handed: Option<PlayerHandover>,
    engine: Engine,
) -> impl FnOnce(&Progress) -> Result<Applied> + Send + 'static {
    move |progress| {
        let is_first = heard.is_none();
        let applied = match heard {
            None => apply_live(&base, &edit, &engine, progress)?,
            Some(heard) => {
                let applied = apply(&base, &edit, &engine, progress)?;
                match has_same_bits(&applied.snapshot, &heard, progress)? {
                    true => Applied { snapshot: heard, ..applied },
                    false => applied,
                }
            }
        };
        progress.check()?;
        if let Some(handed) = handed {
            handed.set_sound(&applied.snapshot, is_first);
        }
        Ok(applied)
    }
}

/// The edit limited to the surroundings of the playback position `at_secs`, to be computed first. `None` if the
/// affected range is short, or the brush needs the whole of it: then the edit is computed at once.
pub fn near(edit: &Edit, base: &Snapshot, at_secs: f64) -> Option<Edit> {
    let is_local = edit.brush.locality() != Locality::Whole
        || matches!(edit.brush, Brush::Denoise(_) | Brush::Declip(_) | Brush::Isolate(_));
    let all = [0.0, base.n_samples() as f64 / base.sample_rate_hz()];
    let [start, end] = edit.select.as_ref().and_then(|select| select.extent()[0]).unwrap_or(all);
    if !is_local || end.min(all[1]) - start.max(0.0) <= LONG_SECS {
        return None;
    }
    let secs = Some([at_secs - NEAR_SECS[0], at_secs + NEAR_SECS[1]]);
    let shape = Shape::Rectangle { secs, hz: None, feather: [0.0; 2], axis: Axis::Linear };
    let select = Selection::joined(edit.select.as_ref(), Combine::Intersect, shape);
    Some(Edit { select, ..edit.clone() })
}

/// Whether two snapshots of the same sound have bit-identical samples.
fn has_same_bits(one: &Snapshot, other: &Snapshot, progress: &Progress) -> Result<bool> {
    let (mut a, mut b) = (vec![0.0; CHUNK], vec![0.0; CHUNK]);
    for channel in 0..one.n_channels() {
        for range in one.differing(other, channel) {
            let mut start = range.start;
            while start < range.end {
                progress.check()?;
                let n = CHUNK.min((range.end - start) as usize);
                one.read(channel, start as i64, &mut a[..n])?;
                other.read(channel, start as i64, &mut b[..n])?;
                if a[..n].iter().zip(&b[..n]).any(|(a, b)| a.to_bits() != b.to_bits()) {
                    return Ok(false);
                }
                start += n as u64;
            }
        }
    }
    Ok(true)
}
