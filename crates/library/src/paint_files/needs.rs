//! Memory for painting one file: its samples, the changed samples, and the largest piece of an edit.

use crate::document::session::SampleStorage;
use crate::engine::Engine;

/// Assumed maximum ratio of decoded to coded bytes: MP3 at 32 kbit/s as two channels of 32-bit floats at 48 kHz. Nearly
/// silent files may exceed it.
const MAX_EXPANSION: u64 = 96;
/// Divisor of the memory budget: the samples of one file, and separately its changed samples, get at most this share.
const SHARE_OF_FILE: u64 = 8;
/// Memory per cell while a piece is painted: its planes before and after, its mask, and the work space of a kernel.
const CELL_BYTES: u64 = 32;
/// Number of cells per sample on the finest common grid.
const CELLS_OF_SAMPLE: u64 = 8;

/// Options for opening files that share a memory budget.
pub fn storage_within(room: &SampleStorage, budget_bytes: u64) -> SampleStorage {
    let share = budget_bytes / SHARE_OF_FILE;
    let mut within = room.clone();
    within.budget_bytes = room.budget_bytes.min(share);
    within.sound.memory_bytes = room.sound.memory_bytes.min(share);
    within
}

/// Maximum memory for painting a file of a given size.
pub fn bytes_for(file_bytes: u64, room: &SampleStorage, engine: &Engine) -> u64 {
    let samples = file_bytes.saturating_mul(MAX_EXPANSION);
    let kept = samples.min(room.sound.memory_bytes);
    let changed = samples.min(room.budget_bytes);
    let cells = (samples / size_of::<f32>() as u64).saturating_mul(CELLS_OF_SAMPLE).min(engine.max_cells() as u64);
    kept.saturating_add(changed).saturating_add(cells.saturating_mul(CELL_BYTES))
}
