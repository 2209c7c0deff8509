//! Layers: samples in their own coordinates, of which a sound uses parts.

use crate::document::sound::store::{BLOCK_SAMPLES, Block};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Number of blocks per page: an hour of 48 kHz is 660 pages, so a commit copies some hundred pointers.
const PAGE_BLOCKS: usize = 64;
const PAGE_SAMPLES: u64 = (PAGE_BLOCKS * BLOCK_SAMPLES) as u64;

type Page = [Option<Arc<Block>>; PAGE_BLOCKS];
/// Pages by index. Only pages with changed blocks exist, so memory does not depend on the length of the sound.
type Channel = BTreeMap<usize, Arc<Page>>;

/// Contents of a layer that no edit has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// The source at the layer's own coordinates; silence past its end.
    Source,
    /// Silence.
    Silence,
}

/// A base with the blocks changed by edits. Clones share pages.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    pub(super) base: Base,
    channels: Vec<Channel>,
}

impl Layer {
    pub(super) fn new(base: Base, n_channels: usize) -> Layer {
        Layer { base, channels: vec![Channel::new(); n_channels] }
    }

    pub(super) fn is_edited(&self) -> bool {
        self.channels.iter().any(|pages| !pages.is_empty())
    }

    pub(super) fn n_channels(&self) -> usize {
        self.channels.len()
    }

    pub(super) fn block(&self, channel: usize, index: usize) -> Option<&Arc<Block>> {
        self.channels.get(channel)?.get(&(index / PAGE_BLOCKS))?[index % PAGE_BLOCKS].as_ref()
    }

    pub(super) fn put(&mut self, channel: usize, index: usize, block: Arc<Block>) {
        let page = self.channels[channel]
            .entry(index / PAGE_BLOCKS)
            .or_insert_with(|| Arc::new([const { None }; PAGE_BLOCKS]));
        Arc::make_mut(page)[index % PAGE_BLOCKS] = Some(block);
    }

    /// Copies the blocks that touch a window into another layer, `by` blocks further on.
    pub(super) fn copy_into(&self, other: &mut Layer, window: &Range<u64>, by: usize) {
        for (channel, pages) in self.channels.iter().enumerate() {
            for index in blocks_in(pages, window) {
                if let Some(block) = self.block(channel, index) {
                    other.put(channel, index + by, block.clone());
                }
            }
        }
    }

    /// The first changed sample of a channel in a window; `None` if there is none.
    pub(super) fn first_change(&self, channel: usize, window: Range<u64>) -> Option<u64> {
        let pages = self.channels.get(channel)?;
        for index in blocks_in(pages, &window) {
            let start = (index * BLOCK_SAMPLES) as u64;
            let Some(block) = self.block(channel, index) else { continue };
            let changed =
                block.changed.iter().map(|range| start + u64::from(range.start)..start + u64::from(range.end));
            if let Some(changed) = changed.into_iter().find(|range| range.end > window.start) {
                return (changed.start < window.end).then_some(changed.start.max(window.start));
            }
        }
        None
    }

    /// The blocks of a channel within a window that differ from those of `other`, ascending. Cheap: compares pointers.
    pub(super) fn differing(&self, other: &Layer, channel: usize, window: &Range<u64>) -> Vec<usize> {
        let (mine, theirs) = (&self.channels[channel], &other.channels[channel]);
        let pages: BTreeSet<usize> = [mine, theirs].into_iter().flat_map(|pages| pages_in(pages, window)).collect();
        let is_same = |page: &usize| match (mine.get(page), theirs.get(page)) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            _ => false,
        };
        let wanted = blocks_over(window);
        let differs = |index: &usize| match (self.block(channel, *index), other.block(channel, *index)) {
            (None, None) => false,
            (Some(a), Some(b)) => !Arc::ptr_eq(a, b),
            _ => true,
        };
        let pages = pages.into_iter().filter(|page| !is_same(page));
        let blocks = pages.flat_map(|page| page * PAGE_BLOCKS..(page + 1) * PAGE_BLOCKS);
        blocks.filter(|index| wanted.contains(index)).filter(differs).collect()
    }

    /// The blocks that `before` lacks, with channel and index; all blocks if `before` is `None`.
    pub(super) fn blocks_since(&self, before: Option<&Layer>) -> Vec<(usize, usize, Arc<Block>)> {
        let mut found = Vec::new();
        for (channel, pages) in self.channels.iter().enumerate() {
            for (page, mine) in pages {
                let theirs = before.and_then(|before| before.channels.get(channel)).and_then(|pages| pages.get(page));
                if theirs.is_some_and(|theirs| Arc::ptr_eq(theirs, mine)) {
                    continue;
                }
                for (place, block) in mine.iter().enumerate() {
                    let Some(block) = block else { continue };
                    let other = theirs.and_then(|theirs| theirs[place].as_ref());
                    if !other.is_some_and(|other| Arc::ptr_eq(other, block)) {
                        found.push((channel, page * PAGE_BLOCKS + place, block.clone()));
                    }
                }
            }
        }
        found
    }
}

/// Indices of the existing pages in a window.
fn pages_in(pages: &Channel, window: &Range<u64>) -> Vec<usize> {
    if window.is_empty() {
        return Vec::new();
    }
    let page_of = |sample: u64| usize::try_from(sample / PAGE_SAMPLES).unwrap_or(usize::MAX);
    pages.range(page_of(window.start)..=page_of(window.end - 1)).map(|(page, _)| *page).collect()
}

/// Indices of the blocks in a window whose pages exist; the blocks themselves may not.
fn blocks_in(pages: &Channel, window: &Range<u64>) -> Vec<usize> {
    let wanted = blocks_over(window);
    let blocks = pages_in(pages, window).into_iter().flat_map(|page| page * PAGE_BLOCKS..(page + 1) * PAGE_BLOCKS);
    blocks.filter(|index| wanted.contains(index)).collect()
}

pub(super) fn blocks_over(samples: &Range<u64>) -> Range<usize> {
    if samples.is_empty() {
        return 0..0;
    }
    (samples.start / BLOCK_SAMPLES as u64) as usize..samples.end.div_ceil(BLOCK_SAMPLES as u64) as usize
}
