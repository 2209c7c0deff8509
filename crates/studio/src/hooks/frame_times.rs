//! Measures processor time and waiting time (for our locks and channels) of the UI thread per frame, for the test that
//! limits both to 8 ms. Each frame adds a line to the file named by `SONOBRUSH_FRAMES_FILE`: the frame's number, then
//! in milliseconds the processor time in `logic` and in `ui`, and the waiting time. Without the variable nothing is
//! measured.

use crate::base::{take_waited, thread_time};
use std::fs::File;
use std::io::Write;
use std::time::Duration;

const VARIABLE: &str = "SONOBRUSH_FRAMES_FILE";

/// Measures frames.
#[derive(Debug, Default)]
pub struct FrameTimes {
    file: Option<File>,
    n_frames: u64,
    began: Duration,
    logic: Duration,
    waited: Duration,
}

impl FrameTimes {
    /// A timer, enabled if the variable names a writable file.
    pub fn from_environment() -> FrameTimes {
        let file = std::env::var_os(VARIABLE).and_then(|path| match File::create(path) {
            Ok(file) => Some(file),
            Err(error) => {
                tracing::warn!(%error, "no frame times");
                None
            }
        });
        FrameTimes { file, ..FrameTimes::default() }
    }

    /// Call at the start of `logic` and of `ui`.
    pub fn begin(&mut self) {
        if self.file.is_some() {
            take_waited();
            self.began = thread_time();
        }
    }

    /// Call at the end of `logic`.
    pub fn end_logic(&mut self) {
        if self.file.is_some() {
            self.logic += thread_time().saturating_sub(self.began);
            self.waited += take_waited();
        }
    }

    /// Call at the end of `ui`, which ends the frame.
    pub fn end_ui(&mut self) {
        let Some(file) = &mut self.file else { return };
        let ui = thread_time().saturating_sub(self.began);
        let waited = self.waited + take_waited();
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        self.n_frames += 1;
        let line = format!("{} {:.3} {:.3} {:.3}\n", self.n_frames, millis(self.logic), millis(ui), millis(waited));
        if let Err(error) = file.write_all(line.as_bytes()) {
            tracing::warn!(%error, "no more frame times");
            self.file = None;
        }
        (self.logic, self.waited) = (Duration::ZERO, Duration::ZERO);
    }
}
