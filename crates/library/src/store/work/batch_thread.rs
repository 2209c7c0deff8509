//! A thread that does batched work for the analysis threads: hashes of pictures and spectra of sounds, if a device is
//! faster.

use super::analysis::{BatchedAnalysis, SoundFacts, UndescribedSound, UnhashedPicture};
use super::job_kind::JobKind;
use super::workers::{
    BatchMessage, BatchUpdate, FileFate, FinishedFile, UnfinishedFile, WorkerMessage, Workers, caught,
};
use crate::base::Result;
use crate::dsp::comparison::hashes::{GreyPicture, PictureHasher, PictureHashes};
use crate::library::batches::{BatchEngine, BatchKind, lost_item};
use crate::library::describe::{PreparedSound, SpectralDescriptors, SpectralSound};
use std::sync::mpsc::{RecvTimeoutError, SyncSender};
use std::time::Duration;

/// Time without a new file after which a partial batch is computed.
const QUIET_TIME: Duration = Duration::from_millis(200);
/// Number of bytes of pixels and samples that fill a batch.
const MAX_BYTES: usize = 64 << 20;

/// Processes files until the queue is closed. `n_expected` is the number of files waiting at the start.
pub fn work_in_batches(
    mut engine: BatchEngine,
    n_expected: usize,
    workers: &Workers,
    to_writer: &SyncSender<WorkerMessage>,
) {
    let mut hasher = PictureHasher::default();
    let (mut waiting, mut n_bytes, mut n_seen) = (Vec::new(), 0, 0);
    let mut is_open = true;
    while is_open {
        let message = match waiting.is_empty() {
            true => workers.unfinished.take().ok_or(RecvTimeoutError::Disconnected),
            false => workers.unfinished.take_within(QUIET_TIME),
        };
        match message {
            Ok(BatchMessage::Many) => note_batches(&mut engine, workers),
            Ok(BatchMessage::File(file)) => {
                n_seen += 1;
                n_bytes += file.facts.n_unfinished_bytes();
                waiting.push(*file);
                if waiting.len() < engine.max_items() && n_bytes < MAX_BYTES {
                    continue;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => is_open = false,
        }
        n_bytes = 0;
        let files = std::mem::take(&mut waiting);
        if files.is_empty() || workers.work.stop.is_cancelled() {
            continue;
        }
        // A scan may have found more meanwhile.
        let n_expected = n_expected.max(n_seen + workers.n_waiting());
        if !finish_files(&mut engine, &mut hasher, files, n_expected, to_writer) {
            return;
        }
        // The device may have failed.
        note_batches(&mut engine, workers);
    }
}

/// Sets which work the analysis threads leave to this thread.
fn note_batches(engine: &mut BatchEngine, workers: &Workers) {
    let left =
        BatchedAnalysis { pictures: engine.takes(BatchKind::Picture), sounds: engine.takes(BatchKind::Describe) };
    workers.batched.set(engine.max_items(), left);
}

/// Completes files and passes them on. Returns false if the receiver was dropped.
fn finish_files(
    engine: &mut BatchEngine,
    hasher: &mut PictureHasher,
    mut files: Vec<UnfinishedFile>,
    n_expected: usize,
    to_writer: &SyncSender<WorkerMessage>,
) -> bool {
    let pictures: Vec<Option<UnhashedPicture>> = files.iter_mut().map(|file| file.facts.unhashed.take()).collect();
    let sounds: Vec<Option<UndescribedSound>> = files.iter_mut().map(|file| file.facts.undescribed.take()).collect();
    let secs = || files.iter().map(|file| file.facts.sound_secs);
    let grey: Vec<&GreyPicture> = pictures.iter().flatten().map(|of| &of.picture).collect();
    let hashes = results_of(grey.len(), || engine.picture_hashes(hasher, &grey, n_expected));
    let times = pictures.iter().map(|of| of.as_ref().map(|of| of.time));
    let of_pictures = update_of(engine, JobKind::Picture, secs().zip(times));
    let prepared: Vec<SpectralSound<'_>> = sounds.iter().flatten().map(|of| of.sound.sound()).collect();
    let spectra = results_of(prepared.len(), || engine.spectra(&prepared, n_expected));
    let times = sounds.iter().map(|of| of.as_ref().map(|of| of.time));
    let of_sounds = update_of(engine, JobKind::Describe, secs().zip(times));
    for news in [of_pictures, of_sounds] {
        if to_writer.send(WorkerMessage::Batched(Box::new(news))).is_err() {
            return false;
        }
    }
    let (mut hashes, mut spectra) = (hashes.into_iter(), spectra.into_iter());
    for ((unfinished, picture), sound) in files.into_iter().zip(pictures).zip(sounds) {
        let UnfinishedFile { file, hash, mut facts } = unfinished;
        let picture = picture.map(|of| (hashes.next().unwrap_or_else(lost_item), of.secs));
        let sound = sound.map(|of| (spectra.next().unwrap_or_else(lost_item), of.sound));
        let fate = match add_results(&mut facts, picture, sound) {
            Ok(()) => FileFate::Analysed(facts),
            Err(error) => FileFate::Failed(error),
        };
        if to_writer.send(WorkerMessage::Finished(Box::new(FinishedFile { file, hash, fate }))).is_err() {
            return false;
        }
    }
    true
}

/// The results of a batch of `n` items; if it panics, all of them fail.
fn results_of<T>(n: usize, work: impl FnOnce() -> Vec<Result<T>>) -> Vec<Result<T>> {
    if n == 0 {
        return Vec::new();
    }
    caught(|| Ok(work())).unwrap_or_else(|error| (0..n).map(|_| Err(error.clone())).collect())
}

/// The engine's counts since the last call. `files` has the duration of each sound in seconds and, if the file was in
/// the batch, the time that its analysis thread spent on preparing it.
fn update_of(
    engine: &mut BatchEngine,
    kind: JobKind,
    files: impl Iterator<Item = (f64, Option<Duration>)>,
) -> BatchUpdate {
    let mut counts = engine.take_counts();
    let (mut sound_secs, mut making_ms) = (0.0, 0.0);
    for (secs, time) in files.filter_map(|(secs, time)| Some((secs, time?))) {
        sound_secs += secs;
        making_ms += time.as_secs_f64() * 1e3;
    }
    counts[usize::from(counts[1].batches > 0)].busy_ms += making_ms;
    BatchUpdate { kind, counts, sound_secs }
}

/// Adds the results of batches to the facts about a file.
fn add_results(
    facts: &mut SoundFacts,
    picture: Option<(Result<PictureHashes>, Option<f64>)>,
    sound: Option<(Result<SpectralDescriptors>, Box<PreparedSound>)>,
) -> Result<()> {
    if let Some((hashes, secs)) = picture {
        facts.picture = Some((hashes?, secs));
    }
    if let Some((spectra, sound)) = sound {
        facts.description = Some(sound.finished(spectra?));
    }
    Ok(())
}
