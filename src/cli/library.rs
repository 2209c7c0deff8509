//! `sonobrush library`

mod locking;
mod routes;
mod search;
mod shards;
mod status;
mod store;

use super::args::{DescribeFile, HashFiles, LibraryAction, LibraryCommand, WritePicture};
use super::engines::{analysis_bytes, batches_for};
use super::outputs::{refuse_other_format, refuse_same_file};
use super::terminal::Terminal;
use crate::base::{Error, ErrorKind, Result, Settings, shown_path, write_atomic};
use crate::library::batches::{BatchEngine, BatchKind, BatchOrder, RouteBook};
use crate::library::pictures::{FileHashes, hash_files, picture_of_sound_file, png_of};
use crate::library::store::LibraryPlace;
use crate::media::Source;
use serde_json::Value;
use std::io::Write;

pub(super) fn run(
    typed: &LibraryCommand,
    place: &LibraryPlace,
    settings: &Settings,
    terminal: &Terminal,
) -> Result<()> {
    let batches = batches_for(settings);
    match &typed.action {
        LibraryAction::Hash(options) => hash(options, place, &batches, terminal),
        LibraryAction::Describe(options) => describe_file(options, &batches, terminal),
        LibraryAction::Picture(options) => picture(options, terminal),
        LibraryAction::Add(options) => {
            store::add(options, place, (batches, analysis_bytes(options.memory, settings)), terminal)
        }
        LibraryAction::Watch(options) => {
            store::watch(options, place, (batches, analysis_bytes(options.memory, settings)), terminal)
        }
        LibraryAction::Status(options) => status::status(options, place, terminal),
        LibraryAction::Stats(options) => store::stats(options, place, terminal),
        LibraryAction::Failures(options) => {
            store::failures(options, place, (batches, analysis_bytes(None, settings)), terminal)
        }
        LibraryAction::Remove(options) => store::remove(options, place, terminal),
        LibraryAction::Forget(_) => store::forget(place, terminal),
        LibraryAction::Verify(options) => store::verify(options, place, terminal),
        LibraryAction::Search(options) => search::search(options, place, terminal),
        LibraryAction::Similar(options) => search::similar(options, place, terminal),
        LibraryAction::Duplicates(options) => search::duplicates(options, place, &batches, terminal),
        LibraryAction::Identify(options) => search::identify(options, place, terminal),
        LibraryAction::Tag(options) => search::tag(options, place),
        LibraryAction::Export(options) => search::export(options, place, terminal),
        LibraryAction::Import(options) => shards::import(options, place, terminal),
        LibraryAction::Bench(options) => store::bench(options, place, &batches, terminal),
    }
}

/// Prints what could be hashed, and fails if anything could not.
fn hash(typed: &HashFiles, place: &LibraryPlace, order: &BatchOrder, terminal: &Terminal) -> Result<()> {
    let mut batches = routes::batch_engine(place, order)?;
    let results =
        terminal.with_progress("hashing", |progress| hash_files(&typed.files, typed.keys, &mut batches, progress))?;
    routes::keep(place, &mut batches, BatchKind::Picture);
    let (mut hashed, mut failures) = (Vec::new(), Vec::new());
    for (path, result) in typed.files.iter().zip(results) {
        match result {
            Ok(hashes) => hashed.push((path, hashes)),
            Err(error) => failures.push(error),
        }
    }
    if typed.json {
        terminal.print_json(&hashed.iter().map(|(_, hashes)| hashes).collect::<Vec<_>>())?;
    } else {
        let line = |path: &std::path::Path, hashes: &FileHashes| {
            let FileHashes { ahash, dhash, whash, file, audio, .. } = hashes;
            let keys: String = [file, audio].into_iter().flatten().map(|key| format!("{key}  ")).collect();
            format!("{ahash}  {dhash}  {whash}  {keys}{}\n", shown_path(path))
        };
        terminal.print(&hashed.iter().map(|(path, hashes)| line(path, hashes)).collect::<String>())?;
    }
    let n_failed = failures.len();
    match failures.into_iter().next() {
        None => Ok(()),
        Some(error) if typed.files.len() == 1 => Err(error),
        Some(error) => {
            let sentence =
                format!("{n_failed} of {} files could not be hashed; the first is {error}", typed.files.len());
            Err(Error::new(ErrorKind::Malformed, sentence))
        }
    }
}

fn describe_file(typed: &DescribeFile, order: &BatchOrder, terminal: &Terminal) -> Result<()> {
    let mut batches = BatchEngine::new(order, RouteBook::default())?;
    let description = terminal.with_progress("describing", |progress| {
        let opened = Source::open(&typed.input, &progress.quiet())?;
        terminal.notices(&opened.notices);
        batches.describe(&opened.source, progress)
    })?;
    if typed.json {
        return terminal.print_json(&description);
    }
    let line = |(name, value): (&str, Value)| {
        let value = match value {
            Value::Null => "-".to_owned(),
            Value::String(text) => text,
            Value::Array(values) => values.iter().map(short).collect::<Vec<_>>().join(" "),
            value => short(&value),
        };
        format!("{name:<19} {value}\n")
    };
    terminal.print(&description.entries().map(line).concat())
}

/// A number as people read it.
fn short(value: &Value) -> String {
    value.as_f64().filter(|_| !value.is_u64()).map_or_else(|| value.to_string(), |number| format!("{number:.4}"))
}

fn picture(typed: &WritePicture, terminal: &Terminal) -> Result<()> {
    refuse_same_file(&typed.input, &typed.output)?;
    refuse_other_format(&typed.output, &["png"], "PNG")?;
    let bytes = terminal
        .with_progress("drawing", |progress| png_of(&picture_of_sound_file(&typed.input, progress)?.picture))?;
    write_atomic(&typed.output, |out| {
        out.write_all(&bytes).map_err(|error| Error::io(&error, "written", &typed.output))
    })
}
