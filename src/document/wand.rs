//! Resolves the parts of an edit that depend on the sound: shapes into masks, ranges of noise into profiles.

use super::learn::EditSound;
use super::{Channels, Edit, Signal, Snapshot};
use crate::base::{Progress, Result};
use crate::dsp::{Cells, Grid, Selection, Shape, Stft, StftParams, Transform, wand};
use crate::engine::Plans;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The edit with every shape that depends on the sound resolved on `snapshot`, with the edit's own transform and
/// channels (the loudest channel counts), and with its noise learnt.
///
/// # Errors
/// Those of the wand and of [`learn_noise`](super::learn_noise), and [`Script`](crate::base::ErrorKind::Script) for a transform or channels that the sound lacks.
pub fn resolved<'a>(snapshot: &Snapshot, edit: &'a Edit, plans: &Plans, progress: &Progress) -> Result<Cow<'a, Edit>> {
    let mut found = Cow::Borrowed(edit);
    if let Some(select) = edit.select.as_ref().filter(|select| select.needs_sound()) {
        let select = resolve(snapshot, select, &edit.transform, &edit.channels, plans, &progress.quiet())?;
        found.to_mut().select = Some(select);
    }
    let (channels, transform, progress) = (&edit.channels, &edit.transform, &progress.quiet());
    if let Some(brush) = edit.brush.resolved(&EditSound { snapshot, channels, transform, plans, progress })? {
        found.to_mut().brush = brush;
    }
    Ok(found)
}

/// The selection with every shape that depends on the sound resolved.
///
/// # Errors
/// Those of the wand, and [`Script`](crate::base::ErrorKind::Script) for a transform or channels that the sound lacks.
pub fn resolve(
    snapshot: &Snapshot,
    selection: &Selection,
    transform: impl Into<Transform>,
    channels: &Channels,
    plans: &Plans,
    progress: &Progress,
) -> Result<Selection> {
    // What is found on rows is found on the STFT that a view begins with: shapes are of seconds and hertz.
    let params = match plans.validated(transform)? {
        Transform::Stft(params) => params,
        Transform::Rows(_) => StftParams::for_rate(snapshot.sample_rate_hz()),
    };
    let signals = Signal::of(channels, snapshot.n_channels())?;
    let grid = snapshot.grid(params);
    let sound = ResolvingSound { snapshot, signals, grid, stft: plans.get(params), plans };
    sound.resolve(selection, progress)
}

pub(super) struct ResolvingSound<'a> {
    pub snapshot: &'a Snapshot,
    pub signals: Vec<Signal>,
    pub grid: Grid,
    stft: Arc<Stft>,
    pub plans: &'a Plans,
}

impl ResolvingSound<'_> {
    fn resolve(&self, selection: &Selection, progress: &Progress) -> Result<Selection> {
        let mut resolved = selection.clone();
        for (_, shape) in &mut resolved.shapes {
            match shape {
                Shape::Wand { at, tolerance_db } => {
                    let magnitudes = |frames| self.magnitudes(frames);
                    let mask = wand::connected(&self.grid, *at, *tolerance_db, magnitudes, progress)?;
                    if let Some(cells) = Cells::from_mask(&self.grid, &mask) {
                        *shape = Shape::Cells(cells);
                    }
                }
                Shape::Find(find) => *shape = self.find(find, progress)?,
                Shape::Group(group) => *group = self.resolve(group, progress)?,
                _ => {}
            }
        }
        Ok(resolved)
    }

    /// All bins of a run of frames, of the loudest signal in each cell.
    pub fn magnitudes(&self, frames: Range<usize>) -> Result<Vec<f32>> {
        let (rect, first) = (self.grid.all_bins(frames.clone()), self.grid.first_sample_under(frames.start));
        let mut samples = vec![0.0; self.grid.n_samples_under(frames.len())];
        let mut loudest = vec![0.0f32; rect.n_cells()];
        for signal in &self.signals {
            signal.read(self.snapshot, first, &mut samples)?;
            let region = self.stft.analyse(&samples, &rect);
            loudest.iter_mut().zip(&region.magnitude).for_each(|(loudest, &m)| *loudest = loudest.max(m));
        }
        Ok(loudest)
    }
}
