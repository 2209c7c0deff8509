//! Readies the engine for the first stroke, in a job, whenever the view's transform is a new one.

use crate::document::warm_up;
use crate::dsp::StftParams;
use crate::engine::Engine;
use crate::view::Plans;
use crate::workbench::{Job, Jobs, Lobes};

/// What was made ready, or is being.
#[derive(Default)]
pub struct Warm {
    transform: Option<StftParams>,
    job: Option<Job<()>>,
}

impl Warm {
    /// Once per frame. A failure is only logged: the stroke itself will tell.
    pub fn follow(&mut self, transform: StftParams, engine: &Engine, tables: (&Plans, &Lobes), jobs: &Jobs) {
        if let Some(answer) = self.job.as_mut().and_then(Job::poll) {
            self.job = None;
            if let Err(error) = answer {
                tracing::warn!(%error, "the engine was not made ready for the first stroke");
            }
        }
        if self.transform == Some(transform) {
            return;
        }
        self.transform = Some(transform);
        let (engine, plans, lobes) = (engine.clone(), tables.0.clone(), tables.1.clone());
        self.job = Some(jobs.spawn("warm", move |progress| {
            for params in [transform, transform.for_moves()] {
                plans.get(params);
            }
            lobes.get(transform);
            warm_up(transform, &engine, progress)
        }));
    }
}
