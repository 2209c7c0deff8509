//! Disk cache of the pyramids of recently opened files, in a folder of bounded size, so that reopening a file shows all
//! of it at once. A file that fails validation is removed, and counts as missing.
//!
//! File format: a line with magic and version, the length of the key, the key, and for each piece the checksum of its
//! values and the values as little-endian 16-bit numbers, the finest level first; then the two bytes of each value's
//! phase, if the key states that there are phases.

use super::analysis::ChannelView;
use super::levels::peaks::Peaks;
use super::levels::pyramid::{PIECE_FRAMES, Piece, Pyramid, PyramidKey};
use crate::base::{Error, Progress, Result, check_room, open_regular, write_atomic};
use crate::document::Snapshot;
use crate::dsp::Grid;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"sonobrush pyramid 2\n";
const EXTENSION: &str = "pyramid";

/// The cache folder. Clones share it.
#[derive(Debug, Clone)]
pub struct PyramidCache {
    folder: PathBuf,
    budget_bytes: u64,
}

/// A pyramid to cache.
pub struct UncachedPyramid {
    snapshot: Snapshot,
    key: PyramidKey,
    pieces: Vec<Piece>,
}

impl UncachedPyramid {
    /// The complete pyramid of an unedited file; `None` if a piece is missing or contains an edit.
    pub fn of(pyramid: &Pyramid, key: PyramidKey, original: &Snapshot) -> Option<UncachedPyramid> {
        original.source().identity().filter(|_| original.source().is_final())?;
        let pieces = pyramid.of_original(original)?;
        let is_alike = pieces.iter().all(|piece| piece.phases().is_empty() != key.has_phases);
        is_alike.then(|| UncachedPyramid { snapshot: original.clone(), key, pieces })
    }
}

impl PyramidCache {
    /// A cache in `folder` of at most `budget_bytes`.
    pub fn in_folder(folder: &Path, budget_bytes: u64) -> PyramidCache {
        PyramidCache { folder: folder.to_path_buf(), budget_bytes }
    }

    /// Stores a pyramid and evicts the least recently used ones. A pyramid larger than the budget is not stored.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io) and [`DiskFull`](crate::base::ErrorKind::DiskFull); nothing is stored then.
    pub fn keep(&self, what: &UncachedPyramid) -> Result<()> {
        let Some(text) = key_text(&what.snapshot, &what.key) else { return Ok(()) };
        let values = what.pieces.iter().flat_map(|piece| piece.levels().iter().map(|level| level.len() as u64));
        let n_bytes = value_bytes(&what.key) as u64 * values.sum::<u64>()
            + (MAGIC.len() + text.len() + 8) as u64
            + 8 * what.pieces.len() as u64;
        if n_bytes > self.budget_bytes {
            return Ok(());
        }
        let io = |error: std::io::Error| Error::io(&error, "written", &self.folder);
        std::fs::create_dir_all(&self.folder).map_err(io)?;
        let path = self.path(&text);
        self.make_room(self.budget_bytes - n_bytes, &path);
        check_room(&self.folder, n_bytes)?;
        write_atomic(&path, |out| {
            out.write_all(MAGIC).map_err(io)?;
            out.write_all(&(text.len() as u64).to_le_bytes()).map_err(io)?;
            out.write_all(text.as_bytes()).map_err(io)?;
            for piece in &what.pieces {
                let values = piece.levels().iter().flatten().flat_map(|value| value.to_le_bytes());
                let bytes: Vec<u8> = values.chain(piece.phases().iter().flatten().flatten().copied()).collect();
                out.write_all(&checksum(&bytes).to_le_bytes()).map_err(io)?;
                out.write_all(&bytes).map_err(io)?;
            }
            Ok(())
        })
    }

    /// The cached pieces of the pyramid of this exact file; `None` if it is not cached. A damaged entry is removed.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn find(
        &self,
        snapshot: &Snapshot,
        key: &PyramidKey,
        grid: &Grid,
        progress: &Progress,
    ) -> Result<Option<Vec<Piece>>> {
        let Some(text) = key_text(snapshot, key) else { return Ok(None) };
        let path = self.path(&text);
        let Ok((file, _)) = open_regular(&path) else { return Ok(None) };
        let found = read(&mut BufReader::with_capacity(1 << 16, &file), &text, (snapshot, key, grid), progress);
        progress.check()?;
        match found {
            // Marks it as recently used.
            Some(_) => mark_used(&path),
            None => {
                tracing::warn!("a damaged pyramid is computed again");
                std::fs::remove_file(&path).ok();
            }
        }
        Ok(found)
    }

    fn path(&self, text: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.{EXTENSION}", checksum(text.as_bytes())))
    }

    /// Evicts the least recently used entries other than `but` until the rest fits into `budget_bytes`.
    fn make_room(&self, budget_bytes: u64, but: &Path) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        // Temporary files of a killed process, too.
        let is_temporary =
            |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".sonobrush-"));
        let is_ours = |path: &PathBuf| {
            path != but && (path.extension().is_some_and(|ending| ending == EXTENSION) || is_temporary(path))
        };
        let mut kept: Vec<_> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let found = entry.metadata().ok()?;
                Some((found.modified().ok()?, found.len(), Some(entry.path()).filter(is_ours)?))
            })
            .collect();
        kept.sort();
        let mut total: u64 = kept.iter().map(|(_, n_bytes, _)| n_bytes).sum();
        for (_, n_bytes, path) in kept {
            if total <= budget_bytes {
                break;
            }
            std::fs::remove_file(path).ok();
            total -= n_bytes;
        }
    }
}

fn mark_used(path: &Path) {
    let file = File::options().append(true).open(path);
    file.and_then(|file| file.set_modified(std::time::SystemTime::now())).ok();
}

/// The cache key of a pyramid: the file's identity and format, the transform, the channels, the frames per piece, and
/// whether there are phases. `None` if the source has no identity.
fn key_text(snapshot: &Snapshot, key: &PyramidKey) -> Option<String> {
    let source = snapshot.source();
    let PyramidKey { document: _, transform, channels, has_phases } = key;
    let info = source.info();
    let channels = match channels {
        ChannelView::All => "all".to_owned(),
        ChannelView::One(channel) => channel.to_string(),
        ChannelView::Mid => "mid".to_owned(),
        ChannelView::Side => "side".to_owned(),
    };
    Some(format!(
        "{}\n{} samples, {} channels, {} Hz, {}\n{} {channels} {PIECE_FRAMES}{}",
        source.identity()?,
        info.n_samples,
        info.n_channels,
        info.sample_rate_hz,
        info.description,
        transform.cache_key(),
        if *has_phases { " with phases" } else { "" }
    ))
}

/// Number of bytes of a value with its phase.
fn value_bytes(key: &PyramidKey) -> usize {
    if key.has_phases { 4 } else { 2 }
}

fn read(
    file: &mut impl Read,
    text: &str,
    (snapshot, key, grid): (&Snapshot, &PyramidKey, &Grid),
    progress: &Progress,
) -> Option<Vec<Piece>> {
    let mut head = vec![0; MAGIC.len() + 8 + text.len()];
    file.read_exact(&mut head).ok()?;
    let rest = head.strip_prefix(MAGIC)?;
    if rest[..8] != (text.len() as u64).to_le_bytes() || rest[8..] != *text.as_bytes() {
        return None;
    }
    let mut pieces = Vec::new();
    for index in 0..grid.n_frames().div_ceil(PIECE_FRAMES) {
        progress.check().ok()?;
        let sizes: Vec<usize> = Piece::sizes(grid, index).collect();
        let mut stated = [0; 8];
        file.read_exact(&mut stated).ok()?;
        let n_values: usize = sizes.iter().sum();
        let mut bytes = vec![0; value_bytes(key) * n_values];
        file.read_exact(&mut bytes).ok()?;
        if checksum(&bytes).to_le_bytes() != stated {
            return None;
        }
        let (values, phases) = bytes.split_at(2 * n_values);
        let mut values = values.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair));
        let mut phases = phases.as_chunks::<2>().0.iter().copied();
        let level = |&n: &usize| Peaks {
            values: values.by_ref().take(n).collect(),
            phases: key.has_phases.then(|| phases.by_ref().take(n).collect()),
        };
        let levels = sizes.iter().map(level).collect();
        pieces.push(Piece::kept(snapshot, grid, index, levels)?);
    }
    // Reject trailing data.
    matches!(file.read(&mut [0]), Ok(0)).then_some(pieces)
}

/// Checksum that detects damage, not tampering: the file only holds a picture. The multiplier is that of FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64 ^ bytes.len() as u64;
    for word in bytes.chunks(8) {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        hash = (hash ^ u64::from_le_bytes(padded)).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
    }
    hash ^ hash >> 32
}
