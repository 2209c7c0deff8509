//! Everything made ahead of the first stroke, which would otherwise wait for it.

use super::Gpu;
use super::shaders::Program;
use super::stft;
use crate::base::Result;
use crate::dsp::StftParams;

impl Gpu {
    /// Compiles the pipelines of the brushes and, for a size that the GPU does, of the STFT. Takes a second or so;
    /// call it from a thread of its own.
    ///
    /// # Errors
    /// [`Gpu`](crate::base::ErrorKind::Gpu) when the driver refuses one.
    pub fn warm_up(&self, params: &StftParams) -> Result<()> {
        for program in stft::programs(params).into_iter().chain(Program::FILES) {
            self.guarded(|| self.pipelines.get(self.device(), program))?;
        }
        Ok(())
    }
}
