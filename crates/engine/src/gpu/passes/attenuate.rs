//! The heal brush's attenuation on the device: first the levels around each run of the hole, then the cells.

use super::kernels::KernelRun;
use super::stft::batches;
use crate::base::Result;
use crate::dsp::Mask;
use crate::dsp::kernels::{self, Attenuation, CellRuns, Mixing};
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, groups_of_256, uniform, words};
use crate::gpu::layout::{Attenuate, Cells, HoleRun};
use crate::gpu::shaders::Program;

/// Maximum number of context cells per submission.
const BATCH_WORK: usize = 1 << 24;

impl Gpu {
    /// Twin of the CPU kernel. The runs are computed from the mask on the CPU.
    pub(in crate::gpu) fn attenuate(
        &self,
        batch: &mut Batch<'_>,
        around: &Attenuation,
        run: &KernelRun<'_>,
        mask: &Mask,
    ) -> Result<()> {
        let found = CellRuns::new(mask, &run.before.rect, around.context);
        let n_run_words = found.runs.len() * size_of::<HoleRun>() / 4;
        let n_cells = mask.rect.n_cells();
        if found.runs.is_empty() {
            // Nothing acts; every cell is copied.
            return self.each_cell(batch, Program::file("erase", "run"), run, 1, || []);
        }
        let [of_frames, of_bins] = [self.uploaded(&found.of_frames)?, self.uploaded(&found.of_bins)?];
        let runs: Vec<HoleRun> = found.runs.iter().map(on_device).collect();
        let runs = self.uploaded(&runs)?;
        let [[weight_before, weight_after], [weight_below, weight_above]] = around.weights;
        let mixing = match around.mixing {
            Mixing::Time => 0,
            Mixing::Frequency => 1,
            Mixing::Both => 2,
            Mixing::Shape => 3,
        };
        let parameters = Attenuate {
            weight_before,
            weight_after,
            weight_below,
            weight_above,
            frame_unit: around.units[0],
            bin_unit: around.units[1],
            mixing,
            n_runs: found.runs.len() as u32,
        };
        let longest = around.context.iter().flatten().sum::<usize>().max(1);
        for part in batches(found.runs.len(), BATCH_WORK / longest) {
            let cells = Cells { first_cell: part.start as u32, end_cell: part.end as u32, ..Cells::default() };
            batch.dispatch(
                Program::file("attenuate", "measure"),
                &[
                    (0, uniform(&cells)),
                    (1, words(&run.before.magnitude, run.before.rect.n_cells())),
                    (8, words(&runs, n_run_words)),
                ],
                groups_of_256(part.len()),
            )?;
            if part.end < found.runs.len() {
                batch.submit();
            }
        }
        let bind = || {
            [
                (6, words(&of_frames, n_cells)),
                (7, words(&of_bins, n_cells)),
                (8, words(&runs, n_run_words)),
                (9, uniform(&parameters)),
            ]
        };
        self.each_cell(batch, Program::file("attenuate", "run"), run, 1, bind)
    }
}

/// A run in the layout of the shader.
fn on_device(run: &kernels::CellRun) -> HoleRun {
    let kernels::CellRun { line, step, first, end, n_before, n_after, before, after } = *run;
    HoleRun { line, step, first, end, n_before, n_after, before, after }
}
