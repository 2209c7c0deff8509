//! The time of day, for records, names and the age of files. Clocks may jump, so it is not used to measure durations.

use crate::base::UtcDate;
use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970.
pub fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Date and time in UTC as part of a file name: `2026-11-22T14-05-09`.
pub fn stamp_for_name(ns: i64) -> String {
    let UtcDate { year, month, day, hours, minutes, secs } = UtcDate::from_unix_secs(ns.div_euclid(1_000_000_000));
    format!("{year:04}-{month:02}-{day:02}T{hours:02}-{minutes:02}-{secs:02}")
}
