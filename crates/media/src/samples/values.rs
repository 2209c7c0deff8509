//! Stored values and the corresponding samples.

/// The original values of a run of samples of one channel.
#[derive(Debug, Clone, PartialEq)]
pub enum Original {
    /// Integers of [`SourceInfo::container_bits`](crate::SourceInfo::container_bits), sign-extended; the valid bits are
    /// the upper ones.
    Integers(Vec<i32>),
    /// 32-bit floats, NaN and infinity as 0.
    Floats(Vec<f32>),
    /// 64-bit floats, NaN and infinity as 0.
    Doubles(Vec<f64>),
}

impl Original {
    /// Value `index` as [`Source::read`](crate::Source::read) returns it.
    pub fn as_f32(&self, index: usize, container_bits: u32) -> f32 {
        match self {
            Original::Integers(values) => f32_from_integer(values[index], container_bits),
            Original::Floats(values) => values[index],
            Original::Doubles(values) => values[index] as f32,
        }
    }

    /// Appends further values of the same source.
    pub(crate) fn append(&mut self, more: Original) {
        match (self, more) {
            (Original::Integers(values), Original::Integers(more)) => values.extend(more),
            (Original::Floats(values), Original::Floats(more)) => values.extend(more),
            (Original::Doubles(values), Original::Doubles(more)) => values.extend(more),
            // All values of a source are of one type.
            (values, more) => *values = more,
        }
    }

    pub(crate) fn append_zeros(&mut self, n: usize) {
        match self {
            Original::Integers(values) => values.resize(values.len() + n, 0),
            Original::Floats(values) => values.resize(values.len() + n, 0.0),
            Original::Doubles(values) => values.resize(values.len() + n, 0.0),
        }
    }

    /// Value `index` as stored, without rounding, with a full scale of 1.
    pub fn as_f64(&self, index: usize, container_bits: u32) -> f64 {
        match self {
            Original::Integers(values) => f64::from(values[index]) / full_scale(container_bits),
            Original::Floats(values) => f64::from(values[index]),
            Original::Doubles(values) => values[index],
        }
    }
}

/// Full scale of integers: `2^(bits - 1)`.
pub(crate) fn full_scale(bits: u32) -> f64 {
    f64::from(bits.saturating_sub(1)).exp2()
}

/// Converts an integer of `bits` to a sample, rounding once, since the scale is a power of two.
pub(crate) fn f32_from_integer(value: i32, bits: u32) -> f32 {
    value as f32 * (1.0 / full_scale(bits)) as f32
}

/// Replaces NaN and infinity with 0, and counts them in `not_finite`.
pub(crate) fn finite_f32(value: f32, not_finite: &mut u64) -> f32 {
    if value.is_finite() {
        return value;
    }
    *not_finite += 1;
    0.0
}

/// Replaces NaN and values that are infinite as f32 with 0, and counts them in `not_finite`.
pub(crate) fn finite_f64(value: f64, not_finite: &mut u64) -> f64 {
    if (value as f32).is_finite() {
        return value;
    }
    *not_finite += 1;
    0.0
}

/// The notice about `n` values that are not finite; `None` for 0.
pub(crate) fn not_finite_notice(n: u64) -> Option<String> {
    let samples = if n == 1 { "sample was" } else { "samples were" };
    (n > 0).then(|| format!("{n} {samples} not finite numbers (NaN or infinity), read as 0"))
}
