//! An output for tests and `sonobrush bench`: the real callback, called on demand, with its output recorded.

use super::callback::Callback;
use super::format::OutputFormat;
use super::output::{AudioOutput, OpenOutput, OutputLister};
use super::watch::CallbackTimeouts;
use crate::base::{Error, ErrorKind, Result, lock};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// An output device without a clock.
pub struct RecordingOutput(Arc<Mutex<State>>);

/// The test's end of a [`RecordingOutput`].
#[derive(Clone)]
pub struct Recorder(Arc<Mutex<State>>);

struct State {
    /// Sample rate in hertz; `None` accepts any requested rate.
    rate_hz: Option<f64>,
    n_channels: usize,
    is_present: bool,
    timeouts: Option<CallbackTimeouts>,
    n_opened: usize,
    chosen: (Option<String>, u32),
    callback: Option<Callback>,
    format: Option<OutputFormat>,
    samples: Vec<f32>,
}

/// Dropping it removes the callback.
struct Stream(Arc<Mutex<State>>);

impl Drop for Stream {
    fn drop(&mut self) {
        lock(&self.0).callback = None;
    }
}

impl RecordingOutput {
    /// A device with this number of channels, and a fixed sample rate in hertz or, if `None`, the requested one.
    pub fn new(rate_hz: Option<f64>, n_channels: usize) -> (RecordingOutput, Recorder) {
        let state = Arc::new(Mutex::new(State {
            rate_hz,
            n_channels,
            is_present: true,
            timeouts: None,
            n_opened: 0,
            chosen: (None, 512),
            callback: None,
            format: None,
            samples: Vec::new(),
        }));
        (RecordingOutput(state.clone()), Recorder(state))
    }
}

impl AudioOutput for RecordingOutput {
    fn lister(&self) -> OutputLister {
        Arc::new(|| vec!["Recorder".into(), "Second recorder".into()])
    }

    fn choose(&mut self, device: Option<String>, buffer_frames: u32) {
        lock(&self.0).chosen = (device, buffer_frames);
    }

    fn open(&mut self, rate_hz: f64, make: &mut dyn FnMut(OutputFormat) -> Callback) -> Result<OpenOutput> {
        let mut state = lock(&self.0);
        if !state.is_present {
            return Err(Error::new(ErrorKind::Audio, "no sound device found; press Play to try again"));
        }
        let format = OutputFormat {
            rate_hz: state.rate_hz.unwrap_or(rate_hz),
            n_channels: state.n_channels,
            buffer_frames: Some(state.chosen.1),
        };
        state.callback = Some(make(format));
        state.format = Some(format);
        state.n_opened += 1;
        Ok(OpenOutput { format, timeouts: state.timeouts, stream: Box::new(Stream(self.0.clone())) })
    }
}

impl Recorder {
    /// Runs the callback once for `n_frames`, whether or not they are available; returns false while the device is
    /// closed.
    pub fn pull(&self, n_frames: usize) -> bool {
        let mut state = lock(&self.0);
        let n_samples = n_frames * state.n_channels;
        let Some(mut callback) = state.callback.take() else { return false };
        let start = state.samples.len();
        state.samples.resize(start + n_samples, f32::NAN);
        callback.run(&mut state.samples[start..], Duration::ZERO);
        state.callback = Some(callback);
        true
    }

    /// Waits until `n_frames` are available or playback ends, then runs the callback once for `n_frames`. Returns false
    /// if the wait exceeds `timeouts`.
    pub fn pull_ready(&self, n_frames: usize, timeouts: Duration) -> bool {
        let deadline = Instant::now() + timeouts;
        loop {
            let is_ready = {
                let state = lock(&self.0);
                state.callback.as_ref().is_some_and(|callback| callback.is_ready(n_frames as u64))
            };
            if is_ready {
                return self.pull(n_frames);
            }
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Calls `around` with a function that runs the callback for `n_frames`, so that the run can be observed. `None`
    /// while the device is closed.
    pub fn pull_watched<T>(&self, n_frames: usize, around: impl FnOnce(&mut dyn FnMut()) -> T) -> Option<T> {
        let mut state = lock(&self.0);
        let n_channels = state.n_channels;
        let callback = state.callback.as_mut()?;
        let mut out = vec![f32::NAN; n_frames * n_channels];
        let watched = around(&mut || callback.run(&mut out, Duration::ZERO));
        state.samples.extend(out);
        Some(watched)
    }

    /// Number of frames available now; 0 while the device is closed.
    pub fn n_ready(&self) -> u64 {
        lock(&self.0).callback.as_ref().map_or(0, Callback::n_ready)
    }

    /// Number of playback frames still to be faded out and dropped after a stop or restart; 0 while closed.
    pub fn n_to_drop(&self) -> u64 {
        lock(&self.0).callback.as_ref().map_or(0, Callback::n_to_drop)
    }

    /// All recorded output, interleaved.
    pub fn samples(&self) -> Vec<f32> {
        lock(&self.0).samples.clone()
    }

    /// All recorded output except the first `n` samples.
    pub fn samples_from(&self, n: usize) -> Vec<f32> {
        lock(&self.0).samples.get(n..).unwrap_or_default().to_vec()
    }

    /// Discards the recorded output.
    pub fn forget(&self) {
        lock(&self.0).samples = Vec::new();
    }

    /// Format of the last opening; `None` if the device was never opened.
    pub fn format(&self) -> Option<OutputFormat> {
        lock(&self.0).format
    }

    /// The device chosen last; `None` for the default.
    pub fn chosen_device(&self) -> Option<String> {
        lock(&self.0).chosen.0.clone()
    }

    /// Number of times the device was opened.
    pub fn n_opened(&self) -> usize {
        lock(&self.0).n_opened
    }

    /// Whether the device is open.
    pub fn is_open(&self) -> bool {
        lock(&self.0).callback.is_some()
    }

    /// Connects or disconnects the device; an open one fails when disconnected.
    pub fn set_present(&self, is_present: bool) {
        let mut state = lock(&self.0);
        state.is_present = is_present;
        if let Some(callback) = state.callback.as_ref().filter(|_| !is_present) {
            callback.meter().report_broken(1);
        }
    }

    /// Simulates an underrun after which the device restarts.
    pub fn report_restart(&self) {
        if let Some(callback) = &lock(&self.0).callback {
            callback.meter().report_restart();
        }
    }

    /// Simulates an error that may be temporary.
    pub fn report_trouble(&self) {
        if let Some(callback) = &lock(&self.0).callback {
            callback.meter().report_trouble();
        }
    }

    /// Sets the permitted time without a callback, from the next opening on.
    pub fn set_timeouts(&self, timeouts: Option<CallbackTimeouts>) {
        lock(&self.0).timeouts = timeouts;
    }
}
