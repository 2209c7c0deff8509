//! How many notices are shown.

/// Notices about one file that are shown; a damaged file may give rise to thousands.
pub const MOST_NOTICES: usize = 20;

/// Notices about one file: the first of them, then how many more there are.
pub fn few_notices(notices: &[String]) -> Vec<String> {
    let told = notices.iter().take(MOST_NOTICES).cloned();
    told.chain(more_notices(notices.len().saturating_sub(MOST_NOTICES))).collect()
}

/// How many notices are left out, as one of them.
pub fn more_notices(n_left_out: usize) -> Option<String> {
    (n_left_out > 0).then(|| format!("and {n_left_out} more"))
}
