//! What playback asks of a sound device.

use super::callback::{Callback, CallbackMeter};
use super::format::OutputFormat;
use crate::base::Result;
use std::sync::Arc;
use std::time::Duration;

/// Gives the names of devices, on any thread.
pub type OutputLister = Arc<dyn Fn() -> Vec<String> + Send + Sync>;

/// Where sound goes: the system's audio, or a recording in tests.
pub trait AudioOutput: Send {
    /// Opens the device, at `rate_hz` where it takes that, and starts to call the callback that `make` gives for the
    /// format at hand. Every call looks for the device anew.
    ///
    /// # Errors
    /// [`Audio`](crate::base::ErrorKind::Audio) with one sentence that says why nothing will be heard.
    fn open(&mut self, rate_hz: f64, make: &mut dyn FnMut(OutputFormat) -> Callback) -> Result<OpenOutput>;

    /// Finds the names of the devices there are; may block, so it is called in a job.
    fn lister(&self) -> OutputLister;

    /// From the next opening on: a device by name, none for the default, and frames per callback.
    fn choose(&mut self, device: Option<String>, buffer_frames: u32);
}

/// A device that is calling. Dropping it closes it, which may take 100 ms: never on a UI thread.
pub struct OpenOutput {
    /// What it carries.
    pub format: OutputFormat,
    /// Past this time without a callback the device counts as dead; none where callbacks come on demand.
    pub answers_within: Option<Duration>,
    /// Whatever keeps it open.
    pub stream: Box<dyn Send>,
}

/// Makes the callback and the two ends that the player keeps.
pub(super) fn ring(format: OutputFormat) -> (Callback, rtrb::Producer<f32>, Arc<CallbackMeter>) {
    // Callbacks of unknown size may ask for 2 s at once (PulseAudio's default).
    let capacity_frames = match format.buffer_frames {
        Some(frames) => (0.2 * format.rate_hz) as usize + 8 * frames as usize,
        None => (4.5 * format.rate_hz) as usize,
    };
    let (producer, consumer) = rtrb::RingBuffer::new(capacity_frames * format.n_channels);
    let meter = Arc::new(CallbackMeter::default());
    (Callback::new(consumer, meter.clone(), format), producer, meter)
}
