//! Limits on the number of notices shown.

/// Maximum number of notices shown about one file, since a damaged file may cause thousands.
pub const MAX_NOTICES: usize = 20;

/// The first [`MAX_NOTICES`] notices about one file, then one with the number of omitted notices. Notices from
/// [`more_notices`] are not listed, but their numbers are added to it.
pub fn few_notices(notices: &[String]) -> Vec<String> {
    let n_before: usize = notices.iter().filter_map(|notice| n_left_out(notice)).sum();
    let shown: Vec<&String> = notices.iter().filter(|notice| n_left_out(notice).is_none()).collect();
    let n_more = shown.len().saturating_sub(MAX_NOTICES) + n_before;
    shown.into_iter().take(MAX_NOTICES).cloned().chain(more_notices(n_more)).collect()
}

/// A notice that states how many were left out; `None` for 0.
pub fn more_notices(n_left_out: usize) -> Option<String> {
    (n_left_out > 0).then(|| format!("and {n_left_out} more"))
}

/// The number stated in a notice by [`more_notices`].
fn n_left_out(notice: &str) -> Option<usize> {
    notice.strip_prefix("and ")?.strip_suffix(" more")?.parse().ok()
}
