//! Playback of an added sound while it is rendered.

use crate::base::{Progress, Result};
use crate::document::sound::added::{PartialResult, mix};
use crate::document::{Edit, Signal, Snapshot};
use crate::engine::Engine;

/// [`apply_live`](super::apply_live) for a brush that adds a sound: rendered on the CPU, which delivers the first
/// samples sooner, and passed to `so_far` block by block. `None` for all others, and if confined by a selection.
///
/// # Errors
/// As [`apply`](super::apply()).
pub fn apply_heard(
    snapshot: &Snapshot,
    edit: &Edit,
    engine: &Engine,
    progress: &Progress,
    so_far: Option<&mut PartialResult<'_>>,
) -> Result<Option<Snapshot>> {
    if edit.select.is_some() {
        return Ok(None);
    }
    let Some(sound) = edit.brush.added(edit.stroke.as_ref(), snapshot.sample_rate_hz())? else { return Ok(None) };
    let signals = Signal::of(&edit.channels, snapshot.n_channels())?;
    let mixed = mix(snapshot, &*sound, added_strength(edit), &signals, (&engine.on_cpu(), progress), so_far)?;
    Ok(Some(mixed.snapshot))
}

/// The gain of an added sound: the edit's strength, or 1 with a stroke, whose own strength the brush applies.
pub(super) fn added_strength(edit: &Edit) -> f32 {
    if edit.stroke.is_none() { edit.strength as f32 } else { 1.0 }
}
