//! `--where`: conditions on the values of a sound, parsed into a tree. Values are passed to SQLite as parameters; names
//! are used only if they are columns.

use crate::base::{Error, ErrorKind, Result};
use crate::library::descriptors::{COLUMNS, Descriptor};
use rusqlite::types::Value as SqlValue;

/// Maximum number of comparisons and brackets per condition.
const MAX_COMPARISONS: usize = 16;
const MAX_DEPTH: usize = 8;

/// A condition such as `duration_secs < 2 and (key = 'A minor' or not lufs > -20)`. A missing value makes its
/// comparison neither true nor false.
#[derive(Debug, Clone, PartialEq)]
pub enum SoundFilter {
    /// Both conditions are true.
    And(Box<SoundFilter>, Box<SoundFilter>),
    /// At least one condition is true.
    Or(Box<SoundFilter>, Box<SoundFilter>),
    /// The negated condition.
    Not(Box<SoundFilter>),
    /// Compares a value with a constant.
    Compare {
        /// The index in `COLUMNS`.
        column: usize,
        /// One of `= != < <= > >=`.
        operator: &'static str,
        /// The constant.
        constant: FilterConstant,
    },
}

/// A constant in a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum FilterConstant {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

#[derive(Debug, Clone, PartialEq)]
enum FilterToken {
    Word(String),
    Number(f64),
    Text(String),
    Sign(&'static str),
}

/// A token and the position of its first character, counted from 1.
#[derive(Debug)]
struct PlacedToken {
    token: FilterToken,
    at: usize,
}

impl SoundFilter {
    /// Parses a condition.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script), with the problem, the position of its character, and what is allowed there.
    pub fn parse(text: &str) -> Result<SoundFilter> {
        let tokens = tokens(text)?;
        let mut parser = FilterParser { tokens: &tokens, at: 0, n_comparisons: 0, depth: 0 };
        let filter = parser.any()?;
        match parser.tokens.get(parser.at) {
            None => Ok(filter),
            Some(PlacedToken { token, at }) => {
                let what = format!("{} is not expected after a comparison; and, or or the end is", shown(token));
                Err(wrong(Some(*at), &what))
            }
        }
    }

    /// The condition as SQL, its constants as parameters appended to `values`.
    pub fn to_sql(&self, values: &mut Vec<SqlValue>) -> String {
        match self {
            SoundFilter::And(a, b) => format!("({} AND {})", a.to_sql(values), b.to_sql(values)),
            SoundFilter::Or(a, b) => format!("({} OR {})", a.to_sql(values), b.to_sql(values)),
            SoundFilter::Not(a) => format!("(NOT {})", a.to_sql(values)),
            SoundFilter::Compare { column, operator, constant } => {
                values.push(match constant {
                    FilterConstant::Number(number) => SqlValue::Real(*number),
                    FilterConstant::Text(text) => SqlValue::Text(text.clone()),
                });
                let row = COLUMNS[*column];
                let case = if row.is_text() { " COLLATE NOCASE" } else { "" };
                format!("({} {operator} ?{case})", row.column())
            }
        }
    }
}

/// A syntax error at a character, or at the end.
fn wrong(at: Option<usize>, what: &str) -> Error {
    let place = at.map_or_else(|| "at its end".to_owned(), |at| format!("at character {at}"));
    let example = "duration_secs < 2 and key = 'A minor'";
    Error::new(ErrorKind::Script, format!("the condition is wrong {place}: {what}; an example: {example}"))
}

/// The error about an unknown column name.
pub fn unknown_name(name: &str) -> Error {
    Error::new(ErrorKind::Script, not_known(name))
}

fn not_known(name: &str) -> String {
    let names: Vec<&str> = COLUMNS.iter().map(|row| row.name).collect();
    format!("nothing is known as {name:?}; names are {}", names.join(", "))
}

fn shown(token: &FilterToken) -> String {
    match token {
        FilterToken::Word(word) => format!("{word:?}"),
        FilterToken::Number(number) => number.to_string(),
        FilterToken::Text(text) => format!("'{}'", text.escape_debug()),
        FilterToken::Sign(sign) => format!("{sign:?}"),
    }
}

fn tokens(text: &str) -> Result<Vec<PlacedToken>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let at = text[..text.len() - rest.len()].chars().count() + 1;
        let (token, n_bytes) = token_of(rest).map_err(|what| wrong(Some(at), &what))?;
        found.push(PlacedToken { token, at });
        rest = rest[n_bytes..].trim_start();
    }
    Ok(found)
}

/// The first token of a text and its length in bytes; or a message.
fn token_of(rest: &str) -> std::result::Result<(FilterToken, usize), String> {
    const OPERATORS: [&str; 8] = ["!=", "<=", ">=", "=", "<", ">", "(", ")"];
    let first = rest.chars().next().unwrap_or_default();
    let taken = |is_part: &dyn Fn(char) -> bool| rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
    if first == '\'' || first == '"' {
        let n = rest[1..].find(first).ok_or_else(|| format!("the text is not closed by a second {first}"))?;
        return Ok((FilterToken::Text(rest[1..=n].to_owned()), n + 2));
    }
    if first.is_ascii_digit() || matches!(first, '-' | '+' | '.') {
        let n = taken(&|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+'));
        let number = rest[..n].parse::<f64>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| format!("{:?} is not a number such as -20 or 1.5", &rest[..n]))?;
        return Ok((FilterToken::Number(number), n));
    }
    if first.is_ascii_alphabetic() {
        let n = taken(&|letter| letter.is_ascii_alphanumeric() || letter == '_');
        return Ok((FilterToken::Word(rest[..n].to_lowercase()), n));
    }
    let sign = OPERATORS.into_iter().find(|sign| rest.starts_with(sign));
    let sign = sign.ok_or_else(|| {
        format!("{first:?} is not expected; names, numbers, texts in ' or \", = != < <= > >= and brackets are")
    })?;
    Ok((FilterToken::Sign(sign), sign.len()))
}

struct FilterParser<'a> {
    tokens: &'a [PlacedToken],
    at: usize,
    n_comparisons: usize,
    depth: usize,
}

impl<'a> FilterParser<'a> {
    fn next(&mut self) -> Option<&'a FilterToken> {
        let token = self.tokens.get(self.at);
        self.at += 1;
        token.map(|placed| &placed.token)
    }

    /// A syntax error at the last token.
    fn wrong(&self, what: &str) -> Error {
        wrong(self.tokens.get(self.at.saturating_sub(1)).map(|placed| placed.at), what)
    }

    fn peek(&self) -> Option<&'a FilterToken> {
        self.tokens.get(self.at).map(|placed| &placed.token)
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(), Some(FilterToken::Word(next)) if next == word);
        self.at += usize::from(is_next);
        is_next
    }

    fn takes_sign(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Some(FilterToken::Sign(next)) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn any(&mut self) -> Result<SoundFilter> {
        let mut filter = self.all()?;
        while self.takes("or") {
            filter = SoundFilter::Or(Box::new(filter), Box::new(self.all()?));
        }
        Ok(filter)
    }

    fn all(&mut self) -> Result<SoundFilter> {
        let mut filter = self.one()?;
        while self.takes("and") {
            filter = SoundFilter::And(Box::new(filter), Box::new(self.one()?));
        }
        Ok(filter)
    }

    fn one(&mut self) -> Result<SoundFilter> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let at = self.tokens.get(self.at).map(|placed| placed.at);
            return Err(wrong(at, &format!("brackets and not may be nested {MAX_DEPTH} deep")));
        }
        let filter = if self.takes("not") {
            SoundFilter::Not(Box::new(self.one()?))
        } else if self.takes_sign("(") {
            let opened = self.tokens.get(self.at.saturating_sub(1)).map(|placed| placed.at);
            let inside = self.any()?;
            if !self.takes_sign(")") {
                return Err(wrong(opened, "a bracket is not closed by )"));
            }
            inside
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(filter)
    }

    fn comparison(&mut self) -> Result<SoundFilter> {
        self.n_comparisons += 1;
        let name = match self.next() {
            Some(_) if self.n_comparisons > MAX_COMPARISONS => {
                return Err(self.wrong(&format!("at most {MAX_COMPARISONS} comparisons are allowed")));
            }
            Some(FilterToken::Word(name)) => name,
            Some(token) => {
                return Err(self.wrong(&format!("{} is not a name; a name, not or ( is expected", shown(token))));
            }
            None => return Err(self.wrong("a name is missing; a name, not or ( is expected")),
        };
        let column = COLUMNS.iter().position(|row| row.name == name);
        let column = column.ok_or_else(|| self.wrong(&not_known(name)))?;
        let operator = match self.next() {
            Some(FilterToken::Sign(sign)) if !matches!(*sign, "(" | ")") => sign,
            _ => return Err(self.wrong(&format!("{name} needs one of = != < <= > >= behind it"))),
        };
        let constant = match self.next() {
            Some(FilterToken::Number(number)) => FilterConstant::Number(*number),
            Some(FilterToken::Text(text)) => FilterConstant::Text(text.clone()),
            Some(FilterToken::Word(word)) if word == "true" => FilterConstant::Number(1.0),
            Some(FilterToken::Word(word)) if word == "false" => FilterConstant::Number(0.0),
            _ => return Err(self.wrong(&format!("{name} {operator} needs a number or a quoted text behind it"))),
        };
        check_type(COLUMNS[column], &constant).map_err(|what| self.wrong(&what))?;
        Ok(SoundFilter::Compare { column, operator, constant })
    }
}

fn check_type(row: &Descriptor, constant: &FilterConstant) -> std::result::Result<(), String> {
    match (row.is_text(), constant) {
        (true, FilterConstant::Number(_)) => Err(format!("{} is compared with a quoted text", row.name)),
        (false, FilterConstant::Text(_)) => Err(format!("{} is compared with a number", row.name)),
        _ => Ok(()),
    }
}
