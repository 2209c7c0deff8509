//! Moves on rows from their definition, in f64, cell by cell; with log 24.

use super::RATE;
use super::twin::{NONE, Twin, TwinGroup, TwinScale};
use crate::fourier::{Complex, times, turn};
use dsp::CellRect;
use dsp::transforms::rows::C1_HZ;
use std::f64::consts::TAU;

/// How far cells are moved: columns and octaves; none for a cell that stays.
pub type Way<'a> = &'a dyn Fn(usize, usize) -> Option<[f64; 2]>;

/// Cells of a sound on one group of rows.
struct Cells<'a> {
    twin: Twin,
    group: &'a TwinGroup,
    cells: Vec<Complex>,
    peaks: Vec<f64>,
}

impl Cells<'_> {
    /// A cell as an amplitude.
    fn at(&self, column: usize, row: usize) -> Complex {
        let k = row - self.group.rows.start;
        self.cells[column * self.group.rows.len() + k].map(|part| part / self.peaks[k])
    }

    fn level(&self, column: usize, row: usize) -> f64 {
        let [re, im] = self.at(column, row);
        re.hypot(im)
    }

    fn secs_per_column(&self) -> f64 {
        self.group.hop as f64 / RATE
    }

    fn hz(&self, row: usize) -> f64 {
        self.twin.rows[row].hz
    }

    fn place(&self, hz: f64) -> f64 {
        let first = self.group.rows.start;
        first as f64 + 24.0 * (hz / self.hz(first)).log2()
    }

    /// Peaks of a column, each with the first row of its region, its frequency, and whether it begins: ten times louder
    /// than the column before.
    fn partials(&self, column: usize) -> Vec<(usize, f64, bool)> {
        let rows = self.group.rows.clone();
        let is_peak = |k: &usize| {
            let mut others = (k.saturating_sub(2).max(rows.start)..(k + 3).min(rows.end)).filter(|other| other != k);
            self.level(column, *k) > 0.0 && others.all(|other| self.level(column, other) < self.level(column, *k))
        };
        let hz = |peak: usize| {
            let turns = |column: usize| self.at(column, peak)[1].atan2(self.at(column, peak)[0]) / TAU;
            let apart = 2.0 * self.secs_per_column();
            let off = turns(column + 1) - turns(column - 1) - self.hz(peak) * apart;
            self.hz(peak) + (off - off.round()) / apart
        };
        let found: Vec<usize> = rows.clone().filter(is_peak).collect();
        let begins = |k: usize| {
            let around = k.saturating_sub(2).max(rows.start)..(k + 3).min(rows.end);
            self.level(column, k) > 10.0 * around.map(|other| self.level(column - 1, other)).fold(0.0, f64::max)
        };
        let mut partials: Vec<_> = found.iter().map(|peak| (rows.start, hz(*peak), begins(*peak))).collect();
        for (pair, partial) in found.windows(2).zip(&mut partials[1..]) {
            let by_level = |a: &usize, b: &usize| self.level(column, *a).total_cmp(&self.level(column, *b));
            partial.0 = (pair[0] + 1..pair[1]).min_by(by_level).unwrap();
        }
        partials
    }

    /// The value between cells, each row's own turning taken out on the way.
    fn between(&self, column: f64, place: f64) -> Complex {
        let weights = |part: f64| {
            [
                -0.5 * part + part.powi(2) - 0.5 * part.powi(3),
                1.0 - 2.5 * part.powi(2) + 1.5 * part.powi(3),
                0.5 * part + 2.0 * part.powi(2) - 1.5 * part.powi(3),
                -0.5 * part.powi(2) + 0.5 * part.powi(3),
            ]
        };
        let mut value = [0.0; 2];
        for (i, of_row) in weights(place - place.floor()).iter().enumerate() {
            let row = place.floor() as usize + i - 1;
            for (j, of_column) in weights(column - column.floor()).iter().enumerate() {
                let at = column.floor() as usize + j - 1;
                let own = self.hz(row) * (column - at as f64) * self.secs_per_column();
                let cell = times(self.at(at, row), turn(own)).map(|part| part * of_row * of_column);
                value = [value[0] + cell[0], value[1] + cell[1]];
            }
        }
        value
    }

    /// Turns of the cells that are moved, column by column, before they come back to whole ones.
    fn turns(&self, written: &CellRect, way: Way<'_>) -> Vec<Vec<Option<f64>>> {
        let (secs, rows) = (self.secs_per_column(), written.bins.clone());
        let mut all: Vec<Vec<Option<(f64, f64)>>> = Vec::new();
        for column in written.frames.clone() {
            let source = |row: usize| way(column, row).map(|by| (column as f64 - by[0], row as f64 - 24.0 * by[1]));
            // Column and number of the partial that a row reads from, and its frequency.
            let owner = |row: usize| {
                let (from, place) = source(row)?;
                let partials = self.partials(from.round() as usize);
                let number = partials.iter().rposition(|partial| partial.0 <= place.round() as usize)?;
                Some((from.round() as usize, number, partials[number].1, partials[number].2))
            };
            let owners: Vec<_> = rows.clone().map(owner).collect();
            let stretches = stretches(&rows.clone().map(|row| source(row).map(|(_, place)| place)).collect::<Vec<_>>());
            let of_row = |k: usize| {
                let (from, number, hz, begins) = owners[k]?;
                let is_own = |other: &usize| {
                    stretches[*other] == stretches[k]
                        && owners[*other].is_some_and(|(a, b, ..)| (a, b) == (from, number))
                };
                // A run of neighbours.
                let start = (0..=k).rev().take_while(is_own).last()?;
                let run = (start..rows.len()).take_while(is_own);
                let off = |k: &usize| (source(rows.start + k).unwrap().1 - self.place(hz)).abs();
                let stands_at = run.min_by(|a, b| off(a).total_cmp(&off(b)))?;
                let moved = |column: usize, k: usize| way(column, rows.start + k);
                let by = moved(column, stands_at)?;
                let hz_moved = hz * (2f64.powf(by[1]) - 1.0);
                let before = all.last().and_then(|before| before[stands_at]).filter(|_| !begins);
                let sum = before.map_or(secs * hz_moved / 2.0, |(sum, hz_before)| {
                    let stretched = moved(column - 1, stands_at).unwrap()[0] - by[0];
                    sum + secs * (hz_before + hz_moved) / 2.0 - secs * hz * stretched
                });
                let later = by[0] - moved(column, k)?[0];
                Some((sum - secs * hz * later, hz_moved))
            };
            let turned = (0..rows.len()).map(of_row).collect();
            all.push(turned);
        }
        all.into_iter().map(|column| column.into_iter().map(|cell| cell.map(|(sum, _)| sum)).collect()).collect()
    }
}

/// The number of the stretch of the map that each row is in: places that rise from row to row, or that fall.
fn stretches(places: &[Option<f64>]) -> Vec<usize> {
    let (mut number, mut was) = (0, 0.0);
    let mut all = vec![0];
    for pair in places.windows(2) {
        match (pair[0], pair[1]) {
            (Some(a), Some(b)) if a != b => {
                let now = (b - a).signum();
                number += usize::from(now * was < 0.0);
                was = now;
            }
            (Some(_), Some(_)) => {}
            _ => (number, was) = (number + 1, 0.0),
        }
        all.push(number);
    }
    all
}

/// Turns that come back to whole ones over the last 16 cells of each run of a row.
fn landed(turns: &mut [Vec<Option<f64>>]) {
    let n_rows = turns.first().map_or(0, Vec::len);
    for k in 0..n_rows {
        let mut end = 0;
        while end < turns.len() {
            let start = end;
            end = (start..turns.len()).find(|i| turns[*i][k].is_none()).unwrap_or(turns.len());
            let n = (end - start).min(16);
            let last = if end > start { turns[end - 1][k].unwrap() } else { 0.0 };
            for step in 1..=n {
                let u = step as f64 / n as f64;
                let turn = turns[end - n + step - 1][k].as_mut().unwrap();
                *turn += (last.round() - last) * (3.0 * u * u - 2.0 * u * u * u);
            }
            end += 1;
        }
    }
}

/// The change that a move makes, which keeps the pitch of partials where it stretches time.
pub fn moved_by_definition(samples: &[f64], written: &CellRect, group: &TwinGroup, way: Way<'_>) -> Vec<f64> {
    let twin = Twin::new(&TwinScale::log(24.0, C1_HZ, None, RATE), RATE, NONE);
    let cells = twin.analyse(samples, group);
    let peaks = group.rows.clone().map(|k| twin.window(k, twin.rows[k].hz)).collect();
    let cells = Cells { twin, group, cells, peaks };
    let mut turns = cells.turns(written, way);
    landed(&mut turns);
    let mut changes = vec![[0.0; 2]; cells.cells.len()];
    for (column, turns) in written.frames.clone().zip(&turns) {
        for (row, turns) in written.bins.clone().zip(turns) {
            let (Some(turns), Some(by)) = (turns, way(column, row)) else { continue };
            let value = cells.between(column as f64 - by[0], row as f64 - 24.0 * by[1]);
            let (value, old) = (times(value, turn(*turns)), cells.at(column, row));
            let k = row - group.rows.start;
            changes[column * group.rows.len() + k] = [0, 1].map(|part| (value[part] - old[part]) * cells.peaks[k]);
        }
    }
    let mut added = vec![0.0; samples.len()];
    cells.twin.synthesise(&changes, group, &mut added);
    added
}
