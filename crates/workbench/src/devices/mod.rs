//! Sound devices: playback that monitors, and the recorder.
//! May touch: `audio`, and documents through their acts.

pub(super) mod monitor;
pub(super) mod recorder;
