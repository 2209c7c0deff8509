//! Ogg files that are cut off within a page, or followed by more junk than is searched: all whole frames are read, and
//! a notice reports the rest.

use base::Progress;
use sonobrush_media::{Opened, Original, Source};
use std::path::Path;
use support::opened::{clip, folder, open, opened};

fn crc(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8)
            .fold(sum ^ u32::from(*byte) << 24, |sum, _| if sum >> 31 == 0 { sum << 1 } else { sum << 1 ^ 0x04c1_1db7 })
    })
}

/// A page of whole packets.
fn page(flags: u8, granule: u64, sequence: u32, packets: &[&[u8]]) -> Vec<u8> {
    let lengths: Vec<u8> = packets
        .iter()
        .flat_map(|packet| [vec![255; packet.len() / 255], vec![(packet.len() % 255) as u8]].concat())
        .collect();
    let mut page =
        [&b"OggS\0"[..], &[flags], &granule.to_le_bytes(), &7u32.to_le_bytes(), &sequence.to_le_bytes()].concat();
    page.extend([&[0; 4][..], &[u8::try_from(lengths.len()).unwrap()], &lengths, &packets.concat()].concat());
    let sum = crc(&page);
    page[22..26].copy_from_slice(&sum.to_le_bytes());
    page
}

/// An Ogg FLAC file as `flac --ogg` writes it, with several frames per page.
struct OggFlac {
    bytes: Vec<u8>,
    /// End of each frame, as an offset in `bytes`.
    frame_ends: Vec<usize>,
    /// End of each page with frames, as an offset in `bytes`.
    page_ends: Vec<usize>,
    block: usize,
}

/// Whether `bytes` begin with a FLAC frame header of this number and a correct checksum.
fn is_frame(bytes: &[u8], number: u8) -> bool {
    let n_more = match bytes[2] >> 4 {
        6 => 1,
        7 => 2,
        _ => 0,
    };
    let crc8 = |bytes: &[u8]| {
        bytes.iter().fold(0u8, |sum, byte| (0..8).fold(sum ^ byte, |sum, _| sum << 1 ^ (0x07 * (sum >> 7))))
    };
    bytes.starts_with(&[0xff, 0xf8]) && bytes[4] == number && crc8(&bytes[..5 + n_more]) == bytes[5 + n_more]
}

/// Repacks a FLAC file with a fixed block size as Ogg FLAC.
fn ogg_flac(path: &Path, n_frames_a_page: usize) -> OggFlac {
    let whole = std::fs::read(path).unwrap();
    let (mut at, mut is_last) = (4, false);
    while !is_last {
        is_last = whole[at] & 0x80 != 0;
        at += 4 + u32::from_be_bytes([0, whole[at + 1], whole[at + 2], whole[at + 3]]) as usize;
    }
    // Frame numbers start at 0, and take one byte up to 127.
    let mut from = at;
    let starts = (0..128u8).map_while(|number| {
        let start = (from..whole.len() - 8).find(|start| is_frame(&whole[*start..], number))?;
        from = start + 1;
        Some(start)
    });
    let starts: Vec<usize> = starts.collect();
    let n_samples = u64::from_be_bytes(whole[18..26].try_into().unwrap()) & 0xf_ffff_ffff;
    let ends = starts[1..].iter().copied().chain([whole.len()]);
    let frames: Vec<&[u8]> = starts.iter().zip(ends).map(|(start, end)| &whole[*start..end]).collect();
    let block = usize::from(u16::from_be_bytes([whole[8], whole[9]]));
    let identification = [&b"\x7fFLAC\x01\0\0\x01fLaC\0"[..], &whole[5..42]].concat();
    let comment = b"\x84\0\0\x08\0\0\0\0\0\0\0\0";
    let mut file = OggFlac {
        bytes: [page(2, 0, 0, &[&identification]), page(0, 0, 1, &[comment])].concat(),
        frame_ends: vec![],
        page_ends: vec![],
        block,
    };
    let n_pages = frames.len().div_ceil(n_frames_a_page);
    for (index, frames) in frames.chunks(n_frames_a_page).enumerate() {
        let is_end = index + 1 == n_pages;
        let granule = n_samples.min(((index * n_frames_a_page + frames.len()) * block) as u64);
        let page = page(if is_end { 4 } else { 0 }, granule, index as u32 + 2, frames);
        let mut end = file.bytes.len() + page.len() - frames.concat().len();
        for frame in frames {
            end += frame.len();
            file.frame_ends.push(end);
        }
        file.bytes.extend(page);
        file.page_ends.push(file.bytes.len());
    }
    file
}

fn first(opened: &Opened, n: usize) -> Vec<Original> {
    (0..opened.source.info().n_channels).map(|channel| opened.source.read_original(channel, 0, n).unwrap()).collect()
}

#[test]
fn every_whole_frame_of_a_cut_ogg_flac_is_heard() {
    let folder = folder();
    for (name, n_frames_a_page) in [("crow_44k_mono.flac", 2), ("tabla_loop_44k_stereo.flac", 4)] {
        let file = ogg_flac(&clip(name), n_frames_a_page);
        let right = open(&clip(name));
        assert!(file.page_ends.len() > 2, "{name}");
        let first_frame = file.frame_ends[0];
        // Cuts in the first page and in others: at ends of frames and pages, and within frames.
        let mut cuts = vec![first_frame, first_frame + 1, file.frame_ends[1] + 10, file.page_ends[0]];
        cuts.extend([file.page_ends[0] + 20, file.frame_ends[n_frames_a_page] + 3, file.page_ends[1] - 1]);
        cuts.push(file.bytes.len() - 1);
        for cut in cuts {
            let n_frames = file.frame_ends.iter().filter(|end| **end <= cut).count();
            let opened = opened(&folder, &file.bytes[..cut]);
            let n = opened.source.info().n_samples as usize;
            assert_eq!(n, n_frames * file.block, "{name} cut at {cut}: {:?}", opened.notices);
            assert!(first(&opened, n) == first(&right, n), "{name} cut at {cut}");
            assert_eq!(opened.notices.len(), 1, "{name} cut at {cut}: {:?}", opened.notices);
            let reason = &opened.notices[0];
            assert!(reason.contains("last page") || reason.starts_with("is cut off: "), "{reason}");
        }
        // Cut within the first frame, the file has no whole frame and is refused.
        let path = folder.path().join("cut.oga");
        std::fs::write(&path, &file.bytes[..first_frame - 1]).unwrap();
        assert!(Source::open(&path, &Progress::new()).is_err(), "{name}");
        // Control: the whole file has no notice.
        let whole = opened(&folder, &file.bytes);
        assert_eq!(whole.notices, [""; 0], "{name}");
        let n = right.source.info().n_samples as usize;
        assert_eq!(whole.source.info().n_samples as usize, n, "{name}");
        assert!(first(&whole, n) == first(&right, n), "{name}");
    }
}

/// The junk consists of page headers that claim 65,307 bytes each, without valid pages.
#[test]
fn junk_that_is_too_much_to_search_is_told() {
    let folder = folder();
    let vorbis = support::root().join("tests/matrix/vorbis/vorbis_small.ogg");
    let whole = std::fs::read(&vorbis).unwrap();
    let header = [&b"OggS\0\0"[..], &[0; 20], &[255; 256]].concat();
    let junk = header.repeat(1 << 13);
    let alone = open(&vorbis);
    let found = opened(&folder, &[&whole[..], &junk].concat());
    assert_eq!(found.source.info().n_samples, alone.source.info().n_samples);
    let reason = format!("its last {} bytes are damaged or no sound and were not read", junk.len());
    assert_eq!(found.notices, [reason]);
    // Control: junk that is short enough to be searched completely needs no notice.
    let found = opened(&folder, &[&whole[..], &junk[..1 << 16]].concat());
    assert_eq!(found.notices, alone.notices);
}
