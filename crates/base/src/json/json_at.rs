//! JSON values with their positions in the file, for error messages.

use crate::{Error, ErrorKind, Result, json_reason, shown_number};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Maximum length of a reason, since it may quote a megabyte-long name from the file.
const MAX_REASON_CHARS: usize = 200;

/// A value and its position.
#[derive(Debug, Clone)]
pub struct JsonAt<'a> {
    /// The value.
    pub value: &'a Value,
    /// Position, such as `edits[0].brush`; empty at the top level.
    pub place: String,
    whole: &'static str,
}

/// An object whose fields are taken one by one; fields that are never taken are reported as unknown.
#[derive(Debug)]
pub struct JsonFields<'a> {
    /// The object.
    pub at: JsonAt<'a>,
    taken: RefCell<BTreeSet<&'static str>>,
}

/// Parses JSON.
///
/// # Errors
/// [`Script`](ErrorKind::Script), with line and column.
pub fn json_from_text(text: &[u8]) -> Result<Value> {
    serde_json::from_slice(text)
        .map_err(|error| Error::new(ErrorKind::Script, format!("is not valid JSON: {}", json_reason(&error))))
}

impl<'a> JsonAt<'a> {
    /// The top-level value of a file; errors call it `whole`.
    pub fn of_file(value: &'a Value, whole: &'static str) -> JsonAt<'a> {
        JsonAt { value, place: String::new(), whole }
    }

    /// A value at `place`.
    pub fn new(value: &'a Value, place: impl Into<String>) -> JsonAt<'a> {
        JsonAt { value, place: place.into(), whole: "file" }
    }

    fn within(&self, value: &'a Value, place: String) -> JsonAt<'a> {
        JsonAt { value, place, whole: self.whole }
    }

    /// Position of a field of an object, whether or not it is present.
    pub fn place_of(&self, field: &str) -> String {
        if self.place.is_empty() { field.to_owned() } else { format!("{}.{field}", self.place) }
    }

    /// An error of kind [`Script`](ErrorKind::Script) that begins with the position.
    pub fn error(&self, why: impl std::fmt::Display) -> Error {
        let why = why.to_string();
        let short: String = why.chars().take(MAX_REASON_CHARS).collect();
        let dots = if short.len() < why.len() { "…" } else { "" };
        let place = if self.place.is_empty() { self.whole } else { &self.place };
        Error::new(ErrorKind::Script, format!("{place}: {short}{dots}"))
    }

    /// Returns [`error`](JsonAt::error) as a result.
    ///
    /// # Errors
    /// Always.
    pub fn refuse<T>(&self, why: impl std::fmt::Display) -> Result<T> {
        Err(self.error(why))
    }

    /// The fields of an object.
    ///
    /// # Errors
    /// If the value is not an object.
    pub fn fields(&self) -> Result<JsonFields<'a>> {
        match self.value {
            Value::Object(_) => Ok(JsonFields { at: self.clone(), taken: RefCell::default() }),
            _ => self.refuse("must be an object"),
        }
    }

    /// The items of an array.
    ///
    /// # Errors
    /// If the value is not an array.
    pub fn items(&self) -> Result<Vec<JsonAt<'a>>> {
        let Value::Array(items) = self.value else { return self.refuse("must be a list") };
        Ok(items.iter().enumerate().map(|(i, item)| self.within(item, format!("{}[{i}]", self.place))).collect())
    }

    /// A finite number.
    ///
    /// # Errors
    /// If the value is not a finite number.
    pub fn number(&self) -> Result<f64> {
        self.value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| self.error("must be a number"))
    }

    /// A number from `low` to `high` inclusive.
    ///
    /// # Errors
    /// If the value is not a number in this range.
    pub fn number_in(&self, low: f64, high: f64) -> Result<f64> {
        let number = self.number()?;
        if (low..=high).contains(&number) {
            return Ok(number);
        }
        let [number, low, high] = [number, low, high].map(shown_number);
        self.refuse(format!("{number} is outside {low} to {high}"))
    }

    /// A number above 0.
    ///
    /// # Errors
    /// If the value is not a positive number.
    pub fn positive(&self) -> Result<f64> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { self.refuse("must be above 0") }
    }

    /// A number, 0 or above.
    ///
    /// # Errors
    /// If the value is negative or not a number.
    pub fn not_negative(&self) -> Result<f64> {
        let number = self.number()?;
        if number >= 0.0 { Ok(number) } else { self.refuse("must not be negative") }
    }

    /// A whole number, 0 or above.
    ///
    /// # Errors
    /// If the value is not a non-negative integer.
    pub fn whole(&self) -> Result<u64> {
        self.value.as_u64().ok_or_else(|| self.error("must be a whole number, 0 or more"))
    }

    /// A count or an index.
    ///
    /// # Errors
    /// If the value is not a non-negative integer.
    pub fn index(&self) -> Result<usize> {
        self.whole().map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// A boolean.
    ///
    /// # Errors
    /// If the value is not a boolean.
    pub fn flag(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.error("must be true or false"))
    }

    /// A string.
    ///
    /// # Errors
    /// If the value is not a string.
    pub fn text(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.error("must be a string"))
    }

    /// One of the named choices.
    ///
    /// # Errors
    /// If the value is not one of them; the error lists them.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T> {
        let text = self.text()?;
        choices.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            self.error(format!("{text:?} is unknown; use {}", names.join(", ")))
        })
    }

    /// A list of `N` numbers.
    ///
    /// # Errors
    /// If the value is not such a list.
    pub fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let numbers: Vec<f64> = self.items()?.iter().map(JsonAt::number).collect::<Result<_>>()?;
        numbers.try_into().map_err(|_| self.error(format!("must be a list of {N} numbers")))
    }

    /// A list of two values, each converted by `read`.
    ///
    /// # Errors
    /// If the value is not such a list, and errors of `read`.
    pub fn pair(&self, read: impl Fn(&JsonAt<'a>) -> Result<f64>) -> Result<[f64; 2]> {
        match self.items()?.as_slice() {
            [first, second] => Ok([read(first)?, read(second)?]),
            _ => self.refuse("must be a list of two numbers"),
        }
    }

    /// Two numbers in ascending order.
    ///
    /// # Errors
    /// If the value is not such a pair.
    pub fn extent(&self) -> Result<[f64; 2]> {
        let range = self.pair(JsonAt::number)?;
        if range[0] < range[1] { Ok(range) } else { self.refuse("must be in ascending order and must not be empty") }
    }
}

impl<'a> JsonFields<'a> {
    /// A field, if present.
    pub fn get(&self, name: &'static str) -> Option<JsonAt<'a>> {
        self.taken.borrow_mut().insert(name);
        let value = self.at.value.get(name)?;
        Some(self.at.within(value, self.at.place_of(name)))
    }

    /// A required field.
    ///
    /// # Errors
    /// If it is missing.
    pub fn required(&self, name: &'static str) -> Result<JsonAt<'a>> {
        self.get(name).ok_or_else(|| self.at.error(format!("{name} is missing")))
    }

    /// A field, or its default.
    ///
    /// # Errors
    /// Errors of `read`.
    pub fn or<T>(&self, name: &'static str, default: T, read: impl FnOnce(&JsonAt<'a>) -> Result<T>) -> Result<T> {
        self.get(name).map_or(Ok(default), |at| read(&at))
    }

    /// An optional field.
    ///
    /// # Errors
    /// Errors of `read`.
    pub fn optional<T>(&self, name: &'static str, read: impl FnOnce(&JsonAt<'a>) -> Result<T>) -> Result<Option<T>> {
        self.get(name).map(|at| read(&at)).transpose()
    }

    /// Rejects fields that were never taken.
    ///
    /// # Errors
    /// If there is such a field.
    pub fn done(self) -> Result<()> {
        let taken = self.taken.into_inner();
        let keys = self.at.value.as_object().into_iter().flat_map(serde_json::Map::keys);
        let unknown = keys.into_iter().find(|key| !taken.contains(key.as_str()));
        unknown.map_or(Ok(()), |key| self.at.refuse(format!("the field {key:?} is unknown")))
    }
}
