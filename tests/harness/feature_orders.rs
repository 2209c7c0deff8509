//! Orders of features.

use super::program::Place;
use sonobrush::library::batches::BatchLimits;
use sonobrush::library::features::{FeatureOptions, FeatureOrder, FeatureWork};
use std::time::Duration;

/// One thread, on the CPU's memory alone, with statuses that often.
pub fn feature_work(status_every: Duration) -> FeatureWork {
    let limits = BatchLimits::default();
    FeatureWork { jobs: 1, replaces: false, memory_bytes: None, status_every, adapter: None, limits }
}

/// The preset of the sounds in `in`, written to `out`.
pub fn feature_order(place: &Place, status_every: Duration) -> FeatureOrder {
    FeatureOrder {
        inputs: vec![place.path("in")],
        output: place.path("out"),
        options: FeatureOptions::mel_segments(),
        is_resumed: false,
        keeps_engine: true,
        files_per_task: None,
        work: feature_work(status_every),
    }
}
