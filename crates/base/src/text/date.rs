//! Date and time of day.

use chrono::{Local, TimeZone};

/// Seconds in a day.
const DAY_SECS: i64 = 86_400;

/// A date and a time of day in UTC, in the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcDate {
    /// Year; 0 or negative before year 1.
    pub year: i64,
    /// Month, 1 to 12.
    pub month: i64,
    /// Day of the month, 1 to 31.
    pub day: i64,
    /// Hour, 0 to 23.
    pub hours: i64,
    /// Minute, 0 to 59.
    pub minutes: i64,
    /// Second, 0 to 59.
    pub secs: i64,
}

/// Seconds since 1970 in the user's local time, or in UTC if that is unknown. Their [`UtcDate`] is the local date.
pub fn local_secs(unix_secs: i64) -> i64 {
    let local = Local.timestamp_opt(unix_secs, 0).single();
    unix_secs.saturating_add(local.map_or(0, |at| i64::from(at.offset().local_minus_utc())))
}

impl UtcDate {
    /// The date of a number of seconds since 1970; negative before 1970. Source: Howard Hinnant, `civil_from_days`.
    pub fn from_unix_secs(unix_secs: i64) -> UtcDate {
        let (days, in_day) = (unix_secs.div_euclid(DAY_SECS), unix_secs.rem_euclid(DAY_SECS));
        // Years begin in March and eras of 400 years on 1 March 0000, so that a leap day is the last of its year.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        UtcDate {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted_month + 2) / 5 + 1,
            hours: in_day / 3_600,
            minutes: in_day / 60 % 60,
            secs: in_day % 60,
        }
    }
}
