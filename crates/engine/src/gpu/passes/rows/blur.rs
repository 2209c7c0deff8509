//! Blur and sharpening on rows, on the device.

use crate::base::Result;
use crate::dsp::transforms::rows::RowBlur;
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, uniform, words};
use crate::gpu::buffers::row_tables::RowTapTables;
use crate::gpu::layout::{RowBlurring, RowTaps};
use crate::gpu::passes::kernels::KernelRun;
use crate::gpu::passes::stft::check;
use crate::gpu::shaders::Program;
use std::sync::Arc;

/// Maximum number of weights of a table that is kept: 256 KB.
const MAX_KEPT_TAPS: usize = 1 << 16;

impl Gpu {
    /// Twin of [`RowBlur::run`].
    ///
    /// # Errors
    /// As [`run`](Gpu::run).
    pub(in crate::gpu) fn row_blur(
        &self,
        batch: &mut Batch<'_>,
        blur: &Arc<RowBlur>,
        run: &KernelRun<'_>,
    ) -> Result<()> {
        let (held, written, own) = (&run.before.rect.bins, &run.after.rect.bins, blur.rows());
        check(own.start <= written.start && written.end <= own.end, "a blur writes rows that it has no weights for")?;
        let read = blur.rows_read(written);
        check(held.start <= read.start && read.end <= held.end, "a blur reads rows outside its region")?;
        let tables = self.row_taps(blur)?;
        let (along_frames, n_along_frames) = self.blur_frames(batch, blur.frame_taps(), run)?;
        let parameters = RowBlurring {
            first_row: own.start as u32,
            sharpens: blur.amount().is_some().into(),
            amount: blur.amount().unwrap_or(0.0),
        };
        let bind = || {
            [
                (6, words(&along_frames, n_along_frames)),
                (7, words(&tables.rows, tables.n_row_words)),
                (8, words(&tables.taps, tables.n_taps)),
                (9, uniform(&parameters)),
            ]
        };
        self.each_cell(batch, Program::file("row_blur", "run"), run, tables.widest, bind)
    }

    /// The weights of a blur; small ones are created on first use.
    fn row_taps(&self, blur: &Arc<RowBlur>) -> Result<Arc<RowTapTables>> {
        let n_taps: usize = blur.row_taps().iter().map(|(_, taps)| taps.len()).sum();
        if n_taps > MAX_KEPT_TAPS {
            return self.make_row_taps(blur).map(Arc::new);
        }
        self.row_taps.get(blur.clone(), || self.make_row_taps(blur))
    }

    fn make_row_taps(&self, blur: &RowBlur) -> Result<RowTapTables> {
        let (mut rows, mut all_taps, mut widest) = (Vec::with_capacity(blur.rows().len()), Vec::new(), 0);
        for (first_row, taps) in blur.row_taps() {
            let (n_taps, first_tap) = (taps.len() as u32, all_taps.len() as u32);
            rows.push(RowTaps { first_row: *first_row as u32, n_taps, first_tap });
            all_taps.extend_from_slice(taps);
            widest = widest.max(taps.len());
        }
        Ok(RowTapTables {
            n_row_words: size_of_val(&rows[..]) / 4,
            rows: self.uploaded(&rows)?,
            n_taps: all_taps.len(),
            taps: self.uploaded(&all_taps)?,
            widest,
        })
    }
}
