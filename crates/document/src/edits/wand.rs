//! Resolves the parts of an edit that depend on the sound: shapes into masks, noise ranges into profiles.

use crate::base::{Progress, Result};
use crate::dsp::selections::wand;
use crate::dsp::transforms::rows::RowBank;
use crate::dsp::{Cells, Grid, RowsPlan, Selection, Shape, StftParams, Transform};
use crate::engine::{PlannedGrid, Plans};
use crate::noise::learn::EditSound;
use crate::{Channels, Edit, Signal, Snapshot};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The edit with every shape that depends on the sound resolved on `snapshot`, with the edit's own transform and
/// channels (the loudest channel counts), and with its noise learnt.
///
/// # Errors
/// Errors of the wand and of [`learn_noise`](crate::learn_noise), and [`Script`](crate::base::ErrorKind::Script) for a
/// transform or channels that the sound lacks.
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
/// Errors of the wand, and [`Script`](crate::base::ErrorKind::Script) for a transform or channels that the sound lacks.
pub fn resolve(
    snapshot: &Snapshot,
    selection: &Selection,
    transform: impl Into<Transform>,
    channels: &Channels,
    plans: &Plans,
    progress: &Progress,
) -> Result<Selection> {
    let (transform, rate_hz) = (plans.validated(transform)?, snapshot.sample_rate_hz());
    // For an edit on rows, finders use the default STFT: the shapes that they find are in seconds and hertz.
    let (params, rows) = match &transform {
        Transform::Stft(params) => (*params, None),
        Transform::Rows(params) => (StftParams::for_rate(rate_hz), Some(plans.rows(params, rate_hz)?)),
    };
    let signals = Signal::of(channels, snapshot.n_channels())?;
    let plan = plans.get(params);
    let sine = plan.amplitude_scale().sine;
    let stft = PlannedGrid { grid: snapshot.grid(params), plan: plan.into() };
    let sound = ResolvingSound { snapshot, signals, grid: stft.grid.clone(), sine, stft, rows, plans };
    sound.resolve(selection, progress)
}

pub(crate) struct ResolvingSound<'a> {
    pub snapshot: &'a Snapshot,
    pub signals: Vec<Signal>,
    /// The grid of the STFT used for searching.
    pub grid: Grid,
    /// Factor from its magnitudes to amplitudes of sines.
    pub sine: f32,
    stft: PlannedGrid,
    /// The rows of the edit, if it uses rows.
    rows: Option<Arc<RowBank>>,
    pub plans: &'a Plans,
}

impl ResolvingSound<'_> {
    fn resolve(&self, selection: &Selection, progress: &Progress) -> Result<Selection> {
        let mut resolved = selection.clone();
        for (_, shape) in &mut resolved.shapes {
            match shape {
                Shape::Wand { at, tolerance_db } => {
                    let on = self.clicked(at[1]);
                    let magnitudes = |frames| self.magnitudes_on(&on, frames);
                    let mask = wand::connected(&on.grid, *at, *tolerance_db, magnitudes, progress)?;
                    if let Some(cells) = Cells::from_mask(&on.grid, &mask) {
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

    /// The grid on which a wand clicked at a frequency searches: the STFT, or for an edit on rows all rows of the
    /// scale, at the hop of the row at that frequency.
    fn clicked(&self, hz: f64) -> PlannedGrid {
        let Some(bank) = &self.rows else { return self.stft.clone() };
        let scale = bank.scale_rows();
        let row = (bank.row_from_hz(hz).round().max(0.0) as usize).clamp(scale.start, scale.end - 1);
        let of_row = RowsPlan::of_groups(bank).into_iter().find(|plan| plan.group().rows().contains(&row));
        of_row.map_or_else(|| self.stft.clone(), |plan| PlannedGrid::of_rows(plan, self.snapshot.n_samples()))
    }

    /// Magnitudes of all bins in a run of frames of the STFT, frame by frame; the maximum over all signals.
    pub fn magnitudes(&self, frames: Range<usize>) -> Result<Vec<f32>> {
        self.magnitudes_on(&self.stft, frames)
    }

    fn magnitudes_on(&self, on: &PlannedGrid, frames: Range<usize>) -> Result<Vec<f32>> {
        let rect = on.grid.all_bins(frames);
        let read = on.plan.samples_read(&rect);
        let mut samples = vec![0.0; (read.end - read.start) as usize];
        let mut loudest = vec![0.0f32; rect.n_cells()];
        for signal in &self.signals {
            signal.read(self.snapshot, read.start, &mut samples)?;
            let region = on.plan.analyse(&samples, &rect);
            loudest.iter_mut().zip(&region.magnitude).for_each(|(loudest, &m)| *loudest = loudest.max(m));
        }
        Ok(loudest)
    }
}
