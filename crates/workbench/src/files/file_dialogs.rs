//! File dialogs, one at a time, and typed paths where the system has no dialogs.

use super::image_export::cells_pictures;
use super::options::PartsOptions;
use super::paths::{
    folder_of, named_by_pattern, with_csv, with_ending, with_exr_or_png, with_label_ending, with_path, with_png,
    with_sound_ending, with_table_ending,
};
use super::questions::{ExportOptions, Locating, ProjectSaveOptions, Purpose, Question, Reply};
use crate::base::Result;
use crate::bench::context::{Concern, Context};
use crate::bench::notices::Severity;
use crate::documents::OpenDocument;
use crate::file_runs::{RunFilesOptions, RunPlace};
use crate::services::{FileDialog, Job, JobQueue, Picked};
use std::path::{Path, PathBuf};

/// Suffix of the file name of a pitch line, after the name of the sound.
const PITCH_ENDING: &str = "-pitch.csv";

/// The open dialog, and the path being checked.
#[derive(Default)]
pub struct FileDialogs {
    dialog: JobQueue<Purpose, Picked>,
    /// A typed path, and whether its file exists.
    checking: JobQueue<(Purpose, PathBuf), bool>,
    has_reported_no_dialog: bool,
    /// The job that opens a folder in the file manager.
    showing: Option<Job<()>>,
}

impl Concern for FileDialogs {
    fn advance(&mut self, context: &mut Context) {
        if let Some((purpose, answer)) = self.dialog.take_answer() {
            self.take_dialog(purpose, answer, context);
        }
        if let Some(((purpose, path), answer)) = self.checking.take_answer() {
            match answer {
                Ok(true) => {
                    let text = path.to_string_lossy().into_owned();
                    context.ask(match purpose {
                        Purpose::Export(options) => Question::Export { options, text, replaces: Some(path) },
                        purpose => Question::Path { purpose, text, replaces: Some(path) },
                    });
                }
                Ok(false) => context.order(Reply::Path { purpose, replaces: Some(path.clone()), path }),
                Err(error) => {
                    context.fail("write", &with_path(error, &path));
                    if let Purpose::Export(options) = purpose {
                        ask_export_again(options, &path, context);
                    }
                }
            }
        }
        if let Some(answer) = self.showing.as_mut().and_then(Job::poll) {
            self.showing = None;
            if let Err(error) = answer {
                context.fail("show the folder", &error);
            }
        }
    }

    // Ignores `showing`, which may run for as long as the file manager is open.
    fn is_busy(&self, _: &Context) -> bool {
        self.dialog.is_busy() || self.checking.is_busy()
    }
}

impl FileDialogs {
    /// Shows a dialog for a file to open.
    pub fn open(&mut self, context: &mut Context) {
        self.ask(Purpose::Open, FileDialog::Open, context);
    }

    /// Shows a dialog for a picture to open.
    pub fn open_picture(&mut self, context: &mut Context) {
        self.ask(Purpose::OpenPicture, FileDialog::OpenPicture, context);
    }

    /// Shows a dialog for a picture of cells to open.
    pub fn open_cells(&mut self, context: &mut Context) {
        self.ask(Purpose::OpenCells, FileDialog::OpenCells, context);
    }

    /// Shows a dialog for the file to which a document's cells are saved.
    pub fn save_cells(&mut self, document: u64, context: &mut Context) {
        let suggested = suggested_picture(document, "exr", context);
        self.ask(Purpose::Cells(document), FileDialog::SaveCells(suggested), context);
    }

    /// Shows a dialog for the file to which a document's view is saved with axes.
    pub fn save_picture(&mut self, document: u64, context: &mut Context) {
        let suggested = suggested_picture(document, "png", context);
        self.ask(Purpose::Picture(document), FileDialog::SavePicture(suggested), context);
    }

    /// Shows a dialog for the file to export to.
    pub fn export(&mut self, mut options: ExportOptions, context: &mut Context) {
        options.document = options.document.or(context.documents.active_id());
        let suggested = suggested_export(&options, context);
        self.ask(Purpose::Export(options), FileDialog::Export(suggested), context);
    }

    /// Shows a dialog for the folder of an export by label.
    pub fn parts_folder(&mut self, options: Box<PartsOptions>, context: &mut Context) {
        self.ask(Purpose::PartsFolder(options), FileDialog::OutputFolder, context);
    }

    /// Shows a dialog for the file to which a project is saved.
    pub fn project(&mut self, mut options: ProjectSaveOptions, context: &mut Context) {
        options.document = options.document.or(context.documents.active_id());
        let suggested = suggested_project(options.document, context);
        self.ask(Purpose::Project(options), FileDialog::SaveProject(suggested), context);
    }

    /// Shows a dialog for a label file to import into a document.
    pub fn import_labels(&mut self, document: u64, context: &mut Context) {
        self.ask(Purpose::ImportLabels(document), FileDialog::OpenLabels, context);
    }

    /// Shows a dialog for the file to which a document's labels are exported.
    pub fn export_labels(&mut self, document: u64, context: &mut Context) {
        let suggested = suggested_beside(document, ".csv", context);
        self.ask(Purpose::Labels(document), FileDialog::SaveLabels(suggested), context);
    }

    /// Shows a dialog for the file to which the measurements at a document's labels are written.
    pub fn measure_labels(&mut self, document: u64, context: &mut Context) {
        let suggested = suggested_beside(document, "-measured.csv", context);
        self.ask(Purpose::Measurements(document), FileDialog::SaveMeasurements(suggested), context);
    }

    /// Shows a dialog for the file to which a document's pitch line is saved.
    pub fn save_pitch(&mut self, document: u64, context: &mut Context) {
        let suggested = suggested_beside(document, PITCH_ENDING, context);
        self.ask(Purpose::Pitch(document), FileDialog::SavePitch(suggested), context);
    }

    /// Shows a dialog to locate the sound of a project or session.
    pub fn locate(&mut self, what: Locating, context: &mut Context) {
        self.ask(Purpose::Locate(what), FileDialog::Open, context);
    }

    /// Shows a dialog for a folder to add to the library.
    pub fn folder(&mut self, context: &mut Context) {
        self.ask(Purpose::AddFolder, FileDialog::Folder, context);
    }

    /// Shows a dialog for the path of a field on the card of a run over files.
    pub fn run_files(&mut self, options: Box<RunFilesOptions>, place: RunPlace, context: &mut Context) {
        let dialog = match place {
            RunPlace::Input => FileDialog::Folder,
            RunPlace::Script => FileDialog::OpenScript,
            RunPlace::Output => FileDialog::OutputFolder,
        };
        self.ask(Purpose::RunFiles(options, place), dialog, context);
    }

    /// Shows a folder in the system's file manager.
    pub fn show_folder(&mut self, folder: PathBuf, context: &Context) {
        let dialogs = context.dialogs.clone();
        self.showing = Some(context.jobs.spawn("show a folder", move |_| dialogs.show_folder(&folder)));
    }

    /// Checks in a job whether a file would be replaced; for a picture of cells, any of its files.
    pub fn check(&mut self, purpose: Purpose, path: PathBuf, context: &Context) {
        let files = match purpose {
            Purpose::Cells(id) => cells_pictures(id, &path, context),
            _ => vec![path.clone()],
        };
        let job = context.jobs.spawn("look", move |_| Ok(files.iter().any(|file| file.exists())));
        self.checking.run_instead((purpose, path), job, context.now_secs());
    }

    /// Shows a file dialog, unless one is already open.
    fn ask(&mut self, purpose: Purpose, dialog: FileDialog, context: &mut Context) {
        if self.dialog.is_busy() {
            let advice = Some("Choose a file in it or close it first.");
            return context.notify(Severity::Warning, "A file dialog is open already.", advice);
        }
        let dialogs = context.dialogs.clone();
        let job = context.jobs.spawn("dialog", move |_| Ok(dialogs.ask(&dialog)));
        self.dialog.run(purpose, job, context.now_secs());
    }

    fn take_dialog(&mut self, purpose: Purpose, answer: Result<Picked>, context: &mut Context) {
        let path = match answer {
            Ok(Picked::File(path)) => path,
            Ok(Picked::Cancelled) => {
                match purpose {
                    Purpose::RunFiles(options, place) => ask_run_files(*options, place, None, context),
                    Purpose::PartsFolder(options) => context.ask(Question::ExportParts(options)),
                    _ => {}
                }
                return context.keep_all();
            }
            Ok(Picked::Unavailable) => return self.type_path(purpose, context),
            Err(error) => return context.fail("show a file dialog", &error),
        };
        // The system's dialog asks before replacing a file with exactly the chosen name, but not one with the extension
        // that is added here.
        let (path, replaces) = match &purpose {
            Purpose::Export(options) => (with_sound_ending(path.clone(), options.delivery.container), Some(path)),
            Purpose::Project(_) => (with_ending(path.clone()), Some(path)),
            Purpose::Cells(id) => {
                let named = with_exr_or_png(path.clone());
                // Nor does it ask about the file names derived for a PNG pair or for several channels.
                let is_requested = cells_pictures(*id, &named, context) == [named.clone()];
                (named, is_requested.then_some(path))
            }
            Purpose::Picture(_) => (with_png(path.clone()), Some(path)),
            Purpose::Labels(_) => (with_label_ending(path.clone()), Some(path)),
            Purpose::Measurements(_) => (with_table_ending(path.clone()), Some(path)),
            Purpose::Pitch(_) => (with_csv(path.clone()), Some(path)),
            Purpose::Open
            | Purpose::OpenPicture
            | Purpose::OpenCells
            | Purpose::Locate(_)
            | Purpose::AddFolder
            | Purpose::RunFiles(..)
            | Purpose::PartsFolder(_)
            | Purpose::ImportLabels(_) => (path, None),
        };
        context.order(Reply::Path { purpose, path, replaces });
    }

    fn type_path(&mut self, purpose: Purpose, context: &mut Context) {
        let advice = match purpose {
            Purpose::Open | Purpose::OpenPicture | Purpose::OpenCells => {
                "Type a path, drop a file on the window, or pass it on the command line."
            }
            Purpose::Export(_)
            | Purpose::Project(_)
            | Purpose::Cells(_)
            | Purpose::Picture(_)
            | Purpose::Locate(_)
            | Purpose::AddFolder
            | Purpose::RunFiles(..)
            | Purpose::PartsFolder(_)
            | Purpose::ImportLabels(_)
            | Purpose::Labels(_)
            | Purpose::Measurements(_)
            | Purpose::Pitch(_) => "Type a path.",
        };
        let what = "No file dialog is available (neither a desktop portal nor zenity responds).";
        // Shown once, not with each export.
        if !std::mem::replace(&mut self.has_reported_no_dialog, true) {
            context.notify(Severity::Warning, what, Some(advice));
        }
        let text = match purpose {
            Purpose::Open
            | Purpose::OpenPicture
            | Purpose::OpenCells
            | Purpose::Locate(_)
            | Purpose::AddFolder
            | Purpose::ImportLabels(_) => String::new(),
            Purpose::Project(ref options) => {
                suggested_project(options.document, context).to_string_lossy().into_owned()
            }
            // The export card has a field for the path.
            Purpose::Export(options) => return ask_export(options, context),
            Purpose::RunFiles(options, place) => return ask_run_files(*options, place, None, context),
            Purpose::PartsFolder(options) => return context.ask(Question::ExportParts(options)),
            Purpose::Cells(id) => suggested_picture(id, "exr", context).to_string_lossy().into_owned(),
            Purpose::Picture(id) => suggested_picture(id, "png", context).to_string_lossy().into_owned(),
            Purpose::Labels(id) => suggested_beside(id, ".csv", context).to_string_lossy().into_owned(),
            Purpose::Pitch(id) => suggested_beside(id, PITCH_ENDING, context).to_string_lossy().into_owned(),
            Purpose::Measurements(id) => suggested_beside(id, "-measured.csv", context).to_string_lossy().into_owned(),
        };
        context.ask(Question::Path { purpose, text, replaces: None });
    }
}

/// Shows the export card, with a suggested path.
pub fn ask_export(options: ExportOptions, context: &mut Context) {
    let text = suggested_export(&options, context).to_string_lossy().into_owned();
    context.ask(Question::Export { options, text, replaces: None });
}

/// Shows the export card again, with its settings and the typed path.
pub fn ask_export_again(options: ExportOptions, path: &Path, context: &mut Context) {
    context.ask(Question::Export { options, text: path.to_string_lossy().into_owned(), replaces: None });
}

/// Shows the card of an export by label, suggesting a folder beside the sound; `listed` is the filter of the label
/// list.
pub fn ask_parts(document: u64, listed: &str, context: &mut Context) {
    let Some(labels) = context.documents.get(document).map(|document| document.history().labels()) else { return };
    // If all labels are markers, they split the sound by default.
    let splits = labels.iter().all(|label| label.is_marker());
    let folder = suggested_beside(document, "-parts", context).to_string_lossy().into_owned();
    let options = PartsOptions { document, folder, listed: listed.to_owned(), splits, ..PartsOptions::default() };
    context.ask(Question::ExportParts(Box::new(options)));
}

/// Shows the card of a run over files again, with the picked path in its field.
pub fn ask_run_files(mut options: RunFilesOptions, place: RunPlace, picked: Option<&Path>, context: &mut Context) {
    if let Some(path) = picked {
        match place {
            RunPlace::Input => options = options.with_input(path),
            RunPlace::Script => options.script = path.to_string_lossy().into_owned(),
            RunPlace::Output => options.output = path.to_string_lossy().into_owned(),
        }
    }
    context.ask(Question::RunFiles(options));
}

/// The path of an export, with a file name that is a pattern filled in.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) for an invalid pattern.
pub fn named_for_export(path: PathBuf, options: &ExportOptions, context: &Context) -> Result<PathBuf> {
    let document = options.document.or(context.documents.active_id()).and_then(|id| context.documents.get(id));
    let Some(document) = document else { return Ok(path) };
    let selected = document.selected_secs().filter(|_| options.is_selection);
    let secs = selected.unwrap_or([0.0, document.duration_secs()]);
    named_by_pattern(&path, &sound_name(document.path()), secs).map_err(|error| with_path(error, &path))
}

/// The name of a sound, without its extension.
fn sound_name(source: Option<&Path>) -> String {
    let stem = source.and_then(Path::file_stem);
    stem.map_or_else(|| "untitled".into(), |stem| stem.to_string_lossy().into_owned())
}

/// `NAME-edited.wav` beside the source, or `NAME-part.wav` for a selection, with the extension of the chosen format. In
/// the working folder if the source is a file of the program, such as the demo clip.
fn suggested_export(options: &ExportOptions, context: &Context) -> PathBuf {
    let document = options.document.and_then(|id| context.documents.get(id));
    let source = document.and_then(|document| document.path().map(Path::to_path_buf)).unwrap_or_default();
    // Braces would begin a field of a name pattern.
    let stem = sound_name(Some(&source)).replace('{', "(").replace('}', ")");
    let (what, container) = (if options.is_selection { "part" } else { "edited" }, options.delivery.container);
    beside(&source, context).join(format!("{stem}-{what}.{}", container.unwrap_or_default().ending()))
}

/// `NAME.exr` beside the source, or with another extension.
fn suggested_picture(document: u64, ending: &str, context: &Context) -> PathBuf {
    suggested_beside(document, &format!(".{ending}"), context)
}

/// `NAME` beside the source, with a suffix.
fn suggested_beside(document: u64, behind: &str, context: &Context) -> PathBuf {
    let source = context.documents.get(document).and_then(OpenDocument::path).map(Path::to_path_buf);
    let source = source.unwrap_or_default();
    let stem = source.file_stem().map_or_else(|| "untitled".into(), |stem| stem.to_string_lossy().into_owned());
    beside(&source, context).join(format!("{stem}{behind}"))
}

/// `NAME.sonobrush` beside the file; `NAME-copy` for a copy and `NAME-recovered` for other documents with a title.
fn suggested_project(document: Option<u64>, context: &Context) -> PathBuf {
    let Some(document) = document.and_then(|id| context.documents.get(id)) else {
        return PathBuf::from("untitled.sonobrush");
    };
    let file = document.file().map(Path::to_path_buf).unwrap_or_default();
    let stem = file.file_stem().map_or_else(|| "untitled".into(), |stem| stem.to_string_lossy().into_owned());
    let stem = match document.title() {
        Some(title) if title.ends_with("(copy)") => format!("{stem}-copy"),
        Some(_) => format!("{stem}-recovered"),
        None => stem,
    };
    beside(&file, context).join(format!("{stem}.sonobrush"))
}

/// The folder of a user's file; for the program's own files, such as the demo clip, the working folder.
fn beside(file: &Path, context: &Context) -> PathBuf {
    let is_ours = file.starts_with(context.folders.state());
    if is_ours { std::env::current_dir().unwrap_or_default() } else { folder_of(file) }
}
