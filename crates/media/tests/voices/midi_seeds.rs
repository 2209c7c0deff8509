//! Complete MIDI files of every shape that the reader supports, to be damaged.

use support::voices::midi::{MELODY, file, melody, track};

/// Name, number of notes, and bytes of each file.
pub(super) fn seeds() -> Vec<(&'static str, usize, Vec<u8>)> {
    vec![
        ("two tempi and a pedal", MELODY.len(), melody()),
        ("one track of everything", 6, one_track()),
        ("parts of a second", 4, smpte()),
        ("all channels", 48, all_channels()),
        ("tracks of nothing", 1, empty_tracks()),
        ("faster and faster", 24, accelerando()),
        ("keys that cross", 5, crossed_keys()),
    ]
}

/// Format 0: names and signatures, system-exclusive messages between notes, program changes, chords in running status,
/// bends and pressures.
fn one_track() -> Vec<u8> {
    let events: [(u32, &[u8]); 24] = [
        (0, &[0xff, 0x03, 5, b'p', b'i', b'a', b'n', b'o']),
        (0, &[0xff, 0x58, 4, 3, 2, 24, 8]),
        (0, &[0xff, 0x59, 2, 0xfd, 1]),
        (0, &[0xf0, 5, 0x7e, 0x7f, 9, 1, 0xf7]),
        (0, &[0xc2, 0]),
        (0, &[0x92, 60, 90]),
        (0, &[64, 91]),
        (0, &[67, 92]),
        (48, &[0xa2, 60, 40]),
        (0, &[0xd2, 99]),
        (48, &[0x92, 60, 0]),
        (0, &[64, 0]),
        (0, &[67, 0]),
        (0, &[0xf7, 3, 0xf3, 1, 2]),
        (0, &[0xc2, 19]),
        (0, &[0xe2, 0, 0x20]),
        (24, &[0x92, 72, 127]),
        (24, &[0xe2, 0x7f, 0x7f]),
        (24, &[0xc2, 127]),
        (0, &[0x92, 0, 1]),
        (0, &[127, 1]),
        (24, &[0x82, 0, 64]),
        (0, &[127, 0]),
        (48, &[72, 64]),
    ];
    file(0, 96, &[track(&events)])
}

/// Format 1 in frames of 1/29.97 s: a tempo, which has no effect there, and two tracks.
fn smpte() -> Vec<u8> {
    let part = |channel: u8, key: u8| {
        let (on, off) = (0x90 | channel, 0x80 | channel);
        track(&[(0, &[on, key, 90]), (700, &[off, key, 0]), (40, &[on, key + 7, 80]), (1_500, &[off, key + 7, 0])])
    };
    let tempo = track(&[(0, &[0xff, 0x51, 3, 1, 0, 0])]);
    file(1, 0xe364, &[tempo, part(0, 48), part(5, 60)])
}

/// Format 1, one track per channel: a program, a pan, a chord held by the pedal, a bend.
fn all_channels() -> Vec<u8> {
    let part = |channel: u8| {
        let [program, control, on, off, bend] = [0xc0, 0xb0, 0x90, 0x80, 0xe0].map(|status| status | channel);
        let key = 36 + 4 * channel;
        track(&[
            (0, &[program, 8 * channel]),
            (0, &[control, 10, 8 * channel]),
            (0, &[64, 127]),
            (u32::from(channel), &[on, key, 80]),
            (0, &[key + 4, 81]),
            (0, &[key + 7, 82]),
            (96, &[off, key, 0]),
            (0, &[key + 4, 0]),
            (0, &[key + 7, 0]),
            (96, &[bend, 0, 0x50]),
            (300, &[control, 64, 0]),
        ])
    };
    let tracks: Vec<Vec<u8>> = (0..16).map(part).collect();
    file(1, 192, &tracks)
}

/// An empty track, one with only an end, an unknown chunk, and a note.
fn empty_tracks() -> Vec<u8> {
    let note = track(&[(0, &[0x90, 60, 90]), (480, &[0x80, 60, 0])]);
    let nothing = b"MTrk\0\0\0\0".to_vec();
    let other = b"XFIH\0\0\0\x03abc".to_vec();
    file(1, 480, &[nothing.clone(), track(&[]), other, note, nothing])
}

/// A tempo per note, in a separate track, and delta times of up to four bytes.
fn accelerando() -> Vec<u8> {
    let tempi: Vec<[u8; 6]> = (0..24u8).map(|i| [0xff, 0x51, 3, 0, 240 - 10 * i, 0]).collect();
    let tempi: Vec<(u32, &[u8])> = tempi.iter().map(|tempo| (0x20_0000, &tempo[..])).collect();
    let keys: Vec<[[u8; 3]; 2]> = (0..24u8).map(|i| [[0x90, 40 + i, 100], [0x80, 40 + i, 0]]).collect();
    let notes: Vec<(u32, &[u8])> =
        keys.iter().flat_map(|[on, off]| [(0x10_0000, &on[..]), (0x10_0000, &off[..])]).collect();
    file(1, 0x7fff, &[track(&tempi), track(&notes)])
}

/// The same key pressed twice and three times, note-offs without note-ons, and a missing note-off.
fn crossed_keys() -> Vec<u8> {
    let events: [(u32, &[u8]); 12] = [
        (0, &[0x83, 60, 0]),
        (0, &[0x93, 60, 50]),
        (100, &[60, 60]),
        (100, &[60, 70]),
        (0, &[0xb3, 64, 64]),
        (50, &[0x93, 60, 0]),
        (50, &[0xb3, 64, 63]),
        (0, &[0xb3, 64, 127]),
        (0, &[0x93, 61, 80]),
        (10, &[61, 0]),
        (10, &[0xb3, 64, 0]),
        (10, &[0x93, 62, 1]),
    ];
    file(0, 480, &[track(&events)])
}
