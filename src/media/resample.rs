//! From one sample rate to another, as a stream: for playback on a device that does not take the file's rate, and, finer,
//! for sound that is kept.

use crate::base::{Error, ErrorKind, Result};
use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Async, FixedAsync, Resampler as _, SincInterpolationParameters, WindowFunction};

/// Frames of one block of output: some 5 ms at 48 kHz.
const BLOCK_FRAMES: usize = 256;

/// Input frames that a kept sound's sinc spans, and points between two of them. Between these the sinc is interpolated, which
/// leaves an error of some -135 dB.
const FINE_SINC: [usize; 2] = [256, 512];

/// Leading silence is at most so many frames.
const MOST_LEAD: usize = 2048;

/// A windowed-sinc resampler whose output starts with the first input frame: its own delay is cut off.
pub struct Resampler {
    inner: Async<f32>,
    n_channels: usize,
    block: Vec<f32>,
    /// Output frames still to be cut.
    delay_left: usize,
}

impl Resampler {
    /// A resampler of interleaved frames.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a pair of rates that cannot be bridged.
    pub fn new(from_hz: f64, to_hz: f64, n_channels: usize) -> Result<Resampler> {
        let parameters = SincInterpolationParameters::new(128, WindowFunction::BlackmanHarris2);
        let mut resampler = Resampler::with(&parameters, from_hz, to_hz, n_channels)?;
        resampler.delay_left = resampler.inner.output_delay();
        Ok(resampler)
    }

    /// A resampler for sound that is kept, and how many frames of silence it is to be given first: then its output starts
    /// with the first input frame to a thousandth of a sample, not to a whole one.
    ///
    /// # Errors
    /// As [`new`](Resampler::new).
    pub fn fine(from_hz: f64, to_hz: f64, n_channels: usize) -> Result<(Resampler, usize)> {
        let [sinc_len, n_points] = FINE_SINC;
        let parameters = SincInterpolationParameters::new(sinc_len, WindowFunction::BlackmanHarris2);
        let mut resampler = Resampler::with(&parameters.oversampling_factor(n_points), from_hz, to_hz, n_channels)?;
        // The first output frame lies one output frame after the middle of a sinc over silence.
        let first = |lead: usize| (lead + sinc_len / 2) as f64 * to_hz / from_hz - 1.0;
        let off = |lead: &usize| (first(*lead) - first(*lead).round()).abs();
        let lead = (0..MOST_LEAD).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
        resampler.delay_left = first(lead).round() as usize;
        Ok((resampler, lead))
    }

    fn with(
        parameters: &SincInterpolationParameters,
        from_hz: f64,
        to_hz: f64,
        n_channels: usize,
    ) -> Result<Resampler> {
        let inner = Async::new_sinc(to_hz / from_hz, 1.0, parameters, BLOCK_FRAMES, n_channels, FixedAsync::Output)
            .map_err(|error| {
                let what = format!("{from_hz} Hz cannot be converted to {to_hz} Hz: {error}");
                Error::new(ErrorKind::Unsupported, what)
            })?;
        Ok(Resampler { inner, n_channels, block: vec![0.0; BLOCK_FRAMES * n_channels], delay_left: 0 })
    }

    /// Input frames that the next [`process`](Resampler::process) takes.
    pub fn frames_wanted(&self) -> usize {
        self.inner.input_frames_next()
    }

    /// Most frames that one [`process`](Resampler::process) gives.
    pub fn block_frames(&self) -> usize {
        BLOCK_FRAMES
    }

    /// Takes exactly [`frames_wanted`](Resampler::frames_wanted) interleaved frames (zeros after the end), and gives
    /// the frames that follow those given before.
    ///
    /// # Errors
    /// [`Internal`](ErrorKind::Internal) if `input` has another length.
    pub fn process(&mut self, input: &[f32]) -> Result<&[f32]> {
        let wrong = |what: String| Error::new(ErrorKind::Internal, format!("resampling failed: {what}"));
        let n_input = input.len() / self.n_channels;
        let from = InterleavedSlice::new(input, self.n_channels, n_input).map_err(|error| wrong(error.to_string()))?;
        let mut to = InterleavedSlice::new_mut(&mut self.block, self.n_channels, BLOCK_FRAMES)
            .map_err(|error| wrong(error.to_string()))?;
        let (_, n_output) =
            self.inner.process_into_buffer(&from, &mut to, None).map_err(|error| wrong(error.to_string()))?;
        let cut = self.delay_left.min(n_output);
        self.delay_left -= cut;
        Ok(&self.block[cut * self.n_channels..n_output * self.n_channels])
    }
}
