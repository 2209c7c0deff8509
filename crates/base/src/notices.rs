//! How many notices are shown.

/// Notices about one file that are shown; a damaged file may give rise to thousands.
pub const MOST_NOTICES: usize = 20;

/// Notices about one file: the first of them, then how many more there are. Some of them may have been left out before.
pub fn few_notices(notices: &[String]) -> Vec<String> {
    let n_before: usize = notices.iter().filter_map(|notice| n_left_out(notice)).sum();
    let told: Vec<&String> = notices.iter().filter(|notice| n_left_out(notice).is_none()).collect();
    let n_more = told.len().saturating_sub(MOST_NOTICES) + n_before;
    told.into_iter().take(MOST_NOTICES).cloned().chain(more_notices(n_more)).collect()
}

/// How many notices are left out, as one of them.
pub fn more_notices(n_left_out: usize) -> Option<String> {
    (n_left_out > 0).then(|| format!("and {n_left_out} more"))
}

/// The number in what [`more_notices`] says.
fn n_left_out(notice: &str) -> Option<usize> {
    notice.strip_prefix("and ")?.strip_suffix(" more")?.parse().ok()
}
