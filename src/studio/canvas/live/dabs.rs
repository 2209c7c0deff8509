//! A brush that builds up, while it is drawn: each dab acts once, on what the one before left.

use super::{MAX_LIVE_CELLS, Preview, Worker, join};
use crate::base::Result;
use crate::document::{Edit, cell_kernel, dab_mask};
use crate::dsp::displacement::{Dab, DabResampler};
use crate::dsp::{CellRect, Stroke, mask};
use crate::engine::EngineRegion;
use crate::view::Analysis;

/// What the dabs so far have left.
#[derive(Default)]
pub(super) struct Dabbed {
    resampler: DabResampler,
    dabs: Vec<Dab>,
    n_done: usize,
    /// Where dabs may fall; the canvas holds what the kernel reads around it too.
    rect: CellRect,
    /// Per signal.
    canvas: Vec<EngineRegion>,
}

impl Worker {
    /// Paints the dabs that the points from index `from` on bring; `last` if no more will come. What is painted in the
    /// end is what the release paints.
    pub(super) fn dabs_step(
        &mut self,
        analysis: &Analysis,
        edit: &Edit,
        stroke: &Stroke,
        from: usize,
        last: bool,
    ) -> Result<Option<Preview>> {
        let grid = analysis.grid().clone();
        let all = grid.all_cells();
        let kernel = cell_kernel(&grid, &edit.brush)?;
        let mut dabbed = self.dabbed.take().unwrap_or_default();
        for point in &stroke.points[from..] {
            let dab = Dab { at: stroke.scaled(point.secs, point.hz), pressure: point.pressure };
            dabbed.resampler.extend(dab, &mut dabbed.dabs);
        }
        if last {
            dabbed.resampler.finish(&mut dabbed.dabs);
        }
        let needed = mask::bounds(&grid, Some(stroke), edit.select.as_ref());
        if needed.n_cells() * analysis.signals().len() > MAX_LIVE_CELLS {
            self.dabbed = Some(dabbed);
            return self.tint(analysis, edit, from);
        }
        let (engine, _) = self.pen_down.engine.for_transform(analysis.stft().params());
        if !dabbed.rect.contains(&needed) {
            // Grown by half, so that a long stroke is not painted anew at every step.
            let room = [needed.frames.len() / 2, needed.bins.len() / 2];
            let [frames, bins] = kernel.halo();
            dabbed.rect = needed.grown(room[0], room[1], &all);
            dabbed.canvas = self.read(analysis, &engine, &dabbed.rect.grown(frames, bins, &all))?;
            dabbed.n_done = 0;
        }
        let mut dirty = CellRect::default();
        while let Some(dab) = dabbed.dabs.get(dabbed.n_done) {
            dabbed.n_done += 1;
            let Some(mask) = dab_mask(&grid, edit, dab, &dabbed.rect) else { continue };
            dirty = dirty.union(&mask.rect);
            for canvas in &mut dabbed.canvas {
                let painted = engine.run(&kernel, canvas, &mask)?;
                engine.paste(canvas, &painted)?;
            }
        }
        let preview = (!dirty.is_empty())
            .then(|| join(&engine, dabbed.canvas.iter().map(|canvas| engine.crop(canvas, &dirty)), 1))
            .transpose();
        self.dabbed = Some(dabbed);
        preview
    }
}
