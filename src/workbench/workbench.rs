//! The workbench: the open documents and everything that works on them, without a window.

use super::commands::{Facts, Seek};
use super::context::{BenchEvent, Budgets, Concern, Context};
use super::documents::{Documents, OpenDocument};
use super::editing::{self, Applying, Clipboard};
use super::files::{
    Asking, ExportWish, Exporting, FileOpener, OpenedFile, Projects, Purpose, Question, Reply, Then, ask_project,
};
use super::files::{open_canvas, with_ending};
use super::habits::{Keeper, Layout, Remembered, SCALES};
use super::hearing::{Hearer, Hearing, Transport};
use super::measuring::{Extent, Measuring, Readout, Slice, Spectrum};
use super::notices::{Level, Notices};
use super::searching::{Finding, Reshape, SelectWish, Selecting, Similar};
use super::services::{Jobs, Services};
use super::sessions::Sessions;
use super::tools::Tools;
use super::work::JobStatus;
use crate::base::{Error, Progress, Result};
use crate::document::Edit;
use crate::document::session::Finding as Located;
use crate::engine::Engine;
use std::path::{Path, PathBuf};

/// Work shorter than this shows no progress.
const SHOW_WORK_AFTER_SECS: f64 = 0.3;

/// The open documents, and what works on them.
pub struct Workbench {
    context: Context,
    applying: Applying,
    asking: Asking,
    opening: FileOpener,
    exporting: Exporting,
    sessions: Sessions,
    projects: Projects,
    clipboard: Clipboard,
    similar: Similar,
    selecting: Selecting,
    finding: Finding,
    measuring: Measuring,
    spectrum: Spectrum,
    hearer: Hearer,
    keeper: Keeper,
}

impl Workbench {
    /// Nothing is open. What was remembered is taken over; edits are applied on `engine`.
    pub fn new(services: Services, engine: Engine) -> Workbench {
        let Services { dialogs, audio_output, clock, folders, jobs } = services;
        let plans = engine.plans().clone();
        let mut context = Context::new(clock, dialogs, folders, jobs, engine);
        let (remembered, notice) = Remembered::load(&context.folders);
        if let Some(notice) = notice {
            context.warn(&notice);
        }
        context.tools = remembered.tools.clone();
        context.remembered = remembered.clone();
        Workbench {
            context,
            applying: Applying,
            asking: Asking::default(),
            opening: FileOpener::default(),
            exporting: Exporting::default(),
            sessions: Sessions::default(),
            projects: Projects::default(),
            clipboard: Clipboard::default(),
            similar: Similar::with(&plans),
            selecting: Selecting::with(&plans),
            finding: Finding::with(&plans),
            measuring: Measuring::with(&plans),
            spectrum: Spectrum::with(&plans),
            hearer: Hearer::new(audio_output),
            keeper: Keeper::new(remembered),
        }
    }

    /// Every concern, in the order in which they are advanced. Escape asks them in the reverse order.
    fn concerns(&mut self) -> (&mut Context, [&mut dyn Concern; 12]) {
        let concerns: [&mut dyn Concern; 12] = [
            &mut self.applying,
            &mut self.hearer,
            &mut self.exporting,
            &mut self.asking,
            &mut self.opening,
            &mut self.sessions,
            // After the sessions: what is saved is what they hold.
            &mut self.projects,
            &mut self.clipboard,
            &mut self.similar,
            &mut self.selecting,
            &mut self.finding,
            &mut self.measuring,
        ];
        (&mut self.context, concerns)
    }

    fn concerns_ref(&self) -> [&dyn Concern; 12] {
        [
            &self.applying,
            &self.hearer,
            &self.exporting,
            &self.asking,
            &self.opening,
            &self.sessions,
            &self.projects,
            &self.clipboard,
            &self.similar,
            &self.selecting,
            &self.finding,
            &self.measuring,
        ]
    }

    /// Once a frame: takes what arrived, and starts what waited for it. Sound is followed by
    /// [`hear`](Workbench::hear), which needs the stroke in hand.
    pub fn advance(&mut self) {
        let (context, concerns) = self.concerns();
        for concern in concerns {
            concern.advance(context);
        }
        self.keeper.advance(&mut self.context);
        for file in self.sessions.take_files() {
            self.opening.open(file, &mut self.context);
        }
        while let Some(reply) = self.context.replies.pop_front() {
            self.reply(reply);
        }
    }

    /// Once a frame, after [`advance`](Workbench::advance): what is heard is the document in front, with the stroke in
    /// hand on it (another number for each stroke, and the stroke as far as it is drawn).
    pub fn hear(&mut self, in_hand: Option<(u64, &Edit)>) {
        self.hearer.follow(in_hand, &mut self.context);
    }

    /// What was reported since the last call.
    pub fn take_events(&mut self) -> Vec<BenchEvent> {
        std::mem::take(&mut self.context.events)
    }

    /// In how many seconds to advance again at the latest; none: when a job or the user wakes it.
    pub fn take_wake_after_secs(&mut self) -> Option<f64> {
        let expires_secs = self.context.notices.expire(self.context.now_secs());
        let until_notice_secs = expires_secs.map(|at_secs| (at_secs - self.context.now_secs()).max(0.01));
        match (self.context.take_wake_after(), until_notice_secs) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Whether anything that the user ordered is in progress.
    pub fn is_working(&self) -> bool {
        self.concerns_ref().iter().any(|concern| concern.is_ordered() && concern.is_busy(&self.context))
    }

    /// Whether nothing is in progress at all.
    pub fn is_idle(&self) -> bool {
        let is_looking = self.spectrum.is_busy() || self.keeper.is_busy(&self.context);
        !is_looking && self.concerns_ref().iter().all(|concern| !concern.is_busy(&self.context))
    }

    /// Progress that is worth showing: words and the part that is done.
    pub fn work(&self) -> Option<(String, f32)> {
        let JobStatus { name, part, since_secs } =
            self.concerns_ref().iter().rev().find_map(|concern| concern.work(&self.context))?;
        (self.context.now_secs() - since_secs >= SHOW_WORK_AFTER_SECS)
            .then(|| (format!("{name}, {} %", (part * 100.0).floor()), part))
    }

    /// Stops what was ordered last; false if nothing is in progress.
    pub fn cancel(&mut self) -> bool {
        let (context, concerns) = self.concerns();
        concerns.into_iter().rev().any(|concern| concern.cancel(context))
    }

    /// Acts on the user's answer to a question.
    pub fn reply(&mut self, reply: Reply) {
        let context = &mut self.context;
        match reply {
            Reply::ExportWhere(wish) => self.asking.export(wish, context),
            Reply::ProjectWhere(wish) => self.asking.project(wish, context),
            Reply::LocateWhere(what) => self.asking.locate(what, context),
            Reply::Path { purpose, path, replaces } => self.take_path(purpose, path, replaces),
            Reply::SaveFirst { document, then } => self.projects.save(document, Some(then), context),
            Reply::ExportFirst { document, then } => {
                let wish = ExportWish { document: Some(document), then: Some(then), ..ExportWish::default() };
                context.ask(Question::Export(wish));
            }
            Reply::Discard { document, then } => {
                if let Some(document) = context.documents.get_mut(document) {
                    document.edits.clear();
                    document.session.discard();
                }
                match then {
                    Then::Close(_) => context.go_on(then),
                    Then::Quit => context.unless_unsaved(then),
                }
            }
            Reply::KeepEditing => context.keep_all(),
            Reply::Locate(what, finding) => self.locate(what, finding),
            Reply::Left(answer) => self.sessions.answer(answer, context),
            Reply::Output(device, buffer_frames) => self.hearer.choose_output(device, buffer_frames, context),
            Reply::New(wish) => open_canvas(wish, context),
            Reply::Lengthen(secs) => {
                if let Some(document) = context.documents.active_mut() {
                    editing::lengthen_by(secs, document);
                }
            }
        }
    }

    fn take_path(&mut self, purpose: Purpose, path: PathBuf, replaces: Option<PathBuf>) {
        let path = if matches!(purpose, Purpose::Project(_)) { with_ending(path) } else { path };
        match purpose {
            Purpose::Open => self.opening.open(path, &mut self.context),
            Purpose::Locate(what) => self.locate(what, Located { source: Some(path), may_have_changed: false }),
            Purpose::Export(_) | Purpose::Project(_) if replaces.as_ref() != Some(&path) => {
                self.asking.check(purpose, path, &self.context);
            }
            Purpose::Export(wish) => self.exporting.export(wish, path, &self.context),
            Purpose::Project(wish) => self.projects.save_at(wish, path, &self.context),
        }
    }

    fn locate(&mut self, what: super::files::Locating, finding: Located) {
        self.context.send(BenchEvent::Located);
        match what {
            super::files::Locating::Project(path) => self.opening.open_with(path, finding, &self.context),
            super::files::Locating::Session(folder) => self.sessions.locate(&folder, finding),
        }
    }

    /// The program ends. `is_asked_for` says that the user or the system asked for it, rather than a device that is
    /// lost.
    pub fn end(&mut self, is_asked_for: bool) {
        self.keeper.end(&mut self.context);
        self.sessions.end(is_asked_for, &mut self.context);
    }
}

/// What widgets change while they are drawn.
pub struct Parts<'a> {
    /// The document in front.
    pub document: Option<&'a mut OpenDocument>,
    /// The tools.
    pub tools: &'a mut Tools,
    /// Panels and how they are shown.
    pub layout: &'a mut Layout,
    /// The player.
    pub transport: &'a mut Transport,
    /// The spectra.
    pub spectrum: &'a Spectrum,
}

/// Files and documents.
impl Workbench {
    /// What widgets change while they are drawn.
    pub fn parts(&mut self) -> Parts<'_> {
        Parts {
            document: self.context.documents.active_mut(),
            tools: &mut self.context.tools,
            layout: &mut self.context.remembered.layout,
            transport: &mut self.hearer.transport,
            spectrum: &self.spectrum,
        }
    }

    /// Opens these files, one after the other; each comes to the front.
    pub fn open_all(&mut self, files: Vec<PathBuf>) {
        for file in files {
            self.opening.open(file, &mut self.context);
        }
    }

    /// Opens what a function makes of a path.
    pub fn open_by(
        &mut self,
        path: PathBuf,
        open: impl FnOnce(&Path, &Progress) -> Result<OpenedFile> + Send + 'static,
    ) {
        self.opening.give(path, &self.context, move |path, _, _, progress| open(path, progress));
    }

    /// Opens the clip that comes with the program.
    pub fn open_demo(&mut self) {
        self.opening.open_demo(&self.context);
    }

    /// Asks the system for a file to open.
    pub fn ask_open(&mut self) {
        self.asking.open(&mut self.context);
    }

    /// Puts a question to the user.
    pub fn ask(&mut self, question: Question) {
        self.context.ask(question);
    }

    /// Closes the document in front, or the program, unless there are edits to ask about first.
    pub fn unless_unsaved(&mut self, then: Then) {
        self.context.keep_all();
        self.context.unless_unsaved(then);
    }

    /// Saves the project of the document in front where it is, or asks where.
    pub fn save_project(&mut self) {
        if let Some(id) = self.context.documents.active_id() {
            self.projects.save(id, None, &mut self.context);
        }
    }

    /// Asks where to save the project.
    pub fn save_project_as(&mut self) {
        ask_project(&mut self.context);
    }

    /// Whether a file is being written.
    pub fn is_writing(&self) -> bool {
        self.exporting.is_busy(&self.context) || self.projects.is_busy(&self.context)
    }

    /// Whether a WAV file is being written.
    pub fn is_exporting(&self) -> bool {
        self.exporting.is_busy(&self.context)
    }

    /// Asks an export to stop; until it has, it is still being written.
    pub fn stop_writing(&mut self) {
        self.exporting.stop_writing();
    }

    /// Looks for work that was left by a process that ended unexpectedly, and offers it (`agreed` none), gives it back
    /// (yes) or leaves it (no); then opens these files.
    pub fn look_for_sessions(&mut self, agreed: Option<bool>, files: Vec<PathBuf>) {
        self.sessions.look(agreed, files, &self.context);
    }

    /// Goes on in a session whose process was replaced by this one.
    pub fn resume(&mut self, session: &Path) {
        self.sessions.resume(session, &mut self.context);
    }

    /// The open documents.
    pub fn documents(&self) -> &Documents {
        &self.context.documents
    }

    /// The open documents, to bring another to the front or to move one.
    pub fn documents_mut(&mut self) -> &mut Documents {
        &mut self.context.documents
    }

    /// The document in front.
    pub fn document(&self) -> Option<&OpenDocument> {
        self.context.documents.active()
    }

    /// The document in front, as panels and the canvas change it.
    pub fn document_mut(&mut self) -> Option<&mut OpenDocument> {
        self.context.documents.active_mut()
    }
}

/// What is done to the document in front.
impl Workbench {
    /// Applies an edit.
    pub fn edit(&mut self, edit: Edit) {
        if let Some(document) = self.document_mut() {
            document.edit(edit);
        }
    }

    /// Finds a selection in the sound.
    pub fn wish(&mut self, wish: SelectWish) {
        self.selecting.wish(wish, &self.context);
    }

    /// Moves or softens the edge of what is selected.
    pub fn reshape(&mut self, how: Reshape) {
        self.selecting.reshape(how, &self.context);
    }

    /// Learns the noise of what is selected.
    pub fn learn_noise(&mut self) {
        self.finding.learn(&mut self.context);
    }

    /// Looks for clicks, hum and the like.
    pub fn seek(&mut self, seek: Seek) {
        self.finding.seek(seek, &mut self.context);
    }

    /// Looks for the next place that is like what is selected, or the one before.
    pub fn find_similar(&mut self, is_next: bool) {
        self.similar.find(is_next, &mut self.context);
    }

    /// Copies or cuts what is selected.
    pub fn copy(&mut self, is_cut: bool) {
        self.clipboard.copy(is_cut, &mut self.context);
    }

    /// What was copied floats over the document.
    pub fn paste(&mut self, is_in_place: bool) {
        self.clipboard.paste(is_in_place, &mut self.context);
    }

    /// Puts down what floats.
    pub fn land(&mut self) {
        editing::land(&mut self.context);
    }

    /// Drops what floats; false if nothing does.
    pub fn drop_floating(&mut self) -> bool {
        let dropped = editing::drop_floating(&mut self.context);
        if dropped {
            self.hearer.drop_stroke();
        }
        dropped
    }

    /// Makes room for what went past the end, or asks how much.
    pub fn lengthen(&mut self) {
        editing::lengthen(&mut self.context);
    }
}

/// What is heard and measured.
impl Workbench {
    /// The player.
    pub fn transport(&self) -> &Transport {
        self.hearer.transport()
    }

    /// The player, as controls change it.
    pub fn transport_mut(&mut self) -> &mut Transport {
        &mut self.hearer.transport
    }

    /// What is heard.
    pub fn hearer(&self) -> &Hearer {
        &self.hearer
    }

    /// Hears this of the sound, or everything again.
    pub fn toggle_hearing(&mut self, hearing: Hearing) {
        self.hearer.toggle(hearing);
    }

    /// The stroke in hand was dropped.
    pub fn drop_stroke(&mut self) {
        self.hearer.drop_stroke();
    }

    /// Where the hand scrubs, and the stroke in hand, of which a tone is heard.
    pub fn follow_hand(&mut self, scrub_secs: Option<f64>, in_hand: Option<&Edit>) {
        self.hearer.follow_hand(scrub_secs, in_hand, &self.context);
    }

    /// Asks which device plays.
    pub fn ask_outputs(&mut self) {
        self.hearer.ask_outputs(&self.context);
    }

    /// Keeps the spectra up to date at a place; none: nobody looks at them.
    pub fn follow_spectrum(&mut self, secs: Option<f64>) {
        let whole = self.context.documents.active().filter(|document| secs.is_some() && !document.is_reading());
        self.spectrum.follow(whole, secs.unwrap_or(0.0), &self.context.jobs);
        if let Some(text) = self.spectrum.take_copy() {
            self.context.send(BenchEvent::Copy(text));
        }
    }

    /// Copies the spectra as text.
    pub fn copy_spectrum(&mut self) {
        self.spectrum.copy(&self.context.jobs);
    }

    /// The spectra.
    pub fn spectrum(&self) -> &Spectrum {
        &self.spectrum
    }

    /// The slice, once there is one.
    pub fn slice(&self) -> Option<&Slice> {
        self.spectrum.slice().map(AsRef::as_ref)
    }

    /// Mean and maximum over the selection, once they are known.
    pub fn extent(&self) -> Option<&Extent> {
        self.spectrum.extent().map(AsRef::as_ref)
    }

    /// What is under the pointer.
    pub fn readout(&self) -> Option<Readout> {
        self.context.readout
    }

    /// Notes what is under the pointer.
    pub fn point(&mut self, readout: Option<Readout>) {
        self.context.readout = readout;
    }
}

/// Tools, notices, settings.
impl Workbench {
    /// The tools.
    pub fn tools(&self) -> &Tools {
        &self.context.tools
    }

    /// The tools, as controls change them.
    pub fn tools_mut(&mut self) -> &mut Tools {
        &mut self.context.tools
    }

    /// What the user is told.
    pub fn notices(&self) -> &Notices {
        &self.context.notices
    }

    /// What the user is told, as the window shows and closes it.
    pub fn notices_mut(&mut self) -> &mut Notices {
        &mut self.context.notices
    }

    /// A notice.
    pub fn tell(&mut self, level: Level, what: impl Into<String>, advice: Option<&str>) {
        self.context.tell(level, what, advice);
    }

    /// Something was not done. `doing` completes "Cannot ...".
    pub fn fail(&mut self, doing: &str, error: &Error) {
        self.context.fail(doing, error);
    }

    /// Something that the user should know; a sentence without a full stop.
    pub fn warn(&mut self, what: &str) {
        self.context.warn(what);
    }

    /// What is remembered from one start to the next.
    pub fn remembered(&self) -> &Remembered {
        &self.context.remembered
    }

    /// What is remembered, as the window changes it.
    pub fn remembered_mut(&mut self) -> &mut Remembered {
        &mut self.context.remembered
    }

    /// Panels and how they are shown.
    pub fn layout(&self) -> &Layout {
        &self.context.remembered.layout
    }

    /// What the next documents may take.
    pub fn limits(&self) -> Budgets {
        self.context.limits
    }

    /// From the next file on, documents take no more than this.
    pub fn set_limits(&mut self, limits: Budgets) {
        self.context.limits = limits;
    }

    /// Applies edits.
    pub fn engine(&self) -> &Engine {
        &self.context.engine
    }

    /// Starts jobs.
    pub fn jobs(&self) -> &Jobs {
        &self.context.jobs
    }

    /// Seconds of the clock.
    pub fn now_secs(&self) -> f64 {
        self.context.now_secs()
    }

    /// What decides which commands are enabled, but for what only the canvas knows.
    pub fn facts(&self) -> Facts {
        let document = self.document();
        let history = document.map(|document| &document.history);
        let n_channels = history.map_or(0, |history| history.original().n_channels());
        let is_busy = document.is_some_and(|document| document.edits.is_busy());
        let is_floating = document.is_some_and(|document| document.floating.is_some());
        let remembered = self.remembered();
        Facts {
            has_document: document.is_some(),
            is_reading: document.is_some_and(OpenDocument::is_reading),
            n_recent: remembered.recent.len(),
            is_largest: remembered.window.scale >= SCALES[1],
            is_smallest: remembered.window.scale <= SCALES[0],
            is_stereo: n_channels == 2,
            n_channels,
            has_clip: self.clipboard.has_clip() || self.clipboard.is_busy(&self.context),
            is_snapping: self.context.tools.snapping,
            is_floating,
            can_undo: is_busy || is_floating || history.is_some_and(|history| history.position() > 0),
            can_redo: !is_busy && history.is_some_and(|history| history.position() + 1 < history.entries().len()),
            has_edits: history.is_some_and(|history| history.position() > 0)
                || document.is_some_and(|document| document.show_before),
            has_selection: document.is_some_and(|document| document.selection.is_some()),
            has_last_selection: document.is_some_and(|document| document.last_selection.is_some()),
            has_spectrum: self.spectrum.slice().is_some(),
            has_noise: self.context.tools.noise.is_some(),
            is_learning: self.finding.is_learning(),
            has_figures: document.is_some_and(|document| document.figures.is_some()),
            is_drawing_polygon: false,
            is_playing: self.transport().status.playing,
            is_busy,
            has_brush: self.context.tools.active.has_radius(),
            is_band_only: self.hearer.hearing() == Hearing::Band,
            is_delta: self.hearer.hearing() == Hearing::Delta,
            n_documents: self.documents().len(),
        }
    }
}
