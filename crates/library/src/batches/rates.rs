//! Measuring both engines on the first items of a job, at little cost whichever is the slower one.

use crate::base::Result;

/// Each step of a measurement has so many times the items of the one before.
const GROWTH: u64 = 4;
/// The share of a job's time that a measurement may take.
const SHARE: f64 = 0.03;
/// The longest measurement, in seconds.
const LONGEST_SECS: f64 = 2.0;

/// Which engine a rate is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatedEngine {
    /// The CPU.
    Cpu,
    /// The GPU.
    Gpu,
}

/// What may be measured with.
#[derive(Debug, Clone, Copy)]
pub struct ProbeOrder {
    /// Items of the whole job.
    pub n_items: u64,
    /// Items of the first step.
    pub first: u64,
    /// Items of the last step, at most.
    pub most: u64,
}

/// Items per second of both engines, CPU first. `run` does the first so many items of the job on an engine and says how
/// many seconds that took; each step does more of the same items, as long as what it takes is little beside the whole job.
/// The device's first run, which compiles, is not counted.
///
/// # Errors
/// Those of `run`.
pub fn measure_rates(order: &ProbeOrder, run: &mut dyn FnMut(RatedEngine, u64) -> Result<f64>) -> Result<[f64; 2]> {
    let mut n = order.first.clamp(1, order.most.max(1));
    let mut spent = run(RatedEngine::Gpu, n)?;
    loop {
        let mut secs = [0.0; 2];
        for (secs, engine) in secs.iter_mut().zip([RatedEngine::Cpu, RatedEngine::Gpu]) {
            *secs = run(engine, n)?.max(1e-9);
        }
        spent += secs[0] + secs[1];
        let next = (n * GROWTH).min(order.most);
        // What the next step is likely to take beyond the work that it does.
        let ahead = (secs[0] + secs[1]) * next as f64 / n as f64;
        let whole_job = secs[0].min(secs[1]) * order.n_items as f64 / n as f64;
        if next <= n || spent + ahead > LONGEST_SECS || spent + ahead - 2.0 * secs[0].min(secs[1]) > SHARE * whole_job {
            return Ok(secs.map(|secs| n as f64 / secs));
        }
        n = next;
    }
}
