//! The time-frequency grid of a transform over a signal, the only place that converts between samples, seconds, frames,
//! bins and hertz.

use super::{CellRect, StftParams, Transform};
use std::ops::Range;

/// The cells of a transform over a signal: equally spaced frames, and rows, called bins, in order of frequency from DC.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Samples per second.
    pub sample_rate_hz: f64,
    /// Length of the signal.
    pub n_samples: u64,
    transform: Transform,
    /// The sample on which frame 0 is centred; negative where a transform has frames before the signal.
    first_sample: i64,
    /// Samples between the centres of frames.
    hop: usize,
    n_frames: usize,
    /// Samples per frame.
    window_len: usize,
    rows: Rows,
}

/// The frequencies of the rows. A transform with rows at arbitrary frequencies will need a second kind, a table.
#[derive(Debug, Clone, PartialEq)]
enum Rows {
    /// Row `m` at `m * step_hz`.
    Linear { n_rows: usize, step_hz: f64 },
}

impl Grid {
    /// The grid of a transform over a signal of `n_samples`: frames `0 ..= ceil(n_samples / hop)`, centred on the
    /// multiples of its hop.
    pub fn new(transform: impl Into<Transform>, sample_rate_hz: f64, n_samples: u64) -> Grid {
        let transform = transform.into();
        let Transform::Stft(StftParams { n_fft, hop, window: _ }) = transform;
        Grid {
            sample_rate_hz,
            n_samples,
            transform,
            first_sample: 0,
            hop,
            n_frames: n_samples.div_ceil(hop as u64) as usize + 1,
            window_len: n_fft,
            // Exact, as FFT sizes are powers of two.
            rows: Rows::Linear { n_rows: n_fft / 2 + 1, step_hz: sample_rate_hz / n_fft as f64 },
        }
    }

    /// The grid of another transform over the same signal.
    pub fn with_transform(&self, transform: impl Into<Transform>) -> Grid {
        Grid::new(transform, self.sample_rate_hz, self.n_samples)
    }

    /// The grid whose cells are blocks of `frames` x `bins` cells of this one, such as a level of a pyramid. Its
    /// transform is still that of the cells.
    pub fn pooled(&self, frames: usize, bins: usize) -> Grid {
        let hop = self.hop * frames;
        let rows = match self.rows {
            Rows::Linear { n_rows, step_hz } => {
                Rows::Linear { n_rows: (n_rows - 1) / bins + 1, step_hz: step_hz * bins as f64 }
            }
        };
        Grid { hop, n_frames: self.n_samples.div_ceil(hop as u64) as usize + 1, rows, ..self.clone() }
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
        match self.rows {
            Rows::Linear { n_rows, .. } => n_rows,
        }
    }

    /// Every cell.
    pub fn all_cells(&self) -> CellRect {
        self.all_bins(0..self.n_frames())
    }

    /// Every bin of a run of frames.
    pub fn all_bins(&self, frames: Range<usize>) -> CellRect {
        CellRect::new(frames, 0..self.n_bins())
    }

    /// Centre of a frame in seconds; fractional frames lie between.
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

    /// Centre of a bin in hertz; fractional bins lie between.
    pub fn hz_from_bin(&self, bin: f64) -> f64 {
        match self.rows {
            Rows::Linear { step_hz, .. } => bin * step_hz,
        }
    }

    /// The fractional bin at a frequency in hertz.
    pub fn bin_from_hz(&self, hz: f64) -> f64 {
        match self.rows {
            Rows::Linear { step_hz, .. } => hz / step_hz,
        }
    }

    /// Half the sample rate.
    pub fn nyquist_hz(&self) -> f64 {
        self.sample_rate_hz / 2.0
    }

    /// The sample on which a frame is centred.
    pub fn centre_sample(&self, frame: usize) -> i64 {
        self.first_sample + frame as i64 * self.hop as i64
    }

    /// The first sample under a frame's window; negative at the start of the signal.
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

    /// Samples in `frames` hops; negative for earlier frames.
    pub fn samples_in_frames(&self, frames: i64) -> i64 {
        frames * self.hop as i64
    }

    /// Number of frames centred within a run of `n_samples` that starts at a frame's centre.
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

    /// Hops per window, rounded up.
    pub fn frames_per_window(&self) -> usize {
        self.window_len.div_ceil(self.hop)
    }

    /// Number of frames after which every bin's centre frequency has completed whole turns.
    pub fn frames_per_turn(&self) -> usize {
        let Transform::Stft(params) = &self.transform;
        params.frames_per_turn()
    }

    /// The bin at the Nyquist frequency. Bins above it and below 0 are conjugate mirrors.
    pub fn nyquist_bin(&self) -> usize {
        self.n_bins() - 1
    }

    /// Phase advance of a tone at a bin's centre from frame 0 to `frame`, in turns, [0, 1).
    pub fn turns_of_bin(&self, frame: usize, bin: usize) -> f32 {
        let Transform::Stft(params) = &self.transform;
        params.turns_of_bin(frame, bin)
    }
}
