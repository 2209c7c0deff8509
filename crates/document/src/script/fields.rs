//! Values in a script, with their place for errors.

use crate::base::{Error, ErrorKind, Result, shown_number};
use crate::dsp::{Axis, StftParams, Window};
use crate::media::{MAX_RATE_HZ, MIN_RATE_HZ};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Version of the format that this program writes, and the newest that it reads.
pub(super) const VERSION: u64 = 1;

/// A name of a megabyte in a hostile script must not become an error of a megabyte.
const MAX_REASON_BYTES: usize = 200;

/// A value and where it stands.
#[derive(Clone)]
pub(crate) struct At<'a> {
    pub value: &'a Value,
    pub place: String,
}

/// An object whose fields are taken one by one; those that nobody took are unknown.
pub(crate) struct Fields<'a> {
    pub at: At<'a>,
    taken: RefCell<BTreeSet<&'static str>>,
}

impl<'a> At<'a> {
    pub fn refuse<T>(&self, why: impl std::fmt::Display) -> Result<T> {
        let place = if self.place.is_empty() { "script" } else { &self.place };
        let why: String = why.to_string();
        let why = if why.len() > MAX_REASON_BYTES {
            format!("{}…", why.chars().take(MAX_REASON_BYTES).collect::<String>())
        } else {
            why
        };
        Err(Error::new(ErrorKind::Script, format!("{place}: {why}")))
    }

    pub fn fields(&self) -> Result<Fields<'a>> {
        match self.value {
            Value::Object(_) => Ok(Fields { at: self.clone(), taken: RefCell::default() }),
            _ => self.refuse("must be an object"),
        }
    }

    pub fn items(&self) -> Result<Vec<At<'a>>> {
        match self.value {
            Value::Array(items) => {
                let item = |(i, value)| At { value, place: format!("{}[{i}]", self.place) };
                Ok(items.iter().enumerate().map(item).collect())
            }
            _ => self.refuse("must be a list"),
        }
    }

    pub fn number(&self) -> Result<f64> {
        match self.value.as_f64() {
            Some(number) if number.is_finite() => Ok(number),
            _ => self.refuse("must be a number"),
        }
    }

    pub fn number_in(&self, low: f64, high: f64) -> Result<f64> {
        let number = self.number()?;
        if (low..=high).contains(&number) {
            Ok(number)
        } else {
            let [number, low, high] = [number, low, high].map(shown_number);
            self.refuse(format!("{number} is outside {low} to {high}"))
        }
    }

    /// A sample rate that a sound may have.
    pub fn rate_hz(&self) -> Result<f64> {
        self.number_in(f64::from(MIN_RATE_HZ), f64::from(MAX_RATE_HZ))
    }

    pub fn positive(&self) -> Result<f64> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { self.refuse("must be above 0") }
    }

    pub fn not_negative(&self) -> Result<f64> {
        let number = self.number()?;
        if number >= 0.0 { Ok(number) } else { self.refuse("must not be negative") }
    }

    pub fn whole(&self) -> Result<usize> {
        match self.value.as_u64().and_then(|number| usize::try_from(number).ok()) {
            Some(number) => Ok(number),
            None => self.refuse("must be a whole number, 0 or more"),
        }
    }

    pub fn flag(&self) -> Result<bool> {
        self.value.as_bool().map_or_else(|| self.refuse("must be true or false"), Ok)
    }

    pub fn text(&self) -> Result<&'a str> {
        self.value.as_str().map_or_else(|| self.refuse("must be a string"), Ok)
    }

    /// One of the named choices.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T> {
        let text = self.text()?;
        match choices.iter().find(|(name, _)| *name == text) {
            Some((_, choice)) => Ok(*choice),
            None => {
                let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
                self.refuse(format!("{text:?} is unknown; use {}", names.join(", ")))
            }
        }
    }

    /// Two numbers in ascending order.
    pub fn extent(&self) -> Result<[f64; 2]> {
        let range = self.pair(At::number)?;
        if range[0] < range[1] { Ok(range) } else { self.refuse("must be in ascending order and must not be empty") }
    }

    pub fn pair(&self, read: impl Fn(&At<'a>) -> Result<f64>) -> Result<[f64; 2]> {
        match self.items()?.as_slice() {
            [first, second] => Ok([read(first)?, read(second)?]),
            _ => self.refuse("must be a list of two numbers"),
        }
    }
}

impl<'a> Fields<'a> {
    pub fn get(&self, name: &'static str) -> Option<At<'a>> {
        self.taken.borrow_mut().insert(name);
        let value = self.at.value.get(name)?;
        let place = if self.at.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at.place) };
        Some(At { value, place })
    }

    pub fn required(&self, name: &'static str) -> Result<At<'a>> {
        self.get(name).map_or_else(|| self.at.refuse(format!("{name} is missing")), Ok)
    }

    pub fn or<T>(&self, name: &'static str, default: T, read: impl FnOnce(&At<'a>) -> Result<T>) -> Result<T> {
        self.get(name).map_or(Ok(default), |at| read(&at))
    }

    pub fn optional<T>(&self, name: &'static str, read: impl FnOnce(&At<'a>) -> Result<T>) -> Result<Option<T>> {
        self.get(name).map(|at| read(&at)).transpose()
    }

    /// Refuses fields that were never asked for.
    pub fn done(self) -> Result<()> {
        let taken = self.taken.into_inner();
        let unknown =
            self.at.value.as_object().and_then(|object| object.keys().find(|key| !taken.contains(key.as_str())));
        unknown.map_or(Ok(()), |key| self.at.refuse(format!("the field {key:?} is unknown")))
    }
}

impl Fields<'_> {
    /// The field `axis`.
    pub fn axis(&self) -> Result<Axis> {
        self.or("axis", Axis::Linear, |at| at.choice(&Axis::ALL.map(|axis| (axis.name(), axis))))
    }

    /// Size, hop and window.
    pub fn stft(&self) -> Result<StftParams> {
        let default = StftParams::default();
        let n_fft = self.or("n_fft", default.n_fft, At::whole)?;
        let hop = self.or("hop", n_fft / 4, At::whole)?;
        let window =
            self.or("window", default.window, |at| at.choice(&Window::ALL.map(|window| (window.name(), window))))?;
        StftParams { n_fft, hop, window }.validated().or_else(|error| self.at.refuse(error.message()))
    }
}

/// Size, hop and window, as scripts have them.
pub(crate) fn stft_fields(stft: &StftParams) -> Value {
    json!({"n_fft": stft.n_fft, "hop": stft.hop, "window": stft.window.name()})
}
