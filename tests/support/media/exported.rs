//! Files that are written.

use super::opened::folder;
use base::Progress;
use media::{Dither, Encoded, ExportFormat, Source, encode};

/// Every chunk of a RIFF file with its content, by a reader that shares nothing with ours.
pub fn chunks_of(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    assert_eq!((&bytes[..4], &bytes[8..12]), (&b"RIFF"[..], &b"WAVE"[..]));
    assert_eq!(u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize + 8, bytes.len());
    let mut at = 12;
    let mut found = Vec::new();
    while at < bytes.len() {
        assert_eq!(at % 2, 0, "chunks stand on even places");
        let n = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        found.push((String::from_utf8_lossy(&bytes[at..at + 4]).into_owned(), bytes[at + 8..at + 8 + n].to_vec()));
        at += 8 + n + n % 2;
    }
    found
}

pub fn chunk_of(bytes: &[u8], id: &str) -> Vec<u8> {
    chunks_of(bytes).into_iter().find(|(found, _)| found == id).unwrap().1
}

/// The bytes of an export in which `change` may alter the samples of each block.
pub fn exported(
    source: &Source,
    format: ExportFormat,
    dither: Option<Dither>,
    change: &dyn Fn(usize, u64, &mut [f32]),
) -> (Vec<u8>, Encoded) {
    let folder = folder();
    let path = folder.path().join("out.wav");
    let read = |channel: usize, first: u64, out: &mut [f32]| {
        source.read(channel, first as i64, out)?;
        change(channel, first, out);
        Ok(())
    };
    let encoded = encode(&path, source, &read, format, dither, &Progress::new()).unwrap();
    (std::fs::read(&path).unwrap(), encoded)
}

pub fn nothing(_: usize, _: u64, _: &mut [f32]) {}
