//! `sonobrush library describe`

use super::notices::{notices_of_file, refuse_failed};
use crate::base::{Error, ErrorKind, Progress, Result, shown_path};
use crate::cli::args::DescribeFiles;
use crate::cli::common::terminal::Terminal;
use crate::library::batches::{BatchEngine, BatchOrder, KnownRates};
use crate::library::describe::Description;
use crate::media::Source;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// JSON output for a file.
#[derive(Serialize)]
struct DescribedFile {
    path: String,
    #[serde(flatten)]
    description: Description,
    notices: Vec<String>,
}

/// Prints the description of each readable file, and fails if any is unreadable. As JSON, a single file is an object,
/// and several are an array.
pub(super) fn describe_files(typed: &DescribeFiles, order: &BatchOrder, terminal: &Terminal) -> Result<()> {
    let mut batches = BatchEngine::new(order, KnownRates::default())?;
    let n_files = typed.files.len();
    let (mut described, mut failures): (Vec<DescribedFile>, Vec<Error>) = (Vec::new(), Vec::new());
    let mut has_printed = false;
    for (index, path) in typed.files.iter().enumerate() {
        let doing =
            if n_files == 1 { "describing".to_owned() } else { format!("describing {} of {n_files}", index + 1) };
        let file = match terminal.with_progress(&doing, |progress| describe(path, &mut batches, progress)) {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                failures.push(if error.path().is_some() { error } else { error.at(path) });
                continue;
            }
            Ok(file) => file,
        };
        notices_of_file(path, &file.notices, n_files, terminal);
        if typed.json {
            described.push(file);
            continue;
        }
        let gap = if std::mem::replace(&mut has_printed, true) { "\n" } else { "" };
        let name = if n_files == 1 { String::new() } else { format!("{gap}{}\n", file.path) };
        terminal.print(&format!("{name}{}", text_of(&file.description)))?;
    }
    match described.first() {
        Some(only) if n_files == 1 => terminal.print_json(only)?,
        _ if typed.json && n_files > 1 => terminal.print_json(&described)?,
        _ => {}
    }
    refuse_failed(failures, n_files, "described")
}

fn describe(path: &Path, batches: &mut BatchEngine, progress: &Progress) -> Result<DescribedFile> {
    let opened = Source::open(path, &progress.quiet())?;
    let description = batches.describe(&opened.source, progress)?;
    let notices = opened.notices.into_iter().chain(opened.source.take_notice()).collect();
    Ok(DescribedFile { path: shown_path(path), description, notices })
}

/// The description as text, with a line per value.
fn text_of(description: &Description) -> String {
    let line = |(name, value): (&str, Value)| {
        let value = match value {
            Value::Null => "-".to_owned(),
            Value::String(text) => text,
            Value::Array(values) => values.iter().map(short).collect::<Vec<_>>().join(" "),
            value => short(&value),
        };
        format!("{name:<19} {value}\n")
    };
    description.entries().map(line).concat()
}

/// A JSON value for display; fractions with four decimals.
fn short(value: &Value) -> String {
    value.as_f64().filter(|_| !value.is_u64()).map_or_else(|| value.to_string(), |number| format!("{number:.4}"))
}
