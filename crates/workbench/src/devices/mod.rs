//! Sound devices: the playback monitor and the recorder.
//! May touch: `audio`, and documents through their acts.

pub(super) mod monitor;
pub(super) mod recorder;
