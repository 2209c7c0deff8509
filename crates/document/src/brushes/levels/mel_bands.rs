//! Mel bands: a brush that acts on the bands of a mel spectrogram and applies the change to the cells.
//! `docs/transforms.md` has the definition.

use super::blur::{Blur, taps_of_cells};
use super::erase::Erase;
use super::gain::Gain;
use super::modulation_filter::{MAX_PADDED_CELLS, ModulationFilter, kernel_of_patch};
use super::sharpen::Sharpen;
use crate::base::{Error, ErrorKind, JsonAt, JsonFields, Result};
use crate::brushes::module::BrushModule;
use crate::brushes::operation::{CellBrush, MagnitudeScale, Operation, of_stft_only};
use crate::brushes::trial::BrushTrial;
use crate::document::edits::placing::EditPlacing;
use crate::document::edits::plan::{BrushPlan, Cuts, EditPiece, Finish, Placement, PlannedBrush, SignalPass};
use crate::document::noise::learn::EditSound;
use crate::dsp::kernels::{BlurKernel, SharpenKernel};
use crate::dsp::mels::mel_bands::{MelBands, ONE_BAND_NOTICE, is_one_band_wide, ratios};
use crate::dsp::{Axis, CellRect, Denoise, Grid, Kernel, Mask, NoiseProfile, NoiseSignal, NoiseSource};
use crate::engine::EngineRegion;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Number of frames checked at a time for a notice.
const CHECKED_FRAMES: usize = 256;

/// Name, in reports, of the conversion between cells and bands, and why it runs on the CPU.
const PASS: &str = "mel_bands";
const WHY_ON_CPU: &str = "the device has no kernel for bands";

/// A brush on mel bands of an STFT.
#[derive(Debug, Clone, PartialEq)]
pub struct MelBandBrush {
    /// Number of bands, 8 to 512.
    pub bands: usize,
    /// Brush that acts on them.
    pub brush: BandBrush,
}

/// Defines the enum of the brushes that work on bands, which have no phases, and its dispatch to each module.
macro_rules! band_brushes {
    ($($name:ident($module:ty),)+) => {
        /// A brush that acts on mel bands.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each brush states what it does where it is defined")]
        pub enum BandBrush {
            $($name($module),)+
        }

        impl BandBrush {
            /// Script names of the brushes that work on bands.
            pub const KINDS: &[&str] = &[$(<$module>::KIND),+];

            fn read(at: &JsonAt) -> Result<BandBrush> {
                let fields = at.fields()?;
                let kind = fields.required("kind")?;
                let brush = match kind.text()? {
                    $(<$module>::KIND => BandBrush::$name(<$module>::read(&fields)?),)+
                    other => {
                        return kind.refuse(format!(
                            "{other:?} does not work on mel bands, which have no phases; use {}, or choose rows or an FFT \
                             size",
                            BandBrush::KINDS.join(", ")
                        ));
                    }
                };
                brush.check_axis(&fields)?;
                fields.done()?;
                Ok(brush)
            }

            fn to_value(&self) -> Value {
                let mut object = Map::new();
                match self {
                    $(BandBrush::$name(brush) => {
                        object.insert("kind".into(), json!(<$module>::KIND));
                        brush.write(&mut object);
                    })+
                }
                Value::Object(object)
            }

            fn phase_steps(&self) -> Option<u32> {
                match self {
                    $(BandBrush::$name(brush) => brush.phase_steps(),)+
                }
            }

            fn leaves_holes(&self) -> bool {
                match self {
                    $(BandBrush::$name(brush) => brush.leaves_holes(),)+
                }
            }

            fn resolved(&self, sound: &EditSound<'_>) -> Result<Option<BandBrush>> {
                match self {
                    $(BandBrush::$name(brush) => Ok(brush.resolved(sound)?.map(BandBrush::$name)),)+
                }
            }
        }
    };
}

band_brushes! {
    Gain(Gain),
    Erase(Erase),
    Blur(Blur),
    Sharpen(Sharpen),
    ModulationFilter(ModulationFilter),
    Denoise(Denoise),
}

impl BrushModule for MelBandBrush {
    const KIND: &'static str = "mel_bands";
    const NAME: &'static str = "Mel bands";

    fn omitted() -> Option<MelBandBrush> {
        Gain::omitted().map(|gain| MelBandBrush { bands: 128, brush: BandBrush::Gain(gain) })
    }

    /// No trials: the FFT that a measurement uses may be too short for even the smallest number of bands.
    fn trials(_: [f64; 2]) -> Vec<BrushTrial<MelBandBrush>> {
        Vec::new()
    }

    fn read(fields: &JsonFields) -> Result<MelBandBrush> {
        let at = fields.required("bands")?;
        let bands = at.index()?;
        if !MelBands::ALLOWED.contains(&bands) {
            return at.refuse(format!("{bands} is not 8 to 512"));
        }
        Ok(MelBandBrush { bands, brush: BandBrush::read(&fields.required("brush")?)? })
    }

    fn write(&self, object: &mut Map<String, Value>) {
        object.insert("bands".into(), json!(self.bands));
        object.insert("brush".into(), self.brush.to_value());
    }

    fn table_cell() -> String {
        format!(
            "`bands`, 8 to 512; `brush`, one of {}, which acts on mel bands of the STFT; see \
             [transforms.md](transforms.md)",
            BandBrush::KINDS.join(", ")
        )
    }

    fn resolved(&self, sound: &EditSound<'_>) -> Result<Option<MelBandBrush>> {
        Ok(self.brush.resolved(sound)?.map(|brush| MelBandBrush { brush, ..*self }))
    }

    fn place(&mut self, placing: &EditPlacing) {
        if let BandBrush::Denoise(denoise) = &mut self.brush {
            denoise.place(placing);
        }
    }

    fn operation(&self) -> Operation<'_> {
        Operation::Cells(self)
    }
}

impl CellBrush for MelBandBrush {
    fn works_on_rows(&self) -> Result<()> {
        Err(of_stft_only(MelBandBrush::KIND))
    }

    fn builds_up(&self) -> bool {
        false
    }

    fn is_seen_live(&self) -> bool {
        false
    }

    fn phase_steps(&self) -> Option<u32> {
        self.brush.phase_steps()
    }

    fn leaves_holes(&self) -> bool {
        self.brush.leaves_holes()
    }

    fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
        let bands = MelBands::new(&place.grid, self.bands)?;
        // A range between two bins reaches the bands on both sides of it.
        let near = place.bounds.grown(0, 1, &place.grid.all_cells()).bins;
        let reached = CellRect::new(place.bounds.frames.clone(), bands.bands_over(&near));
        let (act, patch) = match &self.brush {
            BandBrush::Gain(gain) => (kernel_of(gain, &place.grid)?, None),
            BandBrush::Erase(erase) => (kernel_of(erase, &place.grid)?, None),
            BandBrush::Blur(Blur { sigma, .. }) => {
                let [frame_taps, bin_taps] = taps_of_cells(cells_of(*sigma, place, &bands), Blur::KIND)?;
                (BandAct::Kernel(BlurKernel { frame_taps, bin_taps }.into()), None)
            }
            BandBrush::Sharpen(Sharpen { sigma, amount, .. }) => {
                let [frame_taps, bin_taps] = taps_of_cells(cells_of(*sigma, place, &bands), Sharpen::KIND)?;
                (BandAct::Kernel(SharpenKernel { frame_taps, bin_taps, amount: *amount as f32 }.into()), None)
            }
            BandBrush::ModulationFilter(filter) => {
                let kernel = |rect: &CellRect| {
                    let per_unit = [place.grid.frame_rate_hz(), bands.bands_per_mel()];
                    kernel_of_patch(per_unit, filter.along, &filter.filters, rect)
                };
                if reached.n_cells() > MAX_PADDED_CELLS {
                    kernel(&reached)?;
                }
                let patch = band_mask(place, &bands, &reached).tight_bounds();
                if patch.is_empty() {
                    return Ok(None);
                }
                (BandAct::Kernel(kernel(&patch)?), Some(patch))
            }
            BandBrush::Denoise(denoise) => {
                let NoiseSource::Profile(profile) = &denoise.noise else {
                    return Err(Error::new(ErrorKind::Internal, "learn the noise before reducing it"));
                };
                (BandAct::Denoise(denoise, profile), None)
            }
        };
        let over = patch.as_ref().unwrap_or(&reached);
        let bounds = CellRect::new(over.frames.clone(), bands.bins_under(&over.bins));
        let brush = PlannedBands { halo: act.halo(place, &bands)?, reached, bands, act, patch };
        let finish = self.phase_steps().map(Finish::Rebuild);
        Ok(Some(BrushPlan::new(brush, bounds).finished_by(finish)))
    }
}

impl BandBrush {
    /// Checks that standard deviations along frequency are in mel.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if they are on another axis.
    fn check_axis(&self, fields: &JsonFields) -> Result<()> {
        let axis = match self {
            BandBrush::Blur(blur) => blur.sigma_axis,
            BandBrush::Sharpen(sharpen) => sharpen.sigma_axis,
            BandBrush::Gain(_) | BandBrush::Erase(_) | BandBrush::ModulationFilter(_) | BandBrush::Denoise(_) => {
                return Ok(());
            }
        };
        if axis == Axis::Mel {
            return Ok(());
        }
        fields.at.refuse("on mel bands sigma is in seconds and mel; add \"sigma_axis\": \"mel\"")
    }
}

/// Processing of the magnitudes of bands.
#[derive(Debug)]
enum BandAct<'a> {
    /// A kernel that is the same for every signal.
    Kernel(Kernel),
    /// Noise reduction; each signal has its own noise.
    Denoise(&'a Denoise, &'a NoiseProfile),
}

impl BandAct<'_> {
    fn halo(&self, place: &Placement<'_>, bands: &MelBands) -> Result<[usize; 2]> {
        match self {
            BandAct::Kernel(kernel) => Ok(kernel.halo()),
            BandAct::Denoise(denoise, profile) => {
                // The halo is the same for every signal.
                let of = profile.spectra.first().map_or(NoiseSignal::Channel(0), |(of, _)| *of);
                Ok(denoise.kernel_of_bands(profile, of, &place.grid, place.stft()?, bands).halo())
            }
        }
    }
}

/// A brush planned on bands.
#[derive(Debug)]
struct PlannedBands<'a> {
    bands: MelBands,
    act: BandAct<'a>,
    /// Frames and bands read beyond each side of those written.
    halo: [usize; 2],
    /// Frames and bands that stroke and selection may reach.
    reached: CellRect,
    /// Exact frames and bands of a kernel that depends on them; `None` for other kernels.
    patch: Option<CellRect>,
}

impl PlannedBands<'_> {
    fn paint(
        &self,
        pass: &SignalPass<'_>,
        rect: &CellRect,
        mask: &Mask,
        before: &EngineRegion,
    ) -> Result<EngineRegion> {
        let (engine, place) = (pass.engine, pass.place);
        let cells = engine.read(before)?;
        let bands_read =
            self.patch.as_ref().map_or_else(|| self.bands.bands_within(&cells.rect.bins), |patch| patch.bins.clone());
        let old = engine.here(PASS, WHY_ON_CPU, || self.bands.magnitudes(&cells, &bands_read));
        let run = |kernel: &Kernel| engine.run(kernel, &engine.upload(old.clone())?, mask);
        let new = match &self.act {
            BandAct::Kernel(kernel) => run(kernel)?,
            BandAct::Denoise(denoise, profile) => {
                let of = pass.signal.noise_of();
                let kernel = denoise.kernel_of_bands(profile, of, &place.grid, place.stft()?, &self.bands);
                run(&Kernel::Denoise(Arc::new(kernel)))?
            }
        };
        let new = engine.read(&new)?;
        let apply = || self.bands.apply(&cells, rect, &ratios(&old, &new, mask));
        engine.upload(engine.here(PASS, WHY_ON_CPU, apply))
    }
}

impl PlannedBrush for PlannedBands<'_> {
    fn halo(&self) -> [usize; 2] {
        self.halo
    }

    fn read(&self, place: &Placement<'_>, rect: &CellRect) -> CellRect {
        self.bands.read(rect, self.halo, &place.grid)
    }

    fn cuts(&self) -> Cuts {
        if self.patch.is_some() { Cuts::Nowhere } else { Cuts::Anywhere }
    }

    fn notice(&self, place: &Placement<'_>) -> Option<&'static str> {
        let CellRect { frames, bins } = &self.reached;
        let mut is_narrow = false;
        for start in frames.clone().step_by(CHECKED_FRAMES) {
            let run = start..(start + CHECKED_FRAMES).min(frames.end);
            let mask = band_mask(place, &self.bands, &CellRect::new(run, bins.clone()));
            if is_one_band_wide(&mask) {
                is_narrow = true;
            } else if mask.values.iter().any(|m| *m > 0.0) {
                return None;
            }
        }
        is_narrow.then_some(ONE_BAND_NOTICE)
    }

    fn piece(&self, place: &Placement<'_>, _: usize, rect: CellRect) -> Result<EditPiece<'_>> {
        let of_bands = match &self.patch {
            Some(patch) => patch.clone(),
            None => CellRect::new(rect.frames.clone(), self.bands.bands_over(&rect.bins)),
        };
        let mask = band_mask(place, &self.bands, &of_bands);
        let read = self.read(place, &rect);
        let of_cells = self.bands.cell_mask(&mask, &rect);
        Ok(EditPiece::new(read, of_cells, move |pass, piece, before| self.paint(pass, &piece.rect, &mask, before)))
    }
}

/// The kernel of a brush on single cells, which also works on bands.
fn kernel_of<'a>(brush: &impl CellBrush, grid: &Grid) -> Result<BandAct<'a>> {
    let none = || Error::new(ErrorKind::Internal, "this brush has no kernel of single cells");
    brush.cell_kernel(grid, MagnitudeScale::Transform)?.map(BandAct::Kernel).ok_or_else(none)
}

/// Seconds and mel converted to frames and bands.
fn cells_of(sigma: [f64; 2], place: &Placement<'_>, bands: &MelBands) -> [f64; 2] {
    [place.grid.frames_in_secs(sigma[0]), sigma[1] * bands.bands_per_mel()]
}

/// The strength of an edit over frames and bands, at the frames' times and the bands' centres.
fn band_mask(place: &Placement<'_>, bands: &MelBands, rect: &CellRect) -> Mask {
    let secs: Vec<f64> = rect.frames.clone().map(|frame| place.grid.mask_secs(frame)).collect();
    Mask { rect: rect.clone(), values: place.strength_at(&secs, &bands.hz()[rect.bins.clone()]) }
}
