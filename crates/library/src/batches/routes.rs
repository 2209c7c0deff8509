//! Which engine was the faster one here, and what follows from it.

use crate::base::{EngineChoice, PROGRAM_VERSION, Result};
use crate::library::store::LibraryStore;
use rusqlite::params;
use std::collections::HashMap;

/// Fewer items are computed on the CPU, unless the GPU was asked for.
pub const LEAST_ITEMS: usize = 10;
/// How long a measurement is believed: 30 days.
const VALID_NS: i64 = 30 * 86_400 * 1_000_000_000;

/// How fast both engines did one kind of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedRoute {
    /// Items per second on the CPU, on one thread where threads do different items.
    pub cpu_per_s: f64,
    /// Items per second on the GPU.
    pub gpu_per_s: f64,
    /// When that was measured, in nanoseconds since 1970.
    pub measured_ns: i64,
}

/// What an order for work comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteDecision {
    /// The CPU.
    Cpu,
    /// The GPU.
    Gpu,
    /// Both, on a few items, and then the faster one.
    Measure,
}

/// The engine for so many items. `is_real` is whether there is an adapter that is no software; on the CPU so many threads
/// do different items at once.
pub fn decide_route(
    choice: EngineChoice,
    is_real: bool,
    n_items: usize,
    n_threads: usize,
    known: Option<&SpeedRoute>,
    now_ns: i64,
) -> RouteDecision {
    match (choice, known) {
        (EngineChoice::Cpu, _) => RouteDecision::Cpu,
        (EngineChoice::Gpu, _) => RouteDecision::Gpu,
        (EngineChoice::Auto, _) if !is_real || n_items < LEAST_ITEMS => RouteDecision::Cpu,
        // Clocks jump: what was measured in the future was not measured.
        (EngineChoice::Auto, Some(route)) if (0..VALID_NS).contains(&now_ns.saturating_sub(route.measured_ns)) => {
            let on_cpu = route.cpu_per_s * n_threads.max(1) as f64;
            if route.gpu_per_s > on_cpu { RouteDecision::Gpu } else { RouteDecision::Cpu }
        }
        (EngineChoice::Auto, _) => RouteDecision::Measure,
    }
}

/// What was measured, by kind of work and adapter.
#[derive(Debug, Clone, Default)]
pub struct RouteBook {
    known: HashMap<(String, String), SpeedRoute>,
    new: Vec<(String, String, SpeedRoute)>,
}

impl RouteBook {
    /// The measurement of a kind of work on an adapter.
    pub fn get(&self, kind: &str, adapter: &str) -> Option<&SpeedRoute> {
        self.known.get(&(kind.to_owned(), adapter.to_owned()))
    }

    /// Notes a measurement.
    pub fn note(&mut self, kind: &str, adapter: &str, route: SpeedRoute) {
        self.known.insert((kind.to_owned(), adapter.to_owned()), route);
        self.new.push((kind.to_owned(), adapter.to_owned(), route));
    }

    /// What is still to be stored: kind, adapter and rates.
    pub fn take_new(&mut self) -> Vec<(String, String, SpeedRoute)> {
        std::mem::take(&mut self.new)
    }
}

impl LibraryStore {
    /// What was measured by this version; measurements of another say nothing of it.
    ///
    /// # Errors
    /// Those of reading.
    pub fn routes(&self) -> Result<RouteBook> {
        let list = || {
            let text = "SELECT kind, adapter, cpu_per_s, gpu_per_s, measured_ns FROM routes WHERE version = ?1";
            let mut select = self.connection().prepare(text)?;
            let row = |row: &rusqlite::Row<'_>| {
                let route = SpeedRoute { cpu_per_s: row.get(2)?, gpu_per_s: row.get(3)?, measured_ns: row.get(4)? };
                Ok(((row.get(0)?, row.get(1)?), route))
            };
            select.query_map([PROGRAM_VERSION], row)?.collect::<rusqlite::Result<HashMap<_, _>>>()
        };
        let known = list().map_err(|error| self.unread(&error))?;
        Ok(RouteBook { known, new: Vec::new() })
    }

    /// Stores what is new, in the transaction that is open, if one is.
    ///
    /// # Errors
    /// Those of writing.
    pub fn note_routes(&self, new: &[(String, String, SpeedRoute)]) -> Result<()> {
        for (kind, adapter, route) in new {
            let text = "INSERT OR REPLACE INTO routes(kind, adapter, version, cpu_per_s, gpu_per_s, measured_ns)
                        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let row = params![kind, adapter, PROGRAM_VERSION, route.cpu_per_s, route.gpu_per_s, route.measured_ns];
            self.connection().execute(text, row).map_err(|error| self.unwritten(&error))?;
        }
        Ok(())
    }
}
