//! Computes the spectral flux of sounds, whose peaks are onsets, on the device.

use super::sound_frames::{FrameShape, SpectraRuns};
use crate::base::Result;
use crate::dsp::StftParams;
use crate::dsp::pitch::onsets::{FLUX_FRAMES_BACK, FLUX_GAIN, n_flux_frames};
use crate::gpu::Gpu;
use crate::gpu::batch::{uniform, words};
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::layout::FluxRun;
use crate::gpu::shaders::Program;

impl Gpu {
    /// Twin of [`onset_flux`](crate::dsp::pitch::onsets::onset_flux), for several sounds. Waits for the result, one
    /// value a frame.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::base::ErrorKind::Unsupported) for sizes other than
    /// [`fft::SIZES`](crate::gpu::fft::SIZES), [`ErrorKind::Limit`](crate::base::ErrorKind::Limit) for more frames than
    /// the device's largest buffer holds, [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn onset_flux(&self, params: StftParams, sounds: &[&[f32]]) -> Result<Vec<Vec<f32>>> {
        let sounds: Vec<(&[f32], usize)> =
            sounds.iter().map(|sound| (*sound, n_flux_frames(params, sound.len()))).collect();
        let n_frames = || sounds.iter().map(|(_, n_frames)| *n_frames);
        let Some(n_longest) = n_frames().max() else { return Ok(Vec::new()) };
        let n_all = n_frames().sum();
        let mut all = self.guarded(|| {
            let shape = FrameShape::of_stft(params, FLUX_FRAMES_BACK);
            let scale = FLUX_GAIN / shape.frame_samples() as f32;
            let (runs, flux) = (SpectraRuns::new(self, shape, n_longest)?, self.lease(n_all)?);
            runs.each(self, &sounds, &mut |batch, run| {
                let parameters = FluxRun {
                    n_back: FLUX_FRAMES_BACK as u32,
                    n_before: run.n_before as u32,
                    first_written: run.first_written as u32,
                    scale,
                };
                batch.dispatch(
                    Program::file("onset_flux", "onset_flux"),
                    &[
                        (0, uniform(&run.frames)),
                        (1, uniform(&parameters)),
                        (2, run.packed()),
                        (3, run.twiddles()),
                        (4, words(&flux, n_all)),
                    ],
                    [run.n_frames as u32, 1],
                )
            })?;
            let mut all = vec![0.0f32; n_all];
            self.read(ReadBack::Planes, &flux, 0, &mut all)?;
            Ok(all)
        })?;
        Ok(n_frames().map(|n_frames| all.drain(..n_frames).collect()).collect())
    }
}
