//! All rows of a transform at a sample rate, and their groups.

use super::group::RowGroup;
use super::params::{RowScale, RowsParams, refuse};
use super::plans::{SlicePlanCache, SliceScratchPool};
use super::scale::ScaleRows;
use super::table::RowTable;
use super::windows::{RowSpec, RowWindows};
use crate::base::Result;
use crate::dsp::{Axis, FftPlans};
use std::ops::Range;
use std::sync::Arc;

/// Maximum length of a slice.
const MAX_SLICE_SECS: f64 = 25.0;

/// Minimum number of places per slice.
const MIN_PLACES_PER_SLICE: usize = 8;

/// A sound is one event to a row if its duration times half the bandwidth of the row's window is at most this.
const EVENT_TURNS: f64 = 8.0;

/// Tables and plans of a transform on rows at a sample rate. Cheap to share, costly to make.
pub struct RowBank {
    params: RowsParams,
    windows: RowWindows,
    groups: Vec<RowGroup>,
    table: Arc<RowTable>,
    plans: SlicePlanCache,
    scratch: Arc<SliceScratchPool>,
}

impl std::fmt::Debug for RowBank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RowBank").field(&self.params).field(&self.windows.sample_rate_hz).finish()
    }
}

/// A run of rows of one hop, and the length of their slices.
struct GroupSize {
    rows: Range<usize>,
    hop: usize,
    slice_len: usize,
}

impl RowBank {
    /// The tables of a transform, with FFT plans of its own.
    ///
    /// # Errors
    /// [`ErrorKind::Script`](crate::base::ErrorKind::Script) if the parameters are not valid, or not at this rate.
    pub fn new(params: &RowsParams, sample_rate_hz: f64) -> Result<RowBank> {
        RowBank::with_ffts(params, sample_rate_hz, &FftPlans::default())
    }

    /// As [`new`](RowBank::new), with shared FFT plans. `ffts` counts the tables as created.
    ///
    /// # Errors
    /// As [`new`](RowBank::new).
    pub fn with_ffts(params: &RowsParams, sample_rate_hz: f64, ffts: &FftPlans) -> Result<RowBank> {
        let (params, scale, _) = checked(params, sample_rate_hz)?;
        ffts.note_made();
        let windows = RowWindows::new(&scale, sample_rate_hz);
        let sizes = group_sizes(&params, &windows);
        let plans = SlicePlanCache::new(ffts);
        let scratch = Arc::new(SliceScratchPool::default());
        let group = |GroupSize { rows, hop, slice_len }: GroupSize| {
            RowGroup::new(&windows, rows, hop, slice_len, plans.get(slice_len, slice_len / hop), scratch.clone())
        };
        let groups = sizes.into_iter().map(group).collect();
        let table = Arc::new(RowTable::new(&windows, scale.axis));
        Ok(RowBank { params, windows, groups, table, plans, scratch })
    }

    /// The rows of a transform, without the tables that compute their cells, and the length of its longest slice in
    /// samples: cheap enough for a UI thread.
    ///
    /// # Errors
    /// As [`new`](RowBank::new).
    pub fn outline(params: &RowsParams, sample_rate_hz: f64) -> Result<(RowTable, usize)> {
        let (params, scale, windows) = checked(params, sample_rate_hz)?;
        let longest = group_sizes(&params, &windows).iter().map(|group| group.slice_len).max().unwrap_or(0);
        Ok((RowTable::new(&windows, scale.axis), longest))
    }

    /// The shared FFT plans.
    pub(super) fn ffts(&self) -> &FftPlans {
        self.plans.ffts()
    }

    /// The table of rows.
    pub fn table(&self) -> &Arc<RowTable> {
        &self.table
    }

    /// The parameters.
    pub fn params(&self) -> &RowsParams {
        &self.params
    }

    /// Samples per second.
    pub fn sample_rate_hz(&self) -> f64 {
        self.windows.sample_rate_hz
    }

    /// All rows: DC, those of the scale, Nyquist.
    pub fn rows(&self) -> &[RowSpec] {
        &self.windows.rows
    }

    /// The rows of the scale, among [all](RowBank::rows).
    pub fn scale_rows(&self) -> Range<usize> {
        1..self.windows.rows.len() - 1
    }

    /// The axis on which the scale's rows are equally spaced; [`Axis::Log`] for a list.
    pub fn axis(&self) -> Axis {
        self.table.axis()
    }

    /// The groups, in order of frequency; every row belongs to exactly one.
    pub fn groups(&self) -> &[RowGroup] {
        &self.groups
    }

    /// The group of a row.
    pub fn group_of(&self, row: usize) -> &RowGroup {
        let at = self.groups.partition_point(|group| group.rows().end <= row);
        &self.groups[at.min(self.groups.len() - 1)]
    }

    /// A group of rows of the scale, or of DC or Nyquist alone, with another hop and slice length. Both must be powers
    /// of two, and a slice at least 8 hops long. A hop smaller than the rows' own gives the same cells with more cells
    /// between them, and is also invertible; a larger hop is only for reading.
    ///
    /// # Panics
    /// If rows, hop or slice length do not meet these conditions.
    pub fn group_on(&self, rows: Range<usize>, hop: usize, slice_len: usize) -> RowGroup {
        assert!(
            hop.is_power_of_two() && slice_len.is_power_of_two() && slice_len >= MIN_PLACES_PER_SLICE * hop,
            "sizes"
        );
        let is_end = rows.len() == 1 && (rows.start == 0 || rows.end == self.windows.rows.len());
        let is_of_scale = !rows.is_empty() && rows.start >= 1 && rows.end < self.windows.rows.len();
        assert!(is_end || is_of_scale, "rows of the scale, or one of DC and Nyquist");
        let plans = self.plans.get(slice_len, slice_len / hop);
        RowGroup::new(&self.windows, rows, hop, slice_len, plans, self.scratch.clone())
    }

    /// Rows of the scale, all of one group, with the hop of another group and slices of their own length.
    pub(super) fn group_beside(&self, rows: Range<usize>, other: &RowGroup) -> RowGroup {
        let slice_len = self.group_of(rows.start).slice_len().max(MIN_PLACES_PER_SLICE * other.hop());
        self.group_on(rows, other.hop(), slice_len)
    }

    /// The rows of `group` with its hop, split by the bank's groups, each with its own slice length.
    pub(crate) fn groups_beside(&self, group: &RowGroup) -> Vec<RowGroup> {
        let all = self
            .groups
            .iter()
            .map(|own| own.rows().start.max(group.rows().start)..own.rows().end.min(group.rows().end));
        all.filter(|rows| !rows.is_empty()).map(|rows| self.group_beside(rows, group)).collect()
    }

    /// A group of only the lowest row of the scale, with the smallest hop and the longest slices of all groups, so that
    /// its columns include the times of all cells of all groups.
    pub fn finest(&self) -> RowGroup {
        let hop = self.groups.iter().map(RowGroup::hop).min().unwrap_or(1);
        let slice_len = self.groups.iter().map(RowGroup::slice_len).max().unwrap_or(1);
        self.group_on(1..2, hop, slice_len)
    }

    /// A group of `rows` for moving sound, with half their smallest hop and the longest of their slice lengths.
    pub fn group_for_moves(&self, rows: Range<usize>) -> RowGroup {
        let rows = rows.start.max(1)..rows.end.min(self.windows.rows.len() - 1);
        let of = |k: usize| self.group_of(k);
        let hop = rows.clone().map(|k| of(k).hop()).min().unwrap_or(1);
        let slice_len = rows.clone().map(|k| of(k).slice_len()).max().unwrap_or(1);
        let hop = (hop / 2).max(1);
        self.group_on(rows, hop, slice_len.max(MIN_PLACES_PER_SLICE * hop))
    }

    /// Whether a sound of this length is one event to each of these rows, too short for their windows to resolve in
    /// time.
    pub fn hear_at_once(&self, rows: Range<usize>, secs: f64) -> bool {
        self.windows.rows[rows].iter().all(|row| secs * row.half_hz <= EVENT_TURNS)
    }

    /// See [`RowTable::row_from_hz`].
    pub fn row_from_hz(&self, hz: f64) -> f64 {
        self.table.row_from_hz(hz)
    }

    /// See [`RowTable::hz_from_row`].
    pub fn hz_from_row(&self, row: f64) -> f64 {
        self.table.hz_from_row(row)
    }

    /// `d` in `docs/transforms.md` at a frequency: the sum of all squared windows before normalisation.
    pub fn window_sum(&self, hz: f64) -> f64 {
        self.windows.sum(hz)
    }

    /// These rows, and the neighbouring rows of the scale that may contain a peak which leaks into them: as far as
    /// their windows extend, and `n_around` more rows to identify the peak.
    pub(super) fn with_peaks_beside(&self, rows: &Range<usize>, n_around: usize) -> Range<usize> {
        let all = &self.windows.rows;
        let scale = self.scale_rows();
        let [lowest, highest] = [rows.start, rows.end.max(rows.start + 1) - 1].map(|row| all[row]);
        let low = self.row_from_hz((lowest.hz - lowest.half_hz).max(0.0)).floor() as usize;
        let high = self.row_from_hz((highest.hz + highest.half_hz).min(self.sample_rate_hz() / 2.0)).ceil() as usize;
        let start = low.saturating_sub(n_around).max(scale.start).min(rows.start);
        start..(high + n_around + 1).min(scale.end).max(rows.end)
    }

    /// The window of a row at a frequency: the value that a sine with amplitude 1 gives.
    pub fn window(&self, row: usize, hz: f64) -> f64 {
        let spec = self.windows.rows[row];
        if (hz - spec.hz).abs() <= spec.half_hz { self.windows.value(row, hz) } else { 0.0 }
    }

    /// The mean of `|c_k|^2` in white noise of variance 1: the sum of the squared window over a slice's bins.
    pub fn noise_power(&self, row: usize) -> f64 {
        let group = self.group_of(row);
        let (_, window) = group.window(row);
        group.slice_len() as f64 * window.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>()
    }

    /// A range that contains all rows whose windows include a frequency, and possibly others.
    pub fn rows_near(&self, hz: f64) -> Range<usize> {
        self.windows.near(hz)
    }

    /// The scratch buffers that all groups share.
    pub(super) fn scratch(&self) -> &SliceScratchPool {
        &self.scratch
    }
}

/// The parameters and the rows of their scale, if they are valid at a sample rate.
fn checked(params: &RowsParams, sample_rate_hz: f64) -> Result<(RowsParams, ScaleRows, RowWindows)> {
    let params = params.clone().validated()?;
    let scale = ScaleRows::new(&params, sample_rate_hz)?;
    if scale.hz.len() < 2 {
        return refuse(format!("there are fewer than two rows below {} Hz; lower fmin", sample_rate_hz / 2.0));
    }
    let windows = RowWindows::without_peaks(&scale, sample_rate_hz);
    let is_too_wide = |row: &&RowSpec| row.half_hz > sample_rate_hz / 2.0 || row.hz + row.half_hz > sample_rate_hz;
    if let Some(row) = windows.rows.iter().find(is_too_wide) {
        return refuse(format!(
            "a band of {:.0} Hz at {:.1} Hz is too wide for a sample rate of {sample_rate_hz} Hz; lower gamma, or take more \
             bins",
            2.0 * row.half_hz,
            row.hz
        ));
    }
    let longest = group_sizes(&params, &windows).into_iter().max_by_key(|group| group.slice_len);
    if let Some(GroupSize { rows, slice_len, .. }) = longest {
        let secs = slice_len as f64 / sample_rate_hz;
        if secs > MAX_SLICE_SECS {
            let narrowest = rows
                .clone()
                .min_by(|a, b| windows.rows[*a].width_hz.total_cmp(&windows.rows[*b].width_hz).then(b.cmp(a)));
            // DC has the width of the scale's first row.
            let hz = windows.rows[narrowest.unwrap_or(rows.start).max(1)].hz;
            return refuse(format!(
                "a band of this transform at {hz:.1} Hz would reach over {secs:.0} s; raise fmin or gamma, or take fewer \
                 bins"
            ));
        }
    }
    Ok((params, scale, windows))
}

impl RowsParams {
    /// The parameters, if they are valid at a sample rate.
    ///
    /// # Errors
    /// [`ErrorKind::Script`](crate::base::ErrorKind::Script) with the reason.
    pub fn validated_at(self, sample_rate_hz: f64) -> Result<RowsParams> {
        checked(&self, sample_rate_hz).map(|(params, ..)| params)
    }
}

/// Length of slices relative to the decay time of the narrowest window; beyond that, atoms are below -130 dB.
fn reach(params: &RowsParams) -> f64 {
    match params.scale {
        RowScale::Log { bins } if bins < 24 => 11.0,
        RowScale::Mel { bands } | RowScale::Bark { bands } if bands < 64 => 11.0,
        RowScale::List(_) => 16.0,
        _ => 9.0,
    }
}

/// Runs of consecutive rows with one hop; DC and Nyquist are separate.
fn group_sizes(params: &RowsParams, windows: &RowWindows) -> Vec<GroupSize> {
    let rows = &windows.rows;
    let mut sizes = Vec::new();
    let mut start = 0;
    for end in 1..=rows.len() {
        let hop = rows[start].hop;
        if end < rows.len() && rows[end].hop == hop && rows[end].is_real == rows[start].is_real {
            continue;
        }
        let narrowest_hz = rows[start..end].iter().fold(f64::MAX, |min, row| min.min(row.width_hz));
        let places = 4.0 * reach(params) * windows.sample_rate_hz / (narrowest_hz * hop as f64);
        let n_places = ((places - 1e-9).max(1.0).ceil() as usize).next_power_of_two().max(MIN_PLACES_PER_SLICE);
        sizes.push(GroupSize { rows: start..end, hop, slice_len: n_places * hop });
        start = end;
    }
    sizes
}
