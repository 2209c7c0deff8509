//! The time of day, noted beside what happened. Nothing is decided by it: clocks jump.

use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970.
pub fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The date and time in UTC as a part of a file's name: `2026-11-22T14-05-09`.
pub fn stamp_for_name(ns: i64) -> String {
    let secs = ns.div_euclid(1_000_000_000);
    let (days, rest) = (secs.div_euclid(86_400), secs.rem_euclid(86_400));
    let [year, month, day] = date_of_days(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}-{:02}-{:02}", rest / 3_600, rest / 60 % 60, rest % 60)
}

/// Year, month and day of so many days since 1970: Howard Hinnant's `civil_from_days`.
fn date_of_days(days: i64) -> [i64; 3] {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    [year_of_era + era * 400 + i64::from(month <= 2), month, day]
}
