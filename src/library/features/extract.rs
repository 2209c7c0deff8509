//! Features of one sound.

use super::options::{FeatureEngine, FeatureOptions, Reduce};
use super::samples::{SampleReader, n_samples_at};
use super::status::EngineUse;
use crate::base::{Progress, Result};
use crate::dsp::mel::MelBank;
use crate::dsp::segment_mels::SegmentMels;
use crate::dsp::segments::SegmentSpectra;
use crate::engine::Engine;
use crate::media::Source;
use std::time::Instant;

/// Long segments analysed at once: the memory of a sound of any length is bounded by theirs.
const LONG_AT_ONCE: usize = 128;

/// What one sound gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Extracted {
    /// Its own sample rate.
    pub sample_rate_hz: u32,
    /// Its channels.
    pub n_channels: usize,
    /// Its samples per channel.
    pub n_samples: u64,
    /// It was shorter than what is taken of each file.
    pub is_padded: bool,
    /// It was longer.
    pub is_cut: bool,
}

/// Rows of features and of the table beside them, in order.
#[derive(Debug, Default)]
pub struct Rows {
    /// The values, as they are stored.
    pub features: Vec<u8>,
    /// Of each row: long segment, short segment, first sample.
    pub places: Vec<[u64; 3]>,
}

impl Rows {
    /// Forgets the rows and keeps their memory.
    pub fn clear(&mut self) {
        self.features.clear();
        self.places.clear();
    }
}

/// Computes features of one sound after the other, on one thread.
pub struct Extractor {
    options: FeatureOptions,
    bank: MelBank,
    /// For blocks of [`LONG_AT_ONCE`] long segments, or of all that a file of fixed length has.
    spectra: SegmentSpectra,
    /// The same on a device.
    device: Option<(Engine, SegmentMels)>,
    block: Vec<f32>,
    power: Vec<f32>,
    mels: Vec<f32>,
    /// Mels outside, frames inside.
    by_frame: Vec<f32>,
    encoded: Vec<u8>,
    used: EngineUse,
}

impl Extractor {
    /// Makes tables ready. The options are valid, and the engine is the one that they name.
    pub fn new(options: &FeatureOptions, engine: &Engine) -> Extractor {
        let bank = MelBank::new(&options.mel, options.n_fft, f64::from(options.rate_hz));
        let n_long = options.samples.map_or(LONG_AT_ONCE, |samples| options.n_long(samples)).min(LONG_AT_ONCE);
        let device = (options.engine == FeatureEngine::Gpu).then(|| {
            let by_frame = options.reduce == Reduce::Frames;
            (engine.clone(), SegmentMels::new(options.segment(), &starts_of(options, n_long), &bank, by_frame))
        });
        Extractor {
            bank,
            spectra: spectra_of(options, n_long),
            device,
            options: options.clone(),
            block: Vec::new(),
            power: Vec::new(),
            mels: Vec::new(),
            by_frame: Vec::new(),
            encoded: Vec::new(),
            used: EngineUse::default(),
        }
    }

    /// Bytes that one sound takes beside its own samples: a block of it at the features' rate, and the spectra of that.
    pub fn block_bytes(options: &FeatureOptions) -> u64 {
        let n_long = options.samples.map_or(LONG_AT_ONCE, |samples| options.n_long(samples)).min(LONG_AT_ONCE);
        let n_samples = n_long.saturating_sub(1).saturating_mul(options.long[1]).saturating_add(options.long[0]) as u64;
        let n_frames = n_samples / options.hop as u64 + 1;
        let of_samples = n_samples.saturating_mul(size_of::<f32>() as u64);
        of_samples.saturating_add(n_frames.saturating_mul((options.segment().n_bins() * size_of::<f64>()) as u64))
    }

    /// What the engine did since this was last asked.
    pub fn take_use(&mut self) -> EngineUse {
        std::mem::take(&mut self.used)
    }

    /// The rows of a sound, given to `take` in blocks.
    ///
    /// # Errors
    /// One sentence about the file; [`Cancelled`](crate::base::ErrorKind::Cancelled); errors of `take`; those of the
    /// device.
    pub fn sound(
        &mut self,
        source: &Source,
        progress: &Progress,
        take: &mut dyn FnMut(&Rows) -> Result<()>,
    ) -> Result<Extracted> {
        let [length, step] = self.options.long;
        let n_there = n_samples_at(source, self.options.rate_hz);
        let n_wanted = self.options.samples.map_or(n_there.max(length as u64), |samples| samples as u64);
        let mut reader = SampleReader::new(source, self.options.channel, self.options.rate_hz)?;
        let n_long = (n_wanted - length as u64) / step as u64 + 1;
        let mut rows = Rows::default();
        self.block.clear();
        let mut first_long = 0;
        while first_long < n_long {
            progress.check()?;
            let n_now = usize::try_from(n_long - first_long).unwrap_or(LONG_AT_ONCE).min(LONG_AT_ONCE);
            let needed = length + (n_now - 1) * step;
            // What the block before held of these is kept.
            let missing = needed.saturating_sub(self.block.len());
            reader.read(missing, &mut self.block)?;
            self.block.resize(needed.max(self.block.len()), 0.0);
            self.rows_of(first_long, n_now, &mut rows)?;
            take(&rows)?;
            rows.clear();
            let n_done = (n_now * step).min(self.block.len());
            self.block.drain(..n_done);
            if n_now * step > needed {
                // Segments with gaps between them: what lies in the gap is read past.
                let mut gap = Vec::new();
                reader.read(n_now * step - needed, &mut gap)?;
            }
            first_long += n_now as u64;
        }
        let info = source.info();
        Ok(Extracted {
            sample_rate_hz: info.sample_rate_hz,
            n_channels: info.n_channels,
            n_samples: info.n_samples,
            is_padded: n_there < n_wanted,
            is_cut: n_there > n_wanted && self.options.samples.is_some(),
        })
    }

    /// The rows of a sound that cannot be read, all of silence.
    pub fn silence(&self, n_rows: u64, rows: &mut Rows) {
        let [n_mels, n_frames] = self.options.row_shape();
        let silent = vec![self.options.log.value(0.0); n_mels * n_frames];
        for row in 0..n_rows {
            self.options.dtype.push(&silent, &mut rows.features);
            rows.places.push(self.place(row / self.options.n_short() as u64, row as usize % self.options.n_short()));
        }
    }

    fn place(&self, long: u64, short: usize) -> [u64; 3] {
        [long, short as u64, long * self.options.long[1] as u64 + (short * self.options.short[1]) as u64]
    }

    /// The rows of the long segments that the block holds.
    fn rows_of(&mut self, first_long: u64, n_long: usize, rows: &mut Rows) -> Result<()> {
        let starts = starts_of(&self.options, n_long);
        if self.device.is_some() {
            return self.rows_on_device(first_long, n_long, &starts, rows);
        }
        let began = Instant::now();
        if self.spectra.starts() != starts {
            self.spectra = spectra_of(&self.options, n_long);
        }
        let index_of = |start: usize| starts.binary_search(&start).unwrap_or_default();
        let n_bins = self.options.segment().n_bins();
        if self.options.reduce == Reduce::Mean {
            self.spectra.mean_power(&self.block, &mut self.power);
            self.apply_bank(starts.len(), n_bins);
            // Rows that share a segment are copies of the same bytes.
            self.encoded.clear();
            self.options.dtype.push(&self.mels, &mut self.encoded);
        }
        for long in 0..n_long {
            for short in 0..self.options.n_short() {
                let start = long * self.options.long[1] + short * self.options.short[1];
                match self.options.reduce {
                    Reduce::Mean => {
                        let at = index_of(start) * self.options.row_bytes();
                        rows.features.extend_from_slice(&self.encoded[at..at + self.options.row_bytes()]);
                    }
                    Reduce::Frames => self.push_frames(start, n_bins, rows),
                }
                rows.places.push(self.place(first_long + long as u64, short));
            }
        }
        self.used.add(EngineUse { batches: 1, busy: began.elapsed(), moved_bytes: 0 });
        Ok(())
    }

    /// The same, with the mels of all segments from the device.
    fn rows_on_device(&mut self, first_long: u64, n_long: usize, starts: &[usize], rows: &mut Rows) -> Result<()> {
        let Some((engine, segments)) = &mut self.device else { return Ok(()) };
        segments.starts.clear();
        segments.starts.extend(starts.iter().map(|&start| start as u32));
        let began = Instant::now();
        let mels = engine.segment_mels(segments, &self.block)?;
        let moved_bytes = (size_of_val(self.block.as_slice()) + size_of_val(mels.as_slice())) as u64;
        self.used.add(EngineUse { batches: 1, busy: began.elapsed(), moved_bytes });
        let (n_mels, n_frames) = (segments.n_mels, segments.n_written());
        self.encoded.clear();
        for of_segment in mels.chunks_exact(n_mels * n_frames) {
            // Mels outside, frames inside.
            let value = |at: usize| self.options.log.value(of_segment[at % n_frames * n_mels + at / n_frames]);
            self.by_frame.clear();
            self.by_frame.extend((0..n_mels * n_frames).map(value));
            self.options.dtype.push(&self.by_frame, &mut self.encoded);
        }
        for long in 0..n_long {
            for short in 0..self.options.n_short() {
                let start = long * self.options.long[1] + short * self.options.short[1];
                let at = starts.binary_search(&start).unwrap_or_default() * self.options.row_bytes();
                rows.features.extend_from_slice(&self.encoded[at..at + self.options.row_bytes()]);
                rows.places.push(self.place(first_long + long as u64, short));
            }
        }
        Ok(())
    }

    /// Mels of `n` spectra, as they are written.
    fn apply_bank(&mut self, n: usize, n_bins: usize) {
        let n_mels = self.bank.n_mels();
        self.mels.resize(n * n_mels, 0.0);
        for (power, mels) in self.power.chunks_exact(n_bins).zip(self.mels.chunks_exact_mut(n_mels)) {
            self.bank.apply(power, mels);
            mels.iter_mut().for_each(|value| *value = self.options.log.value(*value));
        }
    }

    /// All frames of one segment: mels outside, frames inside.
    fn push_frames(&mut self, start: usize, n_bins: usize, rows: &mut Rows) {
        let segment = &self.block[start..start + self.options.short[0]];
        self.spectra.power_by_frame(segment, &mut self.power);
        let n_frames = self.options.segment().n_frames();
        self.apply_bank(n_frames, n_bins);
        let n_mels = self.bank.n_mels();
        self.by_frame.clear();
        for mel in 0..n_mels {
            self.by_frame.extend((0..n_frames).map(|frame| self.mels[frame * n_mels + mel]));
        }
        self.options.dtype.push(&self.by_frame, &mut rows.features);
    }
}

/// The first samples of every different short segment of so many long ones, in order.
fn starts_of(options: &FeatureOptions, n_long: usize) -> Vec<usize> {
    let of_long =
        |long: usize| (0..options.n_short()).map(move |short| long * options.long[1] + short * options.short[1]);
    let mut starts: Vec<usize> = (0..n_long).flat_map(of_long).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

fn spectra_of(options: &FeatureOptions, n_long: usize) -> SegmentSpectra {
    SegmentSpectra::new(options.segment(), starts_of(options, n_long))
}
