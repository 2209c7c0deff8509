//! Windows of samples on the device: put together from pages of stored sounds, or uploaded.

use crate::base::Result;
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, groups_of_256, uniform, words};
use crate::gpu::buffers::arena::{PageCounts, PageWanted};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::layout::MixedHalves;
use crate::gpu::shaders::Program;
use crate::gpu::stored::{SampleSource, SignalMix, StoredRun, StoredSamples, StoredSound};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Maximum number of samples of a window; longer ranges are divided.
const MAX_WINDOW: usize = 1 << 24;

/// Maximum number of copies into a window. Sound in more parts is read and uploaded instead.
const MAX_COPIES: usize = 1024;

/// Samples on the device.
#[derive(Debug, Clone)]
pub(in crate::gpu) struct SampleWindow {
    pub lease: Lease,
    /// Number of samples.
    pub n: usize,
}

/// Samples that passes read: on the device as a whole, unless they are too many.
pub(in crate::gpu) struct SampleWindows<'a> {
    source: SampleSource<'a>,
    whole: Option<SampleWindow>,
}

impl SampleWindows<'_> {
    /// A window that has a range of the samples, and where in it the range begins.
    ///
    /// # Errors
    /// As [`Gpu::windows`].
    pub fn at(&self, gpu: &Gpu, batch: &mut Batch<'_>, range: Range<usize>) -> Result<(SampleWindow, usize)> {
        match &self.whole {
            Some(whole) => Ok((whole.clone(), range.start)),
            None => Ok((gpu.window(batch, &self.source.part(range))?, 0)),
        }
    }
}

impl Gpu {
    /// Sets how many bytes of pages of sounds are kept on the device, 64 MB by default. 0 keeps none: samples are then
    /// uploaded wherever they are analysed.
    pub fn set_page_budget(&self, n_bytes: u64) {
        self.arena.set_budget(n_bytes);
    }

    /// Counts of the pages of sounds on the device.
    pub fn page_counts(&self) -> PageCounts {
        self.arena.counts()
    }

    /// Number of bytes of samples uploaded so far to be analysed, in pages or not.
    pub fn sample_bytes_uploaded(&self) -> u64 {
        self.n_sample_bytes.load(Relaxed)
    }

    /// Samples for passes to read.
    ///
    /// # Errors
    /// Read errors of a stored sound; [`Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub(in crate::gpu) fn windows<'a>(
        &self,
        batch: &mut Batch<'_>,
        source: SampleSource<'a>,
    ) -> Result<SampleWindows<'a>> {
        let max = MAX_WINDOW.min((self.pool.largest_bytes() / 4) as usize);
        let is_whole = source.n_samples() <= max;
        let whole = is_whole.then(|| self.window(batch, &source)).transpose()?;
        Ok(SampleWindows { source, whole })
    }

    fn window(&self, batch: &mut Batch<'_>, source: &SampleSource<'_>) -> Result<SampleWindow> {
        let n = source.n_samples();
        let SampleSource::Stored { sound, first, .. } = source else { return self.uploaded_window(source) };
        let channels: &[usize] = match sound.mix() {
            SignalMix::Channel(channel) => &[channel],
            SignalMix::Halves { .. } => &[0, 1],
        };
        let is_large = 4 * (n * channels.len()) as u64 > self.arena.budget_bytes() / 2;
        if is_large {
            return self.uploaded_window(source);
        }
        let samples = *first..*first + n as i64;
        let runs: Vec<Vec<StoredRun>> = channels.iter().map(|channel| sound.runs(*channel, samples.clone())).collect();
        if runs.iter().any(|runs| runs.len() > MAX_COPIES) {
            return self.uploaded_window(source);
        }
        let gathered =
            |(channel, runs): (&usize, &Vec<StoredRun>)| self.gathered(batch, *sound, *channel, *first, runs);
        let leases = channels.iter().zip(&runs).map(gathered).collect::<Result<Vec<Lease>>>()?;
        if let (SignalMix::Halves { sign }, [left, right]) = (sound.mix(), &leases[..]) {
            let parameters = MixedHalves { n_samples: n as u32, sign };
            batch.dispatch(
                Program::file("mid_side", "mid_side"),
                &[(0, uniform(&parameters)), (1, words(left, n)), (2, words(right, n))],
                groups_of_256(n),
            )?;
        }
        let lease = leases.into_iter().next().map_or_else(|| self.lease(n), Ok)?;
        Ok(SampleWindow { lease, n })
    }

    /// A window of samples that are uploaded for it alone.
    fn uploaded_window(&self, source: &SampleSource<'_>) -> Result<SampleWindow> {
        let samples = source.in_ram()?;
        self.n_sample_bytes.fetch_add(size_of_val(&samples[..]) as u64, Relaxed);
        Ok(SampleWindow { lease: self.uploaded(&samples)?, n: samples.len() })
    }

    /// Samples of a channel from `first` on, put together from runs.
    fn gathered(
        &self,
        batch: &mut Batch<'_>,
        sound: &dyn StoredSound,
        channel: usize,
        first: i64,
        runs: &[StoredRun],
    ) -> Result<Lease> {
        let window = self.lease(runs.iter().map(|run| run.n).sum())?;
        let mut at = 0;
        for StoredRun { n, samples } in runs {
            let [to, n_bytes] = [4 * at as u64, 4 * *n as u64];
            match samples {
                StoredSamples::Silence => batch.clear_from(&window, at, *n),
                StoredSamples::Page(page, from) => {
                    let wanted = PageWanted { page, samples: *from..from + n };
                    let page = self.arena.page(&wanted, (&self.pool, &self.memory, self.queue()), |out| {
                        let is_final = sound.read_page(channel, page, out)?;
                        self.n_sample_bytes.fetch_add(size_of_val(out) as u64, Relaxed);
                        Ok(is_final)
                    })?;
                    batch.copy(&page, 4 * *from as u64, &window, to, n_bytes);
                }
                StoredSamples::Unsettled => {
                    let mut samples = vec![0.0; *n];
                    sound.read_channel(channel, first + at as i64, &mut samples)?;
                    self.n_sample_bytes.fetch_add(n_bytes, Relaxed);
                    batch.copy(&self.uploaded(&samples)?, 0, &window, to, n_bytes);
                }
            }
            at += n;
        }
        Ok(window)
    }
}
