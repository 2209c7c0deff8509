//! One thread that hashes the pictures of all analysis threads in batches, where there is a device that is worth it.

use super::analysis::UnhashedPicture;
use super::workers::{BatchMessage, BatchNews, FileFate, FinishedFile, UnhashedFile, WorkerMessage, Workers, caught};
use crate::base::{Error, ErrorKind};
use crate::dsp::hashes::{GreyPicture, PictureHasher};
use crate::library::batches::BatchEngine;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

/// A batch that is not full is computed when nothing has come for so long.
const QUIET: Duration = Duration::from_millis(200);
/// Pixels that wait at most.
const MOST_BYTES: usize = 64 << 20;

/// Hashes what comes until nothing can come any more. `n_expected` are the files that waited when it began.
pub fn hash_batches(
    mut engine: BatchEngine,
    n_expected: usize,
    workers: &Workers,
    pictures: &Receiver<BatchMessage>,
    to_writer: &SyncSender<WorkerMessage>,
) {
    let mut hasher = PictureHasher::default();
    let (mut waiting, mut n_bytes) = (Vec::new(), 0);
    let mut is_open = true;
    while is_open {
        let message = match waiting.is_empty() {
            true => pictures.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => pictures.recv_timeout(QUIET),
        };
        match message {
            Ok(BatchMessage::Many) => note_batches(&mut engine, workers),
            Ok(BatchMessage::Picture(file)) => {
                n_bytes += file.facts.unhashed.as_ref().map_or(0, |picture| picture.picture.pixels().len());
                waiting.push(*file);
                if waiting.len() < engine.most_items() && n_bytes < MOST_BYTES {
                    continue;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => is_open = false,
        }
        n_bytes = 0;
        let files = std::mem::take(&mut waiting);
        if files.is_empty() || workers.stop.is_cancelled() {
            continue;
        }
        if !hash_files(&mut engine, &mut hasher, files, n_expected, to_writer) {
            return;
        }
        // The CPU may have been the faster one, or the device may have failed.
        note_batches(&mut engine, workers);
    }
}

/// Tells the analysis threads whether to leave pictures to this one.
fn note_batches(engine: &mut BatchEngine, workers: &Workers) {
    let n_at_once = if engine.takes_pictures() { engine.most_items() } else { 0 };
    workers.n_batched.store(n_at_once, Relaxed);
}

/// Hashes a batch and passes its files on; whether anyone listens.
fn hash_files(
    engine: &mut BatchEngine,
    hasher: &mut PictureHasher,
    mut files: Vec<UnhashedFile>,
    n_expected: usize,
    to_writer: &SyncSender<WorkerMessage>,
) -> bool {
    let unhashed: Vec<Option<UnhashedPicture>> = files.iter_mut().map(|file| file.facts.unhashed.take()).collect();
    let pictures: Vec<&GreyPicture> = unhashed.iter().flatten().map(|of| &of.picture).collect();
    let hashed = caught(|| Ok(engine.picture_hashes(hasher, &pictures, n_expected)));
    let mut hashes = match hashed {
        Ok(hashes) => hashes,
        Err(error) => pictures.iter().map(|_| Err(error.clone())).collect(),
    }
    .into_iter();
    let mut counts = engine.take_counts();
    let making_ms: f64 = unhashed.iter().flatten().map(|of| of.time.as_secs_f64() * 1e3).sum();
    counts[usize::from(counts[1].batches > 0)].busy_ms += making_ms;
    let sound_secs = files.iter().map(|file| file.facts.sound_secs).sum();
    let news = BatchNews { counts, sound_secs, routes: engine.routes.take_new() };
    if to_writer.send(WorkerMessage::Batched(Box::new(news))).is_err() {
        return false;
    }
    for (UnhashedFile { file, hash, mut facts }, of) in files.into_iter().zip(unhashed) {
        let lost = || Err(Error::new(ErrorKind::Internal, "a batch of pictures has no hash for this one"));
        let fate = match of.map(|of| (hashes.next().unwrap_or_else(lost), of.secs)) {
            Some((Ok(hashes), secs)) => {
                facts.picture = Some((hashes, secs));
                FileFate::Analysed(facts)
            }
            Some((Err(error), _)) => FileFate::Failed(error),
            None => FileFate::Analysed(facts),
        };
        if to_writer.send(WorkerMessage::Finished(Box::new(FinishedFile { file, hash, fate }))).is_err() {
            return false;
        }
    }
    true
}
