//! Sound from elsewhere, moved in frequency: what clone and paste share.

use crate::base::Result;
use crate::document::plan::{EditPiece, SignalPass};
use crate::dsp::displacement::Displacement;
use crate::dsp::partials::{self, Carried};
use crate::dsp::{Axis, CellRect, Grid, Kernel, Mask};
use crate::engine::EngineRegion;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum distance of sound from elsewhere, so that sums of sample positions never overflow.
pub(super) const FARTHEST_SAMPLES: i64 = 1 << 52;

/// Takes sound from so many units of an axis higher: all of it by the same hertz on a linear axis, otherwise [each
/// partial](crate::dsp::partials) by its own.
#[derive(Debug)]
pub(super) struct FrequencyShift {
    axis: Axis,
    units: f64,
    /// Where the edit begins: phases run on from there.
    first_frame: usize,
    /// State of moving partials from one piece to the next, by signal and first frame.
    carried: Mutex<HashMap<(u64, usize), Carried>>,
}

impl FrequencyShift {
    /// Of an edit that begins at `first_frame`.
    pub fn new(axis: Axis, units: f64, first_frame: usize) -> FrequencyShift {
        FrequencyShift { axis, units, first_frame, carried: Mutex::default() }
    }

    /// Whether sound is moved at all.
    pub fn moves(&self) -> bool {
        self.units != 0.0
    }

    /// Whether each partial is moved by its own hertz.
    pub fn is_by_partials(&self) -> bool {
        self.moves() && self.axis != Axis::Linear
    }

    /// The kernel that moves all sound by the same hertz to the cells of a mask; `None` if that is not how it moves.
    pub fn kernel(&self, grid: &Grid, mask: &Mask) -> Option<Kernel> {
        if !self.moves() || self.is_by_partials() {
            return None;
        }
        let field = Displacement::shift(grid, mask, self.axis, self.units, self.first_frame);
        Some(Kernel::resampling(grid, field))
    }

    /// The cells of a piece in the samples under its frames, moved; `kernel` is that of the piece's mask.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn moved(
        &self,
        pass: &SignalPass<'_>,
        piece: &EditPiece<'_>,
        samples: &[f32],
        kernel: Option<&Kernel>,
    ) -> Result<EngineRegion> {
        let (grid, stft, frames) = (&pass.place.grid, &pass.place.stft, piece.rect.frames.clone());
        let all_bins = grid.all_bins(frames.clone());
        if let Some(kernel) = kernel {
            let bins = match kernel {
                Kernel::Resample { displacement, .. } => displacement.bins_read(grid.n_bins()),
                _ => all_bins.bins,
            };
            let source = pass.engine.analyse(stft, samples, &CellRect::new(frames, bins))?;
            return pass.engine.run(kernel, &source, &piece.mask);
        }
        if !self.moves() {
            return pass.engine.analyse(stft, samples, &piece.rect);
        }
        // Analysed on the CPU too, so that both engines find the same peaks.
        let on_cpu = pass.engine.on_cpu();
        let source = on_cpu.download(on_cpu.analyse(stft, samples, &all_bins)?)?;
        let mut carried = self.carried_to(pass, frames.start);
        let moved = partials::shift(grid, stft, self.axis, -self.units, &source, &piece.mask, &mut carried);
        self.carry_to(pass, frames.end, carried);
        pass.engine.upload(moved)
    }

    /// What the piece that starts at `frame` takes over from the one before, if that was painted.
    fn carried_to(&self, pass: &SignalPass<'_>, frame: usize) -> Carried {
        let carried = self.carried.lock().unwrap_or_else(PoisonError::into_inner);
        carried.get(&(pass.signal.number(), frame)).cloned().unwrap_or_default()
    }

    fn carry_to(&self, pass: &SignalPass<'_>, frame: usize, what: Carried) {
        self.carried.lock().unwrap_or_else(PoisonError::into_inner).insert((pass.signal.number(), frame), what);
    }
}
