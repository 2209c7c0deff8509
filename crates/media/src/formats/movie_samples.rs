//! Plain samples in QuickTime and MP4 files, for our own reader, limited to the part that the edit list plays.

use super::mp4::{self, Movie};
use super::sample_tables::{Described, chunks};
use crate::base::{Error, ErrorKind, Result};
use crate::decoders::timing::TrackTiming;
use crate::probe::file_bytes::FileBytes;
use crate::probe::look;
use crate::samples::plain_file::FileRuns;
use crate::samples::stored_bytes::Plain;
use crate::writers::wav_header::{Coding, WavHeader};
use std::path::Path;

/// A track of plain samples.
pub(crate) struct PlainTrack {
    pub(crate) header: WavHeader,
    pub(crate) plain: Plain,
    pub(crate) runs: FileRuns,
    /// Name of the format for display.
    pub(crate) name: &'static str,
}

/// The plain samples of an MP4's first audio track; `None` if it uses another codec, or its samples are in fragments.
///
/// # Errors
/// If limits are exceeded or tables are invalid.
pub(crate) fn find(file: &FileBytes, n_bytes: u64, path: &Path) -> Result<Option<PlainTrack>> {
    let movie = mp4::scan(file, n_bytes);
    let Some((id, tables)) = movie.sound().filter(|_| !movie.is_fragmented()) else { return Ok(None) };
    let Some(Described { plain, sample_rate_hz, n_channels }) = movie.described(id) else { return Ok(None) };
    look::check_layout(sample_rate_hz, n_channels, path)?;
    let frame_bytes = plain.stored_bytes() as u64 * n_channels as u64;
    let damaged = || {
        let sentence = "is damaged: its sample tables are impossible; copy or download it again";
        Error::new(ErrorKind::Malformed, sentence).at(path)
    };
    let chunks = chunks(file, tables, frame_bytes).ok_or_else(damaged)?;
    let stated = chunks.iter().map(|chunk| chunk.n_bytes).fold(0, u64::saturating_add);
    // Overlapping chunks could make a small file decode to an enormous length.
    let is_there = chunks.iter().map(|chunk| chunk.n_bytes.min(n_bytes.saturating_sub(chunk.at)));
    if is_there.fold(0, u64::saturating_add) > n_bytes {
        return Err(damaged());
    }
    let mut all = FileRuns::default();
    for chunk in &chunks {
        let whole = chunk.n_bytes.min(n_bytes.saturating_sub(chunk.at)) / frame_bytes * frame_bytes;
        all.push(Some(chunk.at), whole);
        // Stop at a truncated chunk: the samples after it would be placed too early.
        if whole < chunk.n_bytes {
            break;
        }
    }
    let mut notices = Vec::new();
    if all.n_bytes() < stated {
        notices.push(look::ends_early((stated - all.n_bytes()) / frame_bytes, sample_rate_hz));
    }
    let runs = heard(all, &movie, id, sample_rate_hz, frame_bytes, &mut notices);
    let name = if movie.is_quicktime { "MOV" } else { "MP4" };
    let header = WavHeader {
        tag: 0,
        coding: Coding::Plain(plain),
        sample_rate_hz,
        n_channels,
        channel_mask: None,
        data: 0..0,
        end: movie.end.unwrap_or(n_bytes),
        chunks: Vec::new(),
        notices,
    };
    Ok(Some(PlainTrack { header, plain, runs, name }))
}

/// The part that the edit list plays.
fn heard(all: FileRuns, movie: &Movie, id: u32, rate: u32, frame_bytes: u64, notices: &mut Vec<String>) -> FileRuns {
    let Some(heard) = movie.heard(id) else { return all };
    if heard.has_more {
        notices.push("has an edit list of several segments; only the first was opened".into());
    }
    let timing = TrackTiming::of_mp4(&heard, rate);
    let pause = timing.pause as u64;
    let first = (pause as i64).saturating_sub(timing.offset).max(0) as u64;
    let length = timing.length.map_or(u64::MAX, |length| length.saturating_sub(pause).max(1));
    let mut runs = FileRuns::default();
    runs.push(None, pause * frame_bytes);
    for part in all.parts(first.saturating_mul(frame_bytes), length.saturating_mul(frame_bytes)) {
        runs.push(part.at, part.n_bytes);
    }
    runs
}
