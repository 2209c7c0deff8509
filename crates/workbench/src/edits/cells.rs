//! Applies pictures of cells that were edited in another program.

use super::floating_paste::land;
use crate::base::{Error, ErrorKind};
use crate::bench::context::Context;
use crate::document::Edit;
use crate::document::brushes::CellsBrush;
use crate::document::output::cells_file::CellsOrigin;
use crate::documents::OpenDocument;
use crate::files::name_of;
use std::path::{Path, PathBuf};

/// Applies the cells of a picture as one edit: to the sound they were saved from if it is open, else to the one in
/// front.
pub fn put_back_cells(path: PathBuf, origin: CellsOrigin, context: &mut Context) {
    if let Some(id) = document_of(&origin, context) {
        context.documents.activate(id);
    }
    land(context);
    let refuse = |what: String, context: &mut Context| {
        context.fail("put back", &Error::new(ErrorKind::Unsupported, what).at(&path));
    };
    let Some(document) = context.documents.active_mut() else {
        let name = origin.source.as_deref().map_or_else(|| "a sound that is not open".into(), name_of);
        return refuse(format!("it shows cells of {name}; open the sound first, then the picture"), context);
    };
    if document.is_reading() {
        return refuse(
            "it shows cells of a file that is still being read; open it when that is complete".into(),
            context,
        );
    }
    document.show_current();
    // The whole picture, independent of the selection: unpainted cells stay as they are.
    document.edits_mut().push(Edit {
        brush: CellsBrush::File(path).into(),
        stroke: None,
        select: None,
        channels: origin.channels,
        transform: origin.transform,
        strength: 1.0,
        consistency_steps: None,
    });
    context.notices.succeed("put back");
}

/// The open document of the sound that cells came from, preferring the one in front.
fn document_of(origin: &CellsOrigin, context: &Context) -> Option<u64> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let source = absolute(origin.source.as_deref()?);
    let is_of = |document: &&OpenDocument| {
        document.history().original().source().path().is_some_and(|path| absolute(path) == source)
    };
    let in_front = context.documents.active().filter(is_of);
    in_front.or_else(|| context.documents.iter().find(is_of)).map(OpenDocument::id)
}
