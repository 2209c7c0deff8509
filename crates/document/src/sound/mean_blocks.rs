//! The mean of some channels at another sample rate, for networks that process one channel.

use crate::base::{Progress, Result};
use crate::media::Resampled;
use crate::{Channels, Signal, Snapshot};

/// Number of samples at the new rate read at a time.
const BLOCK_SAMPLES: u64 = 1 << 16;

/// Resamples the mean of some channels to `to_hz`, and passes it to `take` block by block from the first sample.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) for channels that do not exist;
/// [`Unsupported`](crate::base::ErrorKind::Unsupported) for a pair of sample rates that cannot be converted;
/// [`Cancelled`](crate::base::ErrorKind::Cancelled), and read errors of the source.
pub(crate) fn for_each_mean_block(
    snapshot: &Snapshot,
    channels: &Channels,
    to_hz: f64,
    progress: &Progress,
    mut take: impl FnMut(&[f32]),
) -> Result<()> {
    let signals = Signal::of(channels, snapshot.n_channels())?;
    let rate_hz = snapshot.sample_rate_hz();
    let n_samples = (snapshot.n_samples() as f64 * to_hz / rate_hz).round() as u64;
    let mut resampled = Resampled::new(rate_hz, to_hz, 1)?;
    let scale = 1.0 / signals.len().max(1) as f32;
    let mut first = 0i64;
    let mut read = |n: usize| {
        let mut mean = vec![0.0; n];
        let mut samples = vec![0.0; n];
        for signal in &signals {
            signal.read(snapshot, first, &mut samples)?;
            mean.iter_mut().zip(&samples).for_each(|(mean, sample)| *mean += scale * sample);
        }
        first += n as i64;
        Ok(vec![mean])
    };
    for start in (0..n_samples).step_by(BLOCK_SAMPLES as usize) {
        progress.step(start, n_samples)?;
        let n = BLOCK_SAMPLES.min(n_samples - start) as usize;
        for channel in resampled.next(n, &mut read)? {
            take(&channel);
        }
    }
    Ok(())
}
