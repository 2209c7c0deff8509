//! Prepares the engine for the first stroke, in a job, whenever the view has a new transform.

use crate::document::warm_up;
use crate::dsp::Transform;
use crate::engine::Engine;
use crate::workbench::{Jobs, Latest, Lobes};

/// The prepared transform, or the one in progress.
#[derive(Default)]
pub struct Warm(Latest<Transform, ()>);

impl Warm {
    /// Once per frame. A failure is only logged, as the stroke itself reports it.
    pub fn follow(&mut self, transform: &Transform, engine: &Engine, lobes: &Lobes, jobs: &Jobs) {
        let (engine, lobes) = (engine.clone(), lobes.clone());
        self.0.ask(transform, jobs, "warm", move |transform, progress| {
            lobes.get(transform);
            warm_up(transform, &engine, progress)
        });
    }
}
