//! Pages of sounds on the device, kept within a budget. A page is found by what it holds, never by where a document
//! uses it: undone, cut, moved and repeated sound is not uploaded again.

use super::memory::Memory;
use super::pool::{BufferKind, Lease, Pool};
use crate::base::{Result, lock, trace};
use crate::gpu::stored::{BLOCKS_PER_PAGE, PAGE_SAMPLES, PageBase, StoredPage};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Bytes of a page.
const PAGE_BYTES: u64 = 4 * PAGE_SAMPLES as u64;

/// Budget unless another is set: three minutes of stereo at 44.1 kHz.
const DEFAULT_BUDGET_BYTES: u64 = 64 << 20;

/// Counts of the pages of a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// Number of pages uploaded so far.
    pub n_uploaded: u64,
    /// Number of pages dropped so far because the budget was used up.
    pub n_dropped: u64,
    /// Bytes of the pages held.
    pub held_bytes: u64,
}

/// The pages of one device.
#[derive(Debug)]
pub(in crate::gpu) struct Arena(Mutex<State>);

#[derive(Debug)]
struct State {
    budget_bytes: u64,
    /// Versions of each page that differ in their edits.
    pages: HashMap<PageBase, Vec<Held>>,
    /// Pages by the time of their last use.
    order: BTreeMap<u64, PageBase>,
    clock: u64,
    n_uploaded: u64,
    n_dropped: u64,
}

#[derive(Debug)]
struct Held {
    blocks: [u64; BLOCKS_PER_PAGE],
    lease: Lease,
    used: u64,
}

/// The page that a run of samples needs.
pub(in crate::gpu) struct PageWanted<'a> {
    pub page: &'a StoredPage,
    /// The samples of the page that are needed.
    pub samples: Range<usize>,
}

impl PageWanted<'_> {
    /// Whether a version with these blocks has the samples.
    fn is_met_by(&self, blocks: &[u64; BLOCKS_PER_PAGE]) -> bool {
        let per_block = PAGE_SAMPLES / BLOCKS_PER_PAGE;
        let needed = self.samples.start / per_block..self.samples.end.div_ceil(per_block);
        self.page.blocks[needed.clone()] == blocks[needed]
    }
}

impl Default for Arena {
    fn default() -> Arena {
        Arena(Mutex::new(State {
            budget_bytes: DEFAULT_BUDGET_BYTES,
            pages: HashMap::new(),
            order: BTreeMap::new(),
            clock: 0,
            n_uploaded: 0,
            n_dropped: 0,
        }))
    }
}

impl Arena {
    /// The budget in bytes.
    pub fn budget_bytes(&self) -> u64 {
        lock(&self.0).budget_bytes
    }

    /// Sets the budget, none if it is less than a page; pages beyond it are dropped, the least recently used first.
    pub fn set_budget(&self, budget_bytes: u64) {
        let mut state = lock(&self.0);
        state.budget_bytes = if budget_bytes < PAGE_BYTES { 0 } else { budget_bytes };
        state.make_room(0);
    }

    /// Drops every page. Recorded commands keep those that they use.
    pub fn clear(&self) {
        let mut state = lock(&self.0);
        state.pages.clear();
        state.order.clear();
    }

    pub fn counts(&self) -> PageCounts {
        let State { n_uploaded, n_dropped, order, .. } = &*lock(&self.0);
        PageCounts { n_uploaded: *n_uploaded, n_dropped: *n_dropped, held_bytes: PAGE_BYTES * order.len() as u64 }
    }

    /// A page that has the wanted samples. If there is none, `read` reads a whole page and returns whether its samples
    /// are final; only then is it kept.
    ///
    /// # Errors
    /// Errors of `read`; [`GpuMemory`](crate::base::ErrorKind::GpuMemory).
    pub fn page(
        &self,
        wanted: &PageWanted<'_>,
        (pool, memory, queue): (&Arc<Pool>, &Memory, &wgpu::Queue),
        read: impl FnOnce(&mut [f32]) -> Result<bool>,
    ) -> Result<Lease> {
        // Held while a page is read, so that no two threads upload the same one.
        let mut state = lock(&self.0);
        if let Some(lease) = state.find(wanted) {
            return Ok(lease);
        }
        let _span = trace::span("upload a page");
        let mut samples = vec![0.0; PAGE_SAMPLES];
        let is_final = read(&mut samples)?;
        state.make_room(1);
        let lease = pool.lease(BufferKind::Page, PAGE_BYTES)?;
        memory.write(queue, lease.buffer(), bytemuck::cast_slice(&samples))?;
        state.n_uploaded += 1;
        if is_final {
            state.keep(wanted.page, lease.clone());
        }
        Ok(lease)
    }
}

impl State {
    fn find(&mut self, wanted: &PageWanted<'_>) -> Option<Lease> {
        let base = wanted.page.base;
        let held = self.pages.get_mut(&base)?.iter_mut().find(|held| wanted.is_met_by(&held.blocks))?;
        self.order.remove(&held.used);
        self.clock += 1;
        held.used = self.clock;
        self.order.insert(self.clock, base);
        Some(held.lease.clone())
    }

    fn keep(&mut self, page: &StoredPage, lease: Lease) {
        self.clock += 1;
        self.order.insert(self.clock, page.base);
        self.pages.entry(page.base).or_default().push(Held { blocks: page.blocks, lease, used: self.clock });
    }

    /// Drops the least recently used pages until `n_more` pages fit.
    fn make_room(&mut self, n_more: u64) {
        while PAGE_BYTES * (self.order.len() as u64 + n_more) > self.budget_bytes {
            let Some((used, base)) = self.order.pop_first() else { return };
            if let Some(versions) = self.pages.get_mut(&base) {
                versions.retain(|held| held.used != used);
                if versions.is_empty() {
                    self.pages.remove(&base);
                }
            }
            self.n_dropped += 1;
        }
    }
}
