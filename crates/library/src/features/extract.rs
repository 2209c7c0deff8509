//! Features of sounds, computed on the CPU or a device.

use super::options::{FeatureEngine, FeatureOptions, Reduce};
use super::rows::{Rows, TakeRows, place_of, starts_of};
use super::samples::{SampleReader, n_samples_at};
use super::segment_batch::SegmentBatch;
use crate::base::{Progress, Result, trace};
use crate::dsp::mels::mel::MelBank;
use crate::dsp::mels::segments::SegmentSpectra;
use crate::engine::Engine;
use crate::library::batches::{BatchCounts, BatchLimits};
use crate::media::Source;
use std::time::Instant;

/// Number of long segments analysed at a time, which limits the memory for a sound of any length.
const LONG_AT_ONCE: usize = 128;

/// Properties of an analysed sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Extracted {
    /// Sample rate of the file in hertz.
    pub sample_rate_hz: u32,
    /// Number of channels of the file.
    pub n_channels: usize,
    /// Number of samples per channel of the file.
    pub n_samples: u64,
    /// Whether it was zero-padded, since it is shorter than the length taken per file.
    pub is_padded: bool,
    /// Whether its end was cut.
    pub is_cut: bool,
    /// Number of samples above +120 dBFS, which were limited. The log stores the notice instead.
    #[serde(skip)]
    pub n_limited: u64,
}

impl Extracted {
    /// The notice about limited samples.
    pub fn notice(&self) -> Option<String> {
        let samples = if self.n_limited == 1 { "sample is" } else { "samples are" };
        let n = self.n_limited;
        (n > 0).then(|| format!("{n} {samples} over 1,000,000 times full scale and read as that"))
    }
}

/// A file of a run.
#[derive(Debug, Clone, Copy)]
pub struct FeatureFile {
    /// Number of the file, passed along with its rows.
    pub number: usize,
    /// Number of rows of the file.
    pub n_rows: u64,
}

/// Computes the features of sounds in order, on one thread.
pub struct Extractor {
    options: FeatureOptions,
    bank: MelBank,
    /// Spectra for blocks of [`LONG_AT_ONCE`] long segments, or for a whole file of fixed length.
    spectra: SegmentSpectra,
    /// Computes the spectra on a device, if there is one.
    device: Option<SegmentBatch>,
    block: Vec<f32>,
    power: Vec<f32>,
    mels: Vec<f32>,
    /// Values with mels as rows and frames as columns.
    by_frame: Vec<f32>,
    encoded: Vec<u8>,
    used: BatchCounts,
}

impl Extractor {
    /// Prepares tables. The options must be valid, and `engine` must be the one they select.
    pub fn new(options: &FeatureOptions, engine: &Engine, limits: BatchLimits) -> Extractor {
        let here = Extractor::here(options);
        let is_on_device = options.engine == FeatureEngine::Gpu;
        let device = is_on_device.then(|| SegmentBatch::new(options, engine, &here.bank, limits));
        Extractor { device, ..here }
    }

    /// An extractor for the CPU.
    fn here(options: &FeatureOptions) -> Extractor {
        let n_long = options.samples.map_or(LONG_AT_ONCE, |samples| options.n_long(samples)).min(LONG_AT_ONCE);
        Extractor {
            bank: MelBank::new(&options.mel, options.n_fft, f64::from(options.rate_hz)),
            spectra: spectra_of(options, n_long),
            device: None,
            options: options.clone(),
            block: Vec::new(),
            power: Vec::new(),
            mels: Vec::new(),
            by_frame: Vec::new(),
            encoded: Vec::new(),
            used: BatchCounts::default(),
        }
    }

    /// Memory for one sound in addition to its samples: a block at the features' rate, and its spectra.
    pub fn block_bytes(options: &FeatureOptions) -> u64 {
        let n_long = options.samples.map_or(LONG_AT_ONCE, |samples| options.n_long(samples)).min(LONG_AT_ONCE);
        let n_samples = n_long.saturating_sub(1).saturating_mul(options.long[1]).saturating_add(options.long[0]) as u64;
        let n_frames = n_samples / options.hop as u64 + 1;
        let of_samples = n_samples.saturating_mul(size_of::<f32>() as u64);
        of_samples.saturating_add(n_frames.saturating_mul((options.segment().n_bins() * size_of::<f64>()) as u64))
    }

    /// Rebuilds the tables after a panic. Segments waiting for a device are intact, since reading never changes them.
    pub fn renew(&mut self) {
        let device = self.device.take();
        *self = Extractor { device, ..Extractor::here(&self.options) };
    }

    /// Returns the engine's counts since the last call.
    pub fn take_use(&mut self) -> BatchCounts {
        let mut used = std::mem::take(&mut self.used);
        if let Some(batch) = &mut self.device {
            used.merge(&batch.take_use());
        }
        used
    }

    /// Computes the segments waiting for a device.
    ///
    /// # Errors
    /// Errors of the device and of `take`.
    pub fn flush(&mut self, take: &mut TakeRows<'_>) -> Result<()> {
        self.device.as_mut().map_or(Ok(()), |batch| batch.compute(take))
    }

    /// Drops waiting segments of the file read last.
    pub fn forget(&mut self, number: usize) {
        if let Some(batch) = &mut self.device {
            batch.forget(number);
        }
    }

    /// Reads a file's sound and passes its rows to `take` in blocks; with a device possibly later, together with other
    /// files. Passes none if the sound has a different number of rows than `file`. Returns its properties and its
    /// actual number of rows.
    ///
    /// # Errors
    /// One sentence about the file; [`Cancelled`](crate::base::ErrorKind::Cancelled); errors of `take` and of the
    /// device.
    pub fn sound(
        &mut self,
        source: &Source,
        file: FeatureFile,
        progress: &Progress,
        take: &mut TakeRows<'_>,
    ) -> Result<(Extracted, u64)> {
        let [length, step] = self.options.long;
        let n_there = n_samples_at(source, self.options.rate_hz);
        let n_wanted = self.options.samples.map_or(n_there.max(length as u64), |samples| samples as u64);
        let mut reader = SampleReader::new(source, self.options.channel, self.options.rate_hz)?;
        let n_long = (n_wanted - length as u64) / step as u64 + 1;
        let n_rows = n_long * self.options.n_short() as u64;
        let mut rows = Rows::default();
        self.block.clear();
        let mut first_long = 0;
        while first_long < n_long {
            progress.check()?;
            let n_now = usize::try_from(n_long - first_long).unwrap_or(LONG_AT_ONCE).min(LONG_AT_ONCE);
            let needed = length + (n_now - 1) * step;
            // Samples that the previous block shares with this one are kept.
            let missing = needed.saturating_sub(self.block.len());
            reader.read(missing, &mut self.block)?;
            self.block.resize(needed.max(self.block.len()), 0.0);
            if n_rows == file.n_rows {
                self.take_block(file.number, (first_long, n_now), &mut rows, take)?;
            }
            let n_done = (n_now * step).min(self.block.len());
            self.block.drain(..n_done);
            if n_now * step > needed {
                // Samples in the gap between segments are skipped.
                let mut gap = Vec::new();
                reader.read(n_now * step - needed, &mut gap)?;
            }
            first_long += n_now as u64;
        }
        let info = source.info();
        let extracted = Extracted {
            sample_rate_hz: info.sample_rate_hz,
            n_channels: info.n_channels,
            n_samples: info.n_samples,
            is_padded: n_there < n_wanted,
            is_cut: n_there > n_wanted && self.options.samples.is_some(),
            n_limited: reader.n_limited(),
        };
        Ok((extracted, n_rows))
    }

    /// Computes the long segments in the block, or queues them for a device.
    fn take_block(
        &mut self,
        number: usize,
        (first_long, n_long): (u64, usize),
        rows: &mut Rows,
        take: &mut TakeRows<'_>,
    ) -> Result<()> {
        if let Some(batch) = &mut self.device {
            let [length, step] = self.options.long;
            batch.add(number, first_long, n_long, &self.block[..length + (n_long - 1) * step]);
            return if batch.is_full() { batch.compute(take) } else { Ok(()) };
        }
        rows.clear();
        self.rows_of(first_long, n_long, rows);
        take(number, rows)
    }

    /// The rows of an unreadable sound: those of silence.
    pub fn silence(&self, n_rows: u64, rows: &mut Rows) {
        let [n_mels, n_frames] = self.options.row_shape();
        let silent = vec![self.options.log.value(0.0); n_mels * n_frames];
        for row in 0..n_rows {
            self.options.dtype.push(&silent, &mut rows.features);
            let n_short = self.options.n_short();
            rows.places.push(place_of(&self.options, row / n_short as u64, row as usize % n_short));
        }
    }

    /// The rows of the long segments in the block.
    fn rows_of(&mut self, first_long: u64, n_long: usize, rows: &mut Rows) {
        let starts = starts_of(&self.options, n_long);
        let _span = trace::span("STFT");
        let began = Instant::now();
        if self.spectra.starts() != starts {
            self.spectra = spectra_of(&self.options, n_long);
        }
        let (options, row_bytes) = (self.options.clone(), self.options.row_bytes());
        let n_bins = self.options.segment().n_bins();
        if self.options.reduce == Reduce::Mean {
            self.spectra.mean_power(&self.block, &mut self.power);
            self.apply_bank(starts.len(), n_bins);
            self.encoded.clear();
            self.options.dtype.push(&self.mels, &mut self.encoded);
        }
        rows.push_long(&options, first_long, n_long, &mut |start, features| match options.reduce {
            // Rows that share a segment are copies of the same bytes.
            Reduce::Mean => {
                let at = starts.binary_search(&start).unwrap_or_default() * row_bytes;
                features.extend_from_slice(&self.encoded[at..at + row_bytes]);
            }
            Reduce::Frames => self.push_frames(start, n_bins, features),
        });
        self.used.add(1, began.elapsed());
    }

    /// Appends the stored mels of `n` spectra.
    fn apply_bank(&mut self, n: usize, n_bins: usize) {
        let n_mels = self.bank.n_mels();
        self.mels.resize(n * n_mels, 0.0);
        for (power, mels) in self.power.chunks_exact(n_bins).zip(self.mels.chunks_exact_mut(n_mels)) {
            self.bank.apply(power, mels);
            mels.iter_mut().for_each(|value| *value = self.options.log.value(*value));
        }
    }

    /// Appends all frames of one segment, with mels as rows and frames as columns.
    fn push_frames(&mut self, start: usize, n_bins: usize, features: &mut Vec<u8>) {
        let segment = &self.block[start..start + self.options.short[0]];
        self.spectra.power_by_frame(segment, &mut self.power);
        let n_frames = self.options.segment().n_frames();
        self.apply_bank(n_frames, n_bins);
        let n_mels = self.bank.n_mels();
        self.by_frame.clear();
        for mel in 0..n_mels {
            self.by_frame.extend((0..n_frames).map(|frame| self.mels[frame * n_mels + mel]));
        }
        self.options.dtype.push(&self.by_frame, features);
    }
}

fn spectra_of(options: &FeatureOptions, n_long: usize) -> SegmentSpectra {
    SegmentSpectra::new(options.segment(), starts_of(options, n_long))
}
