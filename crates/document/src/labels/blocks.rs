//! Sorted items in shared blocks: a clone is free, a change copies one block, and blocks after a change of time are
//! shifted without touching their items.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

/// Number of items in a full block.
const BLOCK_ITEMS: usize = 512;
/// Number of pending shifts of a block after which they are applied to its items.
const MAX_SHIFTS: usize = 64;

/// An item in such blocks.
pub(super) trait Sorted: Clone {
    /// Strict order: no two items of a sequence compare equal.
    fn order(&self, other: &Self) -> Ordering;

    /// Start and end; if the order depends on times, it begins with these. Items without times are not moved.
    fn secs(&self) -> [f64; 2] {
        [0.0; 2]
    }

    /// The item at other times.
    fn at_secs(&self, _: [f64; 2]) -> Self {
        self.clone()
    }
}

/// Items, at least one.
#[derive(Debug, Clone)]
struct Block<T> {
    /// The items before `shifts` are applied.
    stored: Arc<Vec<T>>,
    /// Shifts added to all times in order: each sum is rounded, as for a single item.
    shifts: Vec<f64>,
    /// The shifted items, once they were read.
    moved: OnceLock<Arc<Vec<T>>>,
    /// The first and last item, shifted.
    ends: [T; 2],
    /// The latest end of an item, shifted.
    reach: f64,
    /// How far rounding may bring the times of neighbours closer without changing their order.
    slack_secs: f64,
}

impl<T: Sorted> Block<T> {
    /// The block of these items; `None` if there are none.
    fn of(items: Vec<T>) -> Option<Block<T>> {
        let ends = [items.first()?.clone(), items.last()?.clone()];
        let reach = items.iter().map(|item| item.secs()[1]).fold(f64::NEG_INFINITY, f64::max);
        let slack_secs = items.windows(2).map(|pair| slack_secs(&pair[0], &pair[1])).fold(f64::INFINITY, f64::min);
        let (shifts, moved) = (Vec::new(), OnceLock::new());
        Some(Block { stored: Arc::new(items), shifts, moved, ends, reach, slack_secs })
    }

    fn len(&self) -> usize {
        self.stored.len()
    }

    fn items(&self) -> &[T] {
        if self.shifts.is_empty() {
            return &self.stored;
        }
        let shifted = || self.stored.iter().zip(self.all_secs()).map(|(item, secs)| item.at_secs(secs)).collect();
        self.moved.get_or_init(|| Arc::new(shifted()))
    }

    /// The shifted starts and ends of the items, without creating the shifted items.
    fn all_secs(&self) -> impl Iterator<Item = [f64; 2]> {
        let (items, shifts) = match self.moved.get() {
            Some(moved) => (moved, &[][..]),
            None => (&self.stored, &self.shifts[..]),
        };
        items.iter().map(|item| item.secs().map(|at| shifts.iter().fold(at, |at, shift| at + shift)))
    }

    fn first(&self) -> &T {
        &self.ends[0]
    }

    fn last(&self) -> &T {
        &self.ends[1]
    }

    /// The block with a shift added; `None` if shifts must be applied to its items first: after [`MAX_SHIFTS`], or if
    /// rounding could change their order.
    fn shifted(&self, shift_secs: f64) -> Option<Block<T>> {
        let ends = self.ends.clone().map(|item| item.at_secs(item.secs().map(|at| at + shift_secs)));
        let reach = self.reach + shift_secs;
        // Rounding brings two of these sums closer by at most half of this.
        let rounded = 2.0 * f64::EPSILON * reach.abs().max(ends[0].secs()[0].abs());
        let slack_secs = self.slack_secs - rounded;
        let (stored, before) = match self.moved.get() {
            Some(moved) => (moved, &[][..]),
            None => (&self.stored, &self.shifts[..]),
        };
        if slack_secs <= 0.0 || before.len() == MAX_SHIFTS {
            return None;
        }
        let shifts = [before, &[shift_secs]].concat();
        Some(Block { stored: stored.clone(), shifts, moved: OnceLock::new(), ends, reach, slack_secs })
    }

    /// Prepares a block for changes: unshared, with shifts applied.
    fn plain(block: &mut Arc<Block<T>>) -> &mut Block<T> {
        let block = Arc::make_mut(block);
        if !block.shifts.is_empty() {
            _ = block.items();
            block.shifts.clear();
            if let Some(moved) = block.moved.take() {
                block.stored = moved;
            }
        }
        block
    }

    fn insert(&mut self, place: usize, item: T) {
        self.reach = self.reach.max(item.secs()[1]);
        let before = place.checked_sub(1).and_then(|at| self.stored.get(at)).map(|before| slack_secs(before, &item));
        let behind = self.stored.get(place).map(|behind| slack_secs(&item, behind));
        self.slack_secs = before.into_iter().chain(behind).fold(self.slack_secs, f64::min);
        if place == 0 {
            self.ends[0] = item.clone();
        }
        if place == self.stored.len() {
            self.ends[1] = item.clone();
        }
        Arc::make_mut(&mut self.stored).insert(place, item);
    }

    /// Removes the item at an index of a block with at least two items.
    fn remove(&mut self, place: usize) {
        let items = Arc::make_mut(&mut self.stored);
        let reach = items.remove(place).secs()[1];
        if reach >= self.reach {
            self.reach = items.iter().map(|item| item.secs()[1]).fold(f64::NEG_INFINITY, f64::max);
        }
        if let (Some(first), Some(last)) = (items.first(), items.last()) {
            self.ends = [first.clone(), last.clone()];
        }
    }
}

/// The amount by which the times of two neighbours may approach without changing their order.
fn slack_secs<T: Sorted>(before: &T, behind: &T) -> f64 {
    let ([start, end], [next_start, next_end]) = (before.secs(), behind.secs());
    if start < next_start {
        next_start - start
    } else if end < next_end {
        next_end - end
    } else {
        f64::INFINITY
    }
}

/// A sorted sequence. No block is empty.
#[derive(Debug, Clone)]
pub(super) struct SortedBlocks<T> {
    blocks: Arc<Vec<Arc<Block<T>>>>,
    n_items: usize,
}

impl<T> Default for SortedBlocks<T> {
    fn default() -> SortedBlocks<T> {
        SortedBlocks { blocks: Arc::default(), n_items: 0 }
    }
}

impl<T: Sorted> SortedBlocks<T> {
    /// A sequence of items in order.
    pub(super) fn of_sorted(items: Vec<T>) -> SortedBlocks<T> {
        let n_items = items.len();
        let mut items = items.into_iter();
        let mut blocks = Vec::with_capacity(n_items.div_ceil(BLOCK_ITEMS));
        while items.len() > 0 {
            blocks.extend(Block::of(items.by_ref().take(BLOCK_ITEMS).collect()).map(Arc::new));
        }
        SortedBlocks { blocks: Arc::new(blocks), n_items }
    }

    /// A sequence of items in any order; fast if they are nearly sorted.
    pub(super) fn of_any(mut items: Vec<T>) -> SortedBlocks<T> {
        items.sort_by(Sorted::order);
        SortedBlocks::of_sorted(items)
    }

    pub(super) fn len(&self) -> usize {
        self.n_items
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.blocks.iter().flat_map(|block| block.items())
    }

    /// Starts and ends of all items, in order.
    pub(super) fn all_secs(&self) -> impl Iterator<Item = [f64; 2]> {
        self.blocks.iter().flat_map(|block| block.all_secs())
    }

    /// The item at an index in the order.
    pub(super) fn at(&self, index: usize) -> Option<&T> {
        let mut left = index;
        for block in self.blocks.iter() {
            if left < block.len() {
                return block.items().get(left);
            }
            left -= block.len();
        }
        None
    }

    /// Whether both have the same blocks, which proves equality cheaply.
    pub(super) fn is_same(&self, other: &SortedBlocks<T>) -> bool {
        Arc::ptr_eq(&self.blocks, &other.blocks)
    }

    /// Number of items before the first for which `is_before` is false; it must be true for a prefix of the sequence.
    pub(super) fn n_before(&self, is_before: impl Fn(&T) -> bool) -> usize {
        let block = self.block_behind(&is_before);
        let n_whole: usize = self.blocks[..block].iter().map(|block| block.len()).sum();
        n_whole + self.blocks.get(block).map_or(0, |block| block.items().partition_point(&is_before))
    }

    /// The first item for which `is_before` is false; `None` if it is true for all.
    pub(super) fn first_behind(&self, is_before: impl Fn(&T) -> bool) -> Option<&T> {
        let block = self.blocks.get(self.block_behind(&is_before))?;
        block.items().get(block.items().partition_point(&is_before))
    }

    /// The block with the first item for which `is_before` is false.
    fn block_behind(&self, is_before: impl Fn(&T) -> bool) -> usize {
        self.blocks.partition_point(|block| is_before(block.last()))
    }

    /// Items before the first for which `is_before` is false that end at `from` or later, with their indices. Skips
    /// blocks in which all items end earlier.
    pub(super) fn reaching<'a>(
        &'a self,
        from: f64,
        is_before: impl Fn(&T) -> bool + 'a,
    ) -> impl Iterator<Item = (usize, &'a T)> + 'a {
        let mut n_before = 0;
        let blocks = self.blocks.iter().map(move |block| {
            n_before += block.len();
            (n_before - block.len(), block)
        });
        let items = blocks
            .filter(move |(_, block)| block.reach >= from)
            .flat_map(|(first, block)| block.items().iter().enumerate().map(move |(k, item)| (first + k, item)))
            .take_while(move |(_, item)| is_before(item));
        items.filter(move |(_, item)| item.secs()[1] >= from)
    }

    /// The first item that starts at `from_secs` or later, then repeatedly the next one that starts at least
    /// `spacing_secs` after the previous one, with their indices.
    pub(super) fn spaced(&self, mut from_secs: f64, spacing_secs: f64) -> impl Iterator<Item = (usize, &T)> {
        let mut blocks = self.blocks.iter();
        let mut block = blocks.next();
        let (mut n_before, mut k) = (0, 0);
        std::iter::from_fn(move || {
            while block.is_some_and(|block| k == block.len() || block.last().secs()[0] < from_secs) {
                n_before += block.map_or(0, |block| block.len());
                (block, k) = (blocks.next(), 0);
            }
            let items = block?.items();
            let at = k + items.get(k..)?.partition_point(|item| item.secs()[0] < from_secs);
            let item = items.get(at)?;
            k = at + 1;
            from_secs = item.secs()[0] + spacing_secs;
            Some((n_before + at, item))
        })
    }

    /// Inserts an item.
    pub(super) fn insert(&mut self, item: T) {
        let at = self.block_behind(|other| other.order(&item).is_lt());
        let blocks = Arc::make_mut(&mut self.blocks);
        self.n_items += 1;
        // An item after all others goes into the last block.
        let at = at.min(blocks.len().saturating_sub(1));
        let Some(block) = blocks.get_mut(at) else { return blocks.extend(Block::of(vec![item]).map(Arc::new)) };
        let place = block.items().partition_point(|other| other.order(&item).is_lt());
        if block.len() < BLOCK_ITEMS {
            return Block::plain(block).insert(place, item);
        }
        let mut items = block.items().to_vec();
        items.insert(place, item);
        // Most items are appended in order: a cut at the end then leaves full blocks.
        let cut = if place == BLOCK_ITEMS { BLOCK_ITEMS } else { BLOCK_ITEMS / 2 };
        let second = items.split_off(cut);
        let halves = [items, second].into_iter().filter_map(Block::of).map(Arc::new);
        blocks.splice(at..=at, halves);
    }

    /// Removes the item that compares equal; false if there is none.
    pub(super) fn remove(&mut self, item: &T) -> bool {
        let at = self.block_behind(|other| other.order(item).is_lt());
        let Some(block) = self.blocks.get(at) else { return false };
        let place = block.items().partition_point(|other| other.order(item).is_lt());
        if !block.items().get(place).is_some_and(|other| other.order(item).is_eq()) {
            return false;
        }
        let blocks = Arc::make_mut(&mut self.blocks);
        self.n_items -= 1;
        if blocks[at].len() == 1 {
            blocks.remove(at);
        } else {
            Block::plain(&mut blocks[at]).remove(place);
        }
        true
    }

    /// Replaces every item by the result of `map`, or removes it for `None`. Blocks before the first for which
    /// `is_kept` is false stay shared; `is_kept` receives a block's last item and reach. `map` must add `shift_secs` to
    /// both times of every item that starts at `behind_secs` or later.
    pub(super) fn moved(
        &self,
        is_kept: impl Fn(&T, f64) -> bool,
        (behind_secs, shift_secs): (f64, f64),
        map: impl Fn(&T) -> Option<T>,
    ) -> SortedBlocks<T> {
        let n_kept = self.blocks.iter().take_while(|block| is_kept(block.last(), block.reach)).count();
        let mut blocks = self.blocks[..n_kept].to_vec();
        let mut is_sorted = true;
        for block in &self.blocks[n_kept..] {
            let is_behind = block.first().secs()[0] >= behind_secs;
            let shifted = if is_behind { block.shifted(shift_secs) } else { None };
            let Some(block) = shifted.or_else(|| {
                let items: Vec<T> = block.items().iter().filter_map(&map).collect();
                is_sorted &= items.is_sorted_by(|a, b| a.order(b).is_lt());
                Block::of(items)
            }) else {
                continue;
            };
            is_sorted &= blocks.last().is_none_or(|last| last.last().order(block.first()).is_lt());
            blocks.push(Arc::new(block));
        }
        if !is_sorted {
            let rest = blocks.split_off(n_kept);
            let items = rest.iter().flat_map(|block| block.items().iter().cloned()).collect();
            blocks.extend(SortedBlocks::of_any(items).blocks.iter().cloned());
        }
        let n_items = blocks.iter().map(|block| block.len()).sum();
        SortedBlocks { blocks: Arc::new(blocks), n_items }
    }
}
