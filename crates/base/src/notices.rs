//! Limits on the number of notices shown.

/// Maximum number of notices shown about one file; a damaged file may cause thousands.
pub const MOST_NOTICES: usize = 20;

/// Notices about one file: the first of them, then the number of the others. Some may already have been left out.
pub fn few_notices(notices: &[String]) -> Vec<String> {
    let n_before: usize = notices.iter().filter_map(|notice| n_left_out(notice)).sum();
    let told: Vec<&String> = notices.iter().filter(|notice| n_left_out(notice).is_none()).collect();
    let n_more = told.len().saturating_sub(MOST_NOTICES) + n_before;
    told.into_iter().take(MOST_NOTICES).cloned().chain(more_notices(n_more)).collect()
}

/// The number of notices left out, as a notice.
pub fn more_notices(n_left_out: usize) -> Option<String> {
    (n_left_out > 0).then(|| format!("and {n_left_out} more"))
}

/// The number in a notice by [`more_notices`].
fn n_left_out(notice: &str) -> Option<usize> {
    notice.strip_prefix("and ")?.strip_suffix(" more")?.parse().ok()
}
