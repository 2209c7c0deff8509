//! Values of a JSON file with their places, for errors.

use crate::base::{Error, ErrorKind, Result, json_reason};
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A reason quotes the file, which may hold a name of a megabyte.
const MOST_REASON_CHARS: usize = 200;

/// Parses JSON.
///
/// # Errors
/// [`Script`](ErrorKind::Script), with line and column.
pub(super) fn parse(text: &[u8]) -> Result<Json> {
    serde_json::from_slice(text)
        .map_err(|error| Error::new(ErrorKind::Script, format!("is not valid JSON: {}", json_reason(&error))))
}

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(super) struct JsonAt<'a> {
    pub json: &'a Json,
    pub place: String,
}

/// An object whose fields are taken one by one; those that nobody took are unknown.
#[derive(Debug)]
pub(super) struct JsonFields<'a> {
    pub value: JsonAt<'a>,
    taken: RefCell<BTreeSet<&'static str>>,
}

impl<'a> JsonAt<'a> {
    pub fn new(json: &'a Json, place: impl Into<String>) -> JsonAt<'a> {
        JsonAt { json, place: place.into() }
    }

    /// Where a field of an object stands, whether it is given or not.
    pub fn place_of(&self, field: &str) -> String {
        if self.place.is_empty() { field.to_owned() } else { format!("{}.{field}", self.place) }
    }

    pub fn error(&self, why: impl std::fmt::Display) -> Error {
        let why = why.to_string();
        let short: String = why.chars().take(MOST_REASON_CHARS).collect();
        let dots = if short.len() < why.len() { "…" } else { "" };
        let place = if self.place.is_empty() { "score" } else { &self.place };
        Error::new(ErrorKind::Script, format!("{place}: {short}{dots}"))
    }

    pub fn refuse<T>(&self, why: impl std::fmt::Display) -> Result<T> {
        Err(self.error(why))
    }

    pub fn object(&self) -> Result<JsonFields<'a>> {
        match self.json {
            Json::Object(_) => Ok(JsonFields { value: self.clone(), taken: RefCell::default() }),
            _ => self.refuse("must be an object"),
        }
    }

    pub fn items(&self) -> Result<Vec<JsonAt<'a>>> {
        let Json::Array(items) = self.json else { return self.refuse("must be a list") };
        Ok(items.iter().enumerate().map(|(i, json)| JsonAt::new(json, format!("{}[{i}]", self.place))).collect())
    }

    pub fn number(&self) -> Result<f64> {
        self.json.as_f64().filter(|number| number.is_finite()).ok_or_else(|| self.error("must be a number"))
    }

    pub fn whole(&self) -> Result<u64> {
        self.json.as_u64().ok_or_else(|| self.error("must be a whole number, 0 or more"))
    }

    pub fn flag(&self) -> Result<bool> {
        self.json.as_bool().ok_or_else(|| self.error("must be true or false"))
    }

    pub fn text(&self) -> Result<&'a str> {
        self.json.as_str().ok_or_else(|| self.error("must be a string"))
    }

    pub fn numbers<const N: usize>(&self) -> Result<[f64; N]> {
        let items = self.items()?;
        let numbers: Vec<f64> = items.iter().map(JsonAt::number).collect::<Result<_>>()?;
        numbers.try_into().map_err(|_| self.error(format!("must be a list of {N} numbers")))
    }
}

impl<'a> JsonFields<'a> {
    pub fn get(&self, name: &'static str) -> Option<JsonAt<'a>> {
        self.taken.borrow_mut().insert(name);
        let json = self.value.json.get(name)?;
        Some(JsonAt::new(json, self.value.place_of(name)))
    }

    pub fn required(&self, name: &'static str) -> Result<JsonAt<'a>> {
        self.get(name).ok_or_else(|| self.value.error(format!("{name} is missing")))
    }

    pub fn or<T>(&self, name: &'static str, default: T, read: impl FnOnce(&JsonAt<'a>) -> Result<T>) -> Result<T> {
        self.get(name).map_or(Ok(default), |value| read(&value))
    }

    /// Refuses fields that nobody asked for.
    pub fn done(self) -> Result<()> {
        let taken = self.taken.into_inner();
        let keys = self.value.json.as_object().into_iter().flat_map(serde_json::Map::keys);
        let unknown = keys.into_iter().find(|key| !taken.contains(key.as_str()));
        unknown.map_or(Ok(()), |key| self.value.refuse(format!("the field {key:?} is unknown")))
    }
}
