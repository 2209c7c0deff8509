//! The interface to input devices.

use super::callback::InputCallback;
use super::format::{InputFormat, InputRequest};
use crate::base::Result;
use crate::playback::CallbackTimeouts;
use std::sync::Arc;

/// Lists device names; may block, so call it in a job.
pub type InputLister = Arc<dyn Fn() -> Vec<String> + Send + Sync>;

/// An audio input: the system's, or a simulated one in tests.
pub trait AudioInput: Send {
    /// Opens a device and starts the callback that `make` returns for its format. The device is looked up on every
    /// call. If a device requested by name is missing, no other is used.
    ///
    /// # Errors
    /// [`Audio`](crate::base::ErrorKind::Audio), with the reason why nothing can be recorded.
    fn open(&mut self, request: &InputRequest, make: &mut dyn FnMut(InputFormat) -> InputCallback)
    -> Result<OpenInput>;

    /// Returns a function that lists the devices.
    fn lister(&self) -> InputLister;
}

/// A running input. Dropping it closes it, which may take 100 ms, so never drop it on a UI thread.
pub struct OpenInput {
    /// Its format.
    pub format: InputFormat,
    /// Permitted time without a callback; `None` if callbacks run on demand.
    pub timeouts: Option<CallbackTimeouts>,
    /// The open stream; dropping it closes the device.
    pub stream: Box<dyn Send>,
}
