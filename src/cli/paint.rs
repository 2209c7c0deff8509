//! `sonobrush paint`

use super::args::{NewSound, Paint};
use super::common::engines::{adapter_of, engine_for};
use super::common::input;
use super::common::outputs::{refuse_report, refuse_same_file, refuse_sound};
use super::common::scripts::read_script;
use super::common::terminal::{FileNotices, Terminal, json_of};
use super::paint_files;
use crate::base::{Error, ErrorKind, Folders, Progress, Result, Settings, write_atomic};
use crate::document::session::OpenedSound;
use crate::document::{EditLine, NamedScript, PaintOrder, PaintStep, PaintWatch, paint_file};
use crate::engine::Chosen;
use crate::media::Source;
use serde::Serialize;
use std::cell::OnceCell;
use std::io::Write;
use std::path::PathBuf;

#[derive(Serialize)]
struct Report {
    engine: &'static str,
    adapter: Option<String>,
    clipped: u64,
    notices: Vec<String>,
    edits: Vec<ReportedEdit>,
}

/// An edit, its results, and the engine passes that it ran.
#[derive(Serialize)]
struct ReportedEdit {
    #[serde(flatten)]
    line: EditLine,
    passes: Vec<ReportedPass>,
}

#[derive(Serialize)]
struct ReportedPass {
    pass: String,
    engine: &'static str,
    ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

impl From<EditLine> for ReportedEdit {
    fn from(mut line: EditLine) -> ReportedEdit {
        let rounded = |ms: f64| (1e3 * ms).round() / 1e3;
        let passes = std::mem::take(&mut line.passes).into_iter().map(|pass| ReportedPass {
            engine: pass.engine(),
            ms: pass.ms.map(rounded),
            why: pass.why,
            pass: pass.name.into_owned(),
        });
        ReportedEdit { passes: passes.collect(), line }
    }
}

/// Shows a progress bar for each step, and prints notices as they occur.
pub(super) struct PaintTerminal<'a> {
    pub terminal: &'a Terminal,
    pub file_notices: FileNotices,
}

impl PaintWatch for PaintTerminal<'_> {
    fn step<T>(&mut self, step: PaintStep, work: impl FnOnce(&Progress) -> Result<T>) -> Result<T> {
        self.terminal.with_progress(&step.to_string(), work)
    }

    fn add_notices(&mut self, notices: Vec<String>) {
        self.file_notices.add_notices(notices);
    }
}

pub(super) fn run(
    typed: &Paint,
    settings: &Settings,
    folders: &Folders,
    notices: &[String],
    terminal: &Terminal,
) -> Result<()> {
    let input = match typed.inputs.as_slice() {
        [] => None,
        [input] if !input.is_dir() => Some(input),
        _ => return paint_files::run(typed, settings, folders, terminal),
    };
    typed.files.refuse()?;
    for file in input.into_iter().chain([&typed.script]).chain(&typed.labels) {
        refuse_same_file(file, &typed.output)?;
        if let Some(report) = &typed.report {
            refuse_same_file(file, report)?;
        }
    }
    if let Some(report) = &typed.report {
        refuse_report(report, &typed.output)?;
    }
    let delivery = typed.delivery.delivery(folders)?;
    refuse_sound(&typed.output, &delivery)?;
    let script = read_script(&typed.script, folders)?;
    let room = input::storage_of(settings, folders);
    let open = |progress: &Progress| match (input, typed.new) {
        (Some(input), _) => input::open_in(input, &typed.project, &room, progress),
        (None, Some(new)) => Ok(OpenedSound::new(silence(new)?, &room)),
        (None, None) => Err(Error::new(ErrorKind::Internal, "paint needs a file or --new")),
    };
    let chosen: OnceCell<Chosen> = OnceCell::new();
    let engine = || match chosen.get() {
        Some(chosen) => Ok(chosen.engine.clone()),
        None => {
            let found = engine_for(settings)?;
            found.engine.set_times_passes(typed.report.is_some());
            Ok(chosen.get_or_init(|| found).engine.clone())
        }
    };
    let order = PaintOrder {
        open: &open,
        input: input.map(PathBuf::as_path),
        labels: typed.labels.as_deref(),
        script: NamedScript { script: &script, path: &typed.script },
        engine: &engine,
        output: &typed.output,
        delivery: &delivery,
        measures_level: false,
    };
    let mut watch = PaintTerminal { terminal, file_notices: terminal.file_notices() };
    let painted = paint_file(&order, &mut watch)?;
    let (Some(path), Some(chosen)) = (&typed.report, chosen.get()) else { return Ok(()) };
    let notices = [notices, watch.file_notices.all()].concat();
    let (engine, adapter) = (chosen.engine.name(), adapter_of(&chosen.engine));
    let edits = painted.edits.into_iter().map(ReportedEdit::from).collect();
    let report = Report { engine, adapter, clipped: painted.exported.clipped, notices, edits };
    let text = json_of(&report)?;
    write_atomic(path, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", path)))
}

fn silence(new: NewSound) -> Result<Source> {
    let n_samples = (new.secs * f64::from(new.rate_hz)).round();
    if n_samples > 1e12 {
        return Err(Error::new(ErrorKind::Limit, "a file cannot hold this much silence; choose less with --new"));
    }
    Source::silence(n_samples as u64, new.rate_hz, new.n_channels)
}
