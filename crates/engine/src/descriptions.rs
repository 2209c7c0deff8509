//! Chroma columns and onset flux of many sounds at once, on either engine, for their descriptions.

use super::{ComputeDevice, Engine};
use crate::base::{Result, trace};
use crate::dsp::StftParams;
use crate::dsp::descriptors::{ChromaColumns, ChromaMeter};
use crate::dsp::pitch::onsets::onset_flux;

impl Engine {
    /// The columns of chroma and key of each sound, in order; see [`ChromaMeter`]. Blocks on the GPU.
    ///
    /// # Errors
    /// See [`Gpu::chroma_columns`](crate::gpu::Gpu::chroma_columns); none on the CPU.
    pub fn chroma_columns(&self, sounds: &[&[f32]]) -> Result<Vec<ChromaColumns>> {
        let _span = trace::span("chroma columns");
        let _notes = self.taking_notes();
        match &self.device {
            ComputeDevice::Cpu => Ok(self.noted("chroma", || {
                let mut meter = ChromaMeter::new(self.plans.ffts());
                let columns = |sound: &&[f32]| {
                    meter.push(sound);
                    meter.finish()
                };
                sounds.iter().map(columns).collect()
            })),
            ComputeDevice::Gpu(gpu) => gpu.chroma_columns(sounds),
        }
    }

    /// The [onset flux](onset_flux) of each sound, in order. Blocks on the GPU.
    ///
    /// # Errors
    /// See [`Gpu::onset_flux`](crate::gpu::Gpu::onset_flux); none on the CPU.
    pub fn onset_flux(&self, params: StftParams, sounds: &[&[f32]]) -> Result<Vec<Vec<f32>>> {
        let _span = trace::span("onset flux");
        let _notes = self.taking_notes();
        match &self.device {
            ComputeDevice::Cpu => {
                let stft = self.plans.get(params);
                Ok(self.noted("onset_flux", || sounds.iter().map(|sound| onset_flux(&stft, sound)).collect()))
            }
            ComputeDevice::Gpu(gpu) => gpu.onset_flux(params, sounds),
        }
    }
}
