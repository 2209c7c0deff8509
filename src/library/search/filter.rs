//! `--where`: conditions on what is known of a sound, parsed to a tree of our own. Values reach SQLite as parameters,
//! names only if they are columns.

use crate::base::{Error, ErrorKind, Result};
use crate::library::store::{COLUMNS, ColumnPlace};
use rusqlite::types::Value as SqlValue;

/// Comparisons and brackets of one condition.
const MOST_COMPARISONS: usize = 16;
const MOST_DEPTH: usize = 8;

/// A condition such as `duration_secs < 2 and (key = 'A minor' or not lufs > -20)`. A value that a sound does not have
/// makes its comparison neither true nor false.
#[derive(Debug, Clone, PartialEq)]
pub enum SoundFilter {
    /// Both.
    And(Box<SoundFilter>, Box<SoundFilter>),
    /// Either.
    Or(Box<SoundFilter>, Box<SoundFilter>),
    /// The opposite.
    Not(Box<SoundFilter>),
    /// A value against a constant.
    Compare {
        /// The index in `COLUMNS`.
        column: usize,
        /// One of `= != < <= > >=`.
        operator: &'static str,
        /// The constant.
        constant: FilterConstant,
    },
}

/// What a value is compared with.
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

impl SoundFilter {
    /// Parses a condition.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script): what is wrong and where.
    pub fn parse(text: &str) -> Result<SoundFilter> {
        let tokens = tokens(text)?;
        let mut parser = FilterParser { tokens: &tokens, at: 0, n_comparisons: 0, depth: 0 };
        let filter = parser.any()?;
        match parser.tokens.get(parser.at) {
            None => Ok(filter),
            Some(token) => Err(wrong(&format!("{} is not expected after a condition", shown(token)))),
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
                let (name, place) = COLUMNS[*column];
                let case = if place.is_text() { " COLLATE NOCASE" } else { "" };
                format!("({}.{name} {operator} ?{case})", place.table())
            }
        }
    }
}

fn wrong(what: &str) -> Error {
    let example = "duration_secs < 2 and key = 'A minor'";
    Error::new(ErrorKind::Script, format!("the condition is wrong: {what}; an example: {example}"))
}

/// A name that is no column.
pub fn unknown_name(name: &str) -> Error {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    Error::new(ErrorKind::Script, format!("nothing is known as {name:?}; names are {}", names.join(", ")))
}

fn shown(token: &FilterToken) -> String {
    match token {
        FilterToken::Word(word) => format!("{word:?}"),
        FilterToken::Number(number) => number.to_string(),
        FilterToken::Text(text) => format!("'{}'", text.escape_debug()),
        FilterToken::Sign(sign) => format!("{sign:?}"),
    }
}

fn tokens(text: &str) -> Result<Vec<FilterToken>> {
    const SIGNS: [&str; 8] = ["!=", "<=", ">=", "=", "<", ">", "(", ")"];
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let taken = |is_part: &dyn Fn(char) -> bool| rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let (token, n) = if first == '\'' || first == '"' {
            let Some(n) = rest[1..].find(first) else {
                return Err(wrong("a text is not closed by its quotation mark"));
            };
            (FilterToken::Text(rest[1..=n].to_owned()), n + 2)
        } else if first.is_ascii_digit() || matches!(first, '-' | '+' | '.') {
            let n = taken(&|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+'));
            let number = rest[..n].parse::<f64>().ok().filter(|number| number.is_finite());
            let number = number.ok_or_else(|| wrong(&format!("{:?} is not a number", &rest[..n])))?;
            (FilterToken::Number(number), n)
        } else if first.is_ascii_alphabetic() {
            let n = taken(&|letter| letter.is_ascii_alphanumeric() || letter == '_');
            (FilterToken::Word(rest[..n].to_lowercase()), n)
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (FilterToken::Sign(sign), sign.len())
        } else {
            return Err(wrong(&format!("{first:?} is not expected")));
        };
        found.push(token);
        rest = rest[n..].trim_start();
    }
    Ok(found)
}

struct FilterParser<'a> {
    tokens: &'a [FilterToken],
    at: usize,
    n_comparisons: usize,
    depth: usize,
}

impl<'a> FilterParser<'a> {
    fn next(&mut self) -> Option<&'a FilterToken> {
        let token = self.tokens.get(self.at);
        self.at += 1;
        token
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some(FilterToken::Word(next)) if next == word);
        self.at += usize::from(is_next);
        is_next
    }

    fn takes_sign(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.tokens.get(self.at), Some(FilterToken::Sign(next)) if *next == sign);
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
        if self.depth > MOST_DEPTH {
            return Err(wrong("its brackets are nested too deeply"));
        }
        let filter = if self.takes("not") {
            SoundFilter::Not(Box::new(self.one()?))
        } else if self.takes_sign("(") {
            let inside = self.any()?;
            if !self.takes_sign(")") {
                return Err(wrong("a bracket is not closed"));
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
        if self.n_comparisons > MOST_COMPARISONS {
            return Err(wrong(&format!("it has more than {MOST_COMPARISONS} comparisons")));
        }
        let name = match self.next() {
            Some(FilterToken::Word(name)) => name,
            Some(token) => return Err(wrong(&format!("{} is not a name", shown(token)))),
            None => return Err(wrong("a name is missing")),
        };
        let column = COLUMNS.iter().position(|(known, _)| known == name).ok_or_else(|| unknown_name(name))?;
        let operator = match self.next() {
            Some(FilterToken::Sign(sign)) if !matches!(*sign, "(" | ")") => sign,
            _ => return Err(wrong(&format!("{name} needs one of = != < <= > >= behind it"))),
        };
        let constant = match self.next() {
            Some(FilterToken::Number(number)) => FilterConstant::Number(*number),
            Some(FilterToken::Text(text)) => FilterConstant::Text(text.clone()),
            Some(FilterToken::Word(word)) if word == "true" => FilterConstant::Number(1.0),
            Some(FilterToken::Word(word)) if word == "false" => FilterConstant::Number(0.0),
            _ => return Err(wrong(&format!("{name} {operator} needs a number or a quoted text behind it"))),
        };
        check_type(COLUMNS[column], &constant)?;
        Ok(SoundFilter::Compare { column, operator, constant })
    }
}

fn check_type((name, place): (&str, ColumnPlace), constant: &FilterConstant) -> Result<()> {
    match (place.is_text(), constant) {
        (true, FilterConstant::Number(_)) => Err(wrong(&format!("{name} is compared with a quoted text"))),
        (false, FilterConstant::Text(_)) => Err(wrong(&format!("{name} is compared with a number"))),
        _ => Ok(()),
    }
}
