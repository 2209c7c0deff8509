//! A simulated input for tests: the real callback, called on demand.

use super::callback::InputCallback;
use super::format::{InputFormat, InputRequest};
use super::input::{AudioInput, InputLister, OpenInput};
use super::input_clock::InputMoment;
use crate::base::{Error, ErrorKind, Result, lock};
use crate::playback::CallbackTimeouts;
use std::sync::{Arc, Mutex};

/// An input device without a clock.
pub struct PlantedInput(Arc<Mutex<Planted>>);

/// The test's end of a [`PlantedInput`].
#[derive(Clone)]
pub struct Microphone(Arc<Mutex<Planted>>);

struct Planted {
    rate_hz: u32,
    n_channels: usize,
    is_present: bool,
    timeouts: Option<CallbackTimeouts>,
    request: Option<InputRequest>,
    callback: Option<InputCallback>,
    n_opened: u64,
}

/// Dropping it removes the callback, unless the input has been reopened in the meantime, since streams are closed on
/// other threads.
struct PlantedStream(Arc<Mutex<Planted>>, u64);

impl Drop for PlantedStream {
    fn drop(&mut self) {
        let mut planted = lock(&self.0);
        if planted.n_opened == self.1 {
            planted.callback = None;
        }
    }
}

impl PlantedInput {
    /// A device of `n_channels`, at `rate_hz` unless another rate is requested.
    pub fn new(rate_hz: u32, n_channels: usize) -> (PlantedInput, Microphone) {
        let planted = Planted {
            rate_hz,
            n_channels,
            is_present: true,
            timeouts: None,
            request: None,
            callback: None,
            n_opened: 0,
        };
        let planted = Arc::new(Mutex::new(planted));
        (PlantedInput(planted.clone()), Microphone(planted))
    }
}

impl AudioInput for PlantedInput {
    fn open(
        &mut self,
        request: &InputRequest,
        make: &mut dyn FnMut(InputFormat) -> InputCallback,
    ) -> Result<OpenInput> {
        let mut planted = lock(&self.0);
        planted.request = Some(request.clone());
        if !planted.is_present {
            return Err(Error::new(ErrorKind::Audio, "no input found; connect one, then open Record again"));
        }
        let format = InputFormat {
            rate_hz: request.rate_hz.unwrap_or(planted.rate_hz),
            n_device_channels: planted.n_channels,
            n_channels: request.n_channels.unwrap_or(planted.n_channels).clamp(1, planted.n_channels),
        };
        planted.callback = Some(make(format));
        planted.n_opened += 1;
        let stream = Box::new(PlantedStream(self.0.clone(), planted.n_opened));
        Ok(OpenInput { format, timeouts: planted.timeouts, stream })
    }

    fn lister(&self) -> InputLister {
        Arc::new(|| vec!["Microphone".into(), "Line in".into()])
    }
}

impl Microphone {
    /// Runs the callback once with interleaved frames; returns false while the device is closed.
    pub fn speak(&self, frames: &[f32]) -> bool {
        let mut planted = lock(&self.0);
        planted.callback.as_mut().map(|callback| callback.run(frames)).is_some()
    }

    /// As [`speak`](Microphone::speak), with the times that the system would report.
    pub fn speak_at(&self, frames: &[f32], moment: InputMoment) -> bool {
        let mut planted = lock(&self.0);
        let Some(callback) = planted.callback.as_mut() else { return false };
        callback.run(frames);
        callback.note(moment);
        true
    }

    /// Calls `around` with a function that runs the callback with these frames, so that the run can be observed. `None`
    /// while the device is closed.
    pub fn speak_watched<T>(&self, frames: &[f32], around: impl FnOnce(&mut dyn FnMut()) -> T) -> Option<T> {
        let mut planted = lock(&self.0);
        let callback = planted.callback.as_mut()?;
        Some(around(&mut || callback.run(frames)))
    }

    /// Whether the device is open.
    pub fn is_open(&self) -> bool {
        lock(&self.0).callback.is_some()
    }

    /// The request of the last opening; `None` if there was none.
    pub fn request(&self) -> Option<InputRequest> {
        lock(&self.0).request.clone()
    }

    /// Simulates a gap reported by the system.
    pub fn report_gap(&self) {
        if let Some(callback) = &lock(&self.0).callback {
            callback.meter().report_gap();
        }
    }

    /// Connects or disconnects the device; an open one fails when disconnected.
    pub fn set_present(&self, is_present: bool) {
        let mut planted = lock(&self.0);
        planted.is_present = is_present;
        if let Some(callback) = planted.callback.as_ref().filter(|_| !is_present) {
            callback.meter().report_broken(1);
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
