//! Where an edit was computed, as text for the status line.

use crate::base::number;
use crate::engine::EnginePass;

/// Such as `Warp: GPU 0.4 ms, CPU 4.6 ms (phases are summed in f64)`: the times of an edit's passes on each engine, and
/// why some of them ran on the CPU beside a GPU; `None` without passes.
pub fn engine_words(name: &str, passes: &[EnginePass]) -> Option<String> {
    let on = |is_on_gpu: bool, engine: &str| {
        let own = || passes.iter().filter(|pass| pass.is_on_gpu == is_on_gpu);
        own().next()?;
        // Adapters without timestamps report no times.
        let ms: Option<f64> = own().map(|pass| pass.ms).sum();
        Some(ms.map_or_else(|| engine.to_owned(), |ms| format!("{engine} {} ms", number(ms, 1))))
    };
    let engines: Vec<String> = [on(true, "GPU"), on(false, "CPU")].into_iter().flatten().collect();
    if engines.is_empty() {
        return None;
    }
    let mut reasons: Vec<&str> = passes.iter().filter_map(|pass| pass.why).collect();
    reasons.dedup();
    let why = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
    Some(format!("{name}: {}{why}", engines.join(", ")))
}
