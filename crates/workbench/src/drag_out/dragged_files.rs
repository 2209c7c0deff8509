//! Dragging out of the window passes an existing file, or one that a job writes for the drag. Written files stay in
//! folders of their own until the program ends, since no event tells when another program has read them.

use super::draggable::Draggable;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::bench::acts::{DragOutAct, LibraryAct};
use crate::bench::context::{BenchEvent, Concern, Context};
use crate::bench::limits::{are_finite, held};
use crate::bench::orders::{AfterEdits, next_ready};
use crate::bench::work::JobStatus;
use crate::document::labels::LabelSet;
use crate::document::session::{GeneratedSound, SoundFolder};
use crate::document::{Delivery, Edit, Snapshot, deliver, erasing, whole_range};
use crate::documents::OpenDocument;
use crate::dsp::{Axis, Clip, Selection};
use crate::edits::{Clipboard, lifted_clip};
use crate::engine::Engine;
use crate::library_panel::{Browser, PasteAt};
use crate::media::{SampleFormat, Source};
use crate::services::JobQueue;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum size of a file that is written for a drag.
const MAX_BYTES: u64 = 512 << 20;
/// Maximum time that exiting waits for the file being written.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// The sound being dragged out, and the files written for drags.
#[derive(Default)]
pub struct DragOut {
    /// The latest drag only, with the part that its job writes (`None` for a library sound), which can be pasted
    /// afterwards.
    queue: JobQueue<Waiting, Ready, Option<Part>>,
    /// All files written for drags, oldest first.
    files: Vec<WrittenFile>,
    /// The last sound dragged out.
    last: Option<Last>,
}

/// A part of a sound, given by the edit that would erase it.
#[derive(Clone)]
struct Part {
    snapshot: Snapshot,
    /// The labels of the whole sound.
    labels: LabelSet,
    edit: Edit,
}

impl Part {
    fn is_same(&self, other: &Part) -> bool {
        self.snapshot.is_same(&other.snapshot) && self.edit == other.edit && self.labels == other.labels
    }
}

/// The last sound dragged out, for pasting it.
enum Last {
    Sound(i64),
    /// A part of a document, and the file with its sound.
    Part(Box<Part>, PathBuf),
}

/// A selection (`None`: the whole document) that waits for the pending edits of its document.
struct Waiting {
    document: u64,
    selection: Option<Selection>,
}

impl AfterEdits for Waiting {
    fn document(&self) -> u64 {
        self.document
    }
}

/// A file that can be dragged out.
enum Ready {
    /// A file of the user, which is never removed.
    Theirs(PathBuf),
    Ours(WrittenFile),
}

impl Ready {
    fn path(&self) -> &Path {
        match self {
            Ready::Theirs(path) => path,
            Ready::Ours(file) => &file.path,
        }
    }
}

/// A written file in a folder of its own; both are removed on drop.
struct WrittenFile {
    folder: Option<SoundFolder>,
    path: PathBuf,
}

impl Drop for WrittenFile {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            folder.remove();
        }
    }
}

/// A request to write a part of a document to a file, or to use the document's own file.
struct Order {
    part: Part,
    /// Whether it is the whole document.
    is_whole: bool,
    /// The document's own file, if it holds exactly this sound.
    own: Option<PathBuf>,
    name: String,
    state: PathBuf,
}

impl Order {
    fn of(document: &OpenDocument, selection: Option<Selection>, state: &Path) -> Order {
        let is_whole = selection.is_none();
        // A whole document is written like an export; a selection takes the displayed sound, like a copy.
        let snapshot = if is_whole { document.history().current() } else { document.shown() }.clone();
        let all = || Selection::rectangle(Some([0.0, document.duration_secs()]), None, [0.0; 2], Axis::Linear);
        let view = document.view();
        let edit = erasing(selection.unwrap_or_else(all), view.channels.edited(), view.transform.clone());
        let labels = document.history().labels().clone();
        let opened = document.history().entries().first();
        let has_other_labels = opened.is_some_and(|opened| opened.labels != labels);
        let is_edited = has_other_labels || !snapshot.is_same(document.history().original());
        // Files in the program's own folders are excluded, as they are removed with their document.
        let own = document.path().filter(|path| is_whole && !is_edited && !path.starts_with(state));
        let name = document.name();
        let stem = Path::new(&name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "untitled".into());
        let which = match (is_whole, is_edited) {
            (false, _) => "-part",
            (true, true) => "-edited",
            (true, false) => "",
        };
        Order {
            own: own.map(Path::to_path_buf),
            part: Part { snapshot, labels, edit },
            is_whole,
            name: format!("{stem}{which}.wav"),
            state: state.to_path_buf(),
        }
    }

    fn ready(self, engine: &Engine, progress: &Progress) -> Result<Ready> {
        if let Some(own) = self.own.filter(|own| own.is_file()) {
            return Ok(Ready::Theirs(own));
        }
        let Part { snapshot, labels, edit } = &self.part;
        let all = Some(0..snapshot.n_samples()).filter(|_| self.is_whole);
        let (sound, labels, samples) = match all.or_else(|| whole_range(snapshot, edit.select.as_ref())) {
            // A plain range of time: the unmodified samples of the sound.
            Some(samples) => (snapshot.clone(), labels.clone(), samples),
            None => {
                let lifted = sound_of(&lifted_clip(snapshot, edit, engine, progress)?)?;
                let n_samples = lifted.n_samples();
                (lifted, LabelSet::default(), 0..n_samples)
            }
        };
        refuse_large(samples.end.saturating_sub(samples.start), sound.source())?;
        let folder = SoundFolder::create(&self.state, GeneratedSound::DraggedOut)?;
        let (path, is_made) = (folder.join(&self.name), folder.create_file(&self.name));
        // On an error, dropping `file` removes the folder.
        let file = WrittenFile { folder: Some(folder), path };
        is_made?;
        deliver((&sound, &labels), samples, &file.path, &Delivery::default(), progress)?;
        Ok(Ready::Ours(file))
    }
}

/// A clip as a new sound.
fn sound_of(clip: &Clip) -> Result<Snapshot> {
    let rate_hz = clip.sample_rate_hz.round() as u32;
    Ok(Snapshot::new(Source::from_channels(clip.channels.to_vec(), rate_hz)?))
}

fn refuse_large(n_frames: u64, source: &Source) -> Result<()> {
    let info = source.info();
    let sample_bytes = match info.format {
        SampleFormat::Pcm { .. } => u64::from(info.container_bits).div_ceil(8),
        SampleFormat::Float32 | SampleFormat::Lossy => 4,
        SampleFormat::Float64 => 8,
    };
    if n_frames.saturating_mul(info.n_channels as u64).saturating_mul(sample_bytes) <= MAX_BYTES {
        return Ok(());
    }
    let what = "it takes more than 512 MB as a WAV file; choose Export in the File menu instead";
    Err(Error::new(ErrorKind::Limit, what))
}

impl Concern for DragOut {
    fn advance(&mut self, context: &mut Context) {
        self.start_waiting(context);
        let Some((part, answer)) = self.queue.take_answer() else { return };
        match answer {
            Ok(ready) => {
                context.notices.succeed(OPERATION);
                let path = ready.path().to_path_buf();
                if let Some(part) = part {
                    self.last = Some(Last::Part(Box::new(part), path.clone()));
                }
                if let Ready::Ours(file) = ready {
                    self.files.push(file);
                }
                context.send(BenchEvent::DragOut(path));
            }
            Err(error) => context.fail(OPERATION, &error),
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |_| "Writing what is dragged")
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.queue.clear()
    }
}

/// Completes "Cannot ...".
const OPERATION: &str = "drag the sound out";

impl DragOut {
    /// Performs a drag-out act.
    pub fn act(&mut self, act: DragOutAct, browser: &Browser, clipboard: &mut Clipboard, context: &mut Context) {
        match act {
            DragOutAct::Begin(what) => self.begin(what, browser, context),
            DragOutAct::Paste(secs) => self.paste(secs, clipboard, context),
        }
    }

    fn begin(&mut self, what: Draggable, browser: &Browser, context: &mut Context) {
        self.queue.clear();
        let document = match what {
            Draggable::Sound(id) => return self.begin_sound(id, browser, context),
            Draggable::Selection => context.documents.active(),
            Draggable::Document(id) => context.documents.get(id),
        };
        let Some(document) = document else { return };
        let selection = match what {
            Draggable::Selection if document.selection().is_none() => return,
            Draggable::Selection => document.selection().cloned(),
            _ => None,
        };
        if document.is_reading() {
            let what = "the file is still being read; drag it when it is complete";
            return context.fail(OPERATION, &Error::new(ErrorKind::Unsupported, what));
        }
        self.queue.push(Waiting { document: document.id(), selection });
        self.start_waiting(context);
    }

    fn begin_sound(&mut self, id: i64, browser: &Browser, context: &Context) {
        let Some(path) = browser.row(id).map(|row| row.path.clone()) else { return };
        self.last = Some(Last::Sound(id));
        let job = context.jobs.spawn("drag out", move |_| match std::fs::metadata(&path) {
            Ok(_) => Ok(Ready::Theirs(path)),
            Err(error) => Err(Error::io(&error, "read", &path)),
        });
        self.queue.run(None, job, context.now_secs());
    }

    /// Writes the waiting part once the edits of its document are applied.
    fn start_waiting(&mut self, context: &mut Context) {
        let Some(Waiting { document, selection }) = next_ready(&mut self.queue, context) else { return };
        let Some(document) = context.documents.get(document) else { return };
        let order = Order::of(document, selection, context.folders.state());
        if let Some(path) = self.written(&order.part) {
            return context.send(BenchEvent::DragOut(path));
        }
        let (part, engine) = (order.part.clone(), context.engine.clone());
        let job = context.jobs.spawn("drag out", move |progress| order.ready(&engine, progress));
        self.queue.run(Some(part), job, context.now_secs());
    }

    /// The written file of a part, if that was the last sound dragged out.
    fn written(&self, part: &Part) -> Option<PathBuf> {
        match &self.last {
            Some(Last::Part(last, path)) if last.is_same(part) && path.is_file() => Some(path.clone()),
            _ => None,
        }
    }

    /// Floats the last sound dragged out over the document in front, starting at `secs`.
    fn paste(&self, secs: f64, clipboard: &mut Clipboard, context: &mut Context) {
        let Some(document) = context.documents.active().filter(|_| are_finite(&[secs])) else { return };
        if document.is_reading() || document.open_preview().is_some() {
            let what = "the file in front is still being read, or has a preview open; drop it again after that";
            return context.fail("paste the sound", &Error::new(ErrorKind::Unsupported, what));
        }
        let secs = held(secs, [0.0, document.duration_secs()], 0.0);
        let at = PasteAt { document: document.id(), secs, hz: None };
        match &self.last {
            Some(Last::Sound(id)) => context.order(LibraryAct::Paste { id: *id, at: [at.secs, f64::NAN] }),
            Some(Last::Part(part, _)) => {
                clipboard.paste_part(part.snapshot.clone(), part.edit.clone(), at, context);
            }
            None => {}
        }
    }

    /// Removes all written files before the program exits.
    pub fn end(&mut self) {
        self.queue.clear_waiting();
        self.queue.request_stop();
        let until = Instant::now() + STOP_TIMEOUT;
        // The job's result owns the file: dropping it removes the file.
        while self.queue.is_running() && self.queue.take_answer().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.queue.clear();
        self.files.clear();
    }
}
