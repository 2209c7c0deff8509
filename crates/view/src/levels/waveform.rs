//! The waveform at any zoom: minimum and maximum sample of each pixel column, computed from cached runs of samples when
//! zoomed out, and from the samples themselves when zoomed in.

use crate::analysis::ChannelView;
use crate::base::{Progress, Result};
use crate::document::{Signal, Snapshot};
use std::ops::Range;

/// Samples per run of the finest level: 8 bytes per 1 kB of sound.
const RUN_SAMPLES: usize = 256;
/// Runs combined into one of the next level.
const RUNS_PER_RUN: usize = 4;
/// Samples read at a time; a whole number of runs.
const CHUNK_SAMPLES: usize = 1 << 16;
/// Minimum number of runs per column; narrower columns are computed from samples directly.
const MIN_RUNS: f64 = 2.0;

/// Minimum and maximum of every run of samples, over all visible channels.
#[derive(Debug, Clone)]
pub struct Waveform {
    snapshot: Snapshot,
    /// Number of samples that were available.
    n_ready: u64,
    channels: ChannelView,
    /// Runs of 256 samples, of 1,024, and so on.
    levels: Vec<Vec<[f32; 2]>>,
}

fn signals(channels: ChannelView, n_channels: usize) -> Vec<Signal> {
    match channels {
        ChannelView::All => (0..n_channels).map(Signal::Channel).collect(),
        ChannelView::One(channel) => vec![Signal::Channel(channel)],
        ChannelView::Mid => vec![Signal::Mid],
        ChannelView::Side => vec![Signal::Side],
    }
}

fn join(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// Minimum and maximum of no samples: the identity of [`join`].
const EMPTY: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

fn extremes(samples: &[f32]) -> [f32; 2] {
    samples.iter().fold(EMPTY, |found, &sample| join(found, [sample, sample]))
}

impl Waveform {
    /// Reads the sound. Runs of `before` with the same channels and length are reused where both snapshots share
    /// blocks, so that after a stroke only the blocks it changed are read.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled) and read errors.
    pub fn compute(
        snapshot: &Snapshot,
        channels: ChannelView,
        before: Option<&Waveform>,
        progress: &Progress,
    ) -> Result<Waveform> {
        let (n_samples, n_ready) = (snapshot.n_samples() as usize, snapshot.n_ready());
        let n_runs = n_samples.div_ceil(RUN_SAMPLES);
        let before = before.filter(|before| {
            before.channels == channels
                && before.snapshot.n_samples() == snapshot.n_samples()
                && before.snapshot.n_channels() == snapshot.n_channels()
        });
        let (mut runs, stale) = match before {
            None => {
                // Samples not decoded yet are silent.
                let mut runs = vec![EMPTY; n_runs];
                runs[(n_ready as usize).div_ceil(RUN_SAMPLES).min(n_runs)..].fill([0.0; 2]);
                (runs, std::iter::once(0..n_ready).collect::<Vec<Range<u64>>>())
            }
            Some(before) => {
                let differing = |channel| snapshot.differing(&before.snapshot, channel);
                let mut stale: Vec<Range<u64>> = (0..snapshot.n_channels()).flat_map(differing).collect();
                stale.extend((before.n_ready < n_ready).then_some(before.n_ready..n_ready));
                (before.levels[0].clone(), stale)
            }
        };
        let mut buffer = Vec::new();
        for samples in stale {
            let first = samples.start as usize / RUN_SAMPLES * RUN_SAMPLES;
            let end = (samples.end as usize).next_multiple_of(RUN_SAMPLES).min(n_samples);
            for start in (first..end).step_by(CHUNK_SAMPLES) {
                progress.step(start as u64, n_samples as u64)?;
                let n = CHUNK_SAMPLES.min(end - start);
                let run = start / RUN_SAMPLES;
                runs[run..run + n.div_ceil(RUN_SAMPLES)].fill(EMPTY);
                buffer.resize(n, 0.0);
                for signal in signals(channels, snapshot.n_channels()) {
                    signal.read(snapshot, start as i64, &mut buffer)?;
                    for (found, samples) in runs[run..].iter_mut().zip(buffer.chunks(RUN_SAMPLES)) {
                        *found = join(*found, extremes(samples));
                    }
                }
            }
        }
        let mut levels = vec![runs];
        while let Some(finer) = levels.last().filter(|runs| runs.len() > RUNS_PER_RUN) {
            levels.push(finer.chunks(RUNS_PER_RUN).map(|runs| runs.iter().copied().fold(EMPTY, join)).collect());
        }
        Ok(Waveform { snapshot: snapshot.clone(), n_ready, channels, levels })
    }

    /// The largest magnitude of a sample.
    pub fn peak(&self) -> f32 {
        let [low, high] = self.levels.last().into_iter().flatten().copied().fold([0.0; 2], join);
        high.max(-low)
    }

    /// Whether the columns of a time range with this width in pixels are exact: each contains at least two runs.
    pub fn is_exact(&self, secs: [f64; 2], n_px: usize) -> bool {
        self.samples_per_px(secs, n_px) >= MIN_RUNS * RUN_SAMPLES as f64
    }

    fn samples_per_px(&self, secs: [f64; 2], n_px: usize) -> f64 {
        (secs[1] - secs[0]) * self.snapshot.sample_rate_hz() / n_px.max(1) as f64
    }

    /// Minimum and maximum over all runs from the one at a column's left edge to the one at its right edge, which the
    /// next column shares, so that columns connect; 0 and 0 beyond the ends. Cheap: a few runs per column.
    pub fn columns(&self, secs: [f64; 2], n_px: usize) -> Vec<[f32; 2]> {
        let per_px = self.samples_per_px(secs, n_px);
        let level = (per_px / (MIN_RUNS * RUN_SAMPLES as f64)).max(1.0).log(RUNS_PER_RUN as f64) as usize;
        let level = level.min(self.levels.len() - 1);
        let run = (RUN_SAMPLES * RUNS_PER_RUN.pow(level as u32)) as f64;
        let first = secs[0] * self.snapshot.sample_rate_hz();
        let column =
            |x: usize| columns_of(&self.levels[level], [0, 1].map(|i| (first + per_px * (x + i) as f64) / run));
        (0..n_px).map(|x| column(x).iter().copied().reduce(join).unwrap_or([0.0; 2])).collect()
    }
}

/// The elements between two fractional positions, including those that contain them; empty before the start.
fn columns_of<T>(all: &[T], [from, to]: [f64; 2]) -> &[T] {
    let index = |at: f64| (at.max(0.0) as usize).min(all.len());
    let (start, end) = (index(from.floor()), index(to.floor() + 1.0));
    if to < 0.0 { &[] } else { &all[start..end.max(start)] }
}

/// The columns of a time range, computed from its samples, for views with few samples per pixel. Neighbouring columns
/// share a sample, so that they meet.
///
/// # Errors
/// [`Cancelled`](crate::base::ErrorKind::Cancelled) and read errors.
pub fn waveform_detail(
    snapshot: &Snapshot,
    channels: ChannelView,
    secs: [f64; 2],
    n_px: usize,
    progress: &Progress,
) -> Result<Vec<[f32; 2]>> {
    let rate_hz = snapshot.sample_rate_hz();
    let per_px = (secs[1] - secs[0]) * rate_hz / n_px.max(1) as f64;
    let end = snapshot.n_samples() as f64;
    let places = secs.map(|secs| (secs * rate_hz).floor().clamp(0.0, end) as usize);
    let samples: Range<usize> = places[0]..(places[1] + 2).min(snapshot.n_samples() as usize);
    let mut columns = vec![EMPTY; n_px];
    let mut buffer = vec![0.0; samples.len()];
    for signal in signals(channels, snapshot.n_channels()) {
        progress.check()?;
        signal.read(snapshot, samples.start as i64, &mut buffer)?;
        for (x, column) in columns.iter_mut().enumerate() {
            let at = |x: f64| secs[0] * rate_hz + per_px * x - samples.start as f64;
            // Up to the sample after the column's end, where the line continues.
            let of_column = columns_of(&buffer, [at(x as f64), at(x as f64 + 1.0) + 1.0]);
            *column = join(*column, extremes(of_column));
        }
    }
    Ok(columns.into_iter().map(|column| if column[0] <= column[1] { column } else { [0.0; 2] }).collect())
}
