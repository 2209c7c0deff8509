//! The pages of an Ogg file, checked before decoding: where one recording ends and the next begins, and where pages are
//! lost or damaged. Decoders skip such gaps and place the page after them too early; the positions of the gaps
//! determine where to insert silence.
//!
//! Source: RFC 3533, sections 4 (grouping and chaining) and 6.

use super::flac;
use crate::base::Progress;
use crate::probe::file_bytes::FileBytes;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

/// Maximum number of recordings, more than any real file has; further ones count as part of the last.
const MAX_LINKS: usize = 1 << 16;

/// Maximum length of a page: a header, 255 lengths, and 255 times 255 bytes.
const MAX_PAGE: usize = 27 + 255 + 255 * 255;

/// Maximum number of bytes read for pages with a wrong checksum, on top of 16 times the file: a header of 27 bytes may
/// claim a page of 65,307, and a hostile file is full of such headers.
const MAX_WASTED_BYTES: u64 = 64 << 20;

/// Information in the pages of the first stream of a recording.
#[derive(Debug, Default)]
pub(crate) struct OggPages {
    /// For each gap, the granule position at the end of the last good page before it, or 0 without one; ascending.
    pub(crate) gaps: Vec<i64>,
    /// Granule position at the end of the last good page that states one.
    pub(crate) end: Option<i64>,
    /// Whether the last good page has the end-of-stream flag.
    pub(crate) has_last_page: bool,
    /// Whether there are other streams besides the first.
    pub(crate) has_others: bool,
}

/// One of several consecutive recordings in a file.
#[derive(Debug)]
pub(crate) struct OggLink {
    /// Its byte range in the file.
    pub(crate) bytes: Range<u64>,
    pub(crate) pages: OggPages,
    /// A page to append: the complete packets of a page truncated by the end of the file; empty if there are none.
    pub(crate) tail: Vec<u8>,
    /// Number of bytes left unsearched after the last good page because the byte budget ran out; 0 otherwise.
    pub(crate) n_unread: u64,
}

impl OggLink {
    /// A recording whose pages have not been examined yet.
    fn from(bytes: Range<u64>) -> OggLink {
        OggLink { bytes, pages: OggPages::default(), tail: Vec::new(), n_unread: 0 }
    }
}

/// Reads every page from `start` to the end of the file at `n_bytes`. Returns at least one recording; on any error, the
/// recordings found so far.
pub(crate) fn links(file: &FileBytes, start: u64, n_bytes: u64, progress: &Progress) -> Vec<OggLink> {
    let mut links = vec![OggLink::from(start..n_bytes)];
    let Ok(again) = file.try_clone() else { return links };
    let mut again = BufReader::with_capacity(1 << 17, again);
    if again.seek(SeekFrom::Start(start)).is_err() {
        return links;
    }
    let mut pages = PageReader {
        file: again,
        at: start,
        max_wasted: MAX_WASTED_BYTES + 16 * n_bytes,
        is_past_end: false,
        is_given_up: false,
    };
    let mut serial = None;
    let mut next_sequence = 0;
    let mut is_in_sound = false;
    let mut end = n_bytes;
    while let Some(page) = pages.next() {
        if progress.is_cancelled() {
            break;
        }
        if page.is_first && is_in_sound && links.len() < MAX_LINKS {
            if let Some(link) = links.last_mut() {
                link.bytes.end = end;
            }
            links.push(OggLink::from(page.start..n_bytes));
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
    // Symphonia looks for the last page at the end of the stream and refuses a partial page there.
    if let Some(link) = links.last_mut() {
        link.bytes.end = end;
        link.tail = cut_page(file, end..n_bytes, serial, link.pages.end).unwrap_or_default();
        link.n_unread = if pages.is_given_up { n_bytes - end } else { 0 };
    }
    links
}

/// Rebuilds the page truncated by the end of the file from its complete packets. `before` is the granule position at
/// the end of the previous page. `None` if there is no such page, or if its position cannot be determined.
fn cut_page(file: &FileBytes, place: Range<u64>, serial: Option<u32>, before: Option<i64>) -> Option<Vec<u8>> {
    let mut page = vec![0; usize::try_from(place.end.saturating_sub(place.start)).ok()?.min(MAX_PAGE)];
    if file.read_some_at(place.start, &mut page) < page.len() || !page.starts_with(b"OggS\0") {
        return None;
    }
    let lengths = page.get(27..27 + usize::from(*page.get(26)?))?.to_vec();
    let body = 27 + lengths.len();
    let is_whole = body + lengths.iter().map(|length| usize::from(*length)).sum::<usize>() <= page.len();
    if is_whole || page[14..18] != serial?.to_le_bytes() {
        return None;
    }
    // For each packet that ends in the available bytes, its end and the number of lengths up to it.
    let mut at = body;
    let ends = lengths.iter().zip(1..).filter_map(|(length, n)| {
        at += usize::from(*length);
        (*length < 255).then_some((at, n))
    });
    let ends: Vec<(usize, usize)> = ends.take_while(|(end, _)| *end <= page.len()).collect();
    let &(end, n_lengths) = ends.last()?;
    // The page's granule position includes the lost packets. After a page with a granule position this does not matter,
    // since packets are placed directly after that page's. Otherwise, recompute it from the FLAC frames.
    if before.is_none_or(|before| before <= 0) {
        let starts = std::iter::once(body).chain(ends.iter().map(|(end, _)| *end));
        let n_samples = starts.take(ends.len()).map(|start| flac::n_samples(&page[start..])).sum::<Option<u64>>()?;
        page[6..14].copy_from_slice(&n_samples.to_le_bytes());
    }
    page.truncate(end);
    page.drain(27 + n_lengths..body);
    page[26] = n_lengths as u8;
    // Clear the end-of-stream flag.
    page[5] &= !4;
    page[22..26].fill(0);
    let sum = checksum(&page);
    page[22..26].copy_from_slice(&sum.to_le_bytes());
    Some(page)
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
    /// Remaining number of bytes that may be read for bad pages.
    max_wasted: u64,
    /// Whether the last read failed at the end of the file, which leaves the position unspecified.
    is_past_end: bool,
    /// Whether the search stopped because `max_wasted` was used up.
    is_given_up: bool,
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

    /// Seeks to `at`: within the buffer, unless the last read failed.
    fn go_back(&mut self, at: u64) -> Option<()> {
        match self.is_past_end {
            true => self.file.seek(SeekFrom::Start(at)).map(drop).ok()?,
            false => self.file.seek_relative(at as i64 - self.at as i64).ok()?,
        }
        self.at = at;
        Some(())
    }

    /// The next page with a correct checksum, skipping other bytes.
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
            // The page is damaged. Its length may be wrong, too, even beyond the end of the file, so the search
            // continues right after its first four bytes.
            let Some(left) = self.max_wasted.checked_sub(self.at - start) else {
                self.is_given_up = true;
                return None;
            };
            self.max_wasted = left;
            self.go_back(start + 4)?;
            self.fill(&mut window)?;
        }
    }

    /// The page that begins at `start`, whose first four bytes have been read; `None` if its checksum is wrong.
    fn page(&mut self, start: u64) -> Option<Page> {
        let mut page = b"OggS".to_vec();
        page.resize(27, 0);
        self.fill(&mut page[4..])?;
        // Version 0 is the only one.
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
