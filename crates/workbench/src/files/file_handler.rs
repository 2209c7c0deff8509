//! Performs commands and acts on files and sessions, and the user's answers to questions.
#![deny(clippy::wildcard_enum_match_arm)]

use super::exporter::Exporter;
use super::file_dialogs::{FileDialogs, ask_export, ask_export_again, ask_parts, ask_run_files, named_for_export};
use super::image_export::ImageExporter;
use super::opener::{FileOpener, open_canvas};
use super::options::PartsOptions;
use super::paths::{
    with_csv, with_ending, with_exr_or_png, with_label_ending, with_png, with_sound_ending, with_table_ending,
};
use super::projects::{Projects, ask_project};
use super::questions::{ExportOptions, Locating, NewCanvas, Purpose, Question, Reply, Then};
use super::resample::{ask_rate, resample};
use crate::base::{Error, ErrorKind};
use crate::beat::{self, BeatFinder};
use crate::bench::acts::{FileAct, LibraryAct};
use crate::bench::context::{BenchEvent, Context};
use crate::bench::limits::{BUFFER_FRAMES, CANVAS_SECS, held};
use crate::bench::notices::Severity;
use crate::commands::FileCommand;
use crate::devices::monitor::PlaybackMonitor;
use crate::devices::recorder::AudioRecorder;
use crate::document::session::SourceSearch;
use crate::documents::OpenDocument;
use crate::edits::{SelectionLifter, insert_silence, lengthen_by, normalise, shift_pitch};
use crate::file_runs::FilesRunner;
use crate::labels::{self, LabelPanel};
use crate::measurements::PitchUpdater;
use crate::sessions::Sessions;
use crate::settings::graphics::GraphicsSettings;
use std::path::PathBuf;

/// The concerns to which file commands and the user's answers are dispatched.
pub struct FileHandler<'a> {
    pub file_dialogs: &'a mut FileDialogs,
    pub recorder: &'a mut AudioRecorder,
    pub opening: &'a mut FileOpener,
    pub exporting: &'a mut Exporter,
    pub file_runs: &'a mut FilesRunner,
    pub projects: &'a mut Projects,
    pub image_export: &'a mut ImageExporter,
    pub sessions: &'a mut Sessions,
    pub monitor: &'a mut PlaybackMonitor,
    pub labelling: &'a mut LabelPanel,
    pub stretching: &'a mut SelectionLifter,
    pub beat: &'a mut BeatFinder,
    pub pitch: &'a mut PitchUpdater,
    pub graphics: &'a mut GraphicsSettings,
    pub context: &'a mut Context,
}

impl FileHandler<'_> {
    /// Performs a file command.
    pub fn perform(&mut self, command: FileCommand) {
        let context = &mut *self.context;
        match command {
            FileCommand::New => context.ask(Question::New(NewCanvas::default())),
            FileCommand::Open => self.file_dialogs.open(context),
            FileCommand::OpenPath => {
                context.ask(Question::Path { purpose: Purpose::Open, text: String::new(), replaces: None });
            }
            FileCommand::OpenPicture => self.file_dialogs.open_picture(context),
            FileCommand::OpenCells => self.file_dialogs.open_cells(context),
            FileCommand::SaveCells => {
                if let Some(id) = context.documents.active_id() {
                    self.file_dialogs.save_cells(id, context);
                }
            }
            FileCommand::SavePicture => {
                if let Some(id) = context.documents.active_id() {
                    self.file_dialogs.save_picture(id, context);
                }
            }
            FileCommand::SavePitch => {
                if let Some(id) = context.documents.active_id() {
                    self.file_dialogs.save_pitch(id, context);
                }
            }
            FileCommand::Record => self.recorder.ask(context),
            FileCommand::StopRecording => self.recorder.stop(),
            FileCommand::OpenRecent(index) => {
                if let Some(recent) = context.remembered.recent.get(index) {
                    self.opening.open(recent.path.clone(), context);
                }
            }
            FileCommand::ForgetRecent => context.remembered.recent.clear(),
            FileCommand::OpenDemo => self.opening.open_demo(context),
            FileCommand::SaveProject => {
                if let Some(id) = context.documents.active_id() {
                    self.projects.save(id, None, context);
                }
            }
            FileCommand::SaveProjectAs => ask_project(context),
            FileCommand::SaveBack => {
                if let Some(id) = context.documents.active_id() {
                    self.projects.back.save(id, None, context);
                }
            }
            FileCommand::Export => {
                let document = context.documents.active_id();
                match self.exporting.failed(document) {
                    Some((options, path)) => ask_export_again(options, &path, context),
                    None => ask_export(ExportOptions { document, ..ExportOptions::default() }, context),
                }
            }
            FileCommand::ExportByLabel => self.ask_parts(),
            FileCommand::Resample => ask_rate(context),
            FileCommand::RunOnFiles => self.file_runs.ask(context),
            FileCommand::Close => {
                if let Some(id) = context.documents.active_id() {
                    context.leave(Then::Close(id));
                }
            }
            FileCommand::Quit if self.recorder.is_recording() => context.ask(Question::StillRecording),
            FileCommand::Quit => context.leave(Then::Quit),
        }
    }

    /// Performs an act on files, sessions or limits.
    pub fn act(&mut self, act: FileAct) {
        let context = &mut *self.context;
        match act {
            FileAct::Open(files) => self.opening.sort(files, context),
            FileAct::OpenFile(file) => self.opening.open(file, context),
            FileAct::PickLibraryFolder => self.file_dialogs.folder(context),
            FileAct::Paste(pasted) => self.opening.float(pasted, context),
            FileAct::Show(snapshot) => context.show(OpenDocument::new(None, snapshot)),
            FileAct::LookForSessions { agreed, files } => self.sessions.look(agreed, files, context),
            FileAct::BeginWithDemo => self.sessions.begin_with_demo(),
            FileAct::Resume(folder) => self.sessions.resume(&folder, context),
            FileAct::Limit(limits) => context.limits = limits,
            FileAct::AllowSavingBack => context.saves_back = true,
            FileAct::AskGraphics(adapters) => self.graphics.ask(adapters, context),
            FileAct::StopWriting => self.exporting.stop_writing(),
            #[cfg(feature = "hooks")]
            FileAct::Panic(path) => {
                self.opening.give(path, context, |_, _, _, _| panic!("a test asked for a panic of a job"));
            }
        }
    }

    /// Performs the user's answer to a question.
    pub fn reply(&mut self, reply: Reply) {
        let context = &mut *self.context;
        if reply.is_about_front() && context.documents.active().is_none() {
            return context.notify(Severity::Info, "Open a file first.", None);
        }
        match reply {
            Reply::Preset(answer) => self.exporting.delivering.answer(answer, context),
            Reply::ExportWhere(options) => self.file_dialogs.export(options, context),
            Reply::ExportParts(options, folder) => self.exporting.export_parts(options, folder),
            Reply::ExportPartsWhere(options) => self.file_dialogs.parts_folder(options, context),
            Reply::ProjectWhere(options) => self.file_dialogs.project(options, context),
            Reply::LocateWhere(what) => self.file_dialogs.locate(what, context),
            Reply::Path { purpose, path, replaces } => self.take_path(purpose, path, replaces),
            Reply::SaveFirst { document, then } => self.projects.save(document, Some(then), context),
            Reply::SaveBackFirst { document, then } => self.projects.back.save(document, Some(then), context),
            Reply::ExportFirst { document, then } => {
                ask_export(
                    ExportOptions { document: Some(document), then: Some(then), ..ExportOptions::default() },
                    context,
                );
            }
            Reply::Discard { document, then } => {
                if let Some(document) = context.documents.get_mut(document) {
                    document.edits_mut().clear();
                    document.session_mut().discard();
                }
                match then {
                    Then::Close(_) => context.go_on(then),
                    Then::Quit => context.unless_unsaved(then),
                }
            }
            Reply::KeepEditing => context.keep_all(),
            Reply::Locate(what, finding) => self.locate(what, finding),
            Reply::Recover(answer) => self.sessions.answer(answer, context),
            Reply::Output(device, buffer_frames) => {
                let buffer_frames = buffer_frames.clamp(BUFFER_FRAMES[0], BUFFER_FRAMES[1]);
                self.monitor.choose_output(device, buffer_frames);
            }
            Reply::Graphics(adapter, engine) => self.graphics.choose(adapter, engine),
            Reply::Record(answer) => self.recorder.answer(answer, context),
            Reply::New { canvas, has_picture } => {
                open_canvas(canvas.within_limits(), context);
                if has_picture {
                    self.file_dialogs.open_picture(context);
                }
            }
            Reply::Lengthen(secs) if !secs.is_finite() => {
                context.fail("add silence", &Error::new(ErrorKind::Script, "its length is not a finite number"));
            }
            Reply::Lengthen(secs) => {
                if let Some(document) = context.documents.active_mut() {
                    lengthen_by(held(secs, CANVAS_SECS, secs), document);
                }
            }
            Reply::InsertSilence([at_secs, secs]) => insert_silence(at_secs, secs, context),
            Reply::Label(options) => labels::set(options, context),
            Reply::RunFiles(order) => self.file_runs.run(*order, context),
            Reply::RunFilesWhere(options, place) => self.file_dialogs.run_files(options, place, context),
            Reply::ShowFolder(folder) => self.file_dialogs.show_folder(folder, context),
            Reply::Beat(answer) => beat::answer(answer, self.beat, context),
            Reply::PitchShift(semitones) => shift_pitch(semitones, context),
            Reply::Normalise(options) => normalise(options, context),
            Reply::Stretch(options) => self.stretching.stretch(options, context),
            Reply::Resample(rate_hz) => resample(rate_hz, self.opening, context),
        }
    }

    /// Shows the card of an export by label, with the settings of the last failed one, if any.
    fn ask_parts(&mut self) {
        let Some(document) = self.context.documents.active_id() else { return };
        match self.exporting.failed_parts(document) {
            Some(options) => self.context.ask(Question::ExportParts(options)),
            None => ask_parts(document, &self.labelling.following.list.order().filter, self.context),
        }
    }

    fn take_path(&mut self, purpose: Purpose, path: PathBuf, replaces: Option<PathBuf>) {
        let typed = path.clone();
        let path = match purpose {
            Purpose::Project(_) => with_ending(path),
            Purpose::Export(ref options) => match named_for_export(path, options, self.context) {
                Ok(path) => with_sound_ending(path, options.delivery.container),
                Err(error) => {
                    self.context.fail("export", &error);
                    return ask_export_again(options.clone(), &typed, self.context);
                }
            },
            Purpose::Cells(_) => with_exr_or_png(path),
            Purpose::Picture(_) => with_png(path),
            Purpose::Labels(_) => with_label_ending(path),
            Purpose::Measurements(_) => with_table_ending(path),
            Purpose::Pitch(_) => with_csv(path),
            Purpose::Open
            | Purpose::OpenPicture
            | Purpose::OpenCells
            | Purpose::Locate(_)
            | Purpose::AddFolder
            | Purpose::RunFiles(..)
            | Purpose::PartsFolder(_)
            | Purpose::ImportLabels(_) => path,
        };
        match purpose {
            Purpose::Open => self.opening.open(path, self.context),
            Purpose::OpenPicture => self.opening.open_picture(path, self.context),
            Purpose::OpenCells => self.opening.open_cells(path, self.context),
            Purpose::AddFolder => self.context.order(LibraryAct::Add(vec![path])),
            Purpose::RunFiles(options, place) => ask_run_files(*options, place, Some(&path), self.context),
            Purpose::PartsFolder(options) => {
                let folder = path.to_string_lossy().into_owned();
                self.context.ask(Question::ExportParts(Box::new(PartsOptions { folder, ..*options })));
            }
            Purpose::Locate(what) => self.locate(what, SourceSearch { source: Some(path), may_have_changed: false }),
            Purpose::ImportLabels(id) => self.labelling.files.import(id, path, self.context),
            Purpose::Export(_)
            | Purpose::Project(_)
            | Purpose::Cells(_)
            | Purpose::Picture(_)
            | Purpose::Labels(_)
            | Purpose::Measurements(_)
            | Purpose::Pitch(_)
                if replaces.as_ref() != Some(&path) =>
            {
                self.file_dialogs.check(purpose, path, self.context);
            }
            Purpose::Export(options) => self.exporting.export(options, path, self.context),
            Purpose::Project(options) => self.projects.save_at(options, path, self.context),
            Purpose::Cells(id) => self.image_export.save_cells(id, path, self.context),
            Purpose::Picture(id) => self.image_export.save_picture(id, path, self.context),
            Purpose::Labels(id) => self.labelling.files.export(id, path, self.context),
            Purpose::Pitch(id) => self.pitch.save(id, path, self.context),
            Purpose::Measurements(id) => {
                let LabelPanel { files, following } = &mut *self.labelling;
                files.measure(id, &following.list, path, self.context);
            }
        }
    }

    fn locate(&mut self, what: Locating, finding: SourceSearch) {
        self.context.send(BenchEvent::Located);
        match what {
            Locating::Project(path) => self.opening.open_with(path, finding, self.context),
            Locating::Session(folder) => self.sessions.locate(&folder, finding),
        }
    }
}
