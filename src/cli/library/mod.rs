//! `sonobrush library`

mod describe;
mod locking;
mod notices;
mod routes;
mod search;
mod shards;
mod status;
mod store;

use self::notices::{notices_of_file, refuse_failed};
use super::args::{HashFiles, LibraryAction, LibraryCommand, WritePicture};
use super::common::engines::{analysis_bytes, batches_for};
use super::common::outputs::{refuse_output, refuse_same_file};
use super::common::terminal::Terminal;
use crate::base::{Error, Result, Settings, shown_path, write_atomic};
use crate::library::batches::{BatchKind, BatchOrder};
use crate::library::identity::pictures::{FileHashes, hash_files, picture_of_sound_file, png_of};
use crate::library::store::LibraryPlace;
use std::io::Write;
use std::path::Path;

pub(super) fn run(
    typed: &LibraryCommand,
    place: &LibraryPlace,
    settings: &Settings,
    terminal: &Terminal,
) -> Result<()> {
    let batches = batches_for(settings);
    match &typed.action {
        LibraryAction::Hash(options) => hash(options, place, &batches, terminal),
        LibraryAction::Describe(options) => describe::describe_files(options, &batches, terminal),
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

/// Prints the hashes, and fails if any file could not be hashed.
fn hash(typed: &HashFiles, place: &LibraryPlace, order: &BatchOrder, terminal: &Terminal) -> Result<()> {
    let mut batches = routes::batch_engine(place, order)?;
    let results =
        terminal.with_progress("hashing", |progress| hash_files(&typed.files, typed.keys, &mut batches, progress))?;
    routes::keep(place, &mut batches, BatchKind::Picture);
    let (mut hashed, mut failures) = (Vec::new(), Vec::new());
    for (path, result) in typed.files.iter().zip(results) {
        match result {
            Ok(hashes) => {
                notices_of_file(path, &hashes.notices, typed.files.len(), terminal);
                hashed.push((path, hashes));
            }
            Err(error) => failures.push(error),
        }
    }
    if typed.json {
        terminal.print_json(&hashed.iter().map(|(_, hashes)| hashes).collect::<Vec<_>>())?;
    } else {
        let line = |path: &Path, hashes: &FileHashes| {
            let FileHashes { ahash, dhash, whash, file, audio, .. } = hashes;
            let keys: String = [file, audio].into_iter().flatten().map(|key| format!("{key}  ")).collect();
            format!("{ahash}  {dhash}  {whash}  {keys}{}\n", shown_path(path))
        };
        terminal.print(&hashed.iter().map(|(path, hashes)| line(path, hashes)).collect::<String>())?;
    }
    refuse_failed(failures, typed.files.len(), "hashed")
}

fn picture(typed: &WritePicture, terminal: &Terminal) -> Result<()> {
    refuse_same_file(&typed.input, &typed.output)?;
    refuse_output(&typed.output, &["png"], "PNG")?;
    let (picture, notices) =
        terminal.with_progress("drawing", |progress| picture_of_sound_file(&typed.input, progress))?;
    terminal.notices(&notices);
    let bytes = png_of(&picture.picture)?;
    write_atomic(&typed.output, |out| {
        out.write_all(&bytes).map_err(|error| Error::io(&error, "written", &typed.output))
    })
}
