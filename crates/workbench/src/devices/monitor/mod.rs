//! Playback: sound, range, gain and device.

mod acting;
mod audition;
mod devices;
mod difference;
mod meters;
mod note_recorder;
mod outputs;
mod playback_monitor;
mod stroke_sound;
mod transport;

pub use audition::Hearing;
pub use devices::Outputs;
pub use difference::Difference;
pub use meters::{FLOOR_DB, Meter, Meters, fallen_db};
pub use note_recorder::NoteRecorder;
pub use playback_monitor::{PlaybackMonitor, Played};
pub use transport::{GAIN_DB, Monitor, SPEEDS, Transport};
