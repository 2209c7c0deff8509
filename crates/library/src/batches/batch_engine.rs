//! Processes items in batches on the chosen engine, or on the one expected to be faster.

use super::counts::BatchCounts;
use super::device::{BatchAttempt, BatchDevice, BatchLimits, is_of_size};
use super::kind::BatchKind;
use super::routes::{KnownRates, MIN_ITEMS, adapter_of, is_for_device};
use crate::base::{EngineChoice, Error, ErrorKind, Progress, Result};
use crate::dsp::comparison::hamming::{HashPair, MAX_RUN_SEARCH_DISTANCE};
use crate::dsp::comparison::hashes::{GreyPicture, HashBatch, PictureHasher, PictureHashes};
use crate::engine::Engine;
use crate::library::describe::{
    Description, PendingDescription, SpectralDescriptors, SpectralSound, begin_description, describe, device_bytes_of,
    spectra_of,
};
use crate::media::Source;
use std::time::{Duration, Instant};

/// Number of hashes below which all pairs are found on the CPU without opening a device.
const FEW_HASHES: usize = 4_096;

/// Engine and limits of batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchOrder {
    /// The engine.
    pub choice: EngineChoice,
    /// The adapter, by number or part of its name.
    pub adapter: Option<String>,
    /// Whether the CPU takes over if the GPU fails; it never does if the user chose the GPU.
    pub may_fall_back: bool,
    /// Maximum number of items per batch, 1 to [`MAX_BATCH`](super::MAX_BATCH).
    pub batch_size: Option<usize>,
    /// Memory of a batch on the device; the default and maximum is a quarter of its largest buffer.
    pub memory_bytes: Option<u64>,
}

impl BatchOrder {
    /// An order for the CPU alone.
    pub fn cpu() -> BatchOrder {
        BatchOrder {
            choice: EngineChoice::Cpu,
            adapter: None,
            may_fall_back: true,
            batch_size: None,
            memory_bytes: None,
        }
    }
}

impl BatchOrder {
    /// The limits of a batch.
    pub fn limits(&self) -> BatchLimits {
        BatchLimits { items: self.batch_size, bytes: self.memory_bytes }
    }
}

/// Processes items on an engine: one result each, in order.
type BatchWork<'w, I, O> = dyn FnMut(&Engine, &[I]) -> Result<Vec<O>> + 'w;

/// A device for batches, with its adapter.
#[derive(Debug)]
struct OpenDevice {
    device: BatchDevice,
    adapter: String,
    is_real: bool,
}

impl OpenDevice {
    fn new(engine: &Engine, order: &BatchOrder) -> Option<OpenDevice> {
        let gpu = engine.gpu()?;
        // If the user chose the GPU, the CPU must not take over.
        gpu.set_may_fall_back(order.may_fall_back && order.choice != EngineChoice::Gpu);
        let device = BatchDevice::new(engine, order.limits(), u64::MAX);
        Some(OpenDevice { adapter: adapter_of(gpu), is_real: gpu.summary().is_real(), device })
    }
}

/// Processes items in batches, and counts them. The device is opened once a job is large enough to profit from it.
#[derive(Debug)]
pub struct BatchEngine {
    order: BatchOrder,
    device: Option<OpenDevice>,
    is_settled: bool,
    n_threads: usize,
    known: KnownRates,
    cpu: Engine,
    counts: [BatchCounts; 2],
}

impl BatchEngine {
    /// An engine for an order; opens the device if the order names the GPU.
    ///
    /// # Errors
    /// [`ErrorKind::Gpu`] if the order names the GPU and none can be used.
    pub fn new(order: &BatchOrder, known: KnownRates) -> Result<BatchEngine> {
        let engine = match order.choice {
            EngineChoice::Gpu => Some(Engine::choose(EngineChoice::Gpu, order.adapter.as_deref())?.engine),
            EngineChoice::Auto | EngineChoice::Cpu => None,
        };
        let is_settled = order.choice != EngineChoice::Auto;
        Ok(BatchEngine { is_settled, ..BatchEngine::on(engine, order, known) })
    }

    /// An engine for the CPU alone.
    pub fn cpu() -> BatchEngine {
        BatchEngine::on(None, &BatchOrder::cpu(), KnownRates::default())
    }

    /// An engine on an open device, or on none.
    pub fn on(engine: Option<Engine>, order: &BatchOrder, known: KnownRates) -> BatchEngine {
        let device = engine.and_then(|engine| OpenDevice::new(&engine, order));
        let counts = Default::default();
        let (order, cpu) = (order.clone(), Engine::cpu());
        BatchEngine { order, device, is_settled: true, n_threads: 1, known, cpu, counts }
    }

    /// Treats a software adapter like a hardware one, for tests.
    #[must_use]
    pub fn trusting(mut self) -> BatchEngine {
        self.device.iter_mut().for_each(|device| device.is_real = true);
        self
    }

    /// Expects `n_threads` CPU threads to process other items in parallel.
    #[must_use]
    pub fn beside_threads(mut self, n_threads: usize) -> BatchEngine {
        self.n_threads = n_threads;
        self
    }

    /// Opens the device unless that was tried before. Returns whether there is one; without one the CPU does all the
    /// work.
    pub fn has_device(&mut self) -> bool {
        if !self.is_settled {
            self.is_settled = true;
            match Engine::choose(EngineChoice::Auto, self.order.adapter.as_deref()) {
                Ok(chosen) => self.device = OpenDevice::new(&chosen.engine, &self.order),
                Err(error) => tracing::warn!(%error, "batches on the CPU"),
            }
        }
        self.device.is_some()
    }

    /// Whether a job of `n_items` may run on a device: always if the user chose the GPU; otherwise if the job is large
    /// enough and a device can be opened.
    pub fn is_worth_checking(&mut self, n_items: usize) -> bool {
        self.is_requested() || self.order.choice == EngineChoice::Auto && n_items >= MIN_ITEMS && self.has_device()
    }

    /// Whether the user chose the GPU, which is then open.
    pub fn is_requested(&self) -> bool {
        self.order.choice == EngineChoice::Gpu
    }

    /// Whether a large job of this kind runs on the device, which is opened if necessary.
    pub fn takes(&mut self, kind: BatchKind) -> bool {
        self.has_device() && self.is_for_device(kind, usize::MAX)
    }

    /// Maximum useful batch size.
    pub fn max_items(&self) -> usize {
        self.device.as_ref().map_or(1, |open| open.device.max_items())
    }

    /// The counts since the last call, on the CPU and on the GPU.
    pub fn take_counts(&mut self) -> [BatchCounts; 2] {
        std::mem::take(&mut self.counts)
    }

    /// Counts items that other threads processed on the CPU, each as a batch of its own.
    pub fn note_each_on_cpu(&mut self, times: impl IntoIterator<Item = Duration>) {
        times.into_iter().for_each(|took| self.counts[0].add(1, took));
    }

    /// Counts all pairs of `n_pictures` that other threads compared on the CPU in one step.
    pub fn note_pairs_on_cpu(&mut self, n_pictures: usize, took: Duration) {
        self.counts[0].add(n_pairs(n_pictures), took);
    }

    /// The hashes of each picture, in order. `n_expected` is the number in the whole job, as far as known.
    pub fn picture_hashes(
        &mut self,
        hasher: &mut PictureHasher,
        pictures: &[&GreyPicture],
        n_expected: usize,
    ) -> Vec<Result<PictureHashes>> {
        let mut work = |engine: &Engine, pictures: &[&GreyPicture]| engine.picture_hashes(hasher, pictures);
        self.in_batches(BatchKind::Picture, pictures, n_expected, &|picture| HashBatch::bytes_of(picture), &mut work)
    }

    /// The spectral descriptors of each sound, in order. `n_expected` is the number in the whole job, as far as known.
    pub fn spectra(&mut self, sounds: &[SpectralSound<'_>], n_expected: usize) -> Vec<Result<SpectralDescriptors>> {
        let mut work = |engine: &Engine, sounds: &[SpectralSound<'_>]| spectra_of(engine, sounds);
        self.in_batches(BatchKind::Describe, sounds, n_expected, &device_bytes_of, &mut work)
    }

    /// The description of a sound, with spectra on the device if the user chose the GPU.
    ///
    /// # Errors
    /// Errors of [`describe`] and of a chosen device.
    pub fn describe(&mut self, source: &Source, progress: &Progress) -> Result<Description> {
        if !self.is_requested() {
            return describe(source, progress);
        }
        match begin_description(source, progress)? {
            PendingDescription::Done(description) => Ok(*description),
            PendingDescription::Prepared(prepared) => {
                let measured = self.spectra(&[prepared.sound()], 1).pop();
                Ok(prepared.finished(measured.unwrap_or_else(lost_item)?))
            }
        }
    }

    fn is_for_device(&self, kind: BatchKind, n_items: usize) -> bool {
        let Some(device) = &self.device else { return false };
        let known = self.known.get(kind, &device.adapter);
        // The CPU's rate of pairs is that of all threads.
        let n_threads = if kind == BatchKind::HashPairs { 1 } else { self.n_threads };
        is_for_device(self.order.choice, device.is_real, kind, n_items, n_threads, known)
    }

    fn in_batches<I, O>(
        &mut self,
        kind: BatchKind,
        items: &[I],
        n_expected: usize,
        bytes_of: &dyn Fn(&I) -> u64,
        work: &mut BatchWork<'_, I, O>,
    ) -> Vec<Result<O>> {
        let mut done = Vec::with_capacity(items.len());
        let n_expected = n_expected.max(items.len());
        if self.order.choice == EngineChoice::Gpu || n_expected >= MIN_ITEMS {
            self.has_device();
        }
        let is_for_device = self.is_for_device(kind, n_expected);
        while done.len() < items.len() {
            let rest = &items[done.len()..];
            match &mut self.device {
                Some(OpenDevice { device, .. }) if is_for_device => {
                    let n = device.next(rest.iter().map(bytes_of)).min(rest.len());
                    match device.attempt(n, &mut self.counts[1], |engine| work(engine, &rest[..n])) {
                        BatchAttempt::Done(results) => done.extend(results.into_iter().map(Ok)),
                        BatchAttempt::Halved => {}
                        BatchAttempt::Failed(error) => self.give_in(&error, &rest[..n], work, &mut done),
                    }
                }
                _ => {
                    self.on_cpu(rest, work, &mut done);
                }
            }
        }
        done
    }

    fn on_cpu<I, O>(&mut self, items: &[I], work: &mut BatchWork<'_, I, O>, done: &mut Vec<Result<O>>) {
        let began = Instant::now();
        match work(&self.cpu, items) {
            Ok(results) => done.extend(results.into_iter().map(Ok)),
            Err(error) => done.extend(items.iter().map(|_| Err(error.clone()))),
        }
        self.counts[0].add(items.len(), began.elapsed());
    }

    /// Handles a failure that smaller batches cannot avoid: the CPU takes over the item that is too large, or
    /// everything if the device is lost. If that is not allowed, these items get the error.
    fn give_in<I, O>(&mut self, error: &Error, batch: &[I], work: &mut BatchWork<'_, I, O>, done: &mut Vec<Result<O>>) {
        let Some(gpu) = self.device.as_ref().and_then(|open| open.device.engine.gpu()).cloned() else { return };
        if let Err(error) = gpu.leave_to_cpu(error) {
            done.extend(batch.iter().map(|_| Err(error.clone())));
            return;
        }
        self.counts[1].fallbacks += batch.len() as u64;
        if !is_of_size(error) {
            self.device = None;
        }
        self.on_cpu(batch, work, done);
    }

    /// All pairs of hashes that differ in at most `max` bits; see
    /// [`pairs_within`](crate::dsp::comparison::hamming::pairs_within).
    ///
    /// # Errors
    /// Errors of a chosen device.
    pub fn hash_pairs(&mut self, hashes: &[u64], max: u32) -> Result<Vec<HashPair>> {
        // For small distances the CPU searches by runs of bits, and compares so few pairs that no device is faster.
        let is_quick = hashes.len() < FEW_HASHES || max <= MAX_RUN_SEARCH_DISTANCE;
        if self.order.choice == EngineChoice::Cpu || self.order.choice == EngineChoice::Auto && is_quick {
            return self.pairs_on_cpu(hashes, max);
        }
        self.has_device();
        let is_for_device = self.is_for_device(BatchKind::HashPairs, hashes.len());
        let Some(open) = self.device.as_ref().filter(|_| is_for_device) else {
            return self.pairs_on_cpu(hashes, max);
        };
        let (began, n_compared) = (Instant::now(), n_pairs(hashes.len()));
        let (pairs, failure) = open.device.engine.attempt(|engine, _| engine.hash_pairs(hashes, max))?;
        let is_on_cpu = failure.is_some();
        self.counts[usize::from(!is_on_cpu)].add(n_compared, began.elapsed());
        self.counts[1].fallbacks += if is_on_cpu { n_compared as u64 } else { 0 };
        Ok(pairs)
    }

    fn pairs_on_cpu(&mut self, hashes: &[u64], max: u32) -> Result<Vec<HashPair>> {
        let began = Instant::now();
        let pairs = self.cpu.hash_pairs(hashes, max)?;
        self.counts[0].add(n_pairs(hashes.len()), began.elapsed());
        Ok(pairs)
    }
}

/// Number of pairs of distinct hashes, the items of a comparison.
fn n_pairs(n_hashes: usize) -> usize {
    n_hashes * n_hashes.saturating_sub(1) / 2
}

/// The result of an item lost by a batch.
pub fn lost_item<T>() -> Result<T> {
    Err(Error::new(ErrorKind::Internal, "a batch has no result for this one"))
}
