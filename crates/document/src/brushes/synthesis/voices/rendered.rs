//! The rendered sound of a score.

use crate::base::{Error, ErrorKind, Result};
use crate::document::sound::added::{AddedSound, TakeRendered};
use crate::dsp::voices::{CHUNK, Score};
use crate::engine::Engine;
use std::sync::Arc;

/// Number of samples of the first block, small for a quick start; blocks double in length up to [`MAX_SAMPLES`].
const FIRST_SAMPLES: usize = CHUNK;
const MAX_SAMPLES: usize = 1 << 16;

/// A score that begins at a sample of the document.
#[derive(Debug)]
pub struct AddedVoices {
    pub score: Arc<Score>,
    /// First sample in the document; it may precede the start.
    pub first_sample: i64,
    pub rate_hz: f64,
}

impl AddedSound for AddedVoices {
    fn first_sample(&self) -> i64 {
        self.first_sample
    }

    fn n_samples(&self) -> u64 {
        self.score.n_samples(self.rate_hz)
    }

    fn render(&self, engine: &Engine, is_stereo: bool, until: u64, take: &mut TakeRendered<'_>) -> Result<Vec<String>> {
        engine.with_voices(|pool, [left, right]| {
            let stream = pool.begin(&self.score, self.rate_hz, is_stereo);
            let stream = stream.map_err(|error| Error::new(ErrorKind::Script, error.message()))?;
            let engine = engine.for_voices(stream.max_oscillators());
            let mut notices: Vec<String> = self.score.inaudible_notice(self.rate_hz).into_iter().collect();
            let end = stream.n_samples().min(until);
            let mut rendering = engine.voices(stream, end);
            let mut max = FIRST_SAMPLES;
            while rendering.position() < end {
                let first = rendering.position();
                let n = (end - first).min(max as u64) as usize;
                max = (2 * max).min(MAX_SAMPLES);
                left.resize(n, 0.0);
                right.resize(if is_stereo { n } else { 0 }, 0.0);
                notices.extend(rendering.render(left, right)?);
                take(first, [left, right])?;
            }
            Ok(notices)
        })
    }
}
