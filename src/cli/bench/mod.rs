//! `sonobrush bench`: measures the speed of transforms, brushes and interactive work on this machine, per engine.
//!
//! Each benchmark is repeated on prepared inputs, after a warm-up run. A run ends when all of its work is complete,
//! including that on the GPU. The GPU's own time, by its timestamps, is measured in separate runs, since timestamps
//! cost time.

pub mod baseline;
mod brushes;
#[cfg(feature = "window")]
mod held_voices;
mod previews;
pub mod report;
mod row_strokes;
mod stopwatch;
mod strokes;
#[cfg(feature = "window")]
mod studio;
mod tiles;
mod transforms;
mod voices;

pub use brushes::squares;

use super::args::Bench;
use super::common::engines::{adapter_of, engine_for};
use super::common::terminal::Terminal;
use crate::base::{EngineChoice, Error, ErrorKind, Result, Settings, read_small_file};
use crate::engine::Engine;
use report::{Report, machine};
use stopwatch::Stopwatch;

const MAX_BASELINE_BYTES: u64 = 16 << 20;

pub(super) fn run(typed: &Bench, settings: &Settings, terminal: &Terminal) -> Result<()> {
    // Reports an unreadable baseline before the measurements, which take minutes.
    let baseline = typed.baseline.as_deref().map(|path| {
        let bytes = read_small_file(path, MAX_BASELINE_BYTES)?;
        serde_json::from_slice::<Report>(&bytes)
            .map_err(|_| Error::new(ErrorKind::Malformed, "was not written by sonobrush bench --json").at(path))
    });
    let baseline = baseline.transpose()?;
    let engines = match settings.engine {
        EngineChoice::Cpu => vec![Engine::cpu()],
        EngineChoice::Gpu => vec![engine_for(settings)?.engine],
        EngineChoice::Auto => {
            let gpu = engine_for(&Settings { engine: EngineChoice::Gpu, ..settings.clone() });
            let gpu = gpu.map(|chosen| chosen.engine).inspect_err(|error| {
                terminal.notices(&[format!("the GPU was not measured: {error}")]);
            });
            std::iter::once(Engine::cpu()).chain(gpu).collect()
        }
    };
    let adapter = engines.iter().find_map(adapter_of);
    let mut results = Vec::new();
    for engine in &engines {
        let measured = terminal.with_progress(engine.name(), |progress| {
            let only = typed.only.as_deref();
            let mut stopwatch = Stopwatch::new(engine, only, progress);
            transforms::measure(&mut stopwatch)?;
            tiles::measure(&mut stopwatch)?;
            brushes::measure(&mut stopwatch)?;
            #[cfg(feature = "window")]
            studio::measure(&mut stopwatch)?;
            strokes::measure(&mut stopwatch)?;
            previews::measure(&mut stopwatch)?;
            row_strokes::measure(&mut stopwatch)?;
            voices::measure(&mut stopwatch)?;
            #[cfg(feature = "window")]
            held_voices::measure(&mut stopwatch)?;
            Ok(stopwatch.lines)
        })?;
        results.extend(measured);
    }
    let report = Report { machine: machine(), adapter, results };
    if typed.json {
        terminal.print_json(&report)?;
    } else {
        terminal.print(&report.text())?;
    }
    match baseline {
        Some(baseline) => {
            terminal.notices(&baseline::notices(&report, &baseline));
            baseline::check(&report, &baseline)
        }
        None => Ok(()),
    }
}
