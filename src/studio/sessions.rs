//! The session of the open document: kept by a writer on a thread of its own, given back after a crash.

use super::app::Studio;
use super::cards::Card;
use super::jobs::Job;
use super::notices::Level;
use super::project_cards::{Left, Locating};
use super::remember::ViewHabits;
use super::restart;
use super::state::{ChannelView, OpenDocument, View, limits_of};
use crate::base::{Error, Folders, lock, shown_path};
use crate::document::History;
use crate::document::session::{
    Begin, Desk, Finding, Found, Lost, Marker, Place, ProjectFile, Restored, Room, SessionFolder, SessionWriter,
    SourceRef, look_for_sessions, open_session,
};
use crate::dsp::Selection;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What lies beside the sound is kept when it has not changed for so long.
const KEEP_AFTER_SECS: f64 = 1.0;
/// A recovery that the window has outlived for so long went well.
const TRIAL_SECS: f64 = 5.0;
/// How long a window that closes waits for the disk.
const LAST_SECONDS: std::time::Duration = std::time::Duration::from_secs(1);
/// What is not done, where the session cannot be written.
const DOING: &str = "keep the edits against a crash";

/// The session of the open document, and those that were left by others.
#[derive(Default)]
pub struct Sessions {
    keeping: Option<Keeping>,
    /// Sessions that are put away.
    ending: Vec<Job<()>>,
    pub(super) recovery: Recovery,
    /// The user has agreed to lose what is not saved.
    pub(super) is_discarded: bool,
}

struct Keeping {
    document: u64,
    writer: SessionWriter,
    kept: Beside,
    /// As it was in the frame before, and since when.
    seen: Option<(Beside, f64)>,
    was_failing: bool,
    /// When a recovered document is taken for well.
    trial_until_secs: Option<f64>,
}

/// What lies beside the sound.
#[derive(Clone, PartialEq)]
struct Beside {
    view: View,
    cursor_secs: f64,
    selection: Option<Selection>,
    markers: Vec<Marker>,
    project: Option<(PathBuf, usize)>,
}

impl Beside {
    fn of(document: &OpenDocument) -> Beside {
        let project = document.project.as_ref().filter(|project| !project.is_held_elsewhere());
        Beside {
            view: document.view.clone(),
            cursor_secs: document.cursor_secs,
            selection: document.selection.clone(),
            markers: document.markers.clone(),
            project: project.zip(document.saved_at).map(|(project, at)| (project.path.clone(), at)),
        }
    }

    fn desk(&self, document: &OpenDocument) -> Desk {
        let kept = KeptView {
            habits: ViewHabits::of(document, 0.2),
            secs: self.view.secs,
            hz: self.view.hz,
            channels: self.view.channels.into(),
            cursor_secs: self.cursor_secs,
        };
        Desk {
            transform: self.view.stft,
            view: serde_json::to_string(&kept).unwrap_or_else(|_| "{}".into()),
            selection: self.selection.clone(),
            markers: self.markers.clone(),
        }
    }
}

/// How a document is looked at, as sessions and projects keep it. Whatever is wrong in it is passed over.
#[derive(Serialize, Deserialize)]
struct KeptView {
    habits: ViewHabits,
    secs: [f64; 2],
    hz: [f64; 2],
    channels: KeptChannels,
    cursor_secs: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KeptChannels {
    All,
    One(usize),
    Mid,
    Side,
}

impl From<ChannelView> for KeptChannels {
    fn from(channels: ChannelView) -> KeptChannels {
        match channels {
            ChannelView::All => KeptChannels::All,
            ChannelView::One(channel) => KeptChannels::One(channel),
            ChannelView::Mid => KeptChannels::Mid,
            ChannelView::Side => KeptChannels::Side,
        }
    }
}

/// Lays a restored desk out again.
fn lay_out(document: &mut OpenDocument, desk: Desk) {
    let limits = limits_of(document.history.original());
    let longest = limits_of(document.history.current()).duration_secs;
    let n_channels = document.history.original().n_channels();
    if let Ok(kept) = serde_json::from_str::<KeptView>(&desk.view) {
        kept.habits.apply(document);
        let is_range = |range: [f64; 2]| range.iter().all(|value| value.is_finite()) && range[0] < range[1];
        let view = &mut document.view;
        if is_range(kept.secs) && kept.secs[0] < longest && kept.secs[1] > 0.0 {
            view.secs = [kept.secs[0].max(-longest), kept.secs[1].min(2.0 * longest)];
        }
        if is_range(kept.hz) {
            view.hz = limits.clamp_hz(kept.hz, view.axis);
        }
        view.channels = match kept.channels {
            KeptChannels::One(channel) if channel < n_channels => ChannelView::One(channel),
            KeptChannels::Mid if n_channels == 2 => ChannelView::Mid,
            KeptChannels::Side if n_channels == 2 => ChannelView::Side,
            _ => ChannelView::All,
        };
        if kept.cursor_secs.is_finite() {
            document.cursor_secs = kept.cursor_secs.clamp(0.0, longest);
        }
    }
    document.view.stft = desk.transform;
    document.selection = desk.selection;
    document.markers = desk.markers;
}

/// A document as it was kept.
pub(super) fn document_of(restored: Restored, project: Option<ProjectFile>, place: Place) -> OpenDocument {
    let Restored { history, desk, source, .. } = restored;
    let path = source.path().map(Path::to_path_buf);
    let mut document = OpenDocument::new(path, history.original().clone());
    document.view = View::of(history.current());
    document.saved_at = project.as_ref().map(|_| history.position());
    document.history = history;
    document.project = project;
    document.is_embedded = source.is_embedded();
    document.source = Some(source);
    *lock(&document.place) = Some(place);
    lay_out(&mut document, desk);
    document
}

/// Where the studio's restored documents find room.
impl Studio {
    pub(super) fn room(&self) -> Room {
        let folder = self.services.folders.state().to_path_buf();
        Room { budget_bytes: self.history_bytes, folder, sound: self.open_options() }
    }
}

/// Sessions that a process left, until the user has said what becomes of them.
#[derive(Default)]
pub struct Recovery {
    looking: Option<Job<Vec<Found>>>,
    /// Recover the newest without asking.
    is_agreed: bool,
    found: Vec<Found>,
    opening: Option<Job<Tried>>,
    /// The folder of the session that is being read for a trial.
    tried: Option<PathBuf>,
    /// Why it is opened.
    kind: Option<Kind>,
    /// Opened once that is settled.
    files: Vec<PathBuf>,
    /// The session that wants its source.
    held: Option<(SessionFolder, Kind)>,
}

type Tried = (SessionFolder, std::result::Result<Restored, Lost>);

/// Why a session is opened.
#[derive(Debug, Clone)]
enum Kind {
    /// A process left it: it is given back under a name of its own.
    Recovered { name: String, fallback: Option<PathBuf> },
    /// The same work goes on in a new process.
    Resumed,
}

impl Sessions {
    /// Whether sessions are being looked for or opened.
    pub fn is_busy(&self) -> bool {
        self.recovery.looking.is_some() || self.recovery.opening.is_some() || !self.ending.is_empty()
    }

    /// The writer of the open document's session.
    pub fn writer(&self) -> Option<&SessionWriter> {
        self.keeping.as_ref().map(|keeping| &keeping.writer)
    }
}

impl Studio {
    /// The folder of the session that holds the open document: what `--session` takes. None before there is one.
    pub fn session_folder(&self) -> Option<PathBuf> {
        self.sessions.writer()?.folder()
    }

    /// Edits of the open document that are on the disk, from the first on.
    pub fn n_kept(&self) -> usize {
        let (Some(document), Some(writer)) = (&self.document, self.session()) else { return 0 };
        let steps = 1..document.history.entries().len();
        steps.take_while(|&step| writer.is_saved(step)).count()
    }

    /// The session that holds the open document.
    pub fn session(&self) -> Option<&SessionWriter> {
        self.sessions.writer()
    }

    /// Once a frame: hands what is new to the session, and tells if it cannot be kept.
    pub(super) fn follow_session(&mut self, ctx: &egui::Context, now_secs: f64) {
        self.sessions.ending.retain_mut(|job| job.poll().is_none());
        if self.files.is_previewing() {
            // It cannot be changed yet, and what was open before may come back.
            return;
        }
        let document = self.document.as_ref();
        let is_another =
            self.sessions.keeping.as_ref().map(|keeping| keeping.document) != document.map(|document| document.id);
        if is_another {
            // The user has agreed to put the one before away.
            if let Some(keeping) = self.sessions.keeping.take() {
                let end = move |_: &crate::base::Progress| {
                    keeping.writer.end();
                    Ok(())
                };
                self.sessions.ending.push(self.services.jobs.spawn("end a session", end));
            }
            self.notices.succeed(DOING);
            self.sessions.keeping =
                document.map(|document| Keeping::begin(document, &self.services.folders, ctx, now_secs));
        }
        let (Some(keeping), Some(document)) = (&mut self.sessions.keeping, document) else {
            restart::note_session(None);
            return;
        };
        keeping.writer.follow(&document.history);
        keeping.follow_desk(document, ctx, now_secs);
        // Without edits the file itself is opened again.
        let folder = if document.has_unsaved_edits() { keeping.writer.folder() } else { None };
        restart::note_session(folder);
        let is_failing = keeping.writer.is_failing();
        let fault = keeping.writer.take_fault();
        if std::mem::replace(&mut keeping.was_failing, is_failing) && !is_failing {
            self.notices.succeed(DOING);
        }
        if let Some(fault) = fault {
            self.notices.fail(now_secs, DOING, &fault);
        }
    }

    /// The window closes. Nothing of the session is needed any more, unless it holds edits that nobody has agreed to
    /// lose: then it stays, and is offered at the next start.
    pub(super) fn end_session(&mut self) {
        let has_unsaved = self.document.as_ref().is_some_and(OpenDocument::has_unsaved_edits);
        // Whoever asks for the end, the recovery did not cause it; a window that can draw no more may well have been
        // ended by it.
        let is_asked_for = !restart::is_restart_wanted();
        if is_asked_for {
            self.end_trial_not_followed();
        }
        let Some(mut keeping) = self.sessions.keeping.take() else { return };
        match &self.document {
            Some(document) if has_unsaved && !self.sessions.is_discarded => {
                keeping.writer.follow(&document.history);
                if is_asked_for && keeping.trial_until_secs.is_some() {
                    keeping.writer.end_trial();
                }
                keeping.writer.flush(LAST_SECONDS);
            }
            _ => keeping.writer.end(),
        }
    }

    /// A recovery that is still being read, or was not shown yet, is no more tried for it.
    fn end_trial_not_followed(&mut self) {
        if let Some(job) = self.sessions.recovery.opening.take() {
            job.progress().cancel();
        }
        if let Some(path) = self.sessions.recovery.tried.take() {
            SessionFolder::end_trial_at(&path);
        }
        if let Some(document) = &self.document
            && let Some(Place::Adopted(folder)) = &*lock(&document.place)
        {
            folder.end_trial();
        }
    }

    /// Looks for work that was left by a process that ended unexpectedly, and offers it (`agreed` none), gives it back
    /// (yes) or leaves it (no); then opens these files.
    pub fn look_for_sessions(&mut self, agreed: Option<bool>, files: Vec<PathBuf>) {
        if agreed == Some(false) {
            return self.open_all(files);
        }
        let state = self.services.folders.state().to_path_buf();
        let recovery = &mut self.sessions.recovery;
        recovery.is_agreed = agreed == Some(true);
        recovery.files = files;
        recovery.looking = Some(self.services.jobs.spawn("look for sessions", move |_| Ok(look_for_sessions(&state))));
    }

    /// Goes on in a session whose process was replaced by this one. `path` is what
    /// [`session_folder`](Studio::session_folder) gave.
    pub fn resume(&mut self, path: &Path) {
        match SessionFolder::adopt(path) {
            Ok(folder) => self.open_left(folder, Kind::Resumed, Finding::default()),
            Err(error) => self.notices.fail(self.services.clock.now_secs(), "go on in the session", &error),
        }
    }

    fn open_left(&mut self, folder: SessionFolder, kind: Kind, finding: Finding) {
        let room = self.room();
        let is_trial = matches!(kind, Kind::Recovered { .. });
        let theirs = folder.path().to_path_buf();
        self.sessions.recovery.tried = is_trial.then(|| theirs.clone());
        let job = self.services.jobs.spawn("open a session", move |progress| {
            progress.check()?;
            if is_trial {
                // If that cannot be noted, it might be tried for ever.
                folder.note_trial()?;
            }
            let tried = open_session(&folder, &finding, &room, progress);
            Ok((folder, tried))
        });
        tracing::info!("session {}", theirs.display());
        self.sessions.recovery.opening = Some(job);
        self.sessions.recovery.held = None;
        self.sessions.recovery.kind = Some(kind);
    }

    /// Takes the answers of jobs about sessions.
    pub(super) fn poll_sessions(&mut self) {
        if let Some(answer) = self.sessions.recovery.looking.as_mut().and_then(Job::poll) {
            self.sessions.recovery.looking = None;
            self.take_found(answer.unwrap_or_default());
        }
        if let Some(answer) = self.sessions.recovery.opening.as_mut().and_then(Job::poll) {
            (self.sessions.recovery.opening, self.sessions.recovery.tried) = (None, None);
            let kind = self.sessions.recovery.kind.take().unwrap_or(Kind::Resumed);
            match answer {
                Ok((folder, tried)) => self.take_tried(folder, tried, kind),
                Err(error) => self.give_up(kind, &error),
            }
        }
        // The card was put away by Escape.
        if !self.sessions.recovery.found.is_empty() && !matches!(self.card, Some(Card::Left(_))) {
            self.leave_sessions();
        }
    }

    fn take_found(&mut self, found: Vec<Found>) {
        let (whole, damaged): (Vec<Found>, Vec<Found>) = found.into_iter().partition(|one| one.damage.is_none());
        for one in damaged {
            let aside = one.folder.set_aside();
            let what = format!("a session cannot be read and was set aside as {}", shown_path(&aside));
            self.warn(&what);
        }
        self.sessions.recovery.found = whole;
        let n_more = self.sessions.recovery.found.len().saturating_sub(1);
        let Some(first) = self.sessions.recovery.found.first() else { return self.leave_sessions() };
        let left = Left {
            name: first.name.clone(),
            n_edits: first.n_edits,
            secs_ago: first.at.and_then(|at| at.elapsed().ok()).map(|age| age.as_secs_f64()),
            n_more,
            was_tried: first.folder.was_tried(),
            has_fallback: first.fallback.is_some(),
        };
        // What ended the program once is not tried again unasked.
        if self.sessions.recovery.is_agreed && !left.was_tried {
            self.recover();
        } else if self.sessions.recovery.is_agreed {
            self.warn(
                "recovering the session ended the program before, so it was left; start without --recover to choose",
            );
            self.leave_sessions();
        } else {
            self.card = Some(Card::Left(left));
        }
    }

    /// Gives the newest of the sessions that were found back; others stay for the next start.
    pub(super) fn recover(&mut self) {
        self.card = None;
        let found = std::mem::take(&mut self.sessions.recovery.found);
        if let Some(Found { folder, name, fallback, .. }) = found.into_iter().next() {
            self.open_left(folder, Kind::Recovered { name, fallback }, Finding::default());
        }
    }

    /// Opens the file that was last saved or opened; the session stays.
    pub(super) fn open_fallback(&mut self) {
        self.card = None;
        let found = std::mem::take(&mut self.sessions.recovery.found);
        let fallback = found.into_iter().next().and_then(|one| one.fallback);
        self.sessions.recovery.files.splice(0..0, fallback);
        self.leave_sessions();
    }

    /// Throws the newest of the sessions that were found away.
    pub(super) fn discard_session(&mut self) {
        let mut found = std::mem::take(&mut self.sessions.recovery.found);
        if !found.is_empty() {
            let folder = found.remove(0).folder;
            let job = self.services.jobs.spawn("remove a session", move |_| {
                folder.remove();
                Ok(())
            });
            self.sessions.ending.push(job);
        }
        self.card = None;
        self.take_found(found);
    }

    /// Leaves them where they are, for the next start, and goes on.
    pub(super) fn leave_sessions(&mut self) {
        if matches!(self.card, Some(Card::Left(_))) {
            self.card = None;
        }
        self.sessions.recovery.found.clear();
        let files = std::mem::take(&mut self.sessions.recovery.files);
        self.open_all(files);
    }

    fn take_tried(&mut self, folder: SessionFolder, tried: std::result::Result<Restored, Lost>, kind: Kind) {
        let now_secs = self.services.clock.now_secs();
        match tried {
            Ok(restored) => self.show_restored(folder, restored, kind),
            Err(lost @ (Lost::Moved(_) | Lost::Changed(_))) => {
                // It is not its fault: it may be tried again.
                folder.end_trial();
                self.sessions.recovery.held = Some((folder, kind));
                self.card = Some(Card::Locate { what: Locating::Session, lost });
            }
            Err(Lost::Failed(error)) => {
                tracing::warn!(%error, "a session cannot be opened");
                let aside = folder.set_aside();
                let what = format!("the session cannot be read and was set aside as {}", shown_path(&aside));
                self.notices.tell(now_secs, Level::Warning, super::notices::sentence(&what), None);
                self.give_up(kind, &error);
            }
        }
    }

    /// What is left is the last save.
    fn give_up(&mut self, kind: Kind, error: &Error) {
        self.notices.fail(self.services.clock.now_secs(), "recover the session", error);
        if let Kind::Recovered { fallback: Some(path), .. } = kind {
            self.open(path);
        }
    }

    /// The sound of a session that was asked for.
    pub(super) fn locate_for_session(&mut self, finding: Finding) {
        self.card = None;
        if let Some((folder, kind)) = self.sessions.recovery.held.take() {
            self.open_left(folder, kind, finding);
        }
    }

    fn show_restored(&mut self, folder: SessionFolder, mut restored: Restored, kind: Kind) {
        let now_secs = self.services.clock.now_secs();
        for notice in std::mem::take(&mut restored.notices) {
            self.notices.tell(now_secs, Level::Warning, super::notices::sentence(&notice), None);
        }
        let n_edits = restored.history.entries().len() - 1;
        let project = restored.project.take().zip(restored.project_position);
        let place = match restored.damage.take() {
            None => Place::Adopted(folder),
            // What could be read begins a session of its own; the damaged one is kept.
            Some(damage) => {
                let aside = folder.set_aside();
                let what = format!("{}; all of it was set aside as {}", damage.message(), shown_path(&aside));
                self.warn(&format!("the session {what}"));
                Place::New(self.services.folders.state().to_path_buf())
            }
        };
        let file = match &kind {
            Kind::Resumed => project.as_ref().and_then(|(path, _)| ProjectFile::again(path)),
            Kind::Recovered { .. } => None,
        };
        let mut document = document_of(restored, file, place);
        document.saved_at = document.project.as_ref().and(project).map(|(_, position)| position);
        if let Kind::Recovered { name, .. } = &kind {
            document.title = Some(format!("{name} (recovered)"));
            let steps = if n_edits == 1 { "1 edit".to_owned() } else { format!("{n_edits} edits") };
            let what = format!("Recovered {name} with {steps}.");
            let advice = Some("Save it as a project to keep it.");
            self.notices.offer(now_secs, Level::Info, what, advice, super::commands::Command::SaveProjectAs);
        }
        self.show(document);
    }
}

impl Keeping {
    fn begin(document: &OpenDocument, folders: &Folders, ctx: &egui::Context, now_secs: f64) -> Keeping {
        let place = lock(&document.place).take();
        let is_adopted = matches!(place, Some(Place::Adopted(_)));
        let kept = Beside::of(document);
        let history: History = document.history.clone();
        let source = document.source.clone().or_else(|| SourceRef::of(history.original().source()));
        let begin = Begin {
            place: place.unwrap_or_else(|| Place::New(folders.state().to_path_buf())),
            desk: kept.desk(document),
            source,
            project: kept.project.clone(),
            history,
        };
        let ctx = ctx.clone();
        let writer = SessionWriter::start(begin, move || ctx.request_repaint());
        let trial_until_secs = is_adopted.then_some(now_secs + TRIAL_SECS);
        Keeping { document: document.id, writer, kept, seen: None, was_failing: false, trial_until_secs }
    }

    fn follow_desk(&mut self, document: &OpenDocument, ctx: &egui::Context, now_secs: f64) {
        if self.trial_until_secs.is_some_and(|until_secs| until_secs <= now_secs) {
            self.trial_until_secs = None;
            self.writer.end_trial();
        }
        let now = Beside::of(document);
        if now == self.kept {
            self.seen = None;
            return;
        }
        if now.project != self.kept.project {
            self.writer.set_project(now.project.clone());
            self.kept.project = now.project.clone();
        }
        match &self.seen {
            Some((seen, since_secs)) if *seen == now => {
                let left_secs = since_secs + KEEP_AFTER_SECS - now_secs;
                if left_secs > 0.0 {
                    ctx.request_repaint_after(std::time::Duration::from_secs_f64(left_secs));
                    return;
                }
                self.writer.set_desk(now.desk(document));
                (self.kept, self.seen) = (now, None);
            }
            _ => {
                self.seen = Some((now, now_secs));
                ctx.request_repaint_after(std::time::Duration::from_secs_f64(KEEP_AFTER_SECS));
            }
        }
    }
}
