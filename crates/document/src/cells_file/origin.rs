//! Pictures of cells on their way back: where they came from.

use super::CellsFormat;
use super::read::{PAIR, read_sidecar, sidecar_path};
use crate::base::Result;
use crate::document::{Channels, Signal};
use crate::dsp::Transform;
use std::path::{Path, PathBuf};

/// Where the cells of a picture came from.
#[derive(Debug, Clone, PartialEq)]
pub struct CellsOrigin {
    /// The file of their sound; none for a sound that was never in one.
    pub source: Option<PathBuf>,
    /// Whose cells they are.
    pub transform: Transform,
    /// The channels that they are of.
    pub channels: Channels,
}

/// Where the cells of a picture came from, as its sidecar says.
///
/// # Errors
/// One sentence about the picture or its sidecar.
pub fn cells_origin(path: &Path) -> Result<CellsOrigin> {
    let sidecar = read_sidecar(path)?;
    let at = |error: crate::base::Error| error.at(path);
    let transform = sidecar.transform().map_err(at)?;
    let channels = match sidecar.signal().map_err(at)? {
        Signal::Channel(channel) => Channels::List(vec![channel]),
        Signal::Mid => Channels::Mid,
        Signal::Side => Channels::Side,
    };
    Ok(CellsOrigin { source: sidecar.source.path, transform, channels })
}

/// Whether a picture is one of cells: it has the name and the sidecar of one.
pub fn is_cells(path: &Path) -> bool {
    let (_, stem) = sidecar_path(path);
    let is_exr = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exr"));
    (is_exr || stem.is_some())
        && read_sidecar(path).is_ok_and(|sidecar| match sidecar.format {
            CellsFormat::Exr => is_exr,
            CellsFormat::Png { .. } => stem.is_some(),
        })
}

/// Of files that are opened together, those that are no part of another: a picture of cells includes its sidecar, and
/// the levels of a pair its phases.
pub fn without_parts(files: Vec<PathBuf>) -> Vec<PathBuf> {
    if files.len() < 2 {
        return files;
    }
    let parts: Vec<PathBuf> = files.iter().filter(|file| is_cells(file)).flat_map(|file| parts_of(file)).collect();
    files.into_iter().filter(|file| !parts.contains(file)).collect()
}

fn parts_of(path: &Path) -> Vec<PathBuf> {
    let (sidecar, stem) = sidecar_path(path);
    let phases = stem.map(|stem| path.with_file_name(format!("{stem}{}", PAIR[1])));
    std::iter::once(sidecar).chain(phases.filter(|phases| phases != path)).collect()
}
