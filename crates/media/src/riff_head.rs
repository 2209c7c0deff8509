//! Heads of RIFF and RF64 files: everything before their samples.

/// Size of a `ds64` chunk's content. Its room is reserved by a chunk of zeros that readers skip, as EBU Tech 3306
/// specifies.
pub(super) const SIZES_BYTES: usize = 28;

/// The head of an RF64 file up to its samples, by the bytes of the file behind its first 8, those of the samples and
/// the number of frames, and by the chunks in between. Source: EBU Tech 3306.
pub(super) fn long_head(sizes: [u64; 3], inner: &[u8]) -> Vec<u8> {
    let mut chunks = Vec::new();
    let mut content: Vec<u8> = sizes.into_iter().flat_map(u64::to_le_bytes).collect();
    // An empty table of further sizes.
    content.resize(SIZES_BYTES, 0);
    put_chunk(&mut chunks, b"ds64", &content);
    chunks.extend_from_slice(inner);
    head(b"RF64", &chunks, [u32::MAX; 2])
}

/// The head of a RIFF file up to its samples: the chunks before them, then the bytes of the file behind its first 8 and
/// those of the samples.
pub(super) fn riff_head(chunks: &[u8], sizes: [u32; 2]) -> Vec<u8> {
    head(b"RIFF", chunks, sizes)
}

fn head(form: &[u8; 4], chunks: &[u8], [riff, data]: [u32; 2]) -> Vec<u8> {
    [&form[..], &riff.to_le_bytes(), b"WAVE", chunks, b"data", &data.to_le_bytes()].concat()
}

/// A chunk, padded to an even length.
pub(super) fn put_chunk(out: &mut Vec<u8>, id: &[u8; 4], data: &[u8]) {
    out.extend_from_slice(id);
    out.extend_from_slice(&(data.len() as u32).to_le_bytes());
    out.extend_from_slice(data);
    if !data.len().is_multiple_of(2) {
        out.push(0);
    }
}
