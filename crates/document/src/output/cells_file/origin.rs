//! Origin of pictures of cells that were edited elsewhere.

use super::CellsFormat;
use super::read::{PAIR_SUFFIXES, read_sidecar, sidecar_path};
use crate::base::Result;
use crate::document::{Channels, Signal};
use crate::dsp::Transform;
use std::path::{Path, PathBuf};

/// Origin of a picture's cells.
#[derive(Debug, Clone, PartialEq)]
pub struct CellsOrigin {
    /// The file of the sound; `None` for a sound without a file.
    pub source: Option<PathBuf>,
    /// The transform of the cells.
    pub transform: Transform,
    /// The channels of the cells.
    pub channels: Channels,
}

/// The origin of a picture's cells, as stated in its sidecar.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) if the picture has no sidecar, or an invalid one; read errors of the
/// sidecar.
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

/// Whether a file is a picture of cells, judged by its name and sidecar.
pub fn is_cells(path: &Path) -> bool {
    let (_, stem) = sidecar_path(path);
    let is_exr = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exr"));
    (is_exr || stem.is_some())
        && read_sidecar(path).is_ok_and(|sidecar| match sidecar.format {
            CellsFormat::Exr => is_exr,
            CellsFormat::Png { .. } => stem.is_some(),
        })
}

/// Removes files that belong to another one in the list: a picture of cells includes its sidecar, and the levels of a
/// pair of PNG files include its phases.
pub fn without_parts(files: Vec<PathBuf>) -> Vec<PathBuf> {
    if files.len() < 2 {
        return files;
    }
    let parts: Vec<PathBuf> = files.iter().filter(|file| is_cells(file)).flat_map(|file| parts_of(file)).collect();
    files.into_iter().filter(|file| !parts.contains(file)).collect()
}

fn parts_of(path: &Path) -> Vec<PathBuf> {
    let (sidecar, stem) = sidecar_path(path);
    let phases = stem.map(|stem| path.with_file_name(format!("{stem}{}", PAIR_SUFFIXES[1])));
    std::iter::once(sidecar).chain(phases.filter(|phases| phases != path)).collect()
}
