//! The interface to sound devices.

use super::callback::{Callback, CallbackMeter};
use super::format::OutputFormat;
use super::ring::{RingWriter, ring};
use super::watch::CallbackTimeouts;
use crate::base::Result;
use std::sync::Arc;

/// Lists device names. Can be called from any thread, but may block.
pub type OutputLister = Arc<dyn Fn() -> Vec<String> + Send + Sync>;

/// An audio output: the system's, or a recording in tests.
pub trait AudioOutput: Send {
    /// Opens the device, at `rate_hz` if supported, and starts the callback that `make` returns for the actual format.
    /// The device is looked up on every call.
    ///
    /// # Errors
    /// [`Audio`](crate::base::ErrorKind::Audio), with the reason why there is no sound.
    fn open(&mut self, rate_hz: f64, make: &mut dyn FnMut(OutputFormat) -> Callback) -> Result<OpenOutput>;

    /// Returns a function that lists the devices; it may block, so call it in a job.
    fn lister(&self) -> OutputLister;

    /// Selects the device (by name; `None` is the default) and the frames per callback for the next opening.
    fn choose(&mut self, device: Option<String>, buffer_frames: u32);
}

/// A running device. Dropping it closes it, which may take 100 ms, so never drop it on a UI thread.
pub struct OpenOutput {
    /// Its format.
    pub format: OutputFormat,
    /// Permitted time without a callback; `None` if callbacks run on demand.
    pub timeouts: Option<CallbackTimeouts>,
    /// The open stream; dropping it closes the device.
    pub stream: Box<dyn Send>,
}

/// Creates the callback, the writers of the playback ring and of the interactive ring, and the meter.
pub(super) fn rings(format: OutputFormat) -> (Callback, [RingWriter; 2], Arc<CallbackMeter>) {
    // Callbacks of unknown size may request 2 s at once (PulseAudio's default).
    let capacity_frames = match format.buffer_frames {
        Some(frames) => (0.2 * format.rate_hz) as usize + 8 * frames as usize,
        None => (4.5 * format.rate_hz) as usize,
    };
    let [(clip, clip_out), (hand, hand_out)] = [(); 2].map(|()| ring(format, capacity_frames));
    let meter = Arc::new(CallbackMeter::new(clip_out.state()));
    (Callback::new([clip_out, hand_out], meter.clone(), format), [clip, hand], meter)
}
