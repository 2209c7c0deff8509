//! Tokens of a TextGrid: numbers, quoted texts and flags. Everything else is ignored.

use super::super::common::import::ParseError;
use super::super::common::numbers::{Decimal, number};
use super::super::common::textual::Spot;
use std::borrow::Cow;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'a> {
    Number(f64),
    Text(Cow<'a, str>),
    /// A flag without its brackets.
    Flag(&'a str),
}

impl Token<'_> {
    /// The token as shown in error messages.
    pub(super) fn shown(&self) -> &str {
        match self {
            Token::Number(_) => "a number",
            Token::Text(text) => text,
            Token::Flag(flag) => flag,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    line_start: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0, line: 1, line_start: 0 }
    }

    /// The current position: that of the next token, once spaces are skipped.
    pub(super) fn spot(&self) -> Spot {
        Spot { line: self.line, column: 1 + self.text[self.line_start..self.at].chars().count() }
    }

    /// Whether a token follows.
    pub(super) fn has_more(&self) -> bool {
        self.clone().next().is_some()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips `n` bytes, which must end at a character boundary, and counts their lines.
    fn pass(&mut self, n: usize) {
        let end = self.at + n;
        let bytes = self.text.as_bytes();
        while self.at < end {
            let is_end = match bytes[self.at] {
                b'\n' => true,
                // CR LF is one line ending, counted at its LF.
                b'\r' => bytes.get(self.at + 1) != Some(&b'\n'),
                _ => false,
            };
            self.at += 1;
            if is_end {
                self.line += 1;
                self.line_start = self.at;
            }
        }
    }

    fn text_token(&mut self) -> Result<(Token<'a>, Spot), ParseError> {
        let spot = self.spot();
        let inner = &self.rest()[1..];
        let bytes = inner.as_bytes();
        let mut at = 0;
        let mut has_quotes = false;
        loop {
            match bytes[at..].iter().position(|byte| *byte == b'"') {
                None => {
                    self.at = self.text.len();
                    return Err(ParseError::new(spot, "a quotation mark that closes the one here"));
                }
                Some(n) if bytes.get(at + n + 1) == Some(&b'"') => {
                    has_quotes = true;
                    at += n + 2;
                }
                Some(n) => {
                    at += n;
                    break;
                }
            }
        }
        let text = &inner[..at];
        self.pass(at + 2);
        let text = if has_quotes { text.replace("\"\"", "\"").into() } else { text.into() };
        Ok((Token::Text(text), spot))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Result<(Token<'a>, Spot), ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.rest();
            let n_spaces = rest.len() - rest.trim_start().len();
            self.pass(n_spaces);
            let rest = self.rest();
            let first = rest.bytes().next()?;
            if first == b'"' {
                return Some(self.text_token());
            }
            if first == b'!' {
                self.pass(rest.find(['\n', '\r']).unwrap_or(rest.len()));
                continue;
            }
            let spot = self.spot();
            let word = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
            self.pass(word.len());
            if let Some(flag) = word.strip_prefix('<').and_then(|word| word.strip_suffix('>')) {
                return Some(Ok((Token::Flag(flag), spot)));
            }
            let begins_a_number =
                word.strip_prefix(['+', '-']).unwrap_or(word).starts_with(|l: char| l.is_ascii_digit());
            if begins_a_number {
                let number = number(word, Decimal::Point).map(|number| (Token::Number(number), spot));
                return Some(number.ok_or_else(|| ParseError::found(spot, "a number with a point", word)));
            }
        }
    }
}
