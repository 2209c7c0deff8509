//! Pictures of a sound: a grey one on the system clipboard, its cells in files, or a figure with axes.

use super::paths::{is_png, name_of, with_path};
use super::pictures::CopiedPicture;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::bench::context::{BenchEvent, Concern, Context};
use crate::bench::notices::Severity;
use crate::bench::orders::{AfterEdits, next_ready};
use crate::bench::work::{JobStatus, OrderReport};
use crate::document::output::cells_file::{
    CellsFormat, CellsOutput, cells_files, cells_outputs, refuse_other_sidecar, write_cells,
};
use crate::document::{Signal, Snapshot};
use crate::documents::{OpenDocument, Panes, View, limits_of};
use crate::dsp::StftParams;
use crate::dsp::strokes::picture::{Bitmap, BitmapSamples};
use crate::engine::Plans;
use crate::services::JobQueue;
use crate::view::{
    Axes, CellStyle, Colormap, ImageOptions, PictureSpec, Plane, grid_of, picture, render_image, write_png,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Width and height of a figure in pixels.
const FIGURE_SIZE: [usize; 2] = [1_600, 1_000];

/// Maximum width and height in pixels of a picture for the clipboard, limited because the UI thread copies it.
const MAX_COPIED_SIZE: [usize; 2] = [2_048, 1_024];

/// Makes pictures in the order requested, each once the pending edits of its document are applied.
#[derive(Default)]
pub struct ImageExporter {
    queue: JobQueue<Waiting, Pictured, Target>,
}

/// The destination of a picture.
#[derive(Debug, Clone, PartialEq)]
enum Target {
    Clipboard,
    Cells(PathBuf),
    Picture(PathBuf),
}

impl Target {
    /// Name for the status line.
    fn name(&self) -> &'static str {
        match self {
            Target::Clipboard => "Copying a picture",
            Target::Cells(_) => "Saving cells",
            Target::Picture(_) => "Saving the picture",
        }
    }
}

/// The part of a sound that becomes a picture: the selection, or the visible part.
#[derive(Debug, Clone)]
struct Part {
    secs: [f64; 2],
    hz: [f64; 2],
    /// The view of its document.
    view: View,
}

struct Waiting {
    document: u64,
    part: Part,
    target: Target,
}

impl AfterEdits for Waiting {
    fn document(&self) -> u64 {
        self.document
    }

    fn closed_report(&self) -> Option<OrderReport> {
        let what = "No picture was made because its file was closed.".into();
        Some(OrderReport { is_success: false, what, advice: "Open the file again first." })
    }
}

/// The result of a job.
enum Pictured {
    Copied(CopiedPicture),
    Saved(Vec<PathBuf>),
    Drawn(PathBuf),
}

impl Concern for ImageExporter {
    fn advance(&mut self, context: &mut Context) {
        self.start_next(context);
        if let Some((target, answer)) = self.queue.take_answer() {
            take_pictured(target, answer, context);
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, Target::name)
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.queue.cancel_last().is_some()
    }
}

impl ImageExporter {
    /// Copies the selection, or the visible part, of the document in front to the system clipboard.
    pub fn copy(&mut self, context: &Context) {
        if let Some(document) = context.documents.active() {
            self.give(document, Part::of(document), Target::Clipboard);
        }
    }

    /// Saves the cells of the selection, or of the visible part, of a document.
    pub fn save_cells(&mut self, id: u64, path: PathBuf, context: &Context) {
        if let Some(document) = context.documents.get(id) {
            self.give(document, Part::of(document), Target::Cells(path));
        }
    }

    /// Saves the visible part of a document with axes and a colour bar.
    pub fn save_picture(&mut self, id: u64, path: PathBuf, context: &Context) {
        if let Some(document) = context.documents.get(id) {
            self.give(document, Part::seen(document), Target::Picture(path));
        }
    }

    /// Whether a file is being written, or will be.
    pub fn is_writing(&self) -> bool {
        let is_file = |target: &Target| *target != Target::Clipboard;
        self.queue.running().chain(self.queue.waiting().map(|waiting| &waiting.target)).any(is_file)
    }

    fn give(&mut self, document: &OpenDocument, part: Part, target: Target) {
        self.queue.push(Waiting { document: document.id(), part, target });
    }

    fn start_next(&mut self, context: &mut Context) {
        let Some(Waiting { document, part, target }) = next_ready(&mut self.queue, context) else { return };
        let Some(document) = context.documents.get(document) else { return };
        let is_seen = matches!(target, Target::Picture(_));
        let snapshot = if is_seen { document.shown() } else { document.history().current() }.clone();
        let (theirs, plans) = (target.clone(), context.engine.plans().clone());
        let job = context.jobs.spawn("picture", move |progress| match theirs {
            Target::Clipboard => part.copied(&snapshot, progress).map(Pictured::Copied),
            Target::Cells(path) => part.saved(&snapshot, &path, &plans, progress).map(Pictured::Saved),
            Target::Picture(path) => part.drawn(&snapshot, &path, progress).map(|()| Pictured::Drawn(path)),
        });
        self.queue.run(target, job, context.now_secs());
    }
}

impl Part {
    /// The selection of a document; its visible part without one.
    fn of(document: &OpenDocument) -> Part {
        let (view, limits) = (document.view(), limits_of(document.shown()));
        let (secs, hz) = match document.selection() {
            Some(_) => (
                document.selected_secs().unwrap_or([0.0, limits.duration_secs]),
                document.selected_hz().unwrap_or([0.0, limits.nyquist_hz]),
            ),
            None => (view.secs, view.hz),
        };
        Part { secs, hz, view: view.clone() }
    }

    /// The visible part of a document, with or without a selection.
    fn seen(document: &OpenDocument) -> Part {
        let view = document.view().clone();
        Part { secs: view.secs, hz: view.hz, view }
    }

    /// Draws the view with axes, like `sonobrush image --axes`. If both planes are shown, draws the magnitude; if
    /// channels are stacked, the louder channel per cell.
    fn drawn(&self, snapshot: &Snapshot, path: &Path, progress: &Progress) -> Result<()> {
        let options = ImageOptions {
            plane: if self.view.panes == Panes::Phase { Plane::Phase } else { Plane::Magnitude },
            axis: self.view.axis,
            colormap: self.view.colormap,
            range_db: self.view.range_db,
            smooth: self.view.smooth,
            size: FIGURE_SIZE,
            secs: Some(self.secs),
            hz: Some(self.hz),
            channels: self.view.channels,
            transform: Some(self.view.transform.clone()),
            raw: false,
            axes: Some(Axes::default()),
        };
        write_png(path, &render_image(snapshot, &options, progress)?)
    }

    /// A grey picture with a column per frame and a row per bin, at most [`MAX_COPIED_SIZE`].
    fn copied(&self, snapshot: &Snapshot, progress: &Progress) -> Result<CopiedPicture> {
        let limits = limits_of(snapshot);
        // A log axis has no 0 Hz.
        let hz = [self.hz[0].max(limits.floor_hz(self.view.axis)), self.hz[1]];
        let length_secs = self.secs[1] - self.secs[0];
        if length_secs <= 0.0 || hz[1] <= hz[0] {
            let what = "there is no cell of the spectrogram within this time and this band";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        let grid = grid_of(snapshot, &self.view.transform);
        let cells = [length_secs / grid.secs_in_frames(1.0), (hz[1] - hz[0]) / grid.min_step_hz()];
        let size = [0, 1].map(|side| (cells[side].ceil() as usize).clamp(1, MAX_COPIED_SIZE[side]));
        let spec = PictureSpec {
            secs: self.secs,
            hz,
            axis: self.view.axis,
            transform: self.view.transform.clone(),
            channels: self.view.channels,
            plane: Plane::Magnitude,
            colormap: Colormap::Grey,
            range_db: self.view.range_db,
            raw_phase: false,
            cells: CellStyle::new(false, 1.0),
            size,
        };
        let drawn = picture(snapshot, &spec, progress)?;
        let grey = drawn.rgb.chunks_exact(3).map(|pixel| pixel[0]).collect();
        let bitmap = Bitmap::new(size, 1, BitmapSamples::Eight(grey))
            .ok_or_else(|| Error::new(ErrorKind::Internal, "the picture has no pixels"))?;
        let range_db = self.view.range_db.map(f64::from);
        Ok(CopiedPicture { bitmap: Arc::new(bitmap), length_secs, hz, axis: self.view.axis, range_db })
    }

    /// Writes the cells, with a picture per channel; returns the paths of the pictures.
    fn saved(&self, snapshot: &Snapshot, path: &Path, plans: &Plans, progress: &Progress) -> Result<Vec<PathBuf>> {
        let (format, outputs) = outputs_of(&self.view, snapshot.n_channels(), path)?;
        // The user has agreed to replace the pictures, but not the JSON files beside them.
        outputs.iter().try_for_each(|(_, picture)| refuse_other_sidecar(&cells_files(picture, format).1))?;
        // Only an STFT can be written as a picture of cells. Uses the default STFT otherwise, as the command line does.
        let transform = match self.view.transform.as_stft() {
            Some(_) => self.view.transform.clone(),
            None => StftParams::for_rate(snapshot.sample_rate_hz()).into(),
        };
        for (signal, picture) in &outputs {
            let (signal, transform) = (*signal, transform.clone());
            let output = CellsOutput { signal, transform, secs: Some(self.secs), hz: Some(self.hz), format };
            write_cells(snapshot, &output, picture, plans, progress)?;
        }
        Ok(outputs.iter().flat_map(|(_, picture)| cells_files(picture, format).0).collect())
    }
}

/// Paths of the pictures of cells that saving a document's current view as `path` would write; empty if it cannot be
/// saved.
pub fn cells_pictures(id: u64, path: &Path, context: &Context) -> Vec<PathBuf> {
    let Some(document) = context.documents.get(id) else { return Vec::new() };
    let outputs = outputs_of(document.view(), document.shown().n_channels(), path);
    let files = |(format, outputs): (CellsFormat, Vec<(Signal, PathBuf)>)| {
        outputs.iter().flat_map(|(_, picture)| cells_files(picture, format).0).collect()
    };
    outputs.map(files).unwrap_or_default()
}

/// The output format according to the extension of `path`, and each signal with the path of its picture. PNG stores
/// levels within the view's range.
fn outputs_of(view: &View, n_channels: usize, path: &Path) -> Result<(CellsFormat, Vec<(Signal, PathBuf)>)> {
    let format = match is_png(path) {
        true => CellsFormat::Png { range_db: view.range_db.map(f64::from) },
        false => CellsFormat::Exr,
    };
    Ok((format, cells_outputs(&view.channels.edited(), n_channels, path, format)?))
}

fn take_pictured(target: Target, answer: Result<Pictured>, context: &mut Context) {
    match answer {
        Ok(Pictured::Copied(copied)) => {
            let [width, height] = copied.bitmap.size();
            let what = format!("Copied a picture of {width} x {height} pixels.");
            let advice = "Ctrl+V lays it over a sound, also after it was painted over and copied in another program.";
            context.send(BenchEvent::CopyPicture(copied.bitmap.clone()));
            context.copied_picture = Some(copied);
            context.notices.succeed("copy a picture");
            context.notify(Severity::Info, what, Some(advice));
        }
        Ok(Pictured::Saved(pictures)) => {
            let names: Vec<String> = pictures.iter().map(|path| name_of(path)).collect();
            context.notices.succeed("save the cells");
            let advice = "The JSON file beside it says which cells it shows: keep them together. Once it is painted over, \
                          drop it here.";
            context.notify(Severity::Info, format!("Saved {}.", names.join(", ")), Some(advice));
        }
        Ok(Pictured::Drawn(path)) => {
            context.notices.succeed("save the picture");
            let [width, height] = FIGURE_SIZE;
            let what = format!("Saved {}, {width} x {height} pixels.", name_of(&path));
            context.notify(Severity::Info, what, None);
        }
        Err(error) => match target {
            Target::Clipboard => context.fail("copy a picture", &error),
            Target::Cells(path) => context.fail("save the cells", &with_path(error, &path)),
            Target::Picture(path) => context.fail("save the picture", &with_path(error, &path)),
        },
    }
}
