//! Playback: which sound, which range, how loud, on which device.

mod acting;
mod audition;
mod devices;
mod difference;
mod drawn;
mod hearer;
mod meters;
mod note_take;
mod outputs;
mod transport;

pub use audition::Hearing;
pub use devices::Outputs;
pub use difference::Difference;
pub use hearer::{PlaybackMonitor, Played};
pub use meters::{FLOOR_DB, Meter, Meters, fallen_db};
pub use note_take::NoteRecorder;
pub use transport::{GAIN_DB, Monitor, SPEEDS, Transport};
