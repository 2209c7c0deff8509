//! The pages of an Ogg file, looked at before decoding: where pages are lost or damaged. Decoders skip those and place
//! the page after such a gap too early; these places say where silence belongs.
//!
//! Source: RFC 3533, section 6.

use super::file_bytes::FileBytes;
use crate::base::Progress;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// What the pages of the first stream say.
#[derive(Debug, Default)]
pub(super) struct OggPages {
    /// Time stamps after the last good page before each gap, ascending.
    pub(super) gaps: Vec<i64>,
    /// The time stamp at which the last good page ends.
    pub(super) end: Option<i64>,
    /// Whether the last page says that it is the last.
    pub(super) has_last_page: bool,
    /// Whether another stream follows the first.
    pub(super) is_chained: bool,
}

/// Looks at every page; on any trouble, what was seen so far.
pub(super) fn scan(file: &FileBytes, progress: &Progress) -> OggPages {
    let mut found = OggPages::default();
    let Ok(file) = file.try_clone() else { return found };
    let mut file = BufReader::with_capacity(1 << 17, file);
    if file.seek(SeekFrom::Start(0)).is_err() {
        return found;
    }
    let mut serial = None;
    let mut next_sequence = 0;
    while let Some(page) = next_page(&mut file) {
        if progress.is_cancelled() {
            break;
        }
        if *serial.get_or_insert(page.serial) != page.serial {
            found.is_chained = true;
            continue;
        }
        if page.sequence != next_sequence && page.sequence != next_sequence.wrapping_sub(1) {
            found.gaps.push(found.end.unwrap_or(0));
        }
        next_sequence = page.sequence.wrapping_add(1);
        found.has_last_page = page.is_last;
        // -1 means that no packet ends on the page.
        if page.granule >= 0 {
            found.end = Some(page.granule);
        }
    }
    found
}

struct Page {
    is_last: bool,
    granule: i64,
    serial: u32,
    sequence: u32,
}

/// The next page whose checksum is right, searched for if need be.
fn next_page(file: &mut BufReader<FileBytes>) -> Option<Page> {
    let mut window = [0u8; 4];
    file.read_exact(&mut window).ok()?;
    loop {
        while &window != b"OggS" {
            window.rotate_left(1);
            file.read_exact(&mut window[3..]).ok()?;
        }
        let mut page = vec![0; 27];
        page[..4].copy_from_slice(&window);
        file.read_exact(&mut page[4..]).ok()?;
        let n_segments = usize::from(page[26]);
        page.resize(27 + n_segments, 0);
        file.read_exact(&mut page[27..]).ok()?;
        let n_body: usize = page[27..].iter().map(|length| usize::from(*length)).sum();
        let body = page.len();
        page.resize(body + n_body, 0);
        let is_whole = file.read_exact(&mut page[body..]).is_ok();
        let stated = [page[22], page[23], page[24], page[25]];
        page[22..26].fill(0);
        if is_whole && checksum(&page).to_le_bytes() == stated {
            let word = |at: usize| [page[at], page[at + 1], page[at + 2], page[at + 3]];
            let low = u64::from(u32::from_le_bytes(word(6)));
            let high = u64::from(u32::from_le_bytes(word(10)));
            return Some(Page {
                is_last: page[5] & 4 != 0,
                granule: (low | high << 32) as i64,
                serial: u32::from_le_bytes(word(14)),
                sequence: u32::from_le_bytes(word(18)),
            });
        }
        if !is_whole {
            return None;
        }
        // Damaged: its length may be wrong too, so the search goes on right behind its first bytes.
        file.seek_relative(4 - page.len() as i64).ok()?;
        file.read_exact(&mut window).ok()?;
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut index = 0;
        while index < 256 {
            let mut value = (index as u32) << 24;
            let mut bit = 0;
            while bit < 8 {
                value = if value & 0x8000_0000 == 0 { value << 1 } else { value << 1 ^ 0x04c1_1db7 };
                bit += 1;
            }
            table[index] = value;
            index += 1;
        }
        table
    };
    bytes.iter().fold(0, |sum, byte| sum << 8 ^ TABLE[(sum >> 24) as usize ^ usize::from(*byte)])
}
