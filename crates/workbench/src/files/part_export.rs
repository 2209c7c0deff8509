//! The job of an export by label, which writes a file for each of a document's labels, and the report of its result.

use super::options::PartsOptions;
use super::parts_planner::sound_of;
use super::paths::{name_of, with_path};
use crate::base::{ErrorKind, Progress, Result, more_notices, number};
use crate::bench::context::Context;
use crate::bench::notices::{Severity, about_file, sentence};
use crate::document::{ExportReport, PartsPlan, PartsSound, PartsWriter};
use crate::documents::OpenDocument;
use crate::engine::Engine;
use std::path::{Path, PathBuf};

/// Advice if samples clipped.
const CLIPPED: &str = "Export with a peak, lower the gain, or export as 32-bit float.";

/// An export by label.
pub(super) struct PartExport {
    /// Its settings.
    pub(super) options: Box<PartsOptions>,
    /// The output folder.
    pub(super) folder: PathBuf,
}

/// The result of an export by label.
#[derive(Default)]
pub(super) struct PartsExported {
    /// Number of planned files.
    n_files: usize,
    /// Number of written files.
    n_written: usize,
    /// Number of clipped samples in all files.
    n_clipped: u64,
    /// Number of files with clipped samples.
    n_clipped_files: usize,
    /// Notices about the files, except those about clipping.
    notices: Vec<String>,
    is_stopped: bool,
}

impl PartExport {
    /// The job that writes the files of a document's current labels.
    pub(super) fn work(
        &self,
        document: &OpenDocument,
        engine: &Engine,
    ) -> impl FnOnce(&Progress) -> Result<PartsExported> + Send + use<> {
        let (sound, engine) = (sound_of(document), engine.clone());
        let (options, folder) = (self.options.clone(), self.folder.clone());
        move |progress| write_parts((&options, &folder), &sound, &engine, progress)
    }

    /// Reports the result. Returns the settings of a failed export, for another try.
    pub(super) fn take(self, answer: Result<PartsExported>, context: &mut Context) -> Option<Box<PartsOptions>> {
        let folder = name_of(&self.folder);
        let done = match answer {
            Ok(done) => done,
            Err(error) => {
                context.fail("export", &with_path(error, &self.folder));
                return Some(self.options);
            }
        };
        context.notices.succeed("export");
        if done.is_stopped {
            let what = match done.n_written {
                0 => "The export was stopped; no file was written.".to_owned(),
                n => format!("The export was stopped: {n} of {} files are in {folder}.", done.n_files),
            };
            context.notify(Severity::Info, what, None);
            return None;
        }
        let (severity, what, advice) = done.words(&folder);
        context.notices.notify_folder(context.now_secs(), severity, what, advice.as_deref(), self.folder);
        None
    }
}

impl PartsExported {
    fn take(&mut self, name: &str, report: ExportReport) {
        self.n_written += 1;
        self.n_clipped += report.clipped;
        self.n_clipped_files += usize::from(report.clipped > 0);
        // If samples clipped, the first notice says so. It is skipped, as one notice sums up the clipping of all files.
        let others = report.notices.iter().skip(usize::from(report.clipped > 0));
        self.notices.extend(others.map(|notice| about_file(name, notice)));
    }

    /// Severity, text and advice of the notice about all files.
    fn words(&self, folder: &str) -> (Severity, String, Option<String>) {
        let files = |n: usize| if n == 1 { "1 file".to_owned() } else { format!("{n} files") };
        let mut what = format!("Exported {} to {folder}.", files(self.n_written));
        let mut advice = None;
        if self.n_clipped > 0 {
            let samples = if self.n_clipped == 1 { "sample" } else { "samples" };
            let n = number(self.n_clipped as f64, 0);
            what += &format!(" {n} {samples} in {} clipped.", files(self.n_clipped_files));
            advice = Some(CLIPPED.to_owned());
        }
        if let Some(first) = self.notices.first() {
            let more =
                more_notices(self.notices.len() - 1).map_or_else(String::new, |more| format!(" {}", sentence(&more)));
            advice = Some(format!("{first}{more}"));
        }
        (if advice.is_some() { Severity::Warning } else { Severity::Info }, what, advice)
    }
}

fn write_parts(
    (options, folder): (&PartsOptions, &Path),
    sound: &PartsSound,
    engine: &Engine,
    progress: &Progress,
) -> Result<PartsExported> {
    let order = options.order(folder, sound)?;
    let found = sound.parts(&order.choice)?;
    let plan = PartsPlan::of(order, found, sound)?;
    let mut writing = PartsWriter::begin(&plan, sound, Some(engine))?;
    let mut done = PartsExported { n_files: plan.parts().len(), ..PartsExported::default() };
    while !writing.is_done() {
        let at = writing.n_written();
        let part = [at, at + 1].map(|n| n as f64 / done.n_files as f64);
        match writing.write_next(&progress.within(part)) {
            Ok(report) => done.take(&plan.names()[at], report),
            Err(error) if error.kind() == ErrorKind::Cancelled => {
                return Ok(PartsExported { is_stopped: true, ..done });
            }
            Err(error) => return Err(with_path(error, &plan.path(at))),
        }
    }
    if progress.is_cancelled() {
        return Ok(PartsExported { is_stopped: true, ..done });
    }
    done.notices.extend(writing.losses().map(|lost| sentence(&lost)));
    writing.finish()?;
    done.notices.extend(sound.snapshot.source().take_notice().map(|notice| about_file(&sound.name, &notice)));
    Ok(done)
}
