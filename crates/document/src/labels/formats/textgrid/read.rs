//! Long, short and chronological TextGrids, which share one grammar.

use super::super::common::import::{Import, ParseError};
use super::super::common::textual::Spot;
use super::tokens::{Token, Tokens};
use super::words::{CHRONOLOGICAL, INTERVALS, N_LABELS, N_TIERS, POINTS, tier_columns};
use crate::base::{Error, Result, shown_number};
use crate::document::labels::{Columns, Label};

/// Whether a tier has intervals or points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TierKind {
    Intervals,
    Points,
}

struct Tier {
    kind: TierKind,
    columns: Columns,
}

pub(super) fn read(text: &str, import: &mut Import<'_>) -> Result<()> {
    let mut reader = Reader { tokens: Tokens::new(text), spot: Spot { line: 1, column: 1 } };
    let done = reader.grid(import);
    match done {
        Ok(()) => Ok(()),
        Err(Stop::Bad(bad)) => import.bad(&bad),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// Reason to stop reading.
enum Stop {
    /// The rest cannot be interpreted without the expected value.
    Bad(ParseError),
    Failed(Error),
}

impl From<ParseError> for Stop {
    fn from(bad: ParseError) -> Stop {
        Stop::Bad(bad)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

type Step<T> = std::result::Result<T, Stop>;

struct Reader<'a> {
    tokens: Tokens<'a>,
    /// Where the last token began.
    spot: Spot,
}

impl<'a> Reader<'a> {
    fn next(&mut self, expected: &str) -> Step<Token<'a>> {
        match self.tokens.next() {
            Some(Ok((token, spot))) => {
                self.spot = spot;
                Ok(token)
            }
            Some(Err(bad)) => Err(bad.into()),
            None => Err(ParseError::new(self.tokens.spot(), format!("{expected}, but the file ends")).into()),
        }
    }

    fn number(&mut self, expected: &str) -> Step<f64> {
        match self.next(expected)? {
            Token::Number(number) => Ok(number),
            other => Err(ParseError::found(self.spot, expected, other.shown()).into()),
        }
    }

    /// A non-negative integer.
    fn count(&mut self, expected: &str) -> Step<f64> {
        let number = self.number(expected)?;
        if number < 0.0 || number.fract() != 0.0 {
            return Err(ParseError::found(self.spot, expected, &shown_number(number)).into());
        }
        Ok(number)
    }

    fn text(&mut self, expected: &str) -> Step<std::borrow::Cow<'a, str>> {
        match self.next(expected)? {
            Token::Text(text) => Ok(text),
            other => Err(ParseError::found(self.spot, expected, other.shown()).into()),
        }
    }

    fn grid(&mut self, import: &mut Import<'_>) -> Step<()> {
        let first = self.text("\"ooTextFile\"")?;
        if first == CHRONOLOGICAL {
            return self.chronological(import);
        }
        self.text("\"TextGrid\"")?;
        self.number("the start of the grid")?;
        self.number("the end of the grid")?;
        match self.next("<exists>")? {
            Token::Flag("exists") => {}
            Token::Flag(_) => return Ok(()),
            other => return Err(ParseError::found(self.spot, "<exists>", other.shown()).into()),
        }
        let n_tiers = self.count(N_TIERS)?;
        let mut n = 0.0;
        while n < n_tiers {
            let tier = self.tier()?;
            let n_labels = self.count(N_LABELS)?;
            let mut n_read = 0.0;
            while n_read < n_labels {
                self.label(&tier, import)?;
                n_read += 1.0;
            }
            n += 1.0;
        }
        Ok(())
    }

    /// Reads the chronological format: all tiers, then all labels, each preceded by the number of its tier.
    fn chronological(&mut self, import: &mut Import<'_>) -> Step<()> {
        self.number("the start of the grid")?;
        self.number("the end of the grid")?;
        let n_tiers = self.count(N_TIERS)?;
        let mut tiers = Vec::new();
        while (tiers.len() as f64) < n_tiers {
            tiers.push(self.tier()?);
        }
        while self.tokens.has_more() {
            let number = self.number("the number of a tier")?;
            let at = tiers.iter().enumerate().find(|(at, _)| (at + 1) as f64 == number);
            let Some((_, tier)) = at else {
                let expected = format!("the number of a tier, 1 to {}", tiers.len());
                return Err(ParseError::found(self.spot, &expected, &shown_number(number)).into());
            };
            self.label(tier, import)?;
        }
        Ok(())
    }

    fn tier(&mut self) -> Step<Tier> {
        let expected = "\"IntervalTier\" or \"TextTier\"";
        let class = self.text(expected)?;
        let kind = match &*class {
            INTERVALS => TierKind::Intervals,
            POINTS => TierKind::Points,
            other => return Err(ParseError::found(self.spot, expected, other).into()),
        };
        let columns = tier_columns(&self.text("the name of the tier")?);
        self.number("the start of the tier")?;
        self.number("the end of the tier")?;
        Ok(Tier { kind, columns })
    }

    fn label(&mut self, tier: &Tier, import: &mut Import<'_>) -> Step<()> {
        let start = self.number("a time")?;
        let spot = self.spot;
        let end = if tier.kind == TierKind::Intervals { self.number("an end")? } else { start };
        let text = self.text("a text in quotation marks")?;
        if tier.kind == TierKind::Points || !text.is_empty() {
            let text = import.text(&text);
            let label = Label { columns: tier.columns.clone(), ..Label::new([start, end], text) };
            import.add(spot, Ok(label))?;
        }
        Ok(())
    }
}
