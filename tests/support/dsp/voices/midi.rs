//! MIDI files, byte by byte.

/// A track's bytes out of `(ticks since the last, message)`, with its end.
pub fn track(events: &[(u32, &[u8])]) -> Vec<u8> {
    let mut data = Vec::new();
    for (delta, message) in events.iter().chain([&(0, &[0xff, 0x2f, 0][..])]) {
        let groups = [delta >> 21, delta >> 14, delta >> 7].map(|group| group as u8 & 0x7f);
        let first = groups.iter().position(|group| *group != 0).unwrap_or(3);
        data.extend(groups[first..].iter().map(|group| group | 0x80));
        data.push(*delta as u8 & 0x7f);
        data.extend_from_slice(message);
    }
    [b"MTrk".as_slice(), &(data.len() as u32).to_be_bytes(), &data].concat()
}

pub fn file(format: u16, division: u16, tracks: &[Vec<u8>]) -> Vec<u8> {
    let words = [format, tracks.len() as u16, division].map(u16::to_be_bytes).concat();
    [b"MThd\0\0\0\x06".as_slice(), &words, &tracks.concat()].concat()
}

/// Two tempi, a pedal, running status, and a second track.
pub fn melody() -> Vec<u8> {
    let conductor = track(&[(0, &[0xff, 0x51, 3, 0x09, 0x27, 0xc0]), (960, &[0xff, 0x51, 3, 0x03, 0xd0, 0x90])]);
    let piano = track(&[
        (0, &[0xc0, 19]),
        (0, &[0x90, 60, 127]),
        // Running status, and a velocity of 0 for the end.
        (480, &[60, 0]),
        (0, &[64, 100]),
        (240, &[0xb0, 64, 127]),
        (60, &[0x80, 64, 0]),
        (420, &[0x90, 67, 64]),
        (120, &[67, 0]),
        (720, &[0xb0, 64, 0]),
        // Ends on its own tick.
        (0, &[0x90, 72, 1]),
        (0, &[72, 0]),
    ]);
    file(1, 480, &[conductor, piano])
}

/// Starts and ends in seconds, worked out by hand: a beat takes 0.6 s up to tick 960, 0.25 s from there on.
pub const MELODY: [(f64, f64, f64, f64); 4] = [
    (60.0, 0.0, 0.6, 127.0),
    // Released at tick 780, held by the pedal from 720 to 2040.
    (64.0, 0.6, 1.2 + 1080.0 / 480.0 * 0.25, 100.0),
    // Both begin behind the change of tempo.
    (67.0, 1.2 + 240.0 / 480.0 * 0.25, 1.2 + 1080.0 / 480.0 * 0.25, 64.0),
    (72.0, 1.2 + 1080.0 / 480.0 * 0.25, 1.2 + 1080.0 / 480.0 * 0.25 + 0.001, 1.0),
];
