//! Readies the engine for the first stroke, in a job, whenever the view's transform is a new one.

use crate::document::warm_up;
use crate::dsp::Transform;
use crate::engine::Engine;
use crate::workbench::{Job, Jobs, Lobes};

/// What was made ready, or is being.
#[derive(Default)]
pub struct Warm {
    transform: Option<Transform>,
    job: Option<Job<()>>,
}

impl Warm {
    /// Once per frame. A failure is only logged: the stroke itself will tell.
    pub fn follow(&mut self, transform: Transform, engine: &Engine, lobes: &Lobes, jobs: &Jobs) {
        if let Some(answer) = self.job.as_mut().and_then(Job::poll) {
            self.job = None;
            if let Err(error) = answer {
                tracing::warn!(%error, "the engine was not made ready for the first stroke");
            }
        }
        if self.transform == Some(transform.clone()) {
            return;
        }
        self.transform = Some(transform.clone());
        let (engine, lobes) = (engine.clone(), lobes.clone());
        self.job = Some(jobs.spawn("warm", move |progress| {
            lobes.get(&transform);
            warm_up(&transform, &engine, progress)
        }));
    }
}
