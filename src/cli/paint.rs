//! `sonobrush paint`

use super::args::{NewSound, Paint};
use super::engines::{adapter_of, engine_for};
use super::input;
use super::outputs::{refuse_same_file, refuse_sound};
use super::terminal::{Terminal, json_of};
use crate::base::{Error, ErrorKind, Folders, Result, Settings, read_small_file, write_atomic};
use crate::document::brushes::Brush;
use crate::document::labels::LabelSet;
use crate::document::{Edit, History, Script, Snapshot, apply, deliver, labels_after, locate_kept_noise};
use crate::media::Source;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// A script of hundreds of thousands of points fits.
const MAX_SCRIPT_BYTES: u64 = 256 << 20;

#[derive(Serialize)]
struct Report {
    engine: &'static str,
    adapter: Option<String>,
    clipped: u64,
    notices: Vec<String>,
    edits: Vec<EditLine>,
}

#[derive(Serialize)]
struct EditLine {
    engine: &'static str,
    touched_frames: u64,
    touched_samples: u64,
    consistency_db: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
}

pub(super) fn run(
    typed: &Paint,
    settings: &Settings,
    folders: &Folders,
    notices: &[String],
    terminal: &Terminal,
) -> Result<()> {
    for file in typed.input.iter().chain([&typed.script]) {
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
    let (history, read_notices) = match (&typed.input, typed.new) {
        (Some(input), _) => {
            let opened = input::open(input, &typed.project, settings, folders, terminal)?;
            (opened.history, opened.notices)
        }
        (None, Some(new)) => (History::new(Snapshot::new(silence(new)?)), Vec::new()),
        (None, None) => return Err(Error::new(ErrorKind::Internal, "paint needs a file or --new")),
    };
    let (mut snapshot, mut labels) = (history.current().clone(), history.labels().clone());
    if let Some((_, with)) = labels_of_script(&script, &labels, history.next_label_id(), &typed.script)? {
        labels = with;
    }
    let mut told = terminal.file_notices();
    told.tell(read_notices);
    told.tell(of_script(&script));

    let chosen = engine_for(settings)?;
    snapshot.store().limit(settings.history_bytes(), folders.state());
    let mut edits = Vec::new();
    let n_edits = script.edits.len();
    for (index, edit) in script.edits.iter().enumerate() {
        let doing = format!("edit {} of {n_edits}", index + 1);
        let applied = terminal
            .with_progress(&doing, |progress| apply(&snapshot, edit, &chosen.engine, progress))
            .map_err(|error| in_script(error, index, &typed.script))?;
        if let Some(secs) = applied.report.past_end_secs {
            told.tell([format!(
                "edits[{index}]: extends {secs:.3} s past the end of the sound; add a lengthen edit before it"
            )]);
        }
        told.tell(applied.report.notices.iter().map(|notice| format!("edits[{index}]: {notice}")));
        let found = applied.resolved.as_deref().unwrap_or(edit);
        labels = labels_after(&labels, &snapshot, found).map_err(|error| in_script(error, index, &typed.script))?;
        edits.push(EditLine {
            engine: applied.report.engine,
            touched_frames: applied.report.touched_frames,
            touched_samples: applied.report.touched_samples,
            consistency_db: applied.report.consistency_db,
            found: applied.report.found,
        });
        snapshot = applied.snapshot;
    }

    let exported = terminal.with_progress("writing", |progress| {
        let samples = 0..snapshot.n_samples();
        deliver((&snapshot, &labels), samples, &typed.output, &delivery, progress)
    })?;
    told.tell(exported.notices);
    told.tell(snapshot.source().take_notice());
    let Some(path) = &typed.report else { return Ok(()) };
    let notices = [notices, told.all()].concat();
    let (engine, adapter) = (chosen.engine.name(), adapter_of(&chosen.engine));
    let report = Report { engine, adapter, clipped: exported.clipped, notices, edits };
    let text = json_of(&report)?;
    write_atomic(path, |out| writeln!(out, "{text}").map_err(|error| Error::io(&error, "written", path)))
}

/// Before any work: a report that would replace the sound, or that could not be written after it.
pub(super) fn refuse_report(report: &Path, output: &Path) -> Result<()> {
    if report == output {
        return Err(Error::new(ErrorKind::Io, "is the output file; choose another name for the report").at(report));
    }
    let folder = report.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if report.is_dir() || !folder.is_dir() {
        return Err(Error::new(
            ErrorKind::Io,
            "cannot be written: its folder must exist, and it must not be a folder itself",
        )
        .at(report));
    }
    Ok(())
}

/// A script; saved noise profiles that it names are found in the user's folders.
pub(super) fn read_script(path: &Path, folders: &Folders) -> Result<Script> {
    let text = read_small_file(path, MAX_SCRIPT_BYTES)?;
    let text = String::from_utf8(text).map_err(|_| Error::new(ErrorKind::Script, "is not UTF-8 text").at(path))?;
    let mut script = Script::parse(&text).map_err(|error| error.at(path))?;
    locate_kept_noise(&mut script.edits, folders).map_err(|error| error.at(path))?;
    Ok(script)
}

/// The edit that puts a script's labels in, and the labels of the sound after it; none where the script has none.
///
/// # Errors
/// For labels that do not go together, or too many.
pub(super) fn labels_of_script(
    script: &Script,
    labels: &LabelSet,
    next_id: u64,
    path: &Path,
) -> Result<Option<(Edit, LabelSet)>> {
    let Some(edit) = script.labels_edit(next_id) else { return Ok(None) };
    let put = match &edit.brush {
        Brush::Labels(brush) => brush.applied(labels),
        _ => Ok(labels.clone()),
    };
    match put {
        Ok(labels) => Ok(Some((edit, labels))),
        Err(error) => Err(Error::new(error.kind(), format!("labels: {}", error.message())).at(path)),
    }
}

/// What of a script is not read as it stands there.
pub(super) fn of_script(script: &Script) -> Option<String> {
    match script.labels.n_swapped {
        0 => None,
        1 => Some("labels: 1 began behind its end and was turned around".into()),
        n => Some(format!("labels: {n} began behind their end and were turned around")),
    }
}

/// What does not fit the sound is told with its place, as what is wrong in itself.
pub(super) fn in_script(error: Error, index: usize, path: &Path) -> Error {
    if error.kind() != ErrorKind::Script {
        return error;
    }
    Error::new(ErrorKind::Script, format!("edits[{index}]: {}", error.message())).at(path)
}

fn silence(new: NewSound) -> Result<Source> {
    let n_samples = (new.secs * f64::from(new.rate_hz)).round();
    if n_samples > 1e12 {
        return Err(Error::new(ErrorKind::Limit, "a file cannot hold this much silence"));
    }
    Source::silence(n_samples as u64, new.rate_hz, new.n_channels)
}
