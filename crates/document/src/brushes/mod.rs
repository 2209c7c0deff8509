//! The brushes: a file each, with parameters as rows from which scripts, their table, the option bar, remembered settings,
//! measurements and warm-up follow. To add one, write its file and its line in the list.

mod band_filter;
mod blur;
mod cells;
mod clone;
mod contrast;
mod denoise;
mod erase;
mod fade;
mod filters;
mod gain;
mod harmonic_percussive;
mod heal;
mod lengthen;
mod mel_bands;
mod modulation_filter;
mod module;
mod noise;
mod normalise;
mod parameter;
mod paste;
mod picture;
mod pitch_shift;
mod rebuild_phase;
mod remove_dc;
mod remove_hum;
mod reverse;
mod sample_edit;
mod sharpen;
mod shifted;
mod smudge;
mod stretch;
mod tone;
mod trial;
mod voices;
mod warp;

pub use blur::Blur;
pub use cells::CellsBrush;
pub use clone::CloneSource;
pub use contrast::Contrast;
pub use erase::Erase;
pub use fade::Fade;
pub use gain::Gain;
pub use lengthen::Lengthen;
pub use mel_bands::{BandBrush, MelBandBrush};
pub use modulation_filter::{ModulationFilter, modulation_kernel};
pub use module::{BrushTool, Locality, MagnitudeScale, StrokeUse};
pub use noise::Noise;
pub use normalise::Normalise;
pub use parameter::{Offer, OptionControl, Parameter, ParameterLimits, ParameterValue};
pub use picture::{PictureBrush, PictureImage, PictureMode, PicturePhase};
pub use pitch_shift::PitchShift;
pub use rebuild_phase::RebuildPhase;
pub use remove_dc::RemoveDc;
pub use remove_hum::RemoveHum;
pub use reverse::Reverse;
pub(super) use sample_edit::SampleEdit;
pub use sharpen::Sharpen;
pub use smudge::Smudge;
pub use stretch::TimeStretch;
pub use trial::{BrushTrial, TrialShape};
pub use voices::{DrawnVoice, Phrase, VoicesBrush};
pub use warp::Warp;

use super::Snapshot;
use super::added::{AddedSound, LiveSound};
use super::learn::EditSound;
use super::plan::{BrushPlan, Placement};
use super::stroke::StrokeForm;
use crate::base::{Error, ErrorKind, Result, json_reason};
use crate::document::script::fields::At;
use crate::dsp::brush::{Butterworth, HarmonicPercussive, Paste, Tone};
use crate::dsp::heal::Heal;
use crate::dsp::rows::{RowBank, RowTable};
use crate::dsp::{Axis, Denoise, Grid, Kernel, Selection, Stroke, Transform};
use module::{BrushModule, confine, n_tools, tools};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// The list of brushes, in the order in which errors and the table of scripts name them: the enum, and its way to each
/// module.
macro_rules! brushes {
    ($($name:ident($module:ty),)+) => {
        /// A brush with its parameters.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each brush states what it does where it is defined")]
        pub enum Brush {
            $($name($module),)+
        }

        $(impl From<$module> for Brush {
            fn from(brush: $module) -> Brush {
                Brush::$name(brush)
            }
        })+

        impl Brush {
            /// The kinds of all brushes.
            pub const KINDS: &[&str] = &[$(<$module>::KIND),+];

            /// The tools that brushes state themselves.
            pub const TOOLS: &[BrushTool] = {
                const ALL: &[Option<BrushTool>] = &[$(<$module>::TOOL),+];
                &tools::<{ n_tools(ALL) }>(ALL)
            };

            /// The name of its kind in scripts.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Brush::$name(_) => <$module>::KIND,)+
                }
            }

            /// What the history calls it.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Brush::$name(_) => <$module>::NAME,)+
                }
            }

            /// Its parameters, in the order of the option bar.
            pub fn parameters(&self) -> &'static [Parameter] {
                match self {
                    $(Brush::$name(_) => <$module>::PARAMETERS,)+
                }
            }

            /// The values of its parameters, in the same order.
            pub fn values(&mut self) -> Vec<ParameterValue<'_>> {
                match self {
                    $(Brush::$name(brush) => brush.values(),)+
                }
            }

            /// How much of the sound decides about one cell.
            pub fn locality(&self) -> Locality {
                match self {
                    $(Brush::$name(_) => <$module>::LOCALITY,)+
                }
            }

            /// Whether it can act once per dab ([`Stroke::build_up`](crate::dsp::Stroke::build_up)).
            pub fn builds_up(&self) -> bool {
                match self {
                    $(Brush::$name(_) => <$module>::BUILDS_UP,)+
                }
            }

            /// Whether it works on a grid of at least eight frames per window, since it moves sound through time.
            pub fn is_on_fine_grid(&self) -> bool {
                match self {
                    $(Brush::$name(_) => <$module>::IS_ON_FINE_GRID,)+
                }
            }

            /// Whether it makes sound where there is none.
            pub fn makes_sound(&self) -> bool {
                match self {
                    $(Brush::$name(_) => <$module>::MAKES_SOUND,)+
                }
            }

            /// Whether it is drawn by a stroke.
            pub fn stroke_use(&self) -> StrokeUse {
                match self {
                    $(Brush::$name(brush) => brush.stroke_use(),)+
                }
            }

            /// The steps after which it leaves phases rebuilt from magnitudes; `None` if it keeps or moves them.
            pub fn phase_steps(&self) -> Option<u32> {
                match self {
                    $(Brush::$name(brush) => brush.phase_steps(),)+
                }
            }

            /// See [`BrushModule::moves_one_event`].
            pub(super) fn moves_one_event(&self, bank: &RowBank, rows: Range<usize>) -> bool {
                match self {
                    $(Brush::$name(brush) => brush.moves_one_event(bank, rows),)+
                }
            }

            /// See [`BrushModule::windows_beside`].
            pub(super) fn windows_beside(&self) -> f64 {
                match self {
                    $(Brush::$name(brush) => brush.windows_beside(),)+
                }
            }

            /// Whether it leaves holes, which their surroundings would refill.
            pub(super) fn leaves_holes(&self) -> bool {
                match self {
                    $(Brush::$name(brush) => brush.leaves_holes(),)+
                }
            }

            /// Its kernel on single cells or their neighbourhoods.
            ///
            /// # Errors
            /// [`Script`](ErrorKind::Script) if it reaches too far on this grid, [`Internal`](ErrorKind::Internal) if it
            /// has none.
            pub fn cell_kernel(&self, grid: &Grid) -> Result<Kernel> {
                let kernel = self.kernel_of_scale(grid, MagnitudeScale::Transform)?;
                let none = || Error::new(ErrorKind::Internal, format!("{} has no kernel of single cells", self.kind()));
                kernel.ok_or_else(none)
            }

            fn kernel_of_scale(&self, grid: &Grid, scale: MagnitudeScale) -> Result<Option<Kernel>> {
                match self {
                    $(Brush::$name(brush) => brush.cell_kernel(grid, scale),)+
                }
            }

            /// What it takes from its stroke.
            pub(super) fn stroke_form(&self) -> StrokeForm {
                match self {
                    $(Brush::$name(brush) => brush.stroke_form(),)+
                }
            }

            /// The sound that it adds as samples at a sample rate; `None` for brushes of cells.
            ///
            /// # Errors
            /// [`Script`](ErrorKind::Script) for a stroke that cannot be its own.
            pub fn added(&self, stroke: Option<&Stroke>, rate_hz: f64) -> Result<Option<Box<dyn AddedSound>>> {
                match self {
                    $(Brush::$name(brush) => brush.added(stroke, rate_hz),)+
                }
            }

            /// Whether it says how it sounds while a hand [holds it](Brush::live).
            pub fn is_live(&self) -> bool {
                match self {
                    $(Brush::$name(_) => <$module>::IS_LIVE,)+
                }
            }

            /// How it sounds while a hand holds it and nothing plays; `None` for brushes that are not heard so.
            pub fn live(&self) -> Option<Box<dyn LiveSound>> {
                match self {
                    $(Brush::$name(brush) => brush.live(),)+
                }
            }

            /// What it does to the cells that an edit may change; `None` if there are none.
            ///
            /// # Errors
            /// [`Script`](ErrorKind::Script) if the edit does not fit the brush, or is too large for it.
            pub(super) fn plan<'a>(&'a self, place: &Placement<'a>) -> Result<Option<BrushPlan<'a>>> {
                match self {
                    $(Brush::$name(brush) => brush.plan(place),)+
                }
            }

            /// The sound after it, for a brush that changes no cell but the length.
            ///
            /// # Errors
            /// [`Limit`](ErrorKind::Limit) for more than a file can hold.
            pub(super) fn resized(&self, sound: &Snapshot) -> Result<Option<Snapshot>> {
                match self {
                    $(Brush::$name(brush) => brush.resized(sound),)+
                }
            }

            /// What it does to samples, for an edit of samples; `None` for one of cells.
            pub(super) fn sample_edit(&self) -> Option<&dyn SampleEdit> {
                match self {
                    $(Brush::$name(brush) => brush.sample_edit(),)+
                }
            }

            /// The brush with what depends on the sound found out; `None` if nothing does.
            ///
            /// # Errors
            /// Those of analysing the sound.
            pub(super) fn resolved(&self, sound: &EditSound<'_>) -> Result<Option<Brush>> {
                match self {
                    $(Brush::$name(brush) => Ok(brush.resolved(sound)?.map(Brush::$name)),)+
                }
            }

            /// What the user should know about how it was resolved, one sentence each.
            pub(super) fn notices(&self) -> &[String] {
                match self {
                    $(Brush::$name(brush) => brush.notices(),)+
                }
            }

            /// What is erased before it is applied.
            pub(super) fn clears(&self) -> Option<&Selection> {
                match self {
                    $(Brush::$name(brush) => brush.clears(),)+
                }
            }

            /// Where the sound that it makes ends, in seconds, given its stroke; `None` if that is where the stroke ends.
            pub(super) fn end_secs(&self, stroke: Option<&Stroke>) -> Option<f64> {
                match self {
                    $(Brush::$name(brush) => brush.end_secs(stroke),)+
                }
            }

            /// Whether it works on the cells of a transform.
            ///
            /// # Errors
            /// [`Script`](ErrorKind::Script), with the reason.
            pub fn works_on(&self, transform: &Transform) -> Result<()> {
                match (transform, self) {
                    (Transform::Stft(_), _) => Ok(()),
                    $((Transform::Rows(_), Brush::$name(brush)) => brush.works_on_rows(),)+
                }
            }

            /// Whether it works on one grid over all rows that it reaches, else on each group's own.
            pub(super) fn is_on_one_grid_of_rows(&self) -> bool {
                match self {
                    $(Brush::$name(brush) => brush.is_on_one_grid_of_rows(),)+
                }
            }

            /// The rows of a scale that it reads to write `rows`, in units of an axis; `radius` is that of its stroke.
            pub(super) fn rows_read(&self, table: &RowTable, rows: Range<usize>, axis: Axis, radius: f64) -> Range<usize> {
                match self {
                    $(Brush::$name(brush) => brush.rows_read(table, rows, axis, radius),)+
                }
            }

            /// The same, with each parameter within what its controls take.
            #[must_use]
            pub fn confined(mut self) -> Brush {
                match &mut self {
                    $(Brush::$name(brush) => confine(brush),)+
                }
                self
            }

            /// The brush of a kind as its tool first comes; `None` if it has no usual form.
            pub fn usual(kind: &str) -> Option<Brush> {
                match kind {
                    $(<$module>::KIND => <$module>::usual().map(Brush::$name),)+
                    _ => None,
                }
            }

            /// All brushes that paint cells, with settings for measurements; neighbourhoods are of about this many seconds
            /// and hertz. Warm-up paints with the first of each kind.
            pub fn trials(reach: [f64; 2]) -> Vec<BrushTrial<Brush>> {
                let mut all = Vec::new();
                $(all.extend(<$module>::trials(reach).into_iter().map(|trial| trial.map(Brush::$name)));)+
                all
            }

            /// Whether what it does is seen while it is drawn.
            pub fn is_seen_live(&self) -> bool {
                match self {
                    $(Brush::$name(_) => <$module>::IS_SEEN_LIVE,)+
                }
            }

            /// Whether radius and hardness of its stroke count.
            pub fn is_shaped(&self) -> bool {
                match self {
                    $(Brush::$name(_) => <$module>::IS_SHAPED,)+
                }
            }

            /// Whether its stroke is a pitch over time, which may snap to notes.
            pub fn is_pitched(&self) -> bool {
                match self {
                    $(Brush::$name(_) => <$module>::IS_PITCHED,)+
                }
            }

            /// Reads a brush from a script.
            ///
            /// # Errors
            /// [`Script`](ErrorKind::Script), with the place of what is wrong.
            pub(super) fn read(at: &At) -> Result<Brush> {
                let fields = at.fields()?;
                let kind = fields.required("kind")?;
                let brush = match kind.text()? {
                    $(<$module>::KIND => Brush::$name(<$module>::read(&fields)?),)+
                    other => {
                        return kind.refuse(format!("{other:?} is unknown; use {}", Brush::KINDS.join(", ")));
                    }
                };
                fields.done()?;
                Ok(brush)
            }

            /// As scripts have it.
            pub(super) fn to_value(&self) -> Value {
                let mut object = Map::new();
                object.insert("kind".into(), json!(self.kind()));
                match self {
                    $(Brush::$name(brush) => brush.write(&mut object),)+
                }
                Value::Object(object)
            }
        }

        /// The table of brushes in `docs/scripts.md`.
        pub fn script_table() -> String {
            let mut table = "| `kind` | parameters; those with a default may be omitted |\n|---|---|\n".to_owned();
            $(table += &format!("| `{}` | {} |\n", <$module>::KIND, <$module>::table_cell());)+
            table
        }
    };
}

brushes! {
    Gain(Gain),
    Erase(Erase),
    Blur(Blur),
    Sharpen(Sharpen),
    Contrast(Contrast),
    BandFilter(Butterworth),
    ModulationFilter(ModulationFilter),
    Warp(Warp),
    Smudge(Smudge),
    Clone(CloneSource),
    Noise(Noise),
    Tone(Tone),
    Heal(Heal),
    Denoise(Denoise),
    HarmonicPercussive(HarmonicPercussive),
    RebuildPhase(RebuildPhase),
    Paste(Paste),
    Lengthen(Lengthen),
    Fade(Fade),
    Normalise(Normalise),
    Reverse(Reverse),
    RemoveDc(RemoveDc),
    RemoveHum(RemoveHum),
    PitchShift(PitchShift),
    Stretch(TimeStretch),
    Picture(PictureBrush),
    Cells(CellsBrush),
    MelBands(MelBandBrush),
    Voices(VoicesBrush),
}

impl Brush {
    /// Its kernel on the maxima of a pyramid's level, amplitudes where 1 is a full-scale sine; `None` if more than a
    /// cell's own magnitude decides about it.
    pub fn peak_kernel(&self, grid: &Grid) -> Option<Kernel> {
        let is_of_cell = self.locality() == Locality::Cell;
        is_of_cell.then(|| self.kernel_of_scale(grid, MagnitudeScale::Amplitude).ok().flatten()).flatten()
    }

    /// The first of the [trials](Brush::trials) of each kind.
    pub fn first_trials(reach: [f64; 2]) -> Vec<Brush> {
        let mut first: Vec<Brush> = Brush::trials(reach).into_iter().map(|trial| trial.brush).collect();
        first.dedup_by_key(|brush| brush.kind());
        first
    }

    /// Those of brushes whose kernel is of single cells or their neighbourhoods.
    pub fn cell_trials(reach: [f64; 2]) -> Vec<Brush> {
        let is_of_cells = |brush: &Brush| brush.locality() != Locality::Whole;
        Brush::first_trials(reach).into_iter().filter(is_of_cells).collect()
    }

    /// Whether it takes no stroke.
    pub fn is_without_stroke(&self) -> bool {
        self.stroke_use() == StrokeUse::Never
    }

    /// As scripts have it, alone.
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }

    /// # Errors
    /// [`Script`](ErrorKind::Script), with the place of what is wrong.
    pub fn from_json(text: &str) -> Result<Brush> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            Error::new(ErrorKind::Script, format!("the brush is not JSON: {}", json_reason(&error)))
        })?;
        Brush::read(&At { value: &value, place: "brush".into() })
    }
}
