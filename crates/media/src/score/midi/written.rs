//! Writes notes as a MIDI file.

use crate::base::{Error, ErrorKind, Result};
use midly::num::{u4, u7, u15, u24, u28};
use midly::{Format, Header, MetaMessage, MidiMessage, Smf, Timing, TrackEvent, TrackEventKind};

/// Ticks per beat; two beats take a second, so a tick is 0.52 ms.
const TICKS_PER_BEAT: u16 = 960;
const TICKS_PER_SEC: f64 = 2.0 * TICKS_PER_BEAT as f64;
const MICROS_PER_BEAT: u32 = 500_000;

/// A note of a MIDI file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MidiNote {
    /// Key, 0 to 127; 69 is A4.
    pub key: u8,
    /// Velocity, 1 to 127.
    pub velocity: u8,
    /// Start and end in seconds; in the file, a note lasts at least one tick.
    pub secs: [f64; 2],
}

/// Creates a MIDI file of format 0 at 120 beats per minute, with all notes on the first channel.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) for a pause longer than a MIDI file can express, 38 hours, and for too many notes.
pub fn midi_from_notes(notes: &[MidiNote]) -> Result<Vec<u8>> {
    let mut messages = Vec::with_capacity(2 * notes.len());
    for note in notes {
        let [start, end] = note.secs.map(|secs| (secs.max(0.0) * TICKS_PER_SEC).round() as u64);
        let [key, velocity] = [note.key.min(127), note.velocity.clamp(1, 127)].map(u7::from);
        // At the same tick, note-offs precede note-ons.
        messages.push((start, 1, MidiMessage::NoteOn { key, vel: velocity }));
        messages.push((end.max(start + 1), 0, MidiMessage::NoteOff { key, vel: u7::from(0) }));
    }
    messages.sort_by_key(|(tick, order, _)| (*tick, *order));
    let tempo = MetaMessage::Tempo(u24::from(MICROS_PER_BEAT));
    let mut track = vec![TrackEvent { delta: u28::from(0), kind: TrackEventKind::Meta(tempo) }];
    let too_long = || Error::new(ErrorKind::Limit, "a pause is longer than a MIDI file can have");
    let mut last = 0;
    for (tick, _, message) in messages {
        let delta = u32::try_from(tick - last).ok().and_then(u28::try_from).ok_or_else(too_long)?;
        track.push(TrackEvent { delta, kind: TrackEventKind::Midi { channel: u4::from(0), message } });
        last = tick;
    }
    track.push(TrackEvent { delta: u28::from(0), kind: TrackEventKind::Meta(MetaMessage::EndOfTrack) });
    let header = Header::new(Format::SingleTrack, Timing::Metrical(u15::from(TICKS_PER_BEAT)));
    let mut bytes = Vec::new();
    let written = Smf { header, tracks: vec![track] }.write(&mut bytes);
    written.map_err(|what| Error::new(ErrorKind::Limit, format!("too many notes for a MIDI file: {what}")))?;
    Ok(bytes)
}
