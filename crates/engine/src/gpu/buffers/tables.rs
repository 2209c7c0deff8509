//! Tables computed in f64 on the CPU and uploaded once as f32.

use super::pool::{BufferKind, Lease, Pool};
use crate::base::{Result, lock};
use crate::dsp::Window;
use std::collections::HashMap;
use std::f64::consts::PI;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Kinds of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::gpu) enum Table {
    /// `exp(-2 pi i k / n)`, `k = 0 .. n`.
    Twiddles(usize),
    /// `n` ones: no window.
    Ones(usize),
    /// An analysis window of `n` samples.
    Analysis(Window, usize),
    /// A synthesis window of `n` samples: the window divided by half its length, which the unnormalised inverse
    /// transform of `n / 2` omits.
    Synthesis(Window, usize),
}

impl Table {
    fn values(self) -> Vec<f32> {
        match self {
            Table::Twiddles(n) => (0..n).flat_map(|k| root(k, n)).collect(),
            Table::Ones(n) => vec![1.0; n],
            Table::Analysis(window, n) => window.samples(n).iter().map(|&w| w as f32).collect(),
            Table::Synthesis(window, n) => window.samples(n).iter().map(|&w| (2.0 * w / n as f64) as f32).collect(),
        }
    }

    /// Length in four-byte values.
    pub fn len(self) -> usize {
        match self {
            Table::Twiddles(n) => 2 * n,
            Table::Ones(n) | Table::Analysis(_, n) | Table::Synthesis(_, n) => n,
        }
    }
}

/// `exp(-2 pi i k / n)`, exact at quarter turns.
fn root(k: usize, n: usize) -> [f32; 2] {
    let quarter = 4 * k / n;
    let (sin, cos) = (2.0 * PI * (4 * k % n) as f64 / (4 * n) as f64).sin_cos();
    let [re, im] = match quarter {
        0 => [cos, -sin],
        1 => [-sin, -cos],
        2 => [-cos, sin],
        _ => [sin, cos],
    };
    [re as f32, im as f32]
}

/// The tables on a device, each created on first use.
#[derive(Debug, Default)]
pub(in crate::gpu) struct Tables {
    made: Mutex<HashMap<Table, Lease>>,
    n_made: AtomicU64,
}

impl Tables {
    /// Number of tables created.
    pub fn n_made(&self) -> u64 {
        self.n_made.load(Relaxed)
    }

    /// The table in a buffer of `pool`; uploaded through `queue` on first use.
    ///
    /// # Errors
    /// As [`Pool::lease`].
    pub fn get(&self, table: Table, pool: &Arc<Pool>, queue: &wgpu::Queue) -> Result<Lease> {
        let mut tables = lock(&self.made);
        if let Some(lease) = tables.get(&table) {
            return Ok(lease.clone());
        }
        self.n_made.fetch_add(1, Relaxed);
        let values = table.values();
        let lease = pool.lease(BufferKind::Storage, 4 * values.len() as u64)?;
        queue.write_buffer(lease.buffer(), 0, bytemuck::cast_slice(&values));
        tables.insert(table, lease.clone());
        Ok(lease)
    }
}
