//! Standard MIDI Files, formats 0 and 1.
//!
//! midly parses leniently and does not report what it skips, so chunks are counted here, and tracks that end early are
//! detected.

mod channel;
mod notes;
mod tempo;
mod written;

pub use written::{MidiNote, midi_from_notes};

use super::read::{ReadScore, ScoreOverrides};
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::voices::{NoteProblem, Score};
use midly::{EventIter, Format, MetaMessage, MidiMessage, TrackEventKind};
use notes::Notes;
use tempo::TickClock;

/// Reads a MIDI file. The timbre in `overrides` applies to every note except drums.
///
/// # Errors
/// [`Malformed`](ErrorKind::Malformed) without a valid header, [`Unsupported`](ErrorKind::Unsupported) for format 2,
/// [`Script`](ErrorKind::Script) for notes outside the limits of a score.
pub(super) fn read(bytes: &[u8], overrides: &ScoreOverrides) -> Result<ReadScore> {
    let damaged = |what: &str| Error::new(ErrorKind::Malformed, format!("is not a MIDI file: {what}"));
    let (header, _) = midly::parse(bytes).map_err(|_| damaged("its header is damaged"))?;
    if header.format == Format::Sequential {
        let what = "is a MIDI file of format 2, which is not supported; save it as format 0 or 1";
        return Err(Error::new(ErrorKind::Unsupported, what));
    }
    let mut clock = TickClock::new(header.timing).ok_or_else(|| damaged("its header states no ticks"))?;
    let chunks = Chunks::of(bytes);
    let mut notices = Vec::new();
    let mut events = Vec::new();
    let (mut n_whole, mut n_longer, mut n_bare) = (0, 0, 0);
    for track in &chunks.tracks {
        let read = add_events(track.data, &mut events);
        n_whole += usize::from(read.n_behind.is_some() && track.is_whole);
        n_longer += usize::from(read.n_behind.is_some_and(|n_behind| n_behind > 0));
        n_bare += read.n_bare;
    }
    if n_whole < chunks.n_stated || chunks.tracks.iter().any(|track| !track.is_whole) {
        notices.push(format!(
            "the file is damaged: its header states {} tracks and {n_whole} are whole; what could be read was read",
            chunks.n_stated
        ));
    }
    if n_longer > 0 {
        let n_tracks = chunks.tracks.len();
        notices.push(format!(
            "the file is damaged: bytes behind the end of {n_longer} of its {n_tracks} tracks were left out"
        ));
    }
    if n_bare > 0 {
        let messages = if n_bare == 1 { "1 message follows".into() } else { format!("{n_bare} messages follow") };
        notices.push(format!(
            "{messages} a meta or system event without a status, which MIDI files may not do; the status before was taken"
        ));
    }
    // Sort the events of all tracks by tick; events of the same tick stay in the order of the file.
    events.sort_by_key(|event| event.tick);
    let mut score = Score {
        level_db: overrides.level_db.unwrap_or(Score::empty().level_db),
        tuning_hz: overrides.tuning_hz.unwrap_or(Score::empty().tuning_hz),
        seed: overrides.seed.unwrap_or(0),
        ..Score::empty()
    };
    let mut notes = Notes::new(&mut score, overrides.timbre.clone());
    for event in &events {
        let secs = clock.secs_at(event.tick);
        if secs > Score::MAX_SECS {
            let what = format!("lasts more than {} hours", Score::MAX_SECS / 3600.0);
            return Err(Error::new(ErrorKind::Script, what));
        }
        match event.kind {
            MidiEvent::Tempo { micros_per_beat } => clock.set_tempo(event.tick, micros_per_beat),
            MidiEvent::Message { channel, message } => notes.take(secs, channel, message)?,
            MidiEvent::Other => {}
        }
    }
    let end_secs = events.last().map_or(0.0, |event| clock.secs_at(event.tick));
    let places = notes.finish(end_secs, &mut notices)?;
    match score.problem() {
        None => Ok(ReadScore { score, notices }),
        Some(NoteProblem { note: Some(note), field, what }) => {
            let [channel, key] = places[note];
            let secs = score.notes[note].start_secs;
            let what = format!("the note {key} on channel {channel} at {secs:.3} s: {field}: {what}");
            Err(Error::new(ErrorKind::Script, what))
        }
        Some(NoteProblem { note: None, field: "notes", .. }) => {
            Err(Error::new(ErrorKind::Script, with_notices("holds no notes", &notices)))
        }
        Some(NoteProblem { note: None, field, what }) => Err(Error::new(ErrorKind::Script, format!("{field}: {what}"))),
    }
}

/// Appends the notices to an error, since data left out may be the reason why there are no notes.
fn with_notices(what: &str, notices: &[String]) -> String {
    if notices.is_empty() { what.into() } else { format!("{what} ({})", notices.join("; ")) }
}

/// The tracks of a possibly truncated file.
struct Chunks<'a> {
    n_stated: usize,
    tracks: Vec<TrackChunk<'a>>,
}

struct TrackChunk<'a> {
    data: &'a [u8],
    /// Whether the file contains as many bytes as the chunk states.
    is_whole: bool,
}

impl Chunks<'_> {
    /// Finds the tracks of a file that begins with a valid header.
    fn of(bytes: &[u8]) -> Chunks<'_> {
        let mut chunks = Chunks { n_stated: 0, tracks: Vec::new() };
        let mut rest = bytes;
        while let Some((head, data)) = rest.split_first_chunk::<8>() {
            let [a, b, c, d, length @ ..] = *head;
            let n_bytes = u32::from_be_bytes(length) as usize;
            let is_whole = n_bytes <= data.len();
            let (data, after) = data.split_at(n_bytes.min(data.len()));
            match &[a, b, c, d] {
                b"MThd" if rest.len() == bytes.len() => {
                    chunks.n_stated = data.get(2..4).map_or(0, |n| usize::from(n[0]) << 8 | usize::from(n[1]));
                }
                b"MTrk" => chunks.tracks.push(TrackChunk { data, is_whole }),
                _ => {}
            }
            rest = after;
        }
        chunks
    }
}

/// An event of any track, reduced to the fields used.
#[derive(Debug, Clone, Copy)]
struct TimedEvent {
    /// Time in ticks from the beginning of the file.
    tick: u64,
    kind: MidiEvent,
}

#[derive(Debug, Clone, Copy)]
enum MidiEvent {
    Message {
        channel: u8,
        message: MidiMessage,
    },
    Tempo {
        micros_per_beat: u32,
    },
    /// Any other event; only its time matters, as it may be the last event.
    Other,
}

/// Result of reading a track.
#[derive(Debug, Default)]
struct TrackRead {
    /// Number of bytes after the end-of-track event; `None` without such an event.
    n_behind: Option<usize>,
    /// Number of messages that relied on a running status that a meta event had ended.
    n_bare: usize,
}

/// Adds a track's events up to its end or the first invalid event. A meta or system event ends the running status, but
/// some programs rely on it afterwards, and most players accept that.
fn add_events(data: &[u8], events: &mut Vec<TimedEvent>) -> TrackRead {
    let mut tick = 0;
    let mut track = EventIter::new(data);
    let mut read = TrackRead::default();
    let mut status = None;
    loop {
        let is_ended = track.running_status().is_none() && status.is_some();
        if is_ended {
            *track.running_status_mut() = status;
        }
        let is_bare = is_ended && has_no_status(track.unread());
        let Some(Ok(event)) = track.next() else { return read };
        read.n_bare += usize::from(is_bare);
        status = track.running_status().or(status);
        tick += u64::from(event.delta.as_int());
        let kind = match event.kind {
            TrackEventKind::Midi { channel, message } => MidiEvent::Message { channel: channel.as_int(), message },
            TrackEventKind::Meta(MetaMessage::Tempo(micros)) => MidiEvent::Tempo { micros_per_beat: micros.as_int() },
            _ => MidiEvent::Other,
        };
        events.push(TimedEvent { tick, kind });
        if event.kind == TrackEventKind::Meta(MetaMessage::EndOfTrack) {
            read.n_behind = Some(track.unread().len());
            return read;
        }
    }
}

/// Whether the byte after an event's delta time is a data byte instead of a status.
fn has_no_status(event: &[u8]) -> bool {
    let last_of_delta = event.iter().take(4).position(|byte| *byte < 0x80);
    last_of_delta.and_then(|at| event.get(at + 1)).is_some_and(|byte| *byte < 0x80)
}
