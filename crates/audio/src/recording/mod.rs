//! Recording: the input device, the callback that fills a ring, and the thread that empties it into a file.
//!
//! A [`Capture`] has one thread, which owns the device, measures the input's levels, and writes the input to a file
//! while recording. The *callback* runs on the device's thread and only copies. Frames that do not fit into the ring
//! are counted and become silence of that length in the file, so that all later sound keeps its time. Frames lost by
//! the system without notice are detected by the times of the callbacks, and become silence, too.

mod callback;
mod capture;
#[cfg(feature = "hooks")]
mod clock_input;
mod format;
mod input;
mod input_clock;
mod planted;
mod space;
mod status;
mod system;
mod take;

pub use callback::{InputCallback, InputMeter};
pub use capture::Capture;
#[cfg(feature = "hooks")]
pub use clock_input::ClockInput;
pub use format::{InputFormat, InputRequest};
pub use input::{AudioInput, InputLister, OpenInput};
pub use input_clock::InputMoment;
pub use planted::{Microphone, PlantedInput};
pub use space::RecordingSpace;
pub use status::{CaptureEnd, CapturePhase, CaptureStatus, Captured, Dropout, InputLevels};
pub use system::{input_devices, system_input};
