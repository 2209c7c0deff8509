//! A sparse plane of cells: only touched tiles use memory, and adding tiles moves none of the others.

use crate::CellRect;
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Frames and bins of a tile.
const TILE: [usize; 2] = [32, 64];

/// One value per cell of a grid; all cells that were never written have the same value.
#[derive(Debug, Clone)]
pub struct Tiles<T> {
    untouched: T,
    tiles: HashMap<[usize; 2], Vec<T>>,
}

impl<T: Copy + Send + Sync> Tiles<T> {
    /// A plane that is `untouched` everywhere.
    pub fn new(untouched: T) -> Tiles<T> {
        Tiles { untouched, tiles: HashMap::new() }
    }

    /// Resets every cell to a value.
    pub fn clear(&mut self, untouched: T) {
        self.untouched = untouched;
        self.tiles.clear();
    }

    /// Calls `change(index, frame, bins, values)` for each frame of each rectangle in each tile that it overlaps, where
    /// `index` is the rectangle's and `values` are the cells to change. Tiles are processed in parallel; within a tile,
    /// rectangles are processed in order. Returns the number of pairs of rectangle and tile.
    pub fn change(
        &mut self,
        rects: &[CellRect],
        change: impl Fn(usize, usize, Range<usize>, &mut [T]) + Sync + Send,
    ) -> usize {
        let mut reached: HashMap<[usize; 2], Vec<usize>> = HashMap::new();
        for (index, rect) in rects.iter().enumerate() {
            for key in keys(rect) {
                reached.entry(key).or_default().push(index);
            }
        }
        let n_pairs = reached.values().map(Vec::len).sum();
        let take = |(key, indices)| {
            let values = self.tiles.remove(&key).unwrap_or_else(|| vec![self.untouched; TILE[0] * TILE[1]]);
            (key, indices, values)
        };
        let mut taken: Vec<([usize; 2], Vec<usize>, Vec<T>)> = reached.into_iter().map(take).collect();
        taken.par_iter_mut().for_each(|(key, indices, values)| {
            let tile = rect_of(*key);
            for &index in indices.iter() {
                let part = tile.intersect(&rects[index]);
                for frame in part.frames.clone() {
                    let start = (frame - tile.frames.start) * TILE[1] + part.bins.start - tile.bins.start;
                    change(index, frame, part.bins.clone(), &mut values[start..start + part.bins.len()]);
                }
            }
        });
        self.tiles.extend(taken.into_iter().map(|(key, _, values)| (key, values)));
        n_pairs
    }

    /// Copies the cells of a frame from `first_bin` on.
    pub fn read_row(&self, frame: usize, first_bin: usize, out: &mut [T]) {
        let bins = first_bin..first_bin + out.len();
        for column in bins.start / TILE[1]..bins.end.div_ceil(TILE[1]) {
            let start = bins.start.max(column * TILE[1]);
            let end = bins.end.min((column + 1) * TILE[1]);
            let out = &mut out[start - first_bin..end - first_bin];
            match self.tiles.get(&[frame / TILE[0], column]) {
                Some(values) => {
                    let from = frame % TILE[0] * TILE[1] + start - column * TILE[1];
                    out.copy_from_slice(&values[from..from + out.len()]);
                }
                None => out.fill(self.untouched),
            }
        }
    }
}

/// The tiles that a rectangle overlaps.
fn keys(rect: &CellRect) -> impl Iterator<Item = [usize; 2]> {
    let over = |range: &Range<usize>, size: usize| {
        if range.is_empty() { 0..0 } else { range.start / size..range.end.div_ceil(size) }
    };
    let (rows, columns) = (over(&rect.frames, TILE[0]), over(&rect.bins, TILE[1]));
    rows.flat_map(move |row| columns.clone().map(move |column| [row, column]))
}

fn rect_of(key: [usize; 2]) -> CellRect {
    let range = |axis: usize| key[axis] * TILE[axis]..(key[axis] + 1) * TILE[axis];
    CellRect::new(range(0), range(1))
}
