//! Foundations: texts for times and notes, locks, disk space, headers of NumPy files.

use base::{
    ErrorKind, Note, Space, check_room, clock_from_secs, free_bytes, khz_from_hz, length_from_secs, lock, npy_header,
    space_of, take_waited,
};
use std::sync::Mutex;
use std::time::Duration;

#[test]
fn notes_have_their_names() {
    assert_eq!(Note::from_hz(440.0).map(|note| note.to_string()).as_deref(), Some("A4 +0 ct"));
    assert_eq!(Note::from_hz(592.0).map(|note| note.to_string()).as_deref(), Some("D5 +14 ct"));
    assert_eq!(Note::from_hz(8.1758).map(|note| note.name()).as_deref(), Some("C-1"));
    assert_eq!([0.0, 0.4, 7.9].map(Note::from_hz), [None; 3]);
}

#[test]
fn clocks_carry_over() {
    assert_eq!(clock_from_secs(59.9996), "1:00.000");
    assert_eq!(clock_from_secs(3661.5), "1:01:01.500");
    assert_eq!(clock_from_secs(-1.25), "\u{2212}0:01.250");
}

#[test]
fn lengths_from_a_minute_on_read_like_a_clock() {
    for (secs, decimals, expected) in [
        (5.5, 1, "5.5 s"),
        (0.25, 3, "0.250 s"),
        (59.94, 1, "59.9 s"),
        (59.96, 1, "1:00.0"),
        (1105.68, 0, "18:26"),
        (1105.68, 2, "18:25.68"),
        (3899.948, 3, "1:04:59.948"),
    ] {
        assert_eq!(length_from_secs(secs, decimals), expected);
    }
}

#[test]
fn sample_rates_are_in_kilohertz_with_the_digits_they_have() {
    let all = [44_100.0, 48_000.0, 22_050.0, 11_025.0, 4_000.0, 768_000.0, 8.0].map(khz_from_hz);
    assert_eq!(all, ["44.1 kHz", "48 kHz", "22.05 kHz", "11.025 kHz", "4 kHz", "768 kHz", "8 Hz"]);
}

#[test]
fn a_wait_is_counted_and_a_free_lock_is_none() {
    // Discards the time that this thread waited before the test.
    take_waited();
    let mutex = Mutex::new(0);
    drop(lock(&mutex));
    assert_eq!(take_waited(), Duration::ZERO);
    let (held, is_held) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _guard = lock(&mutex);
            held.send(()).ok();
            std::thread::sleep(Duration::from_millis(20));
        });
        is_held.recv().ok();
        drop(lock(&mutex));
    });
    assert!(take_waited() > Duration::from_millis(5));
    assert_eq!(take_waited(), Duration::ZERO);
}

#[test]
fn a_twentieth_of_a_disk_stays_free_within_bounds() {
    for (size, reserved) in [(1u64 << 40, 1_000_000_000), (10_000_000_000, 500_000_000), (128 << 20, 64_000_000)] {
        assert_eq!(Space { size, free: size }.reserve(), reserved, "{size}");
    }
    let there = space_of(&std::env::temp_dir());
    assert!(there.is_none_or(|there| there.free <= there.size && there.size > 0), "{there:?}");
}

#[test]
fn what_does_not_fit_is_refused_with_both_figures() {
    let folder = std::env::temp_dir();
    assert!(check_room(&folder, 0).is_ok() && check_room(&folder, 1).is_ok());
    let below = folder.join("not").join("there");
    assert!(check_room(&below, 1).is_ok(), "asked of the folder above");
    if free_bytes(&folder).is_some() {
        let error = check_room(&below, 1 << 60).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DiskFull);
        assert!(error.message().contains("1152921504607 MB are needed"), "{error}");
    }
}

#[test]
fn data_start_at_a_multiple_of_64() {
    for shape in [&[1, 1, 1][..], &[2, 1025, 12_345], &[32, 16_385, 123_456_789], &[7]] {
        let header = npy_header("<c8", true, shape);
        assert_eq!(header.len() % 64, 0);
        assert_eq!(header[8..10], ((header.len() - 10) as u16).to_le_bytes());
        assert_eq!(header.last(), Some(&b'\n'));
    }
}
