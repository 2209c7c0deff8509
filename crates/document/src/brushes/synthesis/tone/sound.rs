//! A tone with its own fades, as samples: added to the sound, or on cells if limited by a selection.

use crate::base::Result;
use crate::document::Signal;
use crate::document::edits::plan::{EditPiece, Placement, PlannedBrush, Scope, SignalPass};
use crate::document::sound::added::{AddedSound, TakeRendered};
use crate::dsp::CellRect;
use crate::dsp::selections::mask;
use crate::dsp::strokes::tone_sound::ToneSound;
use crate::engine::{Engine, EngineRegion};
use std::sync::Arc;

/// Number of samples rendered at a time.
const BLOCK_SAMPLES: u64 = 1 << 16;

/// Name of a tone in reports of passes.
pub const PASS: &str = "tone";
/// Reason that it is rendered on the CPU.
pub const TONE_WHY: &str = "the phase of a tone is summed in f64";

/// A tone to be rendered, with the gains of left and right.
#[derive(Debug, Clone)]
pub struct AddedTone {
    pub sound: Arc<ToneSound>,
    /// Gains of left and right; one of them is 1.
    pub gains: [f32; 2],
}

impl AddedSound for AddedTone {
    fn first_sample(&self) -> i64 {
        self.sound.samples().start
    }

    fn n_samples(&self) -> u64 {
        let samples = self.sound.samples();
        (samples.end - samples.start).max(0) as u64
    }

    fn render(&self, engine: &Engine, is_stereo: bool, until: u64, take: &mut TakeRendered<'_>) -> Result<Vec<String>> {
        let end = self.n_samples().min(until);
        let mut first = 0;
        while first < end {
            let mut left = vec![0.0; (end - first).min(BLOCK_SAMPLES) as usize];
            engine.here(PASS, TONE_WHY, || self.sound.render(self.first_sample() + first as i64, &mut left));
            let mut right = if is_stereo { left.clone() } else { Vec::new() };
            if is_stereo {
                left.iter_mut().for_each(|sample| *sample *= self.gains[0]);
                right.iter_mut().for_each(|sample| *sample *= self.gains[1]);
            }
            take(first, [&left, &right])?;
            first += left.len() as u64;
        }
        Ok(Vec::new())
    }

    /// The samples for a signal, left or right. Mid and side get those with gain 1, so that pan has no effect on them.
    fn part(&self, signal: Signal, [left, right]: [&[f32]; 2]) -> Vec<f32> {
        let is_right = match signal {
            Signal::Channel(channel) => channel == 1,
            Signal::Mid | Signal::Side => self.gains[1] == 1.0,
        };
        if is_right && !right.is_empty() { right.to_vec() } else { left.to_vec() }
    }
}

/// A tone on the cells of a grid.
#[derive(Debug)]
pub struct PlannedTone {
    tone: AddedTone,
}

impl PlannedTone {
    /// A plan to paint a tone.
    pub fn new(tone: AddedTone) -> PlannedTone {
        PlannedTone { tone }
    }

    /// All cells that it may change.
    pub fn reach(&self, place: &Placement<'_>) -> CellRect {
        let grid = &place.grid;
        let samples = self.tone.sound.samples();
        let [start, end] = [samples.start, samples.end].map(|at| at.clamp(0, grid.n_samples as i64) as u64);
        let all = CellRect::new(grid.frames_over(&(start..end)), 0..grid.n_bins());
        all.intersect(&mask::bounds(grid, None, place.select)).intersect(&grid.own_cells())
    }

    /// The cells of the tone alone, within the document.
    fn cells(&self, pass: &SignalPass<'_>, rect: &CellRect) -> Result<EngineRegion> {
        let read = pass.place.plan.samples_read(rect);
        let mut samples = vec![0.0; (read.end - read.start) as usize];
        pass.engine.here(PASS, TONE_WHY, || self.tone.sound.render(read.start, &mut samples));
        let gain = match pass.signal {
            Signal::Channel(side @ 0..=1) if pass.snapshot.n_channels() == 2 => self.tone.gains[side],
            Signal::Channel(_) | Signal::Mid | Signal::Side => 1.0,
        };
        let end = pass.snapshot.n_samples() as i64;
        for (at, sample) in (read.start..).zip(&mut samples) {
            *sample *= if (0..end).contains(&at) { gain } else { 0.0 };
        }
        pass.engine.analyse(&pass.place.plan, &samples, rect)
    }
}

impl PlannedBrush for PlannedTone {
    fn scope(&self) -> Scope {
        Scope::Local
    }

    fn reads_cells_only(&self) -> bool {
        true
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let mask = place.mask_of_addition(&rect);
        Ok(EditPiece::new(self.read(place, &rect), mask, move |pass, piece, before| {
            pass.engine.combine(before, &self.cells(pass, &piece.rect)?, &piece.mask, 1.0)
        }))
    }
}
