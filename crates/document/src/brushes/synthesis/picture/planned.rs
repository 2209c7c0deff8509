//! A picture laid out on cells.

use super::level::{PeakMeter, PictureLevel, peak_of_bank};
use super::settings::{PictureBrush, PictureMode, PicturePhase};
use crate::base::{Error, ErrorKind, Result, trace};
use crate::document::Signal;
use crate::document::edits::plan::{Cuts, EditPiece, Placement, PlannedBrush, Scope, SignalPass};
use crate::dsp::kernels::PictureKernel;
use crate::dsp::strokes::picture::{
    Bitmap, PictureBank, PictureTurn, PictureView, SampledCells, Tint, random_turns, sample_cells,
};
use crate::dsp::voices::SineBank;
use crate::dsp::warps::phase;
use crate::dsp::{CellRect, Grid, Kernel, Mask, Region};
use crate::engine::EngineRegion;
use std::sync::{Arc, OnceLock};

/// Maximum number of cells, over all bins, whose phases are computed at once: some 30 bytes each.
const MAX_CELLS_AT_ONCE: usize = 1 << 24;

/// Number of bins beyond the edges that the lowest and highest sine of a bank affect.
const BANK_REACH: usize = 8;

/// Approximate number of cells measured at a time.
const MAX_CELLS_MEASURED: usize = 1 << 20;

/// Reason that the phases of a picture are computed on the CPU.
const PHASES_WHY: &str = "phases are made from loud to quiet cells, or in steps from the sound around";
/// Name, in reports, of measuring a picture's peak, and why it runs on the CPU.
const LEVEL: &str = "picture_level";
const LEVEL_WHY: &str = "the peak is that of the samples";

/// A decoded picture to be painted on the cells of a grid.
#[derive(Debug)]
pub struct PlannedPicture<'a> {
    brush: &'a PictureBrush,
    bitmap: Arc<Bitmap>,
    unit: f64,
    level: OnceLock<PictureLevel>,
}

impl<'a> PlannedPicture<'a> {
    /// A picture on cells; `unit` is the magnitude of a cell at 0 dB.
    pub fn new(brush: &'a PictureBrush, bitmap: Arc<Bitmap>, unit: f64) -> PlannedPicture<'a> {
        PlannedPicture { brush, bitmap, unit, level: OnceLock::new() }
    }

    /// Every cell that it may change.
    pub fn reach(&self, grid: &Grid) -> CellRect {
        let area = &self.brush.area;
        let cells = area.cells(grid);
        if !self.is_added_bank() || cells.is_empty() {
            return cells;
        }
        let span = PictureBank::span(area, grid.sample_rate_hz);
        let [first, end] = [span.start, span.end].map(|sample| sample.clamp(0, grid.n_samples as i64) as u64);
        let frames = grid.frames_over(&(first..end));
        CellRect::new(frames, cells.bins).grown(0, BANK_REACH, &grid.all_cells())
    }

    /// Checks that the edit is not too large.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it is.
    pub fn check(&self, grid: &Grid, bounds: &CellRect) -> Result<()> {
        let refuse = |what: String| Err(Error::new(ErrorKind::Script, what));
        if self.brush.phase == PicturePhase::Bank {
            let [width, height] = self.bitmap.size();
            let is_on_side = matches!(self.brush.look.turn, PictureTurn::Quarter | PictureTurn::ThreeQuarters);
            let n_rows = if is_on_side { width } else { height };
            if n_rows > SineBank::MAX_ROWS {
                return refuse(format!(
                    "a bank has at most {} rows of pixels, and this picture {n_rows}; make it smaller",
                    SineBank::MAX_ROWS
                ));
            }
        }
        if self.is_of_whole() && bounds.frames.len().saturating_mul(grid.n_bins()) > MAX_CELLS_AT_ONCE {
            return refuse(
                "picture makes the phases of the whole area at once, which is too large (over 16 million cells); use \
                 several shorter pictures, or phase random with 0 steps"
                    .into(),
            );
        }
        Ok(())
    }

    fn is_added_bank(&self) -> bool {
        (self.brush.mode, self.brush.phase) == (PictureMode::Add, PicturePhase::Bank)
    }

    /// Whether the phase of a cell depends on all other cells.
    fn is_of_whole(&self) -> bool {
        match (self.brush.mode, self.brush.phase) {
            (PictureMode::Filter, _) | (_, PicturePhase::Bank) => false,
            (_, PicturePhase::Rebuild) => true,
            (_, PicturePhase::Random | PicturePhase::Beneath) => self.brush.steps > 0,
        }
    }

    fn view(&self, tint: Tint) -> PictureView<'_> {
        PictureView::new(&self.bitmap, self.brush.look, tint)
    }

    fn sampled(&self, place: &Placement<'_>, rect: &CellRect, tint: Tint) -> SampledCells {
        let _span = trace::span("sample picture");
        sample_cells(self.view(tint), &self.brush.area, &place.grid, rect)
    }

    /// The colour used for a signal: red for left and green for right if a stereo picture is painted onto a stereo
    /// sound; otherwise luma.
    fn tint(&self, pass: &SignalPass<'_>) -> Tint {
        match pass.signal {
            Signal::Channel(0) if self.brush.is_stereo && pass.snapshot.n_channels() == 2 => Tint::Red,
            Signal::Channel(1) if self.brush.is_stereo && pass.snapshot.n_channels() == 2 => Tint::Green,
            _ => Tint::Luma,
        }
    }

    /// The gain to the target level, found in the first pass over the edit's signals. It is the same for all, so that
    /// their balance is preserved.
    fn level(&self, pass: &SignalPass<'_>) -> Result<&PictureLevel> {
        if let Some(known) = self.level.get() {
            return Ok(known);
        }
        let found = match self.brush.peak_db.filter(|_| self.brush.mode != PictureMode::Filter) {
            Some(peak_db) => self.level_at(peak_db, pass)?,
            None => PictureLevel { gain: 1.0, made: Vec::new() },
        };
        Ok(self.level.get_or_init(|| found))
    }

    fn level_at(&self, peak_db: f64, pass: &SignalPass<'_>) -> Result<PictureLevel> {
        let (brush, place) = (self.brush, pass.place);
        let (mut peak, mut made) = (0.0f32, Vec::new());
        for &signal in std::iter::once(&pass.signal).chain(pass.later_signals) {
            let pass = SignalPass { signal, ..*pass };
            let of_signal = if brush.phase == PicturePhase::Bank {
                let rate_hz = place.grid.sample_rate_hz;
                let bank =
                    PictureBank::new(self.view(self.tint(&pass)), &brush.area, brush.range_db, brush.seed, rate_hz);
                let measure = || peak_of_bank(&bank, PictureBank::span(&brush.area, rate_hz));
                pass.engine.here(LEVEL, LEVEL_WHY, measure)
            } else if self.is_of_whole() {
                let rect = place.bounds.intersect(&self.reach(&place.grid));
                let sampled = self.sampled(place, &rect, self.tint(&pass));
                let cells = self.made_on_silence(&pass, &rect, None, self.magnitudes(&sampled.brightness, 1.0))?;
                let mut meter = PeakMeter::new(&place.plan, &place.grid);
                pass.engine.here(LEVEL, LEVEL_WHY, || meter.add(&cells, &sampled.alpha));
                if brush.mode == PictureMode::Add {
                    made.push((signal, cells));
                }
                meter.peak()
            } else {
                self.peak_by_parts(&pass)?
            };
            peak = peak.max(of_signal);
        }
        Ok(PictureLevel::of_peak(peak, peak_db, made))
    }

    /// The peak amplitude of a signal on silence, measured in parts; requires that phases do not depend on other cells.
    fn peak_by_parts(&self, pass: &SignalPass<'_>) -> Result<f32> {
        let place = pass.place;
        let all = place.bounds.intersect(&self.reach(&place.grid));
        let n_frames = (MAX_CELLS_MEASURED / all.bins.len().max(1)).max(1);
        let mut meter = PeakMeter::new(&place.plan, &place.grid);
        let mut first = all.frames.start;
        while first < all.frames.end {
            let rect = CellRect::new(first..(first + n_frames).min(all.frames.end), all.bins.clone());
            let sampled = self.sampled(place, &rect, self.tint(pass));
            let magnitudes = self.magnitudes(&sampled.brightness, 1.0);
            let made = self.made_on_silence(pass, &rect, None, magnitudes)?;
            pass.engine.here(LEVEL, LEVEL_WHY, || meter.add(&made, &sampled.alpha));
            first = rect.frames.end;
        }
        Ok(meter.peak())
    }

    /// Magnitudes of cells, from their brightness.
    fn magnitudes(&self, brightness: &[f32], gain: f64) -> Vec<f32> {
        let [dark, white] = self.brush.range_db;
        let magnitude = |g: &f32| {
            let level_db = dark + f64::from(*g) * (white - dark);
            if *g > 0.0 { (gain * self.unit * 10f64.powf(level_db / 20.0)) as f32 } else { 0.0 }
        };
        brightness.iter().map(magnitude).collect()
    }

    /// Gains of cells, from their brightness.
    fn gains(&self, brightness: &[f32]) -> Vec<f32> {
        let [dark, white] = self.brush.range_db;
        let gain = |g: &f32| {
            let gain_db = (f64::from(*g) - 1.0) * (white - dark);
            if *g > 0.0 { 10f64.powf(gain_db / 20.0) as f32 } else { 0.0 }
        };
        brightness.iter().map(gain).collect()
    }

    fn paint(
        &self,
        pass: &SignalPass<'_>,
        piece: &EditPiece<'_>,
        before: &EngineRegion,
        brightness: &[f32],
    ) -> Result<EngineRegion> {
        match (self.brush.mode, self.brush.phase) {
            (PictureMode::Filter, _) => {
                let kernel = Kernel::from(PictureKernel::of_gains(self.gains(brightness)));
                pass.engine.run(&kernel, before, &piece.mask)
            }
            (mode, PicturePhase::Bank) => {
                let bank = self.bank_cells(pass, &piece.rect)?;
                let kept = if mode == PictureMode::Add { 1.0 } else { 0.0 };
                pass.engine.combine(before, &bank, &piece.mask, kept)
            }
            (PictureMode::Add, _) => self.add(pass, piece, before, brightness),
            (PictureMode::Replace, _) => {
                self.replace(pass, piece, before, self.magnitudes(brightness, self.level(pass)?.gain))
            }
        }
    }

    /// Renders the sines of the bank, and analyses them to the cells of `rect`.
    fn bank_cells(&self, pass: &SignalPass<'_>, rect: &CellRect) -> Result<EngineRegion> {
        let (grid, brush) = (&pass.place.grid, self.brush);
        let view = self.view(self.tint(pass));
        let gain_db = 20.0 * self.level(pass)?.gain.log10();
        let range_db = brush.range_db.map(|db| db + gain_db);
        let bank = PictureBank::new(view, &brush.area, range_db, brush.seed, grid.sample_rate_hz);
        let read = pass.place.plan.samples_read(rect);
        let sound = || bank.samples(read.start, (read.end - read.start) as usize);
        let samples = pass.engine.here("picture_bank", "the tones of a picture are rendered on the CPU", sound);
        pass.engine.analyse(&pass.place.plan, &samples, rect)
    }

    /// The cells of a piece with the picture added; the phases of the added cells are finished as if on silence.
    fn add(
        &self,
        pass: &SignalPass<'_>,
        piece: &EditPiece<'_>,
        before: &EngineRegion,
        brightness: &[f32],
    ) -> Result<EngineRegion> {
        let level = self.level(pass)?;
        let made = match level.made(pass.signal, &piece.rect) {
            Some(made) => made,
            None => {
                let magnitudes = self.magnitudes(brightness, level.gain);
                self.made_on_silence(pass, &piece.rect, Some(before), magnitudes)?
            }
        };
        pass.engine.combine(before, &pass.engine.upload(made)?, &piece.mask, 1.0)
    }

    /// The cells of a rectangle with these magnitudes, and with phases finished as if on silence. If the phases are
    /// those beneath, they are taken from `before`, or from an analysis if it is `None`.
    fn made_on_silence(
        &self,
        pass: &SignalPass<'_>,
        rect: &CellRect,
        before: Option<&EngineRegion>,
        magnitude: Vec<f32>,
    ) -> Result<Region> {
        let beneath = match self.brush.phase {
            PicturePhase::Beneath => Some(pass.engine.download(match before {
                Some(before) => pass.engine.crop(before, rect)?,
                None => pass.analyse(pass.snapshot, rect, 0)?,
            })?),
            _ => None,
        };
        let phase = self.phases(pass, rect, beneath.as_ref());
        let target = Region { rect: rect.clone(), magnitude, phase };
        let everywhere = Mask { rect: rect.clone(), values: vec![1.0; rect.n_cells()] };
        self.finished(pass, target, &everywhere, |around| Ok(Region::zeros(around)))
    }

    /// The cells that replace the sound: new magnitudes, then phases that fit the surrounding sound.
    fn replace(
        &self,
        pass: &SignalPass<'_>,
        piece: &EditPiece<'_>,
        before: &EngineRegion,
        magnitude: Vec<f32>,
    ) -> Result<EngineRegion> {
        let kernel = Kernel::from(PictureKernel::of_magnitudes(magnitude));
        let mut target = pass.engine.download(pass.engine.run(&kernel, before, &piece.mask)?)?;
        let own = match self.brush.phase {
            // Silent cells have no phase to keep.
            PicturePhase::Beneath => Some(pass.engine.download(pass.engine.crop(before, &piece.rect)?)?),
            _ => None,
        };
        let phases = self.phases(pass, &piece.rect, own.as_ref());
        for ((phase, new), m) in target.phase.iter_mut().zip(phases).zip(&piece.mask.values) {
            *phase = if *m > 0.0 { new } else { *phase };
        }
        let on_cpu = pass.engine.on_cpu_for(PHASES_WHY);
        let known = |around: CellRect| {
            let pass = SignalPass { engine: &on_cpu, ..*pass };
            on_cpu.download(pass.analyse(pass.snapshot, &around, 0)?)
        };
        let made = self.finished(pass, target, &piece.mask, known)?;
        pass.engine.upload(made)
    }

    /// The initial phases, in turns: 0 for rebuilding; otherwise those of `beneath` where it is given and not silent,
    /// and random elsewhere.
    fn phases(&self, pass: &SignalPass<'_>, rect: &CellRect, beneath: Option<&Region>) -> Vec<f32> {
        if self.brush.phase == PicturePhase::Rebuild {
            return vec![0.0; rect.n_cells()];
        }
        let mut phases = random_turns(self.brush.seed, pass.signal.number(), rect);
        if let Some(own) = beneath {
            for ((phase, own), magnitude) in phases.iter_mut().zip(&own.phase).zip(&own.magnitude) {
                *phase = if *magnitude > 0.0 { *own } else { *phase };
            }
        }
        phases
    }

    /// Rebuilds or refines the phases of a picture that is computed as a whole; `known` returns the sound's cells of a
    /// rectangle.
    fn finished(
        &self,
        pass: &SignalPass<'_>,
        target: Region,
        mask: &Mask,
        known: impl Fn(CellRect) -> Result<Region>,
    ) -> Result<Region> {
        if !self.is_of_whole() {
            return Ok(target);
        }
        let (grid, stft) = (&pass.place.grid, pass.place.stft()?);
        let known = known(target.rect.grown(phase::HALO, phase::HALO, &grid.all_cells()))?;
        let make = if self.brush.phase == PicturePhase::Rebuild { phase::rebuild } else { phase::refine };
        let finish = || make(stft, grid, &known, &target, mask, self.brush.steps);
        Ok(pass.engine.here("picture_phases", PHASES_WHY, finish))
    }
}

impl PlannedBrush for PlannedPicture<'_> {
    fn cuts(&self) -> Cuts {
        if self.is_of_whole() { Cuts::Nowhere } else { Cuts::Anywhere }
    }

    fn scope(&self) -> Scope {
        if self.is_of_whole() { Scope::Finished } else { Scope::Local }
    }

    fn reads_cells_only(&self) -> bool {
        !self.is_of_whole()
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let sampled = self.sampled(place, &rect, Tint::Luma);
        let mut mask = place.mask(&rect);
        mask.values.iter_mut().zip(&sampled.alpha).for_each(|(m, alpha)| *m *= alpha);
        let read = self.read(place, &rect);
        Ok(EditPiece::new(read, mask, move |pass, piece, before| match self.tint(pass) {
            Tint::Luma => self.paint(pass, piece, before, &sampled.brightness),
            tint => self.paint(pass, piece, before, &self.sampled(pass.place, &piece.rect, tint).brightness),
        }))
    }
}
