//! Writes a snapshot at another sample rate to a file.

use crate::Snapshot;
use crate::base::{Progress, Result, trace};
use crate::labels::LabelSet;
use crate::labels::formats::cues_of;
use crate::media::{FloatWav, Resampled, write_float_wav};
use std::path::Path;

/// Writes a sound at another sample rate, as a WAV file of 32-bit floats, atomically: `round(n * to / from)` samples
/// long, with the first sample at the same time. Labels keep their times in seconds, as its cues.
///
/// # Errors
/// Read and write errors; [`Unsupported`](crate::base::ErrorKind::Unsupported) for a pair of rates that cannot be
/// converted; [`Cancelled`](crate::base::ErrorKind::Cancelled). Then no file is created.
pub fn write_resampled(
    (snapshot, labels): (&Snapshot, &LabelSet),
    to_hz: u32,
    path: &Path,
    progress: &Progress,
) -> Result<()> {
    let _span = trace::span("resample");
    let (from_hz, n_channels) = (snapshot.sample_rate_hz(), snapshot.n_channels());
    let n_frames = (snapshot.n_samples() as f64 * f64::from(to_hz) / from_hz).round() as u64;
    let mut resampled = Resampled::new(from_hz, f64::from(to_hz), n_channels)?;
    let mut first = 0;
    let mut read = |n: usize| {
        let at = first;
        first += n as i64;
        let of_channel = |channel: usize| {
            let mut samples = vec![0.0; n];
            snapshot.read(channel, at, &mut samples).map(|()| samples)
        };
        (0..n_channels).map(of_channel).collect::<Result<Vec<_>>>()
    };
    let channel_mask = snapshot.source().info().channel_mask;
    let (chunks, _) = cues_of(&[], labels, to_hz)?;
    let shape = FloatWav { sample_rate_hz: to_hz, n_channels, n_frames, channel_mask, chunks: &chunks };
    write_float_wav(path, &shape, &mut |n| resampled.next(n, &mut read), progress)
}
