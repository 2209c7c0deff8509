//! `sonobrush record`

use super::args::RecordCommand;
use super::common::outputs::refuse_output;
use super::common::terminal::Terminal;
use crate::base::{Error, ErrorKind, Progress, Result, Settings};
use crate::recording::{AudioInput, Capture, CaptureEnd, Captured, InputRequest, RecordingSpace, system_input};
use std::time::Duration;

/// Interval at which the recorder is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum time for opening a device.
const TIMEOUT: Duration = Duration::from_secs(20);

pub(super) fn run(typed: &RecordCommand, settings: &Settings, terminal: &Terminal) -> Result<()> {
    refuse_output(&typed.output, &["wav", "wave", "rf64"], "WAV")?;
    if typed.output.exists() {
        let what = "already exists, and a recording replaces no file; choose another name";
        return Err(Error::new(ErrorKind::Io, what).at(&typed.output));
    }
    let capture = Capture::new(input(typed.device.as_deref()));
    capture.listen(InputRequest {
        device: typed.device.clone(),
        rate_hz: typed.rate,
        n_channels: typed.channels.map(usize::from),
    });
    let format = opened(&capture)?;
    let max_frames = typed.secs.map(|secs| (secs * f64::from(format.rate_hz)).round().max(1.0) as u64);
    let room =
        RecordingSpace { reserve_bytes: settings.scratch_reserve_bytes(), max_frames, ..RecordingSpace::default() };
    capture.record(typed.output.clone(), room);
    opened(&capture)?;
    if typed.secs.is_none() {
        terminal.hint("recording; Ctrl+C stops");
    }
    let captured = terminal.with_progress("recording", |progress| follow(&capture, max_frames, progress))?;
    capture.close();
    match &captured.end {
        CaptureEnd::Stopped => {
            terminal.notices(&captured.notices());
            Ok(())
        }
        CaptureEnd::Lost(error) | CaptureEnd::Disk(error) => Err(error.clone().at(&typed.output)),
    }
}

/// Waits until the recorder has executed all commands; returns the format of the open device.
fn opened(capture: &Capture) -> Result<crate::recording::InputFormat> {
    if !capture.wait(TIMEOUT) {
        return Err(Error::new(ErrorKind::Audio, "the input did not open in time; try again, or choose another"));
    }
    let status = capture.status();
    match (status.fault, status.format) {
        (None, Some(format)) => Ok(format),
        (fault, _) => Err(fault.unwrap_or_else(|| Error::new(ErrorKind::Audio, "the input was closed"))),
    }
}

/// Waits until the recording ends; Ctrl+C stops it.
fn follow(capture: &Capture, max_frames: Option<u64>, progress: &Progress) -> Result<Captured> {
    let mut is_stopping = false;
    loop {
        if let Some(captured) = capture.take_captured().pop() {
            return Ok(captured);
        }
        let status = capture.status();
        if let Some(max) = max_frames {
            progress.step(status.n_frames, max).ok();
        }
        if progress.is_cancelled() && !std::mem::replace(&mut is_stopping, true) {
            capture.stop();
        }
        if let Some(fault) = status.fault.filter(|fault| fault.kind() == ErrorKind::Internal) {
            return Err(fault);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(not(feature = "hooks"))]
fn input(_: Option<&str>) -> Box<dyn AudioInput> {
    system_input()
}

/// The system's input; tests can request an input without hardware.
#[cfg(feature = "hooks")]
fn input(device: Option<&str>) -> Box<dyn AudioInput> {
    match device {
        Some(crate::recording::ClockInput::NAME) => Box::new(crate::recording::ClockInput),
        _ => system_input(),
    }
}
