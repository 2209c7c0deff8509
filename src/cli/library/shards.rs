//! Libraries built on several machines: each machine adds its part of a manifest, and one imports all of the libraries.

use super::locking::take_lock;
use super::notices::WithNotices;
use crate::base::{Progress, Result};
use crate::cli::args::{AddFolders, ImportLibraries};
use crate::cli::common::interrupt;
use crate::cli::common::terminal::Terminal;
use crate::library::features::{Manifest, files_of_shard};
use crate::library::store::{ImportReport, LibraryPlace, LibraryStore, ListedFiles};

/// The files in the requested part of the manifest; `None` if no part was requested.
pub(super) fn listed(typed: &AddFolders) -> Result<Option<ListedFiles>> {
    let Some((path, shard)) = typed.manifest.as_ref().zip(typed.shard) else { return Ok(None) };
    let manifest = Manifest::read(path)?;
    let part = files_of_shard(manifest.files.len(), shard.index, shard.of);
    let root = typed.root.clone().unwrap_or_else(|| manifest.root.0.clone());
    let files = manifest.files[part].iter().map(|file| file.path.0.clone()).collect();
    Ok(Some(ListedFiles { root, files }))
}

pub(super) fn import(typed: &ImportLibraries, place: &LibraryPlace, terminal: &Terminal) -> Result<()> {
    let progress = Progress::new();
    interrupt::watch(&progress);
    let lock = take_lock(place, terminal, &progress)?;
    let mut notices = Vec::new();
    let store = LibraryStore::open_to_write(place, &lock, &mut notices)?;
    terminal.notices(&notices);
    let mut all = ImportReport::default();
    for shard in &typed.shards {
        all.add(store.import(&place.of_shard(shard), typed.root.as_deref(), &lock, &progress)?);
    }
    store.refresh_scale()?;
    if typed.json {
        return terminal.print_json(&WithNotices { report: &all, notices });
    }
    let ImportReport { shards, sounds, known, files, failed, waiting } = all;
    let libraries = if shards == 1 { "1 library".to_owned() } else { format!("{shards} libraries") };
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    let mut text = format!("{libraries}: {files}, {sounds} new and {known} known sounds");
    if failed > 0 {
        text.push_str(&format!(", {failed} could not be analysed"));
    }
    if waiting > 0 {
        text.push_str(&format!(", {waiting} still to be analysed"));
    }
    terminal.print(&format!("{text}\n"))
}
