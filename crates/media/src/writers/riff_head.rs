//! Headers of RIFF and RF64 files: everything before their samples.

/// Size of the content of a `ds64` chunk in bytes. A growing file reserves space for it with a `JUNK` chunk of zeros,
/// as EBU Tech 3306 specifies.
pub(crate) const SIZES_BYTES: usize = 28;

/// The header of an RF64 file up to its samples. `sizes` are the number of bytes of the file after its first 8, the
/// number of bytes of the samples, and the number of frames; `inner` are the chunks before the samples. Source: EBU
/// Tech 3306.
pub(crate) fn long_head(sizes: [u64; 3], inner: &[u8]) -> Vec<u8> {
    let mut chunks = Vec::new();
    let mut content: Vec<u8> = sizes.into_iter().flat_map(u64::to_le_bytes).collect();
    // The table of other chunks' sizes is empty.
    content.resize(SIZES_BYTES, 0);
    put_chunk(&mut chunks, b"ds64", &content);
    chunks.extend_from_slice(inner);
    head(b"RF64", &chunks, [u32::MAX; 2])
}

/// The header of a RIFF file up to its samples. `chunks` are the chunks before them; `sizes` are the number of bytes of
/// the file after its first 8, and the number of bytes of the samples.
pub(crate) fn riff_head(chunks: &[u8], sizes: [u32; 2]) -> Vec<u8> {
    head(b"RIFF", chunks, sizes)
}

fn head(form: &[u8; 4], chunks: &[u8], [riff, data]: [u32; 2]) -> Vec<u8> {
    [&form[..], &riff.to_le_bytes(), b"WAVE", chunks, b"data", &data.to_le_bytes()].concat()
}

/// Appends a chunk, padded to an even length.
pub(crate) fn put_chunk(out: &mut Vec<u8>, id: &[u8; 4], data: &[u8]) {
    out.extend_from_slice(id);
    out.extend_from_slice(&(data.len() as u32).to_le_bytes());
    out.extend_from_slice(data);
    if !data.len().is_multiple_of(2) {
        out.push(0);
    }
}
