//! Everything made ahead of the first stroke, which would otherwise wait for it.

use super::Gpu;
use super::fft::{self, FftDirection};
use super::shaders::Program;
use crate::base::Result;

impl Gpu {
    /// Compiles the pipelines of the brushes and, for a size that the GPU does, of the STFT. Takes a second or so;
    /// call it from a thread of its own.
    ///
    /// # Errors
    /// [`Gpu`](crate::base::ErrorKind::Gpu) when the driver refuses one.
    pub fn warm_up(&self, n_fft: usize) -> Result<()> {
        let ffts = [FftDirection::Forward, FftDirection::Inverse].map(|direction| Program::Fft { n_fft, direction });
        let ffts = ffts.into_iter().filter(|_| fft::SIZES.contains(&n_fft));
        for program in ffts.chain(Program::FILES) {
            self.guarded(|| self.pipelines.get(self.device(), program))?;
        }
        Ok(())
    }
}
