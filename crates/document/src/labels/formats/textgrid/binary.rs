//! Binary TextGrids: big-endian numbers.

use super::super::common::import::{Import, ParseError};
use super::super::common::textual::{Spot, windows_1252};
use super::words::{INTERVALS, MAGIC, N_LABELS, N_TIERS, POINTS, cut_short, tier_columns};
use crate::base::{Error, ErrorKind, Result};
use crate::document::labels::Label;

struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(n).filter(|end| *end <= self.bytes.len()).ok_or_else(|| cut_short(self.at))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let at = self.at;
        self.take(N)?.try_into().map_err(|_| cut_short(at))
    }

    fn number(&mut self) -> Result<f64> {
        self.array().map(f64::from_be_bytes)
    }

    /// Reads a count, which must not be negative; `expected` describes it in errors.
    fn count(&mut self, expected: &str) -> Result<i32> {
        let at = self.at;
        let n = self.array().map(i32::from_be_bytes)?;
        if n < 0 {
            let bad = ParseError::found(Spot::at_byte(at), expected, &n.to_string());
            return Err(Error::new(ErrorKind::Malformed, bad.sentence()));
        }
        Ok(n)
    }

    fn text(&mut self) -> Result<String> {
        match u16::from_be_bytes(self.array()?) {
            0xffff => {
                let n = usize::from(u16::from_be_bytes(self.array()?));
                let units = self.take(2 * n)?.as_chunks::<2>().0;
                Ok(String::from_utf16_lossy(&units.iter().map(|&unit| u16::from_be_bytes(unit)).collect::<Vec<_>>()))
            }
            n => Ok(windows_1252(self.take(usize::from(n))?)),
        }
    }
}

pub(super) fn read(bytes: &[u8], import: &mut Import<'_>) -> Result<()> {
    let mut bytes = Bytes { bytes, at: MAGIC.len() };
    bytes.number()?;
    bytes.number()?;
    if bytes.array::<1>()? == [0] {
        return Ok(());
    }
    for _ in 0..bytes.count(N_TIERS)? {
        let at = bytes.at;
        let n = usize::from(bytes.array::<1>()?[0]);
        let class = bytes.take(n)?;
        let has_ends = match class {
            class if class == INTERVALS.as_bytes() => true,
            class if class == POINTS.as_bytes() => false,
            _ => {
                let what = format!("byte {at}: expected \"{INTERVALS}\" or \"{POINTS}\"");
                return Err(Error::new(ErrorKind::Malformed, what));
            }
        };
        let columns = tier_columns(&bytes.text()?);
        bytes.number()?;
        bytes.number()?;
        for _ in 0..bytes.count(N_LABELS)? {
            let spot = Spot::at_byte(bytes.at);
            let start = bytes.number()?;
            let end = if has_ends { bytes.number()? } else { start };
            let text = bytes.text()?;
            if !has_ends || !text.is_empty() {
                let label = Label { columns: columns.clone(), ..Label::new([start, end], import.text(&text)) };
                import.add(spot, Ok(label))?;
            }
        }
    }
    Ok(())
}
