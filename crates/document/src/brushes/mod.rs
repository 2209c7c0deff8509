//! The brushes, one file each. Each brush lists its parameters; scripts and their table, the option bar, remembered
//! settings, measurements and warm-up are derived from these lists. To add a brush, write its file, and add a line to
//! `brushes!` below.

mod labels;
mod length;
mod levels;
mod module;
mod movement;
mod operation;
mod parameter;
mod repairs;
mod sample_edit;
mod synthesis;
mod trial;

pub use labels::LabelsEdit;
pub use length::delete_time::DeleteTime;
pub use length::duplicate_time::DuplicateTime;
pub use length::insert::Insert;
pub use length::insert_silence::InsertSilence;
pub use length::keep_time::KeepTime;
pub use length::lengthen::Lengthen;
pub use levels::blur::Blur;
pub use levels::contrast::Contrast;
pub use levels::erase::Erase;
pub use levels::fade::Fade;
pub use levels::gain::Gain;
pub use levels::gate::{Gate, GateMode};
pub use levels::mel_bands::{BandBrush, MelBandBrush};
pub use levels::modulation_filter::{ModulationFilter, modulation_kernel};
pub use levels::normalise::Normalise;
pub use levels::sharpen::Sharpen;
pub use module::{BrushGroup, BrushTool, ToolKey};
pub use movement::clone::CloneSource;
pub use movement::pitch_shift::PitchShift;
pub use movement::reverse::Reverse;
pub use movement::smudge::Smudge;
pub use movement::stretch::{Follows, TimeStretch};
pub use movement::warp::Warp;
pub(super) use operation::{CellBrush, Operation};
pub use operation::{Locality, MagnitudeScale, StrokeUse};
pub use parameter::{Choice, ChoiceOption, Offer, OptionControl, Parameter, ParameterLimits, ParameterValue};
pub use repairs::de_ess::DeEss;
pub use repairs::declip::Declip;
pub use repairs::dereverb::Dereverb;
pub use repairs::isolate::Isolate;
pub use repairs::plosives::Plosives;
pub use repairs::rebuild_phase::RebuildPhase;
pub use repairs::remove_dc::RemoveDc;
pub use repairs::remove_hum::RemoveHum;
pub(super) use sample_edit::{SampleEdit, SelectionUse};
pub use synthesis::cells::CellsBrush;
pub use synthesis::noise::Noise;
pub use synthesis::picture::{PictureBrush, PictureImage, PictureMode, PicturePhase};
pub use synthesis::voices::{DrawnVoice, Phrase, VoicesBrush};
pub use trial::{BrushTrial, TrialShape};

use super::edits::placing::EditPlacing;
use super::noise::learn::EditSound;
use super::sound::added::{AddedSound, LiveSound};
use crate::base::{Error, ErrorKind, JsonAt, Result, json_reason};
use crate::dsp::repair::heal::Heal;
use crate::dsp::strokes::brush::{Butterworth, HarmonicPercussive, Paste, Tone};
use crate::dsp::{Denoise, Grid, Kernel, Stroke, Transform};
use module::{BrushModule, confine, n_tools, tools};
use operation::AddedBrush;
use serde_json::{Map, Value, json};

/// Defines the enum of brushes and its dispatch to each module, from a list in the order of tools, errors and the table
/// of scripts.
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

            /// The tools that brushes define.
            pub const TOOLS: &[BrushTool] = {
                const ALL: &[Option<BrushTool>] = &[$(<$module>::TOOL),+];
                &tools::<{ n_tools(ALL) }>(ALL)
            };

            /// Name of its kind in scripts.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Brush::$name(_) => <$module>::KIND,)+
                }
            }

            /// Name in the history.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Brush::$name(_) => <$module>::NAME,)+
                }
            }

            /// Parameters, in the order of the option bar.
            pub fn parameters(&self) -> &'static [Parameter] {
                match self {
                    $(Brush::$name(_) => <$module>::PARAMETERS,)+
                }
            }

            /// Values of the parameters, in the same order.
            pub fn values(&mut self) -> Vec<ParameterValue<'_>> {
                match self {
                    $(Brush::$name(brush) => brush.values(),)+
                }
            }

            /// Its effect on the sound.
            pub(super) fn operation(&self) -> Operation<'_> {
                match self {
                    $(Brush::$name(brush) => brush.operation(),)+
                }
            }

            /// The brush with everything that depends on the sound resolved; `None` if nothing does.
            ///
            /// # Errors
            /// Errors of analysing the sound.
            pub(super) fn resolved(&self, sound: &EditSound<'_>) -> Result<Option<Brush>> {
                match self {
                    $(Brush::$name(brush) => Ok(brush.resolved(sound)?.map(Brush::$name)),)+
                }
            }

            /// Whether an edit with it can have an anchor, which places the edit in each sound; false if it has fixed
            /// positions.
            pub(super) fn can_be_placed(&self) -> bool {
                match self {
                    $(Brush::$name(_) => <$module>::CAN_BE_PLACED,)+
                }
            }

            /// Maps its own times and frequencies to a position in a sound.
            pub(super) fn place(&mut self, placing: &EditPlacing) {
                match self {
                    $(Brush::$name(brush) => brush.place(placing),)+
                }
            }

            /// Notices about resolving it, one sentence each.
            pub(super) fn notices(&self) -> &[String] {
                match self {
                    $(Brush::$name(brush) => brush.notices(),)+
                }
            }

            /// The brush with each parameter limited to the range of its controls.
            #[must_use]
            pub fn confined(mut self) -> Brush {
                match &mut self {
                    $(Brush::$name(brush) => confine(brush),)+
                }
                self
            }

            /// The brush of a kind with the script defaults of all parameters; `None` for an unknown kind, and for one
            /// with required fields without a default.
            pub fn omitted(kind: &str) -> Option<Brush> {
                match kind {
                    $(<$module>::KIND => <$module>::omitted().map(Brush::$name),)+
                    _ => None,
                }
            }

            /// The brush of a kind with the tool's initial settings; `None` for an unknown kind, and for one with
            /// required fields without a default.
            pub fn first(kind: &str) -> Option<Brush> {
                match kind {
                    $(<$module>::KIND => <$module>::first().map(Brush::$name),)+
                    _ => None,
                }
            }

            /// All brushes that paint cells, with settings for measurements. `reach` is the approximate size of
            /// neighbourhoods, in seconds and hertz. Warm-up paints with the first trial of each kind.
            pub fn trials(reach: [f64; 2]) -> Vec<BrushTrial<Brush>> {
                let mut all = Vec::new();
                $(all.extend(<$module>::trials(reach).into_iter().map(|trial| trial.map(Brush::$name)));)+
                all
            }

            /// Reads a brush from a script.
            ///
            /// # Errors
            /// [`Script`](ErrorKind::Script), with the position of the invalid value.
            pub(super) fn read(at: &JsonAt) -> Result<Brush> {
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

            /// The brush as JSON for scripts.
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
    BandFilter(Butterworth),
    ModulationFilter(ModulationFilter),
    Warp(Warp),
    Heal(Heal),
    Clone(CloneSource),
    Smudge(Smudge),
    Tone(Tone),
    Noise(Noise),
    Sharpen(Sharpen),
    Denoise(Denoise),
    HarmonicPercussive(HarmonicPercussive),
    RebuildPhase(RebuildPhase),
    Contrast(Contrast),
    Gate(Gate),
    Voices(VoicesBrush),
    Paste(Paste),
    Lengthen(Lengthen),
    DeleteTime(DeleteTime),
    KeepTime(KeepTime),
    InsertSilence(InsertSilence),
    Insert(Insert),
    DuplicateTime(DuplicateTime),
    Labels(LabelsEdit),
    Fade(Fade),
    Normalise(Normalise),
    Reverse(Reverse),
    RemoveDc(RemoveDc),
    RemoveHum(RemoveHum),
    Declip(Declip),
    Isolate(Isolate),
    DeEss(DeEss),
    Plosives(Plosives),
    Dereverb(Dereverb),
    PitchShift(PitchShift),
    Stretch(TimeStretch),
    Picture(PictureBrush),
    Cells(CellsBrush),
    MelBands(MelBandBrush),
}

impl Brush {
    /// Its interface for painting cells; `None` if it never paints cells.
    fn cells(&self) -> Option<&dyn CellBrush> {
        self.operation().cells()
    }

    /// As [`cells`](Brush::cells), for a brush that must paint cells.
    ///
    /// # Errors
    /// [`Internal`](ErrorKind::Internal) if it never paints cells.
    pub(super) fn painting(&self) -> Result<&dyn CellBrush> {
        self.cells().ok_or_else(|| Error::new(ErrorKind::Internal, format!("{} paints no cell", self.kind())))
    }

    /// Whether it works on samples, so that the sound of its preview is identical to its result.
    pub fn is_of_samples(&self) -> bool {
        matches!(self.operation(), Operation::Samples(_))
    }

    /// How much of the sound affects the result of a cell.
    pub fn locality(&self) -> Locality {
        self.cells().map_or(Locality::Whole, CellBrush::locality)
    }

    /// Whether it can act once per dab ([`Stroke::build_up`](crate::dsp::Stroke::build_up)).
    pub fn builds_up(&self) -> bool {
        self.cells().is_some_and(CellBrush::builds_up)
    }

    /// Whether it works on a grid of at least eight frames per window, since it moves sound through time.
    pub fn is_on_fine_grid(&self) -> bool {
        self.cells().is_some_and(CellBrush::is_on_fine_grid)
    }

    /// Whether its effect is shown while drawing.
    pub fn is_seen_live(&self) -> bool {
        self.cells().is_some_and(CellBrush::is_seen_live)
    }

    /// Whether radius and hardness of its stroke have an effect.
    pub fn is_shaped(&self) -> bool {
        self.cells().is_some_and(CellBrush::is_shaped)
    }

    /// Whether its stroke is a pitch over time, which may snap to notes.
    pub fn is_pitched(&self) -> bool {
        self.cells().is_some_and(CellBrush::is_pitched)
    }

    /// Whether it is drawn with a stroke: optionally, always or never.
    pub fn stroke_use(&self) -> StrokeUse {
        self.cells().map_or(StrokeUse::Never, CellBrush::stroke_use)
    }

    /// Number of Griffin-Lim steps with which it rebuilds phases from magnitudes; `None` if it keeps or moves phases.
    pub fn phase_steps(&self) -> Option<u32> {
        self.cells()?.phase_steps()
    }

    /// Checks that it works on the cells of a transform.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it does not, with the reason.
    pub fn works_on(&self, transform: &Transform) -> Result<()> {
        match (transform, self.cells()) {
            (Transform::Stft(_), _) | (_, None) => Ok(()),
            (Transform::Rows(_), Some(brush)) => brush.works_on_rows(),
        }
    }

    /// Its kernel on single cells or their neighbourhoods.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it reaches too far on this grid, [`Internal`](ErrorKind::Internal) if it has
    /// none.
    pub fn cell_kernel(&self, grid: &Grid) -> Result<Kernel> {
        let none = || Error::new(ErrorKind::Internal, format!("{} has no kernel of single cells", self.kind()));
        self.painting()?.cell_kernel(grid, MagnitudeScale::Transform)?.ok_or_else(none)
    }

    /// Its kernel on the maxima of a pyramid's level, amplitudes where 1 is a full-scale sine; `None` if a cell's
    /// result depends on more than its own magnitude.
    pub fn peak_kernel(&self, grid: &Grid) -> Option<Kernel> {
        let of_cell = self.cells().filter(|brush| brush.locality() == Locality::Cell)?;
        of_cell.cell_kernel(grid, MagnitudeScale::Amplitude).ok().flatten()
    }

    /// The sound that it adds as samples at a sample rate; `None` for brushes that add none, and if a required stroke
    /// is missing.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) for a stroke that does not fit the brush.
    pub fn added(&self, stroke: Option<&Stroke>, rate_hz: f64) -> Result<Option<Box<dyn AddedSound>>> {
        self.operation().added().map_or(Ok(None), |brush| brush.added(stroke, rate_hz))
    }

    /// Whether it can [sound](Brush::live) while it is drawn or a key is pressed.
    pub fn is_live(&self) -> bool {
        self.operation().added().is_some_and(AddedBrush::is_live)
    }

    /// The sound that it plays while it is drawn or a key is pressed; `None` if it plays none.
    pub fn live(&self) -> Option<Box<dyn LiveSound>> {
        self.operation().added()?.live()
    }

    /// The brush of the first of the [trials](Brush::trials) of each kind.
    pub fn first_trials(reach: [f64; 2]) -> Vec<Brush> {
        let mut first: Vec<Brush> = Brush::trials(reach).into_iter().map(|trial| trial.brush).collect();
        first.dedup_by_key(|brush| brush.kind());
        first
    }

    /// The [first trials](Brush::first_trials) with a kernel on single cells or their neighbourhoods.
    pub fn cell_trials(reach: [f64; 2]) -> Vec<Brush> {
        let is_of_cells = |brush: &Brush| brush.locality() != Locality::Whole;
        Brush::first_trials(reach).into_iter().filter(is_of_cells).collect()
    }

    /// The brush as JSON for scripts, without the edit.
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }

    /// Reads a brush from JSON.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script), with the position of the error.
    pub fn from_json(text: &str) -> Result<Brush> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            Error::new(ErrorKind::Script, format!("the brush is not JSON: {}", json_reason(&error)))
        })?;
        Brush::read(&JsonAt::new(&value, "brush"))
    }
}
