//! The engine of the pictures, and the notice that it failed.

use crate::base::{Error, Result};
use crate::engine::Engine;
use crate::view::Plans;
use std::sync::{Arc, OnceLock};

/// The engine of the pictures. What its device cannot compute is computed on the CPU, which is reported once.
#[derive(Clone)]
pub struct PictureEngine {
    engine: Engine,
    failure: Arc<OnceLock<Error>>,
    is_reported: bool,
}

impl PictureEngine {
    pub fn new(engine: Engine) -> PictureEngine {
        PictureEngine { engine, failure: Arc::default(), is_reported: false }
    }

    /// The shared plans of transforms.
    pub fn plans(&self) -> &Plans {
        self.engine.plans()
    }

    /// Runs `work`, on the CPU if the device fails.
    ///
    /// # Errors
    /// Those of [`Engine::attempt`].
    pub fn attempt<T>(&self, mut work: impl FnMut(&Engine) -> Result<T>) -> Result<T> {
        let (done, failure) = self.engine.attempt(|engine, _| work(engine))?;
        if let Some(error) = failure {
            // Later failures are logged by the engine.
            _ = self.failure.set(error);
        }
        Ok(done)
    }

    /// The notice of the first failure, once.
    pub fn take_notice(&mut self) -> Option<Error> {
        let error = self.failure.get().filter(|_| !self.is_reported)?.clone();
        self.is_reported = true;
        Some(error.continued("what it cannot draw is computed on the CPU"))
    }
}
