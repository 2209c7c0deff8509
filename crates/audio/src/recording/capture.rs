//! The thread that owns the input device, and its commands.

use super::callback::{InputCallback, InputRing};
use super::format::InputRequest;
use super::input::{AudioInput, InputLister, OpenInput};
use super::space::RecordingSpace;
use super::status::{CaptureEnd, CapturePhase, CaptureStatus, Captured, InputLevels};
use super::take::{Take, stopped_by};
use crate::base::{Error, ErrorKind, lock};
use crate::playback::{DeviceFault, DeviceWatch};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Interval at which the ring is emptied. If the process is killed, at most the sound of this interval and of the
/// buffers of the device and its server is lost.
const DRAIN_INTERVAL: Duration = Duration::from_millis(50);
/// Interval at which the free space is checked for display.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Records from an input. Apart from [`wait`](Capture::wait), no method blocks its caller.
pub struct Capture {
    input: Mutex<Option<Box<dyn AudioInput>>>,
    lister: InputLister,
    shared: Arc<Shared>,
    sender: Mutex<Option<Sender<CaptureOrder>>>,
}

impl std::fmt::Debug for Capture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capture").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Shared {
    status: Mutex<CaptureStatus>,
    levels: Mutex<InputLevels>,
    captured: Mutex<Vec<Captured>>,
}

enum CaptureOrder {
    Listen(InputRequest),
    Record(PathBuf, RecordingSpace),
    Stop,
    Close,
    Wait(Sender<()>),
}

impl Capture {
    /// Creates a recorder. It opens no device and starts no thread before the first command.
    pub fn new(input: Box<dyn AudioInput>) -> Capture {
        let lister = input.lister();
        Capture { input: Mutex::new(Some(input)), lister, shared: Arc::default(), sender: Mutex::default() }
    }

    /// A function that lists the devices; it may block, so call it in a job.
    pub fn lister(&self) -> InputLister {
        self.lister.clone()
    }

    /// Closes any open device, opens another and measures its levels. Ignored while recording.
    pub fn listen(&self, request: InputRequest) {
        {
            let mut status = lock(&self.shared.status);
            if status.is_recording() {
                return;
            }
            *status = CaptureStatus { phase: CapturePhase::Opening, ..CaptureStatus::default() };
        }
        self.order(CaptureOrder::Listen(request));
    }

    /// Records into a new file, starting at the next frame. Call [`listen`](Capture::listen) first.
    pub fn record(&self, path: PathBuf, room: RecordingSpace) {
        self.order(CaptureOrder::Record(path, room));
    }

    /// Ends the recording; levels are still measured.
    pub fn stop(&self) {
        self.order(CaptureOrder::Stop);
    }

    /// Ends the recording and closes the device.
    pub fn close(&self) {
        if lock(&self.sender).is_some() {
            self.order(CaptureOrder::Close);
        }
    }

    /// Waits at most `timeouts` for all earlier commands. Returns whether they have been executed.
    pub fn wait(&self, timeouts: Duration) -> bool {
        if lock(&self.sender).is_none() {
            return true;
        }
        let (send, done) = channel();
        self.order(CaptureOrder::Wait(send));
        done.recv_timeout(timeouts).is_ok()
    }

    /// Status for display.
    pub fn status(&self) -> CaptureStatus {
        lock(&self.shared.status).clone()
    }

    /// Input levels since the last call.
    pub fn take_levels(&self) -> InputLevels {
        std::mem::take(&mut *lock(&self.shared.levels))
    }

    /// Recordings that have ended since the last call.
    pub fn take_captured(&self) -> Vec<Captured> {
        std::mem::take(&mut *lock(&self.shared.captured))
    }

    fn order(&self, order: CaptureOrder) {
        let mut sender = lock(&self.sender);
        if sender.is_none()
            && let Some(input) = lock(&self.input).take()
        {
            let ((send, orders), (give, given)) = (channel(), channel());
            let shared = self.shared.clone();
            let work = move || {
                if let Ok(input) = given.recv() {
                    Worker { input, shared, device: None, take: None }.run(&orders);
                }
            };
            match std::thread::Builder::new().name("audio input".into()).spawn(work) {
                Ok(_) => {
                    give.send(input).ok();
                    *sender = Some(send);
                }
                Err(error) => {
                    // The next command tries again.
                    *lock(&self.input) = Some(input);
                    let what = format!("nothing can be recorded, as no thread could be started: {error}");
                    self.fail(Error::new(ErrorKind::Limit, what));
                }
            }
        }
        if sender.as_ref().is_some_and(|sender| sender.send(order).is_err()) {
            let what = "recording stopped unexpectedly; restart Sonobrush to record, and see the log";
            self.fail(Error::new(ErrorKind::Internal, what));
        }
    }

    fn fail(&self, fault: Error) {
        *lock(&self.shared.status) = CaptureStatus { fault: Some(fault), ..CaptureStatus::default() };
    }
}

struct Device {
    open: OpenInput,
    ring: InputRing,
    watch: DeviceWatch,
}

struct Worker {
    input: Box<dyn AudioInput>,
    shared: Arc<Shared>,
    device: Option<Device>,
    take: Option<Take>,
}

impl Worker {
    /// Runs until the command channel is closed, and then finishes the recording.
    fn run(mut self, orders: &Receiver<CaptureOrder>) {
        let mut looked_at = None::<Instant>;
        loop {
            let order = match &self.device {
                Some(_) => orders.recv_timeout(DRAIN_INTERVAL),
                None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let now = Instant::now();
            self.turn(now);
            match order {
                Ok(CaptureOrder::Listen(request)) => self.listen(&request),
                Ok(CaptureOrder::Record(path, room)) => self.record(path, room),
                Ok(CaptureOrder::Stop) => self.end_take(CaptureEnd::Stopped),
                Ok(CaptureOrder::Close) => self.close(None),
                Ok(CaptureOrder::Wait(done)) => drop(done.send(())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.close(None),
            }
            let is_due = looked_at.is_none_or(|at| now.duration_since(at) >= POLL_INTERVAL);
            if is_due {
                looked_at = Some(now);
            }
            self.publish_status(is_due);
        }
    }

    fn listen(&mut self, request: &InputRequest) {
        if self.take.is_some() {
            return;
        }
        self.close(None);
        lock(&self.shared.status).phase = CapturePhase::Opening;
        let mut ring = None;
        let opened = self.input.open(request, &mut |format| {
            let (callback, other_end) = InputCallback::new(format);
            ring = Some(other_end);
            callback
        });
        match opened.map(|open| (open, ring)) {
            Ok((open, Some(ring))) => {
                tracing::info!(format = ?open.format, "input opened");
                let watch = DeviceWatch::new(open.timeouts);
                self.device = Some(Device { open, ring, watch });
            }
            Ok((_, None)) => {
                self.close(Some(Error::new(ErrorKind::Internal, "an input was opened without a callback")))
            }
            Err(error) => self.close(Some(error)),
        }
    }

    fn record(&mut self, path: PathBuf, room: RecordingSpace) {
        let Some(device) = &mut self.device else {
            let status = lock(&self.shared.status).clone();
            let fault = status.fault.unwrap_or_else(|| Error::new(ErrorKind::Audio, "no input is open"));
            return self.close(Some(fault));
        };
        if self.take.is_some() {
            return;
        }
        match Take::begin(&path, room, device.open.format, &mut device.ring) {
            Ok(take) => self.take = Some(take),
            Err(error) => self.close(Some(error)),
        }
    }

    /// Drains the ring into the recording, and checks the device.
    fn turn(&mut self, now: Instant) {
        let Some(device) = &mut self.device else { return };
        let format = device.open.format;
        let levels = device.ring.meter.take_levels(format.n_channels);
        lock(&self.shared.levels).join(&levels);
        let written = match &mut self.take {
            Some(take) => take.drain(&mut device.ring),
            None => {
                device.ring.discard(format.n_channels);
                Ok(())
            }
        };
        let fault = device.watch.look(now, device.ring.meter.signs());
        match written {
            Err(error) => self.end_take(CaptureEnd::Disk(stopped_by(&error))),
            Ok(()) if self.take.as_ref().is_some_and(Take::is_complete) => self.end_take(CaptureEnd::Stopped),
            Ok(()) => {}
        }
        let why = match fault {
            Some(DeviceFault::Failed(code)) => {
                tracing::warn!(code, "the input reported an error");
                "the input was disconnected"
            }
            Some(DeviceFault::Silent) => "the input stopped responding",
            None => return,
        };
        let is_recording = self.take.is_some();
        let kept = "the recording was stopped; everything up to there was kept";
        let what = if is_recording { format!("{why}: {kept}") } else { why.to_owned() };
        self.end_take(CaptureEnd::Lost(Error::new(ErrorKind::Audio, what.clone())));
        self.close(Some(Error::new(ErrorKind::Audio, why)));
    }

    fn end_take(&mut self, end: CaptureEnd) {
        if let Some((take, device)) = self.take.take().zip(self.device.as_mut()) {
            let captured = take.finish(&mut device.ring, end);
            lock(&self.shared.captured).push(captured);
        }
    }

    /// Ends the recording and closes the device. `fault` is the error that caused this, if any.
    fn close(&mut self, fault: Option<Error>) {
        self.end_take(CaptureEnd::Stopped);
        if let Some(device) = self.device.take() {
            close_elsewhere(device.open.stream);
        }
        *lock(&self.shared.status) = CaptureStatus { fault, ..CaptureStatus::default() };
    }

    fn publish_status(&self, looks_at_disk: bool) {
        let Some(device) = &self.device else { return };
        let mut status = lock(&self.shared.status);
        status.format = Some(device.open.format);
        status.fault = None;
        match &self.take {
            Some(take) => {
                let is_first = status.phase != CapturePhase::Recording;
                status.phase = CapturePhase::Recording;
                (status.n_frames, status.n_lost) = (take.n_frames(), take.n_lost());
                if looks_at_disk || is_first {
                    status.left_secs = take.left_secs();
                }
            }
            None => {
                status.phase = CapturePhase::Listening;
                (status.n_frames, status.n_lost) = (0, 0);
            }
        }
    }
}

/// Drops the stream on another thread, since an unresponsive server would block this one.
fn close_elsewhere(stream: Box<dyn Send>) {
    if std::thread::Builder::new().name("input closing".into()).spawn(move || drop(stream)).is_err() {
        tracing::warn!("no thread to close the input on");
    }
}
