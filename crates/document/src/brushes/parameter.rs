//! Descriptions of brush parameters: field, limits and defaults in scripts, and controls in the option bar.

use crate::base::{JsonAt, Result};
use crate::document::analysis::declip::DeclipLevels;
use crate::document::analysis::hum::{HumRange, HumSearch};
use crate::dsp::Axis;
use serde_json::{Value, json};
use std::fmt;

/// Name of the mains frequencies in scripts.
const MAINS: &str = "mains";
/// Name of detected levels in scripts.
const FOUND_NAME: &str = "found";

/// A parameter of a brush.
#[derive(Debug)]
pub struct Parameter {
    /// Its field in scripts.
    pub field: &'static str,
    /// Values allowed in scripts.
    pub limits: ParameterLimits,
    /// Whether scripts may omit it.
    pub is_optional: bool,
    /// Whether scripts contain it only if it differs from the default, so that older scripts are unchanged.
    pub is_sparse: bool,
    /// Note in the table of scripts: a unit, or the meaning.
    pub note: &'static str,
    /// Its controls in the option bar: one per number, or none if the option bar has special ones.
    pub controls: &'static [OptionControl],
}

/// Values allowed in scripts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParameterLimits {
    /// Any finite number.
    Any,
    /// Above 0.
    Positive,
    /// 0 or above.
    NotNegative,
    /// Between two numbers, inclusive.
    Within(f64, f64),
    /// Two numbers from 0 to these maxima, in seconds and hertz.
    UpTo([f64; 2]),
}

/// Default fade at a join of time, in seconds.
pub(super) const FADE_SECS: f64 = 0.005;
/// Maximum fade at a join of time, in seconds.
pub(super) const MAX_FADE_SECS: f64 = 0.1;

/// The fade at the joins of edits that cut or insert time.
pub(super) const FADE: Parameter = Parameter::optional("fade", ParameterLimits::Within(0.0, MAX_FADE_SECS))
    .sparse()
    .note("seconds over which both sides of a join fade into each other");

/// A control of the option bar.
#[derive(Debug, Clone, Copy)]
pub struct OptionControl {
    /// Caption and accessible name.
    pub label: &'static str,
    /// One sentence for the tooltip.
    pub help: &'static str,
    /// Unit after the number.
    pub unit: &'static str,
    /// Minimum and maximum, in the parameter's own unit; those of scripts if `None`.
    pub range: Option<(f64, f64)>,
    /// Factor from the value to the displayed number.
    pub scale: f64,
    /// Change of the displayed number per point of dragging.
    pub speed: f64,
    /// Number of decimals.
    pub decimals: usize,
    /// Width in points.
    pub width: f32,
    /// Whether the tooltip states the range.
    pub states_range: bool,
    /// A measured number that the control offers to apply, if any.
    pub offer: Option<Offer>,
}

/// A measured number that can be applied once and then stays constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// The mean power of the selected cells, in dB.
    SelectionMean,
}

/// A mutable reference to the value of a parameter.
#[derive(Debug)]
pub enum ParameterValue<'a> {
    /// A number.
    Number(&'a mut f64),
    /// An optional number.
    MaybeNumber(&'a mut Option<f64>),
    /// Two numbers: along time and along frequency.
    Pair(&'a mut [f64; 2]),
    /// Two optional numbers.
    MaybePair(&'a mut Option<[f64; 2]>),
    /// A whole number.
    Whole(&'a mut u32),
    /// The seed of random numbers.
    Seed(&'a mut u64),
    /// Range of a fundamental: `mains`, or two numbers in hertz.
    Fundamental(&'a mut HumRange),
    /// Clipping levels: `found`, or one level above 0 and one below 0.
    ClipLevels(&'a mut DeclipLevels),
    /// A boolean.
    Flag(&'a mut bool),
    /// One of several names.
    Choice(&'a mut dyn Choice),
}

/// A value with several options.
pub trait Choice: fmt::Debug {
    /// All options, in menu order.
    fn options(&self) -> &'static [ChoiceOption];

    /// Index of the current option.
    fn index(&self) -> usize;

    /// Chooses an option; ignores an invalid index.
    fn choose(&mut self, index: usize);
}

/// An option of a [`Choice`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceOption {
    /// Name in scripts.
    pub name: &'static str,
    /// Name in the option bar.
    pub label: &'static str,
}

/// Implements [`Choice`] for an enum without fields: its variants with their names and labels.
macro_rules! choice {
    ($type:ident: $($variant:ident = $name:expr, $label:expr;)+) => {
        impl $crate::document::brushes::Choice for $type {
            fn options(&self) -> &'static [$crate::document::brushes::ChoiceOption] {
                &[$($crate::document::brushes::ChoiceOption { name: $name, label: $label }),+]
            }

            fn index(&self) -> usize {
                [$($type::$variant),+].iter().position(|other| other == self).unwrap_or_default()
            }

            fn choose(&mut self, index: usize) {
                *self = [$($type::$variant),+].get(index).copied().unwrap_or(*self);
            }
        }
    };
}
pub(super) use choice;

choice! { Axis:
    Linear = "linear", "Linear";
    Log = "log", "Log";
    Mel = "mel", "Mel";
    Bark = "bark", "Bark";
}

impl PartialEq for ParameterValue<'_> {
    /// Compares values in the format of scripts.
    fn eq(&self, other: &ParameterValue<'_>) -> bool {
        self.json() == other.json()
    }
}

impl Parameter {
    /// A parameter required in scripts.
    pub const fn required(field: &'static str, limits: ParameterLimits) -> Parameter {
        Parameter { field, limits, is_optional: false, is_sparse: false, note: "", controls: &[] }
    }

    /// A parameter optional in scripts.
    pub const fn optional(field: &'static str, limits: ParameterLimits) -> Parameter {
        Parameter { is_optional: true, ..Parameter::required(field, limits) }
    }

    /// A parameter that names the axis of another parameter's units; linear if omitted.
    pub const fn axis(field: &'static str) -> Parameter {
        Parameter { is_sparse: true, ..Parameter::optional(field, ParameterLimits::Any) }
    }

    /// Marks it as omitted from scripts if it has its default.
    pub const fn sparse(self) -> Parameter {
        Parameter { is_sparse: true, ..self }
    }

    /// A boolean, optional in scripts.
    pub const fn flag(field: &'static str) -> Parameter {
        Parameter::optional(field, ParameterLimits::Any)
    }

    /// Sets its note in the table of scripts.
    pub const fn note(self, note: &'static str) -> Parameter {
        Parameter { note, ..self }
    }

    /// Sets its controls.
    pub const fn controls(self, controls: &'static [OptionControl]) -> Parameter {
        Parameter { controls, ..self }
    }

    /// The minimum and maximum of a control.
    pub fn range_of(&self, control: &OptionControl) -> (f64, f64) {
        match (control.range, self.limits) {
            (Some(range), _) => range,
            (None, ParameterLimits::Within(min, max)) => (min, max),
            (None, ParameterLimits::NotNegative | ParameterLimits::Positive) => (0.0, f64::MAX),
            (None, ParameterLimits::Any | ParameterLimits::UpTo(_)) => (f64::MIN, f64::MAX),
        }
    }

    /// Its text in the table of scripts, with its default.
    pub(super) fn described(&self, value: &ParameterValue<'_>) -> String {
        let mut text = format!("`{}`", self.field);
        if self.is_optional {
            text += &format!(" {}", text_of(value));
        }
        if let ParameterLimits::Within(min, max) = self.limits {
            text += &format!(", {min} to {max}");
        }
        if self.note.is_empty() { text } else { format!("{text}, {}", self.note) }
    }
}

/// Name of a choice's value in scripts.
pub(super) fn name_of(choice: &dyn Choice) -> &'static str {
    choice.options().get(choice.index()).map_or("", |option| option.name)
}

/// Chooses the option named in a script.
///
/// # Errors
/// [`Script`](crate::base::ErrorKind::Script) for an unknown name, with its position.
pub(super) fn read_choice(choice: &mut dyn Choice, at: &JsonAt) -> Result<()> {
    let options = choice.options();
    let all: Vec<(&str, usize)> = options.iter().enumerate().map(|(i, option)| (option.name, i)).collect();
    choice.choose(at.choice(&all)?);
    Ok(())
}

/// A value as text for the table of scripts.
fn text_of(value: &ParameterValue<'_>) -> String {
    match value {
        ParameterValue::Number(number) => number.to_string(),
        ParameterValue::MaybeNumber(number) => number.map_or("none".into(), |number| number.to_string()),
        ParameterValue::Pair([first, second]) => format!("[{first}, {second}]"),
        ParameterValue::MaybePair(pair) => pair.map_or("none".into(), |[first, second]| format!("[{first}, {second}]")),
        ParameterValue::Fundamental(HumRange::Mains) => format!("\"{MAINS}\""),
        ParameterValue::Fundamental(HumRange::Within([low, high])) => format!("[{low}, {high}]"),
        ParameterValue::ClipLevels(DeclipLevels::Found) => format!("\"{FOUND_NAME}\""),
        ParameterValue::ClipLevels(DeclipLevels::Given([above, below])) => format!("[{above}, {below}]"),
        ParameterValue::Whole(number) => number.to_string(),
        ParameterValue::Seed(seed) => seed.to_string(),
        ParameterValue::Flag(flag) => flag.to_string(),
        ParameterValue::Choice(choice) => name_of(&**choice).to_owned(),
    }
}

impl OptionControl {
    /// A number with 1 decimal and a change of 0.2 per point of dragging.
    pub const fn number(label: &'static str, help: &'static str, unit: &'static str) -> OptionControl {
        let (range, scale, speed, decimals) = (None, 1.0, 0.2, 1);
        let (width, states_range, offer) = (76.0, true, None);
        OptionControl { label, help, unit, range, scale, speed, decimals, width, states_range, offer }
    }

    /// A check box.
    pub const fn tick(label: &'static str, help: &'static str) -> OptionControl {
        OptionControl::number(label, help, "")
    }

    /// Seconds, shown in milliseconds.
    pub const fn millis(label: &'static str, help: &'static str, max_secs: f64) -> OptionControl {
        OptionControl {
            scale: 1000.0,
            speed: 0.5,
            range: Some((0.0, max_secs)),
            ..OptionControl::number(label, help, "ms")
        }
    }

    /// Sets a range narrower than that of scripts.
    pub const fn within(self, min: f64, max: f64) -> OptionControl {
        OptionControl { range: Some((min, max)), ..self }
    }

    /// Sets the decimals, and the change per point of dragging.
    pub const fn steps(self, decimals: usize, speed: f64) -> OptionControl {
        OptionControl { decimals, speed, ..self }
    }

    /// Sets the width, in points.
    pub const fn wide(self, width: f32) -> OptionControl {
        OptionControl { width, ..self }
    }

    /// Offers a measured number to apply.
    pub const fn offering(self, offer: Offer) -> OptionControl {
        OptionControl { offer: Some(offer), ..self }
    }

    /// Omits its range from the tooltip.
    pub const fn brief(self) -> OptionControl {
        OptionControl { states_range: false, ..self }
    }
}

impl ParameterLimits {
    fn number(self, at: &JsonAt) -> Result<f64> {
        match self {
            ParameterLimits::Any => at.number(),
            ParameterLimits::Positive => at.positive(),
            ParameterLimits::NotNegative | ParameterLimits::UpTo(_) => at.not_negative(),
            ParameterLimits::Within(min, max) => at.number_in(min, max),
        }
    }

    fn pair(self, at: &JsonAt) -> Result<[f64; 2]> {
        let pair = at.pair(|at| self.number(at))?;
        match self {
            ParameterLimits::UpTo([max_secs, max_hz]) if pair[0] > max_secs || pair[1] > max_hz => {
                at.refuse(format!("must lie within {max_secs} s and {max_hz} Hz"))
            }
            _ => Ok(pair),
        }
    }

    fn whole(self, at: &JsonAt) -> Result<u32> {
        let number = at.whole()?;
        let (min, max) = match self {
            ParameterLimits::Within(min, max) => (min, max),
            _ => (0.0, f64::from(u32::MAX)),
        };
        match u32::try_from(number) {
            Ok(whole) if (min..=max).contains(&f64::from(whole)) => Ok(whole),
            _ => at.refuse(format!("{number} is outside {min} to {max}")),
        }
    }
}

impl ParameterValue<'_> {
    /// Sets the value given in a script.
    ///
    /// # Errors
    /// [`Script`](crate::base::ErrorKind::Script) if the value is invalid or outside the limits, with its position.
    pub(super) fn read(self, limits: ParameterLimits, at: &JsonAt) -> Result<()> {
        match self {
            ParameterValue::Number(number) => *number = limits.number(at)?,
            ParameterValue::MaybeNumber(number) => *number = Some(limits.number(at)?),
            ParameterValue::Pair(pair) => *pair = limits.pair(at)?,
            ParameterValue::MaybePair(pair) => *pair = Some(limits.pair(at)?),
            ParameterValue::Fundamental(range) if at.value.is_string() => {
                *range = at.choice(&[(MAINS, HumRange::Mains)])?;
            }
            ParameterValue::Fundamental(range) => *range = HumRange::Within(limits.pair(at)?),
            ParameterValue::ClipLevels(levels) if at.value.is_string() => {
                *levels = at.choice(&[(FOUND_NAME, DeclipLevels::Found)])?;
            }
            ParameterValue::ClipLevels(levels) => match limits.pair(at)? {
                [above, below] if above > 0.0 && below < 0.0 => *levels = DeclipLevels::Given([above, below]),
                _ => at.refuse("must be a level above 0 and one below 0, such as [0.8, -0.8]")?,
            },
            ParameterValue::Whole(number) => *number = limits.whole(at)?,
            ParameterValue::Seed(seed) => *seed = at.whole()?,
            ParameterValue::Flag(flag) => *flag = at.flag()?,
            ParameterValue::Choice(choice) => read_choice(choice, at)?,
        }
        Ok(())
    }

    /// Copies the value of another brush's parameter; does nothing if the types differ.
    fn take(self, other: &ParameterValue<'_>) {
        match (self, other) {
            (ParameterValue::Number(value), ParameterValue::Number(other)) => *value = **other,
            (ParameterValue::MaybeNumber(value), ParameterValue::MaybeNumber(other)) => *value = **other,
            (ParameterValue::Pair(value), ParameterValue::Pair(other)) => *value = **other,
            (ParameterValue::MaybePair(value), ParameterValue::MaybePair(other)) => *value = **other,
            (ParameterValue::Whole(value), ParameterValue::Whole(other)) => *value = **other,
            (ParameterValue::Seed(value), ParameterValue::Seed(other)) => *value = **other,
            (ParameterValue::Fundamental(value), ParameterValue::Fundamental(other)) => *value = **other,
            (ParameterValue::ClipLevels(value), ParameterValue::ClipLevels(other)) => *value = **other,
            (ParameterValue::Flag(value), ParameterValue::Flag(other)) => *value = **other,
            (ParameterValue::Choice(value), ParameterValue::Choice(other)) => value.choose(other.index()),
            _ => {}
        }
    }

    /// The value in the format of scripts.
    pub fn json(&self) -> Value {
        match self {
            ParameterValue::Number(number) => json!(number),
            ParameterValue::MaybeNumber(number) => json!(number),
            ParameterValue::Pair(pair) => json!(pair),
            ParameterValue::MaybePair(pair) => json!(pair),
            ParameterValue::Fundamental(HumRange::Mains) => json!(MAINS),
            ParameterValue::Fundamental(HumRange::Within(range)) => json!(range),
            ParameterValue::ClipLevels(DeclipLevels::Found) => json!(FOUND_NAME),
            ParameterValue::ClipLevels(DeclipLevels::Given(levels)) => json!(levels),
            ParameterValue::Whole(number) => json!(number),
            ParameterValue::Seed(seed) => json!(seed),
            ParameterValue::Flag(flag) => json!(flag),
            ParameterValue::Choice(choice) => json!(name_of(&**choice)),
        }
    }

    /// Limits it to the range of its controls; replaces non-finite numbers, and values without a control, by the
    /// initial one.
    pub(super) fn confine(self, parameter: &Parameter, first: &ParameterValue<'_>) {
        if parameter.controls.is_empty() {
            return self.take(first);
        }
        let hold = |value: &mut f64, usual: f64, control: Option<&OptionControl>| {
            let Some((min, max)) = control.map(|control| parameter.range_of(control)) else { return };
            *value = if value.is_finite() { value.clamp(min, max) } else { usual };
        };
        // A parameter whose default is `None` has no initial number; non-finite ones become the minimum.
        let min = |i: usize| parameter.controls.get(i).map_or(0.0, |control| parameter.range_of(control).0);
        match (self, first) {
            (ParameterValue::Number(value), ParameterValue::Number(usual)) => {
                hold(value, **usual, parameter.controls.first());
            }
            (ParameterValue::Pair([in_time, in_frequency]), ParameterValue::Pair(usual)) => {
                hold(in_time, usual[0], parameter.controls.first());
                hold(in_frequency, usual[1], parameter.controls.get(1));
            }
            (ParameterValue::MaybeNumber(Some(value)), _) => hold(value, min(0), parameter.controls.first()),
            (ParameterValue::MaybePair(Some(pair)), _) => {
                for (i, value) in pair.iter_mut().enumerate() {
                    hold(value, min(i), parameter.controls.get(i));
                }
            }
            (ParameterValue::Fundamental(HumRange::Within([low, high])), _) => {
                hold(low, HumSearch::NEAR_MAINS_HZ[0], parameter.controls.first());
                hold(high, HumSearch::NEAR_MAINS_HZ[1], parameter.controls.get(1));
            }
            (ParameterValue::Whole(value), _) => {
                if let Some((min, max)) = parameter.controls.first().map(|control| parameter.range_of(control)) {
                    *value = (*value).clamp(min as u32, max as u32);
                }
            }
            _ => {}
        }
    }
}
