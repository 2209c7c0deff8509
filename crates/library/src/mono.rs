//! A sound as one channel at a given rate, which can be read repeatedly.

use super::features::ChannelChoice;
use super::features::samples::{SampleReader, n_samples_at};
use crate::base::{Progress, Result};
use crate::media::Source;

/// Samples read at a time.
const BLOCK_SAMPLES: usize = 1 << 16;
/// Maximum number of samples held in memory; longer sounds are resampled again on each reading.
pub const MAX_CACHED_SAMPLES: u64 = 1 << 24;

/// The mean of a sound's channels at one rate. Samples that are not finite count as 0.
pub struct MonoSound<'a> {
    source: &'a Source,
    rate_hz: u32,
    kept: Option<Vec<f32>>,
}

impl<'a> MonoSound<'a> {
    /// A sound that may be read repeatedly.
    ///
    /// # Errors
    /// If the sound cannot be resampled to the rate; read errors; cancelled.
    pub fn new(source: &'a Source, rate_hz: u32, progress: &Progress) -> Result<MonoSound<'a>> {
        let mut sound = MonoSound::passing(source, rate_hz);
        if sound.n_samples() <= MAX_CACHED_SAMPLES {
            let mut kept = Vec::with_capacity(sound.n_samples() as usize);
            sound.each_block(progress, &mut |block| kept.extend_from_slice(block))?;
            sound.kept = Some(kept);
        }
        Ok(sound)
    }

    /// A sound that is read only once, so that its samples are not kept.
    pub fn passing(source: &'a Source, rate_hz: u32) -> MonoSound<'a> {
        MonoSound { source, rate_hz, kept: None }
    }

    /// Its samples, if kept.
    pub fn kept(&self) -> Option<&[f32]> {
        self.kept.as_deref()
    }

    /// Takes out its samples, if kept.
    pub fn into_cached(self) -> Option<Vec<f32>> {
        self.kept
    }

    /// Whether it is known to be silent throughout, without reading it.
    pub fn is_silent(&self) -> bool {
        self.source.silent_until(0) >= self.source.info().n_samples
    }

    /// Number of samples at the rate.
    pub fn n_samples(&self) -> u64 {
        n_samples_at(self.source, self.rate_hz)
    }

    /// Passes all samples in order, in blocks.
    ///
    /// # Errors
    /// As [`new`](MonoSound::new).
    pub fn each_block(&self, progress: &Progress, take: &mut dyn FnMut(&[f32])) -> Result<()> {
        if let Some(kept) = &self.kept {
            for block in kept.chunks(BLOCK_SAMPLES) {
                progress.check()?;
                take(block);
            }
            return Ok(());
        }
        let mut reader = SampleReader::new(self.source, ChannelChoice::Mix, self.rate_hz)?;
        let mut block = Vec::with_capacity(BLOCK_SAMPLES);
        loop {
            progress.check()?;
            block.clear();
            reader.read(BLOCK_SAMPLES, &mut block)?;
            if block.is_empty() {
                return Ok(());
            }
            block.iter_mut().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
            take(&block);
        }
    }
}
