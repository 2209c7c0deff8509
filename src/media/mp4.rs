//! Where the sound of an MP4 track begins and ends: its edit list, which symphonia reads but does not apply, or what
//! iTunes wrote beside it. Encoders put a thousand samples and more before the first one.
//!
//! Sources: ISO/IEC 14496-12, sections 8.2 to 8.6; Apple, "Audio Priming - Handling Encoder Delay in AAC".

use super::movie_samples::{self, Described, Tables};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// Deeper boxes are no sound's.
const MAX_DEPTH: usize = 8;
/// More boxes than any real file has; a stop for made ones.
const MAX_BOXES: usize = 100_000;
/// Longest text of iTunes that is read.
const MAX_TEXT_BYTES: u64 = 4096;

/// Which part of a track is meant to be heard, in ticks of `timescale` a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Heard {
    /// Ticks a second, of the track's packets too.
    pub(super) timescale: u32,
    /// Seconds of silence before it.
    pub(super) silence_secs: f64,
    /// The first tick that is heard.
    pub(super) first: u64,
    /// How many; none if to the end.
    pub(super) length: Option<u64>,
    /// Whether the list plays more pieces than this first one.
    pub(super) has_more: bool,
}

/// What a track's boxes say.
#[derive(Debug, Default)]
struct Track {
    id: u32,
    timescale: u32,
    /// By the time table, without any trimming.
    total: u64,
    edits: Vec<Edit>,
    is_sound: bool,
    /// Where its samples are described.
    tables: Tables,
    /// What they say, if its samples are plain.
    described: Option<Described>,
}

/// One entry of an edit list.
#[derive(Debug, Clone, Copy)]
struct Edit {
    /// In ticks of the movie.
    duration: u64,
    /// In ticks of the track; negative is nothing but a pause.
    media_time: i64,
}

/// Priming, padding and length in samples, as iTunes writes them.
#[derive(Debug, Clone, Copy)]
struct Gapless {
    delay: u64,
    length: u64,
}

/// What an MP4's boxes say of its tracks.
#[derive(Debug, Default)]
pub(super) struct Movie {
    timescale: u32,
    tracks: Vec<Track>,
    gapless: Option<Gapless>,
    /// Whether fragments follow, of whose length nothing here knows.
    is_fragmented: bool,
    /// Whether QuickTime wrote it, or something like it.
    pub(super) is_quicktime: bool,
}

/// Looks at every box but the sound's; on any trouble, what was seen so far. Moves the file.
pub(super) fn scan(file: &File, n_bytes: u64) -> Movie {
    let Ok(copy) = file.try_clone() else { return Movie::default() };
    let mut walk = Walk { file: BufReader::new(copy), n_boxes: 0, movie: Movie::default(), name: String::new() };
    let _ = walk.file.seek(SeekFrom::Start(0));
    let _ = walk.boxes(0, n_bytes, 0);
    for track in walk.movie.tracks.iter_mut().filter(|track| track.is_sound) {
        track.described = movie_samples::describe(file, &track.tables);
    }
    walk.movie
}

impl Movie {
    /// The part of the track with this id that is heard; none where the file does not say.
    pub(super) fn heard(&self, track_id: u32) -> Option<Heard> {
        let track = self.tracks.iter().find(|track| track.id == track_id && track.timescale > 0)?;
        let fits = |gapless: &Gapless| gapless.delay.saturating_add(gapless.length) <= track.total;
        let Some(Gapless { delay: first, length }) = self.gapless.filter(fits) else {
            let heard = by_edits(track, self.timescale);
            // The list was written before the fragments were, and counts none of them or only the first.
            return Some(Heard { length: heard.length.filter(|_| !self.is_fragmented), ..heard });
        };
        let timescale = track.timescale;
        Some(Heard { timescale, silence_secs: 0.0, first, length: Some(length), has_more: false })
    }

    /// The id of the first track of sound, and the tables of its samples.
    pub(super) fn sound(&self) -> Option<(u32, &Tables)> {
        self.tracks.iter().find(|track| track.is_sound).map(|track| (track.id, &track.tables))
    }

    /// What is said of the samples of the track with this id, if they are plain.
    pub(super) fn described(&self, track_id: u32) -> Option<Described> {
        self.tracks.iter().find(|track| track.id == track_id)?.described
    }

    /// Whether samples are in fragments, which no table describes.
    pub(super) fn is_fragmented(&self) -> bool {
        self.is_fragmented
    }
}

fn by_edits(track: &Track, movie_timescale: u32) -> Heard {
    let movie = f64::from(movie_timescale.max(1));
    let pauses = track.edits.iter().take_while(|edit| edit.media_time < 0);
    let silence_secs: f64 = pauses.map(|edit| edit.duration as f64 / movie).sum();
    let mut pieces = track.edits.iter().filter(|edit| edit.media_time >= 0);
    let piece = pieces.next();
    let first = piece.map_or(0, |edit| edit.media_time as u64);
    let length = piece.filter(|edit| edit.duration > 0 && movie_timescale > 0).map(|edit| {
        let ticks_a_tick = f64::from(track.timescale) / movie;
        let stated = (edit.duration as f64 * ticks_a_tick).round() as u64;
        // The movie's ticks are often milliseconds; where they say no more than the time table does, it is the finer.
        let rest = track.total.saturating_sub(first);
        if rest > 0 && rest.abs_diff(stated) as f64 <= ticks_a_tick { rest } else { stated }
    });
    Heard { timescale: track.timescale, silence_secs, first, length, has_more: pieces.next().is_some() }
}

struct Walk {
    file: BufReader<File>,
    n_boxes: usize,
    movie: Movie,
    /// Of the iTunes value that is being read.
    name: String,
}

impl Walk {
    /// The boxes from `at` to `end`; none on any trouble, with what was found kept.
    fn boxes(&mut self, mut at: u64, end: u64, depth: usize) -> Option<()> {
        while depth < MAX_DEPTH && at.checked_add(8)? <= end {
            self.n_boxes += 1;
            if self.n_boxes > MAX_BOXES {
                return None;
            }
            let head: [u8; 8] = self.read(at)?;
            let (content, box_end) = match u64::from(be32(&head, 0)) {
                0 => (at + 8, end),
                1 => (at + 16, at.checked_add(u64::from_be_bytes(self.read(at + 8)?))?),
                size => (at + 8, at.checked_add(size)?),
            };
            if box_end < content || box_end > end {
                return None;
            }
            self.content([head[4], head[5], head[6], head[7]], content, box_end, depth + 1)?;
            at = box_end;
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
            b"mvex" => self.movie.is_fragmented = true,
            b"ftyp" => self.movie.is_quicktime = self.read(at)? == *b"qt  ",
            b"hdlr" => {
                let kind: [u8; 4] = self.read(at + 8)?;
                // A handler of data stands beside that of the media.
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
            // Version and flags stand before its boxes.
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

    /// Timescale and duration of a movie's or a track's header.
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

    /// The sum of the time table.
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
        let position = self.file.stream_position().ok()?;
        self.file.seek_relative(i64::try_from(i128::from(at) - i128::from(position)).ok()?).ok()?;
        self.file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// ` 00000000 00000840 000001CA 00000000003F31F6 ...`: of these, priming, padding and length.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn track(edits: Vec<Edit>) -> Track {
        Track { id: 1, timescale: 44_100, total: 67_000, edits, ..Track::default() }
    }

    #[test]
    fn a_length_in_milliseconds_is_no_finer_than_the_time_table() {
        let edit = |duration| vec![Edit { duration, media_time: 1024 }];
        // 65,976 samples are 1,496.05 ms: what the table says is exact.
        assert_eq!(by_edits(&track(edit(1496)), 1000).length, Some(67_000 - 1024));
        // 1,400 ms are less than it holds: padding.
        assert_eq!(by_edits(&track(edit(1400)), 1000).length, Some(61_740));
        assert_eq!(
            by_edits(&track(Vec::new()), 1000),
            Heard { timescale: 44_100, silence_secs: 0.0, first: 0, length: None, has_more: false }
        );
    }

    #[test]
    fn the_length_of_what_fragments_add_to_is_unknown() {
        let edits = vec![Edit { duration: 100, media_time: 1024 }];
        let mut movie = Movie { timescale: 1000, tracks: vec![track(edits)], ..Movie::default() };
        let heard = |movie: &Movie| movie.heard(1).map(|heard| (heard.first, heard.length));
        assert_eq!(heard(&movie), Some((1024, Some(4410))));
        movie.is_fragmented = true;
        assert_eq!(heard(&movie), Some((1024, None)));
    }

    #[test]
    fn a_pause_first_is_silence() {
        let edits = vec![Edit { duration: 500, media_time: -1 }, Edit { duration: 100, media_time: 7 }];
        let heard = by_edits(&track(edits), 1000);
        assert_eq!((heard.silence_secs, heard.first, heard.has_more), (0.5, 7, false));
    }

    #[test]
    fn the_words_of_itunes_are_read() {
        let text = " 00000000 00000840 000001CA 00000000003F31F6 00000000 00000000";
        let found = gapless_of(text).expect("numbers");
        assert_eq!((found.delay, found.length), (0x840, 0x3f31f6));
        assert!(gapless_of(" 0 x").is_none());
    }
}
