//! Parses numbers in label files.

/// Allowed decimal separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::labels::formats) enum Decimal {
    /// A point.
    Point,
    /// A point or a comma, if commas do not separate fields.
    PointOrComma,
}

/// Parses a number: `[+-]?d+([.,]d+)?([eE][+-]?d+)?`, with surrounding spaces allowed; `None` for infinities, NaN and
/// thousands separators.
pub(in crate::labels::formats) fn number(text: &str, decimal: Decimal) -> Option<f64> {
    let text = text.trim();
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let n_whole = digits(unsigned);
    let mut rest = &unsigned[n_whole..];
    if n_whole == 0 {
        return None;
    }
    let mut has_comma = false;
    if let Some(fraction) = rest.strip_prefix('.').or_else(|| rest.strip_prefix(',')) {
        has_comma = rest.starts_with(',');
        let n = digits(fraction);
        if n == 0 || has_comma && decimal == Decimal::Point {
            return None;
        }
        rest = &fraction[n..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let n = digits(exponent);
        if n == 0 {
            return None;
        }
        rest = &exponent[n..];
    }
    if !rest.is_empty() {
        return None;
    }
    let value: f64 = if has_comma { text.replace(',', ".").parse().ok()? } else { text.parse().ok()? };
    value.is_finite().then_some(value)
}

/// Whether a text is a number to most programs, but not a valid time: NaN, an infinity, or too large.
pub(in crate::labels::formats) fn is_not_finite(text: &str) -> bool {
    text.trim().replace(',', ".").parse::<f64>().is_ok_and(|number| !number.is_finite())
}
