//! Computes the columns of chroma and key of sounds on the device.

use super::sound_frames::{FrameShape, SpectraRun, SpectraRuns};
use crate::base::Result;
use crate::dsp::descriptors::{ChromaAtoms, ChromaColumns, ChromaFrame};
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, Bind, groups_of_256, uniform, words};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::layout::{ChromaAtom, ChromaRun};
use crate::gpu::shaders::Program;

/// Number of values of a frame's columns.
const N_SUMS: usize = size_of::<ChromaFrame>() / size_of::<f32>();

/// Atoms, and the buffers that pass values between the steps of a run.
struct ChromaBuffers {
    n_bins: usize,
    atoms: (Lease, usize),
    values: (Lease, usize),
    spectra: Lease,
    magnitudes: Lease,
    columns: (Lease, usize),
}

impl Gpu {
    /// Twin of [`ChromaMeter`](crate::dsp::descriptors::ChromaMeter), for several sounds. Waits for the result, 24
    /// values a frame.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::base::ErrorKind::Limit) for more frames than the device's largest buffer holds,
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn chroma_columns(&self, sounds: &[&[f32]]) -> Result<Vec<ChromaColumns>> {
        let sounds: Vec<(&[f32], usize)> =
            sounds.iter().map(|sound| (*sound, ChromaColumns::n_frames(sound.len()))).collect();
        let n_frames = || sounds.iter().map(|(_, n_frames)| *n_frames);
        let Some(n_longest) = n_frames().max() else { return Ok(Vec::new()) };
        let n_all: usize = n_frames().sum();
        let of = ChromaAtoms::get();
        let atoms: Vec<ChromaAtom> = of
            .atoms
            .iter()
            .map(|&[first_bin, n_bins, first_value, column]| ChromaAtom { first_bin, n_bins, first_value, column })
            .collect();
        let mut all = self.guarded(|| {
            let shape = FrameShape::unwindowed(of.frame_samples, ChromaColumns::STEP_SAMPLES);
            let runs = SpectraRuns::new(self, shape, n_longest)?;
            let buffers = ChromaBuffers {
                n_bins: of.n_bins,
                atoms: (self.uploaded(&atoms)?, atoms.len()),
                values: (self.uploaded(&of.values)?, of.values.len()),
                spectra: self.lease(2 * runs.n_at_once() * of.n_bins)?,
                magnitudes: self.lease(runs.n_at_once() * atoms.len())?,
                columns: (self.lease(n_all * N_SUMS)?, n_all),
            };
            runs.each(self, &sounds, &mut |batch, run| buffers.record(batch, run))?;
            let mut all: Vec<ChromaFrame> = vec![ChromaFrame::default(); n_all];
            self.read(ReadBack::Planes, &buffers.columns.0, 0, &mut all)?;
            Ok(all)
        })?;
        Ok(n_frames().map(|n_frames| ChromaColumns { frames: all.drain(..n_frames).collect() }).collect())
    }
}

impl ChromaBuffers {
    /// Records the columns of a run.
    fn record(&self, batch: &mut Batch<'_>, run: &SpectraRun<'_>) -> Result<()> {
        let (n_bins, n_atoms, n_frames) = (self.n_bins, self.atoms.1, run.n_frames);
        let parameters = ChromaRun {
            n_frames: n_frames as u32,
            n_bins: n_bins as u32,
            n_atoms: n_atoms as u32,
            n_sums: N_SUMS as u32,
            first_written: run.first_written as u32,
        };
        let atoms = || Bind::Buffer(&self.atoms.0, (n_atoms * size_of::<ChromaAtom>()) as u64);
        let spectra = || words(&self.spectra, 2 * n_frames * n_bins);
        let magnitudes = || words(&self.magnitudes, n_frames * n_atoms);
        batch.dispatch(
            Program::file("chroma", "unpack"),
            &[
                (0, uniform(&run.frames)),
                (1, uniform(&parameters)),
                (2, run.packed()),
                (3, run.twiddles()),
                (4, spectra()),
            ],
            [n_bins.div_ceil(64) as u32, n_frames as u32],
        )?;
        batch.dispatch(
            Program::file("chroma", "measure"),
            &[
                (1, uniform(&parameters)),
                (4, spectra()),
                (5, atoms()),
                (6, words(&self.values.0, 2 * self.values.1)),
                (7, magnitudes()),
            ],
            [n_atoms as u32, n_frames as u32],
        )?;
        let columns = words(&self.columns.0, self.columns.1 * N_SUMS);
        batch.dispatch(
            Program::file("chroma", "add_octaves"),
            &[(1, uniform(&parameters)), (5, atoms()), (7, magnitudes()), (8, columns)],
            groups_of_256(n_frames * N_SUMS),
        )
    }
}
