//! Cells of the pyramid: the maximum over some frames and bins, with its phase if a pane shows phases.

use crate::half::{PEAK_SCALE, half_from_f32};
use crate::render::colormap::phase_step;
use std::ops::Range;

/// A phase in 256 steps per turn, as in the cyclic colour map: relative to its bin's rotation, and raw.
pub type PhaseSteps = [u8; 2];

/// The phase of silence: 0 turns.
const SILENT: PhaseSteps = [128; 2];

/// Loudest cells, entry-major.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Peaks<T> {
    /// Amplitudes.
    pub values: Vec<T>,
    /// Phases, one per value.
    pub phases: Option<Vec<PhaseSteps>>,
}

impl<T: Copy + PartialOrd + Default> Peaks<T> {
    /// Cells of silence.
    pub(crate) fn silent(n_cells: usize, has_phases: bool) -> Peaks<T> {
        Peaks { values: vec![T::default(); n_cells], phases: has_phases.then(|| vec![SILENT; n_cells]) }
    }

    /// Appends cells. If either side has phases, cells without one get the phase of silence.
    pub(crate) fn extend(&mut self, values: &[T], phases: Option<&[PhaseSteps]>) {
        if phases.is_some() && self.phases.is_none() {
            self.phases = Some(vec![SILENT; self.values.len()]);
        }
        self.values.extend_from_slice(values);
        if let Some(all) = &mut self.phases {
            all.extend_from_slice(phases.unwrap_or_default());
            all.resize(self.values.len(), SILENT);
        }
    }

    /// Appends the range `cells` of `others`.
    pub(crate) fn extend_from(&mut self, others: &Peaks<T>, cells: Range<usize>) {
        self.extend(&others.values[cells.clone()], others.phases.as_ref().map(|phases| &phases[cells]));
    }

    /// The maximum of every `n_entries` entries, each with `n_rows` cells.
    pub(crate) fn pooled(&self, n_entries: usize, n_rows: usize) -> Peaks<T> {
        let mut pooled = Peaks { values: Vec::new(), phases: self.phases.as_ref().map(|_| Vec::new()) };
        for start in (0..self.values.len()).step_by(n_entries * n_rows) {
            let first = pooled.values.len();
            pooled.extend_from(self, start..start + n_rows);
            let end = (start + n_entries * n_rows).min(self.values.len());
            for entry in (start + n_rows..end).step_by(n_rows) {
                pooled.raise(first, self, entry..entry + n_rows);
            }
        }
        pooled
    }

    /// Raises the cells from `first` on to the range `cells` of `others` wherever those are louder.
    pub(crate) fn raise(&mut self, first: usize, others: &Peaks<T>, cells: Range<usize>) {
        let values = self.values[first..].iter_mut().zip(&others.values[cells.clone()]);
        match (&mut self.phases, &others.phases) {
            (Some(phases), Some(theirs)) => {
                for ((max, value), (phase, other)) in values.zip(phases[first..].iter_mut().zip(&theirs[cells])) {
                    if *value > *max {
                        (*max, *phase) = (*value, *other);
                    }
                }
            }
            _ => values.filter(|(max, value)| *value > *max).for_each(|(max, value)| *max = *value),
        }
    }
}

impl Peaks<f32> {
    /// As [`raise`](Peaks::raise), for one frame of cells: each row is raised to the loudest of its `bins_per_row`
    /// bins. `steps_of` returns the phase of a bin.
    pub(crate) fn raise_to_frame(
        &mut self,
        first: usize,
        magnitude: &[f32],
        bins_per_row: usize,
        steps_of: impl Fn(usize) -> PhaseSteps,
    ) {
        let rows = self.values[first..].iter_mut().zip(magnitude.chunks(bins_per_row));
        let Some(phases) = &mut self.phases else {
            return rows.for_each(|(peak, cells)| *peak = cells.iter().fold(*peak, |a, &b| a.max(b)));
        };
        for ((row, (peak, cells)), phase) in rows.enumerate().zip(&mut phases[first..]) {
            let mut loudest = None;
            for (bin, cell) in (row * bins_per_row..).zip(cells) {
                if *cell > *peak {
                    (*peak, loudest) = (*cell, Some(bin));
                }
            }
            if let Some(bin) = loudest {
                *phase = steps_of(bin);
            }
        }
    }

    /// The cells in half precision, scaled by [`PEAK_SCALE`], as in textures.
    pub(crate) fn halves(&self) -> Peaks<u16> {
        let values = self.values.iter().map(|peak| half_from_f32(peak * PEAK_SCALE)).collect();
        Peaks { values, phases: self.phases.clone() }
    }
}

/// The steps of a phase in turns, relative to its bin's rotation `turning`, and raw.
pub(crate) fn steps_of(turns: f32, turning: f32) -> PhaseSteps {
    [phase_step(turns - turning), phase_step(turns)]
}
