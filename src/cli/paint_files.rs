//! `sonobrush paint` with a folder or several files

use super::args::Paint;
use super::common::engines::{analysis_bytes, engine_for};
use super::common::outputs::{SOUND_ENDINGS, refuse_other_format, refuse_report, refuse_same_file};
use super::common::scripts::script_bytes;
use super::common::terminal::Terminal;
use super::common::{input, interrupt};
use super::review::{ReviewOrder, is_review, write_review};
use crate::base::{Error, ErrorKind, Folders, MAX_NOTICES, Progress, Result, Settings, more_notices, shown_path};
use crate::document::labels::{NamePattern, NamedFiles};
use crate::library::paint_files::{
    PaintFilesOrder, PaintLine, PaintOutputs, PaintPlan, PaintProgress, PaintRun, PaintScript, PaintStatus, PaintWork,
    paint_files,
};
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

/// Interval between status lines on a terminal.
const STATUS_INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn run(typed: &Paint, settings: &Settings, folders: &Folders, terminal: &Terminal) -> Result<()> {
    let progress = Progress::new();
    interrupt::watch(&progress);
    let as_usage = |error: Error| match error.kind() {
        ErrorKind::Cancelled => error,
        _ => error.of_kind(ErrorKind::Usage),
    };
    let order = order_of(typed, settings, folders).map_err(as_usage)?;
    let plan = PaintPlan::of(&order, &progress).map_err(as_usage)?;
    if let Some(page) = &typed.files.review {
        refuse_page(page, &plan, typed).map_err(as_usage)?;
    }
    terminal.notices(&plan.notices);
    let engine = engine_for(settings)?.engine;
    let is_shown = std::io::stderr().is_terminal() && !terminal.is_quiet();
    let mut show = |status: &PaintProgress| {
        if is_shown {
            terminal.status(&status.to_string());
        }
    };
    let run = paint_files(&plan, &order, &engine, &progress, STATUS_INTERVAL, &mut show)?;
    if let Some(page) = &typed.files.review {
        write_review(&run, &ReviewOrder { page, plan: &plan, order: &order, settings, folders }, terminal)?;
    }
    print_report(&run, &order, terminal)
}

/// Refuses a review page that would replace an input, the script, the report or an existing file.
///
/// With `--overwrite`, existing files may be replaced; with `--resume`, only a review page.
fn refuse_page(page: &Path, plan: &PaintPlan, typed: &Paint) -> Result<()> {
    refuse_other_format(page, &["html", "htm"], "HTML")?;
    let inputs = plan.files.iter().map(|planned| plan.root.join(&planned.file));
    inputs.chain([typed.script.clone()]).try_for_each(|input| refuse_same_file(&input, page))?;
    refuse_report(page, typed.report.as_deref().unwrap_or(Path::new("")))?;
    let is_replaced = typed.files.overwrite || typed.files.resume && is_review(page);
    if !is_replaced && page.symlink_metadata().is_ok() {
        let what = "is already there; choose another name for the page, or add --overwrite";
        return Err(Error::new(ErrorKind::Usage, what).at(page));
    }
    Ok(())
}

fn order_of(typed: &Paint, settings: &Settings, folders: &Folders) -> Result<PaintFilesOrder> {
    let files = &typed.files;
    let name = NamePattern::parse(files.name(), NamedFiles::Outputs)?;
    let ending = typed.output.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    if ending.is_some_and(|ending| SOUND_ENDINGS.contains(&&*ending)) && !typed.output.is_dir() {
        let what = "would be a folder, as there are several inputs; choose a name that is not that of a sound";
        return Err(Error::new(ErrorKind::Usage, what).at(&typed.output));
    }
    if typed.project.source.is_some() {
        return Err(Error::new(ErrorKind::Usage, "--source is for a single project; leave it out for several files"));
    }
    let script = PaintScript::parse(&script_bytes(&typed.script)?, &typed.script, folders)?;
    let jobs = files.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    Ok(PaintFilesOrder {
        inputs: typed.inputs.clone(),
        script,
        labels: typed.labels.clone(),
        outputs: PaintOutputs {
            folder: typed.output.clone(),
            name,
            container: files.kind.map(|kind| kind.container()),
            delivery: typed.delivery.delivery(folders)?,
            overwrites: files.overwrite,
        },
        report: typed.report.clone(),
        is_resumed: files.resume,
        work: PaintWork {
            jobs,
            memory_bytes: analysis_bytes(files.memory, settings),
            room: input::storage_of(settings, folders),
            finding: input::finding(&typed.project),
            uses_damaged: typed.project.partly,
        },
    })
}

/// Prints the notices of files and a summary; fails if any file failed.
fn print_report(run: &PaintRun, order: &PaintFilesOrder, terminal: &Terminal) -> Result<()> {
    let notices: Vec<String> = run.lines.iter().flat_map(|(line, _)| notices_of(line)).collect();
    notices.iter().take(MAX_NOTICES).for_each(|notice| terminal.notice(notice));
    if let Some(more) = more_notices(notices.len().saturating_sub(MAX_NOTICES)) {
        let where_all =
            order.report.as_ref().map_or_else(String::new, |report| format!("; {} names them all", shown_path(report)));
        terminal.notice(&format!("{more} about single files{where_all}"));
    }
    let totals = &run.totals;
    let n_files = run.lines.len();
    let files = if n_files == 1 { "1 file".to_owned() } else { format!("{n_files} files") };
    let before = if totals.skipped > 0 { format!(", {} done before", totals.skipped) } else { String::new() };
    let folder = shown_path(&order.outputs.folder);
    terminal.print(&format!("{folder}: {} of {files} painted{before}\n", totals.done + totals.skipped))?;
    match totals.failed {
        0 => Ok(()),
        n => {
            let where_why = order
                .report
                .as_deref()
                .map_or_else(|| "the notes above say why".into(), |report| format!("{} says why", shown_path(report)));
            Err(Error::new(ErrorKind::Malformed, format!("{n} of {files} failed; {where_why}")))
        }
    }
}

fn notices_of(line: &PaintLine) -> Vec<String> {
    if line.status == PaintStatus::Skipped {
        return Vec::new();
    }
    let sentences = line.error.iter().map(|error| &error.sentence).chain(&line.notices);
    sentences.map(|sentence| format!("{}: {sentence}", line.file)).collect()
}
