//! Reading pictures of cells.

use super::CellsFormat;
use super::codec::CellPixels;
use super::sidecar::CellsSidecar;
use crate::base::{Error, ErrorKind, Result, read_small_file, shown_path};
use crate::media::picture::{CellPlanes, MAX_PICTURE_FILE_BYTES, read_exr_planes, read_grey16};
use std::path::{Path, PathBuf};

/// Suffixes of a pair of PNG files.
pub(super) const PAIR_SUFFIXES: [&str; 2] = [".level.png", ".phase.png"];

/// A picture of cells with its sidecar.
#[derive(Debug)]
pub(super) struct ReadCells {
    pub sidecar: CellsSidecar,
    pub pixels: CellPixels,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
}

/// Reads a picture of cells, given its OpenEXR file or one file of a pair.
///
/// # Errors
/// Errors of reading or decoding a file, with its path; [`Script`](ErrorKind::Script) for a picture or sidecar that is
/// invalid, or if they do not match.
pub(super) fn read_cells(path: &Path) -> Result<ReadCells> {
    let (sidecar_path, stem) = sidecar_path(path);
    let sidecar = read_sidecar(path)?;
    let mut notices = Vec::new();
    let pixels = match (sidecar.format, stem) {
        (CellsFormat::Exr, None) => {
            let CellPlanes { size, pixels, is_half } = read(path, read_exr_planes)?;
            check_size(path, size, &sidecar)?;
            check_floats(path, &pixels, size[0])?;
            if is_half {
                notices.push(format!(
                    "{} has 16-bit floats, which hold cells to 80 dB; save it with 32 bits to keep them exactly",
                    shown_path(path)
                ));
            }
            CellPixels::Floats(pixels)
        }
        (CellsFormat::Png { range_db: [low, high] }, Some(stem)) => {
            if !(low.is_finite() && high.is_finite() && low < high) {
                return Err(Error::new(ErrorKind::Script, "has a range that does not ascend").at(&sidecar_path));
            }
            let plane = |end: &str| -> Result<Vec<u16>> {
                let path: PathBuf = path.with_file_name(format!("{stem}{end}"));
                let (size, words) = read(&path, read_grey16)?;
                check_size(&path, size, &sidecar)?;
                Ok(words)
            };
            let [levels, phases] = [plane(PAIR_SUFFIXES[0])?, plane(PAIR_SUFFIXES[1])?];
            CellPixels::Words(levels.into_iter().zip(phases).map(|(level, phase)| [level, phase]).collect())
        }
        _ => {
            let what = "is not the picture that its sidecar describes; give the OpenEXR file or one of the pair of PNG \
                        files";
            return Err(Error::new(ErrorKind::Script, what).at(path));
        }
    };
    Ok(ReadCells { sidecar, pixels, notices })
}

/// Path of a picture's sidecar, and the stem of a pair of PNG files.
pub(super) fn sidecar_path(path: &Path) -> (PathBuf, Option<String>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match PAIR_SUFFIXES.iter().find_map(|end| name.strip_suffix(end)) {
        Some(stem) => (path.with_file_name(format!("{stem}.json")), Some(stem.to_owned())),
        None => (path.with_extension("json"), None),
    }
}

/// The common name of a pair of PNG files, given one of them; any other name is unchanged.
pub fn name_of_pair(path: PathBuf) -> PathBuf {
    match sidecar_path(&path) {
        (sidecar, Some(_)) => sidecar.with_extension("png"),
        (_, None) => path,
    }
}

/// The sidecar of a picture.
///
/// # Errors
/// [`Script`](ErrorKind::Script) if the picture has no sidecar, and as [`CellsSidecar::read`].
pub(super) fn read_sidecar(path: &Path) -> Result<CellsSidecar> {
    let (sidecar, _) = sidecar_path(path);
    if !sidecar.exists() {
        let what = format!(
            "has no {} beside it, which says which cells it shows; without it, it is a plain picture: open it as \
             sound (in scripts, the brush \"picture\" instead of \"cells\")",
            sidecar.file_name().unwrap_or_default().to_string_lossy()
        );
        return Err(Error::new(ErrorKind::Script, what).at(path));
    }
    CellsSidecar::read(&sidecar)
}

fn read<T>(path: &Path, decode: impl Fn(&[u8]) -> Result<T>) -> Result<T> {
    let bytes = read_small_file(path, MAX_PICTURE_FILE_BYTES)?;
    decode(&bytes).map_err(|error| error.at(path))
}

fn check_size(path: &Path, [width, height]: [usize; 2], sidecar: &CellsSidecar) -> Result<()> {
    if [width, height] == [sidecar.columns, sidecar.rows] {
        return Ok(());
    }
    let what = format!(
        "has {width} x {height} pixels and its sidecar says {} x {}; do not crop or scale it",
        sidecar.columns, sidecar.rows
    );
    Err(Error::new(ErrorKind::Script, what).at(path))
}

/// Refuses invalid cell values. The error states the position of the first.
fn check_floats(path: &Path, pixels: &[[f32; 2]], width: usize) -> Result<()> {
    let is_wrong = |pixel: &&[f32; 2]| !pixel[0].is_finite() || !pixel[1].is_finite() || pixel[0] < 0.0;
    let Some(at) = pixels.iter().position(|pixel| is_wrong(&pixel)) else { return Ok(()) };
    let [amplitude, turns] = pixels[at];
    let which = match (amplitude.is_finite(), turns.is_finite()) {
        (false, _) => format!("an amplitude (red) of {amplitude}"),
        (true, false) => format!("a phase (green) of {turns}"),
        (true, true) => format!("a negative amplitude (red) of {amplitude}"),
    };
    let what = format!("has {which} at column {}, row {}, counted from 0 at the top left", at % width, at / width);
    Err(Error::new(ErrorKind::Script, what).at(path))
}
