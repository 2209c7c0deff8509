//! The database row of the beat grid.

use super::damaged;
use super::sealed::{SEAL_BYTES, Seal, number, seal_in, unreadable};
use crate::base::Result;
use crate::document::BeatGrid;
use rusqlite::{Connection, OptionalExtension, Row, params};

fn seal_of(grid: &BeatGrid) -> [u8; SEAL_BYTES] {
    let mut seal = Seal::default();
    seal.real(grid.tempo_bpm()).number(grid.beats_a_bar().into()).real(grid.first_bar_secs());
    seal.done()
}

/// Writes the grid, replacing any that exists.
pub fn write_beat(connection: &Connection, grid: Option<&BeatGrid>) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM grid", [])?;
    let Some(grid) = grid else { return Ok(()) };
    connection.prepare("INSERT INTO grid VALUES (1,?,?,?,?)")?.execute(params![
        grid.tempo_bpm(),
        grid.beats_a_bar(),
        grid.first_bar_secs(),
        seal_of(grid).to_vec()
    ])?;
    Ok(())
}

/// The grid in a database; `None` if it has none, or its version had no grids.
///
/// # Errors
/// If it is damaged.
pub fn read_beat(connection: &Connection, version: u32) -> Result<Option<BeatGrid>> {
    if version == 1 {
        return Ok(None);
    }
    let row = connection.query_row("SELECT * FROM grid WHERE id = 1", [], |row| Ok(beat_of(row)));
    row.optional().map_err(unreadable)?.transpose()
}

fn beat_of(row: &Row<'_>) -> Result<BeatGrid> {
    let real = |column: &str| row.get::<_, f64>(column).map_err(unreadable);
    let beats_a_bar = number(row, "beats", u64::from(BeatGrid::BEATS_PER_BAR[1]))? as u32;
    let grid = BeatGrid::new(real("bpm")?, beats_a_bar, real("first_secs")?);
    let corrupted = || damaged("its beat grid is corrupted");
    let grid = grid.map_err(|_| corrupted())?;
    if seal_in(row)? == seal_of(&grid) { Ok(grid) } else { Err(corrupted()) }
}
