//! The concern that records. The input device is open while the recording card is shown, samples are written to a file
//! in the program's state folder from the first one on, and a finished recording becomes a document.

use super::card::{RecordAnswer, RecordOptions, RecordingShown};
use super::meters::InputMeters;
use crate::base::{Error, ErrorKind, LoadedSettings, UtcDate, clock_from_secs, local_secs};
use crate::bench::acts::FileAct;
use crate::bench::context::{Concern, Context};
use crate::bench::notices::{Severity, sentence};
use crate::document::session::{GeneratedSound, SoundFolder};
use crate::files::{Question, Then};
use crate::media::{MAX_RATE_HZ, MIN_RATE_HZ};
use crate::recording::{AudioInput, Capture, CaptureEnd, CapturePhase, CaptureStatus, Captured, RecordingSpace};
use crate::services::{JobQueue, SettingsChanges};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Polling interval of the levels.
const POLL_INTERVAL_SECS: f64 = 0.05;
/// Maximum time that closing the window waits for the last samples.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// The recorder of the workbench.
pub struct AudioRecorder {
    capture: Capture,
    listing: JobQueue<(), RecordOptions>,
    saving: SettingsChanges,
    options: Option<RecordOptions>,
    is_card_open: bool,
    /// Folder of the recording in progress.
    folder: Option<SoundFolder>,
    status: CaptureStatus,
    meters: InputMeters,
    /// `Some` if the program quits after this recording. The inner value is the path of the ended recording, empty if
    /// nothing was recorded; `None` until then.
    quits: Option<Option<PathBuf>>,
}

impl Concern for AudioRecorder {
    fn advance(&mut self, context: &mut Context) {
        if let Some(((), answer)) = self.listing.take_answer() {
            match answer {
                Ok(options) => {
                    context.notices.succeed("list the inputs");
                    self.open_card(options, context);
                }
                Err(error) => context.fail("list the inputs", &error),
            }
        }
        if let Some(error) = self.saving.advance(&context.folders, &context.jobs) {
            context.warn(&format!("the choice of the input was not saved: {error}"));
        }
        // Reads the status first: the capture publishes an ended recording before the device's new status.
        self.status = self.capture.status();
        let captured = self.capture.take_captured();
        let has_ended = !captured.is_empty();
        captured.into_iter().for_each(|captured| self.take_captured(captured, context));
        if !has_ended && self.status.phase == CapturePhase::Closed && self.status.fault.is_some() {
            self.give_up(context);
        }
        let n_channels = self.status.format.map_or(0, |format| format.n_channels);
        self.meters.show(&self.capture.take_levels(), n_channels, context.now_secs());
        if !self.is_card_open && !self.is_recording() && self.status.phase == CapturePhase::Listening {
            self.capture.close();
        }
        self.follow_end(context);
        if self.status.phase != CapturePhase::Closed || self.is_recording() {
            context.wake_after(POLL_INTERVAL_SECS);
        }
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.listing.is_busy() || self.saving.is_busy()
    }
}

impl AudioRecorder {
    /// A recorder without an open input.
    pub fn new(input: Box<dyn AudioInput>) -> AudioRecorder {
        AudioRecorder {
            capture: Capture::new(input),
            listing: JobQueue::default(),
            saving: SettingsChanges::default(),
            options: None,
            is_card_open: false,
            folder: None,
            status: CaptureStatus::default(),
            meters: InputMeters::default(),
            quits: None,
        }
    }

    /// Whether a recording is running.
    pub fn is_recording(&self) -> bool {
        self.folder.is_some()
    }

    /// The state to display.
    pub fn shown(&self) -> RecordingShown<'_> {
        RecordingShown { status: &self.status, meters: &self.meters, is_recording: self.is_recording() }
    }

    /// Lists the inputs, then opens the card. While a recording runs, the card shows it.
    pub fn ask(&mut self, context: &mut Context) {
        if let Some(options) = self.options.clone().filter(|_| self.is_recording()) {
            self.is_card_open = true;
            return context.ask(Question::Record(options));
        }
        let (lister, folders, before) = (self.capture.lister(), context.folders.clone(), self.options.clone());
        let job = context.jobs.spawn("inputs", move |_| {
            let mut options = match before {
                Some(before) => before,
                None => {
                    let loaded = LoadedSettings::load(&folders, |name| std::env::var(name).ok())?;
                    RecordOptions::remembered(&loaded.settings)
                }
            };
            options.devices = lister();
            Ok(options)
        });
        self.listing.run_instead_unseen((), job);
    }

    /// Closes the card and ends the recording, which becomes a document.
    pub fn stop(&mut self) {
        self.is_card_open = false;
        if self.is_recording() {
            self.capture.stop();
        }
    }

    /// Applies the user's choice on the card.
    pub fn answer(&mut self, answer: RecordAnswer, context: &mut Context) {
        match answer {
            RecordAnswer::Choose(options) => self.choose(options),
            RecordAnswer::Start => self.start(context),
            RecordAnswer::Stop => self.stop(),
            RecordAnswer::StopAndQuit => {
                self.quits = Some(None);
                self.stop();
            }
            RecordAnswer::ClearClips => self.meters.clear_clips(),
            RecordAnswer::PutAway => self.is_card_open = false,
        }
    }

    /// Closes the input before the program exits. An unfinished recording stays in its folder and is offered at the
    /// next start.
    pub fn end(&mut self) {
        self.capture.close();
        self.capture.wait(SHUTDOWN_TIMEOUT);
    }

    fn open_card(&mut self, options: RecordOptions, context: &mut Context) {
        self.capture.listen(options.input());
        self.options = Some(options.clone());
        self.is_card_open = true;
        context.ask(Question::Record(options));
    }

    fn choose(&mut self, mut options: RecordOptions) {
        options.rate_hz = options.rate_hz.map(|rate_hz| rate_hz.clamp(MIN_RATE_HZ, MAX_RATE_HZ));
        if self.is_recording() {
            return;
        }
        self.capture.listen(options.input());
        if self.options.as_ref() != Some(&options) {
            let options = options.clone();
            self.saving.push(move |settings| options.remember(settings));
        }
        self.options = Some(options);
    }

    fn start(&mut self, context: &mut Context) {
        if self.is_recording() {
            return;
        }
        let status = self.capture.status();
        if status.phase != CapturePhase::Listening {
            let closed = || Error::new(ErrorKind::Audio, "no input is open; choose one first");
            return context.fail("record", &status.fault.unwrap_or_else(closed));
        }
        match SoundFolder::create(context.folders.state(), GeneratedSound::Recording) {
            Ok(folder) => {
                let path = folder.join(&format!("Recording {}.wav", stamp(SystemTime::now())));
                let reserve_bytes = context.limits.reserve_bytes;
                self.capture
                    .record(path, RecordingSpace { reserve_bytes, is_private: true, ..RecordingSpace::default() });
                self.folder = Some(folder);
                // The file of a recording that was to end the program could not be opened.
                self.quits = None;
            }
            Err(error) => context.fail("record", &error),
        }
    }

    fn take_captured(&mut self, captured: Captured, context: &mut Context) {
        let Some(folder) = self.folder.take() else { return };
        for notice in captured.notices() {
            context.notify(Severity::Warning, sentence(&notice), None);
        }
        if captured.n_frames == 0 {
            context.remove_sound(folder);
            if captured.end == CaptureEnd::Stopped {
                context.notify(
                    Severity::Warning,
                    "Nothing was recorded.",
                    Some("Check that the input is on, then try again."),
                );
            }
            return self.quits = self.quits.take().map(|_| Some(PathBuf::new()));
        }
        context.notices.succeed("record");
        let secs = captured.n_frames as f64 / f64::from(captured.format.rate_hz);
        let advice = Some("Export it or save it as a project to keep it.");
        context.notify(Severity::Info, format!("Recorded {}.", clock_from_secs(secs)), advice);
        context.hold_sound(folder);
        self.quits = self.quits.take().map(|_| Some(captured.path.clone()));
        context.order(FileAct::Open(vec![captured.path]));
    }

    /// Reports a failure of device or disk at the start of a recording, and removes its folder.
    fn give_up(&mut self, context: &mut Context) {
        let Some((folder, fault)) = self.folder.take().zip(self.status.fault.clone()) else { return };
        context.remove_sound(folder);
        context.fail("record", &fault);
        self.quits = None;
    }

    /// Quits once the recording is a document, after a question about saving it.
    fn follow_end(&mut self, context: &mut Context) {
        let Some(Some(path)) = &self.quits else { return };
        let is_open = context.documents.iter().any(|document| document.path() == Some(path));
        if is_open || path.as_os_str().is_empty() {
            self.quits = None;
            context.leave(Then::Quit);
        }
    }
}

/// Local date and time, such as `2026-11-23 01-12-05`.
fn stamp(at: SystemTime) -> String {
    let unix_secs = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let UtcDate { year, month, day, hours, minutes, secs } =
        UtcDate::from_unix_secs(local_secs(i64::try_from(unix_secs).unwrap_or_default()));
    format!("{year:04}-{month:02}-{day:02} {hours:02}-{minutes:02}-{secs:02}")
}
