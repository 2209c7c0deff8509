//! The definition of a brush.

use super::operation::{Kind, Operation};
use super::parameter::{Parameter, ParameterValue};
use super::trial::BrushTrial;
use crate::base::{Error, ErrorKind, JsonFields, Result};
use crate::document::edits::placing::EditPlacing;
use crate::document::noise::learn::EditSound;
use serde_json::{Map, Value};

/// The tool that paints with a brush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrushTool {
    /// The kind of its brush.
    pub kind: &'static str,
    /// Command id.
    pub id: &'static str,
    /// Name in menus and accessible labels.
    pub name: &'static str,
    /// One sentence for the tooltip.
    pub what: &'static str,
    /// Keys that select it.
    pub keys: &'static [ToolKey],
    /// Its icon in the icon font.
    pub icon: char,
    /// Its group in the tool bar.
    pub group: BrushGroup,
}

/// Groups of brush tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BrushGroup {
    /// Brushes that change levels.
    Level,
    /// Brushes that filter in time or frequency.
    Filter,
    /// Brushes that create sound.
    Draw,
    /// Brushes that repair and move existing sound.
    Retouch,
}

impl BrushGroup {
    /// All groups, from top to bottom of the tool bar.
    pub const ALL: [BrushGroup; 4] = [BrushGroup::Level, BrushGroup::Filter, BrushGroup::Draw, BrushGroup::Retouch];

    /// Heading of the group.
    pub fn name(self) -> &'static str {
        match self {
            BrushGroup::Level => "Level",
            BrushGroup::Filter => "Filter",
            BrushGroup::Draw => "Draw",
            BrushGroup::Retouch => "Retouch",
        }
    }
}

/// A key that selects a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolKey {
    /// The letter or digit.
    pub code: char,
    /// Whether it is pressed together with Shift.
    pub shift: bool,
}

impl ToolKey {
    /// The key alone.
    pub const fn plain(code: char) -> ToolKey {
        ToolKey { code, shift: false }
    }

    /// The key with Shift.
    pub const fn shift(code: char) -> ToolKey {
        ToolKey { code, shift: true }
    }
}

/// Number of brushes with a tool.
pub(super) const fn n_tools(all: &[Option<BrushTool>]) -> usize {
    let (mut n, mut i) = (0, 0);
    while i < all.len() {
        n += all[i].is_some() as usize;
        i += 1;
    }
    n
}

/// The tools defined by brushes; `N` of them.
pub(super) const fn tools<const N: usize>(all: &[Option<BrushTool>]) -> [BrushTool; N] {
    let none = BrushTool { kind: "", id: "", name: "", what: "", keys: &[], icon: ' ', group: BrushGroup::Level };
    let (mut tools, mut n, mut i) = ([none; N], 0, 0);
    while i < all.len() {
        if let Some(tool) = all[i] {
            tools[n] = tool;
            n += 1;
        }
        i += 1;
    }
    tools
}

/// The definition of a brush: in scripts, in the option bar, in the history and among the tools.
pub trait BrushModule: Clone + Sized {
    /// Name of its kind in scripts.
    const KIND: &'static str;
    /// Name in the history.
    const NAME: &'static str;
    /// Its tool; `None` for brushes without one.
    const TOOL: Option<BrushTool> = None;
    /// Its parameters, in the order of the option bar and of [`values`](BrushModule::values).
    const PARAMETERS: &'static [Parameter] = &[];
    /// Whether an edit with it can have an anchor, which places the edit in each sound; false if it has fixed
    /// positions.
    const CAN_BE_PLACED: bool = true;

    /// Its effect on the sound.
    fn operation(&self) -> Operation<'_>;

    /// The brush with the script defaults of all parameters; `None` for a brush with required data. Stored edits and
    /// scripts depend on the defaults, so they never change.
    fn omitted() -> Option<Self>;

    /// The brush with its tool's initial settings; `None` for a brush with required data.
    fn first() -> Option<Self> {
        Self::omitted()
    }

    /// The values of its parameters, in the order of [`PARAMETERS`](BrushModule::PARAMETERS).
    fn values(&mut self) -> Vec<ParameterValue<'_>> {
        Vec::new()
    }

    /// Reads it from a script.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script), with the position of the invalid value.
    fn read(fields: &JsonFields) -> Result<Self> {
        let none = || Error::new(ErrorKind::Internal, format!("{} has no form to read into", Self::KIND));
        let mut brush = Self::omitted().ok_or_else(none)?;
        read_parameters(&mut brush, fields)?;
        Ok(brush)
    }

    /// Writes its parameters in the format of scripts.
    fn write(&self, object: &mut Map<String, Value>) {
        write_parameters(self, object);
    }

    /// Describes the brush's parameters for its cell in the table of the script documentation.
    fn table_cell() -> String {
        let Some(mut omitted) = Self::omitted() else { return "none".into() };
        let values = omitted.values();
        let described: Vec<String> =
            Self::PARAMETERS.iter().zip(&values).map(|(parameter, value)| parameter.described(value)).collect();
        if described.is_empty() { "none".into() } else { described.join("; ") }
    }

    /// The brush with sound-dependent data resolved; `None` if it has no such data.
    ///
    /// # Errors
    /// Errors of analysing the sound.
    fn resolved(&self, _: &EditSound<'_>) -> Result<Option<Self>> {
        Ok(None)
    }

    /// Maps its own times and frequencies to a position in a sound.
    fn place(&mut self, _: &EditPlacing) {}

    /// Notices from [resolving](BrushModule::resolved) it, one sentence each.
    fn notices(&self) -> &[String] {
        &[]
    }

    /// Settings for measurements, the first of them also for warm-up; empty for a brush that paints no cells. The
    /// argument is the approximate size of neighbourhoods, in seconds and hertz.
    fn trials(_: [f64; 2]) -> Vec<BrushTrial<Self>> {
        let painting = Self::omitted().filter(|brush| brush.operation().cells().is_some());
        painting.map(|brush| BrushTrial::new(Self::KIND, brush)).into_iter().collect()
    }
}

impl<B: BrushModule> Kind for B {
    fn kind(&self) -> &'static str {
        B::KIND
    }
}

/// Reads the given parameters; omitted optional ones keep their values.
///
/// # Errors
/// [`Script`](ErrorKind::Script), with the position of the error.
pub(super) fn read_parameters<B: BrushModule>(brush: &mut B, fields: &JsonFields) -> Result<()> {
    for (parameter, value) in B::PARAMETERS.iter().zip(brush.values()) {
        let at = match parameter.is_optional {
            true => fields.get(parameter.field),
            false => Some(fields.required(parameter.field)?),
        };
        if let Some(at) = at {
            value.read(parameter.limits, &at)?;
        }
    }
    Ok(())
}

/// Writes the parameters of a brush, except sparse ones that have their default.
pub(super) fn write_parameters<B: BrushModule>(brush: &B, object: &mut Map<String, Value>) {
    let (mut brush, mut omitted) = (brush.clone(), B::omitted());
    let mut omitted = omitted.as_mut().map(BrushModule::values).unwrap_or_default().into_iter();
    for (parameter, value) in B::PARAMETERS.iter().zip(brush.values()) {
        if omitted.next().is_none_or(|omitted| !parameter.is_sparse || omitted != value) {
            object.insert(parameter.field.into(), value.json());
        }
    }
}

/// Limits the parameters of a brush to the ranges of their controls.
pub(super) fn confine<B: BrushModule>(brush: &mut B) {
    let Some(mut first) = B::first() else { return };
    for ((parameter, value), first) in B::PARAMETERS.iter().zip(brush.values()).zip(first.values()) {
        value.confine(parameter, &first);
    }
}
