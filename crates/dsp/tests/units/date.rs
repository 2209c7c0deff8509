//! Dates of times since 1970, against Python's `datetime`.

use base::{UtcDate, local_secs};

#[test]
fn a_time_since_1970_has_the_date_of_the_calendar() {
    let text = |unix_secs| {
        let UtcDate { year, month, day, hours, minutes, secs } = UtcDate::from_unix_secs(unix_secs);
        format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{secs:02}")
    };
    for (unix_secs, expected) in [
        (0, "1970-01-01T00:00:00"),
        (951_782_400, "2000-02-29T00:00:00"),
        (1_709_208_123, "2024-02-29T12:02:03"),
        (4_107_542_400, "2100-03-01T00:00:00"),
        (-1, "1969-12-31T23:59:59"),
        (-2_208_988_800, "1900-01-01T00:00:00"),
        (253_402_300_799, "9999-12-31T23:59:59"),
    ] {
        assert_eq!(text(unix_secs), expected);
    }
    // A wrong clock must not cause a panic.
    assert!(UtcDate::from_unix_secs(i64::MAX / 2).year > 1_000_000);
}

/// Against `date`, which uses the same time zone of the system.
#[cfg(target_os = "linux")]
#[test]
fn the_local_date_is_that_of_the_clock_on_the_wall() {
    for unix_secs in [951_782_400i64, 1_709_208_123, 1_720_000_000] {
        let UtcDate { year, month, day, hours, minutes, secs } = UtcDate::from_unix_secs(local_secs(unix_secs));
        let format = "+%Y-%m-%d %H:%M:%S";
        let shown = std::process::Command::new("date").args(["-d", &format!("@{unix_secs}"), format]).output().unwrap();
        let expected = String::from_utf8(shown.stdout).unwrap();
        assert_eq!(format!("{year}-{month:02}-{day:02} {hours:02}:{minutes:02}:{secs:02}"), expected.trim());
    }
}
