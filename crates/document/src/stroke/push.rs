//! A push while drawing: its field moves dab by dab, and the moved cells are resampled from pen-down.

use super::{Computed, MAX_LIVE_CELLS, StrokeSession, brush_of};
use crate::base::Result;
use crate::dsp::warps::displacement::PushField;
use crate::dsp::{CellRect, Kernel, Mask};
use crate::engine::{Engine, EngineRegion};

impl StrokeSession {
    /// Moves the field by the new dabs.
    pub(super) fn push_dabs(&mut self) {
        let Some(stroke) = &self.edit.stroke else { return };
        let needed = self.drawn.mask.bounds();
        let moved = self.drawn.push(&brush_of(stroke), self.edit.select.as_ref(), &needed);
        self.moved = self.moved.union(&moved);
    }

    /// The cells moved by the new dabs.
    pub(super) fn pushed(&mut self, engine: &Engine) -> Result<Computed> {
        let needed = self.drawn.mask.bounds();
        if needed.is_empty() {
            return Ok(Computed::Nothing);
        }
        if needed.n_cells() * self.signals.len() > MAX_LIVE_CELLS {
            return Ok(Computed::Unknown);
        }
        self.ready_pending();
        self.push_dabs();
        let Some(field) = self.drawn.field().filter(|_| !self.moved.is_empty()) else { return Ok(Computed::Nothing) };
        // The phases of a bin accumulate over time, so bins with moved cells are computed in all frames of the stroke.
        let rect = CellRect::new(needed.frames, self.moved.bins.clone());
        let (kernel, mask, frames) = self.resampling(field, &rect);
        let mut held = self.held.take();
        let is_held = self.hold(&mut held, engine, frames);
        self.held = held;
        is_held?;
        let before = self.held.as_ref().map_or(&[][..], |(_, regions)| regions);
        let after = |before: &EngineRegion| engine.run(&kernel, before, &mask);
        let cells = before.iter().map(after).collect::<Result<_>>()?;
        self.moved = CellRect::default();
        Ok(Computed::Cells(cells))
    }

    /// The kernel that moves sound to `rect`, its mask, and the frames it reads.
    fn resampling(&self, field: &PushField, rect: &CellRect) -> (Kernel, Mask, std::ops::Range<usize>) {
        let displacement = field.displacement(rect);
        let sources = displacement.frames_read(self.grid.n_frames());
        let values = displacement.acts.iter().map(|&acts| acts as f32).collect();
        let mask = Mask { rect: rect.clone(), values };
        let frames = if sources.is_empty() {
            rect.frames.clone()
        } else {
            rect.frames.start.min(sources.start)..rect.frames.end.max(sources.end)
        };
        (Kernel::resampling(&self.grid, displacement), mask, frames)
    }
}
