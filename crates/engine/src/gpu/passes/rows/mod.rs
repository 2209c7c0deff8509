//! Cells of rows on the device, from the spectra of slices, and the brushes that read across rows.
//! May touch: the tables of rows, the FFT of slices, and the batch.

mod blur;
mod drawn;
mod moving;
mod pieces;
mod synthesis;
mod tables;

use crate::base::Result;
use crate::dsp::CellRect;
use crate::dsp::transforms::rows::{ReadingPart, RowBank, RowReading};
use crate::gpu::batch::{Batch, uniform, words};
use crate::gpu::buffers::tables::Table;
use crate::gpu::layout::{Frames, RowPart};
use crate::gpu::passes::stft::{batches, check};
use crate::gpu::passes::windows::SampleWindows;
use crate::gpu::shaders::Program;
use crate::gpu::stored::SampleSource;
use crate::gpu::{Gpu, GpuRegion};
use pieces::{GroupCells, RowSum};

impl Gpu {
    /// Why the device does not [analyse](Gpu::analyse_rows) these cells; `None` if it does.
    pub fn why_not_read(reading: &RowReading<'_>) -> Option<&'static str> {
        reading.parts().iter().find_map(|part| cells_of(part).why_on_cpu())
    }

    /// Twin of [`RowReading::analyse`], including the scale of a plan's cells, on which a unit sine reads 1 on any row.
    /// `samples` are those [under](RowReading::samples_under) the cells.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::base::ErrorKind::Unsupported) for what it [does not](Gpu::why_not_read)
    /// compute, [`ErrorKind::Limit`](crate::base::ErrorKind::Limit) for regions larger than the device's largest
    /// buffer, [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn analyse_rows(
        &self,
        batch: &mut Batch<'_>,
        bank: &RowBank,
        reading: &RowReading<'_>,
        samples: SampleSource<'_>,
    ) -> Result<GpuRegion> {
        let under = reading.samples_under();
        check(samples.n_samples() as i64 == under.end - under.start, "samples do not fit the columns")?;
        let region = self.region(reading.rect().clone())?;
        if region.rect.is_empty() {
            return Ok(region);
        }
        let is_whole = |part: &ReadingPart<'_>| part.in_reading().frames == region.rect.frames;
        if !reading.parts().iter().all(is_whole) {
            batch.clear(&region.magnitude, region.rect.n_cells());
            batch.clear(&region.phase, region.rect.n_cells());
        }
        let windows = self.windows(batch, samples)?;
        for part in reading.parts() {
            let CellRect { frames, bins } = part.in_reading();
            let to = [frames.start - region.rect.frames.start, bins.start - region.rect.bins.start];
            self.analyse_group(batch, bank, &cells_of(part), (under.start, &windows), (&region, to))?;
        }
        Ok(region)
    }

    /// Computes the cells of a group, and writes them to a region from its frame and bin `to` on. `first` is the number
    /// of the first sample.
    pub(in crate::gpu) fn analyse_group(
        &self,
        batch: &mut Batch<'_>,
        bank: &RowBank,
        cells: &GroupCells<'_>,
        (first, windows): (i64, &SampleWindows<'_>),
        (region, to): (&GpuRegion, [usize; 2]),
    ) -> Result<()> {
        if cells.rows.is_empty() || cells.columns.is_empty() {
            return Ok(());
        }
        let slice_len = cells.group.slice_len();
        let (half, slices) = (slice_len / 2, cells.slices());
        let (fft, tables) = (self.fft(slice_len)?, self.row_tables(bank, cells.group)?);
        let (ones, roots) = (Table::Ones(slice_len), Table::Twiddles(cells.group.n_places()));
        let (window, root_values) = (self.table(ones)?, self.table(roots)?);
        let n_batch = cells.slices_at_once(&fft).min(slices.len());
        let packed = self.lease(n_batch * slice_len)?;
        let between = fft.lease_between(self, n_batch * slice_len)?;
        let part = RowPart {
            frame: to[0] as u32,
            first_bin: to[1] as u32,
            n_bins: region.rect.bins.len() as u32,
            ..cells.part(&tables, RowSum::Bins, slices.start)
        };
        for run in batches(slices.len(), n_batch) {
            let start = (((slices.start + run.start) as i64 - 1) * half as i64 - first) as usize;
            batch.add_work(run.len() * cells.n_products());
            let (samples, first_sample) = windows.at(self, batch, start..start + (run.len() + 1) * half)?;
            let frames = fft.frames(run.start, run.len(), half);
            let frames = Frames { first_sample: first_sample as u32, ..frames };
            fft.forward(
                batch,
                &frames,
                [(&samples.lease, samples.n), (&window, ones.len())],
                [&packed, between.as_ref().unwrap_or(&packed)],
            )?;
            batch.dispatch(
                Program::file("row_cells", "row_cells"),
                &[
                    (0, uniform(&frames)),
                    (1, uniform(&part)),
                    (2, words(&packed, run.len() * slice_len)),
                    (3, words(&fft.twiddles, fft.n_twiddles())),
                    (4, words(&tables.rows, tables.n_row_words())),
                    (5, words(&tables.windows, tables.n_windows)),
                    (6, words(&root_values, roots.len())),
                    (7, words(&region.magnitude, region.rect.n_cells())),
                    (8, words(&region.phase, region.rect.n_cells())),
                ],
                cells.groups(&part, run.len()),
            )?;
        }
        Ok(())
    }
}

fn cells_of<'r>(part: &'r ReadingPart<'_>) -> GroupCells<'r> {
    GroupCells { group: &part.group, rows: part.rect.bins.clone(), columns: part.rect.frames.clone() }
}
