//! One state of the document's sound: an immutable source and a sparse set of changed blocks.

use super::store::{BLOCK_SAMPLES, Block, BlockStore};
use crate::base::Result;
use crate::dsp::{Grid, Transform};
use crate::media::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Blocks of one page: an hour of 48 kHz is 660 pages, so a commit copies some hundred pointers.
const PAGE_BLOCKS: usize = 64;

type Page = [Option<Arc<Block>>; PAGE_BLOCKS];
/// Pages by their places, those alone that an edit touched: what a sound's length says costs nothing.
type Channel = BTreeMap<usize, Arc<Page>>;

/// An immutable value; display, playback, export, command line and undo all read `&Snapshot`. Clones are cheap.
#[derive(Debug, Clone)]
pub struct Snapshot {
    source: Source,
    channels: Arc<Vec<Channel>>,
    store: BlockStore,
}

impl Snapshot {
    /// The source as it is.
    pub fn new(source: Source) -> Snapshot {
        let channels = Arc::new(vec![Channel::new(); source.info().n_channels]);
        Snapshot { source, channels, store: BlockStore::default() }
    }

    /// Where the changed samples of this and all snapshots made from it live.
    pub fn store(&self) -> &BlockStore {
        &self.store
    }

    /// The file below.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Samples per channel.
    pub fn n_samples(&self) -> u64 {
        self.source.info().n_samples
    }

    /// Samples per second.
    pub fn sample_rate_hz(&self) -> f64 {
        f64::from(self.source.info().sample_rate_hz)
    }

    /// The cells that a transform lays over it.
    pub fn grid(&self, transform: impl Into<Transform>) -> Grid {
        Grid::new(transform, self.sample_rate_hz(), self.n_samples())
    }

    /// Number of channels.
    pub fn n_channels(&self) -> usize {
        self.source.info().n_channels
    }

    /// Reads samples of one channel starting at `first`; 0 beyond the ends.
    ///
    /// # Errors
    /// Those of a source that is read from disk, and of the disk that holds older edits.
    pub fn read(&self, channel: usize, first: i64, out: &mut [f32]) -> Result<()> {
        self.source.read(channel, first, out)?;
        let wanted = first..first + out.len() as i64;
        for index in blocks_over(&(wanted.start.max(0) as u64..wanted.end.max(0) as u64)) {
            let Some(block) = self.block(channel, index) else { continue };
            let start = (index * BLOCK_SAMPLES) as i64;
            for range in &block.changed {
                let from = (start + i64::from(range.start)).max(wanted.start);
                let to = (start + i64::from(range.end)).min(wanted.end);
                if from < to {
                    let changed = (from - start) as usize..(to - start) as usize;
                    block.read(changed, &mut out[(from - first) as usize..(to - first) as usize])?;
                }
            }
        }
        Ok(())
    }

    /// The end of the silence that contains a sample of a channel, as far as it is known without reading: that of the
    /// source where there is no edited block. The sample itself if it is not known to be silent.
    pub fn silent_until(&self, channel: usize, first: u64) -> u64 {
        let end = self.source.silent_until(first);
        if end <= first {
            return first;
        }
        let page_samples = (PAGE_BLOCKS * BLOCK_SAMPLES) as u64;
        let Some(pages) = self.channels.get(channel) else { return end };
        let page_of = |sample: u64| usize::try_from(sample / page_samples).unwrap_or(usize::MAX);
        for (page, blocks) in pages.range(page_of(first)..=page_of(end)) {
            for (place, block) in blocks.iter().enumerate() {
                let start = ((page * PAGE_BLOCKS + place) * BLOCK_SAMPLES) as u64;
                let changed = block.iter().flat_map(|block| &block.changed);
                let changed = changed.map(|range| start + u64::from(range.start)..start + u64::from(range.end));
                if let Some(changed) = changed.into_iter().find(|range| range.end > first) {
                    return changed.start.clamp(first, end);
                }
            }
        }
        end
    }

    /// The same with silence behind it.
    ///
    /// # Errors
    /// [`Limit`](crate::base::ErrorKind::Limit) for more than a file can hold.
    pub fn lengthened(&self, n_more: u64) -> Result<Snapshot> {
        let source = self.source.lengthened(n_more)?;
        // Of its own: it is another sound than this one, though no block is.
        let channels = Arc::new((*self.channels).clone());
        Ok(Snapshot { source, channels, store: self.store.clone() })
    }

    /// Begins a changed copy.
    pub fn edit(&self) -> SnapshotEdit {
        let (channels, store) = ((*self.channels).clone(), self.store.clone());
        SnapshotEdit { source: self.source.clone(), channels, store, drafts: BTreeMap::new() }
    }

    /// A snapshot with `samples` written from `first` on in one channel.
    ///
    /// # Errors
    /// As [`SnapshotEdit::write`].
    pub fn with_samples(&self, channel: usize, first: u64, samples: &[f32]) -> Result<Snapshot> {
        let mut edit = self.edit();
        edit.write(channel, first, samples)?;
        Ok(edit.finish())
    }

    /// The block of a channel that starts at `index * BLOCK_SAMPLES`, if an edit touched it.
    pub fn block(&self, channel: usize, index: usize) -> Option<&Arc<Block>> {
        self.channels.get(channel)?.get(&(index / PAGE_BLOCKS))?[index % PAGE_BLOCKS].as_ref()
    }

    /// The sample ranges of a channel in which two snapshots of one source may differ (blocks at different addresses,
    /// and the tail of the longer one), ascending and disjoint. Cheap: compares pointers.
    pub fn differing(&self, other: &Snapshot, channel: usize) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        if Arc::ptr_eq(&self.channels, &other.channels) {
            return ranges;
        }
        let (mine, theirs) = (&self.channels[channel], &other.channels[channel]);
        let n_pages = n_pages(self.n_samples().min(other.n_samples()));
        let is_same = |page: &usize| match (mine.get(page), theirs.get(page)) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            _ => false,
        };
        // Of pages that neither has nothing differs.
        let pages: BTreeSet<usize> = mine.keys().chain(theirs.keys()).copied().filter(|page| *page < n_pages).collect();
        for page in pages.into_iter().filter(|page| !is_same(page)) {
            for index in page * PAGE_BLOCKS..(page + 1) * PAGE_BLOCKS {
                let is_same = match (self.block(channel, index), other.block(channel, index)) {
                    (None, None) => true,
                    (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                    _ => false,
                };
                if !is_same {
                    let start = (index * BLOCK_SAMPLES) as u64;
                    join(&mut ranges, start..(start + BLOCK_SAMPLES as u64).min(self.n_samples()));
                }
            }
        }
        let (shorter, longer) = (self.n_samples().min(other.n_samples()), self.n_samples().max(other.n_samples()));
        if shorter < longer {
            join(&mut ranges, shorter..longer);
        }
        ranges
    }

    /// The blocks of this snapshot that an earlier snapshot of the same document lacks, sorted by channel and index.
    pub(super) fn blocks_since(&self, before: &Snapshot) -> Vec<(usize, usize, Arc<Block>)> {
        let mut found = Vec::new();
        for (channel, pages) in self.channels.iter().enumerate() {
            for (page, mine) in pages {
                let theirs = before.channels.get(channel).and_then(|pages| pages.get(page));
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

    /// Whether any edit left blocks behind.
    pub fn is_edited(&self) -> bool {
        self.channels.iter().any(|pages| !pages.is_empty())
    }

    /// Whether both are identical, compared by pointers and not by samples.
    pub fn is_same(&self, other: &Snapshot) -> bool {
        Arc::ptr_eq(&self.channels, &other.channels)
    }
}

/// A snapshot under construction: only the pages and blocks written to are copied.
#[derive(Debug)]
pub struct SnapshotEdit {
    source: Source,
    channels: Vec<Channel>,
    store: BlockStore,
    /// By channel and index.
    drafts: BTreeMap<(usize, usize), Draft>,
}

/// A block in the making.
#[derive(Debug)]
struct Draft {
    samples: Vec<f32>,
    changed: Vec<Range<u32>>,
}

impl SnapshotEdit {
    /// Writes `samples` into a channel from `first` on; samples beyond the end are dropped.
    ///
    /// # Errors
    /// Those of the disk that holds older edits.
    pub fn write(&mut self, channel: usize, first: u64, samples: &[f32]) -> Result<()> {
        let end = (first + samples.len() as u64).min(self.source.info().n_samples);
        for index in blocks_over(&(first..end)) {
            let start = (index * BLOCK_SAMPLES) as u64;
            let (from, to) = (first.max(start), end.min(start + BLOCK_SAMPLES as u64));
            if !self.drafts.contains_key(&(channel, index)) {
                let draft = self.draft(channel, index)?;
                self.drafts.insert((channel, index), draft);
            }
            let Some(draft) = self.drafts.get_mut(&(channel, index)) else { continue };
            let place = (from - start) as usize..(to - start) as usize;
            draft.samples[place.clone()].copy_from_slice(&samples[(from - first) as usize..(to - first) as usize]);
            let mut changed = std::mem::take(&mut draft.changed);
            changed.push(place.start as u32..place.end as u32);
            changed.sort_by_key(|range| range.start);
            for range in changed {
                join(&mut draft.changed, range);
            }
        }
        Ok(())
    }

    /// Replaces a whole block: `BLOCK_SAMPLES` values, of which only those in `changed` (ascending, disjoint, inside
    /// the block) count. Returns false if the sound has no such block.
    pub(super) fn put(&mut self, channel: usize, index: usize, samples: Vec<f32>, changed: Vec<Range<u32>>) -> bool {
        let has_place = channel < self.channels.len()
            && ((index * BLOCK_SAMPLES) as u64) < self.source.info().n_samples
            && samples.len() == BLOCK_SAMPLES;
        if has_place {
            self.drafts.insert((channel, index), Draft { samples, changed });
        }
        has_place
    }

    /// A copy of the block that is there, or one in which nothing was changed.
    fn draft(&self, channel: usize, index: usize) -> Result<Draft> {
        let mut draft = Draft { samples: vec![0.0; BLOCK_SAMPLES], changed: Vec::new() };
        let page = self.channels[channel].get(&(index / PAGE_BLOCKS));
        if let Some(block) = page.and_then(|page| page[index % PAGE_BLOCKS].as_ref()) {
            block.read(0..BLOCK_SAMPLES, &mut draft.samples)?;
            draft.changed = block.changed.clone();
        }
        Ok(draft)
    }

    /// Turns the samples written so far into blocks. Older blocks may move to disk, so this may take a moment.
    pub fn settle(&mut self) {
        for ((channel, index), Draft { samples, changed }) in std::mem::take(&mut self.drafts) {
            let page = self.channels[channel]
                .entry(index / PAGE_BLOCKS)
                .or_insert_with(|| Arc::new([const { None }; PAGE_BLOCKS]));
            Arc::make_mut(page)[index % PAGE_BLOCKS] = Some(self.store.add(samples, changed));
        }
        self.store.settle();
    }

    /// The value so far; as [`settle`](SnapshotEdit::settle).
    pub fn so_far(&mut self) -> Snapshot {
        self.settle();
        let channels = Arc::new(self.channels.clone());
        Snapshot { source: self.source.clone(), channels, store: self.store.clone() }
    }

    /// The finished value; as [`settle`](SnapshotEdit::settle).
    pub fn finish(mut self) -> Snapshot {
        self.settle();
        Snapshot { source: self.source, channels: Arc::new(self.channels), store: self.store }
    }
}

fn n_pages(n_samples: u64) -> usize {
    n_samples.div_ceil((BLOCK_SAMPLES * PAGE_BLOCKS) as u64) as usize
}

fn blocks_over(samples: &Range<u64>) -> Range<usize> {
    if samples.is_empty() {
        return 0..0;
    }
    (samples.start / BLOCK_SAMPLES as u64) as usize..samples.end.div_ceil(BLOCK_SAMPLES as u64) as usize
}

/// Adds a range that starts at or after the last one's start, joining what touches.
pub(super) fn join<T: Copy + Ord>(ranges: &mut Vec<Range<T>>, next: Range<T>) {
    match ranges.last_mut() {
        Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
        _ => ranges.push(next),
    }
}
