//! Computes rows at the frames of a view, on the device.

use super::pieces::GroupCells;
use super::tables::turns_of_rows;
use crate::base::Result;
use crate::dsp::CellRect;
use crate::dsp::transforms::rows::{DrawnRows, RowGroup};
use crate::gpu::batch::{Batch, groups_of_256, uniform, words};
use crate::gpu::layout::RowFrames;
use crate::gpu::passes::stft::{batches, check};
use crate::gpu::passes::windows::SampleWindows;
use crate::gpu::shaders::Program;
use crate::gpu::stored::SampleSource;
use crate::gpu::{Gpu, GpuRegion};

/// Maximum number of cells of a group, in its own columns, that are computed at a time.
const CELLS_AT_ONCE: usize = 1 << 20;

/// Rows of one group in a rectangle of frames.
struct GroupFrames<'a> {
    drawn: &'a DrawnRows,
    level: u32,
    group: &'a RowGroup,
    rect: CellRect,
}

impl<'a> GroupFrames<'a> {
    fn of<'g: 'a>(drawn: &'a DrawnRows, level: u32, groups: &'g [RowGroup], rect: &CellRect) -> Vec<GroupFrames<'a>> {
        let rows = |group: &RowGroup| rect.intersect(&CellRect::new(rect.frames.clone(), group.rows()));
        let all = groups.iter().map(|group| GroupFrames { drawn, level, group, rect: rows(group) });
        all.filter(|own| !own.rect.is_empty()).collect()
    }

    fn cells(&self) -> GroupCells<'a> {
        let columns = self.drawn.columns(self.level, self.group, &self.rect.frames);
        GroupCells { group: self.group, rows: self.rect.bins.clone(), columns }
    }
}

impl Gpu {
    /// Why the device does not [draw](Gpu::draw_rows) these cells; `None` if it does.
    pub fn why_not_drawn(drawn: &DrawnRows, level: u32, rect: &CellRect) -> Option<&'static str> {
        let groups = drawn.groups(level);
        GroupFrames::of(drawn, level, &groups, rect).iter().find_map(|own| own.cells().why_on_cpu())
    }

    /// Twin of [`DrawnRows::analyse`].
    ///
    /// # Errors
    /// As [`analyse_rows`](Gpu::analyse_rows), for what it [does not](Gpu::why_not_drawn) compute.
    pub fn draw_rows(
        &self,
        batch: &mut Batch<'_>,
        drawn: &DrawnRows,
        level: u32,
        rect: &CellRect,
        samples: SampleSource<'_>,
    ) -> Result<GpuRegion> {
        let under = drawn.samples_read(level, rect);
        check(samples.n_samples() as i64 == under.end - under.start, "samples do not fit the frames")?;
        let groups = drawn.groups(level);
        let region = self.region(rect.clone())?;
        let windows = self.windows(batch, samples)?;
        for own in GroupFrames::of(drawn, level, &groups, rect) {
            let per_frame = drawn.columns_per_frame(level, own.group) * own.rect.bins.len();
            for frames in batches(rect.frames.len(), CELLS_AT_ONCE / per_frame) {
                let frames = rect.frames.start + frames.start..rect.frames.start + frames.end;
                let run = GroupFrames { rect: CellRect::new(frames, own.rect.bins.clone()), ..own };
                self.draw_group(batch, &run, (under.start, &windows), &region)?;
            }
        }
        Ok(region)
    }

    fn draw_group(
        &self,
        batch: &mut Batch<'_>,
        own: &GroupFrames<'_>,
        samples: (i64, &SampleWindows<'_>),
        region: &GpuRegion,
    ) -> Result<()> {
        let (cells, rect, bank) = (own.cells(), &own.rect, own.drawn.bank());
        let (n_rows, n_frames) = (rect.bins.len(), rect.frames.len());
        let columns = self.region(CellRect::new(cells.columns.clone(), cells.rows.clone()))?;
        self.analyse_group(batch, bank, &cells, samples, (&columns, [0, 0]))?;
        let turns = turns_of_rows(own.group, rect.bins.clone(), cells.columns.start);
        let turns_on_device = self.uploaded(&turns)?;
        let columns_per_frame = own.drawn.columns_per_frame(own.level, own.group);
        let parameters = RowFrames {
            n_rows: n_rows as u32,
            n_frames: n_frames as u32,
            columns_per_frame: columns_per_frame as u32,
            n_missing: (columns_per_frame * n_frames - cells.columns.len()) as u32,
            frame: (rect.frames.start - region.rect.frames.start) as u32,
            first_bin: (rect.bins.start - region.rect.bins.start) as u32,
            n_bins: region.rect.bins.len() as u32,
        };
        batch.dispatch(
            Program::file("row_drawn", "row_drawn"),
            &[
                (0, uniform(&parameters)),
                (1, words(&columns.magnitude, columns.rect.n_cells())),
                (2, words(&columns.phase, columns.rect.n_cells())),
                (3, words(&turns_on_device, size_of_val(&turns[..]) / 4)),
                (4, words(&region.magnitude, region.rect.n_cells())),
                (5, words(&region.phase, region.rect.n_cells())),
            ],
            groups_of_256(n_frames * n_rows),
        )
    }
}
