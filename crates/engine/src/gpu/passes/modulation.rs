//! The modulation filter on the device: one axis after the other, lines in batches, a global-memory FFT of any power of
//! two.

use super::stft::{batches, check};
use crate::base::Result;
use crate::dsp::kernels::padded_length;
use crate::gpu::batch::{Batch, groups_of_256, uniform, words};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::buffers::tables::Table;
use crate::gpu::layout::Lines;
use crate::gpu::shaders::Program;
use crate::gpu::{Gpu, GpuRegion};

/// Maximum number of padded complex values in one batch of lines.
const BATCH_PAIRS: usize = 1 << 20;

const LINES: &str = "modulation_lines";

impl Gpu {
    /// The filtered magnitudes of the patch, not yet clamped; `None` if no axis is filtered.
    pub(in crate::gpu) fn modulation_filter(
        &self,
        batch: &mut Batch<'_>,
        frame_response: Option<&[f32]>,
        bin_response: Option<&[f32]>,
        before: &GpuRegion,
    ) -> Result<Option<Lease>> {
        let (n_frames, n_bins) = (before.rect.frames.len() as u32, before.rect.bins.len() as u32);
        let along_frames =
            Lines { n_cells: n_frames, n_lines: n_bins, cell_step: n_bins, line_step: 1, ..Lines::default() };
        let along_bins =
            Lines { n_cells: n_bins, n_lines: n_frames, cell_step: 1, line_step: n_bins, ..Lines::default() };
        let mut filtered = None;
        for (lines, response) in [(along_frames, frame_response), (along_bins, bin_response)] {
            if let Some(response) = response {
                let plane = filtered.as_ref().unwrap_or(&before.magnitude);
                filtered = Some(self.filter_lines(batch, lines, response, plane)?);
            }
        }
        Ok(filtered)
    }

    /// Filters every line of a plane with `response`, two real lines per complex FFT.
    fn filter_lines(&self, batch: &mut Batch<'_>, lines: Lines, response: &[f32], plane: &Lease) -> Result<Lease> {
        let n_padded = padded_length(lines.n_cells as usize);
        check(response.len() == n_padded / 2 + 1, "a response does not fit its axis")?;
        let n_plane = (lines.n_cells * lines.n_lines) as usize;
        let n_pairs = (lines.n_lines as usize).div_ceil(2);
        let pairs_per_batch = (BATCH_PAIRS / n_padded).clamp(1, n_pairs);
        let n_data = 2 * pairs_per_batch * n_padded;
        let mut data = [self.lease(n_data)?, self.lease(n_data)?];
        let filtered = self.lease(n_plane)?;
        let response_values = self.uploaded(response)?;
        let twiddles = Table::Twiddles(n_padded);
        let twiddle_values = self.table(twiddles)?;
        for pairs in batches(n_pairs, pairs_per_batch) {
            let n = pairs.len();
            // Keeps the memory order of the plane: pair-major if the cells of a line are contiguous, else
            // element-major.
            let (element_step, pair_step) = if lines.cell_step == 1 { (1, n_padded) } else { (n, 1) };
            let lines = Lines {
                n_padded: n_padded as u32,
                n_before: ((n_padded - lines.n_cells as usize) / 2) as u32,
                first_pair: pairs.start as u32,
                n_pairs: n as u32,
                element_step: element_step as u32,
                pair_step: pair_step as u32,
                ..lines
            };
            batch.dispatch(
                Program::file(LINES, "load"),
                &[(0, uniform(&lines)), (1, words(plane, n_plane)), (3, words(&data[0], n_data))],
                groups_of_256(n * n_padded),
            )?;
            for inverse in [0, 1] {
                let mut n_done = 1;
                while n_done < n_padded {
                    let radix = if n_padded / n_done >= 4 { 4 } else { 2 };
                    let parameters = Lines { n_done: n_done as u32, inverse, ..lines };
                    batch.dispatch(
                        Program::file(LINES, if radix == 4 { "pass_4" } else { "pass_2" }),
                        &[
                            (0, uniform(&parameters)),
                            (2, words(&data[0], n_data)),
                            (3, words(&data[1], n_data)),
                            (4, words(&twiddle_values, twiddles.len())),
                        ],
                        groups_of_256(n * n_padded / radix),
                    )?;
                    data.swap(0, 1);
                    n_done *= radix;
                }
                if inverse == 0 {
                    batch.dispatch(
                        Program::file(LINES, "respond"),
                        &[
                            (0, uniform(&lines)),
                            (3, words(&data[0], n_data)),
                            (5, words(&response_values, response.len())),
                        ],
                        groups_of_256(n * n_padded),
                    )?;
                }
            }
            batch.dispatch(
                Program::file(LINES, "store"),
                &[(0, uniform(&lines)), (2, words(&data[0], n_data)), (6, words(&filtered, n_plane))],
                groups_of_256(n * lines.n_cells as usize),
            )?;
            if pairs.end < n_pairs {
                batch.submit();
            }
        }
        Ok(filtered)
    }
}
