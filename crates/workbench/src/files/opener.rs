//! Opens files one after another, each in a job. A long sound is shown while it is still being read.

use super::demo;
use super::paths::{name_of, with_path};
use super::pictures::PastedPicture;
use super::projects::{self, OpenedFile, document_of_project};
use super::questions::{Locating, NewCanvas, Question};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::bench::acts::LibraryAct;
use crate::bench::context::{Concern, Context, Pointed};
use crate::bench::limits::CANVAS_SECS;
use crate::bench::notices::{Severity, about_file};
use crate::bench::work::JobStatus;
use crate::document::Snapshot;
use crate::document::output::cells_file::{CellsOrigin, cells_origin, is_cells, without_parts};
use crate::document::session::{SampleStorage, SourceSearch, is_project};
use crate::documents::OpenDocument;
use crate::dsp::voices::Score;
use crate::edits::{float_picture, float_score, put_back_cells};
use crate::media::picture::{PictureTaken, is_picture};
use crate::media::score::{ReadScore, ScoreOverrides, is_score};
use crate::media::{Opened, Source};
use crate::services::{JobQueue, Unfinished};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

/// Name of a picture pasted from the clipboard.
const PASTED_NAME: &str = "pasted picture";

/// Opens files, one after another.
#[derive(Default)]
pub struct FileOpener {
    /// Paths to check before opening, in order.
    sorting: JobQueue<Sorting, SortedPaths>,
    queue: JobQueue<Waiting, OpenedFile, Opening>,
}

struct Sorting {
    paths: Vec<PathBuf>,
    /// Document and time at which the files were dropped.
    pointed: Option<Pointed>,
}

struct Waiting {
    path: PathBuf,
    /// Document and time at which a floating sound begins.
    pointed: Option<Pointed>,
    open: Open,
}

/// Folders, and files except those that are part of another one, such as sidecars.
struct SortedPaths {
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

type Open = Box<dyn FnOnce(&Path, &SampleStorage, &dyn Fn(&Source), &Progress) -> Result<OpenedFile> + Send>;

struct Opening {
    path: PathBuf,
    pointed: Option<Pointed>,
    /// Receives a long sound, which is shown while it is still being read.
    preview: Receiver<Source>,
    /// Id of the document that shows the sound while it is being read.
    previewed: Option<u64>,
}

impl Concern for FileOpener {
    fn advance(&mut self, context: &mut Context) {
        // Stops reading a file whose document was closed meanwhile.
        let is_closed = |opening: &Opening| opening.previewed.is_some_and(|id| context.documents.get(id).is_none());
        for opening in self.queue.drop_running(is_closed) {
            context.forget_sound(&opening.path);
        }
        if let Some(opening) = self.queue.first_mut()
            && let Ok(source) = opening.preview.try_recv()
        {
            opening.previewed = Some(show_preview(&opening.path, source, context));
        }
        match self.queue.take_answer() {
            Some((opening, Ok(OpenedFile::Cells(origin)))) => self.put_back(opening.path, *origin, context),
            Some((opening, answer)) => take_opened(opening, answer, context),
            None => {}
        }
        self.take_sorted(context);
        self.start_next(context);
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |_| "Opening")
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy() || self.sorting.is_busy()
    }

    /// Cancels opening; a document that shows a partly read file closes.
    fn cancel(&mut self, context: &mut Context) -> bool {
        let was_busy = self.is_busy(context);
        self.sorting.clear();
        while let Some(dropped) = self.queue.cancel_last() {
            let (path, previewed) = match dropped {
                Unfinished::Waiting(waiting) => (waiting.path, None),
                Unfinished::Running(opening) => (opening.path, opening.previewed),
            };
            context.forget_sound(&path);
            previewed.into_iter().for_each(|id| context.close(id));
        }
        was_busy
    }
}

impl FileOpener {
    /// Adds folders to the library and opens files. Checks which is which in a job, since that may take time over a
    /// network.
    pub fn sort(&mut self, paths: Vec<PathBuf>, context: &Context) {
        self.sorting.push(Sorting { paths, pointed: context.pointed() });
        self.sort_next(context);
    }

    fn sort_next(&mut self, context: &Context) {
        let Some(next) = self.sorting.take_next() else { return };
        let theirs = next.paths.clone();
        let sort = move |_: &Progress| {
            let (folders, files) = theirs.into_iter().partition(|path| path.is_dir());
            Ok(SortedPaths { folders, files: without_parts(files) })
        };
        self.sorting.run(next, context.jobs.spawn("look at files", sort), context.now_secs());
    }

    fn take_sorted(&mut self, context: &mut Context) {
        while let Some((Sorting { paths, pointed }, answer)) = self.sorting.take_answer() {
            self.sort_next(context);
            // If the check failed, opening the paths reports why.
            let SortedPaths { folders, files } = answer.unwrap_or(SortedPaths { folders: Vec::new(), files: paths });
            if !folders.is_empty() {
                context.order(LibraryAct::Add(folders));
            }
            files.into_iter().for_each(|file| self.open_at(file, pointed, context));
        }
    }

    /// Opens a file of any supported kind. If it is already open and readable, brings it to the front.
    pub fn open(&mut self, path: PathBuf, context: &mut Context) {
        self.open_at(path, context.pointed(), context);
    }

    /// Opens a file of any supported kind; floating sound begins at the time that was under the pointer.
    fn open_at(&mut self, path: PathBuf, pointed: Option<Pointed>, context: &mut Context) {
        let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
        let is_same = |document: &&OpenDocument| {
            let file = document.file().and_then(|file| std::path::absolute(file).ok());
            file == Some(absolute.clone()) && document.history().original().source().fault().is_none()
        };
        let open_already = context.documents.iter().find(is_same).map(|document| document.id());
        if let Some(id) = open_already {
            context.documents.activate(id);
            return note_recent(id, context);
        }
        self.wait(Waiting { path, pointed, open: any_file(SourceSearch::default()) }, context);
    }

    /// Opens a project, using `finding` to locate its sound; opens any other file as usual.
    pub fn open_with(&mut self, path: PathBuf, finding: SourceSearch, context: &Context) {
        self.wait(Waiting { path, pointed: context.pointed(), open: any_file(finding) }, context);
    }

    /// Floats a picture over the document in front or a new canvas, even if a sidecar marks it as a picture of cells.
    pub fn open_picture(&mut self, path: PathBuf, context: &Context) {
        self.give(path, context, |path, _, _, _| opened_picture(path));
    }

    /// Applies the cells of a picture to the sound they came from.
    pub fn open_cells(&mut self, path: PathBuf, context: &Context) {
        self.give(path, context, |path, _, _, _| opened_cells(path));
    }

    /// Applies cells to their sound. If no document is open, opens their sound first.
    fn put_back(&mut self, path: PathBuf, origin: CellsOrigin, context: &mut Context) {
        context.notices.succeed("open");
        let source = origin.source.clone().filter(|source| context.documents.active().is_none() && source.exists());
        let Some(source) = source else { return put_back_cells(path, origin, context) };
        self.open(source, context);
        // Without a source, so that a sound that cannot be opened is not opened again and again.
        self.give(path, context, |path, _, _, _| {
            cells_origin(path).map(|origin| OpenedFile::Cells(Box::new(CellsOrigin { source: None, ..origin })))
        });
    }

    /// Floats a pasted picture over the document in front or a new canvas.
    pub fn float(&mut self, pasted: PastedPicture, context: &Context) {
        self.give(PathBuf::from(PASTED_NAME), context, move |_, _, _, _| {
            let none = || Error::new(ErrorKind::Malformed, "has no pixels");
            let taken = PictureTaken::from_bitmap(&pasted.bitmap().ok_or_else(none)?)?;
            let bitmap = taken.picture.bitmap()?;
            Ok(OpenedFile::Picture(Box::new(taken), bitmap))
        });
    }

    /// Opens the demo clip.
    pub fn open_demo(&mut self, context: &Context) {
        let path = demo::demo_file(context.folders.state());
        self.give(path, context, |path, _, _, progress| {
            demo::open(path, progress).map(|opened| OpenedFile::Sound(Box::new(opened)))
        });
    }

    /// Queues a path and the function that opens it in a job.
    pub fn give(
        &mut self,
        path: PathBuf,
        context: &Context,
        open: impl FnOnce(&Path, &SampleStorage, &dyn Fn(&Source), &Progress) -> Result<OpenedFile> + Send + 'static,
    ) {
        self.wait(Waiting { path, pointed: context.pointed(), open: Box::new(open) }, context);
    }

    fn wait(&mut self, waiting: Waiting, context: &Context) {
        self.queue.push(waiting);
        self.start_next(context);
    }

    /// The paths that are being opened or waiting.
    pub fn coming(&self) -> impl Iterator<Item = &Path> {
        let opening = self.queue.running().map(|opening| opening.path.as_path());
        let waiting = self.queue.waiting().map(|waiting| waiting.path.as_path());
        let sorting = self.sorting.running().chain(self.sorting.waiting()).flat_map(|sorting| &sorting.paths);
        opening.chain(waiting).chain(sorting.map(PathBuf::as_path))
    }

    fn start_next(&mut self, context: &Context) {
        let Some(Waiting { path, pointed, open }) = self.queue.take_next() else { return };
        let (theirs, room) = (path.clone(), context.room());
        let (show, preview) = channel();
        let job = context.jobs.spawn("open", move |progress| {
            // The receiver is gone if the document was closed.
            let show = |source: &Source| drop(show.send(source.clone()));
            open(&theirs, &room, &show, progress)
        });
        self.queue.run(Opening { path, pointed, preview, previewed: None }, job, context.now_secs());
    }
}

/// Shows a sound while it is being read; returns the id of its document.
fn show_preview(path: &Path, source: Source, context: &mut Context) -> u64 {
    let mut document = OpenDocument::new(Some(path.to_path_buf()), Snapshot::new(source));
    context.remembered.view.apply(&mut document);
    let id = document.id();
    context.show(document);
    id
}

/// Opens a file according to its kind; `finding` locates the sound of a project.
fn any_file(finding: SourceSearch) -> Open {
    Box::new(move |path, room, preview, progress| {
        if is_project(path) {
            return projects::load(path, &finding, room, progress);
        }
        if is_score(path) {
            let read = ReadScore::open(path, &ScoreOverrides::default())?;
            return Ok(OpenedFile::Score(Box::new(read)));
        }
        if is_cells(path) {
            return opened_cells(path);
        }
        if is_picture(path) {
            return opened_picture(path);
        }
        let opened = Source::open_with(path, &room.sound, preview, progress)?;
        Ok(OpenedFile::Sound(Box::new(opened)))
    })
}

fn opened_picture(path: &Path) -> Result<OpenedFile> {
    let taken = PictureTaken::from_file(path)?;
    let bitmap = taken.picture.bitmap()?;
    Ok(OpenedFile::Picture(Box::new(taken), bitmap))
}

fn opened_cells(path: &Path) -> Result<OpenedFile> {
    cells_origin(path).map(|origin| OpenedFile::Cells(Box::new(origin)))
}

/// Opens an empty canvas.
pub fn open_canvas(options: NewCanvas, context: &mut Context) {
    match options.source() {
        Ok(source) => context.show(OpenDocument::new(None, Snapshot::new(source))),
        Err(error) => context.fail("create a canvas", &error),
    }
}

fn take_opened(opening: Opening, answer: Result<OpenedFile>, context: &mut Context) {
    let Opening { path, pointed, previewed, .. } = opening;
    let document = match answer {
        Ok(OpenedFile::Sound(sound)) => {
            context.notices.succeed("open");
            notify_sound(&path, &sound.notices, context);
            let shown = previewed.and_then(|id| context.documents.get(id));
            if let Some(shown) = shown.filter(|shown| shown.history().original().source().is_same(&sound.source)) {
                // The sound is already shown, since it was being read; now it is complete.
                let id = shown.id();
                return note_recent(id, context);
            }
            document_of_sound(path, *sound, context)
        }
        Ok(OpenedFile::Project(project)) => {
            context.notices.succeed("open");
            document_of_project(&path, *project, context)
        }
        Ok(OpenedFile::Score(read)) => {
            context.notices.succeed("open");
            notify_sound(&path, &read.notices, context);
            return take_score(read.score, pointed, context);
        }
        Ok(OpenedFile::Picture(taken, bitmap)) => {
            context.notices.succeed("open");
            notify_sound(&path, taken.notice.as_slice(), context);
            if context.documents.active().is_none() {
                open_canvas(NewCanvas::default(), context);
            }
            let at_secs = context.secs_pointed_at(pointed);
            return float_picture(taken.picture, bitmap, at_secs, context);
        }
        Ok(OpenedFile::Cells(origin)) => return put_back_cells(path, *origin, context),
        Ok(OpenedFile::Wanting(lost)) => {
            return context.ask(Question::Locate { what: Locating::Project(path), lost });
        }
        Err(error) => {
            if let Some(id) = previewed {
                context.close(id);
            }
            context.forget_sound(&path);
            return context.fail("open", &with_path(error, &path));
        }
    };
    if let Some(id) = previewed {
        context.close(id);
    }
    let id = document.id();
    if document.path() == Some(demo::demo_file(context.folders.state()).as_path()) {
        demo::take_brush(context);
    }
    context.show(document);
    note_recent(id, context);
}

/// Floats notes over the document in front; if there is none, over an empty canvas of sufficient length. Fails without
/// floating anything if the score needs too many oscillators.
fn take_score(score: Score, pointed: Option<Pointed>, context: &mut Context) {
    let in_front = context.documents.active().map(|document| document.history().current().sample_rate_hz());
    let rate_hz = in_front.unwrap_or(f64::from(NewCanvas::default().rate_hz));
    if let Err(error) = score.max_oscillators(rate_hz) {
        return context.fail("place the notes", &error);
    }
    context.notices.succeed("place the notes");
    if context.documents.active().is_none() {
        let options = NewCanvas::default();
        let score_secs = score.n_samples(f64::from(options.rate_hz)) as f64 / f64::from(options.rate_hz);
        let secs = (score_secs + 1.0).ceil().clamp(CANVAS_SECS[0], CANVAS_SECS[1]);
        open_canvas(NewCanvas { secs, ..options }, context);
    }
    float_score(score, context.secs_pointed_at(pointed), context);
}

fn note_recent(id: u64, context: &mut Context) {
    if let Some(document) = context.documents.get(id) {
        let recent = context.remembered.recent_of(document, context.folders.state());
        context.remembered.note_recent(recent);
    }
}

fn document_of_sound(path: PathBuf, opened: Opened, context: &Context) -> OpenDocument {
    let mut document = OpenDocument::new(Some(path), Snapshot::new(opened.source));
    context.remembered.view.apply(&mut document);
    document
}

fn notify_sound(path: &Path, notices: &[String], context: &mut Context) {
    let name = name_of(path);
    for notice in notices {
        context.notify(Severity::Warning, about_file(&name, notice), None);
    }
}
