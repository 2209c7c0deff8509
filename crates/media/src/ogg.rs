//! The pages of an Ogg file, looked at before decoding: where one recording ends and the next begins, and where pages are
//! lost or damaged. Decoders skip those and place the page after such a gap too early; these places say where silence
//! belongs.
//!
//! Source: RFC 3533, sections 4 (grouping and chaining) and 6.

use super::file_bytes::FileBytes;
use crate::base::Progress;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

/// More recordings than anybody joins: what follows belongs to the last.
const MOST_LINKS: usize = 1 << 16;

/// Budget for reading pages whose checksum turns out wrong, on top of 16 times the file: a header of 27 bytes may claim a
/// page of 65,307, and a hostile file is full of such headers.
const MOST_WASTED_BYTES: u64 = 64 << 20;

/// What the pages of the first stream of a recording say.
#[derive(Debug, Default)]
pub(super) struct OggPages {
    /// Time stamps after the last good page before each gap, ascending.
    pub(super) gaps: Vec<i64>,
    /// The time stamp at which the last good page ends.
    pub(super) end: Option<i64>,
    /// Whether the last page says that it is the last.
    pub(super) has_last_page: bool,
    /// Whether there are other streams beside the first.
    pub(super) has_others: bool,
}

/// One recording of those that follow each other in a file.
#[derive(Debug)]
pub(super) struct OggLink {
    /// Its bytes.
    pub(super) bytes: Range<u64>,
    pub(super) pages: OggPages,
}

/// Looks at every page from `start` to the end of the file at `n_bytes`. At least one recording, and on any trouble what
/// was seen so far.
pub(super) fn links(file: &FileBytes, start: u64, n_bytes: u64, progress: &Progress) -> Vec<OggLink> {
    let mut links = vec![OggLink { bytes: start..n_bytes, pages: OggPages::default() }];
    let Ok(file) = file.try_clone() else { return links };
    let mut file = BufReader::with_capacity(1 << 17, file);
    if file.seek(SeekFrom::Start(start)).is_err() {
        return links;
    }
    let mut pages = PageReader { file, at: start, most_wasted: MOST_WASTED_BYTES + 16 * n_bytes, is_past_end: false };
    let mut serial = None;
    let mut next_sequence = 0;
    let mut is_in_sound = false;
    let mut end = n_bytes;
    while let Some(page) = pages.next() {
        if progress.is_cancelled() {
            break;
        }
        if page.is_first && is_in_sound && links.len() < MOST_LINKS {
            if let Some(link) = links.last_mut() {
                link.bytes.end = end;
            }
            links.push(OggLink { bytes: page.start..n_bytes, pages: OggPages::default() });
            (serial, next_sequence) = (None, 0);
        }
        is_in_sound = !page.is_first;
        end = page.end;
        let Some(found) = links.last_mut().map(|link| &mut link.pages) else { break };
        if *serial.get_or_insert(page.serial) != page.serial {
            found.has_others = true;
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
    // symphonia looks for the last page at the end of the stream and refuses half a page there.
    if let Some(link) = links.last_mut() {
        link.bytes.end = end;
    }
    links
}

struct Page {
    start: u64,
    end: u64,
    is_first: bool,
    is_last: bool,
    granule: i64,
    serial: u32,
    sequence: u32,
}

/// Reads pages in order.
struct PageReader {
    file: BufReader<FileBytes>,
    at: u64,
    /// What is left of the budget for bad pages, in bytes.
    most_wasted: u64,
    /// The last read hit the end of the file, which leaves the position unspecified.
    is_past_end: bool,
}

impl PageReader {
    fn fill(&mut self, bytes: &mut [u8]) -> Option<()> {
        self.is_past_end = self.file.read_exact(bytes).is_err();
        if self.is_past_end {
            return None;
        }
        self.at += bytes.len() as u64;
        Some(())
    }

    /// To a place before: within what is buffered, unless a read has failed.
    fn go_back(&mut self, at: u64) -> Option<()> {
        match self.is_past_end {
            true => self.file.seek(SeekFrom::Start(at)).map(drop).ok()?,
            false => self.file.seek_relative(at as i64 - self.at as i64).ok()?,
        }
        self.at = at;
        Some(())
    }

    /// The next page whose checksum is right, searched for if need be.
    fn next(&mut self) -> Option<Page> {
        let mut window = [0u8; 4];
        self.fill(&mut window)?;
        loop {
            while &window != b"OggS" {
                window.rotate_left(1);
                self.fill(&mut window[3..])?;
            }
            let start = self.at - 4;
            if let Some(page) = self.page(start) {
                return Some(page);
            }
            // Damaged: its length may be wrong too, also beyond the file's end, so the search goes on right behind its
            // first bytes.
            self.most_wasted = self.most_wasted.checked_sub(self.at - start)?;
            self.go_back(start + 4)?;
            self.fill(&mut window)?;
        }
    }

    /// The page that begins at `start`, of which the first four bytes were read, if its checksum is right.
    fn page(&mut self, start: u64) -> Option<Page> {
        let mut page = b"OggS".to_vec();
        page.resize(27, 0);
        self.fill(&mut page[4..])?;
        // The only version there is.
        if page[4] != 0 {
            return None;
        }
        let n_segments = usize::from(page[26]);
        page.resize(27 + n_segments, 0);
        self.fill(&mut page[27..])?;
        let n_body: usize = page[27..].iter().map(|length| usize::from(*length)).sum();
        let body = page.len();
        page.resize(body + n_body, 0);
        self.fill(&mut page[body..])?;
        let stated = [page[22], page[23], page[24], page[25]];
        page[22..26].fill(0);
        if checksum(&page).to_le_bytes() != stated {
            return None;
        }
        let word = |at: usize| [page[at], page[at + 1], page[at + 2], page[at + 3]];
        let low = u64::from(u32::from_le_bytes(word(6)));
        let high = u64::from(u32::from_le_bytes(word(10)));
        Some(Page {
            start,
            end: self.at,
            is_first: page[5] & 2 != 0,
            is_last: page[5] & 4 != 0,
            granule: (low | high << 32) as i64,
            serial: u32::from_le_bytes(word(14)),
            sequence: u32::from_le_bytes(word(18)),
        })
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
