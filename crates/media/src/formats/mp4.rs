//! Start and end of the audio of an MP4 track, from its edit list, which symphonia reads but does not apply, or from
//! iTunes's own field. Encoders add a thousand samples or more before the first one.
//!
//! Sources: ISO/IEC 14496-12, sections 8.2 to 8.6; Apple, "Audio Priming - Handling Encoder Delay in AAC".

use super::boxes::BoxHead;
use super::sample_tables::{self, Described, SampleTables};
use crate::probe::file_bytes::FileBytes;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// Maximum nesting depth of boxes; no box that describes audio is nested deeper.
const MAX_DEPTH: usize = 8;
/// Maximum number of boxes read: more than any real file has, to bound the work for hostile ones.
const MAX_BOXES: usize = 100_000;
/// Maximum length of an iTunes text in bytes.
const MAX_TEXT_BYTES: u64 = 4096;

/// The part of a track that is played, in ticks of `timescale` per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct EditedRange {
    /// Ticks per second, also of the track's packets.
    pub(crate) timescale: u32,
    /// Duration of the silence before the part.
    pub(crate) silence_secs: f64,
    /// First tick to be played.
    pub(crate) first: u64,
    /// Number of ticks; `None` for all.
    pub(crate) length: Option<u64>,
    /// Whether the part extends to the end of the track, so that `length` is not from the edit list.
    pub(crate) is_to_the_end: bool,
    /// Whether the edit list plays more parts after this one.
    pub(crate) has_more: bool,
}

/// Information in a track's boxes.
#[derive(Debug, Default)]
struct Track {
    id: u32,
    timescale: u32,
    /// Untrimmed duration according to the time table, in ticks of the track.
    total: u64,
    /// Total duration of the packets in fragments, in ticks of the track.
    total_of_fragments: u64,
    edits: Vec<Edit>,
    is_sound: bool,
    /// Positions of the sample tables.
    tables: SampleTables,
    /// Description of its samples, if plain.
    described: Option<Described>,
    /// ALAC's configuration, where QuickTime stores it.
    alac: Option<Box<[u8]>>,
}

/// One entry of an edit list.
#[derive(Debug, Clone, Copy)]
struct Edit {
    /// Duration in ticks of the movie.
    duration: u64,
    /// Start in ticks of the track; negative for a pause.
    media_time: i64,
}

/// Priming and length in samples, as written by iTunes.
#[derive(Debug, Clone, Copy)]
struct Gapless {
    delay: u64,
    length: u64,
}

/// Information on the tracks in an MP4's boxes.
#[derive(Debug, Default)]
pub(crate) struct Movie {
    timescale: u32,
    tracks: Vec<Track>,
    gapless: Option<Gapless>,
    /// Whether samples are in fragments after the track descriptions.
    is_fragmented: bool,
    /// Whether all boxes could be read, so that no fragment is missing.
    is_complete: bool,
    /// End of the last complete top-level box, or start of another movie in the same file.
    pub(crate) end: Option<u64>,
    /// Whether the file's major brand is QuickTime's.
    pub(crate) is_quicktime: bool,
}

/// Reads the boxes that describe the file's tracks; on any error, returns the information read so far. Moves the file's
/// position.
pub(crate) fn scan(file: &FileBytes, n_bytes: u64) -> Movie {
    let Ok(copy) = file.try_clone() else { return Movie::default() };
    let mut walk = Walk {
        file: BufReader::new(copy),
        n_boxes: 0,
        movie: Movie::default(),
        name: String::new(),
        packet_times: Vec::new(),
        fragment: None,
    };
    let _ = walk.file.seek(SeekFrom::Start(0));
    walk.movie.is_complete = walk.boxes(0, n_bytes, 0).is_some();
    for track in walk.movie.tracks.iter_mut().filter(|track| track.is_sound) {
        track.described = sample_tables::describe(file, &track.tables);
        track.alac = sample_tables::alac_in_wave(file, &track.tables);
    }
    walk.movie
}

impl Movie {
    /// The part to be played of the track with this id; `None` if the file does not state it.
    pub(crate) fn heard(&self, track_id: u32) -> Option<EditedRange> {
        let track = self.tracks.iter().find(|track| track.id == track_id && track.timescale > 0)?;
        let fits = |gapless: &Gapless| gapless.delay.saturating_add(gapless.length) <= track.total;
        let Some(Gapless { delay: first, length }) = self.gapless.filter(fits) else {
            let heard = by_edits(track, self.timescale);
            if !self.is_fragmented {
                return Some(heard);
            }
            // The edit list was written before the fragments, so its length includes none of them or only the first.
            let total = track.total.saturating_add(track.total_of_fragments);
            let is_known = self.is_complete && track.total_of_fragments > 0 && !track.edits.is_empty();
            let length = total.checked_sub(heard.first).filter(|length| is_known && *length > 0);
            return Some(EditedRange { length, is_to_the_end: true, ..heard });
        };
        let timescale = track.timescale;
        let length = Some(length);
        Some(EditedRange { timescale, silence_secs: 0.0, first, length, is_to_the_end: false, has_more: false })
    }

    /// The id of the first audio track, and the positions of its sample tables.
    pub(crate) fn sound(&self) -> Option<(u32, &SampleTables)> {
        self.tracks.iter().find(|track| track.is_sound).map(|track| (track.id, &track.tables))
    }

    /// The format of the samples of the track with this id, if they are plain.
    pub(crate) fn described(&self, track_id: u32) -> Option<Described> {
        self.tracks.iter().find(|track| track.id == track_id)?.described
    }

    /// The ALAC configuration, where QuickTime stores it, of the track with this id.
    pub(crate) fn alac(&self, track_id: u32) -> Option<&[u8]> {
        self.tracks.iter().find(|track| track.id == track_id)?.alac.as_deref()
    }

    /// Whether samples are in fragments, which the sample tables do not list.
    pub(crate) fn is_fragmented(&self) -> bool {
        self.is_fragmented
    }
}

fn by_edits(track: &Track, movie_timescale: u32) -> EditedRange {
    let movie = f64::from(movie_timescale.max(1));
    let pauses = track.edits.iter().take_while(|edit| edit.media_time < 0);
    let silence_secs: f64 = pauses.map(|edit| edit.duration as f64 / movie).sum();
    let mut pieces = track.edits.iter().filter(|edit| edit.media_time >= 0);
    let piece = pieces.next();
    let first = piece.map_or(0, |edit| edit.media_time as u64);
    let rest = track.total.saturating_sub(first);
    let stated = piece.filter(|edit| edit.duration > 0 && movie_timescale > 0).map(|edit| {
        let ticks_a_tick = f64::from(track.timescale) / movie;
        let stated = (edit.duration as f64 * ticks_a_tick).round() as u64;
        // The movie's ticks are often milliseconds: if both lengths agree within a tick, that of the time table is more
        // precise.
        if rest > 0 && rest.abs_diff(stated) as f64 <= ticks_a_tick { rest } else { stated }
    });
    // A piece without a duration extends to the end of the time table.
    let length = stated.or(piece.map(|_| rest).filter(|rest| *rest > 0));
    let (is_to_the_end, has_more) = (stated.is_none(), pieces.next().is_some());
    EditedRange { timescale: track.timescale, silence_secs, first, length, is_to_the_end, has_more }
}

/// The sample rate in an AAC configuration (ISO/IEC 14496-3, section 1.6.2.1), since a sample description cannot state
/// more than 65,535 Hz.
pub fn aac_rate(configuration: &[u8]) -> Option<u32> {
    const RATES: [u32; 13] =
        [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];
    let mut bytes = [0; 8];
    let n = configuration.len().min(8);
    bytes[..n].copy_from_slice(&configuration[..n]);
    let word = u64::from_be_bytes(bytes);
    // Object types from 32 on take six more bits.
    let at = if word >> 59 == 31 { 11 } else { 5 };
    match (word << at >> 60) as usize {
        15 => Some((word << (at + 4) >> 40) as u32),
        index => RATES.get(index).copied(),
    }
    .filter(|rate| n >= 2 && *rate > 0)
}

struct Walk {
    file: BufReader<FileBytes>,
    n_boxes: usize,
    movie: Movie,
    /// Name of the iTunes value that is being read.
    name: String,
    /// Default packet durations of tracks in fragments, by track id.
    packet_times: Vec<(u32, u32)>,
    /// Index of the track of the fragment being read, and the default duration of its packets.
    fragment: Option<(usize, u32)>,
}

impl Walk {
    /// Reads the boxes from `at` to `end`; `None` on any error, keeping what was read so far.
    fn boxes(&mut self, mut at: u64, end: u64, depth: usize) -> Option<()> {
        while depth < MAX_DEPTH && at.checked_add(8)? <= end {
            self.n_boxes += 1;
            if self.n_boxes > MAX_BOXES {
                return None;
            }
            let head = BoxHead::read(at, end, |at, bytes| self.read_into(at, bytes))?;
            if depth == 0 && at > 0 {
                self.movie.end = Some(at);
                // Fragmented files may repeat the file type box; zeros are not a box.
                if head.kind == [0; 4] || &head.kind == b"ftyp" && !self.movie.is_fragmented {
                    return Some(());
                }
            }
            if !head.is_within(end) {
                // Arbitrary data may follow the last box, but if a box with audio or its description is truncated,
                // audio is missing.
                let is_sound = matches!(&head.kind, b"moof" | b"mdat" | b"moov");
                return (depth == 0 && !is_sound).then_some(());
            }
            self.content(head.kind, head.content.start, head.content.end, depth + 1)?;
            at = head.content.end;
        }
        if depth == 0 {
            self.movie.end = Some(at);
        }
        Some(())
    }

    fn content(&mut self, id: [u8; 4], at: u64, end: u64, depth: usize) -> Option<()> {
        match &id {
            b"trak" => {
                self.movie.tracks.push(Track::default());
                self.boxes(at, end, depth)?;
            }
            b"moov" | b"edts" | b"mdia" | b"minf" | b"stbl" | b"udta" | b"ilst" | b"----" => {
                self.boxes(at, end, depth)?;
            }
            b"mvex" => {
                self.movie.is_fragmented = true;
                self.boxes(at, end, depth)?;
            }
            b"trex" => {
                let fields: [u8; 16] = self.read(at)?;
                self.packet_times.push((be32(&fields, 4), be32(&fields, 12)));
            }
            b"moof" => self.boxes(at, end, depth)?,
            b"traf" => {
                self.fragment = None;
                self.boxes(at, end, depth)?;
            }
            b"tfhd" => self.fragment = self.head_of_fragment(at)?,
            b"trun" => {
                if let Some((track, packet_time)) = self.fragment {
                    let time = self.time_of_run(at, end, packet_time)?;
                    let track = self.movie.tracks.get_mut(track)?;
                    track.total_of_fragments = track.total_of_fragments.saturating_add(time);
                }
            }
            b"ftyp" => self.movie.is_quicktime = self.read(at)? == *b"qt  ",
            b"hdlr" => {
                let kind: [u8; 4] = self.read(at + 8)?;
                // A track may also have handlers of other kinds, such as data handlers.
                if let Some(track) = self.movie.tracks.last_mut().filter(|_| &kind == b"soun") {
                    track.is_sound = true;
                }
            }
            b"stsd" => self.movie.tracks.last_mut()?.tables.descriptions = at..end,
            b"stsc" => self.movie.tracks.last_mut()?.tables.chunks = at..end,
            b"stsz" => self.movie.tracks.last_mut()?.tables.sizes = at..end,
            b"stco" => self.movie.tracks.last_mut()?.tables.places = at..end,
            b"co64" => {
                let tables = &mut self.movie.tracks.last_mut()?.tables;
                (tables.places, tables.has_wide_places) = (at..end, true);
            }
            // Its version and flags precede its boxes.
            b"meta" => self.boxes(at.checked_add(4)?, end, depth)?,
            b"mvhd" => self.movie.timescale = self.head_of_times(at)?.0,
            b"mdhd" => {
                let (timescale, duration) = self.head_of_times(at)?;
                let track = self.movie.tracks.last_mut()?;
                (track.timescale, track.total) = (timescale, track.total.max(duration));
            }
            b"tkhd" => {
                let version: [u8; 1] = self.read(at)?;
                let id: [u8; 4] = self.read(at + if version[0] == 1 { 20 } else { 12 })?;
                self.movie.tracks.last_mut()?.id = u32::from_be_bytes(id);
            }
            b"stts" => {
                let total = self.total_time(at, end)?;
                self.movie.tracks.last_mut()?.total = total;
            }
            b"elst" => {
                let edits = self.edits(at, end)?;
                self.movie.tracks.last_mut()?.edits = edits;
            }
            b"name" => self.name = self.text(at + 4, end)?,
            b"data" if self.name == "iTunSMPB" => {
                let text = self.text(at + 8, end)?;
                self.movie.gapless = gapless_of(&text).or(self.movie.gapless);
            }
            _ => (),
        }
        Some(())
    }

    /// Timescale and duration in the header of a movie or a track.
    fn head_of_times(&mut self, at: u64) -> Option<(u32, u64)> {
        let version: [u8; 1] = self.read(at)?;
        if version[0] == 1 {
            let times: [u8; 12] = self.read(at + 20)?;
            return Some((be32(&times, 0), be64(&times, 4)));
        }
        let times: [u8; 8] = self.read(at + 12)?;
        let duration = be32(&times, 4);
        Some((be32(&times, 0), if duration == u32::MAX { 0 } else { u64::from(duration) }))
    }

    /// The total duration in the time table, in ticks of the track.
    fn total_time(&mut self, at: u64, end: u64) -> Option<u64> {
        let n: [u8; 4] = self.read(at + 4)?;
        let n = u64::from(u32::from_be_bytes(n)).min(end.saturating_sub(at + 8) / 8);
        let mut total = 0u64;
        for index in 0..n {
            let entry: [u8; 8] = self.read(at + 8 + 8 * index)?;
            total = total.saturating_add(u64::from(be32(&entry, 0)) * u64::from(be32(&entry, 4)));
        }
        Some(total)
    }

    /// Index of a fragment's track, and the default duration of its packets. The inner `None` means that there is no
    /// such track.
    fn head_of_fragment(&mut self, at: u64) -> Option<Option<(usize, u32)>> {
        let head: [u8; 8] = self.read(at)?;
        let (flags, id) = (be32(&head, 0), be32(&head, 4));
        let stated = if flags & 8 != 0 {
            let before = if flags & 1 != 0 { 8 } else { 0 } + if flags & 2 != 0 { 4 } else { 0 };
            Some(u32::from_be_bytes(self.read(at + 8 + before)?))
        } else {
            None
        };
        let usual = || self.packet_times.iter().find(|(track, _)| *track == id).map_or(0, |(_, time)| *time);
        let time = stated.unwrap_or_else(usual);
        Some(self.movie.tracks.iter().position(|track| track.id == id).map(|track| (track, time)))
    }

    /// Total duration of the packets of a run.
    fn time_of_run(&mut self, at: u64, end: u64, packet_time: u32) -> Option<u64> {
        let head: [u8; 8] = self.read(at)?;
        let (flags, n) = (be32(&head, 0), u64::from(be32(&head, 4)));
        if flags & 0x100 == 0 {
            return Some(n * u64::from(packet_time));
        }
        let width = 4 * u64::from((flags >> 8 & 15).count_ones());
        let first = at + 8 + 4 * u64::from((flags & 5).count_ones());
        let n = n.min(end.saturating_sub(first) / width);
        let mut total = 0u64;
        for index in 0..n {
            total = total.saturating_add(u64::from(u32::from_be_bytes(self.read(first + width * index)?)));
        }
        Some(total)
    }

    fn edits(&mut self, at: u64, end: u64) -> Option<Vec<Edit>> {
        let head: [u8; 8] = self.read(at)?;
        let size = if head[0] == 1 { 20 } else { 12 };
        let n = u64::from(be32(&head, 4)).min(end.saturating_sub(at + 8) / size).min(1000);
        (0..n)
            .map(|index| {
                let entry = at + 8 + size * index;
                if head[0] == 1 {
                    let times: [u8; 16] = self.read(entry)?;
                    return Some(Edit { duration: be64(&times, 0), media_time: be64(&times, 8) as i64 });
                }
                let times: [u8; 8] = self.read(entry)?;
                let media_time = i64::from(be32(&times, 4) as i32);
                Some(Edit { duration: u64::from(be32(&times, 0)), media_time })
            })
            .collect()
    }

    fn text(&mut self, at: u64, end: u64) -> Option<String> {
        let mut bytes = vec![0; end.checked_sub(at)?.min(MAX_TEXT_BYTES) as usize];
        self.file.seek(SeekFrom::Start(at)).ok()?;
        self.file.read_exact(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn read<const N: usize>(&mut self, at: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.read_into(at, &mut bytes)?;
        Some(bytes)
    }

    fn read_into(&mut self, at: u64, bytes: &mut [u8]) -> Option<()> {
        let position = self.file.stream_position().ok()?;
        self.file.seek_relative(i64::try_from(i128::from(at) - i128::from(position)).ok()?).ok()?;
        self.file.read_exact(bytes).ok()
    }
}

/// Priming and length from iTunes' text, such as ` 00000000 00000840 000001CA 00000000003F31F6 ...`.
fn gapless_of(text: &str) -> Option<Gapless> {
    let mut numbers = text.split_whitespace().skip(1).map(|word| u64::from_str_radix(word, 16).ok());
    let (delay, _padding, length) = (numbers.next()??, numbers.next()??, numbers.next()??);
    (length > 0).then_some(Gapless { delay, length })
}

fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn be64(bytes: &[u8], at: usize) -> u64 {
    u64::from(be32(bytes, at)) << 32 | u64::from(be32(bytes, at + 4))
}
