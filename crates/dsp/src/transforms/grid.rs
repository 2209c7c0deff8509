//! The time-frequency grid of a transform over a signal, and the only code that converts between samples, seconds,
//! frames, bins and hertz.

use super::rows::{RowBank, RowGroup, RowTable, fixed_from_turns, turns_from_fixed};
use crate::{CellRect, StftParams, Transform};
use std::ops::Range;
use std::sync::Arc;

/// The cells of a transform over a signal: equally spaced frames, and rows, called bins, in order of frequency from DC.
///
/// An STFT has one grid. Rows at the frequencies of a scale have one per [group](RowGroup) of rows that share a hop:
/// bins are numbered across all groups, and each grid has [its own](Grid::own_cells).
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Samples per second.
    pub sample_rate_hz: f64,
    /// Length of the signal.
    pub n_samples: u64,
    transform: Transform,
    /// The sample at the centre of frame 0; negative if a transform has frames before the signal.
    first_sample: i64,
    /// Samples between the centres of frames.
    hop: usize,
    n_frames: usize,
    /// Number of samples that a cell covers, half of them on each side of its centre.
    window_len: usize,
    rows: Rows,
    /// The bins whose cells belong to this grid.
    own_bins: Range<usize>,
}

/// The frequencies of the rows.
#[derive(Debug, Clone, PartialEq)]
enum Rows {
    /// Row `m` is at `m * step_hz`.
    Linear { n_rows: usize, step_hz: f64 },
    /// Rows at the frequencies of a scale.
    Table(Arc<RowTable>),
}

/// Minimum frame rate for displaying rows of a scale as a whole.
const DRAWN_RATE_HZ: f64 = 1000.0;

/// Columns per window of an STFT with a similar time resolution. A Hann window with the standard deviation of a row's
/// response, which is nearly Gaussian, lasts 6.8 / width; a hop lasts 0.6 to 1.2 / width.
const COLUMNS_PER_WINDOW: usize = 8;

/// Number of bins in a Hann window's main lobe, and of rows that a row's window covers.
const BINS_PER_LOBE: usize = 4;
const ROWS_PER_LOBE: usize = 6;

impl Grid {
    /// The grid of a transform over a signal of `n_samples`: frames `0 ..= ceil(n_samples / hop)`, centred on the
    /// multiples of its hop. For rows it is the grid for [display](super::rows::DrawnRows), with a hop of about a
    /// millisecond; edits work on [those of groups](Grid::of_group).
    pub fn new(transform: impl Into<Transform>, sample_rate_hz: f64, n_samples: u64) -> Grid {
        let transform = transform.into();
        let (hop, window_len, rows, n_rows) = match &transform {
            Transform::Stft(StftParams { n_fft, hop, window: _ }) => {
                let n_rows = n_fft / 2 + 1;
                // Exact, as FFT sizes are powers of two.
                (*hop, *n_fft, Rows::Linear { n_rows, step_hz: sample_rate_hz / *n_fft as f64 }, n_rows)
            }
            Transform::Rows(params) => {
                let (table, longest) = RowBank::outline(params, sample_rate_hz)
                    .unwrap_or_else(|_| (RowTable::without_scale(sample_rate_hz), 0));
                let n_rows = table.rows().len();
                let hop = 1 << (sample_rate_hz / DRAWN_RATE_HZ).max(1.0).log2().floor() as u32;
                // A cell depends on less than a slice on each side.
                (hop, 2 * longest.max(hop), Rows::Table(Arc::new(table)), n_rows)
            }
        };
        Grid {
            sample_rate_hz,
            n_samples,
            transform,
            first_sample: 0,
            hop,
            n_frames: n_samples.div_ceil(hop as u64) as usize + 1,
            window_len,
            rows,
            own_bins: 0..n_rows,
        }
    }

    /// The grid of a group of rows over a signal of `n_samples`: its first frame is centred a quarter of a slice before
    /// the signal.
    pub fn of_group(bank: &RowBank, group: &RowGroup, n_samples: u64) -> Grid {
        Grid {
            sample_rate_hz: bank.sample_rate_hz(),
            n_samples,
            transform: bank.params().clone().into(),
            first_sample: group.centre_sample(0),
            hop: group.hop(),
            n_frames: group.n_columns(n_samples),
            window_len: 2 * group.reach(),
            rows: Rows::Table(bank.table().clone()),
            own_bins: group.rows(),
        }
    }

    /// The same grid for an edit that writes only these bins.
    #[must_use]
    pub fn owning(self, own_bins: Range<usize>) -> Grid {
        Grid { own_bins, ..self }
    }

    /// The grid of another transform over the same signal.
    pub fn with_transform(&self, transform: impl Into<Transform>) -> Grid {
        Grid::new(transform, self.sample_rate_hz, self.n_samples)
    }

    /// The grid whose cells are blocks of `frames` x `bins` cells of this one, such as a level of a pyramid. It keeps
    /// this grid's transform; rows of a scale are pooled only in time.
    pub fn pooled(&self, frames: usize, bins: usize) -> Grid {
        let hop = self.hop * frames;
        let (rows, own_bins) = match &self.rows {
            Rows::Linear { n_rows, step_hz } => {
                let n_rows = (n_rows - 1) / bins + 1;
                (Rows::Linear { n_rows, step_hz: step_hz * bins as f64 }, 0..n_rows)
            }
            Rows::Table(table) => (Rows::Table(table.clone()), self.own_bins.clone()),
        };
        Grid { hop, n_frames: self.n_samples.div_ceil(hop as u64) as usize + 1, rows, own_bins, ..self.clone() }
    }

    /// The transform of the cells.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// Number of frames; the last is centred at or after the end of the signal.
    pub fn n_frames(&self) -> usize {
        self.n_frames
    }

    /// Number of bins, DC first, Nyquist last.
    pub fn n_bins(&self) -> usize {
        match &self.rows {
            Rows::Linear { n_rows, .. } => *n_rows,
            Rows::Table(table) => table.rows().len(),
        }
    }

    /// All cells that may be read on this grid. A group of rows of the scale may read all rows of the scale; DC and
    /// Nyquist can only read their own row.
    pub fn all_cells(&self) -> CellRect {
        self.all_bins(0..self.n_frames())
    }

    /// Every bin of a run of frames, as in [`all_cells`](Grid::all_cells).
    pub fn all_bins(&self, frames: Range<usize>) -> CellRect {
        let bins = match &self.rows {
            Rows::Table(table) if self.own_bins.len() < table.rows().len() => {
                let scale = table.scale_rows();
                if scale.contains(&self.own_bins.start) { scale } else { self.own_bins.clone() }
            }
            _ => 0..self.n_bins(),
        };
        CellRect::new(frames, bins)
    }

    /// All cells that may be read around a rectangle: for rows, none beyond the ends of the sound except those of the
    /// rectangle, since the tails there carry no information.
    pub fn cells_around(&self, rect: &CellRect) -> CellRect {
        let inside = self.frames_inside();
        self.all_bins(inside.start.min(rect.frames.start)..inside.end.max(rect.frames.end))
    }

    /// The frames that may be analysed: for rows, those centred within the sound.
    pub fn frames_inside(&self) -> Range<usize> {
        match &self.rows {
            Rows::Linear { .. } => 0..self.n_frames(),
            Rows::Table(_) => {
                let first = self.frame_from_secs(0.0).ceil().max(0.0) as usize;
                let last = self.frame_from_secs(self.duration_secs()).floor().max(0.0) as usize;
                first..(last + 1).min(self.n_frames())
            }
        }
    }

    /// All cells that an edit may write on this grid: for rows, those of its group.
    pub fn own_cells(&self) -> CellRect {
        CellRect::new(0..self.n_frames(), self.own_bins.clone())
    }

    /// The table of a scale's rows; `None` for an STFT.
    pub fn row_table(&self) -> Option<&RowTable> {
        match &self.rows {
            Rows::Linear { .. } => None,
            Rows::Table(table) => Some(table),
        }
    }

    /// Centre of a frame in seconds; fractional frames are interpolated.
    pub fn secs_from_frame(&self, frame: f64) -> f64 {
        (frame * self.hop as f64 + self.first_sample as f64) / self.sample_rate_hz
    }

    /// The fractional frame at a time in seconds.
    pub fn frame_from_secs(&self, secs: f64) -> f64 {
        (secs * self.sample_rate_hz - self.first_sample as f64) / self.hop as f64
    }

    /// Duration of `frames` hops in seconds.
    pub fn secs_in_frames(&self, frames: f64) -> f64 {
        frames * self.hop as f64 / self.sample_rate_hz
    }

    /// A duration in hops.
    pub fn frames_in_secs(&self, secs: f64) -> f64 {
        secs * self.sample_rate_hz / self.hop as f64
    }

    /// Hop in seconds.
    pub fn hop_secs(&self) -> f64 {
        self.secs_in_frames(1.0)
    }

    /// Frames per second.
    pub fn frame_rate_hz(&self) -> f64 {
        self.sample_rate_hz / self.hop as f64
    }

    /// Length of the window in seconds.
    pub fn window_secs(&self) -> f64 {
        self.window_len as f64 / self.sample_rate_hz
    }

    /// Length of the signal in seconds.
    pub fn duration_secs(&self) -> f64 {
        self.n_samples as f64 / self.sample_rate_hz
    }

    /// Centre of a bin in hertz; fractional bins are interpolated.
    pub fn hz_from_bin(&self, bin: f64) -> f64 {
        match &self.rows {
            Rows::Linear { step_hz, .. } => bin * step_hz,
            Rows::Table(table) => table.hz_from_row(bin),
        }
    }

    /// The fractional bin at a frequency in hertz.
    pub fn bin_from_hz(&self, hz: f64) -> f64 {
        match &self.rows {
            Rows::Linear { step_hz, .. } => hz / step_hz,
            Rows::Table(table) => table.row_from_hz(hz),
        }
    }

    /// Half the distance between a bin's neighbours; for DC and Nyquist the distance to their only neighbour.
    pub fn hz_around_bin(&self, bin: usize) -> f64 {
        match &self.rows {
            Rows::Linear { step_hz, .. } => *step_hz,
            Rows::Table(table) => {
                let (low, high) = (bin.saturating_sub(1), (bin + 1).min(table.rows().len() - 1));
                (table.rows()[high].hz - table.rows()[low].hz) / (high - low).max(1) as f64
            }
        }
    }

    /// The distance between bins around a frequency, in hertz.
    pub fn step_hz_at(&self, hz: f64) -> f64 {
        self.hz_around_bin((self.bin_from_hz(hz).round().max(0.0) as usize).min(self.n_bins() - 1))
    }

    /// The frequency `bins` bins above `hz`, or below if negative.
    pub fn hz_stepped(&self, hz: f64, bins: f64) -> f64 {
        match &self.rows {
            Rows::Linear { step_hz, .. } => hz + bins * step_hz,
            Rows::Table(table) => table.hz_from_row((table.row_from_hz(hz) + bins).max(0.0)),
        }
    }

    /// Minimum distance between bins, in hertz.
    pub fn min_step_hz(&self) -> f64 {
        match &self.rows {
            Rows::Linear { step_hz, .. } => *step_hz,
            Rows::Table(table) => {
                table.scale_rows().map(|bin| self.hz_around_bin(bin)).fold(self.nyquist_hz(), f64::min)
            }
        }
    }

    /// Number of bins in a width in hertz; for rows, at the middle row of the group.
    pub fn bins_in_hz(&self, width_hz: f64) -> f64 {
        match &self.rows {
            Rows::Linear { step_hz, .. } => width_hz / step_hz,
            Rows::Table(table) => {
                let scale = table.scale_rows();
                let middle = (self.own_bins.start + self.own_bins.len() / 2).clamp(scale.start, scale.end - 1);
                width_hz / self.hz_around_bin(middle)
            }
        }
    }

    /// Half the sample rate.
    pub fn nyquist_hz(&self) -> f64 {
        self.sample_rate_hz / 2.0
    }

    /// The sample at the centre of a frame.
    pub fn centre_sample(&self, frame: usize) -> i64 {
        self.first_sample + frame as i64 * self.hop as i64
    }

    /// The first sample under a frame's window, which its cells can change; negative at the start of the signal.
    pub fn first_sample_under(&self, frame: usize) -> i64 {
        self.centre_sample(frame) - self.window_len as i64 / 2
    }

    /// Number of samples under the windows of `n_frames` consecutive frames; 0 for no frames.
    pub fn n_samples_under(&self, n_frames: usize) -> usize {
        if n_frames == 0 { 0 } else { (n_frames - 1) * self.hop + self.window_len }
    }

    /// The samples under the windows of a run of frames; may extend beyond the signal.
    pub fn samples_under(&self, frames: &Range<usize>) -> Range<i64> {
        let first = self.first_sample_under(frames.start);
        first..first + self.n_samples_under(frames.len()) as i64
    }

    /// Samples in `frames` hops; negative for a negative number.
    pub fn samples_in_frames(&self, frames: i64) -> i64 {
        frames * self.hop as i64
    }

    /// Number of whole hops in a number of samples.
    pub fn frames_in_samples(&self, n_samples: usize) -> usize {
        n_samples / self.hop
    }

    /// Number of frames centred within a run of `n_samples`, both ends included, that starts at a frame's centre.
    pub fn n_frames_in_samples(&self, n_samples: usize) -> usize {
        n_samples / self.hop + 1
    }

    /// The frames whose windows contain one of `samples`, clipped to the grid.
    pub fn frames_over(&self, samples: &Range<u64>) -> Range<usize> {
        if samples.is_empty() {
            return 0..0;
        }
        let (hop, half) = (self.hop as i64, self.window_len as i64 / 2);
        let [start, end] = [samples.start, samples.end].map(|sample| sample as i64 - self.first_sample);
        // n hop + half > start  and  n hop - half < end
        let first = (start - half).div_euclid(hop) + 1;
        let end = (end + half - 1).div_euclid(hop) + 1;
        first.max(0) as usize..(end.max(0) as usize).min(self.n_frames())
    }

    /// The last frame whose window ends at or before sample `end`; `None` if frame 0 extends beyond it.
    pub fn last_frame_before(&self, end: u64) -> Option<usize> {
        let from_first = end as i64 - self.first_sample - self.window_len as i64 / 2;
        (from_first >= 0).then_some((from_first / self.hop as i64) as usize)
    }

    /// The time of a frame for masks: clamped to the ends of the signal, so that a mask reaching an end includes the
    /// tails beyond.
    pub fn mask_secs(&self, frame: usize) -> f64 {
        let secs = self.secs_from_frame(frame as f64);
        match &self.rows {
            Rows::Linear { .. } => secs,
            Rows::Table(_) => secs.clamp(0.0, self.duration_secs()),
        }
    }

    /// The fractional frames between two times for masks; for rows, times that reach an end of the signal include all
    /// frames beyond it.
    pub fn mask_frames(&self, [start_secs, end_secs]: [f64; 2]) -> [f64; 2] {
        let frames = [start_secs, end_secs].map(|secs| self.frame_from_secs(secs));
        match &self.rows {
            Rows::Linear { .. } => frames,
            Rows::Table(_) => {
                let start = if start_secs <= 0.0 { frames[0].min(0.0) } else { frames[0] };
                let end =
                    if end_secs >= self.duration_secs() { frames[1].max(self.n_frames as f64) } else { frames[1] };
                [start, end]
            }
        }
    }

    /// Number of hops per window, rounded up; for rows, per window of an STFT with the same hop.
    pub fn frames_per_window(&self) -> usize {
        match &self.rows {
            Rows::Linear { .. } => self.window_len.div_ceil(self.hop),
            Rows::Table(_) => COLUMNS_PER_WINDOW,
        }
    }

    /// For an STFT, number of frames in which the centre frequency of every bin completes whole turns; 1 for rows,
    /// whose phases are relative to their own rotation.
    pub fn frames_per_turn(&self) -> usize {
        match &self.rows {
            Rows::Linear { .. } => self.window_len / self.hop,
            Rows::Table(_) => 1,
        }
    }

    /// Number of bins over which a steady tone spreads.
    pub fn bins_per_lobe(&self) -> usize {
        match &self.rows {
            Rows::Linear { .. } => BINS_PER_LOBE,
            Rows::Table(_) => ROWS_PER_LOBE,
        }
    }

    /// The bin at the Nyquist frequency. Bins above it and below 0 are conjugate mirrors.
    pub fn nyquist_bin(&self) -> usize {
        self.n_bins() - 1
    }

    /// Phase advance of a tone at a bin's centre from sample 0 to a frame, in turns, [0, 1).
    pub fn turns_of_bin(&self, frame: usize, bin: usize) -> f32 {
        match &self.rows {
            Rows::Linear { .. } => self.transform.as_stft().map_or(0.0, |params| params.turns_of_bin(frame, bin)),
            // Phases for display are already relative to this rotation.
            Rows::Table(table) if self.own_bins.len() == table.rows().len() => 0.0,
            Rows::Table(table) => {
                let step =
                    |samples: usize| fixed_from_turns(table.rows()[bin].hz * samples as f64 / self.sample_rate_hz);
                let whole = self.centre_sample(frame);
                let (hops, rest) = (whole.div_euclid(self.hop as i64), whole.rem_euclid(self.hop as i64));
                turns_from_fixed(step(self.hop).wrapping_mul(hops as u64).wrapping_add(step(rest as usize)))
            }
        }
    }
}
