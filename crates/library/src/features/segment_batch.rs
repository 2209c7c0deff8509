//! Segments of many files, batched for a device.

use super::options::{FeatureOptions, Reduce};
use super::rows::{Rows, TakeRows, starts_of};
use crate::base::{Result, trace};
use crate::dsp::mels::mel::MelBank;
use crate::dsp::mels::segment_mels::SegmentMels;
use crate::engine::Engine;
use crate::library::batches::{BatchAttempt, BatchCounts, BatchDevice, BatchLimits};

/// Maximum memory in bytes of a batch on any device, and so of the samples that wait for it in main memory.
const MAX_BYTES: u64 = 64 << 20;

/// Long segments of a file.
struct WaitingBlock {
    file: usize,
    first_long: u64,
    n_long: usize,
    /// Starts of its distinct short segments.
    starts: Vec<usize>,
    n_samples: usize,
}

/// Segments waiting for a device, and the device.
pub struct SegmentBatch {
    options: FeatureOptions,
    device: BatchDevice,
    segments: SegmentMels,
    /// Samples of all blocks, concatenated.
    samples: Vec<f32>,
    blocks: Vec<WaitingBlock>,
    /// Values with mels as rows and frames as columns.
    by_frame: Vec<f32>,
    encoded: Vec<u8>,
    used: BatchCounts,
}

impl SegmentBatch {
    /// An empty batch.
    pub fn new(options: &FeatureOptions, engine: &Engine, bank: &MelBank, limits: BatchLimits) -> SegmentBatch {
        SegmentBatch {
            segments: SegmentMels::new(options.segment(), &[], bank, options.reduce == Reduce::Frames),
            options: options.clone(),
            device: BatchDevice::new(engine, limits, MAX_BYTES),
            samples: Vec::new(),
            blocks: Vec::new(),
            by_frame: Vec::new(),
            encoded: Vec::new(),
            used: BatchCounts::default(),
        }
    }

    /// Adds the next long segments of a file, which use all of `samples`.
    pub fn add(&mut self, file: usize, first_long: u64, n_long: usize, samples: &[f32]) {
        let starts = starts_of(&self.options, n_long);
        self.blocks.push(WaitingBlock { file, first_long, n_long, starts, n_samples: samples.len() });
        self.samples.extend_from_slice(samples);
    }

    /// Whether the batch should be computed.
    pub fn is_full(&self) -> bool {
        let n_bytes: u64 = self.blocks.iter().map(|block| self.bytes_of(block)).sum();
        self.device.is_full(self.blocks.len(), n_bytes)
    }

    /// Drops waiting segments of the last file.
    pub fn forget(&mut self, file: usize) {
        let of_file = self.blocks.iter().rev().take_while(|block| block.file == file);
        let (n, n_samples) = of_file.fold((0, 0), |(n, n_samples), block| (n + 1, n_samples + block.n_samples));
        self.blocks.truncate(self.blocks.len() - n);
        self.samples.truncate(self.samples.len() - n_samples);
    }

    /// Computes all waiting segments, and emits the rows in order. Halves a batch that runs out of memory.
    ///
    /// # Errors
    /// Errors of the device and of `take`.
    pub fn compute(&mut self, take: &mut TakeRows<'_>) -> Result<()> {
        while !self.blocks.is_empty() {
            let n = self.device.next(self.blocks.iter().map(|block| self.bytes_of(block))).min(self.blocks.len());
            match self.mels_of(n) {
                BatchAttempt::Done(mels) => self.give(n, &mels, take)?,
                BatchAttempt::Halved => {}
                BatchAttempt::Failed(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the device's counts since the last call.
    pub fn take_use(&mut self) -> BatchCounts {
        std::mem::take(&mut self.used)
    }

    /// Memory of a block on the device: samples, segment starts, and mels.
    fn bytes_of(&self, block: &WaitingBlock) -> u64 {
        let n_values = 1 + self.segments.n_written() * self.segments.n_mels;
        4 * (block.n_samples + block.starts.len() * n_values) as u64
    }

    /// The mels of the first blocks.
    fn mels_of(&mut self, n: usize) -> BatchAttempt<Vec<f32>> {
        let mut n_samples = 0;
        self.segments.starts.clear();
        for block in &self.blocks[..n] {
            self.segments.starts.extend(block.starts.iter().map(|start| (n_samples + start) as u32));
            n_samples += block.n_samples;
        }
        let _span = trace::span("STFT");
        let (segments, samples) = (&self.segments, &self.samples[..n_samples]);
        let attempt = self.device.attempt(n, &mut self.used, |engine| engine.segment_mels(segments, samples));
        if let BatchAttempt::Done(mels) = &attempt {
            self.used.moved_bytes += (size_of_val(samples) + size_of_val(mels.as_slice())) as u64;
        }
        attempt
    }

    /// Emits the rows of the first blocks, and removes these blocks.
    fn give(&mut self, n: usize, mels: &[f32], take: &mut TakeRows<'_>) -> Result<()> {
        let blocks: Vec<WaitingBlock> = self.blocks.drain(..n).collect();
        let n_samples: usize = blocks.iter().map(|block| block.n_samples).sum();
        self.samples.drain(..n_samples);
        let (n_mels, row_bytes) = (self.segments.n_mels, self.options.row_bytes());
        let n_values = n_mels * self.segments.n_written();
        let mut rows = Rows::default();
        let mut first = 0;
        for WaitingBlock { file, first_long, n_long, starts, .. } in blocks {
            self.encode(&mels[first..][..starts.len() * n_values]);
            first += starts.len() * n_values;
            rows.clear();
            rows.push_long(&self.options, first_long, n_long, &mut |start, features| {
                // Rows that share a segment are copies of the same bytes.
                let at = starts.binary_search(&start).unwrap_or_default() * row_bytes;
                features.extend_from_slice(&self.encoded[at..at + row_bytes]);
            });
            take(file, &rows)?;
        }
        Ok(())
    }

    /// Encodes mels of segments as they are stored, into `encoded`.
    fn encode(&mut self, mels: &[f32]) {
        let (n_mels, n_frames) = (self.segments.n_mels, self.segments.n_written());
        self.encoded.clear();
        for of_segment in mels.chunks_exact(n_mels * n_frames) {
            let value = |at: usize| self.options.log.value(of_segment[at % n_frames * n_mels + at / n_frames]);
            self.by_frame.clear();
            self.by_frame.extend((0..n_mels * n_frames).map(value));
            self.options.dtype.push(&self.by_frame, &mut self.encoded);
        }
    }
}
