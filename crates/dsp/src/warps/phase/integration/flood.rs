//! The order of phase integration: from known cells to unknown ones, always from the loudest.
//!
//! Each cell from which integration can continue has a rank, 0 for the loudest, and a queue of ranks gives the next
//! cell. The state of a cell is one number, so that the states of all cells stay in the CPU's cache.

use rayon::prelude::*;

/// The neighbour that a cell's phase is integrated from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReachedFrom {
    /// The same bin in the next frame.
    After,
    /// The same bin in the previous frame.
    Before,
    /// The bin above in the same frame.
    Above,
    /// The bin below in the same frame.
    Below,
    /// None: the cell is the loudest of a part without known neighbours.
    Itself,
    /// None: the cell was known, or is too quiet for a phase.
    None,
}

// The code of a cell is its rank while it waits, or one of these.
const REACHED: u32 = u32::MAX - 7;
const STARTED: u32 = REACHED + 4;
const KNOWN: u32 = REACHED + 5;
const QUIET: u32 = REACHED + 6;
const WAITING: u32 = REACHED + 7;

/// Rows of cells, padded with a quiet cell on both sides, and with a quiet row before the first and after the last, so
/// that every cell has four neighbours.
pub(super) struct Flood {
    /// Cells from one row to the next.
    stride: usize,
    codes: Vec<u32>,
    /// The positions of cells from which integration can continue, the loudest first.
    ranked: Vec<u32>,
    /// Cells in the order in which they were reached.
    order: Vec<u32>,
}

impl Flood {
    /// The initial state for rows of `n_columns` magnitudes, of which `loudest` is the maximum. Cells up to `min`,
    /// which is within 20 octaves of it, are quiet; other cells with a mask above 0 are waiting. For each row,
    /// `mask_of` returns the first column under the mask and the mask's values.
    pub(super) fn new<'a>(
        magnitude: &[f32],
        n_columns: usize,
        [loudest, min]: [f32; 2],
        mask_of: impl Fn(usize) -> Option<(usize, &'a [f32])> + Sync,
    ) -> Flood {
        let stride = n_columns + 2;
        let n_rows = magnitude.len() / n_columns;
        let mut codes = vec![QUIET; (n_rows + 2) * stride];
        let rows = codes[stride..].par_chunks_mut(stride).zip(magnitude.par_chunks(n_columns)).enumerate();
        rows.with_min_len(8).for_each(|(row, (codes, magnitude))| {
            let codes = &mut codes[1..=n_columns];
            for (code, m) in codes.iter_mut().zip(magnitude) {
                *code = if *m > min { KNOWN } else { QUIET };
            }
            let Some((first, mask)) = mask_of(row) else { return };
            for (code, m) in codes[first..].iter_mut().zip(mask) {
                *code = if (*m > 0.0) & (*code == KNOWN) { WAITING } else { *code };
            }
        });
        let mut flood = Flood { stride, codes, ranked: Vec::new(), order: Vec::new() };
        let half = n_rows / 2;
        let halves = rayon::join(
            || flood.entering(0, &magnitude[..half * n_columns], n_columns, loudest),
            || flood.entering(half, &magnitude[half * n_columns..], n_columns, loudest),
        );
        flood.ranked = merged(&halves.0, &halves.1);
        flood
    }

    /// The index in `codes` of a cell, its *place*.
    pub(super) fn place(&self, row: usize, column: usize) -> usize {
        (row + 1) * self.stride + column + 1
    }

    /// Total number of places.
    pub(super) fn n_places(&self) -> usize {
        self.codes.len()
    }

    /// Cells from one row to the next.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// The origins of the cells from a place on.
    pub(super) fn origins(&self, from: usize) -> impl Iterator<Item = ReachedFrom> {
        use ReachedFrom::{Above, After, Before, Below, Itself, None};
        const ORIGINS: [ReachedFrom; 8] = [After, Before, Above, Below, Itself, None, None, None];
        self.codes[from..].iter().map(|code| ORIGINS[(code - REACHED) as usize % 8])
    }

    /// Each reached cell with its origin, in an order in which origins come first.
    pub(super) fn order(&self) -> impl Iterator<Item = [usize; 2]> {
        self.order.iter().map(|&to| {
            let to = to as usize;
            let from = [to + self.stride, to - self.stride, to + 1, to - 1];
            [to, from[(self.codes[to] - REACHED) as usize % 4]]
        })
    }

    /// The neighbours of a cell, in the order of the [`ReachedFrom`] that each has if it is reached from this cell.
    #[inline(always)]
    fn neighbours(&self, i: usize) -> [usize; 4] {
        [i - self.stride, i + self.stride, i - 1, i + 1]
    }

    /// Waiting cells and known neighbours, loudest first, ties in order of place. The upper half of the bits is the bit
    /// pattern of the loudest magnitude minus that of the cell's, the lower half the place.
    fn entering(&self, first_row: usize, magnitude: &[f32], n_columns: usize, loudest: f32) -> Vec<u64> {
        let mut entering = Vec::with_capacity(magnitude.len());
        for (row, magnitude) in (first_row..).zip(magnitude.chunks_exact(n_columns)) {
            let start = self.place(row, 0);
            for (i, magnitude) in (start..).zip(magnitude) {
                let waits = |i: usize| self.codes[i] == WAITING;
                let is_border = || self.codes[i] == KNOWN && self.neighbours(i).into_iter().any(waits);
                if waits(i) || is_border() {
                    // The bit patterns of positive floats are in the order of their values.
                    entering.push(cell(loudest.to_bits() - magnitude.to_bits(), i as u32));
                }
            }
        }
        sort_by_upper_half(&mut entering);
        entering
    }

    /// Propagates from known cells to waiting ones. Its loops avoid branches, which would be unpredictable.
    pub(super) fn run(&mut self) {
        let ranked = std::mem::take(&mut self.ranked);
        let mut queue = Ranks::new(ranked.len());
        for (rank, &i) in (0..).zip(&ranked) {
            match &mut self.codes[i as usize] {
                code if *code == WAITING => *code = rank,
                _ => queue.insert(rank, true),
            }
        }
        let ranked_cell = |rank: Option<u32>| rank.map_or(NO_CELL, |rank| cell(rank, ranked[rank as usize]));
        // One more entry than cells, since an entry is written even if no cell was reached.
        let mut order = vec![0; ranked.len() + 1];
        let mut n_reached = 0;
        // Parts without known neighbours start at their loudest cell.
        let mut next_start = 0;
        loop {
            // The first of the queue is held outside it, so that it is available before the current cell is processed.
            let [mut taken, mut first] = [(); 2].map(|()| ranked_cell(queue.take_first()));
            while taken != NO_CELL {
                let mut found = [NO_CELL; 4];
                for ((code, j), found) in (REACHED..).zip(self.neighbours(taken as u32 as usize)).zip(&mut found) {
                    let rank = self.codes[j];
                    let waits = rank < REACHED;
                    self.codes[j] = if waits { code } else { rank };
                    *found = if waits { cell(rank, j as u32) } else { NO_CELL };
                    order[n_reached] = j as u32;
                    n_reached += usize::from(waits);
                }
                let [a, b, c, d] = sorted(found);
                if a < first {
                    [b.max(first), c, d]
                        .into_iter()
                        .for_each(|cell| queue.insert((cell >> 32) as u32, cell != NO_CELL));
                    (taken, first) = (a, b.min(first));
                } else {
                    [a, b, c, d].into_iter().for_each(|cell| queue.insert((cell >> 32) as u32, cell != NO_CELL));
                    (taken, first) = (first, ranked_cell(queue.take_first()));
                }
            }
            let waits = |i: &u32| self.codes[*i as usize] < REACHED;
            let Some(ahead) = ranked[next_start..].iter().position(waits) else { break };
            next_start += ahead;
            self.codes[ranked[next_start] as usize] = STARTED;
            queue.insert(next_start as u32, true);
        }
        order.truncate(n_reached);
        self.order = order;
    }
}

/// A rank and a place as one number.
#[inline(always)]
fn cell(rank: u32, place: u32) -> u64 {
    u64::from(rank) << 32 | u64::from(place)
}

/// Greater than any cell.
const NO_CELL: u64 = u64::MAX;

#[inline(always)]
fn sorted([a, b, c, d]: [u64; 4]) -> [u64; 4] {
    let (a, b, c, d) = (a.min(b), a.max(b), c.min(d), c.max(d));
    let (a, b, c, d) = (a.min(c), b.min(d), a.max(c), b.max(d));
    [a, b.min(c), b.max(c), d]
}

/// A set of ranks: a bit for each, and three levels of summary bits, one per 64 bits.
struct Ranks {
    levels: [Vec<u64>; 4],
}

impl Ranks {
    /// An empty set of ranks below `n`.
    fn new(n: usize) -> Ranks {
        let words = |bits: u32| n.div_ceil(1 << bits).max(1);
        Ranks { levels: [6, 12, 18, 24].map(|bits| vec![0; words(bits)]) }
    }

    /// Inserts a rank if `is_there`; otherwise `rank` is ignored.
    #[inline(always)]
    fn insert(&mut self, rank: u32, is_there: bool) {
        let mut at = if is_there { rank as usize } else { 0 };
        for level in &mut self.levels {
            level[at / 64] |= u64::from(is_there) << (at % 64);
            at /= 64;
        }
    }

    /// Removes the smallest rank.
    #[inline(always)]
    fn take_first(&mut self) -> Option<u32> {
        let [ranks, groups, blocks, top] = &mut self.levels;
        let word = top.iter().position(|word| *word != 0)?;
        let below = |at: usize, word: u64| at * 64 + word.trailing_zeros() as usize;
        let block = below(word, top[word]);
        let group = below(block, blocks[block]);
        let at = below(group, groups[group]);
        let rank = below(at, ranks[at]);
        ranks[at] &= ranks[at] - 1;
        groups[group] &= !(u64::from(ranks[at] == 0) << (at % 64));
        blocks[block] &= !(u64::from(groups[group] == 0) << (group % 64));
        top[word] &= !(u64::from(blocks[block] == 0) << (block % 64));
        Some(rank as u32)
    }
}

/// Number of key bits, and of those sorted per pass. 28 bits suffice, since magnitudes are within 20 octaves of the
/// loudest.
const KEY_BITS: u32 = 28;
const DIGIT_BITS: u32 = KEY_BITS / 2;

/// Stable sort by the upper 32 bits, which are below 2^28.
fn sort_by_upper_half(values: &mut Vec<u64>) {
    let digit = |value: u64, pass: u32| (value >> (32 + DIGIT_BITS * pass)) as usize % (1 << DIGIT_BITS);
    let mut sorted = vec![0; values.len()];
    for pass in 0..2 {
        let mut next = vec![0u32; 1 << DIGIT_BITS];
        values.iter().for_each(|value| next[digit(*value, pass)] += 1);
        let mut before = 0;
        for next in &mut next {
            (*next, before) = (before, before + *next);
        }
        for value in values.iter() {
            let place = &mut next[digit(*value, pass)];
            sorted[*place as usize] = *value;
            *place += 1;
        }
        std::mem::swap(values, &mut sorted);
    }
}

/// Merges two sorted lists, both halves of the result in parallel, and returns the lower 32 bits of the values.
fn merged(a: &[u64], b: &[u64]) -> Vec<u32> {
    let mut merged = vec![0; a.len() + b.len()];
    let half = merged.len() / 2;
    // Searches for the number of values in the first half that come from `a`.
    let (mut min, mut max) = (half.saturating_sub(b.len()), half.min(a.len()));
    while min < max {
        let from_a = (min + max) / 2;
        if a[from_a] < b[half - from_a - 1] {
            min = from_a + 1;
        } else {
            max = from_a;
        }
    }
    let ((a_low, a_high), (b_low, b_high)) = (a.split_at(min), b.split_at(half - min));
    let (low, high) = merged.split_at_mut(half);
    rayon::join(|| merge(a_low, b_low, low), || merge(a_high, b_high, high));
    merged
}

fn merge(a: &[u64], b: &[u64], out: &mut [u32]) {
    let (mut i, mut j) = (0, 0);
    for out in out {
        // Past the end of a list, a value greater than any cell.
        let (x, y) = (a.get(i).copied().unwrap_or(u64::MAX), b.get(j).copied().unwrap_or(u64::MAX));
        *out = x.min(y) as u32;
        i += usize::from(x < y);
        j += usize::from(x >= y);
    }
}
