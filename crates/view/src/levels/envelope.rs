//! Overview waveform: the minimum and maximum sample of each column of the whole sound, over all channels.

use crate::base::{Progress, Result};
use crate::document::Snapshot;
use std::ops::Range;

/// Number of samples read at a time.
const CHUNK_SAMPLES: usize = 1 << 16;

/// Minimum and maximum per column of a whole sound.
#[derive(Debug, Clone)]
pub struct Envelope {
    snapshot: Snapshot,
    /// Number of samples that were available.
    n_ready: u64,
    columns: Vec<[f32; 2]>,
}

impl Envelope {
    /// Reads the sound in time order. Columns of `before` whose blocks both snapshots share are reused, so that after a
    /// stroke only the blocks it changed are read.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled) and read errors.
    pub fn compute(
        snapshot: &Snapshot,
        n_columns: usize,
        before: Option<&Envelope>,
        progress: &Progress,
    ) -> Result<Envelope> {
        let n_ready = snapshot.n_ready();
        let mut envelope = Envelope { snapshot: snapshot.clone(), n_ready, columns: vec![[0.0; 2]; n_columns] };
        let before = before.filter(|before| {
            let (ours, theirs) = (snapshot, &before.snapshot);
            before.columns.len() == n_columns
                && (ours.n_samples(), ours.n_channels()) == (theirs.n_samples(), theirs.n_channels())
        });
        let mut is_stale = vec![before.is_none(); n_columns];
        if let Some(before) = before {
            envelope.columns.clone_from(&before.columns);
            for channel in 0..snapshot.n_channels() {
                for samples in snapshot.differing(&before.snapshot, channel) {
                    let columns = envelope.columns_over(&samples);
                    is_stale[columns].fill(true);
                }
            }
            if before.n_ready < n_ready {
                is_stale[envelope.columns_over(&(before.n_ready..n_ready))].fill(true);
            }
        }
        let mut buffer = Vec::new();
        let is_there = |column: usize| envelope.samples_of(column).start < n_ready;
        let stale: Vec<usize> = (0..n_columns).filter(|&column| is_stale[column] && is_there(column)).collect();
        for (n_done, &column) in stale.iter().enumerate() {
            progress.step(n_done as u64, stale.len() as u64)?;
            envelope.columns[column] = envelope.range_of(envelope.samples_of(column), &mut buffer)?;
        }
        Ok(envelope)
    }

    /// Minimum and maximum of each column; 0 and 0 for a column without samples.
    pub fn columns(&self) -> &[[f32; 2]] {
        &self.columns
    }

    fn samples_of(&self, column: usize) -> Range<u64> {
        let edge = |column: usize| {
            (u128::from(self.snapshot.n_samples()) * column as u128 / self.columns.len() as u128) as u64
        };
        edge(column)..edge(column + 1)
    }

    /// All columns that contain any of these samples, and possibly their neighbours.
    fn columns_over(&self, samples: &Range<u64>) -> Range<usize> {
        let n = self.columns.len();
        let near =
            |sample: u64| (u128::from(sample) * n as u128 / u128::from(self.snapshot.n_samples().max(1))) as usize;
        near(samples.start).saturating_sub(1)..(near(samples.end) + 1).min(n)
    }

    fn range_of(&self, samples: Range<u64>, buffer: &mut Vec<f32>) -> Result<[f32; 2]> {
        let mut range = [f32::INFINITY, f32::NEG_INFINITY];
        let mut start = samples.start;
        while start < samples.end {
            let n = ((samples.end - start) as usize).min(CHUNK_SAMPLES);
            buffer.resize(n, 0.0);
            for channel in 0..self.snapshot.n_channels() {
                self.snapshot.read(channel, start as i64, buffer)?;
                for &sample in buffer.iter() {
                    range = [range[0].min(sample), range[1].max(sample)];
                }
            }
            start += n as u64;
        }
        Ok(if range[0] <= range[1] { range } else { [0.0; 2] })
    }
}
