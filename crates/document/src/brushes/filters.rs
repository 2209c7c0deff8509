//! Butterworth filters in scripts.

use crate::base::Result;
use crate::document::script::fields::{At, Fields};
use crate::dsp::brush::{Butterworth, Pass};

/// The field `pass`.
pub(super) fn pass(fields: &Fields) -> Result<Pass> {
    let passes = [("low", Pass::Low), ("high", Pass::High), ("band", Pass::Band), ("notch", Pass::Notch)];
    fields.required("pass")?.choice(&passes)
}

/// As scripts have it.
pub(super) fn pass_name(pass: Pass) -> &'static str {
    match pass {
        Pass::Low => "low",
        Pass::High => "high",
        Pass::Band => "band",
        Pass::Notch => "notch",
    }
}

/// The field `order`.
pub(super) fn order(fields: &Fields) -> Result<u32> {
    fields.or("order", 4, |at| match at.whole()? {
        order @ 1..=8 => Ok(order as u32),
        order => at.refuse(format!("{order} is outside 1 to 8")),
    })
}

/// A filter with the cutoffs listed at `at`.
pub(super) fn filter(pass: Pass, order: u32, at: &At) -> Result<Butterworth> {
    let items = at.items()?;
    let n_wanted = if matches!(pass, Pass::Low | Pass::High) { 1 } else { 2 };
    if items.len() != n_wanted {
        let wanted = if n_wanted == 1 { "one number for low and high" } else { "two numbers for band and notch" };
        return at.refuse(format!("must be a list of {wanted}"));
    }
    let cutoff = items.iter().map(At::positive).collect::<Result<Vec<f64>>>()?;
    if cutoff.windows(2).any(|pair| pair[0] >= pair[1]) {
        return at.refuse("the cutoffs must be in ascending order");
    }
    Ok(Butterworth { pass, cutoff, order })
}
