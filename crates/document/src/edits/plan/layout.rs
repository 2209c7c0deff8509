//! An edit laid out on all grids of its transform: one for an STFT, one per group of rows, or one over all rows.

use super::finish::Finish;
use super::placement::axis_of;
use super::{PieceLimit, Plan};
use crate::base::{Progress, Result};
use crate::document::stroke::Drawn;
use crate::document::{Edit, Snapshot};
use crate::dsp::selections::mask;
use crate::dsp::transforms::rows::RowGroup;
use crate::dsp::{CellRect, Grid, RowsPlan, Transform};
use crate::engine::{Engine, PlannedGrid, Plans};
use std::ops::Range;

/// An edit laid out on a sound.
#[derive(Debug)]
pub struct EditLayout<'a> {
    plans: Vec<Plan<'a>>,
    /// Plan and piece, ordered by the first sample they may change.
    order: Vec<(usize, usize)>,
}

impl<'a> EditLayout<'a> {
    /// The layout of an edit; `None` if it has no cell. `drawn` is a session's state of the edit's stroke, so that its
    /// points are not read again. No piece reads more than `max_cells`, if the brush allows splitting.
    ///
    /// # Errors
    /// [`Script`](crate::base::ErrorKind::Script) if the edit is too large for its brush, or its transform is invalid.
    pub fn of_drawn(
        snapshot: &Snapshot,
        edit: &'a Edit,
        drawn: Option<&'a Drawn>,
        max_cells: usize,
        plans: &Plans,
    ) -> Result<Option<EditLayout<'a>>> {
        let mut laid_out = Vec::new();
        match &edit.transform {
            Transform::Stft(_) => laid_out.extend(Plan::of_drawn(snapshot, edit, drawn, max_cells, plans)?),
            Transform::Rows(_) => {
                let grids = grids_of_rows(snapshot, edit, plans)?;
                let limit = PieceLimit::Samples(samples_per_piece(&grids, max_cells));
                for planned in grids {
                    laid_out.extend(Plan::on(planned, edit, None, limit)?);
                }
            }
        }
        let pieces = laid_out.iter().enumerate().flat_map(|(at, plan)| (0..plan.n_pieces()).map(move |i| (at, i)));
        let mut order: Vec<(usize, usize)> = pieces.collect();
        order.sort_by_key(|(at, index)| laid_out[*at].first_sample(*index));
        Ok((!laid_out.is_empty()).then_some(EditLayout { plans: laid_out, order }))
    }

    /// The plan on each grid with cells.
    pub fn plans(&self) -> &[Plan<'a>] {
        &self.plans
    }

    /// Plan and index of every piece, by the first sample they may change.
    pub fn pieces(&self) -> &[(usize, usize)] {
        &self.order
    }

    /// Cells that may change, over all pieces.
    pub fn n_cells(&self) -> usize {
        self.plans.iter().map(Plan::n_cells).sum()
    }

    /// See [`PlannedBrush::make_ready`](super::PlannedBrush::make_ready); each notice is returned once, even with
    /// several grids.
    ///
    /// # Errors
    /// Errors of the brush, and [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn make_ready(&self, snapshot: &Snapshot, engine: &Engine, progress: &Progress) -> Result<Vec<String>> {
        let mut notices = Vec::new();
        for plan in &self.plans {
            for notice in plan.make_ready(snapshot, engine, progress)? {
                if !notices.contains(&notice) {
                    notices.push(notice);
                }
            }
        }
        Ok(notices)
    }

    /// How phases are finished at the end; requires an STFT.
    pub fn finish(&self) -> Option<&Finish> {
        self.plans.iter().find_map(Plan::finish)
    }
}

/// The grids of an edit on rows: one per group, or one finer grid over all rows.
fn grids_of_rows(snapshot: &Snapshot, edit: &Edit, plans: &Plans) -> Result<Vec<PlannedGrid>> {
    edit.brush.works_on(&edit.transform)?;
    let brush = edit.brush.painting()?;
    let (rate_hz, n_samples) = (snapshot.sample_rate_hz(), snapshot.n_samples());
    let Transform::Rows(params) = &edit.transform else { return Ok(Vec::new()) };
    if !brush.is_on_one_grid_of_rows() {
        return plans.grids(&edit.transform, rate_hz, n_samples);
    }
    let bank = plans.rows(params, rate_hz)?;
    let (stroke, select) = (edit.stroke.as_ref(), edit.select.as_ref());
    let CellRect { bins, .. } = mask::bounds(&Grid::new(params.clone(), rate_hz, n_samples), stroke, select);
    let radius = stroke.map_or(0.0, |stroke| stroke.radius[1]);
    let rows = brush.rows_read(bank.table(), bins.clone(), axis_of(stroke, select), radius);
    // DC and Nyquist do not move, and are filtered along time alone.
    let scale = bank.table().scale_rows();
    let within = |rows: Range<usize>| rows.start.max(scale.start)..rows.end.min(scale.end);
    let rows = within(rows);
    if brush.moves_one_event(&bank, rows.clone()) {
        // One grid per group: at the hop of the highest rows, the lowest would be computed about 1,000 times too often.
        let of_group = |group: &RowGroup| {
            let own = within(group.rows().start.max(bins.start)..group.rows().end.min(bins.end));
            if own.is_empty() {
                return None;
            }
            let read = within(brush.rows_read(bank.table(), own.clone(), axis_of(stroke, select), radius));
            let PlannedGrid { grid, plan } = PlannedGrid::of_rows(RowsPlan::for_moves(&bank, read), n_samples);
            Some(PlannedGrid { grid: grid.owning(own), plan })
        };
        let groups = bank.groups().iter().filter(|group| !group.is_real());
        return Ok(groups.filter_map(of_group).collect());
    }
    Ok(if rows.is_empty() {
        Vec::new()
    } else {
        vec![PlannedGrid::of_rows(RowsPlan::for_moves(&bank, rows), n_samples)]
    })
}

/// Number of samples per piece, chosen so that the cells of all groups together are at most `max_cells`, but at least
/// one slice. It is a whole number of slices of every group, so that no slice is computed twice.
fn samples_per_piece(grids: &[PlannedGrid], max_cells: usize) -> usize {
    let cells_per_sample: f64 = grids
        .iter()
        .map(|on| on.grid.own_cells().bins.len() as f64 * on.grid.frame_rate_hz() / on.grid.sample_rate_hz)
        .sum();
    let slice = grids.iter().map(|on| on.grid.n_samples_under(1)).max().unwrap_or(1);
    let max = (max_cells as f64 / cells_per_sample.max(1e-9)) as usize;
    (max / slice).max(1) * slice
}
