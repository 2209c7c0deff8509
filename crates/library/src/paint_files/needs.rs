//! The memory that painting one file takes: its samples, what edits change of them, and the largest piece of an edit.

use crate::document::session::Room;
use crate::engine::Engine;

/// Bytes that one of a coded file becomes at most, unless it is next to silent: MP3 at 32 kbit/s.
const MOST_EXPANSION: u64 = 96;
/// The share of all memory, as a divisor, that the samples of one file may take, and so may what is changed of them.
const SHARE_OF_FILE: u64 = 8;
/// Bytes of a cell while a piece is painted: its planes before and after, its mask, and what a kernel has beside.
const CELL_BYTES: u64 = 32;
/// Cells of a sample on the finest usual grid.
const CELLS_OF_SAMPLE: u64 = 8;

/// How files are opened where all that are open share a budget.
pub fn room_within(room: &Room, budget_bytes: u64) -> Room {
    let share = budget_bytes / SHARE_OF_FILE;
    let mut within = room.clone();
    within.budget_bytes = room.budget_bytes.min(share);
    within.sound.memory_bytes = room.sound.memory_bytes.min(share);
    within
}

/// Bytes that painting a file of a size takes at most.
pub fn bytes_for(file_bytes: u64, room: &Room, engine: &Engine) -> u64 {
    let samples = file_bytes.saturating_mul(MOST_EXPANSION);
    let kept = samples.min(room.sound.memory_bytes);
    let changed = samples.min(room.budget_bytes);
    let cells = (samples / size_of::<f32>() as u64).saturating_mul(CELLS_OF_SAMPLE).min(engine.max_cells() as u64);
    kept.saturating_add(changed).saturating_add(cells.saturating_mul(CELL_BYTES))
}
