//! Sorted items in shared blocks: a clone costs nothing, and a change copies one block.

use std::cmp::Ordering;
use std::sync::Arc;

/// Items of a full block.
const BLOCK_ITEMS: usize = 512;

/// What such blocks hold.
pub(super) trait Sorted: Clone {
    /// No two items of a sequence are equal in it.
    fn order(&self, other: &Self) -> Ordering;

    /// The latest time that the item reaches.
    fn reach(&self) -> f64;
}

#[derive(Debug, Clone)]
struct Block<T> {
    items: Vec<T>,
    /// The largest reach of its items.
    reach: f64,
}

impl<T: Sorted> Block<T> {
    fn of(items: Vec<T>) -> Block<T> {
        let reach = items.iter().map(Sorted::reach).fold(f64::NEG_INFINITY, f64::max);
        Block { items, reach }
    }
}

/// The sequence. No block is empty.
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
    /// From items in order.
    pub(super) fn of_sorted(items: Vec<T>) -> SortedBlocks<T> {
        let n_items = items.len();
        let mut items = items.into_iter();
        let mut blocks = Vec::with_capacity(n_items.div_ceil(BLOCK_ITEMS));
        while items.len() > 0 {
            blocks.push(Arc::new(Block::of(items.by_ref().take(BLOCK_ITEMS).collect())));
        }
        SortedBlocks { blocks: Arc::new(blocks), n_items }
    }

    /// From items in any order; fast where they are nearly sorted.
    pub(super) fn of_any(mut items: Vec<T>) -> SortedBlocks<T> {
        items.sort_by(Sorted::order);
        SortedBlocks::of_sorted(items)
    }

    pub(super) fn len(&self) -> usize {
        self.n_items
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.blocks.iter().flat_map(|block| block.items.iter())
    }

    /// The item at a place in the order.
    pub(super) fn at(&self, index: usize) -> Option<&T> {
        let mut left = index;
        for block in self.blocks.iter() {
            match block.items.get(left) {
                Some(item) => return Some(item),
                None => left -= block.items.len(),
            }
        }
        None
    }

    /// Whether both are the same blocks, and so equal without a look.
    pub(super) fn is_same(&self, other: &SortedBlocks<T>) -> bool {
        Arc::ptr_eq(&self.blocks, &other.blocks)
    }

    /// How many items come before those for which `is_before` is false; it is true of a beginning of the sequence.
    pub(super) fn n_before(&self, is_before: impl Fn(&T) -> bool) -> usize {
        let block = self.block_behind(&is_before);
        let n_whole: usize = self.blocks[..block].iter().map(|block| block.items.len()).sum();
        n_whole + self.blocks.get(block).map_or(0, |block| block.items.partition_point(&is_before))
    }

    /// The first item for which `is_before` is false.
    pub(super) fn first_behind(&self, is_before: impl Fn(&T) -> bool) -> Option<&T> {
        let block = self.blocks.get(self.block_behind(&is_before))?;
        block.items.get(block.items.partition_point(&is_before))
    }

    /// Which block holds the first item for which `is_before` is false.
    fn block_behind(&self, is_before: impl Fn(&T) -> bool) -> usize {
        self.blocks.partition_point(|block| block.items.last().is_some_and(&is_before))
    }

    /// Items up to the one for which `is_before` is false whose reach is at least `from`; whole blocks are passed over.
    pub(super) fn reaching<'a>(
        &'a self,
        from: f64,
        is_before: impl Fn(&T) -> bool + 'a,
    ) -> impl Iterator<Item = &'a T> + 'a {
        let blocks = self.blocks.iter().filter(move |block| block.reach >= from);
        let items = blocks.flat_map(|block| block.items.iter()).take_while(move |item| is_before(item));
        items.filter(move |item| item.reach() >= from)
    }

    /// Puts an item in its place.
    pub(super) fn insert(&mut self, item: T) {
        let at = self.block_behind(|other| other.order(&item).is_lt());
        let blocks = Arc::make_mut(&mut self.blocks);
        self.n_items += 1;
        // Behind all others: the last block takes it.
        let at = at.min(blocks.len().saturating_sub(1));
        let Some(block) = blocks.get_mut(at) else { return blocks.push(Arc::new(Block::of(vec![item]))) };
        let place = block.items.partition_point(|other| other.order(&item).is_lt());
        if block.items.len() < BLOCK_ITEMS {
            let block = Arc::make_mut(block);
            block.reach = block.reach.max(item.reach());
            block.items.insert(place, item);
            return;
        }
        let mut items = block.items.clone();
        items.insert(place, item);
        // Most come in order, and then full blocks stay behind.
        let cut = if place == BLOCK_ITEMS { BLOCK_ITEMS } else { BLOCK_ITEMS / 2 };
        let second = items.split_off(cut);
        *block = Arc::new(Block::of(items));
        blocks.insert(at + 1, Arc::new(Block::of(second)));
    }

    /// Takes an item that is equal in order out; false if there is none.
    pub(super) fn remove(&mut self, item: &T) -> bool {
        let at = self.block_behind(|other| other.order(item).is_lt());
        let Some(block) = self.blocks.get(at) else { return false };
        let place = block.items.partition_point(|other| other.order(item).is_lt());
        if !block.items.get(place).is_some_and(|other| other.order(item).is_eq()) {
            return false;
        }
        let blocks = Arc::make_mut(&mut self.blocks);
        self.n_items -= 1;
        if blocks[at].items.len() == 1 {
            blocks.remove(at);
            return true;
        }
        let block = Arc::make_mut(&mut blocks[at]);
        let reach = block.items.remove(place).reach();
        if reach >= block.reach {
            block.reach = block.items.iter().map(Sorted::reach).fold(f64::NEG_INFINITY, f64::max);
        }
        true
    }

    /// Every item changed or dropped; blocks before the first for which `is_kept` is false stay shared. `is_kept` is true of
    /// whole blocks by their last item and reach.
    pub(super) fn mapped(&self, is_kept: impl Fn(&T, f64) -> bool, map: impl Fn(&T) -> Option<T>) -> SortedBlocks<T> {
        let is_whole = |block: &Arc<Block<T>>| block.items.last().is_some_and(|last| is_kept(last, block.reach));
        let n_kept = self.blocks.iter().take_while(|block| is_whole(block)).count();
        let mut blocks = self.blocks[..n_kept].to_vec();
        let mut is_sorted = true;
        for block in &self.blocks[n_kept..] {
            let mut items = Vec::with_capacity(block.items.len());
            items.extend(block.items.iter().filter_map(&map));
            let Some(first) = items.first() else { continue };
            let last = blocks.last().filter(|_| blocks.len() > n_kept).and_then(|block| block.items.last());
            is_sorted &= last.is_none_or(|last| last.order(first).is_lt());
            is_sorted &= items.is_sorted_by(|a, b| a.order(b).is_lt());
            blocks.push(Arc::new(Block::of(items)));
        }
        if !is_sorted {
            let rest = blocks.split_off(n_kept);
            let items = rest.iter().flat_map(|block| block.items.iter().cloned()).collect();
            blocks.extend(SortedBlocks::of_any(items).blocks.iter().cloned());
        }
        let n_items = blocks.iter().map(|block| block.items.len()).sum();
        SortedBlocks { blocks: Arc::new(blocks), n_items }
    }
}
