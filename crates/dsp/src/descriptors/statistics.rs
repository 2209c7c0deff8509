//! Means, deviations and quantiles of measurements.

/// The mean; `None` if there are no values.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The population standard deviation; `None` if there are no values.
pub(super) fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    Some((squares / values.len() as f64).sqrt())
}

/// The median, for an even number the mean of the middle two; `None` if there are no values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    (n > 0).then(|| (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0)
}

/// The quantile `part`, 0 to 1, of sorted values, linearly interpolated; `None` if there are no values.
pub fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let at = part * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    Some(low + (high - low) * at.fract())
}
