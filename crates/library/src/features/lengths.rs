//! Counts the lengths of whole sounds before anything is written.

use super::samples::n_samples_at;
use crate::base::{Progress, Result};
use crate::library::file_work::FoundFile;
use crate::media::{OpenOptions, Source};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Files whose lengths to count.
pub struct LengthJob<'a> {
    /// Folder to which the paths are relative.
    pub root: &'a Path,
    /// The files.
    pub files: &'a [FoundFile],
    /// Sample rate of the lengths in hertz.
    pub rate_hz: u32,
}

/// Samples of each file at the given rate, on up to `jobs` threads; 0 for a file that cannot be read.
///
/// # Errors
/// [`Cancelled`](crate::base::ErrorKind::Cancelled).
pub fn lengths_of(job: &LengthJob, jobs: usize, progress: &Progress) -> Result<Vec<u64>> {
    let lengths: Vec<AtomicU64> = job.files.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, job.files.len().max(1)) {
            scope.spawn(|| {
                while progress.check().is_ok() {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(file) = job.files.get(index) else { break };
                    let length = length_of(&job.root.join(&file.path), job.rate_hz, progress);
                    lengths[index].store(length, Relaxed);
                }
            });
        }
    });
    progress.check()?;
    Ok(lengths.into_iter().map(AtomicU64::into_inner).collect())
}

fn length_of(path: &Path, rate_hz: u32, progress: &Progress) -> u64 {
    let open = |options: &OpenOptions| {
        let opened = catch_unwind(AssertUnwindSafe(|| Source::open_with(path, options, &|_| (), &progress.quiet())));
        opened.ok().and_then(Result::ok).map(|opened| n_samples_at(&opened.source, rate_hz))
    };
    // Without memory, plain samples stay in their file, and only its header is read. Any other format would need a
    // temporary file, which the disk reserve forbids; so opening it fails at once, and it is decoded instead.
    let header_only = OpenOptions { memory_bytes: 0, reserve_bytes: Some(u64::MAX), ..OpenOptions::default() };
    open(&header_only).or_else(|| open(&OpenOptions::default())).unwrap_or(0)
}
