//! Butterworth filters in scripts.

use crate::base::{JsonAt, JsonFields, Result};
use crate::brushes::parameter::{choice, read_choice};
use crate::dsp::strokes::brush::{Along, Butterworth, Pass};

choice! { Pass:
    Low = "low", "Low pass";
    High = "high", "High pass";
    Band = "band", "Band pass";
    Notch = "notch", "Notch";
}

choice! { Along:
    Time = "time", "Time";
    Frequency = "frequency", "Frequency";
    Both = "both", "Both";
}

/// Reads the field `pass`.
pub(in crate::brushes) fn pass(fields: &JsonFields) -> Result<Pass> {
    let mut pass = Pass::Low;
    read_choice(&mut pass, &fields.required("pass")?)?;
    Ok(pass)
}

/// Reads the field `order`.
pub(in crate::brushes) fn order(fields: &JsonFields) -> Result<u32> {
    fields.or("order", 4, |at| match at.whole()? {
        order @ 1..=8 => Ok(order as u32),
        order => at.refuse(format!("{order} is outside 1 to 8")),
    })
}

/// A filter with the cutoffs listed in the field `at`.
pub(in crate::brushes) fn filter(pass: Pass, order: u32, at: &JsonAt) -> Result<Butterworth> {
    let items = at.items()?;
    let n_wanted = if matches!(pass, Pass::Low | Pass::High) { 1 } else { 2 };
    if items.len() != n_wanted {
        let wanted = if n_wanted == 1 { "one number for low and high" } else { "two numbers for band and notch" };
        return at.refuse(format!("must be a list of {wanted}"));
    }
    let cutoff = items.iter().map(JsonAt::positive).collect::<Result<Vec<f64>>>()?;
    if cutoff.windows(2).any(|pair| pair[0] >= pair[1]) {
        return at.refuse("the cutoffs must be in ascending order");
    }
    Ok(Butterworth { pass, cutoff, order })
}
