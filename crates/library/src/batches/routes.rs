//! Chooses the engine for each kind of work, by one rule for all commands.

use super::kind::BatchKind;
use crate::base::{EngineChoice, PROGRAM_VERSION, Result};
use crate::engine::gpu::Gpu;
use crate::library::store::{LibraryStore, now_ns};
use rusqlite::params;
use std::collections::HashMap;

/// Minimum number of items for which a device is opened.
pub const MIN_ITEMS: usize = 10;
/// Minimum number of pictures or hashes for a device, since they are little work compared with their transfer.
const MIN_SMALL_ITEMS: usize = 64;

/// Whether a job of `n_items` goes to the device. Software adapters are no faster, so they are used only if the user
/// chose them. `is_real` is whether the adapter is hardware, `n_threads` the number of CPU threads.
pub fn is_for_device(
    choice: EngineChoice,
    is_real: bool,
    kind: BatchKind,
    n_items: usize,
    n_threads: usize,
    known: Option<&EngineRates>,
) -> bool {
    let min = match kind {
        BatchKind::Picture | BatchKind::HashPairs => MIN_SMALL_ITEMS,
        BatchKind::Describe => MIN_ITEMS,
    };
    match choice {
        EngineChoice::Cpu => false,
        EngineChoice::Gpu => true,
        EngineChoice::Auto if !is_real || n_items < min => false,
        EngineChoice::Auto => known.is_none_or(|rates| rates.gpu_per_s > rates.cpu_per_s * n_threads.max(1) as f64),
    }
}

/// Speed of both engines at a kind of work, as measured by `sonobrush library bench`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EngineRates {
    /// Items per second on the CPU; on one thread if threads process separate items.
    pub cpu_per_s: f64,
    /// Items per second on the GPU.
    pub gpu_per_s: f64,
}

/// Measured speeds, by kind of work and adapter.
#[derive(Debug, Clone, Default)]
pub struct KnownRates(HashMap<(String, String), EngineRates>);

impl KnownRates {
    /// The speeds for a kind of work on an [adapter](adapter_of).
    pub fn get(&self, kind: BatchKind, adapter: &str) -> Option<&EngineRates> {
        self.0.get(&(kind.name().to_owned(), adapter.to_owned()))
    }
}

/// The key for the speed of a device: its adapter and driver.
pub fn adapter_of(gpu: &Gpu) -> String {
    let summary = gpu.summary();
    format!("{} ({})", summary.name, summary.driver)
}

impl LibraryStore {
    /// The speeds measured by this version; other versions may be faster or slower.
    ///
    /// # Errors
    /// Read errors.
    pub fn known_rates(&self) -> Result<KnownRates> {
        let list = || {
            let text = "SELECT kind, adapter, cpu_per_s, gpu_per_s FROM routes WHERE version = ?1";
            let mut select = self.connection().prepare(text)?;
            let row = |row: &rusqlite::Row<'_>| {
                let rates = EngineRates { cpu_per_s: row.get(2)?, gpu_per_s: row.get(3)? };
                Ok(((row.get(0)?, row.get(1)?), rates))
            };
            select.query_map([PROGRAM_VERSION], row)?.collect::<rusqlite::Result<HashMap<_, _>>>()
        };
        list().map(KnownRates).map_err(|error| self.unread(&error))
    }

    /// Stores a measurement, replacing an earlier one.
    ///
    /// # Errors
    /// Write errors.
    pub fn note_rates(&self, kind: BatchKind, adapter: &str, rates: EngineRates) -> Result<()> {
        let text = "INSERT OR REPLACE INTO routes(kind, adapter, version, cpu_per_s, gpu_per_s, measured_ns)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let row = params![kind.name(), adapter, PROGRAM_VERSION, rates.cpu_per_s, rates.gpu_per_s, now_ns()];
        self.connection().execute(text, row).map(drop).map_err(|error| self.unwritten(&error))
    }
}
