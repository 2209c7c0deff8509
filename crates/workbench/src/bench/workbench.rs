//! The workbench: the open documents and everything that works on them, without a window. It is changed by acts.
#![deny(clippy::wildcard_enum_match_arm)]

use super::acts::{Act, DocumentAct, LibrarySoundAct, NoticeAct, TabAct};
use super::checks::{check_edit, check_points, check_selection};
use super::context::{BenchEvent, Concern, Context};
use super::notices::Severity;
use crate::base::{Error, read_small_file};
use crate::beat::perform_beat;
use crate::commands::{Command, FileCommand};
use crate::devices::monitor::{PlaybackMonitor, Played};
use crate::devices::recorder::AudioRecorder;
use crate::document::Edit;
use crate::documents::{
    OpenDocument, change_picture, change_view, float, go_to, limits_of, move_key_cursor, perform_tab, perform_view,
};
use crate::drag_out::DragOut;
use crate::edits::{Clipboard, EditApplier, Processors, discard_floating, perform_clipboard, perform_edit};
use crate::engine::Engine;
use crate::files::{ExportQuery, Exporter, FileDialogs, FileHandler, FileOpener, ImageExporter, Projects, Then};
use crate::labels::{LabelPanel, act_on_labels, perform_label};
use crate::library::store::LibraryPlace;
use crate::library_panel::{Browser, perform_browse};
use crate::measurements::Measurements;
use crate::preview::{Previewer, cancel_preview, perform_preview};
use crate::search::{Searches, act_on_damage, perform_find, perform_select};
use crate::services::Services;
use crate::sessions::Sessions;
use crate::settings::graphics::GraphicsSettings;
use crate::settings::preferences::{Preferences, PreferencesWriter, SavedState, act_on_layout, perform_layout};
use crate::settings::presets::{PresetStore, perform_keep};
use crate::settings::tools::perform_tool;
use crate::strokes::{LiveStrokes, ShownStroke, StrokeAct};
use std::path::{Path, PathBuf};

/// All concerns, in the order in which they advance; Escape cancels in reverse order. `$borrow` is `&` or `&mut`.
macro_rules! concerns {
    ($bench:ident, $($borrow:tt)+) => {
        [
            $($borrow)+ $bench.browser as $($borrow)+ dyn Concern,
            $($borrow)+ $bench.applying,
            $($borrow)+ $bench.painting,
            $($borrow)+ $bench.previewing,
            $($borrow)+ $bench.monitor,
            $($borrow)+ $bench.recorder,
            $($borrow)+ $bench.exporting,
            $($borrow)+ $bench.processing.file_runs,
            $($borrow)+ $bench.file_dialogs,
            $($borrow)+ $bench.opening,
            $($borrow)+ $bench.sessions,
            // After the sessions, whose content is saved to projects.
            $($borrow)+ $bench.projects,
            $($borrow)+ $bench.clipboard,
            $($borrow)+ $bench.dragging,
            $($borrow)+ $bench.image_export,
            $($borrow)+ $bench.processing.stretching,
            $($borrow)+ $bench.processing.normalising,
            $($borrow)+ $bench.searches.similar,
            $($borrow)+ $bench.searches.selecting,
            $($borrow)+ $bench.searches.finding,
            $($borrow)+ $bench.measured.figures,
            $($borrow)+ $bench.measured.beat,
            $($borrow)+ $bench.measured.pitch,
            $($borrow)+ $bench.labelling.files,
            $($borrow)+ $bench.labelling.following,
            $($borrow)+ $bench.preferences.keeping,
            $($borrow)+ $bench.preferences.graphics,
            // After all concerns that change the remembered state, which it saves.
            $($borrow)+ $bench.preferences.keeper,
        ]
    };
}

/// The open documents, and the concerns that work on them.
pub struct Workbench {
    pub(crate) context: Context,
    applying: EditApplier,
    painting: LiveStrokes,
    previewing: Previewer,
    pub(crate) file_dialogs: FileDialogs,
    opening: FileOpener,
    pub(crate) exporting: Exporter,
    sessions: Sessions,
    pub(crate) projects: Projects,
    pub(crate) clipboard: Clipboard,
    dragging: DragOut,
    pub(crate) image_export: ImageExporter,
    pub(crate) processing: Processors,
    pub(crate) searches: Searches,
    pub(crate) measured: Measurements,
    pub(crate) labelling: LabelPanel,
    pub(crate) monitor: PlaybackMonitor,
    pub(crate) recorder: AudioRecorder,
    pub(crate) preferences: Preferences,
    pub(crate) browser: Browser,
}

impl Workbench {
    /// A workbench without documents, with the remembered state restored; `engine` applies its edits.
    pub fn new(services: Services, engine: Engine) -> Workbench {
        let Services { dialogs, audio_output, audio_input, clock, folders, jobs } = services;
        let plans = engine.plans().clone();
        let browser = Browser::new(LibraryPlace::new(&folders, None));
        let mut context = Context::new(clock, dialogs, folders, jobs, engine);
        let (remembered, notice) = SavedState::load(&context.folders);
        if let Some(notice) = notice {
            context.warn(&notice);
        }
        context.tools = remembered.tools.clone();
        context.remembered = remembered.clone();
        Workbench {
            context,
            applying: EditApplier,
            painting: LiveStrokes::default(),
            previewing: Previewer::default(),
            file_dialogs: FileDialogs::default(),
            opening: FileOpener::default(),
            exporting: Exporter::default(),
            sessions: Sessions::default(),
            projects: Projects::default(),
            clipboard: Clipboard::default(),
            dragging: DragOut::default(),
            image_export: ImageExporter::default(),
            processing: Processors::default(),
            searches: Searches::with(&plans),
            measured: Measurements::with(&plans),
            labelling: LabelPanel::default(),
            monitor: PlaybackMonitor::new(audio_output),
            recorder: AudioRecorder::new(audio_input),
            preferences: Preferences {
                keeper: PreferencesWriter::new(remembered),
                keeping: PresetStore::default(),
                graphics: GraphicsSettings::default(),
            },
            browser,
        }
    }

    /// Call once a frame: takes results, and starts work that waited for them. Playback is updated by
    /// [`play`](Workbench::play), which needs the stroke being drawn.
    pub fn advance(&mut self) {
        for concern in concerns!(self, &mut) {
            concern.advance(&mut self.context);
        }
        self.carry_out_orders();
    }

    /// Call once a frame, after [`advance`](Workbench::advance): plays the document in front, including the stroke
    /// being drawn.
    pub fn play(&mut self) {
        let is_busy = self.context.documents.active().is_some_and(|document| document.edits().is_busy());
        let n_underruns = self.transport().status.underruns;
        self.browser.make_room(self.painting.is_painting() || is_busy, n_underruns, self.context.now_secs());
        self.previewing.follow(&mut self.monitor, &mut self.context);
        self.monitor.follow(self.painting.in_progress(), &mut self.context);
    }

    /// Call once a frame while a document is open, after the pointer's acts. `scrub_secs` is the position scrubbed to
    /// on the ruler; `keys` are the pressed keys as ascending MIDI numbers, and a stroke at the lowest. The stroke of a
    /// pen takes precedence over keys.
    pub fn follow_hand(&mut self, scrub_secs: Option<f64>, keys: Option<(&[i32], &Edit)>) {
        let stroke = self.painting.in_progress().map(|(number, edit)| Played::Stroke(number, edit));
        let played = stroke.or(keys.map(|(notes, edit)| Played::Keys(notes, edit)));
        self.monitor.follow_hand(scrub_secs, played, &mut self.context);
    }

    /// Call once a frame with the export on the open card; `None` while no such card is open.
    pub fn follow_export(&mut self, requested: Option<ExportQuery<'_>>) {
        self.exporting.delivering.follow(requested, &mut self.context);
    }

    /// Strokes being drawn, and released strokes that the displayed sound does not include yet.
    pub fn painting(&self) -> &LiveStrokes {
        &self.painting
    }

    /// Call once a frame, after [`advance`](Workbench::advance): takes previews of strokes, at most `budget_bytes` in
    /// total, and their last error.
    pub fn take_shown(&mut self, budget_bytes: usize) -> (Vec<ShownStroke>, Option<Error>) {
        self.painting.take_shown(budget_bytes, &self.context.jobs)
    }

    /// Takes the events since the last call.
    pub fn take_events(&mut self) -> Vec<BenchEvent> {
        std::mem::take(&mut self.context.events)
    }

    /// Maximum time until the next advance, in seconds; `None`: not before a job or the user causes one.
    pub fn take_wake_after_secs(&mut self) -> Option<f64> {
        let expires_secs = self.context.notices.expire(self.context.now_secs());
        let until_notice_secs = expires_secs.map(|at_secs| (at_secs - self.context.now_secs()).max(0.01));
        match (self.context.take_wake_after(), until_notice_secs) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Whether any order of the user is in progress.
    pub fn is_working(&self) -> bool {
        concerns!(self, &).iter().any(|concern| concern.is_ordered() && concern.is_busy(&self.context))
    }

    /// Whether nothing at all is in progress.
    pub fn is_idle(&self) -> bool {
        let is_looking = self.measured.spectrum.is_busy() || self.exporting.delivering.is_busy();
        !is_looking && concerns!(self, &).iter().all(|concern| !concern.is_busy(&self.context))
    }

    /// The progress to show: text with the remaining time, and the completed fraction. `None` if work is too short to
    /// show.
    pub fn work(&self) -> Option<(String, f32)> {
        let status = concerns!(self, &).iter().rev().find_map(|concern| concern.work(&self.context))?;
        Some((status.words(self.context.now_secs())?, status.part))
    }

    /// Performs an act, the only way for the window or another driver to change the workbench.
    pub fn act(&mut self, act: impl Into<Act>) {
        self.carry_out(act.into());
        self.carry_out_orders();
    }

    fn carry_out_orders(&mut self) {
        while let Some(act) = self.context.orders.pop_front() {
            self.carry_out(act);
        }
    }

    fn carry_out(&mut self, act: Act) {
        let context = &mut self.context;
        match act {
            Act::Command(command) => self.perform(command),
            Act::Reply(reply) => self.filing().reply(reply),
            Act::File(act) => self.filing().act(act),
            Act::Tab(act) => match act {
                TabAct::Activate(id) => {
                    context.documents.activate(id);
                }
                TabAct::Close(id) => {
                    self.monitor.finish_take(context);
                    context.leave(Then::Close(id));
                }
                TabAct::Move { id, place } => context.documents.move_to(id, place),
            },
            Act::Stroke(act) => self.act_on_stroke(act),
            Act::Document(act) => self.act_on_document(act),
            Act::Damage(act) => act_on_damage(act, &mut self.monitor, context),
            Act::Label(act) => act_on_labels(act, &mut self.labelling, context),
            Act::View(act) => with_active(context, |document| change_view(act, document)),
            Act::Tools(settings) => context.tools.set(*settings),
            Act::Layout(act) => act_on_layout(act, &mut context.remembered),
            Act::Library(act) => self.browser.act(act, &mut self.monitor, context),
            Act::LibrarySound(act) => match act {
                LibrarySoundAct::Play(sound) => self.monitor.play_library_sound(&sound.snapshot, sound.gain_db),
                LibrarySoundAct::Float(at, sound) => self.clipboard.float_sound(at, *sound, context),
            },
            Act::Preset(act) => self.preferences.keeping.act(act, context),
            Act::DragOut(act) => self.dragging.act(act, &self.browser, &mut self.clipboard, context),
            Act::Play(act) => self.monitor.act(act, &context.documents),
            Act::Notice(NoticeAct::ShowFolder(folder)) => self.file_dialogs.show_folder(folder, context),
            Act::Notice(act) => act_on_notices(act, context),
            Act::Cancel => self.cancel(),
        }
    }

    fn filing(&mut self) -> FileHandler<'_> {
        FileHandler {
            file_dialogs: &mut self.file_dialogs,
            recorder: &mut self.recorder,
            opening: &mut self.opening,
            exporting: &mut self.exporting,
            file_runs: &mut self.processing.file_runs,
            projects: &mut self.projects,
            image_export: &mut self.image_export,
            sessions: &mut self.sessions,
            monitor: &mut self.monitor,
            labelling: &mut self.labelling,
            stretching: &mut self.processing.stretching,
            beat: &mut self.measured.beat,
            pitch: &mut self.measured.pitch,
            graphics: &mut self.preferences.graphics,
            context: &mut self.context,
        }
    }

    fn perform(&mut self, command: Command) {
        if command.enabled(&self.facts()).is_err() {
            return;
        }
        let context = &mut self.context;
        match command {
            Command::File(command) => {
                if matches!(command, FileCommand::Close | FileCommand::Quit) {
                    // Adds the recorded notes as an edit first, so that closing asks about them.
                    self.monitor.finish_take(context);
                }
                self.filing().perform(command);
            }
            Command::Edit(command) => {
                perform_edit(command, &mut self.processing.normalising, &mut self.monitor, context)
            }
            Command::Preview(command) => perform_preview(command, &mut self.monitor, context),
            Command::Clipboard(command) => {
                let stretching = &mut self.processing.stretching;
                let copiers = (&mut self.clipboard, stretching, &mut self.image_export, &mut self.measured.spectrum);
                perform_clipboard(command, copiers, context);
            }
            Command::Select(command) => perform_select(command, &mut self.searches.selecting, context),
            Command::Find(command) => {
                perform_find(command, &mut self.searches.finding, &mut self.searches.similar, context)
            }
            Command::Keep(command) => perform_keep(command, &mut self.preferences.keeping, context),
            Command::Label(command) => {
                perform_label(command, &mut self.labelling, (&mut self.file_dialogs, &mut self.monitor), context);
            }
            Command::Beat(command) => perform_beat(command, &mut self.measured.beat, context),
            Command::Tool(command) => perform_tool(command, &mut context.tools),
            Command::View(command) => with_active(context, |document| perform_view(command, document)),
            Command::Tab(command) => perform_tab(command, &mut context.documents),
            Command::Layout(command) => perform_layout(command, &mut context.remembered.layout),
            Command::Browse(command) => perform_browse(command, &mut self.browser, context),
            Command::Play(command) => self.monitor.perform(command, context),
            Command::Cursor(_) | Command::Canvas(_) | Command::Window(_) => context.send(BenchEvent::Perform(command)),
        }
    }

    fn act_on_stroke(&mut self, act: StrokeAct) {
        let is_dropped = matches!(act, StrokeAct::Cancel) && self.painting.is_painting();
        let Some(document) = self.context.documents.active() else { return };
        let checked = match &act {
            StrokeAct::Begin(started) => check_edit(&started.edit, document.selection()),
            StrokeAct::Extend { points, .. } => {
                let stroke = self.painting.in_progress().and_then(|(_, edit)| edit.stroke.as_ref());
                stroke.map_or(Ok(()), |stroke| check_points(stroke.axis, points))
            }
            StrokeAct::End | StrokeAct::Cancel => Ok(()),
        };
        if let Err(error) = checked {
            return self.context.fail("draw the stroke", &error);
        }
        let finished = self.painting.act(act, document, &self.context.engine);
        if is_dropped {
            self.monitor.drop_stroke();
        }
        if let Some(edit) = finished {
            self.act_on_document(DocumentAct::Edit(Box::new(edit)));
        }
    }

    fn act_on_document(&mut self, act: DocumentAct) {
        let context = &mut self.context;
        match act {
            DocumentAct::Find(request) => {
                let limits = context.documents.active().map(|document| limits_of(document.shown()));
                if let Some(request) = limits.and_then(|limits| request.within_limits(&limits)) {
                    self.searches.selecting.request(request, context);
                }
            }
            DocumentAct::Point(readout) => context.point(readout),
            DocumentAct::FollowSpectrum(secs) => self.follow_spectrum(secs.filter(|secs| secs.is_finite())),
            DocumentAct::Edit(_) if context.documents.active().is_some_and(|d| d.open_preview().is_some()) => {
                let advice = Some("Press Enter to apply it or Esc to cancel it first.");
                context.notify(Severity::Info, "A preview is open, so nothing else was changed.", advice);
            }
            DocumentAct::Edit(edit) => {
                match check_edit(&edit, context.documents.active().and_then(OpenDocument::selection)) {
                    Ok(()) => with_active(context, |document| document.edit(*edit)),
                    Err(error) => context.fail("apply the edit", &error),
                }
            }
            DocumentAct::CloneFromHere => with_active(context, |document| document.set_donor(None)),
            DocumentAct::GoTo(position) => with_active(context, |document| go_to(position, document)),
            DocumentAct::Cursor(secs) => with_active(context, |document| {
                document.take_label(None);
                document.set_cursor(secs);
            }),
            DocumentAct::KeyCursor(place) => with_active(context, |document| move_key_cursor(place, document)),
            DocumentAct::Select(selection) => match selection.as_ref().map_or(Ok(()), check_selection) {
                Ok(()) => with_active(context, |document| document.select(selection)),
                Err(error) => context.fail("select", &error),
            },
            DocumentAct::FloatPicture(brush) => with_active(context, |document| change_picture(*brush, document)),
            DocumentAct::Float(offset) => with_active(context, |document| float(offset, document)),
        }
    }

    fn follow_spectrum(&mut self, secs: Option<f64>) {
        let whole = self.context.documents.active().filter(|document| secs.is_some() && !document.is_reading());
        self.measured.spectrum.follow(whole, self.context.tools.noise(), secs.unwrap_or(0.0), &self.context.jobs);
        if let Some(text) = self.measured.spectrum.take_copy() {
            self.context.send(BenchEvent::Copy(text));
        }
    }

    /// Handles Escape: discards the floating paste, else the preview, else cancels the latest order.
    fn cancel(&mut self) {
        let has_stopped = discard_floating(&mut self.monitor, &mut self.context)
            || cancel_preview(&mut self.monitor, &mut self.context)
            || concerns!(self, &mut).into_iter().rev().any(|concern| concern.cancel(&mut self.context));
        if !has_stopped {
            self.context.send(BenchEvent::NothingToCancel);
        }
    }

    /// Sessions and files that are about to be opened.
    pub fn coming(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (sessions, mut files) = self.sessions.coming();
        files.splice(0..0, self.opening.coming().map(Path::to_path_buf));
        (sessions, files)
    }

    /// Ends the concerns with unfinished files or settings before the program exits. `is_requested`: the user or the
    /// system requested the exit, rather than a lost device causing it.
    pub fn end(&mut self, is_requested: bool) {
        self.preferences.keeper.end(&mut self.context);
        self.recorder.end();
        self.dragging.end();
        self.sessions.end(is_requested, &mut self.context);
    }
}

/// Maximum size of a report to copy; reports have a few hundred kilobytes.
const MAX_REPORT_BYTES: u64 = 4 << 20;

fn with_active(context: &mut Context, change: impl FnOnce(&mut OpenDocument)) {
    if let Some(document) = context.documents.active_mut() {
        change(document);
    }
}

fn act_on_notices(act: NoticeAct, context: &mut Context) {
    let now_secs = context.now_secs();
    match act {
        NoticeAct::Show { severity, what, advice } => context.notify(severity, what, advice.as_deref()),
        NoticeAct::Fail { operation, error } => context.fail(operation, &error),
        NoticeAct::Report { what, advice, file } => {
            context.notices.notify_report(now_secs, what, advice.as_deref(), file);
        }
        NoticeAct::CopyReport(file) => match read_small_file(&file, MAX_REPORT_BYTES) {
            Ok(text) => {
                context.send(BenchEvent::Copy(String::from_utf8_lossy(&text).into_owned()));
                context.notify(Severity::Info, "Copied the report.", None);
            }
            Err(error) => context.fail("copy the report", &error),
        },
        // Performed by the caller, which has access to the file dialogs.
        NoticeAct::ShowFolder(_) => {}
        NoticeAct::Close(id) => context.notices.close(id),
        NoticeAct::CloseAll => context.notices.close_all(),
        NoticeAct::Keep(id) => context.notices.keep_for_reading(id, now_secs),
    }
}
