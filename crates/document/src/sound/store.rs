//! Storage of changed samples: in memory up to a budget; beyond it the oldest move to a temporary file.
//!
//! No data is lost: a block reads the same from either. If the disk is full, blocks stay in memory and the reason can
//! be queried.

use crate::base::{Error, Result, ScratchFile, Slot, lock};
use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Number of samples per block: 4,096 samples are 16 KiB, and a stroke of one second touches a dozen blocks per
/// channel.
pub const BLOCK_SAMPLES: usize = 4096;

const BLOCK_BYTES: u64 = (BLOCK_SAMPLES * size_of::<f32>()) as u64;
/// After a failed write, writing is retried once this many more bytes are in memory.
const RETRY_AFTER_BYTES: u64 = 32 << 20;

/// The blocks of one document. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct BlockStore(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Memory budget; `None` keeps everything in memory.
    budget_bytes: Option<u64>,
    folder: PathBuf,
    file: Option<Arc<ScratchFile>>,
    ram_bytes: u64,
    n_blocks: u64,
    /// Blocks in memory, oldest first, including some that have been dropped.
    oldest: VecDeque<Weak<Block>>,
    fault: Option<Error>,
    not_before_bytes: u64,
}

/// Changed samples of one channel.
#[derive(Debug)]
pub struct Block {
    /// Unique for all blocks ever created, and never 0.
    pub(crate) serial: u64,
    /// Ascending, disjoint ranges of the block changed by edits; elsewhere readers use the base of its layer.
    pub changed: Vec<Range<u32>>,
    samples: Mutex<Samples>,
    store: BlockStore,
}

/// `BLOCK_SAMPLES` values; only those in `changed` count.
#[derive(Debug)]
enum Samples {
    Ram(Box<[f32]>),
    Disk(Arc<ScratchFile>, Slot),
    /// Neither, while the block is being dropped.
    Nowhere,
}

impl BlockStore {
    /// Keeps at most `budget_bytes` in memory, the rest in an unlinked file in `folder`.
    pub fn limit(&self, budget_bytes: u64, folder: &Path) {
        {
            let mut state = lock(&self.0);
            state.budget_bytes = Some(budget_bytes);
            state.folder = folder.to_path_buf();
            state.not_before_bytes = 0;
        }
        self.settle();
    }

    /// As [`limit`](BlockStore::limit), with an existing file.
    pub fn limit_with(&self, budget_bytes: u64, file: ScratchFile) {
        lock(&self.0).file = Some(Arc::new(file));
        self.limit(budget_bytes, Path::new(""));
    }

    /// Bytes of samples in memory.
    pub fn ram_bytes(&self) -> u64 {
        lock(&self.0).ram_bytes
    }

    /// Bytes of samples on disk.
    pub fn disk_bytes(&self) -> u64 {
        let state = lock(&self.0);
        state.n_blocks * BLOCK_BYTES - state.ram_bytes
    }

    /// Reason that blocks beyond the budget stay in memory; returned once.
    pub fn take_fault(&self) -> Option<Error> {
        lock(&self.0).fault.take()
    }

    /// A new block, in memory.
    pub(crate) fn add(&self, samples: Vec<f32>, changed: Vec<Range<u32>>) -> Arc<Block> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let samples = Mutex::new(Samples::Ram(samples.into_boxed_slice()));
        let block = Arc::new(Block { serial: NEXT.fetch_add(1, Relaxed), changed, samples, store: self.clone() });
        let mut state = lock(&self.0);
        state.ram_bytes += BLOCK_BYTES;
        state.n_blocks += 1;
        state.oldest.push_back(Arc::downgrade(&block));
        block
    }

    /// Moves the oldest blocks to disk until the rest is within the budget. Waits for the disk.
    pub(crate) fn settle(&self) {
        while let Some((oldest, file)) = self.next_to_spill() {
            // Dropped before the state is locked again: it may be the last reference to the block.
            let Some(block) = oldest.upgrade() else { continue };
            let spilled = file.and_then(|file| block.spill(&file));
            drop(block);
            if let Err(error) = spilled {
                tracing::warn!("the history stays in memory: {error}");
                let mut state = lock(&self.0);
                state.oldest.push_front(oldest);
                state.not_before_bytes = state.ram_bytes + RETRY_AFTER_BYTES;
                state.fault = Some(error);
                return;
            }
        }
    }

    fn next_to_spill(&self) -> Option<(Weak<Block>, Result<Arc<ScratchFile>>)> {
        let mut state = lock(&self.0);
        // Dropped blocks, for example of previews, leave dangling references in the queue.
        if state.oldest.len() as u64 > 2 * state.n_blocks + 64 {
            state.oldest.retain(|block| block.strong_count() > 0);
        }
        if state.ram_bytes <= state.budget_bytes?.max(state.not_before_bytes) {
            return None;
        }
        let oldest = state.oldest.pop_front()?;
        let file = match &state.file {
            Some(file) => Ok(file.clone()),
            None => ScratchFile::in_folder(&state.folder, BLOCK_BYTES as usize)
                .map(|file| state.file.insert(Arc::new(file)).clone()),
        };
        Some((oldest, file))
    }
}

impl Block {
    /// Reads a range of samples inside the block.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn read(&self, range: Range<usize>, out: &mut [f32]) -> Result<()> {
        match &*lock(&self.samples) {
            Samples::Ram(samples) => out.copy_from_slice(&samples[range]),
            Samples::Disk(file, slot) => {
                file.read(slot, range.start * size_of::<f32>(), bytemuck::cast_slice_mut(out))?;
            }
            Samples::Nowhere => out.fill(0.0),
        }
        Ok(())
    }

    fn spill(&self, file: &Arc<ScratchFile>) -> Result<()> {
        let mut held = lock(&self.samples);
        if let Samples::Ram(samples) = &*held {
            let slot = file.write(bytemuck::cast_slice(samples))?;
            *held = Samples::Disk(file.clone(), slot);
            let mut state = lock(&self.store.0);
            state.ram_bytes -= BLOCK_BYTES;
        }
        Ok(())
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let held = self.samples.get_mut().unwrap_or_else(PoisonError::into_inner);
        let held = std::mem::replace(held, Samples::Nowhere);
        let mut state = lock(&self.store.0);
        state.n_blocks -= 1;
        match held {
            Samples::Ram(_) => state.ram_bytes -= BLOCK_BYTES,
            Samples::Disk(file, slot) => file.free(slot),
            Samples::Nowhere => {}
        }
    }
}
